//! Weighted term counts of a document: the statistics that a warm instance keeps of it so that the
//! next query need not read it.
//!
//! The terms of a text, its title and its path are counted in a hash table by their digests. The
//! high bits of a digest select the slot, so that the full table is almost sorted: one pass over it
//! produces the digests in order, and the same bits predict the index of a digest in a look-up.
//! Digests and counts are stored separately, five bytes per term, one of them for the count. For a
//! document longer than one passage, the passages of each term are stored as well (`spread`).

mod compact_count;
pub(crate) mod spread;
mod table;

use std::ops::Range;

use self::compact_count::CompactCount;
use self::spread::{PassageSpan, Splitter, Spread};
use self::table::TermTable;
use docent_document::format::Format;
use docent_document::headings;
use docent_text::digest::digest;
use docent_text::limits::SLICE_BYTES;
use docent_text::lines::{slices, with_ends, without_end};
use docent_text::saturating::saturating_u32;
use docent_text::time_budget::TimeBudget;
use docent_text::words::terms::{Form, Initials, Term, each_term};

/// Weights of one occurrence, in quarters, by its position. Code repeats the same names over and
/// over, which says little about the topic of a document.
pub mod weight {
    /// Weight in the text.
    pub const BODY: u32 = 4;
    /// Weight in a code block.
    pub const CODE: u32 = 1;
    /// Weight on a line that is one code span: a command, like a code block, or the name of the
    /// following entry, like a heading.
    pub const LINE_OF_CODE: u32 = 2;
    /// Weight in a heading.
    pub const HEADING: u32 = 10;
    /// Weight in the title of the document.
    pub const TITLE: u32 = 10;
    /// Weight in the path of the document.
    pub const PATH: u32 = 8;
}

/// The terms of a document with their counts.
#[derive(Debug, PartialEq, Eq)]
pub struct Statistics {
    /// Digests of its terms, ascending.
    keys: Box<[u32]>,
    /// Count of each term.
    counts: Box<[CompactCount]>,
    /// Length of the document in words, weighted like the occurrences.
    pub length: u32,
    /// Digest of the text.
    pub digest: u64,
    /// Passages of its terms, if there are several.
    spread: Option<Box<Spread>>,
}

impl Statistics {
    /// Counts the document at `path`.
    pub fn new(path: &str, text: &str) -> Self {
        Self::count_within(path, text, &mut TimeBudget::unlimited())
    }

    /// Counts a document that may be long, or returns `None` if the time budget is spent first.
    pub fn new_within(path: &str, text: &str, time_budget: &mut TimeBudget<'_>) -> Option<Self> {
        let statistics = Self::count_within(path, text, time_budget);
        (!time_budget.is_over()).then_some(statistics)
    }

