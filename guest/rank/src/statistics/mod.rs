//! How often a document holds each term, by where it stands: what a warm instance keeps of a
//! document so that the next query need not read it.
//!
//! The terms of a text, its title and its path are counted in a hash table by their digests. The
//! digest's high bits choose the slot, so that the table is almost sorted when it is full: one pass
//! over it gives the digests in order, and the same bits guess where one of them stands when a
//! query looks it up. Digests and counts are kept apart, five bytes a term, the count in one of
//! them. Of a document that is longer than a passage it is kept as well which passages hold each
//! term (`spread`).

pub(crate) mod spread;
mod table;

use std::ops::Range;

use self::spread::{Cutter, Extent, Spread};
use self::table::TermTable;
use docent_document::format::Format;
use docent_document::headings;
use docent_text::digest::digest;
use docent_text::limits::SLICE_BYTES;
use docent_text::lines::{slices, with_ends, without_end};
use docent_text::patience::Pace;
use docent_text::saturating::saturating_u32;
use docent_text::words::terms::{Form, Initials, Term, each_term};

/// What one occurrence counts, in quarters, by where it stands. Code repeats the same names over
/// and over, which says little of what a document is about.
pub mod weight {
    /// In the text.
    pub const BODY: u32 = 4;
    /// In a block of code.
    pub const CODE: u32 = 1;
    /// In a line that is one span of code: a command, as a block of code is, or the name of what
    /// follows, as a heading is.
    pub const LINE_OF_CODE: u32 = 2;
    /// In a heading.
    pub const HEADING: u32 = 10;
    /// In the document's title.
    pub const TITLE: u32 = 10;
    /// In the document's path.
    pub const PATH: u32 = 8;
}

/// The terms of a document and what they count there.
#[derive(Debug, PartialEq, Eq)]
pub struct Statistics {
    /// The digests of its terms, ascending.
    keys: Box<[u32]>,
    /// What each of them counts.
    counts: Box<[CompactCount]>,
    /// The document's length in words, weighted as the occurrences are.
    pub length: u32,
    /// Digest of the text.
    pub digest: u64,
    /// Which passages hold its terms, where there are several.
    spread: Option<Box<Spread>>,
}

/// A number in one byte, exact below 32, else within 6 %: four bits of exponent and the four bits
/// behind the leading one. A score hardly tells numbers above 32 apart, for the sum saturates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CompactCount(u8);

impl CompactCount {
    /// 0.
    const NONE: Self = Self(0);

    fn new(number: u32) -> Self {
        if number < 32 {
            return Self(number.to_le_bytes()[0]);
        }
        let shift = (27 - number.leading_zeros()).min(14);
        let mantissa = (number >> shift).min(31);
        Self(((shift + 1) * 16 + mantissa - 16).min(255).to_le_bytes()[0])
    }

    pub(crate) fn number(self) -> u32 {
        let code = u32::from(self.0);
        if code < 32 {
            return code;
        }
        (16 + code % 16) << (code / 16 - 1)
    }
}

impl Statistics {
    /// Returns the statistics of the document at `path`.
    pub fn new(path: &str, text: &str) -> Self {
        Self::counted(path, text, &mut Pace::endless())
    }

    /// Returns the same of a text that may be long; none when the time is over.
    pub fn within(path: &str, text: &str, pace: &mut Pace<'_>) -> Option<Self> {
        let statistics = Self::counted(path, text, pace);
        (!pace.is_over()).then_some(statistics)
    }

    /// Returns the statistics of as much of the text as there is time for.
    fn counted(path: &str, text: &str, pace: &mut Pace<'_>) -> Self {
        let name = path.rsplit('/').next().unwrap_or(path);
        // Of code and data it is a definition or an entry that answers, which others find.
        let cutter = Format::of(name).and_then(|_| Cutter::of(text.len()));
        let mut counting = Counting {
            table: match cutter {
                Some(_) => TermTable::of_passages(text.len()),
                None => TermTable::new(text.len()),
            },
            length: 0,
        };
        if let Some(title) = headings::title(name, text) {
            each_term(&title, &Initials::ALL, |term| {
                counting.add(term, weight::TITLE)
            });
        }
        each_term(path, &Initials::ALL, |term| {
            counting.add(term, weight::PATH)
        });
        let extents = match cutter {
            Some(cutter) => counting.passages(text, cutter, pace),
            None => {
                each_weighted_term(text, &Initials::ALL, pace, |term, weight| {
                    counting.add(term, weight)
                });
                Box::default()
            }
        };
        let length = counting.words();
        let counted = counting.table.finish();
        Self {
            keys: counted.keys,
            counts: counted.counts,
            length,
            digest: digest(text.as_bytes()),
            spread: counted.passages.map(|terms| {
                Box::new(Spread {
                    extents,
                    end: saturating_u32(text.len()),
                    terms,
                })
            }),
        }
    }

    /// Returns what a term counts, in quarters; 0 where it is not there.
    pub fn count(&self, key: u32) -> u32 {
        self.place(key).map_or(0, |at| self.count_at(at))
    }

