//! Terms: what of a text counts when relevance is measured.
//!
//! A word is a run of letters, digits and `_`, folded; English endings are taken off. The parts of
//! an identifier (`max_size`, `maxSize`) are terms beside the whole. A Korean word is a term
//! without its particle or ending, and each two neighbouring syllables are a lesser one, so that a
//! noun is found inside a longer word. Chinese and Japanese text gives each two neighbours.

use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::is_combining_mark;

use crate::fold::fold;
use crate::lines::with_ends;
use crate::words::blocks::{Block, ROOM, Reach, STEP, Step, first_bits, reach};
use crate::words::korean;
use crate::words::stem::{LONGEST_STEMMED, SHORTEST_STEMMED, ends_word, stem};

/// How much a term says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Form {
    /// A word, a part of an identifier, or two neighbours of a script without spaces.
    Word,
    /// Two neighbouring syllables of a Korean word.
    Pair,
}

/// A term by its digest: equal terms are equal, and different ones differ but for one in some
/// billion pairs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Term {
    /// The digest.
    pub key: u32,
    /// How much it says.
    pub form: Form,
}

impl Term {
    /// Some word that was not wanted.
    pub const OTHER: Self = Self::other(Form::Word);

    const fn other(form: Form) -> Self {
        Self { key: 0, form }
    }
}

/// What the wanted terms begin with: others need not be told apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Starts {
    /// Characters of ASCII, in lower case.
    narrow: [bool; 256],
    /// Of the characters beyond ASCII, the low eight bits.
    wide: [bool; 256],
}

impl Starts {
    /// All of them.
    pub const ALL: Self = Self {
        narrow: [true; 256],
        wide: [true; 256],
    };

    /// Returns those of the words of a query, and of their parts.
    pub fn of(query: &str) -> Self {
        let (mut narrow, mut wide) = ([false; 256], [false; 256]);
        let query: String = query.nfc().collect();
        let mut before = None;
        for &byte in query.as_bytes() {
            let is_letter = byte.is_ascii_alphabetic();
            let kind = Some((is_letter, byte.is_ascii_digit(), byte == b'_'));
            if byte.is_ascii_uppercase() || kind != before {
                narrow[usize::from(byte | 0x20)] = true;
            }
            before = kind;
        }
        for c in query.chars().filter(|c| !c.is_ascii()) {
            wide[low_bits(c)] = true;
        }
        Self { narrow, wide }
    }

    fn has(&self, first: u8) -> bool {
        self.narrow[usize::from(first | 0x20)]
    }

    fn has_wide(&self, c: char) -> bool {
        self.wide[low_bits(c)]
    }
}

fn low_bits(c: char) -> usize {
    usize::from(u32::from(c).to_le_bytes()[0])
}

/// Which letters of a word are told apart.
#[derive(Clone, Copy)]
enum Letters {
    /// All, for the word is folded already.
    Folded,
    /// Those of an ASCII word in lower case. The bit for lower case changes no digit, and `_` into what
    /// no word holds.
    Lower,
}

/// Returns the term of a word's bytes.
fn term(form: Form, word: &[u8], letters: Letters) -> Term {
    let (steps, rest) = word.as_chunks::<STEP>();
    let mut hash = seed(form, word.len());
    for step in steps {
        hash = stepped(hash, told(Step::whole(step), letters, STEP));
    }
    if !rest.is_empty() || steps.is_empty() {
        let step = Step::first_of(rest, rest.len());
        hash = stepped(hash, told(step, letters, rest.len()));
    }
    finished(form, hash)
}

/// Returns the first `length` bytes of a step, as letters are told apart.
fn told(step: Step, letters: Letters, length: usize) -> Step {
    let case = match letters {
        Letters::Folded => 0,
        Letters::Lower => 0x2020_2020_2020_2020,
    };
    let all = Step {
        low: step.low | case,
        high: step.high | case,
    };
    all.first(length)
}

/// Returns the term of a word of so many bytes that is one step.
fn short(word: Step, length: usize) -> Term {
    finished(Form::Word, stepped(seed(Form::Word, length), word))
}

/// Returns the term of a word of so many small letters that is one step, without its ending.
#[inline(never)]
fn short_stemmed(word: Step, length: usize) -> Term {
    let mut letters = word.bytes();
    let length = stem(&mut letters[..length]).len();
    short(Step::whole(&letters).first(length), length)
}

