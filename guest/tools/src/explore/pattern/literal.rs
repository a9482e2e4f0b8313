//! The literal that every match of a pattern contains. It is found many bytes at a time, also where
//! case is ignored, so that only lines that contain it are matched.

use std::ops::Range;

use docent_text::matching::anchor::SearchPlan;
use memchr::memmem;
use regex_syntax::ParserBuilder;
use regex_syntax::hir::{Hir, HirKind};

use super::limits::LITERAL_BYTES;

/// A literal of ASCII characters that every match of a pattern contains.
#[derive(Debug)]
pub struct RequiredLiteral {
    anchor: SearchPlan,
    bytes: Vec<u8>,
    ignores_case: bool,
    /// True if it is the whole pattern.
    pub is_whole: bool,
}

/// Characters beyond ASCII that fold to a letter of ASCII.
// Case folding of Unicode maps two characters beyond ASCII to letters of ASCII: the Kelvin sign
// U+212A to `k`, and the long s U+017F to `s`. The regular expression matches them if case is
// ignored; a comparison of ASCII bytes does not. Texts that contain one of them are matched
// without the literal.
const FOLDED: [(u8, &str); 2] = [(b'k', "\u{212A}"), (b's', "\u{17F}")];

impl RequiredLiteral {
    /// Returns the longest such literal of a regular expression, or `None` if it has none that is
    /// long enough.
    pub fn extract(source: &str, ignores_case: bool) -> Option<Self> {
        let mut parser = ParserBuilder::new().multi_line(true).crlf(true).build();
        let pattern = parser.parse(source).ok()?;
        let bytes = longest(&pattern).filter(|bytes| bytes.len() >= LITERAL_BYTES)?;
        let is_whole = is_literal(&pattern, bytes);
        let spellings: Vec<Vec<char>> = bytes
            .iter()
            .map(|&byte| {
                let (lower, upper) = (byte.to_ascii_lowercase(), byte.to_ascii_uppercase());
                if ignores_case && lower != upper {
                    vec![lower.into(), upper.into()]
                } else {
                    vec![byte.into()]
                }
            })
            .collect();
        Some(Self {
            anchor: SearchPlan::choose(spellings.iter().map(Vec::as_slice))?,
            bytes: bytes.to_owned(),
            ignores_case,
            is_whole,
        })
    }

    /// Returns true if a match in this text may contain it in characters beyond ASCII.
    pub fn may_be_folded_in(&self, text: &str) -> bool {
        self.ignores_case
            && FOLDED.iter().any(|(letter, folded)| {
                let has_letter = self
                    .bytes
                    .iter()
                    .any(|byte| byte.eq_ignore_ascii_case(letter));
                has_letter && memmem::find(text.as_bytes(), folded.as_bytes()).is_some()
            })
    }

    /// Returns its first place in `text` at or after `from`.
    pub fn find(&self, text: &[u8], mut from: usize) -> Option<Range<usize>> {
        loop {
            let mut starts = self.anchor.next(text, from)?;
            from = starts.end() + 1;
            let found = starts.find_map(|start| {
                let place = start..start + self.bytes.len();
                let spelled = text.get(place.clone())?;
                let is_equal = if self.ignores_case {
                    spelled.eq_ignore_ascii_case(&self.bytes)
                } else {
                    spelled == self.bytes
                };
                is_equal.then_some(place)
            });
            if found.is_some() {
                return found;
            }
        }
    }
}

/// Returns the longest literal of ASCII characters that every match of a pattern contains.
fn longest(pattern: &Hir) -> Option<&[u8]> {
    match pattern.kind() {
        HirKind::Literal(literal) => {
            // A line of a match never contains the end of a line, so a literal with one would
            // exclude every line. The literal is divided at all bytes except printable ASCII
            // and tabs, and the longest part is taken.
            let runs = literal.0.split(|byte| !matches!(byte, b' '..=b'~' | b'\t'));
            first_longest(runs)
        }
        HirKind::Capture(group) => longest(&group.sub),
        HirKind::Repetition(repeated) if repeated.min > 0 => longest(&repeated.sub),
        HirKind::Concat(parts) => first_longest(parts.iter().filter_map(longest)),
        // A repetition that may be empty, `(foo)?`, and an alternation, `foo|bar`, contain no
        // literal that every match has. Taking `foo` from either would lose matches without an
        // error, which is why everything not listed above yields `None`.
        HirKind::Repetition(_)
        | HirKind::Alternation(_)
        | HirKind::Class(_)
        | HirKind::Look(_)
        | HirKind::Empty => None,
    }
}

fn first_longest<'a>(literals: impl Iterator<Item = &'a [u8]>) -> Option<&'a [u8]> {
    literals.fold(None, |best: Option<&[u8]>, literal| match best {
        Some(best) if best.len() >= literal.len() => Some(best),
        _ => Some(literal),
    })
}

/// Returns true if a pattern matches this literal and nothing else.
fn is_literal(pattern: &Hir, bytes: &[u8]) -> bool {
    match pattern.kind() {
        HirKind::Literal(literal) => &*literal.0 == bytes,
        HirKind::Capture(group) => is_literal(&group.sub, bytes),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn required(pattern: &str) -> Option<(String, bool)> {
        let literal = RequiredLiteral::extract(pattern, false)?;
        let text = String::from_utf8(literal.bytes).unwrap();
        Some((text, literal.is_whole))
    }

    #[test]
    fn the_longest_literal_is_required() {
        let some = |text: &str, is_whole| Some((text.to_owned(), is_whole));
        assert_eq!(required("checksum"), some("checksum", true));
        assert_eq!(required("(checksum)"), some("checksum", true));
        assert_eq!(required(r"\w+Error"), some("Error", false));
        assert_eq!(required(r"\bfn\s+parse_(\w+)\("), some("parse_", false));
        assert_eq!(required("(?:abc)+d"), some("abc", false));
        assert_eq!(required("설정 value 값"), some(" value ", false));
        assert_eq!(required("one\ntwo"), some("one", false));
    }

    #[test]
    fn alternatives_and_options_require_nothing() {
        for pattern in [
            "abc|def",
            "(?:abc)?",
            "(?:abc)*x",
            r"\d{4}-\d\d",
            "ab",
            "(?i)abc",
            "설정을",
        ] {
            assert_eq!(required(pattern), None, "{pattern}");
        }
    }

    #[test]
    fn other_letters_fold_to_those_of_ascii() {
        let literal = RequiredLiteral::extract("mask", true).unwrap();
        assert_eq!(literal.find(b"an unMASKed", 0), Some(5..9));
        assert_eq!(literal.find(b"an unMASKed", 6), None);
        assert!(literal.may_be_folded_in("ma\u{17F}k"));
        assert!(literal.may_be_folded_in("mas\u{212A}"));
        assert!(!literal.may_be_folded_in("가면 mask"));
        let literal = RequiredLiteral::extract("mask", false).unwrap();
        assert!(!literal.may_be_folded_in("ma\u{17F}k"));
        assert_eq!(literal.find(b"MASK mask", 0), Some(5..9));
    }
}
