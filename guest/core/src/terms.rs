//! Terms: what of a text counts when relevance is measured.
//!
//! A word is a run of letters, digits and `_`, folded; English endings are taken off. The parts of
//! an identifier (`max_size`, `maxSize`) are terms beside the whole. A Korean word is a term
//! without its particle or ending, and each two neighbouring syllables are a lesser one, so that a
//! noun is found inside a longer word. Chinese and Japanese text gives each two neighbours.

use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::is_combining_mark;

use crate::fold::fold;
use crate::korean;
use crate::lines::with_ends;
use crate::stem::{LONGEST_STEMMED, ends_word, stem};

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
        let mut previous = 0;
        for &byte in query.as_bytes() {
            let (class, before) = (CLASSES[usize::from(byte)], CLASSES[usize::from(previous)]);
            if class & UPPER != 0 || class != before {
                narrow[usize::from(byte | 0x20)] = true;
            }
            previous = byte;
        }
        for c in query.chars().filter(|c| !c.is_ascii()) {
            wide[low_bits(c)] = true;
        }
        Self { narrow, wide }
    }

    fn has(&self, word: &[u8]) -> bool {
        word.first()
            .is_none_or(|&byte| self.narrow[usize::from(byte | 0x20)])
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

/// Returns the term of a word's bytes. They are taken eight at a time, the last of them overlapping
/// those before, which is unambiguous as the length counts too: a loop over single bytes would take
/// longer and end where no processor expects it.
fn term(form: Form, word: &[u8], letters: Letters) -> Term {
    let case: u64 = match letters {
        Letters::Folded => 0,
        Letters::Lower => 0x2020_2020_2020_2020,
    };
    let seed = match form {
        Form::Word => 0xCBF2_9CE4_8422_2325,
        Form::Pair => 0x6C62_272E_07BB_0142,
    };
    let mut hash = mixed(seed, word.len() as u64);
    let last = if let Some((_, last)) = word.split_last_chunk::<8>() {
        let (chunks, _) = word[..word.len() - 1].as_chunks::<8>();
        for chunk in chunks {
            hash = mixed(hash, u64::from_le_bytes(*chunk) | case);
        }
        u64::from_le_bytes(*last) | case
    } else if let (Some(first), Some(last)) = (word.first_chunk::<4>(), word.last_chunk::<4>()) {
        let high = u64::from(u32::from_le_bytes(*last)) << 32;
        high | u64::from(u32::from_le_bytes(*first)) | case
    } else if let ([first, ..], [.., last]) = (word, word) {
        let middle = word[word.len() / 2];
        u64::from_le_bytes([*first, middle, *last, 0, 0, 0, 0, 0]) | case & 0xFF_FFFF
    } else {
        0
    };
    let hash = mixed(hash, last);
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
    if is_composed(text) {
        each_composed(text, starts, &mut emit);
        return;
    }
    for line in with_ends(text) {
        if is_composed(line) {
            each_composed(line, starts, &mut emit);
        } else {
            each_composed(&line.nfc().collect::<String>(), starts, &mut emit);
        }
    }
}

fn each_composed(text: &str, starts: &Starts, emit: &mut impl FnMut(Term)) {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let class = CLASSES[usize::from(bytes[at])];
        if class == 0 {
            at += 1;
            continue;
        }
        if class & WIDE == 0 {
            let (end, later) = ascii_word(bytes, at);
            let is_plain = class != JOINER && later & (JOINER | UPPER | DIGIT) == 0;
            let is_ascii = bytes.get(end).is_none_or(u8::is_ascii);
            // Nearly every word of a text is one that is looked for by none of its letters.
            at = if is_plain && is_ascii && !starts.has(&bytes[at..end]) {
                emit(Term::OTHER);
                end
            } else {
                word(text, at, (end, class | later, later), starts, emit)
            };
            continue;
        }
        let rest = &text[at..];
        let script = rest.chars().next().map_or(Script::None, Script::of);
        if script == Script::Spaced {
            at = word(text, at, (at, 0, 0), starts, emit);
            continue;
        }
        let run = &rest[..rest.find(|c| Script::of(c) != script).unwrap_or(rest.len())];
        match script {
            Script::Hangul => korean_terms(run, starts, emit),
            Script::Unspaced => neighbours(run, starts, emit),
            Script::Spaced | Script::None => {}
        }
        at += run.len();
    }
}

/// Returns where the ASCII word that begins at `start` ends, and what its characters are but the
/// first.
fn ascii_word(bytes: &[u8], start: usize) -> (usize, u8) {
    let (mut end, mut later) = (start + 1, 0);
    for &byte in &bytes[end..] {
        let class = CLASSES[usize::from(byte)];
        // Neither a separator nor wide.
        if !(1..WIDE).contains(&class) {
            break;
        }
        later |= class;
        end += 1;
    }
    (end, later)
}

/// Gives the terms of the word that begins at `start`, and returns where it ends. Its ASCII part is
/// told: where that ends, what all its characters are, and what those but the first are.
fn word(
    text: &str,
    start: usize,
    (mut at, mut seen, later): (usize, u8, u8),
    starts: &Starts,
    emit: &mut impl FnMut(Term),
) -> usize {
    let bytes = text.as_bytes();
    while bytes.get(at).is_some_and(|byte| !byte.is_ascii()) {
        let wide = text[at..]
            .chars()
            .take_while(|&c| Script::of(c) == Script::Spaced);
        let length: usize = wide.map(char::len_utf8).sum();
        if length == 0 {
            break;
        }
        seen |= WIDE;
        at += length;
    }
    let whole = &text[start..at];
    if seen & WIDE != 0 {
        let folded: String = whole.chars().map(fold).collect();
        emit(term(Form::Word, folded.as_bytes(), Letters::Folded));
        return at;
    }
    if !starts.has(whole.as_bytes()) {
        emit(Term::OTHER);
    } else if seen & (JOINER | DIGIT) == 0 {
        emit(stemmed(whole.as_bytes()));
    } else {
        emit(plain(whole.as_bytes()));
    }
    let may_have_parts = seen & JOINER != 0
        || later & (UPPER | DIGIT) != 0 && seen & (LOWER | UPPER) != 0 && seen != UPPER;
    if may_have_parts {
        for part in parts(whole.as_bytes()) {
            if (2..whole.len()).contains(&part.len()) {
                let is_wanted = starts.has(part);
                emit(if is_wanted {
                    stemmed(part)
                } else {
                    Term::OTHER
                });
            }
        }
    }
    at
}

/// Returns the term of an ASCII word in lower case.
fn plain(word: &[u8]) -> Term {
    term(Form::Word, word, Letters::Lower)
}

/// Returns the term of an ASCII word in lower case, without its ending.
fn stemmed(word: &[u8]) -> Term {
    let may_end = word.last().is_some_and(|last| ends_word(last | 0x20));
    if !may_end || !(4..=LONGEST_STEMMED).contains(&word.len()) {
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

const LOWER: u8 = 1;
const UPPER: u8 = 2;
const DIGIT: u8 = 4;
const JOINER: u8 = 8;
/// The byte belongs to a character beyond ASCII.
const WIDE: u8 = 16;

/// What each byte is; 0 for what separates words.
static CLASSES: [u8; 256] = {
    let mut classes = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        classes[byte] = match byte as u8 {
            b'a'..=b'z' => LOWER,
            b'A'..=b'Z' => UPPER,
            b'0'..=b'9' => DIGIT,
            b'_' => JOINER,
            0x80.. => WIDE,
            _ => 0,
        };
        byte += 1;
    }
    classes
};

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
