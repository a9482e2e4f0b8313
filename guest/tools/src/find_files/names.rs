//! The names in one directory, and the order in which a scan visits them.

use std::cmp::Ordering;

use crate::find_files::request::{EntryKinds, Hidden};
use docent_tree::disk::Kind;
use docent_tree::ignore::rules::IGNORE_FILES;

/// All usable names of a directory, in the order of the disk. They share one string, so that a
/// directory of a million files takes little more memory than its names.
#[derive(Debug, Default)]
pub struct DirectoryNames {
    text: String,
    items: Vec<NameItem>,
    /// Number of entries whose name is not UTF-8.
    pub unnamed: u32,
    /// Presence of each of [`IGNORE_FILES`].
    pub ignore_files: [bool; IGNORE_FILES.len()],
}

#[derive(Clone, Copy, Debug)]
struct NameItem {
    start: u32,
    length: u16,
    kind: Kind,
}

/// Index of an entry among the [`DirectoryNames`] of its directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NameIndex(u32);

/// One step of a scan in a directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScanStep {
    /// To the start itself.
    Start,
    /// To an entry.
    Entry(NameIndex),
    /// Into a directory.
    Inside(NameIndex),
}

/// Order of the visits in a directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sequence {
    /// Each path after all bytewise smaller ones: the content of a directory is sorted by its name
    /// with a trailing `/`, which is not always next to the directory itself.
    ByPath,
    /// All entries of a directory, then the content of its directories, one after the other.
    ByDirectory,
}

/// Filter of a scan's visits in a directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VisitFilter {
    /// Kinds of entries to find.
    pub kinds: EntryKinds,
    /// Treatment of names that start with a dot.
    pub hidden: Hidden,
    /// True if directories are entered.
    pub inside: bool,
    /// Sort name of the start among its entries, if it is visited.
    pub start: Option<StartName>,
}

/// The name of the start of a scan among its entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StartName {
    /// The name of the root, whose path is shown as `.`: after `-x` and before `a`.
    Root,
    /// Empty, which precedes any name: the path of another start is a prefix of all paths below it.
    Other,
}

/// Progress of a scan in a directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScanProgress<'p> {
    /// Number of completed visits.
    pub done: usize,
    /// The position inside the directory that the next visit enters, if the scan has already
    /// entered it.
    pub inside: Option<&'p str>,
}

/// The visits in a directory, in order.
#[derive(Debug)]
pub struct Visits {
    steps: Vec<ScanStep>,
    sequence: Sequence,
    filter: VisitFilter,
}

impl DirectoryNames {
    /// Adds an entry.
    pub fn push(&mut self, name: &str, kind: Kind) {
        if kind == Kind::File
            && name.starts_with('.')
            && let Some(i) = IGNORE_FILES.iter().position(|ignore| *ignore == name)
        {
            self.ignore_files[i] = true;
        }
        let (Ok(start), Ok(length)) = (u32::try_from(self.text.len()), u16::try_from(name.len()))
        else {
            // No file system has names of 64 KiB, and no instance has memory for 4 GiB of
            // names. Such an entry would be counted as unnamed instead of ending the scan.
            self.unnamed = self.unnamed.saturating_add(1);
            return;
        };
        self.text.push_str(name);
        self.items.push(NameItem {
            start,
            length,
            kind,
        });
    }

    /// Returns an entry's name.
    pub fn name(&self, NameIndex(index): NameIndex) -> &str {
        let item = &self.items[index as usize];
        let start = item.start as usize;
        &self.text[start..start + usize::from(item.length)]
    }

    /// Returns the kind of an entry when it was listed.
    pub fn kind(&self, NameIndex(index): NameIndex) -> Kind {
        self.items[index as usize].kind
    }

    /// Bytes that these names take.
    pub fn bytes(&self) -> usize {
        self.text.capacity() + self.items.capacity() * size_of::<NameItem>()
    }

    /// Releases unused memory.
    pub fn shrink(&mut self) {
        self.text.shrink_to_fit();
        self.items.shrink_to_fit();
    }

