//! The headers and assignments of a TOML text, with their byte ranges.

use std::ops::Range;

use toml_parser::Source;
use toml_parser::parser::{Event, EventKind, parse_document};

/// The header of a table, `[a.b]` or `[[a.b]]`.
#[derive(Debug, PartialEq, Eq)]
pub struct TableHeader {
    /// Path of keys to the table.
    pub path: Vec<String>,
    /// Offset of the first bracket.
    pub start: usize,
    /// End of the last bracket.
    pub end: usize,
}

/// A key with its value.
#[derive(Debug, PartialEq, Eq)]
pub struct KeyAssignment {
    /// Path of keys to the value from the top of the document.
    pub path: Vec<String>,
    /// Offset of the first key.
    pub start: usize,
    /// Byte range of the value.
    pub value: Range<usize>,
    /// Place of the assignment.
    pub place: AssignmentPlace,
}

/// The place of an assignment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AssignmentPlace {
    /// On lines of its own.
    Lines,
    /// Between the braces of an inline table.
    Inline,
}

/// A header with the assignments below it; the first one of a document has no header.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct TomlSection {
    pub header: Option<TableHeader>,
    pub assignments: Vec<KeyAssignment>,
}

/// Returns the sections of a valid TOML text, in order.
pub fn sections(text: &str) -> Vec<TomlSection> {
    let source = Source::new(text);
    let tokens = source.lex().into_vec();
    let mut reader = SectionReader {
        source,
        sections: vec![TomlSection::default()],
        stack: Vec::new(),
        keys: Vec::new(),
        start: None,
    };
    parse_document(&tokens, &mut |event: Event| reader.take(&event), &mut ());
    reader.sections
}

/// An incomplete value.
enum OpenValue {
    /// The value of a key, expected or begun.
    Value {
        path: Vec<String>,
        start: usize,
        value: Option<usize>,
    },
    /// An inline table.
    Table,
    /// An array.
    Array,
}

struct SectionReader<'t> {
    source: Source<'t>,
    sections: Vec<TomlSection>,
    stack: Vec<OpenValue>,
    /// Keys since the last value, header or separator.
    keys: Vec<String>,
    /// Offset of the first of these keys.
    start: Option<usize>,
}

impl SectionReader<'_> {
    fn take(&mut self, event: &Event) {
        let span = event.span();
        match event.kind() {
            EventKind::StdTableOpen | EventKind::ArrayTableOpen => self.start = Some(span.start()),
            EventKind::StdTableClose | EventKind::ArrayTableClose => self.header(span.end()),
            EventKind::SimpleKey => {
                let mut key = String::new();
                if let Some(raw) = self.source.get(event) {
                    raw.decode_key(&mut key, &mut ());
                }
                self.keys.push(key);
                self.start.get_or_insert(span.start());
            }
            EventKind::KeyValSep => self.stack.push(OpenValue::Value {
                path: std::mem::take(&mut self.keys),
                start: self.start.take().unwrap_or(span.start()),
                value: None,
            }),
            EventKind::Scalar => {
                self.begin(span.start());
                self.end(span.end());
            }
            EventKind::InlineTableOpen => {
                self.begin(span.start());
                self.stack.push(OpenValue::Table);
            }
            EventKind::ArrayOpen => {
                self.begin(span.start());
                self.stack.push(OpenValue::Array);
            }
            EventKind::InlineTableClose | EventKind::ArrayClose => {
                self.stack.pop();
                self.end(span.end());
            }
            EventKind::KeySep
            | EventKind::ValueSep
            | EventKind::Whitespace
            | EventKind::Comment
            | EventKind::Newline
            | EventKind::Error => {}
        }
    }

    fn header(&mut self, end: usize) {
        self.sections.push(TomlSection {
            header: Some(TableHeader {
                path: std::mem::take(&mut self.keys),
                start: self.start.take().unwrap_or(end),
                end,
            }),
            assignments: Vec::new(),
        });
    }

    /// Records the start of the innermost key's value.
    fn begin(&mut self, at: usize) {
        if let Some(OpenValue::Value { value, .. }) = self.stack.last_mut() {
            value.get_or_insert(at);
        }
    }

    /// Records the assignment whose value ends here, unless it is an item of an array.
    fn end(&mut self, at: usize) {
        if !matches!(self.stack.last(), Some(OpenValue::Value { .. })) {
            return;
        }
        let Some(OpenValue::Value { path, start, value }) = self.stack.pop() else {
            return;
        };
        // A table in an array has no path of keys: in `a = [{ b = 1 }]`, the value 1 is not
        // `a.b`. Recording it as such could make an edit change the wrong value.
        if self
            .stack
            .iter()
            .any(|open| matches!(open, OpenValue::Array))
        {
            return;
        }
        let outer = self.stack.iter().flat_map(|open| match open {
            OpenValue::Value { path, .. } => path.as_slice(),
            OpenValue::Table | OpenValue::Array => &[],
        });
        let outer: Vec<_> = outer.cloned().collect();
        let place = match self.stack.is_empty() {
            true => AssignmentPlace::Lines,
            false => AssignmentPlace::Inline,
        };
        let Some(section) = self.sections.last_mut() else {
            return;
        };
        let header = section.header.as_ref();
        let header = header.map_or(&[][..], |header| &header.path);
        section.assignments.push(KeyAssignment {
            path: [header, &outer, &path].concat(),
            start,
            value: value.unwrap_or(at)..at,
            place,
        });
    }
}
