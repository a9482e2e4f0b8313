//! Terms: what of a text counts when relevance is measured.
//!
//! A word is a run of letters, digits and `_`, folded; English endings are taken off. The parts of
//! an identifier (`max_size`, `maxSize`) are terms beside the whole. A Korean word is a term
//! without its particle or ending, and each two neighbouring syllables are a lesser one, so that a
//! noun is found inside a longer word. Chinese and Japanese text gives each two neighbours.
//!
//! A first question counts every word of every document, so this is where its time goes:
//!
//! 1. `ascii_words` goes through the text in blocks of 64 bytes and finds words by counting
//!    bits (`words/blocks.rs`); a text of ASCII ends there.
//! 2. At the first word with something else it stops. Text that may be composed otherwise, or in
//!    another width, is composed line by line; most is as it should be, which one look over it tells.
//! 3. From there on, one run after the other: words of ASCII by blocks again, others by their
//!    script, character by character.
//! 4. A word becomes a digest of 32 bits (`words/term.rs`), unless it begins with nothing that a
//!    wanted one begins with ([`Initials`]): then it is counted, and not hashed.

use unicode_normalization::UnicodeNormalization as _;

use crate::fold::fold;
use crate::lines::with_ends;
use crate::width::usual_width;
use crate::words::ascii::{ascii_words, identifier_terms, is_word_byte};
pub use crate::words::initials::Initials;
use crate::words::scripts::{Script, korean_terms, neighbour_terms};
use crate::words::term::WordCase;
pub use crate::words::term::{Form, Term};

/// Gives every term of a text, in order, the same for all its normal forms. Those that begin with
/// none of `initials` may all be given as one.
pub fn each_term(text: &str, initials: &Initials, mut emit: impl FnMut(Term)) {
    let end = ascii_words(text, 0, initials, &mut emit);
    if end == text.len() {
        return;
    }
    // What is beyond ASCII may compose with the character before it: `=` and U+0338 are `≠`. That
    // one is of no word, so that nothing is given twice.
    let rest = &text[text.floor_char_boundary(end.saturating_sub(1))..];
    if is_composed(rest) {
        each_composed_term(rest, initials, &mut emit);
        return;
    }
    // Nothing composes across a line end, and few lines need to be copied.
    for line in with_ends(rest) {
        if is_composed(line) {
            each_composed_term(line, initials, &mut emit);
        } else {
            let usual = line.chars().map(usual_width);
            each_composed_term(&usual.nfc().collect::<String>(), initials, &mut emit);
        }
    }
}

/// Whether nothing in `text` can be composed with what stands before it.
fn is_composed(text: &str) -> bool {
    let mut rest = text;
    loop {
        // Chunk by chunk, for ASCII composes with nothing before it, and most is ASCII.
        let chunks = rest.as_bytes().chunks(64);
        let ascii = 64 * chunks.take_while(|chunk| chunk.is_ascii()).count();
        let Some(behind) = rest.as_bytes().get(ascii..) else {
            return true;
        };
        let Some(non_ascii) = behind.iter().position(|byte| !byte.is_ascii()) else {
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

/// Whether a character is its own composed form in its usual width, or of no word in any, and no
/// other composes with it from behind. Only
/// the frequent ones are named: for another, a line is composed that was so already.
fn is_inert(c: char) -> bool {
    matches!(c, '\0'..='\u{2FF}' | '\u{2010}'..='\u{20CF}' | '\u{2100}'..='\u{2125}'
        | '\u{2190}'..='\u{2199}' | '\u{2300}'..='\u{2328}' | '\u{2400}'..='\u{2A00}'
        | '\u{3000}'..='\u{3029}' | '\u{3030}'..='\u{304B}' | '\u{30A1}'..='\u{30AB}'
        | '\u{4E00}'..='\u{9FFF}' | '가'..='힣' | '\u{FF01}'..='\u{FF0F}'
        | '\u{FF1A}'..='\u{FF20}' | '\u{FF3B}'..='\u{FF3E}' | '\u{FF5B}'..='\u{FF65}'
        | '\u{1F300}'..='\u{1FAFF}')
}

/// Gives the terms of a text in composed form.
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
        // The word that stopped the blocks; at the end of the text there is none.
        offset = next_run(text, offset, initials, emit);
    }
}

/// Gives the terms of the word at `start`, or of the run of characters that have none or are
/// written without spaces, and returns where that ends.
fn next_run(text: &str, start: usize, initials: &Initials, emit: &mut impl FnMut(Term)) -> usize {
    let rest = &text[start..];
    let script = rest.chars().next().map_or(Script::None, Script::of);
    if script == Script::Spaced {
        return spaced_word(text, start, initials, emit);
    }
    let run = &rest[..rest.find(|c| Script::of(c) != script).unwrap_or(rest.len())];
    match script {
        Script::Hangul => korean_terms(run, initials, emit),
        Script::Unspaced => neighbour_terms(run, initials, emit),
        Script::Spaced | Script::None => {}
    }
    start + run.len()
}

/// Gives the terms of the word that begins at `start`, and returns where it ends.
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
        let end = rest.find(|c| Script::of(c) != Script::Spaced);
        &rest[..end.unwrap_or(rest.len())]
    } else {
        // A word of ASCII that is longer than a block.
        &text[start..start + ascii_end]
    };
    // Again, for `React를` ends where the Hangul begins.
    if word.is_ascii() {
        identifier_terms(word.as_bytes(), initials, emit);
    } else {
        // Neither endings nor parts: those are of English and of identifiers. The initials do not
        // help, for they are not folded: `É` begins what is wanted where `é` stands in the query.
        let folded: String = word.chars().map(fold).collect();
        emit(Term::of(Form::Word, folded.as_bytes(), WordCase::Folded));
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
        fn words_are_found_wherever_they_stand(
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
        fn what_is_wanted_is_given(
            query in "[a-zA-Z0-9_ 가-힣漢字ァ-ン\u{1161}-\u{1165}]{1,12}",
            text in "[a-cA-C0-2_ 가-다é漢ァ-オ]{0,60}",
        ) {
            let wanted = keys(&query);
            let mut terms = Vec::new();
            let text = format!("{text} {query}{text}");
            each_term(&text, &Initials::of(&query), |term| terms.push(term));
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
