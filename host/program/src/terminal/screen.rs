//! The size of a terminal, and the space that a text takes on it.

use unicode_width::UnicodeWidthChar as _;

/// Columns from one tab stop to the next.
const TAB: usize = 8;

/// The size of a terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Screen {
    /// Columns, at least 1.
    pub columns: usize,
    /// Lines, at least 1.
    pub rows: usize,
}

impl Screen {
    /// Size of a terminal that does not report its own.
    pub const USUAL: Self = Self {
        columns: 80,
        rows: 24,
    };

    /// Returns the number of rows of a line without line breaks.
    pub fn rows_of(self, line: &str) -> usize {
        self.rows_before(line).last().map_or(1, |(_, rows)| rows)
    }

    /// Returns the beginning of a line that fits into this number of rows.
    pub fn cut(self, line: &str, rows: usize) -> &str {
        let mut places = self.rows_before(line);
        let beyond = places.find(|(_, row)| *row > rows);
        beyond.map_or(line, |(at, _)| &line[..at])
    }

    /// Returns the offset of each character of a line, and its row, from 1.
    fn rows_before(self, line: &str) -> impl Iterator<Item = (usize, usize)> {
        let (mut row, mut column) = (1, 0);
        line.char_indices().map(move |(at, c)| {
            let width = match c {
                // A tab moves to the next tab stop, but never beyond the last column, where the
                // terminal keeps the cursor.
                '\t' => (TAB - column % TAB).min(self.columns.saturating_sub(column)),
                c => c.width().unwrap_or_default(),
            };
            // A character of two columns, as of Korean, is not split: if only one column is
            // left, it begins the next row.
            if column + width > self.columns {
                row += 1;
                column = 0;
            }
            column += width;
            (at, row)
        })
    }
}

/// Returns the number of columns of a text without tabs on one line.
pub fn columns(text: &str) -> usize {
    text.chars().filter_map(|c| c.width()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_narrow_and_wide_letters() {
        let screen = Screen {
            columns: 5,
            rows: 9,
        };
        for (line, rows) in [
            ("", 1),
            ("abcde", 1),
            ("abcdef", 2),
            ("가나", 1),
            // Each row holds two of them, and one column remains.
            ("가나다라", 2),
            ("가나다라마", 3),
            ("e\u{301}e\u{301}e\u{301}e\u{301}e\u{301}", 1),
            ("a\tb", 2),
            ("a\t\t\tb", 2),
        ] {
            assert_eq!(screen.rows_of(line), rows, "{line}");
        }
        assert_eq!(screen.cut("가나다라마", 2), "가나다라");
        assert_eq!(screen.cut("abc", 1), "abc");
        assert_eq!(screen.cut("abcdef", 1), "abcde");
        assert_eq!(columns("a가e\u{301}"), 4);
    }
}
