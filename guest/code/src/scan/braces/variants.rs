//! Variants of enumerations.

use std::ops::Range;

use crate::code::Definition;
use crate::language::Language;
use crate::lexer::token::TokenKind;
use crate::position::{ByteOffset, TokenIndex, token_indices};
use crate::scan::braces::prefix::Statement;
use crate::scan::braces::reader::BraceReader;
use crate::symbol::{Symbol, SymbolKind};

impl BraceReader<'_> {
    /// Reads the variants at the start of an enumeration's body, and returns the start of its
    /// members. In Swift and PHP each variant is a statement: `case a`.
    pub(super) fn enum_variants(
        &self,
        body: Range<TokenIndex>,
        symbols: &mut Vec<Symbol>,
    ) -> TokenIndex {
        let stop = match self.code.language {
            Language::Swift | Language::Php => return body.start,
            // Methods follow after a semicolon: `A, B; void f() { }`.
            Language::Java | Language::Kotlin => self.first_semicolon(body.clone()),
            _ => body.end,
        };
        self.variants(body.start..stop, symbols);
        stop
    }

    fn first_semicolon(&self, body: Range<TokenIndex>) -> TokenIndex {
        let mut here = body.start;
        while here < body.end && !self.code.is(here, b';') {
            here = self.code.after(here);
        }
        here.min(body.end)
    }

    /// Reads variants separated by commas.
    fn variants(&self, list: Range<TokenIndex>, symbols: &mut Vec<Symbol>) {
        let mut here = list.start;
        while here < list.end {
            here = self.variant(here..list.end, symbols) + 1;
        }
    }

    /// Reads the first variant of a list, `@Annotated A(1) { ... }` or `B = 2`, and returns the
    /// comma after it.
    fn variant(&self, list: Range<TokenIndex>, symbols: &mut Vec<Symbol>) -> TokenIndex {
        let code = self.code;
        let mut name = None;
        // Set with the name, and extended by the following tokens.
        let mut head_end = ByteOffset::START;
        let mut value_sign = None;
        let mut here = list.start;
        while here < list.end && !code.is(here, b',') {
            // The name of an annotation is not that of the variant.
            if code.is(here, b'@') && code.is_name(here + 1) {
                here += 2;
                continue;
            }
            if name.is_none() && code.is_name(here) {
                name = Some(here);
            }
            if name.is_some() && value_sign.is_none() {
                if code.is(here, b'=') {
                    value_sign = Some(here);
                } else if !code.is(here, b'{') && code.kind(here) != Some(TokenKind::Directive) {
                    head_end = code.end(code.after(here) - 1);
                }
            }
            here = code.after(here);
        }
        let Some(name) = name else { return here };
        let end = code.end(here.min(list.end).saturating_sub(1));
        let head_end =
            value_sign.map_or(head_end, |sign| code.end_with_value(code.start(sign), end));
        // A preprocessor line before a variant is not part of it.
        let first = token_indices(list.start..name + 1)
            .find(|token| code.kind(*token) != Some(TokenKind::Directive));
        symbols.push(code.symbol(Definition {
            kind: SymbolKind::Variant,
            name: code.word(name).to_owned(),
            head: code.start(name)..head_end,
            span: code.start(first.unwrap_or(name))..end,
            is_private: false,
            children: Vec::new(),
        }));
        here
    }

    /// Reads `case a, b(Int)` of an enumeration.
    pub(super) fn cases(&self, statement: &Statement, symbols: &mut Vec<Symbol>) -> TokenIndex {
        let code = self.code;
        let keyword = statement.after_modifiers;
        let extent = self.extent(keyword, statement.block_end);
        let list = keyword + 1..extent.next_token.min(statement.block_end);
        let before = symbols.len();
        self.variants(list, symbols);
        // The comment precedes the keyword, and is taken as that of the first variant.
        if let Some(first) = symbols.get_mut(before) {
            let (start, doc) = code.doc_before(code.start(statement.first));
            first.lines.first = code.line_index.line(start);
            first.doc = doc;
        }
        for symbol in &mut symbols[before..] {
            symbol.signature = symbol.signature.trim_end_matches(';').to_owned();
            symbol.lines.last = symbol.lines.last.max(symbol.lines.first);
        }
        extent.next_token
    }
}