fn seed(form: Form, length: usize) -> u64 {
    let seed = match form {
        Form::Word => 0xCBF2_9CE4_8422_2325,
        Form::Pair => 0x6C62_272E_07BB_0142,
    };
    seed ^ length as u64
}

fn stepped(hash: u64, step: Step) -> u64 {
    mixed(mixed(hash, step.low), step.high)
}

fn finished(form: Form, hash: u64) -> Term {
    let [_, _, _, _, bytes @ ..] = hash.wrapping_mul(0xC4CE_B9FE_1A85_EC53).to_le_bytes();
    Term {
        key: u32::from_le_bytes(bytes),
        form,
    }
}

/// One step of a digest; the constants are those of MurmurHash3's finalizer.
fn mixed(hash: u64, next: u64) -> u64 {
    let hash = (hash ^ next).wrapping_mul(0xFF51_AFD7_ED55_8CCD);
    hash ^ (hash >> 32)
}

/// Whether nothing in `text` can be composed with what stands before it.
fn is_composed(text: &str) -> bool {
    let mut rest = text;
    loop {
        // Whole chunks are told at once.
        let chunks = rest.as_bytes().chunks(64);
        let ascii = 64 * chunks.take_while(|chunk| chunk.is_ascii()).count();
        let Some(behind) = rest.as_bytes().get(ascii..) else {
            return true;
        };
        let Some(wide) = behind.iter().position(|byte| !byte.is_ascii()) else {
            return true;
        };
        rest = &rest[ascii + wide..];
        match rest.find(|c: char| c.is_ascii() || !is_inert(c)) {
            Some(end) if rest.as_bytes()[end].is_ascii() => rest = &rest[end..],
            Some(_) => return false,
            None => return true,
        }
    }
}

/// Whether a character is its own composed form, and no other composes with it from behind. Only
/// the frequent ones are named.
fn is_inert(c: char) -> bool {
    matches!(c, '\0'..='\u{2FF}' | '\u{2010}'..='\u{20CF}' | '\u{2100}'..='\u{2125}'
        | '\u{2190}'..='\u{2199}' | '\u{2300}'..='\u{2328}' | '\u{2400}'..='\u{2A00}'
        | '\u{3000}'..='\u{3029}' | '\u{3030}'..='\u{304B}' | '\u{30A1}'..='\u{30AB}'
        | '\u{4E00}'..='\u{9FFF}' | '가'..='힣' | '\u{FF01}'..='\u{FFEE}'
        | '\u{1F300}'..='\u{1FAFF}')
}

/// Gives every term of a text, in order, the same for all its normal forms. Those that begin with
/// none of `starts` may all be given as one.
pub fn each_term(text: &str, starts: &Starts, mut emit: impl FnMut(Term)) {
    let at = narrow_words(text, 0, starts, &mut emit);
    if at == text.len() {
        return;
    }
    // What is beyond ASCII may belong to the character before it, which is of no word.
    let rest = &text[text.floor_char_boundary(at.saturating_sub(1))..];
    if is_composed(rest) {
        each_composed(rest, starts, &mut emit);
        return;
    }
    for line in with_ends(rest) {
        if is_composed(line) {
            each_composed(line, starts, &mut emit);
        } else {
            each_composed(&line.nfc().collect::<String>(), starts, &mut emit);
        }
    }
}

fn each_composed(text: &str, starts: &Starts, emit: &mut impl FnMut(Term)) {
    let mut at = 0;
    while let Some(&byte) = text.as_bytes().get(at) {
        if byte.is_ascii() && !is_narrow(byte) {
            at += 1;
            continue;
        }
        if byte.is_ascii() {
            at = narrow_words(text, at, starts, emit);
        }
        at = other_words(text, at, starts, emit);
    }
}

/// Gives the terms of the word at `start`, or of the run of characters that have none or are written
/// without spaces, and returns where that ends.
fn other_words(text: &str, start: usize, starts: &Starts, emit: &mut impl FnMut(Term)) -> usize {
    let rest = &text[start..];
    let script = rest.chars().next().map_or(Script::None, Script::of);
    if script == Script::Spaced {
        return word(text, start, starts, emit);
    }
    let run = &rest[..rest.find(|c| Script::of(c) != script).unwrap_or(rest.len())];
    match script {
        Script::Hangul => korean_terms(run, starts, emit),
        Script::Unspaced => neighbours(run, starts, emit),
        Script::Spaced | Script::None => {}
    }
    start + run.len()
}

