//! Imports of JavaScript and TypeScript: of modules, and of calls that import.

use oxc_parser::ParserReturn;

use crate::code::Code;
use crate::imports::collected::{Collected, plain_string};
use crate::imports::target::{ImportPath, ImportedName};
use crate::lexer::token::TokenKind;
use crate::position::{ByteRange, TokenIndex, token_indices};
use crate::source::Source;

/// Returns the imports of a parsed file: `import` and `export from` by its parser, `import()` and
/// `require()` with one string by their tokens anywhere, in types too. Comments are taken from
/// `parsed_code`, tokens from `code`.
pub(crate) fn collect_module(
    code: &Code<'_>,
    parsed_code: &Code<'_>,
    parsed: &ParserReturn<'_>,
) -> Vec<ImportPath> {
    let mut requests = Vec::new();
    for (specifier, of_one) in &parsed.module_record.requested_modules {
        requests.extend(of_one.iter().map(|r| (r.span.start, specifier.as_str())));
    }
    // The map of modules has no order.
    requests.sort_unstable();
    let mut out = Collected::new(code, Source::Parsed);
    for (start, specifier) in requests {
        out.push_name(start.into(), specifier, ImportedName::Specifier);
    }
    references(parsed_code, &mut out);
    // To the lexer, text between JSX tags is code. The apostrophe in `<p>Don't</p>` begins a
    // string, and `<p>require('a')</p>` looks like a call. The parser knows better but has no
    // list of calls, so that calls in a file with tags are only likely.
    if has_tags(code) {
        out.known_by = Source::Heuristic;
    }
    for string in strings(code) {
        if is_called_with(code, string) && !is_in(&parsed_code.comments, code, string) {
            push(&mut out, string);
        }
    }
    out.found
}

/// Returns true if a tag is closed outside of strings and comments.
fn has_tags(code: &Code<'_>) -> bool {
    token_indices(TokenIndex::FIRST..code.end_token())
        .any(|sign| code.is(sign, b'<') && code.is(sign + 1, b'/') && code.touches_next(sign))
}

fn strings<'a>(code: &'a Code<'_>) -> impl Iterator<Item = TokenIndex> + 'a {
    token_indices(TokenIndex::FIRST..code.end_token())
        .filter(|token| code.kind(*token) == Some(TokenKind::Text))
}

fn push(out: &mut Collected<'_>, string: TokenIndex) {
    let code = out.code;
    let callee = code.word(string.saturating_sub(2));
    let target = if code.previous_is(string, b'(') && callee == "require" {
        ImportedName::Required
    } else {
        ImportedName::Specifier
    };
    if let Some(specifier) = plain_string(code.word(string)) {
        out.push_name(code.start(string), specifier, target);
    }
}

fn is_in(comments: &[ByteRange], code: &Code<'_>, token: TokenIndex) -> bool {
    let start = code.start(token);
    let after = comments.partition_point(|comment| comment.start <= start);
    let last = after.checked_sub(1).and_then(|last| comments.get(last));
    last.is_some_and(|comment| start < comment.end)
}

/// Adds the files of `/// <reference path="a.d.ts" />`, which precede the first statement.
fn references(code: &Code<'_>, out: &mut Collected<'_>) {
    for comment in &code.comments {
        let text = code.slice(comment.clone());
        let Some(reference) = text.strip_prefix("///").map(str::trim_start) else {
            continue;
        };
        let Some(rest) = reference.strip_prefix("<reference") else {
            continue;
        };
        let quoted = rest.trim_start().strip_prefix("path=");
        let quote = quoted.and_then(|quoted| quoted.chars().next());
        if let (Some(quoted), Some(quote @ ('"' | '\''))) = (quoted, quote) {
            let path = quoted[1..].split(quote).next().unwrap_or_default();
            out.push_name(comment.start, path, ImportedName::File);
        }
    }
}

/// Returns the imports of a file that no parser accepts, by its tokens.
pub(super) fn scan(code: &Code<'_>) -> Vec<ImportPath> {
    let mut out = Collected::new(code, Source::Heuristic);
    for string in strings(code) {
        let is_named = matches!(code.previous_word(string), "from" | "import");
        if is_named || is_called_with(code, string) {
            push(&mut out, string);
        }
    }
    out.found
}

/// Replaces everything outside of scripts by blanks; scripts begin and end at the margin, as in Vue
/// and Svelte. Returns `None` if there is no script.
pub(super) fn scripts(text: &str) -> Option<String> {
    let mut blanked = String::with_capacity(text.len());
    let mut is_script = false;
    let mut has_scripts = false;
    for line in text.split_inclusive('\n') {
        if line.starts_with("</script") {
            is_script = false;
        }
        if is_script {
            blanked.push_str(line);
        } else {
            // Line numbers are preserved, for every kind of line end.
            blanked.extend(line.chars().filter(|c| matches!(c, '\n' | '\r')));
        }
        // A tag over several lines is not supported, nor is one with its script on the same
        // line.
        if line.starts_with("<script") && line.trim_end().ends_with('>') {
            is_script = !line.contains("</script") && !line.trim_end().ends_with("/>");
            has_scripts |= is_script;
        }
    }
    has_scripts.then_some(blanked)
}

/// Returns true if a string is the first argument of `import()` or `require()`; `a.require("b")` is
/// another method.
fn is_called_with(code: &Code<'_>, string: TokenIndex) -> bool {
    let callee = string.saturating_sub(2);
    let is_spread = || code.previous_word(callee.saturating_sub(1)) == ".";
    code.previous_is(string, b'(')
        && matches!(code.word(callee), "import" | "require")
        && (!code.previous_is(callee, b'.') || is_spread())
        && (code.is(string + 1, b')') || code.is(string + 1, b','))
}
