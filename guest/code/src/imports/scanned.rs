//! Imports of languages without a parser, by tokens.

use crate::code::Code;
use crate::imports::collected::{Collected, plain_string};
use crate::imports::target::{ImportPath, ImportedName};
use crate::lexer::token::TokenKind;
use crate::limits::IMPORT_PATH_BYTES;
use crate::position::{TokenIndex, token_indices};
use crate::source::Source;

/// Go keywords of declarations, after which no import follows.
const GO_DECLARATIONS: [&str; 4] = ["const", "func", "type", "var"];

/// Returns the imports of `import "a"` and `import (⏎"a"⏎b "c"⏎)`.
pub(super) fn go(code: &Code<'_>) -> Vec<ImportPath> {
    let mut out = Collected::new(code, Source::Heuristic);
    let mut here = TokenIndex::FIRST;
    while here < code.end_token() && !out.is_full() {
        let next = code.after(here);
        if code.is_first_on_line(here) && GO_DECLARATIONS.contains(&code.word(here)) {
            break;
        }
        if code.word(here) != "import" || !code.is_first_on_line(here) {
            here = next;
            continue;
        }
        let after = if code.is(here + 1, b'(') {
            code.after(here + 1)
        } else {
            // `import name "a"`
            let string = here + 1 + u32::from(code.kind(here + 1) != Some(TokenKind::Text));
            string + 1
        };
        for string in token_indices(here + 1..after) {
            if code.kind(string) == Some(TokenKind::Text)
                && let Some(path) = plain_string(code.word(string))
            {
                out.push_name(code.start(string), path, ImportedName::GoPackage);
            }
        }
        here = after;
    }
    out.found
}

/// Returns the package and the imports at the head of a Java or Kotlin file.
pub(super) fn jvm(code: &Code<'_>) -> Vec<ImportPath> {
    let mut out = Collected::new(code, Source::Heuristic);
    let mut here = TokenIndex::FIRST;
    // The first brace begins the body of a declaration.
    while here < code.end_token() && !code.is(here, b'{') && !out.is_full() {
        let is_import = code.word(here) == "import";
        let is_keyword = is_import || code.word(here) == "package";
        // The second of two imports on one line follows a semicolon.
        let begins = code.is_first_on_line(here) || code.previous_is(here, b';');
        if !is_keyword || !begins || code.continues_line(here + 1) && !code.is_path(here + 1) {
            here = code.after(here);
            continue;
        }
        let first = here + 1 + u32::from(is_import && code.word(here + 1) == "static");
        let (path, is_star, after) = read_dotted(code, first);
        let length = path.iter().map(|name| name.len() + 1).sum::<usize>();
        here = after;
        if path.is_empty() || length > IMPORT_PATH_BYTES {
            continue;
        }
        let target = if is_import {
            ImportedName::Jvm { path, is_star }
        } else {
            ImportedName::JvmPackage(path.join("."))
        };
        out.push(code.start(first), target);
    }
    out.found
}

impl Code<'_> {
    /// Returns true if a token may begin a dotted path.
    fn is_path(&self, token: TokenIndex) -> bool {
        self.is_name(token) || self.word(token).starts_with('`')
    }
}

/// Reads `a.b.c` or `a.b.*` on one line; returns its names, true if there is a star, and the token
/// after it.
fn read_dotted(code: &Code<'_>, first: TokenIndex) -> (Vec<String>, bool, TokenIndex) {
    let mut names = Vec::new();
    let mut here = first;
    while code.is_path(here) && (here == first || !code.is_first_on_line(here)) {
        names.push(code.word(here).trim_matches('`').to_owned());
        here += 1;
        if !code.is(here, b'.') {
            return (names, false, here);
        }
        here += 1;
        if code.is(here, b'*') {
            return (names, true, here + 1);
        }
    }
    (names, false, here.max(first))
}

/// Returns the files of `#include` and `#import`; one named by a macro is unknown.
pub(super) fn c(code: &Code<'_>) -> Vec<ImportPath> {
    let mut out = Collected::new(code, Source::Heuristic);
    let directives = token_indices(TokenIndex::FIRST..code.end_token())
        .filter(|token| code.kind(*token) == Some(TokenKind::Directive));
    for directive in directives {
        let Some((path, is_quoted)) = include_path(code.word(directive)) else {
            continue;
        };
        if path.is_empty() || path.len() > IMPORT_PATH_BYTES {
            continue;
        }
        let path = path.to_owned();
        out.push(
            code.start(directive),
            ImportedName::Include { path, is_quoted },
        );
    }
    out.found
}

/// Returns the path of `#include "a.h"` or `#include <a.h>`, and true if it is in quotes.
fn include_path(line: &str) -> Option<(&str, bool)> {
    let line = line.strip_prefix('#')?.trim_start();
    let rest = ["include_next", "include", "import"]
        .iter()
        .find_map(|word| line.strip_prefix(word))?;
    let rest = rest.trim_start();
    if let Some(rest) = rest.strip_prefix('"') {
        return rest.split_once('"').map(|(path, _)| (path, true));
    }
    let (path, _) = rest.strip_prefix('<')?.split_once('>')?;
    Some((path, false))
}
