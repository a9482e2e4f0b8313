//! Pages: the entries of each aspect that fit into an answer, and the position of the next ones.

use docent_api::types::Error;
use docent_api::understanding::{
    Aspect, FileSummary, HotSpot, LeftOut, Reference, ReferenceEnd, StructureEntry,
};
use docent_rank::bm25::{Bm25Query, Collection};
use docent_text::digest::{combine, digest};
use docent_text::saturating::saturating_u32;
use docent_text::sort::sort_by;
use docent_text::time_budget::TimeBudget;

use crate::limits::UNDERSTAND_ENTRY_BYTES;
use crate::paging::cursor::{self, Fingerprint};
use crate::understand::request::ASPECTS;

/// An entry of an aspect.
#[derive(Clone, Debug)]
pub enum PageEntry {
    /// Of a structure.
    Structure(StructureEntry),
    /// A dependency of the subject.
    Dependency(Reference),
    /// A reference to the subject.
    Impact(Reference),
    /// A file or definition with many references.
    HotSpot(HotSpot),
    /// A summary of a file.
    Summary(FileSummary),
}

/// The entries of every aspect, in the order of [`ASPECTS`].
pub type Entries = [Vec<PageEntry>; 5];

/// Page of an answer.
pub struct UnderstandPage {
    /// The entries.
    pub entries: Entries,
    /// Number of entries left out, by aspect.
    pub left_out: Vec<LeftOut>,
    /// Cursor of the next page, or `None` if nothing is left.
    pub next_cursor: Option<String>,
    /// True if a cursor belonged to other entries than the current ones.
    pub begins_anew: bool,
}

impl PageEntry {
    /// Returns the texts shown of it.
    fn texts(&self) -> [&str; 3] {
        match self {
            Self::Structure(entry) => [
                &entry.path,
                &entry.text,
                entry.name.as_deref().unwrap_or_default(),
            ],
            Self::Dependency(edge) | Self::Impact(edge) => [
                &edge.path,
                &edge.text,
                edge.to.as_deref().unwrap_or_default(),
            ],
            Self::HotSpot(spot) => [
                &spot.path,
                &spot.text,
                spot.symbol.as_deref().unwrap_or_default(),
            ],
            Self::Summary(summary) => [&summary.path, &summary.title, &summary.text],
        }
    }

    /// Returns true if it is a broken reference.
    fn is_broken(&self) -> bool {
        let Self::Dependency(edge) = self else {
            return false;
        };
        matches!(edge.end, ReferenceEnd::NoFile | ReferenceEnd::NoSection)
    }

    fn bytes(&self) -> usize {
        let texts: usize = self.texts().iter().map(|text| text.len()).sum();
        let candidates: usize = match self {
            Self::Dependency(edge) | Self::Impact(edge) => {
                edge.candidates.iter().map(String::len).sum()
            }
            Self::Structure(_) | Self::HotSpot(_) | Self::Summary(_) => 0,
        };
        texts + candidates + UNDERSTAND_ENTRY_BYTES
    }

    fn digest(&self) -> u64 {
        let texts = self.texts();
        texts
            .iter()
            .fold(0, |sum, text| combine(sum, digest(text.as_bytes())))
    }
}

/// Position of the next page in each aspect, and the digest of the entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct PagePosition {
    from: [usize; 5],
    sources: u64,
}

impl PagePosition {
    fn encode(self, fingerprint: Fingerprint) -> String {
        let numbers = self.from.map(|from| from.to_string()).join(".");
        cursor::encode(fingerprint, &format!("{numbers}.{:016x}", self.sources))
    }

    fn decode(fingerprint: Fingerprint, text: &str) -> Result<Self, Error> {
        let plain = cursor::decode(fingerprint, text)?;
        Self::parse(&plain).ok_or_else(cursor::invalid_cursor)
    }

    fn parse(text: &str) -> Option<Self> {
        let parts: Vec<&str> = text.split('.').collect();
        let (sources, numbers) = parts.split_last()?;
        let numbers: Vec<usize> = numbers
            .iter()
            .filter_map(|part| part.parse().ok())
            .collect();
        Some(Self {
            from: numbers.try_into().ok()?,
            sources: u64::from_str_radix(sources, 16).ok()?,
        })
    }
}

