//! Text in an unknown language: its blocks, by indentation and blank lines.

use crate::code::Code;
use crate::declarations::Declarations;
use crate::limits::{BLOCK_NAME_CHARS, SYMBOLS};
use crate::symbol::{Lines, Symbol, SymbolKind};
use crate::truncate::cut;

/// Returns a symbol for each line at the margin that is followed by indented lines, or follows a
/// blank line.
pub(super) fn scan(code: &Code<'_>) -> Declarations {
    let mut symbols: Vec<Symbol> = Vec::new();
    let mut after_blank = true;
    for line in 1..=code.line_index.count() {
        let text = code.slice(code.line_index.span(line));
        let content = text.trim_end().trim_start_matches('\u{feff}');
        if content.is_empty() {
            after_blank = true;
            continue;
        }
        let is_indented = content.starts_with([' ', '\t']);
        // A block begins at the margin after a blank line. A line that only closes a block, such
        // as `});` after a blank line, belongs to the block above it. Beyond the maximum of
        // blocks the last one contains the rest of the file, so that every line still belongs to
        // one.
        let begins = after_blank && !is_indented && !ends_block(content) && symbols.len() < SYMBOLS;
        after_blank = false;
        match symbols.last_mut() {
            Some(last) if !begins => {
                last.lines.last = line;
                if is_comment(&last.name) && !is_comment(content) && !is_indented {
                    name_by(last, content);
                }
            }
            _ => symbols.push(block(content, line)),
        }
    }
    Declarations {
        imports: Vec::new(),
        paths: None,
        symbols,
    }
}

fn block(content: &str, line: u32) -> Symbol {
    let name = cut(content.trim(), BLOCK_NAME_CHARS);
    Symbol {
        kind: SymbolKind::Block,
        decorators: String::new(),
        signature: name.clone(),
        name,
        doc: String::new(),
        lines: Lines {
            first: line,
            last: line,
        },
        is_private: false,
        children: Vec::new(),
    }
}

/// Names a block that begins with a comment by its first other line, of which the comment is the
/// documentation: `# Builds all⏎all: a b`.
fn name_by(block: &mut Symbol, content: &str) {
    block.doc = block
        .name
        .trim_start_matches(['#', '/', '*', '-', ';', ' '])
        .to_owned();
    block.name = cut(content, BLOCK_NAME_CHARS);
    block.signature.clone_from(&block.name);
}

/// Returns true if a line only closes the block above it, even after a blank line: `});`, `end`.
fn ends_block(line: &str) -> bool {
    line.trim_end_matches([';', ',', ')', '}', ']', '|'])
        .is_empty()
        || matches!(line.trim_end_matches(';'), "end" | "END" | "fi" | "done")
}

fn is_comment(line: &str) -> bool {
    ["#", "//", "--", "/*", "*", ";", "%", "\"", "'"]
        .iter()
        .any(|marker| line.trim_start().starts_with(marker))
}
