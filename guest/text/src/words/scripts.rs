//! Scripts by their word segmentation: by spaces, or by neighbours.

use unicode_normalization::char::is_combining_mark;

use crate::words::initials::Initials;
use crate::words::korean;
use crate::words::term::{Form, Term, WordCase};

/// Word segmentation of a character's script.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Script {
    /// Not part of a word.
    None,
    /// Written with spaces between words.
    Spaced,
    /// Korean: with spaces, but with particles and endings attached to the words.
    Hangul,
    /// Chinese and Japanese.
    Unspaced,
}

impl Script {
    /// Returns the class of a character.
    #[inline]
    pub fn from_char(c: char) -> Self {
        match c {
            '가'..='힣' => Self::Hangul,
            // Hiragana and katakana: the long vowel mark is included, the middle dot is not.
            '\u{3041}'..='\u{309F}' | '\u{30A1}'..='\u{30FA}' | '\u{30FC}'..='\u{30FF}' => {
                Self::Unspaced
            }
            // Ideographs are tested before letters, because Unicode counts them as letters too: a
            // run of them would be one word, and a whole sentence one term.
            c if is_ideograph(c) => Self::Unspaced,
            '_' => Self::Spaced,
            c if c.is_alphanumeric() || is_combining_mark(c) => Self::Spaced,
            _ => Self::None,
        }
    }
}

/// Returns true if a character is an ideograph, including the iteration mark and all planes
/// reserved for them.
#[inline]
fn is_ideograph(c: char) -> bool {
    matches!(c, '\u{3005}' | '\u{3400}'..='\u{4DBF}' | '\u{4E00}'..='\u{9FFF}'
        | '\u{F900}'..='\u{FAFF}' | '\u{20000}'..='\u{3FFFF}')
}

/// Emits the terms of a run of Hangul syllables: the stemmed word, and each pair of neighbours.
pub fn korean_terms(word: &str, initials: &Initials, emit: &mut impl FnMut(Term)) {
    let first = word.chars().next();
    let is_wanted = first.is_none_or(|c| initials.has_non_ascii(c));
    let word_term = |word: &str| Term::from_bytes(Form::Word, word.as_bytes(), WordCase::Folded);
    emit(if is_wanted {
        word_term(korean::without_ending(word))
    } else {
        Term::OTHER
    });
    // A word of two syllables may be a noun of one syllable with a particle, such as `값을`, or a
    // noun of two. Without a dictionary this cannot be decided, and both are emitted.
    if let Some(first) = korean::short_noun(word) {
        emit(word_term(first));
    }
    // Pairs of syllables find a noun within a longer word, such as `설정` in `환경설정`, where no space
    // marks the start of the noun. They have a form of their own, because they count less than
    // words.
    let mut previous = None;
    for (index, c) in word.char_indices() {
        if let Some((start, first)) = previous.replace((index, c)) {
            let pair = &word.as_bytes()[start..index + c.len_utf8()];
            emit(if initials.has_non_ascii(first) {
                Term::from_bytes(Form::Pair, pair, WordCase::Folded)
            } else {
                Term::other(Form::Pair)
            });
        }
    }
}

/// Emits each pair of neighbours of a run of Chinese or Japanese, and each ideograph, which is
/// often a word of its own; a single kana syllable is not. Such text has no spaces between words,
/// and finding them would require a dictionary.
pub fn neighbour_terms(run: &str, initials: &Initials, emit: &mut impl FnMut(Term)) {
    let mut emit_term = |first: char, bytes: &[u8]| {
        emit(if initials.has_non_ascii(first) {
            Term::from_bytes(Form::Word, bytes, WordCase::Folded)
        } else {
            Term::OTHER
        });
    };
    let mut previous = None;
    for (index, c) in run.char_indices() {
        let end = index + c.len_utf8();
        if is_ideograph(c) {
            emit_term(c, &run.as_bytes()[index..end]);
        }
        if let Some((start, first)) = previous.replace((index, c)) {
            emit_term(first, &run.as_bytes()[start..end]);
        }
    }
}
