//! Terms: the units of a text that count towards its relevance.
//!
//! A word is a run of letters, digits and `_`, folded and, in English, stemmed. The parts of an
//! identifier (`max_size`, `maxSize`) are terms beside the whole. A Korean word is a term without
//! its particle or ending, and each pair of neighbouring syllables is a lesser one, so that a noun
//! is found inside a longer word. Chinese and Japanese text is split into pairs of neighbours.
//!
//! A first query counts every word of every document, so this is its hot path:
//!
//! 1. `ascii_words` scans the text in blocks of 64 bytes and finds words with bit operations
//!    (`words/blocks.rs`); an ASCII text ends there.
//! 2. It stops at the first word with another character. Text that may be in another normal form or
//!    width is composed line by line; most is not, which one pass shows.
//! 3. From there on, run by run: ASCII words by blocks again, others by their script, character by
//!    character.
//! 4. A word becomes a digest of 32 bits (`words/term.rs`), unless no wanted term shares its
//!    initial ([`Initials`]): then it is counted, and not hashed.

use unicode_normalization::UnicodeNormalization as _;

use crate::fold::fold;
use crate::lines::with_ends;
use crate::width::usual_width;
use crate::words::ascii::{ascii_words, identifier_terms, is_word_byte};
pub use crate::words::initials::Initials;
use crate::words::scripts::{Script, korean_terms, neighbour_terms};
use crate::words::term::WordCase;
pub use crate::words::term::{Form, Term};

/// Emits every term of a text, in order, equal for all its normal forms. Terms that begin with none
/// of `initials` may all be emitted as one placeholder.
pub fn each_term(text: &str, initials: &Initials, mut emit: impl FnMut(Term)) {
    let end = ascii_words(text, 0, initials, &mut emit);
    if end == text.len() {
        return;
    }
    // A non-ASCII character may compose with the character before it: `=` and U+0338 are `≠`. The
    // rest therefore begins one character earlier. That character is not part of a word, so that
    // nothing is emitted twice.
    let rest = &text[text.floor_char_boundary(end.saturating_sub(1))..];
    if is_composed(rest) {
        each_composed_term(rest, initials, &mut emit);
        return;
    }
    // Nothing composes across a line end, so that the text is composed line by line. In most texts
    // few lines need it, and only these are copied.
    for line in with_ends(rest) {
        if is_composed(line) {
            each_composed_term(line, initials, &mut emit);
        } else {
            let usual = line.chars().map(usual_width);
            each_composed_term(&usual.nfc().collect::<String>(), initials, &mut emit);
        }
    }
}

/// Returns true if no character of `text` can compose with the one before it.
fn is_composed(text: &str) -> bool {
    let mut rest = text;
    loop {
        // ASCII is passed in chunks, because it composes with nothing before it, and most text is
        // ASCII. A test of 64 bytes at once is far faster than one character at a time.
        let chunks = rest.as_bytes().chunks(64);
        let ascii = 64 * chunks.take_while(|chunk| chunk.is_ascii()).count();
        let Some(after) = rest.as_bytes().get(ascii..) else {
            return true;
        };
        let Some(non_ascii) = after.iter().position(|byte| !byte.is_ascii()) else {
            return true;
        };
        rest = &rest[ascii + non_ascii..];
        match rest.find(|c: char| c.is_ascii() || !is_inert(c)) {
            Some(end) if rest.as_bytes()[end].is_ascii() => rest = &rest[end..],
            Some(_) => return false,
            None => return true,
        }
    }
}

/// Returns true if a character is its own composed form in its usual width, or belongs to no word
/// in any, and no other composes with it from the left. Only the frequent ones are listed: for
/// another, an already composed line is composed again. A test verifies the ranges.
fn is_inert(c: char) -> bool {
    matches!(c, '\0'..='\u{2FF}' | '\u{2010}'..='\u{20CF}' | '\u{2100}'..='\u{2125}'
        | '\u{2190}'..='\u{2199}' | '\u{2300}'..='\u{2328}' | '\u{2400}'..='\u{2A00}'
        | '\u{3000}'..='\u{3029}' | '\u{3030}'..='\u{304B}' | '\u{30A1}'..='\u{30AB}'
        | '\u{4E00}'..='\u{9FFF}' | '가'..='힣' | '\u{FF01}'..='\u{FF0F}'
        | '\u{FF1A}'..='\u{FF20}' | '\u{FF3B}'..='\u{FF3E}' | '\u{FF5B}'..='\u{FF65}'
        | '\u{1F300}'..='\u{1FAFF}')
}

