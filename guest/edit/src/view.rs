//! Views: a normalised form of a text, in which texts that are equal to an edit have the same
//! bytes, and the mapping back to the text.
//!
//! In every view line endings are LF and letters are composed (NFC, Unicode Standard Annex #15),
//! which loses nothing: `é` as one character and `e` with U+0301 are the same letter. Runs of
//! blanks are collapsed on request. NFKC would also make `①` and `1` equal, which are different
//! texts.

use std::borrow::Cow;
use std::ops::Range;

use unicode_normalization::char::canonical_combining_class;
use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfc_quick};

/// The treatment of blanks and tabs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Blanks {
    /// Kept as they are.
    Exact,
    /// Collapsed to one blank within a line, and removed at its beginning and end.
    Collapsed,
}

/// The side of a range that is omitted from a view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OmittedSide {
    /// Before the range.
    Before,
    /// After the range.
    Behind,
}

/// A text in the form in which edits compare it.
#[derive(Clone, Debug)]
pub struct View<'t> {
    view: Cow<'t, str>,
    changes: Vec<Mapping>,
}

/// A range that differs between the view and the text.
#[derive(Clone, Debug)]
struct Mapping {
    view: Range<usize>,
    text: Range<usize>,
}

impl<'t> View<'t> {
    /// Creates the view of `text`.
    pub fn new(text: &'t str, blanks: Blanks) -> Self {
        let is_composed = || text.is_ascii() || is_composed(text);
        let has_returns = memchr::memchr(b'\r', text.as_bytes()).is_some();
        if blanks == Blanks::Exact && !has_returns && is_composed() {
            return Self {
                view: Cow::Borrowed(text),
                changes: Vec::new(),
            };
        }
        let mut builder = Builder {
            text,
            view: String::with_capacity(text.len()),
            changes: Vec::new(),
        };
        let mut at = 0;
        while at < text.len() {
            at = builder.add(at, blanks);
        }
        Self {
            view: Cow::Owned(builder.view),
            changes: builder.changes,
        }
    }

    /// Returns the normalised text.
    pub fn as_str(&self) -> &str {
        &self.view
    }

    /// Returns the position in the text that corresponds to `at` in the view, or `None` if `at` is
    /// within a range that differs: `a⏎é` with `at` between the two bytes of the composed `é` has
    /// no position in `e` and U+0301. `side` selects the end of an omitted range, whose view is
    /// empty and thus has one position for two of the text.
    pub fn position(&self, at: usize, side: OmittedSide) -> Option<usize> {
        let before = match side {
            OmittedSide::Before => self.changes.partition_point(|change| change.view.end < at),
            OmittedSide::Behind => self.changes.partition_point(|change| change.view.end <= at),
        };
        if let Some(next) = self.changes.get(before).filter(|next| next.view.start < at) {
            return (next.view.end == at).then_some(next.text.end);
        }
        let last = before
            .checked_sub(1)
            .and_then(|last| self.changes.get(last));
        let (view, text) = last.map_or((0, 0), |last| (last.view.end, last.text.end));
        Some(text + (at - view))
    }
}

struct Builder<'t> {
    text: &'t str,
    view: String,
    changes: Vec<Mapping>,
}

impl Builder<'_> {
    /// Adds the element at `at`, and returns the position of the next one.
    fn add(&mut self, at: usize, blanks: Blanks) -> usize {
        let bytes = self.text.as_bytes();
        let is_plain = |index: usize| bytes.get(index).is_none_or(u8::is_ascii);
        match bytes[at] {
            b'\r' => {
                let length = if bytes.get(at + 1) == Some(&b'\n') {
                    2
                } else {
                    1
                };
                self.write(at..at + length, "\n");
                at + length
            }
            b' ' | b'\t' if blanks == Blanks::Collapsed => self.add_blanks(at),
            byte if byte.is_ascii() && is_plain(at + 1) => {
                self.view.push(char::from(byte));
                at + 1
            }
            _ => self.add_cluster(at),
        }
    }

    fn add_blanks(&mut self, at: usize) -> usize {
        let bytes = &self.text.as_bytes()[at..];
        let is_blank = |byte: &u8| matches!(byte, b' ' | b'\t');
        let length = bytes.iter().take_while(|byte| is_blank(byte)).count();
        let is_first = self.view.is_empty() || self.view.ends_with('\n');
        let is_last = bytes
            .get(length)
            .is_none_or(|byte| matches!(byte, b'\r' | b'\n'));
        let kept = if is_first || is_last { "" } else { " " };
        self.write(at..at + length, kept);
        at + length
    }

    /// Adds a character and those that may compose with it. Only such a cluster is normalised as a
    /// whole: for a longer part the positions within it would be unknown, and a part that ends
    /// before a mark would be composed differently from the text.
    fn add_cluster(&mut self, at: usize) -> usize {
        let mut chars = self.text[at..].char_indices().skip(1);
        let next = chars.find(|(_, c)| begins_cluster(*c));
        let end = next.map_or(self.text.len(), |(length, _)| at + length);
        let cluster = &self.text[at..end];
        if is_nfc_quick(cluster.chars()) == IsNormalized::Yes {
            self.view.push_str(cluster);
        } else {
            let composed: String = cluster.nfc().collect();
            self.write(at..end, &composed);
        }
        end
    }

    fn write(&mut self, range: Range<usize>, view: &str) {
        let start = self.view.len();
        self.view.push_str(view);
        if &self.text[range.clone()] != view {
            self.changes.push(Mapping {
                view: start..self.view.len(),
                text: range,
            });
        }
    }
}

