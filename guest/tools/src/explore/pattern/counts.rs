//! The counts of all matches, from which every page says what it does not show.

use std::collections::HashMap;

use docent_api::pillars::{PatternFile, PatternValue};
use docent_text::digest::{combine, digest};
use docent_text::saturating::saturating_u32;
use docent_text::sort::sort_by;

use super::limits::{REST_FILES, VALUE_BYTES, VALUES};
use super::page::head;

/// Numbers of matching lines of all files of a scan.
#[derive(Debug, Default)]
pub struct MatchCounts {
    /// Matching lines of all files.
    pub lines: u32,
    /// Files with such lines, in the order of the scan.
    pub files: Vec<FileCount>,
    /// Digest of all counts, by which a cursor is validated.
    pub digest: u64,
}

/// Number of matching lines of a file.
#[derive(Debug)]
pub struct FileCount {
    /// Its path.
    pub path: String,
    /// Its matching lines, at least one.
    pub lines: u32,
}

/// Files whose lines are not shown on a page or an earlier one.
#[derive(Debug, Default)]
pub struct RestFiles {
    /// Those with the most lines.
    pub named: Vec<PatternFile>,
    /// Number of the others.
    pub unnamed_files: u32,
    /// Lines in these.
    pub unnamed_lines: u32,
}

impl MatchCounts {
    /// Adds a file with `lines` matching lines.
    pub fn add(&mut self, path: &str, lines: u32) {
        self.lines = self.lines.saturating_add(lines);
        self.digest = combine(self.digest, digest(path.as_bytes()));
        self.digest = combine(self.digest, lines.into());
        self.files.push(FileCount {
            path: path.to_owned(),
            lines,
        });
    }

    /// Returns the bytes of memory that the paths take.
    pub fn bytes(&self) -> usize {
        let paths = self.files.iter().map(|file| file.path.len());
        paths.sum::<usize>() + size_of_val(&*self.files)
    }

    /// Returns the files after the first `told` matching lines, those with the most lines first.
    pub fn rest(&self, told: u32) -> RestFiles {
        let mut before = told;
        let mut named: Vec<(u32, &str)> = Vec::new();
        let mut rest = RestFiles::default();
        // `told` lines were shown on this page and earlier ones, in the order of the scan. They
        // use up the lines of the first files, so the file in which the page ended counts with
        // its remaining lines only.
        for file in &self.files {
            let left = file.lines.saturating_sub(before);
            before = before.saturating_sub(file.lines);
            if left == 0 {
                continue;
            }
            rest.unnamed_files += 1;
            rest.unnamed_lines = rest.unnamed_lines.saturating_add(left);
            let place =
                named.partition_point(|(lines, path)| (*lines, &*file.path) >= (left, path));
            if place < REST_FILES {
                named.truncate(REST_FILES - 1);
                named.insert(place, (left, &file.path));
            }
        }
        for (lines, path) in named {
            rest.unnamed_files -= 1;
            rest.unnamed_lines = rest.unnamed_lines.saturating_sub(lines);
            rest.named.push(PatternFile {
                file_path: path.to_owned(),
                count: lines,
                lines: Vec::new(),
            });
        }
        rest
    }

    /// Sorts the files: those with the most lines first.
    pub fn sort_by_lines(&mut self) {
        let key = |file: &FileCount| std::cmp::Reverse(file.lines);
        sort_by(&mut self.files, |a, b| {
            key(a).cmp(&key(b)).then_with(|| a.path.cmp(&b.path))
        });
    }

    /// Returns the files after the first `told`, as many as fit into `room` bytes, and true if
    /// these are all.
    pub fn files_within(&self, told: u32, room: usize) -> (Vec<PatternFile>, bool) {
        let rest = self.files.iter().skip(told as usize);
        let files = rest.map(|file| PatternFile {
            file_path: file.path.clone(),
            count: file.lines,
            lines: Vec::new(),
        });
        within_room(files, |file| file.file_path.len() + 8, room)
    }
}

/// Numbers of occurrences of the different values that a pattern matches.
#[derive(Debug, Default)]
pub struct ValueCounts {
    counts: HashMap<String, u32>,
    bytes: usize,
    is_full: bool,
}