    /// Returns the visits of `filter`, in order.
    pub fn visits(&self, filter: VisitFilter, sequence: Sequence) -> Visits {
        // Each visit is sorted with the first bytes of its name as a number. Comparing the
        // texts reads two places of a large string for every comparison, and takes several
        // times as long for a directory of many files.
        let mut steps = Vec::with_capacity(self.items.len() + 1);
        let mut inside = Vec::new();
        if let Some(start) = filter.start {
            steps.push((first_bytes(start.key(), ScanStep::Start), ScanStep::Start));
        }
        for (item, index) in self.items.iter().zip(0..) {
            let index = NameIndex(index);
            let name = self.name(index);
            if filter.hidden.leaves_out(name) {
                continue;
            }
            let is_visited = match item.kind {
                Kind::File => filter.kinds.files,
                Kind::Directory => filter.kinds.directories,
                // A link or device never matches, but is visited to be reported as skipped.
                Kind::Symlink | Kind::Other => true,
            };
            if is_visited {
                let visit = ScanStep::Entry(index);
                steps.push((first_bytes(name, visit), visit));
            }
            if filter.inside && item.kind == Kind::Directory {
                let visit = ScanStep::Inside(index);
                inside.push((first_bytes(name, visit), visit));
            }
        }
        let start = filter.start_key();
        let by_name = |a: &(u64, ScanStep), b: &(u64, ScanStep)| {
            a.0.cmp(&b.0)
                .then_with(|| self.compare(start, a.1, self.key(start, b.1)))
        };
        match sequence {
            Sequence::ByPath => {
                steps.append(&mut inside);
                steps.sort_unstable_by(by_name);
            }
            Sequence::ByDirectory => {
                steps.sort_unstable_by(by_name);
                inside.sort_unstable_by(by_name);
                steps.append(&mut inside);
            }
        }
        Visits {
            steps: steps.into_iter().map(|(_, visit)| visit).collect(),
            sequence,
            filter,
        }
    }

    /// Returns the sort key of a visit, and true if a `/` follows it.
    fn key<'a>(&'a self, start: &'a str, visit: ScanStep) -> (&'a str, bool) {
        match visit {
            ScanStep::Start => (start, false),
            ScanStep::Entry(index) => (self.name(index), false),
            ScanStep::Inside(index) => (self.name(index), true),
        }
    }

    fn compare(&self, start: &str, visit: ScanStep, other: (&str, bool)) -> Ordering {
        compare(self.key(start, visit), other)
    }
}

impl StartName {
    /// Returns the sort key of a visit to the start.
    fn key(self) -> &'static str {
        match self {
            Self::Root => ".",
            Self::Other => "",
        }
    }
}

impl VisitFilter {
    fn start_key(&self) -> &'static str {
        self.start.map_or("", StartName::key)
    }
}

impl Visits {
    /// Returns true if these are the visits of `filter`, in this order.
    pub fn matches(&self, filter: VisitFilter, sequence: Sequence) -> bool {
        self.filter == filter && self.sequence == sequence
    }

    /// Returns the number of visits.
    pub fn len(&self) -> usize {
        self.steps.len()
    }

    /// Returns a visit.
    pub fn get(&self, index: usize) -> Option<ScanStep> {
        self.steps.get(index).copied()
    }

    /// Returns the progress of a scan at `position`, relative to the directory.
    pub fn progress<'p>(&self, names: &DirectoryNames, position: &'p str) -> ScanProgress<'p> {
        match position.split_once('/') {
            // `b.md` was visited last, and is complete.
            None => ScanProgress {
                done: self.count(names, (position, false), Ordering::is_le),
                inside: None,
            },
            // For `b/c.md`, the visit into `b` continues after `c.md`, unless `b` was deleted
            // since.
            Some((name, rest)) => {
                let done = self.count(names, (name, true), Ordering::is_lt);
                let next = self.get(done);
                let is_there =
                    matches!(next, Some(ScanStep::Inside(index)) if names.name(index) == name);
                ScanProgress {
                    done,
                    inside: is_there.then_some(rest),
                }
            }
        }
    }

    /// Returns the number of visits that are over according to their order relative to `key`.
    fn count(
        &self,
        names: &DirectoryNames,
        key: (&str, bool),
        is_over: fn(Ordering) -> bool,
    ) -> usize {
        self.steps.partition_point(|visit| {
            let is_inside = matches!(visit, ScanStep::Inside(_));
            // All visits to entries come before all visits into directories.
            if self.sequence == Sequence::ByDirectory && is_inside != key.1 {
                return key.1;
            }
            is_over(names.compare(self.filter.start_key(), *visit, key))
        })
    }
}

/// Compares in the order of paths: a directory that is entered as if its name ended in `/`.
fn compare((a, a_inside): (&str, bool), (b, b_inside): (&str, bool)) -> Ordering {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let shared = a.len().min(b.len());
    let following =
        |name: &[u8], inside: bool| name.get(shared).copied().or(inside.then_some(b'/'));
    a[..shared]
        .cmp(&b[..shared])
        .then_with(|| following(a, a_inside).cmp(&following(b, b_inside)))
}