    /// Returns what the term at a place counts, in quarters.
    pub(crate) fn count_at(&self, place: usize) -> u32 {
        self.counts[place].number()
    }

    /// Returns the place of a term among those of the document.
    pub(crate) fn place(&self, key: u32) -> Option<usize> {
        // Digests are spread evenly, so that the place can be guessed.
        let length = self.keys.len() as u64;
        let guess = usize::try_from((u64::from(key) * length) >> 32).unwrap_or(0);
        // Few steps from there, up or down.
        let place = match self.keys.get(guess) {
            None => None,
            Some(&there) if there < key => {
                let step = self.keys[guess..].iter().position(|&k| k >= key);
                step.map(|step| guess + step)
            }
            Some(_) => self.keys[..=guess].iter().rposition(|&k| k <= key),
        };
        place.filter(|&at| self.keys[at] == key)
    }

    /// Returns which passages hold its terms, where there are several.
    pub(crate) fn spread(&self) -> Option<&Spread> {
        self.spread.as_deref()
    }

    /// Returns the bytes that it takes.
    pub fn bytes(&self) -> usize {
        // Four of a digest, one of its count.
        let spread = self.spread.as_ref().map_or(0, |spread| spread.bytes());
        self.keys.len() * 5 + spread + size_of::<Self>()
    }
}

/// The terms of a text, on the way.
struct Counting {
    table: TermTable,
    /// The weights of all terms.
    length: u32,
}

impl Counting {
    #[inline]
    fn add(&mut self, term: Term, weight: u32) {
        self.table.add(term.key, weight);
        self.length += weight * word_tenths(term.form);
    }

    /// Returns the length in words.
    fn words(&self) -> u32 {
        self.length / (weight::BODY * word_tenths(Form::Word))
    }

    /// Counts the terms of a text passage by passage, as far as there is time, behind what stands
    /// above all of them, and returns the passages.
    fn passages(&mut self, text: &str, mut cutter: Cutter, pace: &mut Pace<'_>) -> Box<[Extent]> {
        self.table.end_passage();
        let above = self.length;
        let mut begun = (0, self.length);
        let mut extents = Vec::new();
        let mut end_passage = |counting: &mut Self, end: usize| {
            let (start, before) = std::mem::replace(&mut begun, (end, counting.length));
            let length = above + counting.length - before;
            counting.table.end_passage();
            extents.push(Extent {
                start: saturating_u32(start),
                words: length / (weight::BODY * word_tenths(Form::Word)),
            });
        };
        each_stretch(text, |stretch, weight| {
            if weight == weight::HEADING && cutter.ends_at(stretch.start) {
                end_passage(self, stretch.start);
            }
            let mut at = stretch.start;
            while at < stretch.end {
                let (piece, is_end) = cutter.piece(text, at..stretch.end);
                for slice in slices(piece, SLICE_BYTES) {
                    if pace.is_over() {
                        return;
                    }
                    each_term(slice, &Initials::ALL, |term| self.add(term, weight));
                    pace.is_over_after(slice.len());
                }
                at += piece.len();
                if is_end {
                    end_passage(self, at);
                }
            }
        });
        end_passage(self, text.len());
        extents.into()
    }
}

/// How much of a word a term is, in tenths: pairs of syllables overlap.
pub fn word_tenths(form: Form) -> u32 {
    match form {
        Form::Word => 10,
        Form::Pair => 3,
    }
}

/// Gives every term of a Markdown text with what it counts, as far as there is time.
pub fn each_weighted_term(
    text: &str,
    initials: &Initials,
    pace: &mut Pace<'_>,
    mut emit: impl FnMut(Term, u32),
) {
    each_stretch(text, |stretch, weight| {
        for slice in slices(&text[stretch], SLICE_BYTES) {
            if pace.is_over() {
                return;
            }
            each_term(slice, initials, |term| emit(term, weight));
            pace.is_over_after(slice.len());
        }
    });
}

/// Gives the stretches of a Markdown text, in whole lines, with what a term in them counts, told
/// line by line: whether it stands in a heading, in a fenced block, alone in a span, or in none. A block's first
/// line is part of it, and its last of nothing.
pub fn each_stretch(text: &str, mut give: impl FnMut(Range<usize>, u32)) {
    let mut fence: Option<(u8, usize)> = None;
    let mut plain = 0;
    let mut at = 0;
    // Lines of the same kind are gone through in one piece: that is what `each_term` is fast at.
    // A fence counts in a quote as well (`> ```), for what it holds is code. Where a text is cut
    // (`parts`) it does not, and where headings are found CommonMark's own rules decide.
    for line in with_ends(text) {
        let indent = line
            .bytes()
            .position(|byte| !matches!(byte, b' ' | b'\t' | b'>'));
        let unquoted = &line[indent.unwrap_or(line.len())..];
        let first = unquoted.as_bytes().first().copied().unwrap_or(b'\n');
        if matches!(first, b'`' | b'~' | b'#') {
            let run = unquoted.bytes().take_while(|&byte| byte == first).count();
            let is_fence = first != b'#' && run >= 3;
            let weight = if fence.is_some() {
                weight::CODE
            } else {
                weight::BODY
            };
            match fence {
                // ``` a `b` ``` is a span of code on one line.
                None if is_fence && !(first == b'`' && unquoted[run..].contains('`')) => {
                    give(plain..at, weight);
                    plain = at;
                    fence = Some((first, run));
                }
                Some((sign, least))
                    if is_fence
                        && first == sign
                        && run >= least
                        && without_end(&unquoted[run..]).trim().is_empty() =>
                {
                    give(plain..at, weight);
                    plain = at + line.len();
                    fence = None;
                }
                None if run == 1 && first == b'`' && is_span(unquoted) => {
                    give(plain..at, weight);
                    give(at..at + line.len(), weight::LINE_OF_CODE);
                    plain = at + line.len();
                }
                None if first == b'#' && (1..=6).contains(&run) && is_heading(&unquoted[run..]) => {
                    give(plain..at, weight);
                    give(at..at + line.len(), weight::HEADING);
                    plain = at + line.len();
                }
                _ => {}
            }
        }
        at += line.len();
    }
    let weight = if fence.is_some() {
        weight::CODE
    } else {
        weight::BODY
    };
    give(plain..text.len(), weight);
}

