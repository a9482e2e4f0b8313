//! How often a document holds each term, by where it stands: what a warm instance keeps of a
//! document so that the next query need not read it.
//!
//! The terms of a text, its title and its path are counted in a hash table by their digests. The
//! digest's high bits choose the slot, so that the table is almost sorted when it is full: one pass
//! over it gives the digests in order, and the same bits guess where one of them stands when a
//! query looks it up. Digests and counts are kept apart, five bytes a term, the count in one of
//! them.

use std::ops::Range;

use docent_document::headings;
use docent_text::digest::digest;
use docent_text::limits::SLICE_BYTES;
use docent_text::lines::{slices, with_ends, without_end};
use docent_text::patience::Pace;
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
}

/// A number in one byte, exact below 32, else within 6 %: four bits of exponent and the four bits
/// behind the leading one. A score hardly tells numbers above 32 apart, for the sum saturates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct CompactCount(u8);

impl CompactCount {
    fn new(number: u32) -> Self {
        if number < 32 {
            return Self(number.to_le_bytes()[0]);
        }
        let shift = (27 - number.leading_zeros()).min(14);
        let mantissa = (number >> shift).min(31);
        Self(((shift + 1) * 16 + mantissa - 16).min(255).to_le_bytes()[0])
    }

    fn number(self) -> u32 {
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
        let mut table = TermTable::new(text.len());
        let mut length = 0;
        let name = path.rsplit('/').next().unwrap_or(path);
        let mut count = |term: Term, weight| {
            table.add(term.key, weight);
            length += weight * word_tenths(term.form);
        };
        if let Some(title) = headings::title(name, text) {
            each_term(&title, &Initials::ALL, |term| count(term, weight::TITLE));
        }
        each_term(path, &Initials::ALL, |term| count(term, weight::PATH));
        each_weighted_term(text, &Initials::ALL, pace, &mut count);
        let (keys, counts) = table.finish();
        Self {
            keys,
            counts,
            length: length / (weight::BODY * word_tenths(Form::Word)),
            digest: digest(text.as_bytes()),
        }
    }

    /// Returns what a term counts, in quarters; 0 where it is not there.
    pub fn count(&self, key: u32) -> u32 {
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
        match place {
            Some(at) if self.keys[at] == key => self.counts[at].number(),
            _ => 0,
        }
    }

    /// Returns the bytes that it takes.
    pub fn bytes(&self) -> usize {
        // Four of a digest, one of its count.
        self.keys.len() * 5 + size_of::<Self>()
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

/// Counts terms: open addressing, by the digest's high bits, so that the slots are almost in order.
struct TermTable {
    slots: Vec<(u32, u32)>,
    /// By how many bits a digest is larger than a slot's index.
    shift: u32,
    used: usize,
}

/// Bytes of text for which the table has a slot at the beginning: most texts bring a new term in
/// twice as many.
const BYTES_PER_SLOT: usize = 8;

/// The most slots at the beginning: a longer text brings fewer new terms.
const MOST_FIRST_SLOTS: usize = 1 << 14;

impl TermTable {
    /// Returns a table for the terms of a text of so many bytes.
    fn new(bytes: usize) -> Self {
        let slots = (bytes / BYTES_PER_SLOT).clamp(64, MOST_FIRST_SLOTS);
        let slots = slots.next_power_of_two();
        Self {
            slots: vec![(0, 0); slots],
            shift: u32::BITS - slots.trailing_zeros(),
            used: 0,
        }
    }

    /// Counts one occurrence. Most are of a term that stands in its own slot already; the others
    /// are left to a function of their own, so that this one is small enough to stand in a loop.
    #[inline]
    fn add(&mut self, key: u32, weight: u32) {
        let home = self.home(key);
        if let Some((own, count)) = self.slots.get_mut(home)
            && *own == key
            && *count > 0
        {
            *count = count.saturating_add(weight);
        } else {
            self.add_elsewhere(key, weight);
        }
    }

    #[inline(never)]
    fn add_elsewhere(&mut self, key: u32, weight: u32) {
        let slot = self.slot(key);
        let (own, count) = &mut self.slots[slot];
        let is_new = *count == 0;
        *own = key;
        *count = count.saturating_add(weight);
        self.used += usize::from(is_new);
        if self.used * 2 > self.slots.len() {
            self.grow();
        }
    }

    /// Returns the slot of `key`, or the free one where it belongs.
    fn slot(&self, key: u32) -> usize {
        let mask = self.slots.len() - 1;
        let mut slot = self.home(key);
        loop {
            let (own, count) = self.slots[slot & mask];
            if count == 0 || own == key {
                return slot & mask;
            }
            slot += 1;
        }
    }

    /// Returns the slot that `key` has unless others are there.
    fn home(&self, key: u32) -> usize {
        (key >> self.shift) as usize
    }

    fn grow(&mut self) {
        let doubled = vec![(0, 0); self.slots.len() * 2];
        self.shift -= 1;
        for (key, count) in std::mem::replace(&mut self.slots, doubled) {
            if count > 0 {
                let slot = self.slot(key);
                self.slots[slot] = (key, count);
            }
        }
    }

    fn finish(mut self) -> (Box<[u32]>, Box<[CompactCount]>) {
        // What found no room at the end went to the beginning, and belongs behind all others.
        let wrapped = (0..self.slots.len()).take_while(|&slot| {
            let (key, count) = self.slots[slot];
            count > 0 && self.home(key) > slot
        });
        let wrapped = wrapped.count();
        self.slots.rotate_left(wrapped);
        // Each is written and only those that hold something stay: to ask first would take longer.
        let mut kept = 0;
        for at in 0..self.slots.len() {
            let slot = self.slots[at];
            self.slots[kept] = slot;
            kept += usize::from(slot.1 > 0);
        }
        self.slots.truncate(kept);
        sort_nearly_sorted(&mut self.slots);
        let count = |(key, count): (u32, u32)| (key, CompactCount::new(count));
        let (keys, counts): (Vec<u32>, Vec<CompactCount>) =
            self.slots.into_iter().map(count).unzip();
        (keys.into(), counts.into())
    }
}

/// Sorts by insertion: linear where each is only a few places from where it belongs.
fn sort_nearly_sorted(all: &mut [(u32, u32)]) {
    for end in 1..all.len() {
        let moved = all[end];
        let mut at = end;
        while at > 0 && all[at - 1].0 > moved.0 {
            all[at] = all[at - 1];
            at -= 1;
        }
        all[at] = moved;
    }
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
            prop_assert!(table.finish().0.iter().eq(&expected));
        }

        #[test]
        fn counts_are_those_of_a_map(words in proptest::collection::vec("[a-d]{1,4}", 0..400)) {
            let mut expected: BTreeMap<u32, u32> = BTreeMap::new();
            let mut table = TermTable::new(0);
            for word in &words {
                *expected.entry(key(word)).or_default() += weight::BODY;
                table.add(key(word), weight::BODY);
            }
            let (keys, counts) = table.finish();
            let statistics = Statistics {
                keys,
                counts,
                length: 0,
                digest: 0,
            };
            for (&key, &count) in &expected {
                prop_assert_eq!(statistics.count(key), CompactCount::new(count).number());
                prop_assert_eq!(statistics.count(key ^ 1), expected.get(&(key ^ 1)).map_or(0, |&c| CompactCount::new(c).number()));
            }
        }
    }
}
