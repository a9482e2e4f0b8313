//! Cells in the Markdown of a notebook, by the lines that number them.

use std::ops::Range;

use docent_text::lines::{with_ends, without_end};

/// Beginning and end of the line before a cell of Markdown, around its number.
const COMMENT: (&str, &str) = ("<!-- cell=", " -->");

/// Words after the fences of outputs, as the reader writes them.
const OUTPUTS: [&str; 5] = ["output", "stderr", "error", "latex", "json"];

/// The line that numbers a cell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CellMark {
    /// Range of the line, with its end. The source of the cell follows.
    pub line: Range<usize>,
    /// Number of the cell, from 1.
    pub number: u32,
}

/// Returns the number in an address such as `cell=5`.
#[must_use]
pub fn cell_number(address: &str) -> Option<u32> {
    let digits = address
        .trim()
        .trim_start_matches('#')
        .strip_prefix("cell=")?;
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| digits.parse().ok()).flatten()
}

/// Returns the range of a cell, with its outputs, in the Markdown of a notebook; `None` if it is
/// not there, as an empty cell.
#[must_use]
pub fn cell_span(markdown: &str, number: u32) -> Option<Range<usize>> {
    let mut marks = cell_marks(markdown).into_iter();
    let start = marks.find(|mark| mark.number == number)?.line.start;
    let end = marks.next().map_or(markdown.len(), |next| next.line.start);
    Some(start..end)
}

/// Returns the lines that number the cells in the Markdown of a notebook, in order. A cell may hold
/// such a line as a part of its text; outputs and code cannot.
#[must_use]
pub fn cell_marks(markdown: &str) -> Vec<CellMark> {
    let mut marks = Vec::new();
    // Backticks of the fence around the current line.
    let mut fence: Option<usize> = None;
    let mut start = 0;
    for line in with_ends(markdown) {
        let range = start..start + line.len();
        start = range.end;
        let line = without_end(line);
        if let Some(backticks) = fence {
            let length = line.trim_end().len();
            if length >= backticks && line.trim_end().bytes().all(|byte| byte == b'`') {
                fence = None;
            }
            continue;
        }
        let number = if line.starts_with("```") {
            let info = line.trim_start_matches('`');
            let number = cell_number(info.rsplit(' ').next().unwrap_or(info));
            if number.is_some() || OUTPUTS.contains(&info) {
                fence = Some(line.len() - info.len());
            }
            number
        } else {
            let (before, behind) = COMMENT;
            let number = line
                .strip_prefix(before)
                .and_then(|it| it.strip_suffix(behind));
            number.and_then(|number| number.parse().ok())
        };
        if let Some(number) = number {
            marks.push(CellMark {
                line: range,
                number,
            });
        }
    }
    marks
}

#[cfg(test)]
mod tests {
    use super::*;

    const MARKDOWN: &str = "<!-- cell=1 -->\n# Title\n\n```python cell=2\nprint('<!-- cell=9 -->')\n\
                            ```\n\n````output\n```python cell=8\n<!-- cell=9 -->\n````\n\n\
                            <!-- cell=4 -->\n```json\n{}\n``` \n\n```` cell=5\n```\n````\n";

    #[test]
    fn cells_by_number() {
        let marks = cell_marks(MARKDOWN);
        let numbers: Vec<u32> = marks.iter().map(|mark| mark.number).collect();
        assert_eq!(numbers, [1, 2, 4, 5]);
        let cell = |number| cell_span(MARKDOWN, number).map(|span| &MARKDOWN[span]);
        assert_eq!(cell(1), Some("<!-- cell=1 -->\n# Title\n\n"));
        assert!(cell(2).is_some_and(|cell| cell.ends_with("\n````\n\n")));
        assert_eq!(cell(5), Some("```` cell=5\n```\n````\n"));
        for absent in [0, 3, 8, 9] {
            assert_eq!(cell(absent), None);
        }
    }

    #[test]
    fn addresses() {
        for (address, expected) in [
            ("cell=5", Some(5)),
            (" #cell=12 ", Some(12)),
            ("cell=", None),
            ("cell=+5", None),
            ("cell=99999999999", None),
            ("cell 5", None),
            ("5", None),
        ] {
            assert_eq!(cell_number(address), expected, "{address}");
        }
    }
}
