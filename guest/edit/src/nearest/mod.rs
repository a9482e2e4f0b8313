//! What stands in a file where a text was looked for and is not: the regions that are most like it,
//! and what they differ in.
//!
//! Lines that both have and that are rare in the file say where the text belongs; where there are
//! none, rare words do. Only the regions that they point to are compared. The cost is that of going
//! through the file once, whatever the texts are.

mod difference;
pub mod index;
mod spoiled;

pub use difference::{Difference, Kind};
pub use spoiled::Spoiled;

use docent_text::digest::digest;
use docent_text::lines::{with_ends, without_end};
use docent_text::saturating::saturating_u32;

use crate::find_text::places;
use crate::limits::{
    CANDIDATES, LINE_CHARS, LINES_LOOKED_UP, RARE_LINES, RARE_WORDS, REGION_LINES, REGIONS_SHOWN,
    WORDS_LOOKED_UP,
};
use crate::nearest::difference::LastLine;
use crate::nearest::index::Folder;
use crate::nearest::spoiled::unspoiled;
use crate::original::Original;
use crate::view::Blanks;

/// What is told of a text that is not there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Miss {
    /// The lines, from 1 on, at which the new text stands already.
    pub done: Option<(u32, u32)>,
    /// Whether it is there once the other edits of the call are made, which it does not refer to.
    pub is_made_by_others: bool,
    /// How the text was spoiled; without that it is there, at the first region.
    pub spoiled: Option<Spoiled>,
    /// The regions that are most like it, the most alike first.
    pub regions: Vec<Region>,
    /// Whether nothing is like it, and the only region is the file, which is short.
    pub is_whole_file: bool,
    /// The first difference from the first region.
    pub difference: Option<Difference>,
}

/// Lines of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Region {
    /// The first line, from 1 on.
    pub first: u32,
    /// The last line.
    pub last: u32,
    /// How many lines of the text it has, but for blanks, case and the like.
    pub equal: usize,
    /// How many lines the text has, blank ones not counted.
    pub of: usize,
    /// The first line that is shown.
    pub shown: u32,
    /// Lines as they stand in the file, those round the first difference; a long one is cut.
    pub lines: Vec<String>,
}

/// Characters that a new text has at least if it is worth knowing that it is there already.
const DONE_CHARS: usize = 4;

/// By how many thousandths a text is more like what stands there than like the new one where it was
/// not replaced yet.
const LIKENESS_MARGIN: u64 = 150;

/// Bytes of a region and of a text of which the likeness is measured.
const LIKENESS_BYTES: usize = 4 << 10;

/// Returns what is told of `sent`, which is not there. `is_loose` says that blanks did not count.
pub fn miss(original: &Original<'_>, sent: &str, new: Option<&str>, is_loose: bool) -> Miss {
    let done = new.and_then(|new| done(original, sent, new));
    for (spoiled, plain) in unspoiled(sent) {
        let blanks = if is_loose {
            Blanks::Collapsed
        } else {
            Blanks::Exact
        };
        let found = places(original, &plain, blanks).unwrap_or_default();
        if let Some(place) = found.first() {
            let (first, last) = original.line_numbers(&place.span);
            let count = last - first + 1;
            return Miss {
                done,
                is_made_by_others: false,
                spoiled: Some(spoiled),
                regions: vec![region(
                    original,
                    first as usize - 1,
                    count as usize,
                    (0, 0),
                    None,
                )],
                is_whole_file: false,
                difference: None,
            };
        }
    }
    let lines: Vec<&str> = with_ends(sent)
        .map(without_end)
        .take(LINES_LOOKED_UP)
        .collect();
    let is_whole = sent.ends_with(['\n', '\r']) && with_ends(sent).count() == lines.len();
    let last = if is_whole {
        LastLine::Whole
    } else {
        LastLine::Open
    };
    let best = best(original, sent, &lines);
    let difference = best
        .first()
        .and_then(|best| difference::first(original, best.start, &lines, last));
    // A text that still stands there nearly as it was sent, more than the new one is like it, was
    // not replaced: then the new one is a part of what stands there.
    let done = done.filter(|_| {
        let new = shingles(&mut Folder::default(), new.unwrap_or_default());
        let sent = shingles(&mut Folder::default(), sent);
        let likeness_of_new = likeness(&sent, &new);
        best.first()
            .is_none_or(|best| best.likeness <= likeness_of_new + LIKENESS_MARGIN)
    });
    let regions = best.iter().enumerate().map(|(rank, best)| {
        let difference = difference.as_ref().filter(|_| rank == 0);
        region(original, best.start, best.count, best.equal, difference)
    });
    let mut regions: Vec<Region> = regions.collect();
    let is_whole_file = regions.is_empty() && (1..=REGION_LINES).contains(&original.line_count());
    if is_whole_file {
        regions.push(region(original, 0, original.line_count(), (0, 0), None));
    }
    Miss {
        done,
        is_made_by_others: false,
        spoiled: None,
        regions,
        is_whole_file,
        difference,
    }
}