/// Returns the page of `entries` that fits into `max_chars` bytes.
///
/// # Errors
/// `invalid-cursor`.
pub fn page(
    mut entries: Entries,
    goal: Option<&Bm25Query>,
    max_chars: usize,
    fingerprint: Fingerprint,
    cursor: Option<&str>,
) -> Result<UnderstandPage, Error> {
    let asked = cursor
        .map(|text| PagePosition::decode(fingerprint, text))
        .transpose()?;
    let all: usize = entries.iter().flatten().map(PageEntry::bytes).sum();
    if let Some(goal) = goal.filter(|_| all > max_chars) {
        sort_for(goal, &mut entries);
    }
    let sources = entries
        .iter()
        .flatten()
        .fold(0, |sum, entry| combine(sum, entry.digest()));
    // A cursor has the number of entries shown of each aspect. If a file has changed meanwhile,
    // the twentieth entry may be another one, and the page would omit or repeat entries. So the
    // answer begins again, and says so.
    let position = asked.filter(|asked| asked.sources == sources);
    let from = position.map_or([0; 5], |position| position.from);
    let mut left: Entries = entries;
    for (own, from) in left.iter_mut().zip(from) {
        own.drain(..from.min(own.len()));
    }
    let taken = take(&left, max_chars);
    let mut shown = Entries::default();
    let mut next = PagePosition { from, sources };
    let mut left_out = Vec::new();
    for (index, mut own) in left.into_iter().enumerate() {
        let rest = own.split_off(taken[index]);
        next.from[index] += taken[index];
        if !rest.is_empty() {
            left_out.push(LeftOut {
                aspect: ASPECTS[index],
                count: saturating_u32(rest.len()),
            });
        }
        shown[index] = own;
    }
    Ok(UnderstandPage {
        entries: shown,
        next_cursor: (!left_out.is_empty()).then(|| next.encode(fingerprint)),
        left_out,
        begins_anew: asked.is_some() && position.is_none(),
    })
}

/// Returns the number of entries of each aspect on a page. Each has an equal share of the room; the
/// others share the rest of one that needs less.
fn take(entries: &Entries, max_chars: usize) -> [usize; 5] {
    let needs = entries
        .each_ref()
        .map(|own| own.iter().map(PageEntry::bytes).sum::<usize>());
    let mut shares = [0usize; 5];
    let mut room = max_chars;
    let mut open: Vec<usize> = (0..5).filter(|index| needs[*index] > 0).collect();
    while !open.is_empty() {
        let share = room / open.len();
        let (small, large): (Vec<usize>, Vec<usize>) =
            open.iter().partition(|index| needs[**index] <= share);
        if small.is_empty() {
            for index in open {
                shares[index] = share;
            }
            break;
        }
        for index in small {
            shares[index] = needs[index];
            room -= needs[index];
        }
        open = large;
    }
    let mut taken = [0; 5];
    let mut spare = 0;
    for index in 0..5 {
        let mut room = shares[index] + spare;
        for entry in &entries[index] {
            if entry.bytes() > room {
                break;
            }
            room -= entry.bytes();
            taken[index] += 1;
        }
        spare = room;
    }
    // An entry larger than the whole room is returned all the same. Otherwise the page would be
    // empty, and its cursor would be the one with which it was requested: a caller that follows
    // cursors would never end.
    if taken == [0; 5]
        && let Some(index) = (0..5).find(|index| !entries[*index].is_empty())
    {
        taken[index] = 1;
    }
    taken
}

