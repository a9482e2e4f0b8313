//! Shell: functions, and top-level variables.

use crate::code::{Code, Definition};
use crate::declarations::Declarations;
use crate::lexer::token::TokenKind;
use crate::limits::SYMBOLS;
use crate::position::{TokenIndex, byte_range};
use crate::symbol::{Import, SymbolKind};

pub(super) fn scan(code: &Code<'_>) -> Declarations {
    let mut declarations = Declarations::default();
    let mut here = TokenIndex::FIRST;
    while here < code.end_token() && declarations.symbols.len() < SYMBOLS {
        if let Some((definition, next)) = function(code, here) {
            declarations.symbols.push(code.symbol(definition));
            here = next;
            continue;
        }
        let is_first = code.is_first_on_line(here);
        if is_first && is_source(code, here) {
            declarations.imports.push(source(code, here));
        } else if is_first && let Some(definition) = variable(code, here) {
            declarations.symbols.push(code.symbol(definition));
        }
        // Installers are often one block in braces, so that the shell reads the whole script
        // before it runs any of it, and a download that is cut off does nothing. The functions
        // in such a block are those of the script.
        here = if is_first && code.is(here, b'{') {
            here + 1
        } else {
            code.after(here)
        };
    }
    declarations
}

/// Returns true if the command sources another script: `source a.sh`, `. a.sh`.
fn is_source(code: &Code<'_>, first: TokenIndex) -> bool {
    matches!(code.word(first), "source" | ".") && code.continues_line(first + 1)
}

/// Reads the line of `source "$DIR/a.sh" # why`.
fn source(code: &Code<'_>, first: TokenIndex) -> Import {
    let start = code.start(first).index();
    let line_end = code.line_index.span(code.line(first)).end.index();
    let text = code.text[start..line_end].trim_end();
    let text = text
        .split_once(" #")
        .map_or(text, |(text, _)| text)
        .trim_end();
    let module = text
        .split_once(char::is_whitespace)
        .map_or("", |(_, rest)| rest.trim());
    let span = byte_range(start, start + text.len());
    code.import(span, module.trim_matches(['"', '\'']))
}

/// Reads `name() {` and `function name {`, up to the end of its body; returns the token after it.
fn function(code: &Code<'_>, first: TokenIndex) -> Option<(Definition, TokenIndex)> {
    let begins =
        code.is_first_on_line(first) || first == TokenIndex::FIRST || code.previous_is(first, b';');
    if !code.is_name(first) || !begins {
        return None;
    }
    // `function` may be part of a name: `function-a() {`.
    let has_keyword = code.word(first) == "function" && !code.touches_next(first);
    let name_first = first + u32::from(has_keyword);
    let name_last = last_of_name(code, name_first);
    let has_brackets = code.is(name_last + 1, b'(') && code.is(name_last + 2, b')');
    if !has_keyword && !has_brackets {
        return None;
    }
    let body = name_last + if has_brackets { 3 } else { 1 };
    // A body in round brackets runs in a subshell.
    if !(code.is(body, b'{') || code.is(body, b'(')) {
        return None;
    }
    let next = code.after(body);
    let name = code.start(name_first).index()..code.end(name_last).index();
    let name = code.text.get(name)?.to_owned();
    let definition = Definition {
        kind: SymbolKind::Function,
        is_private: name.starts_with('_'),
        name,
        head: code.start(first)..code.start(body),
        span: code.start(first)..code.end(next - 1),
        children: Vec::new(),
    };
    Some((definition, next))
}

/// Returns the last token of a name, which may contain signs: `git-log.all`, but none that ends a
/// command.
fn last_of_name(code: &Code<'_>, first: TokenIndex) -> TokenIndex {
    let is_part = |token| match code.kind(token) {
        Some(TokenKind::Word | TokenKind::Number) => true,
        Some(TokenKind::Punct) => !matches!(code.sign(token), b';' | b'&' | b'|' | b'<' | b'>'),
        _ => false,
    };
    let mut last = first;
    while code.touches_next(last) && is_part(last + 1) {
        last += 1;
    }
    last
}

/// Reads `NAME=value` with or without `export` before it.
fn variable(code: &Code<'_>, first: TokenIndex) -> Option<Definition> {
    let mut name = first;
    if matches!(
        code.word(first),
        "export" | "readonly" | "declare" | "typeset"
    ) {
        name += 1;
        // `declare -r -x NAME=value`
        while code.is(name, b'-') && code.is_name(name + 1) {
            name += 2;
        }
    }
    let sign = name + 1;
    if !code.is_name(name)
        || !code.is(sign, b'=')
        || !code.touches_next(name)
        || code.word(name).starts_with('$')
    {
        return None;
    }
    // The value is the adjacent text, with its strings and brackets: `A=$(b)"c"`.
    let mut last = sign;
    while code.touches_next(last) && last + 1 < code.end_token() {
        last = code.after(last + 1) - 1;
    }
    // `NAME=value command` sets it for that command alone.
    let next = last + 1;
    if code.continues_line(next) && !code.is(next, b';') && !code.is(next, b'&') {
        return None;
    }
    let end = code.end(last);
    Some(Definition {
        kind: SymbolKind::Variable,
        name: code.word(name).to_owned(),
        head: code.start(first)..code.end_with_value(code.start(sign), end),
        span: code.start(first)..end,
        // Without `export` only this script sees it.
        is_private: name == first,
        children: Vec::new(),
    })
}