    /// Counts the document until the time budget is spent.
    fn count_within(path: &str, text: &str, time_budget: &mut TimeBudget<'_>) -> Self {
        let name = path.rsplit('/').next().unwrap_or(path);
        // Only documents are split into passages. In code and data the answer is a definition or
        // an entry, which other modules find.
        let cutter =
            Format::from_content(name, text).and_then(|_| Splitter::for_length(text.len()));
        let mut counting = DocumentCounter {
            table: match cutter {
                Some(_) => TermTable::with_passages(text.len()),
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
            Some(cutter) => counting.passages(text, cutter, time_budget),
            None => {
                each_weighted_term(text, &Initials::ALL, time_budget, |term, weight| {
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

    /// Returns the count of a term in quarters; 0 if it does not occur.
    pub fn count(&self, key: u32) -> u32 {
        self.place(key).map_or(0, |at| self.count_at(at))
    }

    /// Returns the count of the term at an index, in quarters.
    pub(crate) fn count_at(&self, place: usize) -> u32 {
        self.counts[place].number()
    }

    /// Returns the index of a term in the document.
    pub(crate) fn place(&self, key: u32) -> Option<usize> {
        // Digests are uniformly distributed, so the index of one among the sorted keys can be
        // predicted from its high bits, and the key is a few steps from there, up or down. A
        // binary search would read a dozen keys that are far apart in memory, for each term of a
        // query in each document.
        let length = self.keys.len() as u64;
        let guess = usize::try_from((u64::from(key) * length) >> 32).unwrap_or(0);
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

    /// Returns the passages of its terms, if there are several.
    pub(crate) fn spread(&self) -> Option<&Spread> {
        self.spread.as_deref()
    }

    /// Returns its size in bytes.
    pub fn bytes(&self) -> usize {
        // Four for a digest, one for its count.
        let spread = self.spread.as_ref().map_or(0, |spread| spread.bytes());
        self.keys.len() * 5 + spread + size_of::<Self>()
    }
}

/// The state of counting a text.
struct DocumentCounter {
    table: TermTable,
    /// Total weight of all terms.
    length: u32,
}

impl DocumentCounter {
    #[inline]
    fn add(&mut self, term: Term, weight: u32) {
        self.table.add(term.key, weight);
        self.length += weight * word_tenths(term.form);
    }

    /// Returns the length in words.
    fn words(&self) -> u32 {
        self.length / (weight::BODY * word_tenths(Form::Word))
    }

    /// Counts the terms of a text passage by passage, after the title and path above all of them,
    /// until the time budget is spent, and returns the passages.
    fn passages(
        &mut self,
        text: &str,
        mut cutter: Splitter,
        time_budget: &mut TimeBudget<'_>,
    ) -> Box<[PassageSpan]> {
        self.table.end_passage();
        let above = self.length;
        let mut begun = (0, self.length);
        let mut extents = Vec::new();
        let mut end_passage = |counting: &mut Self, end: usize| {
            let (start, before) = std::mem::replace(&mut begun, (end, counting.length));
            let length = above + counting.length - before;
            counting.table.end_passage();
            extents.push(PassageSpan {
                start: saturating_u32(start),
                words: length / (weight::BODY * word_tenths(Form::Word)),
            });
        };
        each_weighted_span(text, |stretch, weight| {
            if weight == weight::HEADING && cutter.ends_at(stretch.start) {
                end_passage(self, stretch.start);
            }
            let mut at = stretch.start;
            while at < stretch.end {
                let (piece, is_end) = cutter.piece(text, at..stretch.end);
                for slice in slices(piece, SLICE_BYTES) {
                    if time_budget.is_over() {
                        return;
                    }
                    each_term(slice, &Initials::ALL, |term| self.add(term, weight));
                    time_budget.is_over_after(slice.len());
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

/// Returns the share of a word that a term is, in tenths: pairs of syllables overlap.
pub fn word_tenths(form: Form) -> u32 {
    match form {
        Form::Word => 10,
        Form::Pair => 3,
    }
}

/// Emits every term of a Markdown text with its weight, until the time budget is spent.
pub fn each_weighted_term(
    text: &str,
    initials: &Initials,
    time_budget: &mut TimeBudget<'_>,
    mut emit: impl FnMut(Term, u32),
) {
    each_weighted_span(text, |stretch, weight| {
        for slice in slices(&text[stretch], SLICE_BYTES) {
            if time_budget.is_over() {
                return;
            }
            each_term(slice, initials, |term| emit(term, weight));
            time_budget.is_over_after(slice.len());
        }
    });
}

/// Emits the stretches of a Markdown text, in whole lines, with the weight of a term in them,
/// determined line by line: a heading, a fenced block, a single code span, or text. The opening
/// fence of a block belongs to it, and the closing fence to nothing.
pub fn each_weighted_span(text: &str, mut give: impl FnMut(Range<usize>, u32)) {
    let mut fence: Option<(u8, usize)> = None;
    let mut plain = 0;
    let mut at = 0;
    // Consecutive lines of the same kind are emitted as one stretch, for which `each_term` is fast.
    // A fence in a quote (`> ```) counts as well, because its content is code. The splitter
    // (`parts`) ignores it, and heading detection follows the rules of CommonMark.
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

/// Returns true if a line that begins with a backtick is one code span.
fn is_span(line: &str) -> bool {
    let inside = without_end(line).trim_end().strip_suffix('`');
    inside.is_some_and(|inside| inside.len() > 1 && !inside[1..].contains('`'))
}

fn is_heading(after: &str) -> bool {
    after.starts_with([' ', '\t'])
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
    fn weights_by_position() {
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

    /// In quarters of an occurrence; a change here changes every ranking.
    #[test]
    fn weight_constants() {
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
