//! Import declarations.

use std::ops::Range;

use crate::language::Language;
use crate::lexer::token::TokenKind;
use crate::position::{TokenIndex, token_indices};
use crate::scan::braces::prefix::Statement;
use crate::scan::braces::reader::{BraceReader, StatementScope};

impl BraceReader<'_> {
    /// Reads `import a.b`, `use a\{b, c};`, `using A = b;` and the like, and returns the token
    /// after it.
    pub(super) fn import(&mut self, statement: &Statement, scope: &StatementScope) -> TokenIndex {
        let code = self.code;
        let keyword = statement.after_modifiers;
        if code.language == Language::Go && code.is(keyword + 1, b'(') {
            return self.go_imports(keyword + 1, statement.block_end);
        }
        let mut extent = self.extent(keyword, statement.block_end);
        let has_list = extent.next_token > keyword + 1
            && extent.body.is_some()
            && !code.is(extent.next_token - 1, b';');
        if has_list {
            // The braces of `use a\{b, c};` look like a body, after which a declaration ends.
            // The import ends at the semicolon, so the rest of the statement is read as a
            // further extent.
            let rest = self.extent(extent.next_token - 1, statement.block_end);
            extent.next_token = rest.next_token;
            extent.end_offset = rest.end_offset;
        }
        // In a PHP class, `use` adopts the members of traits.
        if !scope.is_type() {
            let span = code.start(statement.after_attributes)..extent.end_offset;
            let text = code.slice(span.clone()).trim_end_matches(';').trim();
            let module = self
                .quoted_module(keyword..extent.next_token)
                .unwrap_or_else(|| skip_keyword(text));
            let module = module.trim_matches(['"', '\'', '`', '(', ')', ' ']);
            self.declarations.imports.push(code.import(span, module));
        }
        extent.next_token
    }

    /// Returns the last string of an import, in languages in which that is the module: `import a
    /// from 'b'`, `require __DIR__ . '/c.php'`.
    fn quoted_module(&self, statement: Range<TokenIndex>) -> Option<&str> {
        let code = self.code;
        let is_quoted = matches!(
            code.language,
            Language::Go | Language::JavaScript | Language::TypeScript | Language::Php
        );
        if !is_quoted {
            return None;
        }
        let mut tokens = token_indices(statement).rev();
        let string = tokens.find(|token| code.kind(*token) == Some(TokenKind::Text));
        string.map(|string| code.word(string))
    }

    /// Reads `import (⏎"a"⏎name "b"⏎)`.
    fn go_imports(&mut self, open: TokenIndex, block_end: TokenIndex) -> TokenIndex {
        let code = self.code;
        let after = code.after(open);
        for module in token_indices(open + 1..(after - 1).min(block_end)) {
            if code.kind(module) != Some(TokenKind::Text) {
                continue;
            }
            let first = if code.is_first_on_line(module) {
                module
            } else {
                module - 1
            };
            let name = code.word(module).trim_matches(['"', '`']);
            let import = code.import(code.start(first)..code.end(module), name);
            self.declarations.imports.push(import);
        }
        after
    }
}

/// Returns the import after its keyword: `a.B` of `import static a.B`.
fn skip_keyword(text: &str) -> &str {
    text.split_once(char::is_whitespace)
        .map_or(text, |(_, rest)| rest.trim_start_matches("static ").trim())
}
