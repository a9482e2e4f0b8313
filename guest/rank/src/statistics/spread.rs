//! Passages of the terms of a long document.
//!
//! A document longer than one passage is ranked by its passages. It is split while its terms are
//! counted: before a heading if there is one, else between paragraphs. For each term, its count in
//! each passage is stored, in two bytes.

use std::ops::Range;

use crate::limits::{ONE_PASSAGE_BYTES, PASSAGE_BYTES, PASSAGES};
use crate::statistics::compact_count::CompactCount;
use docent_text::lines::slices;

/// Number of the text above all passages: title and path.
pub(crate) const ABOVE: u8 = 0;

/// Number of the first passage.
pub(crate) const FIRST: u8 = 1;

/// The count of a term in a passage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Occurrences {
    /// From [`FIRST`], or [`ABOVE`].
    pub(crate) passage: u8,
    pub(crate) count: CompactCount,
}

impl Occurrences {
    /// No occurrence, above all passages.
    const NONE: Self = Self {
        passage: ABOVE,
        count: CompactCount::NONE,
    };
}

/// The occurrences of the terms of a document, by term and, within a term, by passage.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct PassageTerms {
    /// Number of passages of each term.
    numbers: Vec<u8>,
    /// Start of the occurrences of each block of terms.
    starts: Vec<u32>,
    occurrences: Vec<Occurrences>,
}

/// Terms of a block: the numbers summed up to find the occurrences of one.
const BLOCK: usize = 32;

impl PassageTerms {
    pub(crate) fn with_capacity(terms: usize, occurrences: usize) -> Self {
        Self {
            numbers: Vec::with_capacity(terms),
            starts: Vec::with_capacity(terms.div_ceil(BLOCK)),
            occurrences: Vec::with_capacity(occurrences),
        }
    }

    /// Adds a term contained in `passages` passages, and returns the start of its occurrences.
    pub(crate) fn add_term(&mut self, passages: u8) -> usize {
        let start = self.occurrences.len();
        if self.numbers.len().is_multiple_of(BLOCK) {
            // A document has fewer bytes than `u32::MAX`.
            self.starts.push(start as u32);
        }
        self.numbers.push(passages);
        self.occurrences
            .resize(start + usize::from(passages), Occurrences::NONE);
        start
    }

    /// Sets one of the occurrences.
    pub(crate) fn set(&mut self, place: usize, occurrences: Occurrences) {
        self.occurrences[place] = occurrences;
    }

    /// Returns the occurrences of the term at this index.
    pub(crate) fn occurrences(&self, term: usize) -> &[Occurrences] {
        let block = term / BLOCK;
        let before = &self.numbers[block * BLOCK..term];
        let before: usize = before.iter().map(|number| usize::from(*number)).sum();
        let start = self.starts[block] as usize + before;
        &self.occurrences[start..start + usize::from(self.numbers[term])]
    }

    pub(crate) fn bytes(&self) -> usize {
        self.numbers.len() + 4 * self.starts.len() + 2 * self.occurrences.len()
    }
}

/// A passage of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PassageSpan {
    /// Start, in bytes.
    pub(crate) start: u32,
    /// Length in words, including title and path, which count for each.
    pub(crate) words: u32,
}

/// The passages of a document and the occurrences in them.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Spread {
    pub(crate) extents: Box<[PassageSpan]>,
    /// End of the last one.
    pub(crate) end: u32,
    pub(crate) terms: PassageTerms,
}

impl Spread {
    /// Returns start, end and length in words of the passage of this number.
    pub(crate) fn extent(&self, number: usize) -> [u32; 3] {
        let passage = number - usize::from(FIRST);
        let PassageSpan { start, words } = self.extents[passage];
        let next = self.extents.get(passage + 1);
        [start, next.map_or(self.end, |next| next.start), words]
    }

    pub(crate) fn bytes(&self) -> usize {
        self.terms.bytes() + self.extents.len() * size_of::<PassageSpan>()
    }
}

/// A splitter of a text into passages.
#[derive(Debug)]
pub(crate) struct Splitter {
    /// Start of the current passage.
    start: usize,
    /// Minimum bytes of a passage before a heading begins the next one.
    least: usize,
    /// Bytes after which a passage ends at the next line end.
    most: usize,
    /// Number of further passages allowed.
    left: usize,
}

