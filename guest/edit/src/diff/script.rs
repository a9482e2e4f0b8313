//! The line diff of two texts.
//!
//! Lines that both texts contain once and in the same order are kept, as in Bram Cohen's patience
//! diff. Between them the shortest edit script is searched for with Myers' algorithm (*An O(ND)
//! Difference Algorithm and Its Variations*, 1986), up to a number of differences and of
//! comparisons. So the cost is linear in the length of the texts, whatever they contain: where the
//! search is given up, the whole range becomes one change, which is just as correct and only
//! longer. Without these caps 200 000 lines shuffled, or repeated from two symbols, take quadratic
//! time.

use std::collections::HashMap;
use std::ops::Range;

use crate::limits::{COMPARISONS_PER_LINE, DIFFERENCES, DIVISIONS};

/// A range of lines in one text that replaces a range of lines in another. One of them may be
/// empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineChange {
    /// Removed lines.
    pub old: Range<usize>,
    /// Added lines.
    pub new: Range<usize>,
}

/// Returns the changes that turn `old` into `new`, in order. Between two of them at least one line
/// is kept.
pub fn script(old: &[&str], new: &[&str]) -> Vec<LineChange> {
    script_counted(old, new, &mut 0)
}

/// Returns the same changes, and counts the lines that were compared.
fn script_counted(old: &[&str], new: &[&str], steps: &mut usize) -> Vec<LineChange> {
    let mut names = HashMap::new();
    let mut name = |line| {
        let next = names.len();
        *names.entry(line).or_insert(next)
    };
    let old: Vec<usize> = old.iter().map(|line| name(*line)).collect();
    let new: Vec<usize> = new.iter().map(|line| name(*line)).collect();
    let mut search = Search {
        old: &old,
        new: &new,
        seen: vec![Seen::default(); names.len()],
        steps: 0,
        changes: Vec::new(),
    };
    search.run();
    *steps += search.steps;
    merge(search.changes)
}

/// The number of times that a line occurs in the ranges examined, and its last position.
#[derive(Clone, Copy, Default)]
struct Seen {
    in_old: u32,
    in_new: u32,
    last_new: usize,
}

struct Search<'l> {
    old: &'l [usize],
    new: &'l [usize],
    seen: Vec<Seen>,
    steps: usize,
    changes: Vec<LineChange>,
}

impl Search<'_> {
    fn run(&mut self) {
        let whole = LineChange {
            old: 0..self.old.len(),
            new: 0..self.new.len(),
        };
        let mut open = vec![(whole, 0)];
        while let Some((stretch, depth)) = open.pop() {
            let stretch = self.trim_equal(stretch);
            if stretch.old.is_empty() || stretch.new.is_empty() {
                if !stretch.old.is_empty() || !stretch.new.is_empty() {
                    self.changes.push(stretch);
                }
                continue;
            }
            let anchors = if depth < DIVISIONS {
                self.anchors(&stretch)
            } else {
                Vec::new()
            };
            if anchors.is_empty() {
                self.shortest(stretch);
                continue;
            }
            // Pushed in reverse, so that the changes are found in the order of the text.
            let mut ends = (stretch.old.end, stretch.new.end);
            for (old, new) in anchors.into_iter().rev() {
                let between = LineChange {
                    old: old + 1..ends.0,
                    new: new + 1..ends.1,
                };
                open.push((between, depth + 1));
                ends = (old, new);
            }
            let first = LineChange {
                old: stretch.old.start..ends.0,
                new: stretch.new.start..ends.1,
            };
            open.push((first, depth + 1));
        }
    }

    /// Returns a range without its equal beginning and end.
    fn trim_equal(&mut self, stretch: LineChange) -> LineChange {
        let (old, new) = (
            &self.old[stretch.old.clone()],
            &self.new[stretch.new.clone()],
        );
        let before = old
            .iter()
            .zip(new)
            .take_while(|(old, new)| old == new)
            .count();
        let (old, new) = (&old[before..], &new[before..]);
        let pairs = old.iter().rev().zip(new.iter().rev());
        let behind = pairs.take_while(|(old, new)| old == new).count();
        self.steps += before + behind + 1;
        LineChange {
            old: stretch.old.start + before..stretch.old.end - behind,
            new: stretch.new.start + before..stretch.new.end - behind,
        }
    }

    /// Returns the lines that occur once on both sides of a range, as many as are in the same
    /// order. A closing brace that occurs often is never an anchor, so that a function which is
    /// inserted between two others is shown as a whole. The counts are reset line by line, because
    /// clearing the table for each range would be quadratic.
    fn anchors(&mut self, stretch: &LineChange) -> Vec<(usize, usize)> {
        self.steps += stretch.old.len() + stretch.new.len();
        for at in stretch.old.clone() {
            self.seen[self.old[at]].in_old += 1;
        }
        for at in stretch.new.clone() {
            let seen = &mut self.seen[self.new[at]];
            seen.in_new += 1;
            seen.last_new = at;
        }
        let once = stretch.old.clone().filter_map(|at| {
            let seen = &self.seen[self.old[at]];
            (seen.in_old == 1 && seen.in_new == 1).then_some((at, seen.last_new))
        });
        let once: Vec<(usize, usize)> = once.collect();
        let lines = self.old[stretch.old.clone()].iter();
        for line in lines.chain(&self.new[stretch.new.clone()]) {
            self.seen[*line] = Seen::default();
        }
        find_ascending(&once)
    }

    /// Adds the changes of a range: the fewest possible, or a single one.
    fn shortest(&mut self, stretch: LineChange) {
        let lines = stretch.old.len() + stretch.new.len();
        let mut left = COMPARISONS_PER_LINE * lines;
        let old = &self.old[stretch.old.clone()];
        let new = &self.new[stretch.new.clone()];
        let way =
            furthest(old, new, &mut left).map(|levels| kept_lines(&levels, old.len(), new.len()));
        self.steps += COMPARISONS_PER_LINE * lines - left;
        let Some(kept) = way else {
            self.changes.push(stretch);
            return;
        };
        let ends = [(old.len(), new.len())];
        let (mut old, mut new) = (0, 0);
        for (next_old, next_new) in kept.into_iter().chain(ends) {
            if next_old > old || next_new > new {
                self.changes.push(LineChange {
                    old: stretch.old.start + old..stretch.old.start + next_old,
                    new: stretch.new.start + new..stretch.new.start + next_new,
                });
            }
            (old, new) = (next_old + 1, next_new + 1);
        }
    }
}

