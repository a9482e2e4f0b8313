//! The text before a call, to which all its edits refer, with indexes that are computed once, when
//! the first edit needs them. Otherwise a call with many edits would parse the headings or
//! normalise the text for each of them.

use std::cell::OnceCell;
use std::ops::Range;

use docent_document::sections::Section;
use docent_text::lines::without_end;
use docent_text::saturating::saturating_u32;

use crate::endings::{Endings, line_starts, unify};
use crate::error::{Location, Locations, Reason};
use crate::limits::{LINE_CHARS, PLACES_SHOWN};
use crate::nearest::index::HashedLines;
use crate::section::outline::SectionOutline;
use crate::source::{MARK, Source};
use crate::view::{Blanks, View};

/// The text and name of a file, with the indexes that edits need.
#[derive(Debug)]
pub struct Original<'a> {
    /// Text with its bytes.
    pub source: &'a Source<'a>,
    /// Name of the file, which determines the syntax of its headings.
    pub name: &'a str,
    /// Line endings of the text.
    pub endings: Endings,
    starts: Vec<usize>,
    exact: OnceCell<View<'a>>,
    collapsed: OnceCell<View<'a>>,
    outline: OnceCell<SectionOutline>,
    index: OnceCell<HashedLines>,
}

impl<'a> Original<'a> {
    /// Creates the original of `source`, a file called `name`.
    pub fn new(source: &'a Source<'a>, name: &'a str) -> Self {
        Self {
            source,
            name,
            endings: Endings::detect(source.text()),
            starts: line_starts(source.text()),
            exact: OnceCell::new(),
            collapsed: OnceCell::new(),
            outline: OnceCell::new(),
            index: OnceCell::new(),
        }
    }

    /// Returns the text.
    pub fn text(&self) -> &'a str {
        self.source.text()
    }

    /// Returns the text in the form in which it is compared.
    pub fn view(&self, blanks: Blanks) -> &View<'a> {
        let cell = match blanks {
            Blanks::Exact => &self.exact,
            Blanks::Collapsed => &self.collapsed,
        };
        cell.get_or_init(|| View::new(self.text(), blanks))
    }

    /// Returns the sections of the document and the ends of their headings.
    pub fn outline(&self) -> &SectionOutline {
        self.outline
            .get_or_init(|| SectionOutline::new(self.name, self.text()))
    }

    /// Returns the sections of the document.
    pub fn sections(&self) -> &[Section] {
        &self.outline().sections
    }

    /// Returns the index by which similar lines are found.
    pub fn index(&self) -> &HashedLines {
        let lines = (0..self.line_count()).map(|line| self.line(line));
        self.index.get_or_init(|| HashedLines::new(lines))
    }

    /// Returns the number of lines.
    pub fn line_count(&self) -> usize {
        self.starts.len() - 1
    }

    /// Returns the index, from 0, of the line that contains the byte at `position`. The end of the
    /// text belongs to the last line, or to a line of its own after a line end: a text inserted at
    /// the end of `a⏎` is in line 2, although the text has one line.
    pub fn line_index(&self, position: usize) -> usize {
        let before = self.starts.partition_point(|start| *start <= position);
        let line = before.saturating_sub(1);
        let is_end = position == self.text().len() && line == self.line_count();
        let is_open = is_end && line > 0 && !self.text().ends_with(['\n', '\r']);
        if is_open { line - 1 } else { line }
    }

    /// Returns the number, from 1, of that line.
    pub fn line_number(&self, position: usize) -> u32 {
        saturating_u32(self.line_index(position) + 1)
    }

    /// Returns the first and the last line, from 1, that `range` overlaps. An empty range is in one
    /// line.
    pub fn line_numbers(&self, range: &Range<usize>) -> (u32, u32) {
        let first = self.line_number(range.start);
        let last = self.line_number(range.end.saturating_sub(1).max(range.start));
        (first, last.max(first))
    }

    /// Returns the byte range of the lines `first` to `last`, from 0, with their ends, or the end
    /// of the text if there are no such lines.
    pub fn lines(&self, first: usize, last: usize) -> Range<usize> {
        let end = self.text().len();
        let start = self.starts.get(first).copied().unwrap_or(end);
        start..self.starts.get(last + 1).copied().unwrap_or(end).max(start)
    }

    /// Returns a line, counted from 0, without its end.
    pub fn line(&self, index: usize) -> &'a str {
        without_end(&self.text()[self.lines(index, index)])
    }

    /// Converts a text that was sent to one that this file can contain, with LF line endings and
    /// without a byte order mark. The endings of the file are chosen later, line by line, because
    /// they depend on the lines that are replaced.
    ///
    /// # Errors
    /// Fails if the file cannot contain one of its characters.
    pub fn fit(&self, sent: &str) -> Result<String, Reason> {
        let fitting = self.source.fit(sent.strip_prefix(MARK).unwrap_or(sent))?;
        Ok(unify(&fitting))
    }

    /// Returns places in the form in which they are shown to choose from.
    pub fn locations(&self, positions: &[usize]) -> Locations {
        let shown = positions.iter().take(PLACES_SHOWN);
        Locations {
            shown: shown.map(|at| self.location(*at)).collect(),
            count: positions.len(),
        }
    }

    fn location(&self, position: usize) -> Location {
        let line = self.line_index(position);
        let above = self
            .sections()
            .partition_point(|section| section.span.start <= position);
        let section = above.checked_sub(1).map(|index| &self.sections()[index]);
        Location {
            line: saturating_u32(line + 1),
            section: section.map_or_else(String::new, |section| section.path.join(" > ")),
            before: line.checked_sub(1).map(|before| shorten(self.line(before))),
        }
    }
}

/// Truncates a line to the length that is shown.
pub fn shorten(line: &str) -> String {
    match line.char_indices().nth(LINE_CHARS) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_positions() {
        let source = Source::decode(b"a\r\nbc\nd").unwrap();
        let original = Original::new(&source, "a.md");
        let lines: Vec<u32> = (0..=7).map(|at| original.line_number(at)).collect();
        assert_eq!(lines, [1, 1, 1, 2, 2, 2, 3, 3]);
        assert_eq!(original.line_numbers(&(0..3)), (1, 1));
        assert_eq!(original.line_numbers(&(1..5)), (1, 2));
        assert_eq!(original.lines(1, 1), 3..6);
        assert_eq!(original.lines(9, 9), 7..7);
        assert_eq!(original.line(0), "a");
        let source = Source::decode(b"a\n").unwrap();
        let original = Original::new(&source, "a.md");
        assert_eq!(original.line_number(2), 2);
        assert_eq!(original.line_count(), 1);
        let source = Source::decode(b"").unwrap();
        let original = Original::new(&source, "a.md");
        assert_eq!((original.line_count(), original.line_number(0)), (0, 1));
    }
}
