//! Which passages of a long document hold each of its terms.
//!
//! A document longer than a passage is ranked by what its passages say. They are cut while its
//! terms are counted: before a heading where there is one, else between paragraphs. Of each term
//! it is kept how often which passage holds it, two bytes for each.

use std::ops::Range;

use crate::limits::{ONE_PASSAGE_BYTES, PASSAGE_BYTES, PASSAGES};
use crate::statistics::CompactCount;
use docent_text::lines::slices;

/// The number of what stands above all passages: title and path.
pub(crate) const ABOVE: u8 = 0;

/// The number of the first passage.
pub(crate) const FIRST: u8 = 1;

/// What a term counts in a passage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Occurrences {
    /// From [`FIRST`], or [`ABOVE`].
    pub(crate) passage: u8,
    pub(crate) count: CompactCount,
}

impl Occurrences {
    /// None, above all passages.
    const NONE: Self = Self {
        passage: ABOVE,
        count: CompactCount::NONE,
    };
}

/// The occurrences of the terms of a document, in the order of the terms, and those of a term in the
/// order of the passages.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct PassageTerms {
    /// Of each term, how many passages hold it.
    numbers: Vec<u8>,
    /// Of each block of terms, where its occurrences begin.
    starts: Vec<u32>,
    occurrences: Vec<Occurrences>,
}

/// Terms of a block: so many numbers are summed up to find the occurrences of one.
const BLOCK: usize = 32;

impl PassageTerms {
    pub(crate) fn with_capacity(terms: usize, occurrences: usize) -> Self {
        Self {
            numbers: Vec::with_capacity(terms),
            starts: Vec::with_capacity(terms.div_ceil(BLOCK)),
            occurrences: Vec::with_capacity(occurrences),
        }
    }

    /// Adds a term that so many passages hold, and returns where its occurrences begin.
    pub(crate) fn add_term(&mut self, passages: u8) -> usize {
        let start = self.occurrences.len();
        if self.numbers.len().is_multiple_of(BLOCK) {
            // A document has fewer bytes than a `u32` tells.
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

    /// Returns the occurrences of the term at this place.
    pub(crate) fn of(&self, term: usize) -> &[Occurrences] {
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
pub(crate) struct Extent {
    /// Where it begins, in bytes.
    pub(crate) start: u32,
    /// Its length in words, with title and path, which count for each.
    pub(crate) words: u32,
}

/// The passages of a document, and what they hold.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Spread {
    pub(crate) extents: Box<[Extent]>,
    /// Where the last one ends.
    pub(crate) end: u32,
    pub(crate) terms: PassageTerms,
}

impl Spread {
    /// Returns where the passage of this number begins and ends, and its length in words.
    pub(crate) fn extent(&self, number: usize) -> [u32; 3] {
        let passage = number - usize::from(FIRST);
        let Extent { start, words } = self.extents[passage];
        let next = self.extents.get(passage + 1);
        [start, next.map_or(self.end, |next| next.start), words]
    }

    pub(crate) fn bytes(&self) -> usize {
        self.terms.bytes() + self.extents.len() * size_of::<Extent>()
    }
}

/// Where a text is cut into passages.
#[derive(Debug)]
pub(crate) struct Cutter {
    /// Where the present passage began.
    start: usize,
    /// Bytes from which on a heading begins the next one.
    least: usize,
    /// Bytes at which it ends in any case, as soon as a line does.
    most: usize,
    /// How many more there may be.
    left: usize,
}

impl Cutter {
    /// Returns the cutter of a text of so many bytes; none where it is one passage.
    pub(crate) fn of(bytes: usize) -> Option<Self> {
        (bytes > ONE_PASSAGE_BYTES).then(|| {
            // Of a very long text they are longer, for their number has to be kept in a byte.
            let most = PASSAGE_BYTES.max(bytes / (PASSAGES / 2) + 1);
            Self {
                start: 0,
                least: most / 2,
                most,
                left: PASSAGES,
            }
        })
    }

    /// Whether a passage ends before a heading here.
    pub(crate) fn ends_at(&mut self, heading: usize) -> bool {
        let is_end = heading - self.start >= self.least && self.left > 0;
        if is_end {
            self.start = heading;
            self.left -= 1;
        }
        is_end
    }

    /// Returns the next piece of `stretch` that lies in one passage, and whether that ends with it.
    pub(crate) fn piece<'t>(&mut self, text: &'t str, stretch: Range<usize>) -> (&'t str, bool) {
        let begin = stretch.start;
        let end = self.start + self.most;
        if stretch.end <= end || self.left == 0 {
            return (&text[stretch], false);
        }
        let end = text.floor_char_boundary(end.max(stretch.start));
        // A paragraph that ends not long before: looked for backwards, so that little is looked at.
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

    /// Returns the passages of a text that is cut at any byte and before headings.
    fn passages(text: &str, cutter: &mut Cutter, headings: &[usize]) -> Vec<usize> {
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
            match Cutter::of(text.len()) {
                None => prop_assert!(text.len() <= ONE_PASSAGE_BYTES),
                Some(mut cutter) => {
                    let most = cutter.most;
                    let ends = passages(&text, &mut cutter, &headings);
                    prop_assert!(ends.len() <= PASSAGES);
                    let starts = [0].into_iter().chain(ends.iter().copied());
                    // It ends with a line, and one may be as long as it likes.
                    let line = text.split('\n').map(str::len).max().unwrap_or(0);
                    for (start, end) in starts.zip(ends.iter().copied().chain([text.len()])) {
                        prop_assert!(start < end && end - start <= most + line + 4);
                    }
                }
            }
        }
    }
}
