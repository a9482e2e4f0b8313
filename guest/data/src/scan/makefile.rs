//! Makefiles and justfiles: variables, and targets with their recipes.

use std::ops::Range;

use crate::entry::DataKind;
use crate::line::LineSpan;
use crate::path::PathStep;
use crate::writer::{EntryWriter, ValueSpan};

pub(super) fn scan(writer: &mut EntryWriter<'_, '_>) {
    let text = writer.text;
    let mut at = 0;
    while let Some(line) = LineSpan::at(text, at) {
        if writer.is_over() {
            return;
        }
        at = line.next;
        let (start, trimmed) = line.trim(text);
        if trimmed.is_empty() {
            continue;
        }
        let is_indented = start > line.start;
        if trimmed.starts_with('#') && !is_indented {
            writer.text(start..start + trimmed.len());
            continue;
        }
        let (end, next) = long_line_end(text, line);
        at = next;
        let end = start + text[start..end].trim_end().len();
        // A recipe line of the target above.
        if is_indented && writer.depth() > 0 {
            writer.value(&[], &ValueSpan::new(start, start..end));
            continue;
        }
        let Some(head) = head(&text[start..end]) else {
            writer.text(start..end);
            continue;
        };
        writer.close_to(0);
        let (step, found) = (
            PathStep::Key(head.key),
            ValueSpan::new(start, start + head.value..end),
        );
        if head.is_target {
            writer.open(&[step], DataKind::Table, &found);
        } else {
            writer.value(&[step], &found);
        }
    }
}

/// The head of an entry.
struct Head<'t> {
    key: &'t str,
    /// Start of its value in the line: prerequisites, or the value of a variable.
    value: usize,
    is_target: bool,
}

/// Parses the head at the start of a line at the margin, or returns `None` for a conditional and
/// the like.
fn head(line: &str) -> Option<Head<'_>> {
    let sign = memchr::memchr2(b'=', b':', line.as_bytes())?;
    let (before, after) = line.split_at(sign);
    let value = |from: usize| line.len() - line[from..].trim_start().len();
    let colons = after.len() - after.trim_start_matches(':').len();
    let is_assigned = after[colons..].starts_with('=');
    // `A = b` is a variable, and `build target='all': compile` a recipe of a justfile with a
    // default. The latter has several words before the sign, none of which may precede a
    // variable, no blank directly before the sign, and a colon after it.
    let first = before.split_whitespace().next()?;
    if is_assigned && colons == 0 && !before.ends_with([' ', '?', '+', '!']) && first != before {
        let is_variable = VARIABLE_WORDS.contains(&first) || !after.contains(':');
        if !is_variable {
            return Some(Head {
                key: first,
                value: value(first.len()),
                is_target: true,
            });
        }
    }
    let name = before.trim_end_matches(['?', '+', '!', ' ', '\t']);
    let name = match name.split_once(char::is_whitespace) {
        Some((word, rest)) if is_assigned && VARIABLE_WORDS.contains(&word) => rest.trim_start(),
        _ => name,
    };
    (!name.is_empty()).then_some(Head {
        key: name,
        value: value(sign + colons + usize::from(is_assigned)),
        is_target: !is_assigned,
    })
}

/// Keywords that may precede the name of a variable.
const VARIABLE_WORDS: [&str; 5] = ["export", "override", "set", "alias", "private"];

/// Returns the end of a line continued by backslashes, and the start of the next one.
pub(super) fn long_line_end(text: &str, first: LineSpan) -> (usize, usize) {
    let mut line = first;
    while text[line.start..line.end].trim_end().ends_with('\\') {
        let Some(next) = LineSpan::at(text, line.next) else {
            break;
        };
        line = next;
        // A comment between the lines of an instruction does not end it.
        while text[line.start..line.end].trim_start().starts_with('#') {
            let Some(next) = LineSpan::at(text, line.next) else {
                break;
            };
            line = next;
        }
    }
    (line.end, line.next)
}

/// Returns the first word of the text at `span`, and the start of the rest.
pub(super) fn word(text: &str, span: Range<usize>) -> (&str, usize) {
    let line = &text[span.clone()];
    let end = line.find(char::is_whitespace).unwrap_or(line.len());
    (&line[..end], span.end - line[end..].trim_start().len())
}

#[cfg(test)]
mod tests {
    use crate::format::DataFormat;
    use crate::scan::tests::check;

    #[test]
    fn makefile() {
        let text = "# Build.\nCC ?= gcc\nSRC := a.c \\\n  b.c\nexport PATH = /bin\n\nifeq ($(X),1)\nall: build test\n\nbuild: $(SRC)\n\t$(CC) -o app \\\n\t  $^\n\t@echo 완료\n.PHONY: all\n";
        check(
            DataFormat::Makefile,
            text,
            &[
                "1 # Build.",
                "2 CC = gcc",
                "3-4 SRC = a.c \\ b.c",
                "5 PATH = /bin",
                "7 ifeq ($(X),1)",
                "8 all: build test",
                "10 build: $(SRC)",
                "11-12 build = $(CC) -o app \\ $^",
                "13 build = @echo 완료",
                "14 \".PHONY\": all",
            ],
        );
    }

    #[test]
    fn justfile() {
        let text = "set shell := [\"bash\"]\nversion := \"1\"\n\n[private]\ndefault:\n    @just --list\nbuild target='all': compile\n    cargo build {{target}}\n";
        check(
            DataFormat::Makefile,
            text,
            &[
                "1 shell = [\"bash\"]",
                "2 version = \"1\"",
                "4 [private]",
                "5 default:",
                "6 default = @just --list",
                "7 build: target='all': compile",
                "8 build = cargo build {{target}}",
            ],
        );
    }
}
