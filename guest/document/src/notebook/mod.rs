//! Notebooks of Jupyter: the cells in the text of the file, and those in the Markdown that a reader
//! makes of it.
//!
//! The Markdown numbers each cell, from 1, in the line before its source:
//!
//! ````text
//! <!-- cell=1 -->
//! # Title
//!
//! ```python cell=2
//! print(1)
//! ```
//! ````

mod json;
mod marks;
mod source;

use std::ops::Range;

use json::JsonScanner;
pub use marks::{CellMark, cell_marks, cell_number, cell_span};
pub use source::{CellSource, SourceChange};

/// A cell in the text of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceCell {
    /// Kind of its source.
    pub kind: CellKind,
    /// Range of the source in JSON; `None` if it has none.
    pub source: Option<Range<usize>>,
}

/// The kind of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CellKind {
    /// Markdown.
    Markdown,
    /// Code, and text that is shown as code.
    Code,
}

/// Returns true if the text of a file is a notebook: complete JSON, an object with cells and the
/// version of their format.
#[must_use]
pub fn is_notebook(text: &str) -> bool {
    scan(text, &mut |_| {}).is_some()
}

/// Returns true if the bytes of a file are a notebook; see [`is_notebook`].
#[must_use]
pub fn is_notebook_file(bytes: &[u8]) -> bool {
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    std::str::from_utf8(bytes).is_ok_and(is_notebook)
}

/// Passes the cells of a notebook to `take` in their order. Returns `None` if the text is not a
/// notebook, after some of the cells.
pub fn scan(text: &str, take: &mut dyn FnMut(SourceCell)) -> Option<()> {
    let (mut has_cells, mut has_version) = (false, false);
    let mut scanner = JsonScanner::new(text, 0);
    scanner.object(&mut |name, scanner| {
        match (name, scanner.peek()?) {
            ("cells", b'[') => {
                has_cells = true;
                return scanner.array(&mut |scanner| cell(scanner, take));
            }
            // Version 3 has sheets of cells.
            ("worksheets", b'[') => {
                has_cells = true;
                return scanner.array(&mut |scanner| sheet(scanner, take));
            }
            ("nbformat", b'0'..=b'9') => has_version = true,
            _ => {}
        }
        scanner.value().map(|_| ())
    })?;
    (has_cells && has_version && scanner.is_at_end()).then_some(())
}

fn sheet(scanner: &mut JsonScanner<'_>, take: &mut dyn FnMut(SourceCell)) -> Option<()> {
    if scanner.peek()? != b'{' {
        return scanner.value().map(|_| ());
    }
    scanner.object(&mut |name, scanner| match (name, scanner.peek()?) {
        ("cells", b'[') => scanner.array(&mut |scanner| cell(scanner, take)),
        _ => scanner.value().map(|_| ()),
    })
}

fn cell(scanner: &mut JsonScanner<'_>, take: &mut dyn FnMut(SourceCell)) -> Option<()> {
    let mut cell = SourceCell {
        kind: CellKind::Code,
        source: None,
    };
    if scanner.peek()? == b'{' {
        scanner.object(&mut |name, scanner| {
            let value = scanner.value()?;
            match name {
                "cell_type" => {
                    let kind = scanner.text_of(value).trim_matches('"');
                    cell.kind = match kind {
                        "markdown" | "html" | "heading" => CellKind::Markdown,
                        _ => CellKind::Code,
                    };
                }
                // `input` is the name of version 3.
                "source" | "input" => cell.source = Some(value),
                _ => {}
            }
            Some(())
        })?;
    } else {
        scanner.value()?;
    }
    take(cell);
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cells(text: &str) -> Option<Vec<(CellKind, &str)>> {
        let mut cells = Vec::new();
        scan(text, &mut |cell| {
            let source = cell.source.map_or("", |range| &text[range]);
            cells.push((cell.kind, source));
        })?;
        Some(cells)
    }

    #[test]
    fn cells_in_order() {
        let text = r##"{"cells": [
            {"cell_type": "markdown", "metadata": {}, "source": ["# a\n", "b"]},
            {"source": "x", "outputs": [{"source": 1}], "cell_type": "code"},
            {"cell_type": "raw"}, 7, {}
        ], "metadata": {"cells": []}, "nbformat": 4, "nbformat_minor": 5}"##;
        let code = |source| (CellKind::Code, source);
        let expected = vec![
            (CellKind::Markdown, r##"["# a\n", "b"]"##),
            code("\"x\""),
            code(""),
            code(""),
            code(""),
        ];
        assert_eq!(cells(text), Some(expected));
        let old = r#"{"nbformat": 3, "worksheets": [1, {"cells": [{"input": []}], "a": 1}]}"#;
        assert_eq!(cells(old), Some(vec![code("[]")]));
    }

    #[test]
    fn notebooks() {
        for (text, expected) in [
            (r#"{"cells": [], "nbformat": 4}"#, true),
            (" {\"nbformat\": 4, \"cells\": [{}]}\n", true),
            (r#"{"cells": []}"#, false),
            (r#"{"nbformat": 4}"#, false),
            (r#"{"cells": {}, "nbformat": 4}"#, false),
            (r#"{"cells": [], "nbformat": "4"}"#, false),
            (r#"{"a": {"cells": [], "nbformat": 4}}"#, false),
            (r#"[{"cells": [], "nbformat": 4}]"#, false),
            (r#"{"cells": [], "nbformat": 4"#, false),
            (r#"{"cells": [], "nbformat": 4} x"#, false),
            (r#"{"cells": [{"source": "a" "b"}], "nbformat": 4}"#, false),
            ("<!DOCTYPE html>", false),
            ("", false),
        ] {
            assert_eq!(is_notebook(text), expected, "{text}");
            assert_eq!(is_notebook_file(text.as_bytes()), expected, "{text}");
            let marked = format!("\u{FEFF}{text}");
            assert_eq!(is_notebook_file(marked.as_bytes()), expected, "{text}");
        }
        assert!(!is_notebook_file(
            b"{\"cells\": [], \"nbformat\": 4, \"a\": \"\xFF\"}"
        ));
    }
}
