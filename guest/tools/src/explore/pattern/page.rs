//! The lines of a page: as many of the matching lines as there is room for.

use docent_api::pillars::{PatternFile, PatternLine};
use docent_text::lines::LineCounter;
use docent_text::saturating::saturating_u32;

use super::matcher::MatchedLine;

/// The lines that a page shows.
pub struct LinePage {
    /// Lines before and after a match.
    context: u32,
    /// Bytes that are left.
    room: usize,
    /// Maximum bytes shown of a line.
    line_bytes: usize,
    files: Vec<PatternFile>,
    /// Number of matching lines shown.
    lines: u32,
    is_full: bool,
}

impl LinePage {
    /// Returns an empty page with room for `room` bytes.
    pub fn new(context: u32, room: usize, line_bytes: usize) -> Self {
        Self {
            context,
            room,
            line_bytes,
            files: Vec::new(),
            lines: 0,
            is_full: false,
        }
    }

    /// Returns true if a further line had no room.
    pub fn is_full(&self) -> bool {
        self.is_full
    }

    /// Ends the page: a line before all others is not shown.
    pub fn close(&mut self) {
        self.is_full = true;
    }

    /// Returns the number of lines that certainly suffice to fill the page.
    pub fn maximum(&self) -> usize {
        // Each line takes at least two bytes, one of its number and one of its end, so more
        // than this cannot fit.
        self.room / 2 + 1
    }

    /// Returns the number of matching lines shown.
    pub fn lines(&self) -> u32 {
        self.lines
    }

    /// Returns the files with their lines.
    pub fn into_files(self) -> Vec<PatternFile> {
        self.files
    }

    /// Shows lines of a file, or the values of each instead, as far as they fit, and returns the
    /// number of matching lines shown.
    pub fn show(
        &mut self,
        path: &str,
        count: u32,
        source: &MatchSource<'_>,
        (kept, values): (&[MatchedLine], Option<&[Vec<&str>]>),
    ) -> u32 {
        let mut room = self.room.saturating_sub(path.len() + 1);
        let line_bytes = self.line_bytes;
        let is_first = self.files.is_empty();
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
                // Lines of the context that match themselves are shown as matches, when their
                // turn comes. The context therefore ends before the next match.
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
            // At least one line is shown, however long it is. A page without any would have a
            // cursor to itself, and a caller that follows cursors would never get past that
            // line.
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
        self.lines += shown;
        if shown > 0 {
            self.files.push(PatternFile {
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
}

/// Text that contains the matching lines.
pub struct MatchSource<'t> {
    /// The text as read.
    pub original: &'t str,
    /// The same text, composed, in which the lines were found.
    pub normal: &'t str,
    /// Number of its first line.
    pub first_line: u32,
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
        // Composing changes the bytes of a text, so offsets in the composed text are not valid
        // in the original. It does not create, remove or move line ends, so a line is found by
        // its number.
        let mut lines = docent_text::lines::with_ends(self.original).zip(1..);
        let of = |number: u32| {
            let line = lines.find(|(_, at)| *at == number);
            let text = line.map_or("", |(text, _)| text.trim_end_matches(['\n', '\r']));
            (self.first_line + number - 1, text)
        };
        numbers.into_iter().map(of).collect()
    }
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
    // The offset of the match is one of the composed line. In the original line it may differ
    // by the bytes of some accents, which the third of the room before the match covers.
    let hit = (matched.hit.start - matched.line.start).min(line.len());
    let start = line.floor_char_boundary(hit.saturating_sub(most / 3));
    let end = line.floor_char_boundary((start + most).min(line.len()));
    let before = if start > 0 { "…" } else { "" };
    let behind = if end < line.len() { "…" } else { "" };
    format!("{before}{}{behind}", &line[start..end])
}

/// Returns the first bytes of a line, at most `most`.
pub fn head(line: &str, most: usize) -> String {
    if line.len() <= most {
        return line.to_owned();
    }
    format!("{}…", &line[..line.floor_char_boundary(most)])
}