/// Gives the terms of the words from `start` on up to one that is not of ASCII alone or is longer than
/// a block, and returns where that begins.
fn narrow_words(text: &str, start: usize, starts: &Starts, emit: &mut impl FnMut(Term)) -> usize {
    let bytes = text.as_bytes();
    let mut at = start;
    let mut room = ROOM;
    while at < bytes.len() {
        let block = reach(&bytes[at..], &mut room);
        let kinds = Block::new(block);
        // Where the first word may end that is not known to be of ASCII alone.
        let known = kinds.wide.trailing_zeros();
        let cuts = kinds.cuts();
        let mut words = kinds.word & first_bits(known);
        let mut next = known;
        while words != 0 {
            let first = words.trailing_zeros();
            let length = (words >> first).trailing_ones();
            if first + length == known {
                next = first;
                break;
            }
            words &= words.wrapping_add(1 << first);
            let cuts = (cuts >> first) & first_bits(length);
            let place = Place { first, length };
            if cuts == 0 {
                emit(place.stemmed(block, starts));
            } else {
                let letters = (kinds.letter >> first) & first_bits(length);
                let has_letters_only = letters == first_bits(length);
                place.each_term(block, (cuts, has_letters_only), starts, emit);
            }
        }
        at += next as usize;
        if known < u64::BITS || next == 0 {
            break;
        }
    }
    at.min(bytes.len())
}

/// Where a word of ASCII stands in a block.
#[derive(Clone, Copy)]
struct Place {
    first: u32,
    length: u32,
}

impl Place {
    fn bytes(self, block: &Reach) -> &[u8] {
        &block[self.first as usize..][..self.length as usize]
    }

    /// Returns its term, without its ending. This is what the time goes into: it stands in the loop,
    /// and what few words need in functions of their own.
    #[inline(always)]
    fn stemmed(self, block: &Reach, starts: &Starts) -> Term {
        let (first, length) = (self.first as usize, self.length as usize);
        if !starts.has(block[first]) {
            // Nearly every word of a text is one that is looked for by none of its letters.
            return Term::OTHER;
        }
        let last = block[first + length - 1] | 0x20;
        match block[first..].first_chunk() {
            Some(step) if length <= STEP => {
                let word = told(Step::whole(step), Letters::Lower, length);
                if length >= SHORTEST_STEMMED && ends_word(last) {
                    short_stemmed(word, length)
                } else {
                    short(word, length)
                }
            }
            _ => stemmed(self.bytes(block)),
        }
    }

    /// Gives its terms; told where its parts begin but the first, and whether it has letters only.
    #[inline(never)]
    fn each_term(
        self,
        block: &Reach,
        (cuts, has_letters_only): (u64, bool),
        starts: &Starts,
        emit: &mut impl FnMut(Term),
    ) {
        emit(if has_letters_only {
            self.stemmed(block, starts)
        } else if starts.has(block[self.first as usize]) {
            plain(self.bytes(block))
        } else {
            Term::OTHER
        });
        let mut rest = cuts;
        let mut start = 0;
        while start < self.length {
            let end = rest.trailing_zeros().min(self.length);
            rest &= rest.wrapping_sub(1);
            let part = Self {
                first: self.first + start,
                length: end - start,
            };
            if part.length > 1 && block[part.first as usize] != b'_' {
                emit(part.stemmed(block, starts));
            }
            start = end;
        }
    }
}

/// Gives the terms of the word that begins at `start`, and returns where it ends.
fn word(text: &str, start: usize, starts: &Starts, emit: &mut impl FnMut(Term)) -> usize {
    let bytes = &text.as_bytes()[start..];
    let narrow = bytes.iter().position(|&byte| !is_narrow(byte));
    let narrow = narrow.unwrap_or(bytes.len());
    let word = if bytes.get(narrow).is_some_and(|byte| !byte.is_ascii()) {
        let rest = &text[start..];
        let end = rest.find(|c| Script::of(c) != Script::Spaced);
        &rest[..end.unwrap_or(rest.len())]
    } else {
        &text[start..start + narrow]
    };
    if word.is_ascii() {
        identifier(word.as_bytes(), starts, emit);
    } else {
        let folded: String = word.chars().map(fold).collect();
        emit(term(Form::Word, folded.as_bytes(), Letters::Folded));
    }
    start + word.len()
}

