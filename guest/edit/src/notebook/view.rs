//! The cells of a notebook as they are shown, with their sources in the file.

use std::ops::Range;

use docent_document::limits::NOTEBOOK_CELLS;
use docent_document::notebook::{
    CellKind, CellMark, CellSource, SourceCell, SourceChange, cell_marks, scan,
};
use docent_text::sort::sort_by_key;

use crate::source::Splice;

/// The Markdown of a notebook, and the places of its sources in it.
///
/// A place is only taken for the source of a cell if it is equal to it. So an edit of the Markdown
/// changes nothing else than what was shown, whatever a notebook contains that looks like the
/// beginning of another cell.
#[derive(Debug)]
pub struct NotebookView<'t> {
    /// Text of the file.
    file: &'t str,
    markdown: &'t str,
    /// In the order of the text; they do not overlap.
    regions: Vec<SourceRegion>,
    /// Cells whose source is not shown as it is, with their numbers.
    altered: Vec<(u32, Range<usize>)>,
}

/// A source in the Markdown.
#[derive(Debug)]
struct SourceRegion {
    /// Range in the Markdown: whole lines.
    shown: Range<usize>,
    /// Line that numbers the cell.
    mark: Range<usize>,
    kind: CellKind,
    /// Range of the source in the file.
    value: Range<usize>,
}

/// The line before each source in a text to edit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MarkLine {
    /// As it is.
    Shown,
    /// Only the fence of code, without the words after it.
    Fence,
}

impl<'t> NotebookView<'t> {
    /// Finds the sources of the notebook `file` in the `markdown` that was made of it.
    pub fn new(file: &'t str, markdown: &'t str) -> Self {
        let mut cells = Vec::new();
        let is_whole = scan(file, &mut |cell| {
            // One more than there may be.
            if cells.len() <= NOTEBOOK_CELLS {
                cells.push(cell);
            }
        });
        if is_whole.is_none() || cells.len() > NOTEBOOK_CELLS {
            cells.clear();
        }
        let mut view = Self {
            file,
            markdown,
            regions: Vec::new(),
            altered: Vec::new(),
        };
        let mut marks = cell_marks(markdown);
        sort_by_key(&mut marks, |mark| mark.number);
        let mut marks = &marks[..];
        for (number, cell) in (1..).zip(cells) {
            let before = marks.partition_point(|mark| mark.number < number);
            let count = marks[before..].partition_point(|mark| mark.number == number);
            let (own, behind) = marks[before..].split_at(count);
            marks = behind;
            let last = view.regions.last();
            let begin = last.map_or(0, |last| view.end_of_frame(last));
            let mut own = own.iter().filter(|mark| mark.line.start >= begin);
            let (first, second) = (own.next(), own.next());
            // The extent of an altered cell is unknown, and it may contain the marks of others.
            let is_certain = view.altered.is_empty() || second.is_none();
            let region = first.and_then(|mark| view.region(&cell, mark));
            match (region.filter(|_| is_certain), cell.source) {
                (Some(region), _) => view.regions.push(region),
                (None, Some(value)) => view.altered.push((number, value)),
                (None, None) => {}
            }
        }
        view
    }

    /// Returns the number of a cell whose source contains `text` and is not shown as it is.
    pub fn altered_cell_with(&self, text: &str) -> Option<u32> {
        let mut altered = self.altered.iter();
        let found = altered.find(|(_, value)| {
            let source = CellSource::parse(self.file, value.clone());
            source.is_some_and(|source| source.text().contains(text))
        });
        found.map(|(number, _)| *number)
    }

    /// Returns the position of a text in the Markdown.
    pub fn position(&self, text: &str) -> Option<usize> {
        self.markdown.find(text)
    }

    /// Returns the place of a cell's source below its mark, or `None` if something else is there.
    fn region(&self, cell: &SourceCell, mark: &CellMark) -> Option<SourceRegion> {
        let value = cell.source.clone()?;
        let source = CellSource::parse(self.file, value.clone())?;
        let shown = &source.text()[shown_range(source.text(), cell.kind)?];
        let start = mark.line.end;
        let behind = self.markdown[start..].strip_prefix(shown)?;
        behind.starts_with('\n').then(|| SourceRegion {
            shown: start..start + shown.len() + 1,
            mark: mark.line.clone(),
            kind: cell.kind,
            value,
        })
    }