/// Returns where the new text stands already, if that says that the edit was made before.
fn done(original: &Original<'_>, sent: &str, new: &str) -> Option<(u32, u32)> {
    if new.trim().chars().count() < DONE_CHARS || sent.contains(new) {
        return None;
    }
    let found = places(original, new, Blanks::Exact).ok()?;
    let [place] = found.as_slice() else {
        return None;
    };
    Some(original.line_numbers(&place.span))
}

/// Returns a region of so many lines, from `start` on, counted from 0.
fn region(
    original: &Original<'_>,
    start: usize,
    count: usize,
    equal: (usize, usize),
    difference: Option<&Difference>,
) -> Region {
    let end = (start + count.max(1))
        .min(original.line_count())
        .max(start + 1);
    let focus = difference.map_or(start, |difference| difference.line as usize - 1);
    // What differs is to be seen, and a little before it.
    let latest = end.saturating_sub(REGION_LINES).max(start);
    let shown = focus.saturating_sub(REGION_LINES / 3).clamp(start, latest);
    let column = |line: usize| difference.filter(|_| line == focus).map_or(1, |d| d.column);
    let lines = (shown..end.min(shown + REGION_LINES))
        .map(|line| clipped(original.line(line), column(line)));
    Region {
        first: saturating_u32(start + 1),
        last: saturating_u32(end),
        equal: equal.0,
        of: equal.1,
        shown: saturating_u32(shown + 1),
        lines: lines.collect(),
    }
}

/// Returns a line, or what stands round a column of a long one.
fn clipped(line: &str, column: usize) -> String {
    let first = column.saturating_sub(1 + LINE_CHARS / 3);
    let mut chars = line.char_indices();
    if line.chars().nth(LINE_CHARS).is_none() {
        return line.to_owned();
    }
    let start = chars.nth(first).map_or(0, |(start, _)| start);
    let behind = &line[start..];
    let end = behind
        .char_indices()
        .nth(LINE_CHARS)
        .map_or(behind.len(), |(end, _)| end);
    let before = if start > 0 { "…" } else { "" };
    let after = if end < behind.len() { "…" } else { "" };
    format!("{before}{}{after}", &behind[..end])
}

/// A region that may be the one.
struct Candidate {
    /// Its first line, from 0 on.
    start: usize,
    votes: u64,
    likeness: u64,
    /// Lines that are equal, and lines that the text has.
    equal: (usize, usize),
    /// How many lines of the file it takes.
    count: usize,
}

/// Returns the regions that are most like a text, the most alike first.
fn best(original: &Original<'_>, sent: &str, lines: &[&str]) -> Vec<Candidate> {
    let mut folder = Folder::default();
    let hashes: Vec<Option<u64>> = lines.iter().map(|line| folder.hash(line)).collect();
    let mut votes = line_votes(original, &hashes);
    if votes.is_empty() {
        votes = word_votes(original, lines);
    }
    let shingles = shingles(&mut folder, sent);
    let mut candidates = counted(votes, original.line_count());
    candidates.sort_by_key(|candidate| (std::cmp::Reverse(candidate.votes), candidate.start));
    candidates.truncate(CANDIDATES);
    for candidate in &mut candidates {
        let range = original.lines(candidate.start, candidate.start + lines.len().max(1) - 1);
        let text = &original.text()[range];
        candidate.likeness = likeness(&shingles, &self::shingles(&mut folder, text));
        candidate.measure(original, &hashes);
    }
    candidates.sort_by_key(|candidate| {
        let (equal, of) = candidate.equal;
        let likeness = candidate.likeness + (1_000 * equal / of.max(1)) as u64;
        (
            std::cmp::Reverse((likeness, candidate.votes)),
            candidate.start,
        )
    });
    let mut best: Vec<Candidate> = Vec::new();
    for candidate in candidates {
        let apart = lines.len().div_ceil(2).max(1);
        let is_apart = |other: &Candidate| other.start.abs_diff(candidate.start) >= apart;
        if best.len() < REGIONS_SHOWN && best.iter().all(is_apart) {
            best.push(candidate);
        }
    }
    best
}

/// A first line that something points to, which may lie before the file, and how much that counts.
type Vote = (i64, u64);

/// What one rare line or word counts; it is divided by how often it stands in the file.
const VOTE: u64 = 64;

