//! Shell: functions, and variables at the top.

use super::Found;
use crate::SymbolKind;
use crate::code::{Code, Definition};
use crate::lexer::Kind;
use crate::limits::SYMBOLS;

pub(super) fn scan(code: &Code<'_>) -> Found {
    let mut found = Found::default();
    let mut at = 0;
    while at < code.tokens.len() && found.symbols.len() < SYMBOLS {
        if let Some((definition, next)) = function(code, at) {
            found.symbols.push(code.symbol(definition));
            at = next;
            continue;
        }
        let token = code.tokens[at];
        if token.first
            && matches!(code.word(at), "source" | ".")
            && code.tokens.get(at + 1).is_some_and(|next| !next.first)
        {
            let start = code.start(at);
            let line = code.index.line(start);
            let end = code.index.span(line).end;
            let text = code.text[start..end].trim_end();
            let text = text
                .split_once(" #")
                .map_or(text, |(text, _)| text)
                .trim_end();
            let module = text
                .split_once(char::is_whitespace)
                .map_or("", |(_, rest)| rest.trim());
            let module = module.trim_matches(['"', '\'']);
            found
                .imports
                .push(code.import(start..start + text.len(), module));
        } else if token.first
            && let Some(definition) = variable(code, at)
        {
            found.symbols.push(code.symbol(definition));
        }
        // A whole script may stand in braces, so that it is read before it runs.
        at = if token.first && code.is(at, b'{') {
            at + 1
        } else {
            code.next(at)
        };
    }
    found
}

/// Reads `name() {` and `function name {` at `at`, up to the end of its body.
fn function(code: &Code<'_>, at: usize) -> Option<(Definition, usize)> {
    let token = code.tokens[at];
    let begins = token.first || at == 0 || code.is(at - 1, b';');
    if token.kind != Kind::Word || !begins {
        return None;
    }
    let has_keyword = code.word(at) == "function" && !code.touches(at);
    let first = at + usize::from(has_keyword);
    let mut last = first;
    while code.touches(last)
        && matches!(
            code.kind(last + 1),
            Some(Kind::Word | Kind::Number | Kind::Punct)
        )
    {
        last += 1;
    }
    let has_brackets = code.is(last + 1, b'(') && code.is(last + 2, b')');
    if !has_keyword && !has_brackets {
        return None;
    }
    let body = last + if has_brackets { 3 } else { 1 };
    if !(code.is(body, b'{') || code.is(body, b'(')) {
        return None;
    }
    let next = code.next(body);
    let name = code.text.get(code.start(first)..code.end(last))?.to_owned();
    Some((
        Definition {
            kind: SymbolKind::Function,
            is_private: name.starts_with('_'),
            name,
            head: code.start(at)..code.start(body),
            span: code.start(at)..code.end(next - 1),
            children: Vec::new(),
        },
        next,
    ))
}

/// Reads `NAME=value` with or without `export` before it.
fn variable(code: &Code<'_>, at: usize) -> Option<Definition> {
    let mut name = at;
    if matches!(code.word(at), "export" | "readonly" | "declare" | "typeset") {
        name += 1;
        while code.is(name, b'-') && code.is_name(name + 1) {
            name += 2;
        }
    }
    if !code.is_name(name)
        || !code.is(name + 1, b'=')
        || !code.touches(name)
        || code.word(name).starts_with('$')
    {
        return None;
    }
    let sign = name + 1;
    let mut last = sign;
    while code.touches(last) && last + 1 < code.tokens.len() {
        last = code.next(last + 1) - 1;
    }
    // `NAME=value command` sets it for that command alone.
    if code.tokens.get(last + 1).is_some_and(|token| !token.first)
        && !code.is(last + 1, b';')
        && !code.is(last + 1, b'&')
    {
        return None;
    }
    let end = code.end(last);
    Some(Definition {
        kind: SymbolKind::Variable,
        name: code.word(name).to_owned(),
        head: code.start(at)..code.end_with_value(code.start(sign), end),
        span: code.start(at)..end,
        is_private: name == at,
        children: Vec::new(),
    })
}
