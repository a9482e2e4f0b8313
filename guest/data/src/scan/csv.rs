//! CSV: rows with columns.

use crate::entry::Columns;
use crate::line::{LineSpan, after_line_end, fields};
use crate::writer::EntryWriter;

pub(super) fn scan(writer: &mut EntryWriter<'_, '_>) {
    let text = writer.text;
    let mut at = if text.starts_with('\u{feff}') { 3 } else { 0 };
    let first = LineSpan::at(text, at).map_or("", |line| &text[line.start..line.end]);
    let separator = separator(first);
    let mut names: Vec<&str> = Vec::new();
    let mut rows = 0;
    while at < text.len() && !writer.is_over() {
        let end = row_end(text, at);
        let row = text[at..end].trim_end_matches(['\r', '\n']);
        let span = at..at + row.len();
        at = end;
        if row.trim().is_empty() {
            continue;
        }
        let columns = Columns {
            names: &names,
            separator,
        };
        writer.row(rows, span, columns);
        if rows == 0 && is_head(row, separator) {
            names = fields(row, separator)
                .map(crate::line::strip_quotes)
                .collect();
        }
        rows += 1;
    }
}

/// Returns true if the first row contains column names: none of its fields is empty or a number.
fn is_head(row: &str, separator: u8) -> bool {
    fields(row, separator)
        .map(|field| crate::line::strip_quotes(field).trim())
        .all(|field| !field.is_empty() && field.parse::<f64>().is_err())
}

/// Returns the separator between the fields of a row: the most frequent candidate.
fn separator(row: &str) -> u8 {
    let count = |sign: u8| memchr::memchr_iter(sign, row.as_bytes()).count();
    let signs = [b';', b'\t', b','];
    // `max_by_key` returns the last among equals: a comma, if no sign occurs at all.
    let most = signs.into_iter().max_by_key(|sign| count(*sign));
    most.unwrap_or(b',')
}

/// Returns the end of the row that begins at `at`, after its line end; a quoted field may contain
/// line ends.
fn row_end(text: &str, at: usize) -> usize {
    let bytes = text.as_bytes();
    let mut from = at;
    let mut is_quoted = false;
    while let Some(next) = memchr::memchr3(b'"', b'\n', b'\r', &bytes[from..]) {
        let next = from + next;
        if bytes[next] == b'"' {
            is_quoted = !is_quoted;
        } else if !is_quoted {
            return after_line_end(text, next);
        }
        from = next + 1;
    }
    bytes.len()
}

#[cfg(test)]
mod tests {
    use crate::format::DataFormat;
    use crate::scan::tests::check;

    #[test]
    fn rows() {
        let text =
            "id,이름,\"note\"\r\n1,Kim,\"two\r\nlines, and \"\"quotes\"\"\"\r\n\r\n2,이,,more\r\n";
        check(
            DataFormat::Csv,
            text,
            &[
                "1 [0] id, 이름, note",
                "2-3 [1] id = 1, 이름 = Kim, note = two lines, and \"\"quotes\"\"",
                "5 [2] id = 2, 이름 = 이, more",
            ],
        );
        check(
            DataFormat::Csv,
            "a\tb\n1\t2,5\n",
            &["1 [0] a, b", "2 [1] a = 1, b = 2,5"],
        );
        check(
            DataFormat::Csv,
            "1;2\n3;\"4\n",
            &["1 [0] 1, 2", "2 [1] 3, \"4"],
        );
    }

    #[test]
    fn many_columns() {
        let text = format!("{}\n", "x,".repeat(50_000));
        let all = crate::keys(DataFormat::Csv, &text);
        assert_eq!(all.len(), 1);
        assert!(all[0].value.len() < 300);
    }
}