/// Returns the longest subsequence of pairs whose second elements ascend. The pairs are sorted by
/// their first elements. This is patience sorting, which takes n log n steps for n pairs: shuffled
/// lines are all unique, so n may be the length of the text.
fn find_ascending(pairs: &[(usize, usize)]) -> Vec<(usize, usize)> {
    // The last pair of the best run of each length, and the predecessor of each pair.
    let mut tails: Vec<usize> = Vec::new();
    let mut before = vec![None; pairs.len()];
    for (index, (_, new)) in pairs.iter().enumerate() {
        let length = tails.partition_point(|tail| pairs[*tail].1 < *new);
        before[index] = length.checked_sub(1).map(|shorter| tails[shorter]);
        match tails.get_mut(length) {
            Some(tail) => *tail = index,
            None => tails.push(index),
        }
    }
    let mut run = Vec::with_capacity(tails.len());
    let mut next = tails.last().copied();
    while let Some(index) = next {
        run.push(pairs[index]);
        next = before[index];
    }
    run.reverse();
    run
}

/// The furthest position in `old` on each diagonal, for a number of differences.
type Level = Vec<usize>;

/// Returns the furthest positions for each number of differences, up to the number that suffices,
/// or `None` if too many are needed. Diagonal `k`, which is `new - old`, has index `d + k`. All
/// levels are kept, because `kept_lines` follows them back; the limit of differences bounds their
/// memory.
fn furthest(old: &[usize], new: &[usize], left: &mut usize) -> Option<Vec<Level>> {
    let mut levels: Vec<Level> = Vec::new();
    for count in 0..=DIFFERENCES {
        let mut level = vec![0; 2 * count + 1];
        for index in (0..=2 * count).step_by(2) {
            let mut at = match levels.last() {
                None => 0,
                Some(last) => step(last, index).0,
            };
            // On this diagonal the position in `new` would be before its start.
            let Some(mut to) = (at + index).checked_sub(count) else {
                continue;
            };
            while at < old.len() && to < new.len() && old[at] == new[to] {
                (at, to) = (at + 1, to + 1);
                *left = left.checked_sub(1)?;
            }
            *left = left.checked_sub(1)?;
            level[index] = at;
            if at >= old.len() && to >= new.len() {
                levels.push(level);
                return Some(levels);
            }
        }
        levels.push(level);
    }
    None
}

/// Returns the furthest position on a diagonal that its neighbours reach with one more difference,
/// and the index of that neighbour in `last`. An inserted line moves up one diagonal, a removed
/// line down.
fn step(last: &[usize], index: usize) -> (usize, usize) {
    // In `last` the same diagonal has an index lower by one: its neighbours are at `index - 2` and
    // `index`.
    let inserted = index
        .checked_sub(2)
        .and_then(|at| Some((*last.get(at)?, at)));
    let removed = last.get(index).map(|at| (at + 1, index));
    match (inserted, removed) {
        (Some(inserted), Some(removed)) if inserted.0 >= removed.0 => inserted,
        (_, Some(removed)) => removed,
        (Some(inserted), None) => inserted,
        (None, None) => (0, 0),
    }
}

