//! The text before a call, which all its edits refer to, and what is found out of it once for all.

use std::cell::OnceCell;
use std::ops::Range;

use docent_document::sections::Section;
use docent_text::lines::without_end;
use docent_text::saturating::saturating_u32;

use crate::endings::{Endings, line_starts, unify};
use crate::error::{Reason, Spot, Spots};
use crate::limits::{LINE_CHARS, PLACES_SHOWN};
use crate::nearest::index::LineIndex;
use crate::section::outline::Outline;
use crate::source::{MARK, Source};
use crate::view::{Blanks, View};

/// A file's text and name, and what edits ask of it.
#[derive(Debug)]
pub struct Original<'a> {
    /// The text in its bytes.
    pub source: &'a Source<'a>,
    /// The file's name, by which it is known what its headings look like.
    pub name: &'a str,
    /// The endings of its lines.
    pub endings: Endings,
    starts: Vec<usize>,
    exact: OnceCell<View<'a>>,
    collapsed: OnceCell<View<'a>>,
    outline: OnceCell<Outline>,
    index: OnceCell<LineIndex>,
}

impl<'a> Original<'a> {
    /// Returns the text of `source`, a file of this name.
    pub fn new(source: &'a Source<'a>, name: &'a str) -> Self {
        Self {
            source,
            name,
            endings: Endings::of(source.text()),
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

    /// Returns the text as it is compared.
    pub fn view(&self, blanks: Blanks) -> &View<'a> {
        let cell = match blanks {
            Blanks::Exact => &self.exact,
            Blanks::Collapsed => &self.collapsed,
        };
        cell.get_or_init(|| View::new(self.text(), blanks))
    }

    /// Returns the sections of the document that the text is, and their headings.
    pub fn outline(&self) -> &Outline {
        self.outline
            .get_or_init(|| Outline::new(self.name, self.text()))
    }

    /// Returns the sections of the document that the text is.
    pub fn sections(&self) -> &[Section] {
        &self.outline().sections
    }

    /// Returns the index by which the nearest lines are found.
    pub fn index(&self) -> &LineIndex {
        self.index.get_or_init(|| LineIndex::new(self))
    }

    /// Returns how many lines there are.
    pub fn line_count(&self) -> usize {
        self.starts.len() - 1
    }

    /// Returns the index, from 0 on, of the line that the byte at `position` stands in; the end of
    /// the text is in the last line, or in one of its own behind a line end.
    pub fn line_index(&self, position: usize) -> usize {
        let before = self.starts.partition_point(|start| *start <= position);
        let line = before.saturating_sub(1);
        let is_end = position == self.text().len() && line == self.line_count();
        let is_open = is_end && line > 0 && !self.text().ends_with(['\n', '\r']);
        if is_open { line - 1 } else { line }
    }

    /// Returns the number, from 1 on, of that line.
    pub fn line_number(&self, position: usize) -> u32 {
        saturating_u32(self.line_index(position) + 1)
    }

    /// Returns the first and the last line, from 1 on, of which `range` holds something; one line
    /// where it is empty.
    pub fn line_numbers(&self, range: &Range<usize>) -> (u32, u32) {
        let first = self.line_number(range.start);
        let last = self.line_number(range.end.saturating_sub(1).max(range.start));
        (first, last.max(first))
    }

    /// Returns where the lines `first` to `last`, from 0 on, stand, with their ends; the end of the
    /// text where there are no such lines.
    pub fn lines(&self, first: usize, last: usize) -> Range<usize> {
        let end = self.text().len();
        let start = self.starts.get(first).copied().unwrap_or(end);
        start..self.starts.get(last + 1).copied().unwrap_or(end).max(start)
    }

    /// Returns a line, counted from 0 on, without its end.
    pub fn line(&self, index: usize) -> &'a str {
        without_end(&self.text()[self.lines(index, index)])
    }

    /// Returns what was sent as it can stand in this file, with LF for its line endings and without
    /// a byte order mark.
    ///
    /// # Errors
    /// A character that cannot stand in it.
    pub fn fit(&self, sent: &str) -> Result<String, Reason> {
        let fitting = self.source.fit(sent.strip_prefix(MARK).unwrap_or(sent))?;
        Ok(unify(&fitting))
    }

    /// Returns places as they are shown to choose from.
    pub fn spots(&self, positions: &[usize]) -> Spots {
        let shown = positions.iter().take(PLACES_SHOWN);
        Spots {
            shown: shown.map(|at| self.spot(*at)).collect(),
            count: positions.len(),
        }
    }

    fn spot(&self, position: usize) -> Spot {
        let line = self.line_index(position);
        let above = self
            .sections()
            .partition_point(|section| section.span.start <= position);
        let section = above.checked_sub(1).map(|index| &self.sections()[index]);
        Spot {
            line: saturating_u32(line + 1),
            section: section.map_or_else(String::new, |section| section.path.join(" > ")),
            before: line
                .checked_sub(1)
                .map(|before| shortened(self.line(before))),
        }
    }
}

/// Returns a line as far as it is shown.
pub fn shortened(line: &str) -> String {
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
