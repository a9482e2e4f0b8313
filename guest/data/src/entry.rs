//! Entries: the keys of a settings file with their values.

use std::fmt;

use crate::limits::VALUE_CHARS;
use crate::line::fields;
use crate::line::strip_quotes;
use crate::path::Path;

/// The kind of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DataKind {
    /// A key with its value, or items of a list.
    Value,
    /// A container of keys, which follow.
    Table,
    /// A container of items, which follow.
    List,
    /// A row of a table with columns.
    Row,
    /// A comment, or text that is not understood.
    Text,
}

/// A range of lines, 1-based and inclusive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct DataLines {
    /// First line.
    pub first: u32,
    /// Last line, not before the first.
    pub last: u32,
}

/// The columns of a row.
#[derive(Clone, Copy, Debug)]
pub struct Columns<'p, 't> {
    /// Column names, in order; empty if there is no header row.
    pub names: &'p [&'t str],
    /// Separator between fields.
    pub separator: u8,
}

/// An entry of a text.
#[derive(Clone, Debug)]
pub struct DataEntry<'p, 't> {
    /// Keys that lead to it; for a comment, those of the container.
    pub path: Path<'p, 't>,
    /// Number of steps of the path that are the entry's own: `a.b = 1` has two.
    pub own_steps: usize,
    /// Nesting depth in tables and lists.
    pub depth: usize,
    /// Kind of the entry.
    pub kind: DataKind,
    /// Annotation beside its value: the attributes of an element.
    pub note: &'t str,
    /// Value as written, with all its lines; empty for a container.
    pub value: &'t str,
    /// Columns of a row.
    pub columns: Columns<'p, 't>,
    /// Lines of the entry; for a table or a list, those of its head.
    pub lines: DataLines,
    /// Line in which its value begins.
    pub value_line: u32,
}

impl<'p, 't> DataEntry<'p, 't> {
    /// Returns its own steps, the last ones of its path.
    pub fn own(&self) -> Path<'p, 't> {
        let steps = self.path.0;
        Path(&steps[steps.len().saturating_sub(self.own_steps)..])
    }

    /// Returns the fields of a row with their column names, `None` for surplus fields.
    pub fn fields(&self) -> impl Iterator<Item = (Option<&'t str>, &'t str)> {
        let mut names = self.columns.names.iter();
        let fields = fields(self.value, self.columns.separator);
        fields.map(move |field| (names.next().copied(), strip_quotes(field)))
    }

    /// Returns the text before its value: its path and its annotation.
    pub fn head(&self, path: Path<'_, '_>) -> String {
        if self.note.is_empty() {
            return path.to_string();
        }
        format!("{path} ({})", one_line(self.note, VALUE_CHARS))
    }

    /// Returns its value on one line, truncated if long; for a row, with its columns.
    pub fn shown_value(&self) -> String {
        if self.kind != DataKind::Row {
            return one_line(self.value, VALUE_CHARS);
        }
        let mut out = String::new();
        for (column, field) in self.fields() {
            if field.is_empty() {
                continue;
            }
            if !out.is_empty() {
                out.push_str(", ");
            }
            if out.len() > VALUE_CHARS {
                out.push('…');
                break;
            }
            if let Some(column) = column {
                out.push_str(&one_line(column, VALUE_CHARS));
                out.push_str(" = ");
            }
            out.push_str(&one_line(field, VALUE_CHARS));
        }
        out
    }
}

impl fmt::Display for DataEntry<'_, '_> {
    /// Writes `path = value` on one line.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let value = self.shown_value();
        if self.kind == DataKind::Text || self.path.0.is_empty() {
            return f.write_str(&value);
        }
        f.write_str(&self.head(self.path))?;
        match self.kind {
            DataKind::Row => write!(f, " {value}"),
            DataKind::Table | DataKind::List if value.is_empty() => write!(f, ":"),
            DataKind::Table | DataKind::List => write!(f, ": {value}"),
            DataKind::Value if value.is_empty() => Ok(()),
            _ => write!(f, " = {value}"),
        }
    }
}

/// Returns a text on one line: each run of blanks and line ends becomes one blank. A text of more
/// than `chars` characters is truncated and marked so.
pub fn one_line(text: &str, chars: usize) -> String {
    let mut out = String::new();
    let mut count = 0;
    let mut is_after_blank = true;
    for c in text.chars() {
        let is_blank = c.is_whitespace() || c.is_control();
        if is_blank && is_after_blank {
            continue;
        }
        if count == chars {
            out.push('…');
            return out;
        }
        out.push(if is_blank { ' ' } else { c });
        count += 1;
        is_after_blank = is_blank;
    }
    out.truncate(out.trim_end().len());
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn on_one_line() {
        assert_eq!(one_line("  a\n\t b\r\n", 10), "a b");
        assert_eq!(one_line("가나다라", 3), "가나다…");
        assert_eq!(one_line("abc  ", 3), "abc…");
        assert_eq!(one_line("", 3), "");
    }
}
