//! What stands under a key.

use std::fmt;
use std::ops::ControlFlow;

use crate::limits::VALUE_CHARS;
use crate::line::unquoted;
use crate::scan::csv::fields;
use crate::{DataFormat, Path, Visitor, visit};

/// What an entry is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A key with its value, or items of a list.
    Value,
    /// What holds keys; they follow.
    Table,
    /// What holds items; they follow.
    List,
    /// A row of a table with columns.
    Row,
    /// A comment, or what is not understood.
    Text,
}

/// Lines of a text, from 1, first and last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Lines {
    /// The first.
    pub first: u32,
    /// The last, not before the first.
    pub last: u32,
}

/// The columns of a row.
#[derive(Clone, Copy, Debug)]
pub struct Columns<'p, 't> {
    /// Their names, in order; none where there is no row of names.
    pub names: &'p [&'t str],
    /// What stands between two fields.
    pub separator: u8,
}

/// An entry of a text.
#[derive(Clone, Debug)]
pub struct Entry<'p, 't> {
    /// The keys that lead to it; of a comment those that lead to what it stands in.
    pub path: Path<'p, 't>,
    /// How many of them are its own: `a.b = 1` has two.
    pub own_steps: usize,
    /// How many tables and lists it stands in.
    pub depth: usize,
    /// What it is.
    pub kind: Kind,
    /// What is said of it beside its value: the attributes of an element.
    pub note: &'t str,
    /// Its value as it is written, with all its lines; empty for what has entries of its own.
    pub value: &'t str,
    /// The columns of a row.
    pub columns: Columns<'p, 't>,
    /// Where it stands: of a table or a list where that begins.
    pub lines: Lines,
    /// The line in which its value begins.
    pub value_line: u32,
}

impl<'p, 't> Entry<'p, 't> {
    /// Returns the steps that are its own, the last ones of its path.
    pub fn own(&self) -> Path<'p, 't> {
        let steps = self.path.0;
        Path(&steps[steps.len().saturating_sub(self.own_steps)..])
    }

    /// Returns the fields of a row with their columns, those of no column under none.
    pub fn fields(&self) -> impl Iterator<Item = (Option<&'t str>, &'t str)> {
        let mut names = self.columns.names.iter();
        let fields = fields(self.value, self.columns.separator);
        fields.map(move |field| (names.next().copied(), unquoted(field)))
    }

    /// Returns what stands before its value: its path, and what is said beside the value.
    pub fn head(&self, path: Path<'_, '_>) -> String {
        if self.note.is_empty() {
            return path.to_string();
        }
        format!("{path} ({})", one_line(self.note, VALUE_CHARS))
    }

    /// Returns its value on one line, of a long one the beginning; a row with its columns.
    pub fn shown_value(&self) -> String {
        if self.kind != Kind::Row {
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

impl fmt::Display for Entry<'_, '_> {
    /// Writes `path = value` on one line.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let value = self.shown_value();
        if self.kind == Kind::Text || self.path.0.is_empty() {
            return f.write_str(&value);
        }
        f.write_str(&self.head(self.path))?;
        match self.kind {
            Kind::Row => write!(f, " {value}"),
            Kind::Table | Kind::List if value.is_empty() => write!(f, ":"),
            Kind::Table | Kind::List => write!(f, ": {value}"),
            Kind::Value if value.is_empty() => Ok(()),
            _ => write!(f, " = {value}"),
        }
    }
}

/// Returns a text on one line: blanks and line ends together are one blank. Of a long one so many
/// characters and a sign that there are more.
pub fn one_line(text: &str, chars: usize) -> String {
    let mut out = String::new();
    let mut count = 0;
    let mut is_behind_blank = true;
    for c in text.chars() {
        let is_blank = c.is_whitespace() || c.is_control();
        if is_blank && is_behind_blank {
            continue;
        }
        if count == chars {
            out.push('…');
            return out;
        }
        out.push(if is_blank { ' ' } else { c });
        count += 1;
        is_behind_blank = is_blank;
    }
    out.truncate(out.trim_end().len());
    out
}

/// An entry that stands alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnedEntry {
    /// Its path.
    pub path: String,
    /// What it is.
    pub kind: Kind,
    /// How many tables and lists it stands in.
    pub depth: usize,
    /// Its value on one line, of a long one the beginning.
    pub value: String,
    /// Where it stands.
    pub lines: Lines,
}

/// The entries of a text.
pub type Keys = Vec<OwnedEntry>;

/// Returns the entries of a text in its order. For texts of which many are needed; [`visit`] needs
/// no memory for them.
pub fn keys(format: DataFormat, text: &str) -> Keys {
    struct Collected(Keys);
    impl Visitor for Collected {
        fn entry(&mut self, entry: &Entry<'_, '_>) -> ControlFlow<()> {
            self.0.push(OwnedEntry {
                path: entry.head(entry.path),
                kind: entry.kind,
                depth: entry.depth,
                value: entry.shown_value(),
                lines: entry.lines,
            });
            ControlFlow::Continue(())
        }
    }
    let mut collected = Collected(Vec::new());
    visit(format, text, &mut collected);
    collected.0
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