    /// Returns the Markdown with blanks for all lines but the sources and those directly before and
    /// after each, so that it keeps its length and its lines. The fences remain in any case: the
    /// comments of code would otherwise be headings.
    pub fn text(&self, mark_line: MarkLine) -> String {
        let mut text = String::with_capacity(self.markdown.len());
        for region in &self.regions {
            let at = text.len();
            push_blank(&mut text, &self.markdown[at..region.mark.start]);
            let line = &self.markdown[region.mark.clone()];
            let shown = match mark_line {
                MarkLine::Shown => line.len(),
                MarkLine::Fence => line.len() - line.trim_start_matches('`').len(),
            };
            text.push_str(&line[..shown]);
            push_blank(&mut text, &line[shown..]);
            text.push_str(&self.markdown[region.shown.start..self.end_of_frame(region)]);
        }
        let at = text.len();
        push_blank(&mut text, &self.markdown[at..]);
        text
    }

    /// Returns the end of the line after a source: the end of a fence, or a blank line.
    fn end_of_frame(&self, region: &SourceRegion) -> usize {
        let rest = &self.markdown[region.shown.end..];
        let length = rest.find('\n').map_or(rest.len(), |end| end + 1);
        region.shown.end + length
    }

    fn region_of(&self, range: &Range<usize>) -> Option<&SourceRegion> {
        let begun = |region: &SourceRegion| region.shown.start <= range.start;
        let index = self.regions.partition_point(begun).checked_sub(1)?;
        Some(&self.regions[index]).filter(|region| range.end <= region.shown.end)
    }

    /// Returns true if a range is in the source of one cell.
    pub fn is_in_source(&self, range: &Range<usize>) -> bool {
        self.region_of(range).is_some()
    }

    /// Returns the changes of the file for splices of the Markdown, which are in sources, in order,
    /// and do not overlap.
    pub fn changes(&self, splices: &[Splice]) -> Vec<Splice> {
        let mut changes: Vec<Splice> = Vec::new();
        let mut rest = splices;
        while let Some(region) = rest.first().and_then(|first| self.region_of(&first.range)) {
            let is_inside = |splice: &&Splice| splice.range.end <= region.shown.end;
            let (own, behind) = rest.split_at(rest.iter().take_while(is_inside).count());
            let change = self.change(region, own);
            changes.extend(change.map(|SourceChange { range, text }| Splice { range, text }));
            rest = behind;
        }
        sort_by_key(&mut changes, |change| change.range.start);
        changes
    }

    /// Returns the change of one source, or `None` if it stays the same.
    fn change(&self, region: &SourceRegion, splices: &[Splice]) -> Option<SourceChange> {
        let mut shown = String::new();
        let mut at = region.shown.start;
        for splice in splices {
            shown.push_str(&self.markdown[at..splice.range.start]);
            shown.push_str(&splice.text);
            at = splice.range.end;
        }
        shown.push_str(&self.markdown[at..region.shown.end]);
        // The end of the last line is that of the Markdown, and not of the source.
        let shown = shown.strip_suffix('\n').unwrap_or(&shown);
        let source = CellSource::parse(self.file, region.value.clone())?;
        let old = source.text();
        let range = shown_range(old, region.kind)?;
        if shown.trim().is_empty() {
            return source.change("");
        }
        source.change(&format!(
            "{}{shown}{}",
            &old[..range.start],
            &old[range.end..]
        ))
    }
}

/// Returns the range of a source that is shown, without the blank lines at its ends. `None` if
/// nothing is, or if other characters are shown than those of the source.
fn shown_range(source: &str, kind: CellKind) -> Option<Range<usize>> {
    let is_omitted = |c: char| c.is_control() && !matches!(c, '\n' | '\t');
    if source.contains(is_omitted) || source.trim().is_empty() {
        return None;
    }
    let start = match kind {
        CellKind::Code => source.len() - source.trim_start_matches('\n').len(),
        CellKind::Markdown => {
            let blanks = source.len() - source.trim_start().len();
            source[..blanks].rfind('\n').map_or(0, |end| end + 1)
        }
    };
    Some(start..source.trim_end().len())
}

/// Adds lines of blanks with the lengths of `lines`.
fn push_blank(text: &mut String, lines: &str) {
    let blank = |byte| if byte == b'\n' { '\n' } else { ' ' };
    text.extend(lines.bytes().map(blank));
}