/// Returns true if every letter of a text is certainly composed, so that the text is its own view,
/// without a copy and without mappings. The result may be false for a composed text, which then
/// costs the slower check of each cluster.
fn is_composed(text: &str) -> bool {
    // Removing such letters does not affect the result for the others, except that marks may seem
    // to be out of order; then the slower check decides.
    let others = text.chars().filter(|c| !stands_for_itself(*c));
    is_nfc_quick(others) == IsNormalized::Yes
}

/// Returns true if `c` is composed, composes with nothing before it, and is not a mark. Covers only
/// a few ranges that contain most letters of most texts: the complete lookup takes ten times as
/// long.
fn stands_for_itself(c: char) -> bool {
    matches!(
        c,
        // Latin; Cyrillic; punctuation; kana; ideographs; Korean syllables; full-width forms.
        '\0'..='\u{2ff}'
            | '\u{400}'..='\u{482}'
            | '\u{2010}'..='\u{205e}'
            | '\u{3001}'..='\u{3029}'
            | '\u{3041}'..='\u{3096}'
            | '\u{30a1}'..='\u{30fa}'
            | '\u{4e00}'..='\u{9fff}'
            | '\u{ac00}'..='\u{d7a3}'
            | '\u{ff01}'..='\u{ff60}'
    )
}

/// Returns true if nothing before `c` composes with it. A character with the combining class 0 may
/// compose all the same: the vowels and final consonants of Korean syllables do, as does the
/// Bengali U+09BE. For these the quick check of NFC answers `Maybe`.
fn begins_cluster(c: char) -> bool {
    c.is_ascii()
        || (canonical_combining_class(c) == 0
            && is_nfc_quick(std::iter::once(c)) != IsNormalized::Maybe)
}

/// Returns true if `text` begins with a combining mark of the letter before it. That letter must
/// not be replaced without the mark: with `cafe` replaced by `x` in `cafe` and U+0301, the accent
/// would be above the `x`.
pub fn continues_letter(text: &str) -> bool {
    let is_mark = |c| unicode_normalization::char::is_combining_mark(c) || !begins_cluster(c);
    text.chars().next().is_some_and(is_mark)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn positions_of_what_is_written_otherwise() {
        let text = "a\r\ne\u{301}x";
        let view = View::new(text, Blanks::Exact);
        assert_eq!(view.as_str(), "a\néx");
        let positions: Vec<_> = (0..=5)
            .map(|at| view.position(at, OmittedSide::Before))
            .collect();
        assert_eq!(
            positions,
            [Some(0), Some(1), Some(3), None, Some(6), Some(7)]
        );
    }

    #[test]
    fn what_is_left_out_has_two_sides() {
        let view = View::new("  a \t b  \n c", Blanks::Collapsed);
        assert_eq!(view.as_str(), "a b\nc");
        for (at, before, behind) in [(0, 0, 2), (1, 3, 3), (2, 6, 6), (3, 7, 9), (4, 10, 11)] {
            assert_eq!(view.position(at, OmittedSide::Before), Some(before), "{at}");
            assert_eq!(view.position(at, OmittedSide::Behind), Some(behind), "{at}");
        }
    }

    #[test]
    fn letters_that_stand_for_themselves() {
        for c in ('\0'..=char::MAX).filter(|c| stands_for_itself(*c)) {
            assert_eq!(is_nfc_quick(std::iter::once(c)), IsNormalized::Yes, "{c:?}");
            assert_eq!(canonical_combining_class(c), 0, "{c:?}");
        }
        for (text, expected) in [
            ("설정 é かがカガ、漢字 Ж “a”", true),
            ("설정 e\u{301}", false),
            ("\u{1109}\u{1165}\u{11af}", false),
            ("か\u{3099}", false),
            ("\u{212b}", false),
            ("\u{f900}", false),
        ] {
            assert_eq!(is_composed(text), expected, "{text}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 5_000, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn is_the_composed_text_with_line_feeds(
            pieces in proptest::collection::vec(proptest::sample::select(&[
                "a", "e", "\u{301}", "\u{327}", "é", "한", "\u{1112}", "\u{1161}", "\u{11ab}", "\r", "\n", "\r\n",
                "\u{212a}", "\u{344}", "\u{9c7}", "\u{9be}", "\u{958}", " ", "\u{1f71}", "\u{fb1d}",
            ][..]), 0..16),
        ) {
            let text = pieces.concat();
            let expected: String = text.replace("\r\n", "\n").replace('\r', "\n").nfc().collect();
            let view = View::new(&text, Blanks::Exact);
            prop_assert_eq!(view.as_str(), &expected);
            // The text between two positions has the view between them.
            let positions: Vec<(usize, usize)> = (0..=expected.len())
                .filter(|at| expected.is_char_boundary(*at))
                .filter_map(|at| Some((at, view.position(at, OmittedSide::Before)?)))
                .collect();
            prop_assert_eq!(positions.last().copied(), Some((expected.len(), text.len())));
            for pair in positions.windows(2) {
                let part = View::new(&text[pair[0].1..pair[1].1], Blanks::Exact);
                prop_assert_eq!(part.as_str(), &expected[pair[0].0..pair[1].0]);
            }
        }
    }
}
