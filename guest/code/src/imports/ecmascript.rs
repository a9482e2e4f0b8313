//! Imports of JavaScript and TypeScript: of modules, and of what is called like one.

use oxc_parser::ParserReturn;

use super::{Collected, ImportPath, Target, plain_string};
use crate::Source;
use crate::code::Code;
use crate::lexer::TokenKind;
use crate::position::{ByteRange, TokenIndex, token_indices};

/// Returns what a parsed file imports: by `import` and `export from` as its parser understood
/// them, by `import()` and `require()` with one string wherever such tokens stand, in types too.
/// Of `parsed_code` the comments are taken, of `code` the tokens.
pub(crate) fn of_module(
    code: &Code<'_>,
    parsed_code: &Code<'_>,
    parsed: &ParserReturn<'_>,
) -> Vec<ImportPath> {
    let mut requests = Vec::new();
    for (specifier, of_one) in &parsed.module_record.requested_modules {
        requests.extend(of_one.iter().map(|r| (r.span.start, specifier.as_str())));
    }
    // They come in the order of a hash.
    requests.sort_unstable();
    let mut out = Collected::new(code, Source::Parsed);
    for (start, specifier) in requests {
        out.push_name(start.into(), specifier, Target::Specifier);
    }
    references(parsed_code, &mut out);
    // What stands between the tags of JSX looks like code to the lexer.
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

/// Whether a tag is closed outside of strings and comments.
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
        Target::Required
    } else {
        Target::Specifier
    };
    if let Some(specifier) = plain_string(code.word(string)) {
        out.push_name(code.start(string), specifier, target);
    }
}

fn is_in(comments: &[ByteRange], code: &Code<'_>, token: TokenIndex) -> bool {
    let start = code.start(token);
    let behind = comments.partition_point(|comment| comment.start <= start);
    let last = behind.checked_sub(1).and_then(|last| comments.get(last));
    last.is_some_and(|comment| start < comment.end)
}

/// Adds the files of `/// <reference path="a.d.ts" />`, which come before the first statement.
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
            out.push_name(comment.start, path, Target::File);
        }
    }
}

/// Returns what a file imports that no parser takes, by its tokens.
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

/// Returns a text with blanks for all but what stands in its scripts, as those of Vue and Svelte
/// begin and end: at the margin. None where there is no script.
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
            // Lines keep their numbers, however they end.
            blanked.extend(line.chars().filter(|c| matches!(c, '\n' | '\r')));
        }
        // A tag of several lines or with its script behind it says nothing that is looked for.
        if line.starts_with("<script") && line.trim_end().ends_with('>') {
            is_script = !line.contains("</script") && !line.trim_end().ends_with("/>");
            has_scripts |= is_script;
        }
    }
    has_scripts.then_some(blanked)
}

/// Whether a string is the first that `import()` or `require()` is called with; `a.require("b")`
/// is a method of something else.
fn is_called_with(code: &Code<'_>, string: TokenIndex) -> bool {
    let callee = string.saturating_sub(2);
    let is_spread = || code.previous_word(callee.saturating_sub(1)) == ".";
    code.previous_is(string, b'(')
        && matches!(code.word(callee), "import" | "require")
        && (!code.previous_is(callee, b'.') || is_spread())
        && (code.is(string + 1, b')') || code.is(string + 1, b','))
}
