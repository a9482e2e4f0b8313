//! Matches of a pattern: all are counted, and as many are kept as fit into an answer.

use std::collections::HashMap;
use std::ops::{ControlFlow, Range};

use docent_api::pillars::{PatternFile, PatternLine, PatternOutput, PatternValue};
use docent_text::digest::{combine, digest};
use docent_text::lines::LineCounter;
use docent_text::saturating::saturating_u32;
use docent_text::time_budget::TimeBudget;

use super::matcher::{MatchedLine, Matcher, compose};
use crate::limits::{PATTERN_REST_FILES, PATTERN_VALUE_BYTES, PATTERN_VALUES};

/// The lines of files that match.
pub struct MatchedFiles<'a> {
    matcher: &'a Matcher,
    output: PatternOutput,
    /// Lines before and after.
    context: u32,
    /// Number of matching lines on earlier pages, for output `lines`.
    before: u32,
    /// Bytes that are left.
    room: usize,
    /// Maximum bytes shown of a line.
    line_bytes: usize,
    /// Matching lines.
    lines: u32,
    /// Files with such lines, in the order of the scan.
    files: Vec<FileCount>,
    /// Those that are shown.
    shown: Vec<PatternFile>,
    /// Matching lines that are shown.
    shown_lines: u32,
    is_full: bool,
    values: HashMap<String, u32>,
    value_bytes: usize,
    /// True if there was no room to count further values.
    has_more_values: bool,
    /// Digest of all counts, by which a cursor is validated.
    digest: u64,
}

/// A file with matching lines.
struct FileCount {
    path: String,
    count: u32,
    /// Number of its matching lines on this page and earlier ones.
    told: u32,
}

/// Lists for an answer.
#[derive(Default)]
pub struct Lists {
    /// Files whose lines are shown, or whose counts are.
    pub found: Vec<PatternFile>,
    /// Files whose lines are not shown.
    pub rest: Vec<PatternFile>,
    /// Those that neither list names.
    pub unnamed_files: u32,
    /// Lines in these.
    pub unnamed_lines: u32,
    /// The matched values.
    pub values: Vec<PatternValue>,
    /// Number of entries, from the first of all, on this page and earlier ones, or `None` if these
    /// are all.
    pub next: Option<u32>,
}

impl<'a> MatchedFiles<'a> {
    /// Returns a collector without matches, for a page after `before` entries with room for `room`
    /// bytes.
    pub fn new(
        matcher: &'a Matcher,
        output: PatternOutput,
        context: u32,
        before: u32,
        (room, line_bytes): (usize, usize),
    ) -> Self {
        Self {
            matcher,
            output,
            context,
            before,
            room,
            line_bytes,
            lines: 0,
            files: Vec::new(),
            shown: Vec::new(),
            shown_lines: 0,
            is_full: false,
            values: HashMap::new(),
            value_bytes: 0,
            has_more_values: false,
            digest: 0,
        }
    }

    /// Returns the number of matching lines, and that of files with matches.
    pub fn totals(&self) -> (u32, u32) {
        (self.lines, saturating_u32(self.files.len()))
    }

    /// Returns the digest of all counts.
    pub fn digest(&self) -> u64 {
        self.digest
    }

    /// Returns true if some values were not counted.
    pub fn has_more_values(&self) -> bool {
        self.has_more_values
    }

    /// Returns the number of different values counted.
    pub fn different_values(&self) -> u32 {
        saturating_u32(self.values.len())
    }

    /// Searches the text of a file, or its part `span`; returns true if it contains a match, or
    /// `None` if the time was over.
    pub fn search(
        &mut self,
        path: &str,
        text: &str,
        span: Range<usize>,
        time_budget: &mut TimeBudget<'_>,
    ) -> Option<bool> {
        let first_line = LineCounter::new(text).line(span.start);
        let part = &text[span];
        let normal = compose(part);
        let mut count = 0;
        let mut kept: Vec<MatchedLine> = Vec::new();
        let is_listed = matches!(self.output, PatternOutput::Lines | PatternOutput::Matches);
        let wants_lines = is_listed && !self.is_full;
        // More of them never fit: each takes at least two bytes.
        let most = self.room / 2 + 1;
        let already = self.before.saturating_sub(self.lines);
        self.matcher.lines(&normal, time_budget, |line| {
            count += 1;
            if wants_lines && count > already && kept.len() < most {
                kept.push(line);
            }
            ControlFlow::Continue(())
        })?;
        if count == 0 {
            return Some(false);
        }
        if self.output == PatternOutput::Values {
            self.take_values(&normal, time_budget)?;
        }
        let mut told = already.min(count);
        if !kept.is_empty() {
            let source = MatchSource {
                original: part,
                normal: &normal,
                first_line,
            };
            let values = match self.output {
                PatternOutput::Matches => {
                    Some(self.matcher.values_of_lines(&normal, &kept, time_budget)?)
                }
                _ => None,
            };
            told += self.show(path, count, &source, (&kept, values.as_deref()));
        }
        self.lines = self.lines.saturating_add(count);
        self.digest = combine(self.digest, digest(path.as_bytes()));
        self.digest = combine(self.digest, count.into());
        self.files.push(FileCount {
            path: path.to_owned(),
            count,
            told,
        });
        Some(true)
    }

