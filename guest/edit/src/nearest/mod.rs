//! Search for the regions of a file that are most similar to a text that does not occur in it, and
//! their differences.
//!
//! Lines that both contain and that are rare in the file indicate where the text belongs; if there
//! are none, rare words do. Only the regions that they point to are compared. So the cost is that
//! of one pass over the file, whatever the texts contain. An edit distance to every part of the
//! file would be quadratic: a text of 2 000 lines and a file of 200 000 are 400 million pairs of
//! lines.

mod damage;
mod difference;
pub mod index;

use docent_text::digest::digest;
use docent_text::lines::{with_ends, without_end};
use docent_text::saturating::saturating_u32;
use docent_text::sort::sort_by_key;

use crate::find_text::places;
use crate::limits::{
    CANDIDATES, LINE_CHARS, LINES_LOOKED_UP, RARE_LINES, RARE_WORDS, REGION_LINES, REGIONS_SHOWN,
    WORDS_LOOKED_UP,
};
use crate::near_miss::{Difference, EqualLines, NearMiss, Region};
use crate::nearest::damage::without_damage;
use crate::nearest::difference::LastLine;
use crate::nearest::index::TextFolder;
use crate::original::Original;
use crate::view::Blanks;

/// Minimum characters of a new text for which it is worth reporting that it already occurs.
const DONE_CHARS: usize = 4;

/// Minimum thousandths by which an old text is more similar to the region than to the new text, if
/// it was not replaced yet. If it was, the most similar region is usually the new text itself,
/// whose similarity to the old one is that of the new text.
const LIKENESS_MARGIN: u64 = 150;

/// Maximum bytes of a region and of a text that are compared for similarity. A file may consist of
/// a single line of two megabytes, of which up to [`CANDIDATES`] regions would be compared.
const LIKENESS_BYTES: usize = 4 << 10;