/// Returns the first eight bytes of the sort key of a visit, as a number of the same order: most
/// comparisons need no more. Names contain no NUL, so it can mark the end.
fn first_bytes(name: &str, visit: ScanStep) -> u64 {
    let mut first = [0; 8];
    let length = name.len().min(first.len());
    first[..length].copy_from_slice(&name.as_bytes()[..length]);
    if matches!(visit, ScanStep::Inside(_)) && length < first.len() {
        first[length] = b'/';
    }
    u64::from_be_bytes(first)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn names(all: &[&str]) -> DirectoryNames {
        let mut names = DirectoryNames::default();
        for name in all {
            let (name, kind) = match name.strip_suffix('/') {
                Some(directory) => (directory, Kind::Directory),
                None => (*name, Kind::File),
            };
            names.push(name, kind);
        }
        names
    }

    const EVERYTHING: VisitFilter = VisitFilter {
        kinds: EntryKinds {
            files: true,
            directories: true,
        },
        hidden: Hidden::Inclusions,
        inside: true,
        start: None,
    };

    fn visit_names(names: &DirectoryNames, visits: &Visits) -> Vec<String> {
        let show = |visit: &ScanStep| {
            let (name, inside) = names.key(visits.filter.start_key(), *visit);
            format!("{name}{}", if inside { "/" } else { "" })
        };
        visits.steps.iter().map(show).collect()
    }

    #[test]
    fn by_path_a_directory_and_what_it_holds_are_two_places() {
        let names = names(&["b", "a/", "a.md", "a-b.md", "a0.md", ".x"]);
        let visits = names.visits(EVERYTHING, Sequence::ByPath);
        assert_eq!(
            visit_names(&names, &visits),
            [".x", "a", "a-b.md", "a.md", "a/", "a0.md", "b"]
        );
    }

    #[test]
    fn by_directory_what_directories_hold_comes_last() {
        let names = names(&["b", "a/", "a-b/", "a.md", "c/"]);
        let visits = names.visits(EVERYTHING, Sequence::ByDirectory);
        assert_eq!(
            visit_names(&names, &visits),
            ["a", "a-b", "a.md", "b", "c", "a-b/", "a/", "c/"]
        );
    }

    #[test]
    fn the_root_itself_stands_among_its_entries() {
        let names = names(&["-x", ".x", "a"]);
        let filter = VisitFilter {
            start: Some(StartName::Root),
            ..EVERYTHING
        };
        let visits = names.visits(filter, Sequence::ByPath);
        assert_eq!(visit_names(&names, &visits), ["-x", ".", ".x", "a"]);
    }

    #[test]
    fn what_is_not_wanted_is_not_visited() {
        let names = names(&["a", "b/", ".c", ".d/"]);
        let filter = VisitFilter {
            kinds: EntryKinds {
                files: true,
                directories: false,
            },
            hidden: Hidden::LeftOut,
            inside: true,
            start: None,
        };
        let visits = names.visits(filter, Sequence::ByPath);
        assert_eq!(visit_names(&names, &visits), ["a", "b/"]);
    }

    proptest! {
        #[test]
        fn visits_ascend_and_are_found_again(
            all in proptest::collection::btree_set("[-a.0가]{1,10}/?", 0..20),
            position in "[-a.0가]{0,10}(/[-a/]{0,3})?",
            by_path: bool,
        ) {
            let all: Vec<&str> = all.iter().map(String::as_str)
                .filter(|name| !name.ends_with('/') || !all.contains(name.trim_end_matches('/')))
                .collect();
            let names = names(&all);
            let sequence = if by_path { Sequence::ByPath } else { Sequence::ByDirectory };
            let visits = names.visits(EVERYTHING, sequence);
            let shown = visit_names(&names, &visits);
            let key = |text: &str| (!by_path && text.contains('/'), text.to_owned());
            let mut expected = shown.clone();
            expected.sort_by_key(|text| key(text));
            prop_assert_eq!(&shown, &expected);

            let ScanProgress { done, inside } = visits.progress(&names, &position);
            let target = match position.split_once('/') {
                Some((name, _)) => format!("{name}/"),
                None => position.clone(),
            };
            let before = shown.iter().filter(|text| key(text) < key(&target)).count();
            let there = shown.contains(&target);
            if position.contains('/') {
                prop_assert_eq!(done, before);
                prop_assert_eq!(inside.is_some(), there);
            } else {
                prop_assert_eq!(done, before + usize::from(there));
            }
        }
    }
}