/// Emits the terms of a text in composed form.
fn each_composed_term(text: &str, initials: &Initials, emit: &mut impl FnMut(Term)) {
    let mut offset = 0;
    while let Some(&byte) = text.as_bytes().get(offset) {
        if byte.is_ascii() && !is_word_byte(byte) {
            offset += 1;
            continue;
        }
        if byte.is_ascii() {
            offset = ascii_words(text, offset, initials, emit);
        }
        // The next run is the word at which the blocks stopped; at the end of the text there is
        // none.
        offset = next_run(text, offset, initials, emit);
    }
}

/// Emits the terms of the word at `start`, or of the run of characters without terms or without
/// spaces, and returns its end.
fn next_run(text: &str, start: usize, initials: &Initials, emit: &mut impl FnMut(Term)) -> usize {
    let rest = &text[start..];
    let script = rest.chars().next().map_or(Script::None, Script::from_char);
    if script == Script::Spaced {
        return spaced_word(text, start, initials, emit);
    }
    let run = &rest[..rest
        .find(|c| Script::from_char(c) != script)
        .unwrap_or(rest.len())];
    match script {
        Script::Hangul => korean_terms(run, initials, emit),
        Script::Unspaced => neighbour_terms(run, initials, emit),
        Script::Spaced | Script::None => {}
    }
    start + run.len()
}