/// Returns the pairs of kept lines, in order.
fn kept_lines(levels: &[Level], old: usize, new: usize) -> Vec<(usize, usize)> {
    let mut pairs = Vec::new();
    let (mut at, mut to) = (old, new);
    for count in (0..levels.len()).rev() {
        let index = to + count - at;
        let (from, before) = match count.checked_sub(1).map(|last| &levels[last]) {
            Some(last) => step(last, index),
            None => (0, 0),
        };
        while at > from {
            (at, to) = (at - 1, to - 1);
            pairs.push((at, to));
        }
        if count > 0 {
            // Either a line of `new` was inserted, or one of `old` removed.
            let was_inserted = before + 2 == index;
            (at, to) = if was_inserted {
                (at, to - 1)
            } else {
                (at - 1, to)
            };
        }
    }
    pairs.reverse();
    pairs
}

/// Merges changes between which no line is kept.
fn merge(changes: Vec<LineChange>) -> Vec<LineChange> {
    let mut merged: Vec<LineChange> = Vec::with_capacity(changes.len());
    for change in changes {
        match merged.last_mut() {
            Some(last) if last.old.end == change.old.start && last.new.end == change.new.start => {
                last.old.end = change.old.end;
                last.new.end = change.new.end;
            }
            _ => merged.push(change),
        }
    }
    merged
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Checks that the changes turn `old` into `new`.
    fn check(old: &[&str], new: &[&str]) {
        let changes = script(old, new);
        let mut made: Vec<&str> = Vec::new();
        let mut last: Option<usize> = None;
        for change in &changes {
            assert!(
                last.is_none_or(|last| last < change.old.start),
                "{changes:?}"
            );
            made.extend(&old[last.unwrap_or(0)..change.old.start]);
            made.extend(&new[change.new.clone()]);
            last = Some(change.old.end);
        }
        made.extend(&old[last.unwrap_or(0)..]);
        assert_eq!(made, new);
    }

    /// Returns the least number of removed and added lines, by dynamic programming over all
    /// prefixes.
    fn fewest(old: &[&str], new: &[&str]) -> usize {
        let mut row: Vec<usize> = (0..=new.len()).collect();
        for line in old {
            let mut diagonal = row[0];
            row[0] += 1;
            for at in 1..=new.len() {
                let other = if new[at - 1] == *line {
                    diagonal
                } else {
                    usize::MAX
                };
                diagonal = row[at];
                row[at] = other.min(row[at] + 1).min(row[at - 1] + 1);
            }
        }
        row[new.len()]
    }

    #[test]
    fn the_change_is_where_it_was_made() {
        let old = ["a", "b", "c", "d", "e"];
        let new = ["a", "x", "c", "d", "y", "e"];
        let expected = [
            LineChange {
                old: 1..2,
                new: 1..2,
            },
            LineChange {
                old: 4..4,
                new: 4..5,
            },
        ];
        assert_eq!(script(&old, &new), expected);
        assert_eq!(script(&old, &old), []);
    }

    #[test]
    fn hostile_texts_cost_what_they_are_long() {
        let mut state = 1u32;
        let mut random = |symbols: u32| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            ((state >> 8) % symbols) as usize
        };
        let names: Vec<String> = (0..200_000).map(|n| n.to_string()).collect();
        let mut texts: Vec<(Vec<&str>, Vec<&str>)> = Vec::new();
        for symbols in [1, 2, 10, 1_000] {
            let mut text = |lines| {
                (0..lines)
                    .map(|_| names[random(symbols)].as_str())
                    .collect()
            };
            texts.push((text(200_000), text(150_000)));
        }
        let ascending: Vec<&str> = names.iter().map(String::as_str).collect();
        let descending = ascending.iter().rev().copied().collect();
        texts.push((ascending.clone(), descending));
        let mut shuffled = ascending.clone();
        (1..shuffled.len()).for_each(|at| shuffled.swap(at, random(at as u32 + 1)));
        texts.push((ascending, shuffled));
        for (old, new) in texts {
            let mut steps = 0;
            let changes = script_counted(&old, &new, &mut steps);
            assert!(!changes.is_empty());
            let most = (COMPARISONS_PER_LINE + 3 * DIVISIONS) * (old.len() + new.len());
            assert!(steps <= most, "{steps} > {most}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 5_000, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn makes_the_new_text(
            old in proptest::collection::vec("[a-f]", 0..24),
            new in proptest::collection::vec("[a-f]", 0..24),
        ) {
            let old: Vec<&str> = old.iter().map(String::as_str).collect();
            let new: Vec<&str> = new.iter().map(String::as_str).collect();
            check(&old, &new);
            let number = |text: &[&str]| {
                text.iter().map(|line| usize::from(line.as_bytes()[0])).collect::<Vec<_>>()
            };
            let mut left = usize::MAX;
            let levels = furthest(&number(&old), &number(&new), &mut left).unwrap();
            prop_assert_eq!(levels.len() - 1, fewest(&old, &new));
            let stay = kept_lines(&levels, old.len(), new.len());
            prop_assert_eq!(old.len() + new.len() - 2 * stay.len(), fewest(&old, &new));
            prop_assert!(stay.iter().all(|(at, to)| old[*at] == new[*to]));
            let ascends = |pair: &[(usize, usize)]| pair[0].0 < pair[1].0 && pair[0].1 < pair[1].1;
            prop_assert!(stay.windows(2).all(ascends));
        }
    }
}