/// Whether a byte of ASCII is of a word.
fn is_narrow(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// Gives the terms of a word of ASCII.
fn identifier(word: &[u8], starts: &Starts, emit: &mut impl FnMut(Term)) {
    let mut give = |bytes: &[u8], term: fn(&[u8]) -> Term| {
        let is_wanted = starts.has(bytes[0]);
        emit(if is_wanted { term(bytes) } else { Term::OTHER });
    };
    let has_letters_only = word.iter().all(u8::is_ascii_alphabetic);
    give(word, if has_letters_only { stemmed } else { plain });
    for part in parts(word) {
        if (2..word.len()).contains(&part.len()) {
            give(part, stemmed);
        }
    }
}

/// Returns the term of an ASCII word in lower case.
fn plain(word: &[u8]) -> Term {
    term(Form::Word, word, Letters::Lower)
}

/// Returns the term of an ASCII word in lower case, without its ending.
fn stemmed(word: &[u8]) -> Term {
    let may_end = word.last().is_some_and(|last| ends_word(last | 0x20));
    if !may_end || !(SHORTEST_STEMMED..=LONGEST_STEMMED).contains(&word.len()) {
        return plain(word);
    }
    let mut buffer = [0; LONGEST_STEMMED];
    let lower = &mut buffer[..word.len()];
    for (to, from) in lower.iter_mut().zip(word) {
        *to = from | 0x20;
    }
    plain(stem(lower))
}

/// Returns the parts of an ASCII identifier: between `_`, letters and digits apart, `HTTPServer` as
/// `HTTP` and `Server`.
fn parts(word: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = word;
    std::iter::from_fn(move || {
        let start = rest.iter().position(|&byte| byte != b'_')?;
        rest = &rest[start..];
        let run = |is_part: fn(&u8) -> bool| {
            rest.iter()
                .position(|byte| !is_part(byte))
                .unwrap_or(rest.len())
        };
        let mut length = run(u8::is_ascii_digit);
        if length == 0 {
            length = run(u8::is_ascii_uppercase);
            let follows = rest.get(length).is_some_and(u8::is_ascii_lowercase);
            if length > 1 && follows {
                length -= 1;
            } else if follows {
                let small = rest[length..].iter().position(|b| !b.is_ascii_lowercase());
                length = small.map_or(rest.len(), |small| length + small);
            }
        }
        let (part, behind) = rest.split_at(length);
        rest = behind;
        Some(part)
    })
}

fn korean_terms(word: &str, starts: &Starts, emit: &mut impl FnMut(Term)) {
    let is_wanted = word.chars().next().is_none_or(|c| starts.has_wide(c));
    let whole = |word: &str| term(Form::Word, word.as_bytes(), Letters::Folded);
    emit(if is_wanted {
        whole(korean::without_ending(word))
    } else {
        Term::OTHER
    });
    if let Some(first) = korean::short_noun(word) {
        emit(whole(first));
    }
    let mut previous = None;
    for (at, c) in word.char_indices() {
        if let Some((from, first)) = previous.replace((at, c)) {
            let pair = &word.as_bytes()[from..at + c.len_utf8()];
            emit(if starts.has_wide(first) {
                term(Form::Pair, pair, Letters::Folded)
            } else {
                Term::other(Form::Pair)
            });
        }
    }
}

/// Gives each two neighbours of a run of Chinese or Japanese, and each ideograph.
fn neighbours(run: &str, starts: &Starts, emit: &mut impl FnMut(Term)) {
    let mut give = |first: char, bytes: &[u8]| {
        emit(if starts.has_wide(first) {
            term(Form::Word, bytes, Letters::Folded)
        } else {
            Term::OTHER
        });
    };
    let mut previous = None;
    for (at, c) in run.char_indices() {
        let end = at + c.len_utf8();
        if is_ideograph(c) {
            give(c, &run.as_bytes()[at..end]);
        }
        if let Some((from, first)) = previous.replace((at, c)) {
            give(first, &run.as_bytes()[from..end]);
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Script {
    /// Not of a word.
    None,
    /// Written with spaces between words.
    Spaced,
    Hangul,
    /// Chinese and Japanese.
    Unspaced,
}

impl Script {
    fn of(c: char) -> Self {
        match c {
            '가'..='힣' => Self::Hangul,
            '\u{3041}'..='\u{309F}' | '\u{30A1}'..='\u{30FA}' | '\u{30FC}'..='\u{30FF}' => {
                Self::Unspaced
            }
            c if is_ideograph(c) => Self::Unspaced,
            '_' => Self::Spaced,
            c if c.is_alphanumeric() || is_combining_mark(c) => Self::Spaced,
            _ => Self::None,
        }
    }
}

fn is_ideograph(c: char) -> bool {
    matches!(c, '\u{3005}' | '\u{3400}'..='\u{4DBF}' | '\u{4E00}'..='\u{9FFF}'
        | '\u{F900}'..='\u{FAFF}' | '\u{20000}'..='\u{3FFFF}')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn keys(text: &str) -> Vec<Term> {
        let mut all = Vec::new();
        each_term(text, &Starts::ALL, |term| all.push(term));
        all
    }

    fn words(text: &str) -> Vec<u32> {
        let words = keys(text)
            .into_iter()
            .filter(|term| term.form == Form::Word);
        words.map(|term| term.key).collect()
    }

    #[test]
    fn different_words_have_different_keys() {
        let numbers = (0..100_000u32).map(|number| number.to_string());
        let letters = (0..100_000u32).map(|number| {
            let digits = number.to_string().into_bytes();
            let letters = digits.iter().map(|digit| char::from(digit + b'1'));
            letters.collect::<String>().repeat(3)
        });
        let keys = numbers
            .chain(letters)
            .map(|word| plain(word.as_bytes()).key);
        let different = keys.collect::<std::collections::BTreeSet<u32>>().len();
        // Of so many random numbers, five are expected to be equal to others.
        assert!(different > 200_000 - 30, "{different}");
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
        parts_of_snake: "size" => ["max_size", "MAX_SIZE", "_size", "maxSize", "MaxSize2"] not ["resize"];
        acronym: "http" => ["HTTPServer", "HTTP", "http2"] not ["httpd"];
        whole_identifier: "max_size" => ["max_size", "MAX_SIZE"] not ["max size", "max_sizes"];
        accents: "é" => ["É", "e\u{301}"] not ["e"];
        sharp_s: "Straße" => ["straße"] not ["strasse"];
        cyrillic: "Привет" => ["привет"] not ["приветы"];
        particle: "설정" => ["설정을 바꾼다", "설정은", "설정하세요"] not ["재설정"];
        decomposed: "설정" => ["\u{1109}\u{1165}\u{11AF}\u{110C}\u{1165}\u{11BC}을"] not [];
        one_syllable: "값" => ["값을", "값"] not ["값어치가"];
        after_latin: "React" => ["React를", "react로"] not ["reactor"];
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
                "[a-z]{1,20}|[A-Z]{1,3}[a-z]{0,5}|[a-zA-Z0-9_]{1,12}|_{1,3}|[0-9]{1,5}|[a-z_]{60,70}",
                1..40,
            ),
            separators in proptest::collection::vec("[ .,(\n-]{1,5}| {60,66}|…|가", 40),
        ) {
            let mut expected = Vec::new();
            let mut text = String::new();
            for (word, separator) in words.iter().zip(&separators) {
                identifier(word.as_bytes(), &Starts::ALL, &mut |term| expected.push(term));
                each_term(separator, &Starts::ALL, |term| expected.push(term));
                text.push_str(word);
                text.push_str(separator);
            }
            prop_assert_eq!(keys(&text), expected);
        }

        #[test]
        fn what_is_wanted_is_given(query in "[a-zA-Z0-9_ 가-힣漢字ァ-ン\u{1161}-\u{1165}]{1,12}", text in "[a-cA-C0-2_ 가-다é漢ァ-オ]{0,60}") {
            let wanted = keys(&query);
            let mut found = Vec::new();
            let text = format!("{text} {query}{text}");
            each_term(&text, &Starts::of(&query), |term| found.push(term));
            let all = keys(&text);
            prop_assert_eq!(found.len(), all.len());
            for (found, term) in found.into_iter().zip(all) {
                prop_assert!(found == term || (found == Term::other(term.form) && !wanted.contains(&term)));
            }
        }

        #[test]
        fn both_normal_forms_are_the_same(text in "[a-zé가-힣 ]{0,40}") {
            prop_assert_eq!(keys(&text), keys(&text.nfd().collect::<String>()));
        }
    }
}