    fn take_values(&mut self, text: &str, time_budget: &mut TimeBudget<'_>) -> Option<()> {
        let (values, bytes, more) = (
            &mut self.values,
            &mut self.value_bytes,
            &mut self.has_more_values,
        );
        self.matcher.values(text, time_budget, |value| {
            if let Some(count) = values.get_mut(value) {
                *count = count.saturating_add(1);
                return;
            }
            if values.len() >= PATTERN_VALUES || *bytes + value.len() > PATTERN_VALUE_BYTES {
                *more = true;
                return;
            }
            *bytes += value.len();
            values.insert(value.to_owned(), 1);
        })
    }

    /// Shows lines of a file, or the values of each instead, as far as they fit, and returns the
    /// number of matching lines shown.
    fn show(
        &mut self,
        path: &str,
        count: u32,
        source: &MatchSource<'_>,
        (kept, values): (&[MatchedLine], Option<&[Vec<&str>]>),
    ) -> u32 {
        let mut room = self.room.saturating_sub(path.len() + 1);
        let line_bytes = self.line_bytes;
        let is_first = self.shown.is_empty();
        let mut lines: Vec<PatternLine> = Vec::new();
        let mut shown = 0;
        let originals = source.lines_of(kept);
        let texts: Vec<&str> = match self.context {
            0 => Vec::new(),
            _ => docent_text::lines::with_ends(source.original).collect(),
        };
        for (matched, (number, original)) in kept.iter().zip(originals) {
            let text = cut(original, matched, self.line_bytes);
            let mut group = Vec::new();
            if let Some(values) = values {
                let values = values[shown as usize].iter();
                group.extend(values.map(|value| PatternLine {
                    number,
                    text: head(value, line_bytes),
                    matches: true,
                }));
            } else if self.context > 0 {
                let index = (number - source.first_line) as usize;
                let reach = self.context as usize;
                let last = lines.last().map_or(0, |line| line.number);
                let around = |index: usize| {
                    let number = source.first_line + saturating_u32(index);
                    let text = texts[index].trim_end_matches(['\n', '\r']);
                    PatternLine {
                        number,
                        text: head(text, line_bytes),
                        matches: false,
                    }
                };
                let before = index.saturating_sub(reach)..index;
                group.extend(before.map(around).filter(|line| line.number > last));
                group.push(PatternLine {
                    number,
                    text,
                    matches: true,
                });
                // Later lines of the context that match themselves are shown as matches.
                let next = kept.get(shown as usize + 1);
                let next = next.map_or(usize::MAX, |next| {
                    index + source.ends_between(matched.line.start, next.line.start)
                });
                let behind = index + 1..(index + 1 + reach).min(texts.len()).min(next);
                group.extend(behind.map(around));
            } else {
                group.push(PatternLine {
                    number,
                    text,
                    matches: true,
                });
            }
            let size: usize = group.iter().map(shown_bytes).sum();
            // At least one line is shown, so that every page makes progress.
            let is_very_first = is_first && shown == 0;
            if size > room && !is_very_first {
                self.is_full = true;
                break;
            }
            room = room.saturating_sub(size);
            lines.extend(group);
            shown += 1;
        }
        self.room = room;
        self.shown_lines += shown;
        if shown > 0 {
            self.shown.push(PatternFile {
                file_path: path.to_owned(),
                count,
                lines,
            });
        }
        if (shown as usize) < kept.len() {
            self.is_full = true;
        }
        shown
    }