/// Whether a line that begins with a backtick is one span of code.
fn is_span(line: &str) -> bool {
    let inside = without_end(line).trim_end().strip_suffix('`');
    inside.is_some_and(|inside| inside.len() > 1 && !inside[1..].contains('`'))
}

fn is_heading(behind: &str) -> bool {
    behind.starts_with([' ', '\t'])
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    fn key(word: &str) -> u32 {
        let mut key = 0;
        each_term(word, &Initials::ALL, |term| key = term.key);
        key
    }

    #[test]
    fn where_a_term_stands_counts() {
        let text = "---\ntitle: Setup Guide\n---\n# Usage\n\nrun it\n\n```sh\nrun fast\n# remark\n```\n\nrun\n";
        let statistics = Statistics::new("docs/start.md", text);
        for (word, count) in [
            ("usage", weight::HEADING),
            ("run", 2 * weight::BODY + weight::CODE),
            ("fast", weight::CODE),
            ("remark", weight::CODE),
            ("sh", weight::CODE),
            ("setup", weight::TITLE + weight::BODY),
            ("docs", weight::PATH),
            ("absent", 0),
        ] {
            assert_eq!(statistics.count(key(word)), count, "{word}");
        }
    }

    /// In quarters of an occurrence; changed here, they change every ranking.
    #[test]
    fn what_an_occurrence_counts() {
        for (path, text, count) in [
            ("a.md", "```\nport\n```\n", 1),
            ("a.md", "port\n", 4),
            ("a.md", "`port`\n", 2),
            ("a.md", "`port` is\n", 4),
            ("a.md", "`a` and `port`\n", 4),
            ("port.md", "text\n", 8),
            ("a.md", "text\n\n## Port\n", 10),
            // The title is a heading as well.
            ("a.md", "# Port\n", 10 + 10),
            ("a.md", "## Port\n", 10 + 10),
            // The front matter is text.
            ("a.md", "---\ntitle: Port\n---\n", 10 + 4),
            (
                "a.md",
                "# Port\n\nport\n\n```\nport port\n```\n",
                20 + 4 + 2,
            ),
        ] {
            assert_eq!(
                Statistics::new(path, text).count(key("port")),
                count,
                "{text}"
            );
        }
    }

    #[test]
    fn a_count_keeps_its_size() {
        for number in (0..1 << 18).step_by(7) {
            let kept = CompactCount::new(number).number();
            assert!(
                kept <= number && (number - kept) * 16 <= number,
                "{number}: {kept}"
            );
        }
        assert!(CompactCount::new(u32::MAX).number() > 400_000);
    }

    proptest! {
        #[test]
        fn all_keys_come_back_in_order(
            keys in proptest::collection::vec(
                prop_oneof![any::<u32>(), 0u32..300, u32::MAX - 300..=u32::MAX],
                0..3000,
            ),
        ) {
            let mut table = TermTable::new(0);
            for &key in &keys {
                table.add(key, weight::BODY);
            }
            let expected: std::collections::BTreeSet<u32> = keys.into_iter().collect();
            prop_assert!(table.finish().keys.iter().eq(&expected));
        }

        #[test]
        fn counts_are_those_of_a_map(words in proptest::collection::vec("[a-d]{1,4}", 0..400)) {
            let mut expected: BTreeMap<u32, u32> = BTreeMap::new();
            let mut table = TermTable::new(0);
            for word in &words {
                *expected.entry(key(word)).or_default() += weight::BODY;
                table.add(key(word), weight::BODY);
            }
            let counted = table.finish();
            let statistics = Statistics {
                keys: counted.keys,
                counts: counted.counts,
                length: 0,
                digest: 0,
                spread: None,
            };
            for (&key, &count) in &expected {
                prop_assert_eq!(statistics.count(key), CompactCount::new(count).number());
                prop_assert_eq!(statistics.count(key ^ 1), expected.get(&(key ^ 1)).map_or(0, |&c| CompactCount::new(c).number()));
            }
        }
    }
}
