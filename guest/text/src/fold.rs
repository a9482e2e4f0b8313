//! Simple case folding of characters, and the canonical form used for matching.

use unicode_normalization::char::{canonical_combining_class, compose, decompose_canonical};

use crate::width::usual_width;

/// Folds `c` by the C and S entries of Unicode's `CaseFolding.txt`: characters with equal results
/// are equal when case is ignored. The F entries, by which `ß` is `ss`, are left out: they change
/// the number of characters, and a hit could begin within one.
#[inline]
pub fn fold(c: char) -> char {
    if c.is_ascii() {
        return c.to_ascii_lowercase();
    }
    match c {
        // The upper case of `ı` is `I`, but only Turkic languages treat the two as one letter (the
        // T entries of `CaseFolding.txt`). By the general rule below, `ı` would become `i`.
        'ı' => c,
        // The upper cases of these three are several characters, by which the rule below leaves
        // them as they are. Unicode folds each of them with one other character.
        '\u{1FD3}' => '\u{390}',
        '\u{1FE3}' => '\u{3B0}',
        '\u{FB05}' => '\u{FB06}',
        // The result is the lower case of the upper case, because several lower-case letters may
        // share one upper case: `σ` and `ς` both become `Σ`, and then `σ`.
        _ => lower(upper(c)),
    }
}

/// Returns the upper case of `c` if that is a single character, else `c`.
#[inline]
pub fn upper(c: char) -> char {
    let mut upper = c.to_uppercase();
    match (upper.next(), upper.next()) {
        (Some(one), None) => one,
        _ => c,
    }
}

#[inline]
fn lower(c: char) -> char {
    let mut lower = c.to_lowercase();
    match (lower.next(), lower.next()) {
        (Some(one), None) => one,
        _ => c,
    }
}

/// Case sensitivity of a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Case {
    /// Letters that differ in case are different.
    Sensitive,
    /// Letters that differ only in case are equal.
    Ignored,
}

impl Case {
    /// Folds `c` unless case is significant.
    #[inline]
    pub fn apply(self, c: char) -> char {
        match self {
            Self::Sensitive => c,
            Self::Ignored => fold(c),
        }
    }
}

/// Emits the characters of the canonical decomposition of `c` in its usual width, each folded
/// unless case is significant.
pub fn decompose(c: char, case: Case, mut emit: impl FnMut(char)) {
    if c.is_ascii() {
        emit(case.apply(c));
    } else {
        decompose_canonical(usual_width(c), |part| emit(case.apply(part)));
    }
}

/// Returns true if `next` extends the character that ends with `previous`: a combining mark, a
/// conjoining jamo, or a character that composes with it.
pub fn extends(previous: char, next: char) -> bool {
    // This test is cheap and settles nearly all characters: the first combining mark is U+0300. The
    // table look-ups below are for the others.
    if next < '\u{300}' {
        return false;
    }
    let (previous, next) = (usual_width(previous), usual_width(next));
    canonical_combining_class(next) != 0
        || compose(previous, next).is_some()
        // The vowel and the tail of a syllable compose only with the character before them. In a
        // decomposed `한`, which is U+1112, U+1161 and U+11AB, the last two alone compose to
        // nothing, and a hit could end between them.
        || (is_vowel_jamo(previous) && is_tail_jamo(next))
        // The same holds in Kannada and Tibetan: these are parts of one decomposition, of combining
        // class 0, that do not compose with each other. Without them, a hit could end in the middle
        // of such a character.
        || matches!(
            (previous, next),
            ('\u{CC2}', '\u{CD5}') | ('\u{F40}'..='\u{FB9}', '\u{FB5}' | '\u{FB7}')
        )
}

fn is_vowel_jamo(c: char) -> bool {
    ('\u{1161}'..='\u{1175}').contains(&c)
}

fn is_tail_jamo(c: char) -> bool {
    ('\u{11A8}'..='\u{11C2}').contains(&c)
}

#[cfg(test)]
mod tests {
    use regex_syntax::hir::{ClassUnicode, ClassUnicodeRange};

    use super::*;

    #[test]
    fn folding_is_that_of_unicode() {
        for c in '\0'..=char::MAX {
            let mut class = ClassUnicode::new([ClassUnicodeRange::new(c, c)]);
            class.case_fold_simple();
            let mut members = 0;
            for range in class.iter() {
                for member in range.start()..=range.end() {
                    members += 1;
                    assert_eq!(fold(member), fold(c), "{member:?} and {c:?}");
                }
            }
            let newer = matches!(c, '\u{A7CE}'..='\u{A7D5}' | '\u{16EA0}'..='\u{16EBF}');
            if members == 1 && !newer {
                assert_eq!(fold(c), c, "{c:?} has no other case");
            }
        }
    }

    #[test]
    fn extending_characters() {
        assert!(extends('e', '\u{301}'));
        assert!(extends('\u{1112}', '\u{1161}'));
        assert!(extends('\u{1161}', '\u{11AB}'));
        assert!(extends('하', '\u{11AB}'));
        assert!(extends('ｶ', 'ﾞ') && extends('カ', 'ﾞ') && !extends('ｶ', 'ｷ'));
        assert!(!extends('한', '국'));
        assert!(!extends('👨', '\u{200D}'));
        assert!(!extends('a', 'b'));
    }
}