    /// Returns the lists for the answer.
    pub fn lists(mut self) -> Lists {
        match self.output {
            PatternOutput::Count => Lists::default(),
            PatternOutput::Lines | PatternOutput::Matches => self.line_lists(),
            PatternOutput::Files => {
                sort(&mut self.files);
                let room = self.room;
                let rest = self.files.into_iter().skip(self.before as usize);
                let (found, is_all) = within_room(
                    rest.map(|file| PatternFile {
                        file_path: file.path,
                        count: file.count,
                        lines: Vec::new(),
                    }),
                    |file| file.file_path.len() + 8,
                    room,
                );
                let told = self.before + saturating_u32(found.len());
                Lists {
                    found,
                    next: (!is_all).then_some(told),
                    ..Lists::default()
                }
            }
            PatternOutput::Values => {
                let mut values: Vec<(String, u32)> = self.values.into_iter().collect();
                values.sort_unstable_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
                let rest = values.into_iter().skip(self.before as usize);
                let (values, is_all) = within_room(
                    rest.map(|(text, count)| PatternValue {
                        text: head(&text, self.line_bytes),
                        count,
                    }),
                    |value| value.text.len() + 8,
                    self.room,
                );
                let told = self.before + saturating_u32(values.len());
                Lists {
                    values,
                    next: (!is_all).then_some(told),
                    ..Lists::default()
                }
            }
        }
    }

    fn line_lists(mut self) -> Lists {
        let told = self.before.min(self.lines) + self.shown_lines;
        let next = (told < self.lines).then_some(told);
        self.files.retain(|file| file.told < file.count);
        for file in &mut self.files {
            file.count -= file.told;
        }
        sort(&mut self.files);
        let unnamed = self
            .files
            .split_off(self.files.len().min(PATTERN_REST_FILES));
        let rest = self.files.into_iter().map(|file| PatternFile {
            file_path: file.path,
            count: file.count,
            lines: Vec::new(),
        });
        Lists {
            found: self.shown,
            rest: rest.collect(),
            unnamed_files: saturating_u32(unnamed.len()),
            unnamed_lines: unnamed
                .iter()
                .fold(0, |lines, file| file.count.saturating_add(lines)),
            values: Vec::new(),
            next,
        }
    }
}

/// Text that contains the matching lines.
struct MatchSource<'t> {
    /// The text as read.
    original: &'t str,
    /// The same text, composed, in which the lines were found.
    normal: &'t str,
    /// Number of its first line.
    first_line: u32,
}

impl<'t> MatchSource<'t> {
    /// Returns true if offsets are the same in both texts.
    fn is_same(&self) -> bool {
        std::ptr::eq(self.original, self.normal)
    }

    /// Returns the number of line ends between two offsets.
    fn ends_between(&self, from: usize, to: usize) -> usize {
        docent_text::lines::count_ends(&self.normal.as_bytes()[from..to])
    }

    /// Returns the number and the text of each of these lines.
    fn lines_of(&self, kept: &[MatchedLine]) -> Vec<(u32, &'t str)> {
        let mut counter = LineCounter::new(self.normal);
        let numbers = kept.iter().map(|matched| counter.line(matched.line.start));
        let numbers: Vec<u32> = numbers.collect();
        if self.is_same() {
            let lines = kept
                .iter()
                .map(|matched| &self.original[matched.line.clone()]);
            let numbers = numbers.iter().map(|number| self.first_line + number - 1);
            return numbers.zip(lines).collect();
        }
        // Composing does not move line ends, so lines are found by their numbers.
        let mut lines = docent_text::lines::with_ends(self.original).zip(1..);
        let of = |number: u32| {
            let line = lines.find(|(_, at)| *at == number);
            let text = line.map_or("", |(text, _)| text.trim_end_matches(['\n', '\r']));
            (self.first_line + number - 1, text)
        };
        numbers.into_iter().map(of).collect()
    }
}

fn sort(files: &mut [FileCount]) {
    files.sort_by(|a, b| b.count.cmp(&a.count).then_with(|| a.path.cmp(&b.path)));
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

/// Returns the bytes of a line in an answer.
fn shown_bytes(line: &PatternLine) -> usize {
    let digits = line.number.checked_ilog10().unwrap_or(0) as usize + 1;
    digits + 1 + line.text.len() + 1
}

/// Returns at most `most` bytes of a line: of a long one, the part around the match.
fn cut(line: &str, matched: &MatchedLine, most: usize) -> String {
    if line.len() <= most {
        return line.to_owned();
    }
    // In a line that is not composed, the offset of the match differs by some bytes, which the room
    // before the match covers.
    let hit = (matched.hit.start - matched.line.start).min(line.len());
    let start = line.floor_char_boundary(hit.saturating_sub(most / 3));
    let end = line.floor_char_boundary((start + most).min(line.len()));
    let before = if start > 0 { "…" } else { "" };
    let behind = if end < line.len() { "…" } else { "" };
    format!("{before}{}{behind}", &line[start..end])
}

/// Returns the first bytes of a line, at most `most`.
fn head(line: &str, most: usize) -> String {
    if line.len() <= most {
        return line.to_owned();
    }
    format!("{}…", &line[..line.floor_char_boundary(most)])
}