/// Sorts the entries of each aspect by their relevance to a goal, equals in their order.
fn sort_for(goal: &Bm25Query, entries: &mut Entries) {
    for own in entries {
        let mut collection = Collection::default();
        let counted: Vec<(u32, Vec<u32>)> = own
            .iter()
            .map(|entry| {
                let mut counts = vec![0; goal.count_len()];
                let text = entry.texts().join("\n");
                let length = goal.count_text(&text, &mut counts, &mut TimeBudget::unlimited());
                (length, counts)
            })
            .collect();
        for (length, counts) in &counted {
            collection.add(*length, counts);
        }
        let ranking = collection.rank(goal, collection.mean_length());
        let mut scored: Vec<(f64, PageEntry)> = counted
            .iter()
            .map(|(length, counts)| ranking.score(*length, counts))
            .zip(own.drain(..))
            .collect();
        // Broken references stay first, whatever the goal.
        let rank = |(score, entry): &(f64, PageEntry)| (entry.is_broken(), *score);
        sort_by(&mut scored, |a, b| {
            let ((a_broken, a), (b_broken, b)) = (rank(a), rank(b));
            b_broken.cmp(&a_broken).then(b.total_cmp(&a))
        });
        own.extend(scored.into_iter().map(|(_, entry)| entry));
    }
}

/// Returns the index of an aspect in [`ASPECTS`].
pub fn place(aspect: Aspect) -> usize {
    match aspect {
        Aspect::Structure => 0,
        Aspect::Dependencies => 1,
        Aspect::Impact => 2,
        Aspect::HotSpots => 3,
        Aspect::Summary => 4,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(number: usize) -> PageEntry {
        PageEntry::Summary(FileSummary {
            path: format!("{number:03}.md"),
            title: "word".repeat(5),
            text: String::new(),
        })
    }

    fn entries(counts: [usize; 5]) -> Entries {
        counts.map(|count| (0..count).map(entry).collect())
    }

    fn count(entries: &Entries) -> [usize; 5] {
        entries.each_ref().map(Vec::len)
    }

    #[test]
    fn pages_put_together_are_everything() {
        let all = entries([40, 0, 3, 7, 100]);
        let fingerprint = Fingerprint::new("understand");
        let mut cursor = None;
        let mut seen = [0; 5];
        for pages in 1.. {
            let page = page(all.clone(), None, 1_000, fingerprint, cursor.as_deref()).unwrap();
            for (seen, shown) in seen.iter_mut().zip(count(&page.entries)) {
                *seen += shown;
            }
            cursor = page.next_cursor;
            if cursor.is_none() {
                assert!(page.left_out.is_empty());
                assert!(pages > 5, "{pages}");
                break;
            }
        }
        assert_eq!(seen, [40, 0, 3, 7, 100]);
    }

    #[test]
    fn each_has_its_share_and_what_is_left_of_others() {
        let one = entry(0).bytes();
        assert_eq!(take(&entries([9, 0, 1, 9, 9]), 10 * one), [3, 0, 1, 3, 3]);
        assert_eq!(take(&entries([9, 0, 0, 0, 0]), 5 * one), [5, 0, 0, 0, 0]);
        assert_eq!(take(&entries([0, 2, 0, 0, 2]), 1), [0, 1, 0, 0, 0]);
    }

    #[test]
    fn a_goal_comes_first_where_not_all_fits() {
        let mut all = entries([0, 0, 0, 0, 20]);
        if let PageEntry::Summary(last) = &mut all[4][19] {
            last.text = "How to deploy a server".to_owned();
        }
        let goal = Bm25Query::new("deploying servers");
        let first = |max_chars| {
            let fingerprint = Fingerprint::new("understand");
            let page = page(all.clone(), Some(&goal), max_chars, fingerprint, None).unwrap();
            page.entries[4][0].texts()[0].to_owned()
        };
        assert_eq!(first(500), "019.md");
        assert_eq!(first(100_000), "000.md");
    }

    #[test]
    fn other_entries_begin_anew() {
        let fingerprint = Fingerprint::new("understand");
        let first = page(entries([0, 0, 0, 0, 20]), None, 500, fingerprint, None).unwrap();
        let cursor = first.next_cursor.as_deref();
        let again = page(entries([0, 0, 0, 0, 21]), None, 500, fingerprint, cursor).unwrap();
        assert!(again.begins_anew && count(&again.entries) == count(&first.entries));
        assert!(page(entries([0; 5]), None, 500, fingerprint, Some("x")).is_err());
    }
}
