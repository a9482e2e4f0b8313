//! Text whose language is not known: its blocks, by indentation and blank lines.

use super::Found;
use crate::code::{Code, cut};
use crate::limits::{SYMBOLS, VALUE_CHARS};
use crate::{Lines, Symbol, SymbolKind};

/// Returns a symbol for each line that begins at the margin and has more beneath it, or follows a
/// blank line.
pub(super) fn scan(code: &Code<'_>) -> Found {
    let mut symbols: Vec<Symbol> = Vec::new();
    let mut after_blank = true;
    for line in 1..=code.index.count() {
        let text = &code.text[code.index.span(line)];
        let content = text.trim_end().trim_start_matches('\u{feff}');
        if content.is_empty() {
            after_blank = true;
            continue;
        }
        let is_indented = content.starts_with([' ', '\t']);
        let is_end = content
            .trim_end_matches([';', ',', ')', '}', ']', '|'])
            .is_empty()
            || matches!(content.trim_end_matches(';'), "end" | "END" | "fi" | "done");
        let begins = after_blank && !is_indented && !is_end && symbols.len() < SYMBOLS;
        after_blank = false;
        match symbols.last_mut() {
            Some(last) if !begins => {
                last.lines.last = line;
                // A block of comments is named by the first line that is none.
                if is_comment(&last.name) && !is_comment(content) && !is_indented {
                    last.doc = last
                        .name
                        .trim_start_matches(['#', '/', '*', '-', ';', ' '])
                        .to_owned();
                    last.name = cut(content, 2 * VALUE_CHARS);
                    last.signature.clone_from(&last.name);
                }
            }
            _ => {
                let name = cut(content.trim(), 2 * VALUE_CHARS);
                symbols.push(Symbol {
                    kind: SymbolKind::Block,
                    signature: name.clone(),
                    name,
                    doc: String::new(),
                    lines: Lines {
                        first: line,
                        last: line,
                    },
                    is_private: false,
                    children: Vec::new(),
                });
            }
        }
    }
    Found {
        imports: Vec::new(),
        symbols,
    }
}

fn is_comment(line: &str) -> bool {
    ["#", "//", "--", "/*", "*", ";", "%", "\"", "'"]
        .iter()
        .any(|marker| line.trim_start().starts_with(marker))
}
