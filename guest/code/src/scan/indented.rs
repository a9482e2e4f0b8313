//! Python by its indentation.

use super::Found;
use crate::code::{Code, Definition};
use crate::lexer::Kind;
use crate::limits::{NESTED_SYMBOLS, SYMBOLS};
use crate::{Symbol, SymbolKind};

struct Open {
    indent: usize,
    definition: Definition,
}

pub(super) fn scan(code: &Code<'_>) -> Found {
    let mut found = Found::default();
    let mut open: Vec<Open> = Vec::new();
    let mut decorators = None;
    let mut count = 0;
    let mut last_end = 0;
    let mut at = 0;
    while at < code.tokens.len() && count < SYMBOLS {
        // Each turn begins with a logical line.
        let start = code.start(at);
        let line = code.index.span(code.index.line(start)).start;
        let indent = start - line;
        while let Some(done) = open.pop_if(|open| indent <= open.indent) {
            close(code, done, last_end, &mut open, &mut found.symbols);
        }
        let mut end = at;
        let mut colon = None;
        while end < code.tokens.len() && (end == at || !code.tokens[end].first) {
            if colon.is_none() && code.is(end, b':') {
                colon = Some(end);
            }
            end = code.next(end);
        }
        let end = end.min(code.tokens.len());
        let keyword = at + usize::from(code.word(at) == "async");
        let span = decorators.unwrap_or(start)..code.end(end - 1);
        let in_type = open
            .last()
            .is_none_or(|open| open.definition.kind == SymbolKind::Class);
        match code.word(keyword) {
            "@" => decorators = decorators.or(Some(start)),
            "def" | "class" if code.is_name(keyword + 1) && open.len() < NESTED_SYMBOLS => {
                let name = code.word(keyword + 1).to_owned();
                let kind = match code.word(keyword) {
                    "class" => SymbolKind::Class,
                    _ if open.is_empty() => SymbolKind::Function,
                    _ => SymbolKind::Method,
                };
                let head_end = colon.map_or(span.end, |colon| code.start(colon));
                let definition = Definition {
                    kind,
                    is_private: name.starts_with('_') && !name.ends_with("__"),
                    name,
                    head: start..head_end,
                    span,
                    children: Vec::new(),
                };
                decorators = None;
                open.push(Open { indent, definition });
                count += 1;
            }
            "import" | "from" if code.is_name(keyword + 1) || code.is(keyword + 1, b'.') => {
                let text = &code.text[span.clone()];
                let module = text.split_whitespace().nth(1).unwrap_or_default();
                found
                    .imports
                    .push(code.import(span, module.trim_end_matches(',')));
            }
            _ if in_type
                && code.is_name(at)
                && (code.is(at + 1, b'=') || code.is(at + 1, b':'))
                && !code.is(at + 2, b'=') =>
            {
                let name = code.word(at).to_owned();
                let is_constant = !name.contains(char::is_lowercase);
                let is_statement = matches!(name.as_str(), "else" | "try" | "finally");
                let definition = Definition {
                    kind: match () {
                        () if is_constant => SymbolKind::Constant,
                        () if open.is_empty() => SymbolKind::Variable,
                        () => SymbolKind::Field,
                    },
                    is_private: name.starts_with('_'),
                    name,
                    head: start..code.end_with_value(code.end(at), span.end),
                    span: start..span.end,
                    children: Vec::new(),
                };
                if !is_statement {
                    place(code.symbol(definition), &mut open, &mut found.symbols);
                    count += 1;
                }
            }
            _ => decorators = None,
        }
        last_end = code.end(end - 1);
        at = end.max(at + 1);
        if code.kind(at) == Some(Kind::Close) && !code.tokens[at].first {
            at += 1;
        }
    }
    while let Some(done) = open.pop() {
        close(code, done, last_end, &mut open, &mut found.symbols);
    }
    found
}

fn close(code: &Code<'_>, done: Open, end: usize, open: &mut [Open], symbols: &mut Vec<Symbol>) {
    let mut definition = done.definition;
    definition.span.end = end.max(definition.span.end);
    place(code.symbol(definition), open, symbols);
}

fn place(symbol: Symbol, open: &mut [Open], symbols: &mut Vec<Symbol>) {
    match open.last_mut() {
        Some(outer) if outer.definition.kind == SymbolKind::Class => {
            outer.definition.children.push(symbol);
        }
        Some(_) => {}
        None => symbols.push(symbol),
    }
}