/// Emits the terms of the word that begins at `start`, and returns its end.
fn spaced_word(
    text: &str,
    start: usize,
    initials: &Initials,
    emit: &mut impl FnMut(Term),
) -> usize {
    let bytes = &text.as_bytes()[start..];
    let ascii_end = bytes.iter().position(|&byte| !is_word_byte(byte));
    let ascii_end = ascii_end.unwrap_or(bytes.len());
    let word = if bytes.get(ascii_end).is_some_and(|byte| !byte.is_ascii()) {
        let rest = &text[start..];
        let end = rest.find(|c| Script::from_char(c) != Script::Spaced);
        &rest[..end.unwrap_or(rest.len())]
    } else {
        // This is an ASCII word that is longer than a block.
        &text[start..start + ascii_end]
    };
    // The word is tested again: that of `React를` ends at the Hangul and is ASCII, although a
    // character beyond ASCII follows it.
    if word.is_ascii() {
        identifier_terms(word.as_bytes(), initials, emit);
    } else {
        // The word has neither endings nor parts, which are those of English and of identifiers.
        // Initials are not tested, because they are not folded: with `é` in the query, a word with
        // `É` is wanted, and would be missed.
        let folded: String = word.chars().map(fold).collect();
        emit(Term::from_bytes(
            Form::Word,
            folded.as_bytes(),
            WordCase::Folded,
        ));
    }
    start + word.len()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn keys(text: &str) -> Vec<Term> {
        let mut all = Vec::new();
        each_term(text, &Initials::ALL, |term| all.push(term));
        all
    }

    fn words(text: &str) -> Vec<u32> {
        let words = keys(text)
            .into_iter()
            .filter(|term| term.form == Form::Word);
        words.map(|term| term.key).collect()
    }

    macro_rules! finds {
        ($($name:ident: $query:expr => [$($yes:expr),*] not [$($no:expr),*];)*) => {$(
            #[test]
            fn $name() {
                let query = words($query)[0];
                for text in [$($yes),*] as [&str; _] {
                    assert!(words(text).contains(&query), "{text}");
                }
                for text in [$($no),*] as [&str; _] {
                    assert!(!words(text).contains(&query), "{text}");
                }
            }
        )*};
    }

    finds! {
        any_case: "Setting" => ["setting", "SETTINGS!", "(settings)"] not ["reset", "setter"];
        parts_of_snake: "size"
            => ["max_size", "MAX_SIZE", "_size", "maxSize", "MaxSize2"] not ["resize"];
        acronym: "http" => ["HTTPServer", "HTTP", "http2"] not ["httpd"];
        whole_identifier: "max_size" => ["max_size", "MAX_SIZE"] not ["max size", "max_sizes"];
        accents: "é" => ["É", "e\u{301}"] not ["e"];
        sharp_s: "Straße" => ["straße"] not ["strasse"];
        cyrillic: "Привет" => ["привет"] not ["приветы"];
        particle: "설정" => ["설정을 바꾼다", "설정은", "설정하세요"] not ["재설정"];
        decomposed: "설정" => ["\u{1109}\u{1165}\u{11AF}\u{110C}\u{1165}\u{11BC}을"] not [];
        one_syllable: "값" => ["값을", "값", "값으로", "값까지"] not ["값어치가"];
        after_latin: "React" => ["React를", "react로"] not ["reactor"];
        full_width: "max_size2" => ["ＭＡＸ＿ＳＩＺＥ２", "ｍax_size２"] not ["ｍax"];
        full_width_query: "Ｗｉｎｄｏｗｓ" => ["windows", "Windows"] not ["Wind"];
        half_width: "ガイド" => ["ｶﾞｲﾄﾞ", "カ\u{3099}イト\u{3099}"] not ["ｶｲﾄ"];
        chinese: "漢" => ["漢字"] not ["字"];
        katakana: "ファ" => ["ファイルを"] not ["ファ\u{30A1}ル".trim_start_matches("ファ")];
    }

    #[test]
    fn a_noun_inside_a_word_shares_pairs() {
        let pairs = |text| {
            keys(text)
                .into_iter()
                .filter(|term| term.form == Form::Pair)
        };
        let inside: Vec<Term> = pairs("환경설정을").collect();
        assert!(pairs("설정").all(|pair| inside.contains(&pair)));
    }

    #[test]
    fn inert_characters_do_not_compose() {
        for c in ('\0'..=char::MAX).filter(|&c| is_inert(c)) {
            assert!(unicode_normalization::is_nfc(&c.to_string()), "{c:?}");
            assert_eq!(
                unicode_normalization::char::canonical_combining_class(c),
                0,
                "{c:?}"
            );
        }
        assert!(!is_inert('\u{301}') && !is_inert('\u{1161}') && !is_inert('\u{3099}'));
    }

    proptest! {
        #[test]
        fn any_text_is_gone_through(text in "(\\PC|[a-zA-Z_0-9 가-힣漢\u{301}]){0,80}") {
            keys(&text);
        }

        #[test]
        fn words_are_found_at_any_position(
            words in proptest::collection::vec(
                "[a-z]{1,20}|[A-Z]{1,3}[a-z]{0,5}|[a-zA-Z0-9_]{1,12}|_{1,3}|[0-9]{1,5}\
                |[a-z_]{60,70}",
                1..40,
            ),
            separators in proptest::collection::vec("[ .,(\n-]{1,5}| {60,66}|…|가", 40),
        ) {
            let mut expected = Vec::new();
            let mut text = String::new();
            for (word, separator) in words.iter().zip(&separators) {
                identifier_terms(word.as_bytes(), &Initials::ALL, &mut |term| expected.push(term));
                each_term(separator, &Initials::ALL, |term| expected.push(term));
                text.push_str(word);
                text.push_str(separator);
            }
            prop_assert_eq!(keys(&text), expected);
        }

        #[test]
        fn wanted_terms_are_emitted(
            query in "[a-zA-Z0-9_ 가-힣漢字ァ-ン\u{1161}-\u{1165}]{1,12}",
            text in "[a-cA-C0-2_ 가-다é漢ァ-オ]{0,60}",
        ) {
            let wanted = keys(&query);
            let mut terms = Vec::new();
            let text = format!("{text} {query}{text}");
            each_term(&text, &Initials::from_query(&query), |term| terms.push(term));
            let all = keys(&text);
            prop_assert_eq!(terms.len(), all.len());
            for (term, exact) in terms.into_iter().zip(all) {
                let is_unwanted = term == Term::other(exact.form) && !wanted.contains(&exact);
                prop_assert!(term == exact || is_unwanted);
            }
        }

        #[test]
        fn both_normal_forms_are_the_same(text in "[a-zé가-힣 ]{0,40}") {
            prop_assert_eq!(keys(&text), keys(&text.nfd().collect::<String>()));
        }
    }
}
