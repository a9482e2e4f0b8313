//! What a search for a pattern has found: counted all, and kept as far as an answer has room.

use std::collections::HashMap;
use std::ops::{ControlFlow, Range};

use docent_api::pillars::{PatternFile, PatternLine, PatternOutput, PatternValue};
use docent_text::digest::{combine, digest};
use docent_text::lines::LineCounter;
use docent_text::patience::Pace;
use docent_text::saturating::saturating_u32;

use super::matcher::{MatchedLine, Matcher, composed};
use crate::limits::{PATTERN_REST_FILES, PATTERN_VALUE_BYTES, PATTERN_VALUES};

/// The lines of files that match.
pub struct Found<'a> {
    matcher: &'a Matcher,
    output: PatternOutput,
    /// Lines before and after.
    context: u32,
    /// Matching lines that pages before have shown, of output `lines`.
    before: u32,
    /// Bytes that are left.
    room: usize,
    /// Bytes of a line that are shown.
    line_bytes: usize,
    /// Matching lines.
    lines: u32,
    /// Files with such lines, in the order in which they were looked at.
    files: Vec<FileCount>,
    /// Those that are shown.
    shown: Vec<PatternFile>,
    /// Matching lines that are shown.
    shown_lines: u32,
    is_full: bool,
    values: HashMap<String, u32>,
    value_bytes: usize,
    /// Whether there was no room to count further values.
    has_more_values: bool,
    /// Digest of all counts, which a cursor is checked by.
    digest: u64,
}

/// A file with matching lines.
struct FileCount {
    path: String,
    count: u32,
    /// How many of its matching lines this page shows or pages before have shown.
    told: u32,
}

/// Lists for an answer.
#[derive(Default)]
pub struct Lists {
    /// Files whose lines are shown, or that are named with their counts.
    pub found: Vec<PatternFile>,
    /// Files with lines that are not shown.
    pub rest: Vec<PatternFile>,
    /// Those that neither list names.
    pub unnamed_files: u32,
    /// Lines in these.
    pub unnamed_lines: u32,
    /// What matched.
    pub values: Vec<PatternValue>,
    /// How many entries, counted from the first of all, pages have shown with this one; none where
    /// that is all.
    pub next: Option<u32>,
}

impl<'a> Found<'a> {
    /// Returns one that has found nothing yet, for a page behind `before` entries with room for
    /// `room` bytes.
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

    /// Returns how many lines match, and in how many files.
    pub fn totals(&self) -> (u32, u32) {
        (self.lines, saturating_u32(self.files.len()))
    }

    /// Returns the digest of what was found.
    pub fn digest(&self) -> u64 {
        self.digest
    }

    /// Whether not all values were counted.
    pub fn has_more_values(&self) -> bool {
        self.has_more_values
    }

    /// Returns how many different values were counted.
    pub fn different_values(&self) -> u32 {
        saturating_u32(self.values.len())
    }

    /// Looks at the text of a file, or the part `span` of it; returns whether it holds a match, none
    /// where the time was over.
    pub fn look(
        &mut self,
        path: &str,
        text: &str,
        span: Range<usize>,
        pace: &mut Pace<'_>,
    ) -> Option<bool> {
        let first_line = LineCounter::new(text).line(span.start);
        let part = &text[span];
        let normal = composed(part);
        let mut count = 0;
        let mut kept: Vec<MatchedLine> = Vec::new();
        let is_listed = matches!(self.output, PatternOutput::Lines | PatternOutput::Matches);
        let wants_lines = is_listed && !self.is_full;
        // More of them have no room in any case: each takes two bytes at least.
        let most = self.room / 2 + 1;
        let already = self.before.saturating_sub(self.lines);
        self.matcher.lines(&normal, pace, |line| {
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
            self.take_values(&normal, pace)?;
        }
        let mut told = already.min(count);
        if !kept.is_empty() {
            let source = Source {
                original: part,
                normal: &normal,
                first_line,
            };
            let values = match self.output {
                PatternOutput::Matches => Some(self.matcher.values_of_lines(&normal, &kept, pace)?),
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

    fn take_values(&mut self, text: &str, pace: &mut Pace<'_>) -> Option<()> {
        let (values, bytes, more) = (
            &mut self.values,
            &mut self.value_bytes,
            &mut self.has_more_values,
        );
        self.matcher.values(text, pace, |value| {
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

    /// Shows lines of a file, or in their place the values of each, as far as there is room, and
    /// returns how many of those that match.
    fn show(
        &mut self,
        path: &str,
        count: u32,
        source: &Source<'_>,
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
                // Those behind it which match themselves come as such.
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
            // One always comes, so that every page gets on.
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

/// Where matching lines stand.
struct Source<'t> {
    /// The text as it is.
    original: &'t str,
    /// The same, composed: what the lines were found in.
    normal: &'t str,
    /// The number of its first line.
    first_line: u32,
}

impl<'t> Source<'t> {
    /// Whether places in both texts are the same.
    fn is_same(&self) -> bool {
        std::ptr::eq(self.original, self.normal)
    }

    /// Returns how many line ends there are between two places.
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
        // Composing moves no line end, so that lines go by their numbers.
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

/// Returns as many entries as there is room for, one at least, and whether these are all.
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

/// Returns the bytes that a line takes in an answer.
fn shown_bytes(line: &PatternLine) -> usize {
    let digits = line.number.checked_ilog10().unwrap_or(0) as usize + 1;
    digits + 1 + line.text.len() + 1
}

/// Returns a line as it is shown, so many bytes of it: of a long one the part round the match.
fn cut(line: &str, matched: &MatchedLine, most: usize) -> String {
    if line.len() <= most {
        return line.to_owned();
    }
    // Where the line is written otherwise than composed, a place in it differs by some bytes, and
    // the room before the match covers that.
    let hit = (matched.hit.start - matched.line.start).min(line.len());
    let start = line.floor_char_boundary(hit.saturating_sub(most / 3));
    let end = line.floor_char_boundary((start + most).min(line.len()));
    let before = if start > 0 { "…" } else { "" };
    let behind = if end < line.len() { "…" } else { "" };
    format!("{before}{}{behind}", &line[start..end])
}

/// Returns the beginning of a line, so many bytes of it.
fn head(line: &str, most: usize) -> String {
    if line.len() <= most {
        return line.to_owned();
    }
    format!("{}…", &line[..line.floor_char_boundary(most)])
}