impl ValueCounts {
    /// Counts a value.
    pub fn add(&mut self, value: &str) {
        if let Some(count) = self.counts.get_mut(value) {
            *count = count.saturating_add(1);
            return;
        }
        let bytes = self.bytes + value.len();
        // Memory is bounded by the number of different values and by their bytes: `.+` over a
        // large tree has as many values as lines. Values already known are still counted, so
        // the numbers shown are exact; only the list is marked incomplete.
        if self.counts.len() >= VALUES || bytes > VALUE_BYTES {
            self.is_full = true;
            return;
        }
        self.bytes = bytes;
        self.counts.insert(value.to_owned(), 1);
    }

    /// Returns the values in order, the most frequent first.
    pub fn into_sorted(self) -> SortedValues {
        let mut values: Vec<(String, u32)> = self.counts.into_iter().collect();
        sort_by(&mut values, |a, b| {
            b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0))
        });
        SortedValues {
            values,
            bytes: self.bytes,
            is_complete: !self.is_full,
        }
    }
}

/// Different values with their numbers, the most frequent first.
#[derive(Debug)]
pub struct SortedValues {
    values: Vec<(String, u32)>,
    /// Bytes of all values.
    bytes: usize,
    /// True if all values were counted.
    pub is_complete: bool,
}

impl SortedValues {
    /// Returns their number.
    pub fn len(&self) -> u32 {
        saturating_u32(self.values.len())
    }

    /// Returns the bytes of memory that they take.
    pub fn bytes(&self) -> usize {
        self.bytes + size_of_val(&*self.values)
    }

    /// Returns the values after the first `told`, as many as fit into `room` bytes with at most
    /// `line_bytes` of each, and true if these are all.
    pub fn within(&self, told: u32, room: usize, line_bytes: usize) -> (Vec<PatternValue>, bool) {
        let rest = self.values.iter().skip(told as usize);
        let values = rest.map(|(text, count)| PatternValue {
            text: head(text, line_bytes),
            count: *count,
        });
        within_room(values, |value| value.text.len() + 8, room)
    }
}

/// Returns as many entries as fit, at least one, and true if these are all.
fn within_room<T>(
    entries: impl Iterator<Item = T>,
    bytes: impl Fn(&T) -> usize,
    mut room: usize,
) -> (Vec<T>, bool) {
    let mut taken = Vec::new();
    for entry in entries {
        let size = bytes(&entry);
        if size > room && !taken.is_empty() {
            return (taken, false);
        }
        room = room.saturating_sub(size);
        taken.push(entry);
    }
    (taken, true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rest_is_what_was_not_told() {
        let mut counts = MatchCounts::default();
        for (path, lines) in [("a", 3), ("b", 1), ("c", 5), ("d", 5)] {
            counts.add(path, lines);
        }
        let named = |told| {
            let rest = counts.rest(told);
            assert_eq!((rest.unnamed_files, rest.unnamed_lines), (0, 0));
            let named = rest.named.into_iter();
            let named: Vec<_> = named.map(|file| (file.file_path, file.count)).collect();
            named
        };
        let owned = |files: &[(&str, u32)]| {
            let files = files
                .iter()
                .map(|(path, lines)| ((*path).to_owned(), *lines));
            files.collect::<Vec<_>>()
        };
        assert_eq!(named(0), owned(&[("c", 5), ("d", 5), ("a", 3), ("b", 1)]));
        assert_eq!(named(3), owned(&[("c", 5), ("d", 5), ("b", 1)]));
        assert_eq!(named(6), owned(&[("d", 5), ("c", 3)]));
        assert_eq!(named(14), owned(&[]));
    }

    #[test]
    fn files_beyond_the_maximum_are_counted() {
        let mut counts = MatchCounts::default();
        for number in 0..REST_FILES + 5 {
            counts.add(&format!("{number:02}"), 2);
        }
        let rest = counts.rest(1);
        assert_eq!(rest.named.len(), REST_FILES);
        assert_eq!(rest.named[0].file_path, "01");
        // Nine others and the line that is left of the first file.
        assert_eq!((rest.unnamed_files, rest.unnamed_lines), (5, 9));
    }
}
