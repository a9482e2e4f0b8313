//! The writer through which scanners report entries.

use std::ops::Range;

use docent_text::lines::LineCounter;

use crate::entry::{Columns, DataEntry, DataKind, DataLines};
use crate::limits::LEVELS;
use crate::path::{Path, PathStep};
use crate::visitor::Visitor;

/// Columns of an entry that is not a row.
const NO_COLUMNS: Columns<'static, 'static> = Columns {
    names: &[],
    separator: b',',
};

/// A writer that passes entries to a visitor, in the order of the text.
pub(crate) struct EntryWriter<'t, 'v> {
    pub(crate) text: &'t str,
    lines: LineCounter<'t>,
    path: Vec<PathStep<'t>>,
    open: Vec<OpenContainer>,
    visitor: &'v mut dyn Visitor,
    is_over: bool,
}

/// A table or a list whose entries follow.
struct OpenContainer {
    /// Number of path steps before its own.
    steps: usize,
    children: usize,
}

/// The position of a value.
#[derive(Clone, Debug)]
pub(crate) struct ValueSpan<'t> {
    /// Byte range from its key to its end.
    pub(crate) span: Range<usize>,
    /// Byte range of the value within that.
    pub(crate) value: Range<usize>,
    pub(crate) note: &'t str,
}

impl ValueSpan<'_> {
    /// Creates the position of a value whose key begins at `start`.
    pub(crate) fn new(start: usize, value: Range<usize>) -> Self {
        Self {
            span: start..value.end,
            value,
            note: "",
        }
    }
}

impl<'t, 'v> EntryWriter<'t, 'v> {
    pub(crate) fn new(text: &'t str, visitor: &'v mut dyn Visitor) -> Self {
        Self {
            text,
            lines: LineCounter::new(text),
            path: Vec::new(),
            open: Vec::new(),
            visitor,
            is_over: false,
        }
    }

    /// Returns true if the visitor broke off the scan.
    pub(crate) fn is_over(&self) -> bool {
        self.is_over
    }

    /// Returns the number of open tables and lists.
    pub(crate) fn depth(&self) -> usize {
        self.open.len()
    }

    /// Returns true if no other table or list may be opened.
    pub(crate) fn is_full(&self) -> bool {
        self.open.len() >= LEVELS
    }

    /// Writes a value under these keys.
    pub(crate) fn value(&mut self, steps: &[PathStep<'t>], found: &ValueSpan<'t>) {
        self.write(steps, DataKind::Value, found, NO_COLUMNS);
    }

    /// Writes a row.
    pub(crate) fn row(&mut self, number: usize, span: Range<usize>, columns: Columns<'_, 't>) {
        let found = ValueSpan::new(span.start, span);
        self.write(&[PathStep::item(number)], DataKind::Row, &found, columns);
    }

    /// Writes text that is not a value.
    pub(crate) fn text(&mut self, span: Range<usize>) {
        let found = ValueSpan::new(span.start, span);
        self.write(&[], DataKind::Text, &found, NO_COLUMNS);
    }

    /// Writes a table or a list, whose entries follow up to [`EntryWriter::close`].
    pub(crate) fn open(&mut self, steps: &[PathStep<'t>], kind: DataKind, found: &ValueSpan<'t>) {
        self.write(steps, kind, found, NO_COLUMNS);
        self.open.push(OpenContainer {
            steps: self.path.len(),
            children: 0,
        });
        self.path.extend_from_slice(steps);
    }

    /// Ends the innermost table or list.
    pub(crate) fn close(&mut self) {
        if let Some(open) = self.open.pop() {
            self.path.truncate(open.steps);
            if !self.is_over {
                self.visitor.end(open.children);
            }
        }
    }

    /// Ends tables and lists until `depth` of them are open.
    pub(crate) fn close_to(&mut self, depth: usize) {
        while self.open.len() > depth {
            self.close();
        }
    }

    /// Ends all open tables and lists.
    pub(crate) fn end(&mut self) {
        self.close_to(0);
    }

    fn write(
        &mut self,
        steps: &[PathStep<'t>],
        kind: DataKind,
        found: &ValueSpan<'t>,
        columns: Columns<'_, 't>,
    ) {
        if self.is_over {
            return;
        }
        if let Some(open) = self.open.last_mut()
            && kind != DataKind::Text
        {
            open.children += match steps.last() {
                Some(PathStep::Items { first, last }) => last.saturating_sub(*first) + 1,
                _ => 1,
            };
        }
        // The counter only moves forward, so that all lines of a text are counted once. The
        // positions of an entry are asked in this order, and scanners write entries in the order
        // of the text: a comment in the middle of a value, for example, is part of that value or
        // written after it.
        let first = self.lines.line(found.span.start);
        let value_line = match found.value.is_empty() {
            true => first,
            false => self.lines.line(found.value.start),
        };
        let last = self.lines.line(found.span.end.saturating_sub(1));
        let before = self.path.len();
        self.path.extend_from_slice(steps);
        let entry = DataEntry {
            path: Path(&self.path),
            own_steps: steps.len(),
            depth: self.open.len(),
            kind,
            note: found.note,
            value: &self.text[found.value.clone()],
            columns,
            lines: DataLines {
                first,
                last: last.max(first),
            },
            value_line,
        };
        self.is_over = self.visitor.entry(&entry).is_break();
        self.path.truncate(before);
    }
}