impl Splitter {
    /// Creates the splitter of a text of `bytes` bytes, or returns `None` if it is one passage.
    pub(crate) fn for_length(bytes: usize) -> Option<Self> {
        (bytes > ONE_PASSAGE_BYTES).then(|| {
            // The number of a passage is stored in a byte, so passages of a very long text are
            // longer. A heading may end a passage from half of this length on, so that there may
            // be twice as many passages: the length is chosen for half of the maximum.
            let most = PASSAGE_BYTES.max(bytes / (PASSAGES / 2) + 1);
            Self {
                start: 0,
                least: most / 2,
                most,
                left: PASSAGES,
            }
        })
    }

    /// Returns true if a passage ends before a heading here.
    pub(crate) fn ends_at(&mut self, heading: usize) -> bool {
        let is_end = heading - self.start >= self.least && self.left > 0;
        if is_end {
            self.start = heading;
            self.left -= 1;
        }
        is_end
    }

    /// Returns the next piece of `stretch` within one passage, and whether the passage ends with
    /// it.
    pub(crate) fn piece<'t>(&mut self, text: &'t str, stretch: Range<usize>) -> (&'t str, bool) {
        let begin = stretch.start;
        let end = self.start + self.most;
        if stretch.end <= end || self.left == 0 {
            return (&text[stretch], false);
        }
        let end = text.floor_char_boundary(end.max(stretch.start));
        // The last paragraph end not far before: searched backwards, so that little is read.
        let near = text.floor_char_boundary(end - (self.most / 4).min(end - stretch.start));
        let piece = match text[near..end].rfind("\n\n") {
            Some(gap) => &text[stretch.start..near + gap + 2],
            None => {
                let room = (end - stretch.start).max(self.most / 4);
                slices(&text[stretch], room).next().unwrap_or_default()
            }
        };
        self.left -= 1;
        self.start = begin + piece.len();
        (piece, true)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Splits a text at any byte and before headings.
    fn passages(text: &str, cutter: &mut Splitter, headings: &[usize]) -> Vec<usize> {
        let mut ends = Vec::new();
        let bounds = headings.iter().copied().chain([text.len()]);
        let mut at = 0;
        for bound in bounds {
            while at < bound {
                let (piece, is_end) = cutter.piece(text, at..bound);
                assert!(!piece.is_empty() && text[at..].starts_with(piece));
                at += piece.len();
                if is_end {
                    ends.push(at);
                }
            }
            if at < text.len() && cutter.ends_at(at) {
                ends.push(at);
            }
        }
        ends
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, cases: 64, ..ProptestConfig::default() })]

        #[test]
        fn passages_are_bounded(
            lines in proptest::collection::vec(
                ("[a설 ]{0,60}", 0usize..3, prop_oneof![9 => Just(1), 1 => 50usize..400]),
                100..300,
            ),
            cuts in proptest::collection::vec(any::<proptest::sample::Index>(), 0..40),
        ) {
            let text: String = lines
                .iter()
                .map(|(line, ends, times)| line.repeat(*times) + &"\n".repeat(*ends))
                .collect();
            let mut headings: Vec<usize> =
                cuts.iter().map(|cut| text.floor_char_boundary(cut.index(text.len().max(1)))).collect();
            headings.sort_unstable();
            match Splitter::for_length(text.len()) {
                None => prop_assert!(text.len() <= ONE_PASSAGE_BYTES),
                Some(mut cutter) => {
                    let most = cutter.most;
                    let ends = passages(&text, &mut cutter, &headings);
                    prop_assert!(ends.len() <= PASSAGES);
                    let starts = [0].into_iter().chain(ends.iter().copied());
                    // It ends with a line, and a line may have any length.
                    let line = text.split('\n').map(str::len).max().unwrap_or(0);
                    for (start, end) in starts.zip(ends.iter().copied().chain([text.len()])) {
                        prop_assert!(start < end && end - start <= most + line + 4);
                    }
                }
            }
        }
    }
}