/// Returns the findings about `sent`, which does not occur. `is_loose` is true if blanks were
/// ignored in the search.
pub fn near_miss(
    original: &Original<'_>,
    sent: &str,
    new: Option<&str>,
    is_loose: bool,
) -> NearMiss {
    let done = new.and_then(|new| find_made(original, sent, new));
    for (damage, plain) in without_damage(sent) {
        let blanks = if is_loose {
            Blanks::Collapsed
        } else {
            Blanks::Exact
        };
        let found = places(original, &plain, blanks).unwrap_or_default();
        if let Some(place) = found.first() {
            let (first, last) = original.line_numbers(&place.span);
            let count = last - first + 1;
            return NearMiss {
                done,
                is_made_by_others: false,
                damage: Some(damage),
                regions: vec![region(
                    original,
                    first as usize - 1,
                    count as usize,
                    EqualLines::default(),
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
    // If the region is more similar to the old text than the new text is, the old text was not
    // replaced yet, and the new text only occurs as a part of the region. A misquoted edit that
    // shortens the lines `use alpha::*;` and `use beta::*;` to the first one finds that line in
    // the file, although no edit was made.
    let done = done.filter(|_| {
        let new = shingles(&mut TextFolder::default(), new.unwrap_or_default());
        let sent = shingles(&mut TextFolder::default(), sent);
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
        regions.push(region(
            original,
            0,
            original.line_count(),
            EqualLines::default(),
            None,
        ));
    }
    NearMiss {
        done,
        is_made_by_others: false,
        damage: None,
        regions,
        is_whole_file,
        difference,
    }
}

/// Returns the lines of the new text, if it occurs once and so indicates that the edit was made
/// before. A short text such as `}` occurs anyway, and so may a part of the old text, without an
/// edit that made it.
fn find_made(original: &Original<'_>, sent: &str, new: &str) -> Option<(u32, u32)> {
    if new.trim().chars().count() < DONE_CHARS || sent.contains(new) {
        return None;
    }
    let found = places(original, new, Blanks::Exact).ok()?;
    let [place] = found.as_slice() else {
        return None;
    };
    Some(original.line_numbers(&place.span))
}

/// Returns the region of `count` lines from `start`, counted from 0.
fn region(
    original: &Original<'_>,
    start: usize,
    count: usize,
    equal: EqualLines,
    difference: Option<&Difference>,
) -> Region {
    let end = (start + count.max(1))
        .min(original.line_count())
        .max(start + 1);
    let focus = difference.map_or(start, |difference| difference.line as usize - 1);
    // At most `REGION_LINES` lines are shown. The difference must be among them, with a few lines
    // before it, so that a caller sees where it is: in a region of 200 lines the first twelve may
    // all be equal.
    let latest = end.saturating_sub(REGION_LINES).max(start);
    let shown = focus.saturating_sub(REGION_LINES / 3).clamp(start, latest);
    let column = |line: usize| difference.filter(|_| line == focus).map_or(1, |d| d.column);
    let lines =
        (shown..end.min(shown + REGION_LINES)).map(|line| clip(original.line(line), column(line)));
    Region {
        first: saturating_u32(start + 1),
        last: saturating_u32(end),
        equal,
        shown: saturating_u32(shown + 1),
        lines: lines.collect(),
    }
}

/// Returns a line, or of a long one the part around a column. The beginning of a line of two
/// megabytes would not show the difference.
fn clip(line: &str, column: usize) -> String {
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

/// A candidate for the most similar region.
struct RegionCandidate {
    /// First line, from 0.
    start: usize,
    votes: u64,
    likeness: u64,
    /// Lines that it shares with the text.
    equal: EqualLines,
    /// Number of lines of the file that the region spans.
    count: usize,
}

/// Returns the regions most similar to a text, the most similar first.
///
/// Votes select the candidates, and the comparison of their texts orders them. The votes alone are
/// not enough: two copies of a block may share the same lines with the text, and then the other
/// lines show which copy was quoted.
fn best(original: &Original<'_>, sent: &str, lines: &[&str]) -> Vec<RegionCandidate> {
    let mut folder = TextFolder::default();
    let hashes: Vec<Option<u64>> = lines.iter().map(|line| folder.hash(line)).collect();
    let mut votes = line_votes(original, &hashes);
    if votes.is_empty() {
        votes = word_votes(original, lines);
    }
    let shingles = shingles(&mut folder, sent);
    let mut candidates = sum_votes(votes, original.line_count());
    sort_by_key(&mut candidates, |candidate| {
        (std::cmp::Reverse(candidate.votes), candidate.start)
    });
    candidates.truncate(CANDIDATES);
    for candidate in &mut candidates {
        let range = original.lines(candidate.start, candidate.start + lines.len().max(1) - 1);
        let text = &original.text()[range];
        candidate.likeness = likeness(&shingles, &self::shingles(&mut folder, text));
        candidate.measure(original, &hashes);
    }
    sort_by_key(&mut candidates, |candidate| {
        let EqualLines { count, total } = candidate.equal;
        let likeness = candidate.likeness + (1_000 * count / total.max(1)) as u64;
        (
            std::cmp::Reverse((likeness, candidate.votes)),
            candidate.start,
        )
    });
    let mut best: Vec<RegionCandidate> = Vec::new();
    for candidate in candidates {
        let apart = lines.len().div_ceil(2).max(1);
        let is_apart = |other: &RegionCandidate| other.start.abs_diff(candidate.start) >= apart;
        if best.len() < REGIONS_SHOWN && best.iter().all(is_apart) {
            best.push(candidate);
        }
    }
    best
}

/// A vote for a first line, with its weight. If the third line of the text equals the first line of
/// the file, the vote is for line -2.
type Vote = (i64, u64);

/// Weight of one rare line or word, to be divided by its number of occurrences in the file: a line
/// that occurs once points to one region, and a line that occurs eight times is as likely to belong
/// to each of eight.
const VOTE: u64 = 64;

/// Returns votes for the start of the text by the lines that it shares with the file. If all of
/// them are frequent in the file, the rarest one votes for its first few places: in a file of
/// equal lines any place is as good as another.
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

/// Returns votes for the start of the text by the words that it shares with the file, in one pass
/// over the file. If all of the words are frequent, the least frequent ones vote. Of each word only
/// the first places are kept, so that the memory does not grow with the file.
fn word_votes(original: &Original<'_>, lines: &[&str]) -> Vec<Vote> {
    let mut folder = TextFolder::default();
    let mut words: Vec<(u64, usize)> = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        if words.len() < WORDS_LOOKED_UP {
            folder.words(line, |word| words.push((word, at)));
        }
    }
    words.truncate(WORDS_LOOKED_UP);
    words.sort_unstable();
    words.dedup_by_key(|(word, _)| *word);
    // For each word its number of occurrences in the file, and the first lines that contain it.
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

/// Sums up the votes for each line. Votes for a line before the file count for the first one.
fn sum_votes(mut votes: Vec<Vote>, line_count: usize) -> Vec<RegionCandidate> {
    votes.sort_unstable();
    let last = line_count.saturating_sub(1);
    let mut candidates: Vec<RegionCandidate> = Vec::new();
    for (start, votes) in votes {
        let start = usize::try_from(start).unwrap_or(0).min(last);
        match candidates.last_mut() {
            Some(candidate) if candidate.start == start => candidate.votes += votes,
            _ => candidates.push(RegionCandidate {
                start,
                votes,
                likeness: 0,
                equal: EqualLines::default(),
                count: 1,
            }),
        }
    }
    candidates
}

/// Maximum displacement in lines at which a line still counts as the same: a text that lacks a line
/// of the file, or has one more, shares the lines after it at another distance from its start.
const SLACK: usize = 3;

impl RegionCandidate {
    /// Counts the lines that the region shares with the text, in order, and those of the text, and
    /// determines the end of the region. Each line of the file is counted once, so that a text of
    /// many closing braces does not find the same one again and again.
    fn measure(&mut self, original: &Original<'_>, hashes: &[Option<u64>]) {
        let mut equal = EqualLines::default();
        let mut next = self.start;
        self.count = hashes.len();
        for (at, hash) in hashes.iter().enumerate() {
            if hash.is_none() {
                continue;
            }
            equal.total += 1;
            let expected = self.start + at;
            let from = next.max(expected.saturating_sub(SLACK));
            let found =
                (from..=expected + SLACK).find(|line| original.index().hash(*line) == *hash);
            if let Some(line) = found {
                equal.count += 1;
                next = line + 1;
                self.count = self.count.max(next - self.start);
            }
        }
        self.equal = equal;
    }
}

/// Returns the sorted hashes of all runs of four characters in a text, up to [`LIKENESS_BYTES`].
fn shingles(folder: &mut TextFolder, text: &str) -> Vec<u64> {
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

/// Returns the similarity of two sorted lists in thousandths.
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
    // The text may be a part of a long line, whose other runs are no difference. So each run of the
    // text counts four times as much as one of the region: equal texts reach 1 000, and a text that
    // the region lacks lowers the result more than one that the region has in addition.
    let total = 4 * sent.len() as u64 + own.len() as u64;
    5_000 * shared / total.max(1)
}