/// Returns where the text begins by the lines that it shares with the file.
fn line_votes(original: &Original<'_>, hashes: &[Option<u64>]) -> Vec<Vote> {
    let index = original.index();
    let mut votes = Vec::new();
    let mut rarest: Option<(usize, usize, u64)> = None;
    for (at, hash) in hashes.iter().enumerate() {
        let Some(hash) = *hash else { continue };
        let lines = index.lines(hash);
        let count = lines.len();
        if count > 0 && rarest.is_none_or(|(least, ..)| count < least) {
            rarest = Some((count, at, hash));
        }
        if (1..=RARE_LINES).contains(&count) {
            votes.extend(lines.map(|line| (line as i64 - at as i64, VOTE / count as u64)));
        }
    }
    if let (true, Some((_, at, hash))) = (votes.is_empty(), rarest) {
        let lines = index.lines(hash).take(CANDIDATES);
        votes.extend(lines.map(|line| (line as i64 - at as i64, 1)));
    }
    votes
}

/// Returns where the text begins by the words that it shares with the file.
fn word_votes(original: &Original<'_>, lines: &[&str]) -> Vec<Vote> {
    let mut folder = Folder::default();
    let mut words: Vec<(u64, usize)> = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        if words.len() < WORDS_LOOKED_UP {
            folder.words(line, |word| words.push((word, at)));
        }
    }
    words.truncate(WORDS_LOOKED_UP);
    words.sort_unstable();
    words.dedup_by_key(|(word, _)| *word);
    // Of each word how often it stands in the file, and the first lines that hold it.
    let mut found: Vec<(usize, Vec<usize>)> = vec![(0, Vec::new()); words.len()];
    for line in 0..original.line_count() {
        folder.words(original.line(line), |word| {
            if let Ok(at) = words.binary_search_by_key(&word, |(word, _)| *word) {
                let (count, places) = &mut found[at];
                *count += 1;
                if *count <= RARE_WORDS && places.last() != Some(&line) {
                    places.push(line);
                }
            }
        });
    }
    let least = found
        .iter()
        .map(|(count, _)| *count)
        .filter(|count| *count > 0)
        .min();
    let most = least.unwrap_or(0).max(RARE_WORDS);
    let mut votes = Vec::new();
    for ((count, places), (_, at)) in found.iter().zip(&words) {
        if (1..=most).contains(count) {
            let vote = (VOTE / *count as u64).max(1);
            votes.extend(places.iter().map(|line| (*line as i64 - *at as i64, vote)));
        }
    }
    votes
}

/// Adds up the votes for each line; what would begin before the file begins with it.
fn counted(mut votes: Vec<Vote>, line_count: usize) -> Vec<Candidate> {
    votes.sort_unstable();
    let last = line_count.saturating_sub(1);
    let mut candidates: Vec<Candidate> = Vec::new();
    for (start, votes) in votes {
        let start = usize::try_from(start).unwrap_or(0).min(last);
        match candidates.last_mut() {
            Some(candidate) if candidate.start == start => candidate.votes += votes,
            _ => candidates.push(Candidate {
                start,
                votes,
                likeness: 0,
                equal: (0, 0),
                count: 1,
            }),
        }
    }
    candidates
}

/// How many lines further on one may stand for it to be the same.
const SLACK: usize = 3;

impl Candidate {
    /// Finds out how many lines it shares with the text, in order, how many the text has, and where
    /// it ends.
    fn measure(&mut self, original: &Original<'_>, hashes: &[Option<u64>]) {
        let (mut equal, mut of, mut next) = (0, 0, self.start);
        self.count = hashes.len();
        for (at, hash) in hashes.iter().enumerate() {
            if hash.is_none() {
                continue;
            }
            of += 1;
            let expected = self.start + at;
            let from = next.max(expected.saturating_sub(SLACK));
            let found =
                (from..=expected + SLACK).find(|line| original.index().hash(*line) == *hash);
            if let Some(line) = found {
                equal += 1;
                next = line + 1;
                self.count = self.count.max(next - self.start);
            }
        }
        self.equal = (equal, of);
    }
}

/// Returns the hashes of all runs of four characters of a text, as far as likeness is measured.
fn shingles(folder: &mut Folder, text: &str) -> Vec<u64> {
    let text = &text[..text.floor_char_boundary(LIKENESS_BYTES)];
    let chars: Vec<char> = folder.fold(text).chars().collect();
    let hash = |run: &[char]| digest(run.iter().collect::<String>().as_bytes());
    let mut all: Vec<u64> = chars.windows(4).map(hash).collect();
    if all.is_empty() && !chars.is_empty() {
        all.push(hash(&chars));
    }
    all.sort_unstable();
    all
}

/// Returns how much of two sorted lists is in both, in thousandths.
fn likeness(sent: &[u64], own: &[u64]) -> u64 {
    let (mut at, mut shared) = (0, 0u64);
    for hash in sent {
        while own.get(at).is_some_and(|other| other < hash) {
            at += 1;
        }
        if own.get(at) == Some(hash) {
            shared += 1;
            at += 1;
        }
    }
    // The text may be a part of a long line: only what it lacks counts in full.
    let total = 4 * sent.len() as u64 + own.len() as u64;
    5_000 * shared / total.max(1)
}
