//! Scripts, by how their words are found: between spaces, or by neighbours.

use unicode_normalization::char::is_combining_mark;

use crate::words::initials::Initials;
use crate::words::korean;
use crate::words::term::{Form, Term, WordCase};

/// How a character's script writes words.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Script {
    /// Not of a word.
    None,
    /// Written with spaces between words.
    Spaced,
    /// Korean: with spaces, but with particles and endings attached to the words.
    Hangul,
    /// Chinese and Japanese.
    Unspaced,
}

impl Script {
    /// Returns that of a character.
    #[inline]
    pub fn of(c: char) -> Self {
        match c {
            '가'..='힣' => Self::Hangul,
            // Hiragana and katakana with the long vowel mark, without the middle dot between them.
            '\u{3041}'..='\u{309F}' | '\u{30A1}'..='\u{30FA}' | '\u{30FC}'..='\u{30FF}' => {
                Self::Unspaced
            }
            // Before the letters, which ideographs are as well.
            c if is_ideograph(c) => Self::Unspaced,
            '_' => Self::Spaced,
            c if c.is_alphanumeric() || is_combining_mark(c) => Self::Spaced,
            _ => Self::None,
        }
    }
}

/// Whether a character is an ideograph: with the mark that repeats one, and with all of the planes
/// that are set aside for them.
#[inline]
fn is_ideograph(c: char) -> bool {
    matches!(c, '\u{3005}' | '\u{3400}'..='\u{4DBF}' | '\u{4E00}'..='\u{9FFF}'
        | '\u{F900}'..='\u{FAFF}' | '\u{20000}'..='\u{3FFFF}')
}

/// Gives the terms of a run of Hangul syllables: the word without its ending, and each two
/// neighbours.
pub fn korean_terms(word: &str, initials: &Initials, emit: &mut impl FnMut(Term)) {
    let first = word.chars().next();
    let is_wanted = first.is_none_or(|c| initials.has_non_ascii(c));
    let word_term = |word: &str| Term::of(Form::Word, word.as_bytes(), WordCase::Folded);
    emit(if is_wanted {
        word_term(korean::without_ending(word))
    } else {
        Term::OTHER
    });
    // `값을` is `값` with a particle, or a noun of two syllables: both are given.
    if let Some(first) = korean::short_noun(word) {
        emit(word_term(first));
    }
    // So that `설정` is found in `환경설정`, where no space shows that a noun begins.
    let mut previous = None;
    for (index, c) in word.char_indices() {
        if let Some((start, first)) = previous.replace((index, c)) {
            let pair = &word.as_bytes()[start..index + c.len_utf8()];
            emit(if initials.has_non_ascii(first) {
                Term::of(Form::Pair, pair, WordCase::Folded)
            } else {
                Term::other(Form::Pair)
            });
        }
    }
}

/// Gives each two neighbours of a run of Chinese or Japanese, and each ideograph, which is often
/// a word of its own; a syllable of kana is none.
pub fn neighbour_terms(run: &str, initials: &Initials, emit: &mut impl FnMut(Term)) {
    let mut emit_term = |first: char, bytes: &[u8]| {
        emit(if initials.has_non_ascii(first) {
            Term::of(Form::Word, bytes, WordCase::Folded)
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
