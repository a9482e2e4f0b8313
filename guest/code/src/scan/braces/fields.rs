//! Members without a keyword in Go, Rust and PHP. Those of C and related languages are in
//! `c_members`.

use crate::code::Definition;
use crate::lexer::token::TokenKind;
use crate::position::{TokenIndex, token_indices};
use crate::scan::braces::extent::DeclarationExtent;
use crate::scan::braces::prefix::Statement;
use crate::scan::braces::reader::{BraceReader, StatementScope};
use crate::symbol::{Symbol, SymbolKind};

impl BraceReader<'_> {
    /// Reads a field of a struct or a method of an interface: `n int`, `*pkg.Other`, `Read() int`.
    pub(super) fn go_member(
        &self,
        statement: &Statement,
        scope: &StatementScope,
        symbols: &mut Vec<Symbol>,
    ) -> TokenIndex {
        let code = self.code;
        let first = statement.first;
        let extent = self.extent(first, statement.block_end);
        let kind = if scope.is_interface() && code.is(first + 1, b'(') {
            SymbolKind::Method
        } else {
            SymbolKind::Field
        };
        // The tag of a field, such as `json:"a"`, is not part of the signature.
        let last = extent.next_token.saturating_sub(1).max(first);
        let head_end = if code.kind(last) == Some(TokenKind::Text) {
            code.start(last)
        } else if extent.body.is_some() {
            extent.end_offset
        } else {
            extent.head_end_offset
        };
        // `*Ptr`
        let mut name = first + u32::from(code.is(first, b'*'));
        // An embedded type of another package.
        if code.is(name + 1, b'.') && code.is_name(name + 2) {
            name += 2;
        }
        if code.is_name(name) {
            symbols.push(code.symbol(Definition {
                kind,
                name: code.word(name).to_owned(),
                head: code.start(first)..head_end,
                span: code.start(first)..extent.end_offset,
                is_private: !code.word(name).starts_with(char::is_uppercase),
                children: Vec::new(),
            }));
        }
        extent.next_token
    }

    /// Reads `pub name: Type<A, B>,`.
    pub(super) fn rust_field(
        &self,
        statement: &Statement,
        symbols: &mut Vec<Symbol>,
    ) -> TokenIndex {
        let code = self.code;
        let name = statement.after_modifiers;
        let comma = self.skip_rust_type(name, statement.block_end);
        if code.is_name(name) && code.is(name + 1, b':') {
            let last = comma.min(statement.block_end).saturating_sub(1).max(name);
            let span = code.start(statement.after_attributes)..code.end(last);
            symbols.push(code.symbol(Definition {
                kind: SymbolKind::Field,
                name: code.word(name).to_owned(),
                head: span.clone(),
                span,
                is_private: statement.is_bare(),
                children: Vec::new(),
            }));
        }
        comma + 1
    }

    /// Returns the comma after a field's type, skipping those within its angle brackets; an arrow
    /// does not close one: `a: Fn(u8) -> B<C, D>,`.
    fn skip_rust_type(&self, first: TokenIndex, block_end: TokenIndex) -> TokenIndex {
        let code = self.code;
        let mut here = first;
        let mut angles = 0i32;
        while here < block_end && !(code.is(here, b',') && angles <= 0) && !code.is(here, b';') {
            let closes = code.is(here, b'>') && !code.previous_is(here, b'-');
            angles += i32::from(code.is(here, b'<')) - i32::from(closes);
            here = code.after(here);
        }
        here
    }

    /// Reads `public string $name = 'a' { get => 2; }`.
    pub(super) fn php_field(&self, statement: &Statement, symbols: &mut Vec<Symbol>) -> TokenIndex {
        let code = self.code;
        let first = statement.after_modifiers;
        let mut extent = self.extent(first, statement.block_end);
        self.add_php_hooks(&mut extent, statement.block_end);
        let stop = extent.next_token.min(statement.block_end);
        let stop = extent.value_sign.unwrap_or(stop);
        let name = token_indices(first..stop).find(|token| code.word(*token).starts_with('$'));
        if let Some(name) = name {
            let start = statement.after_attributes;
            let mut symbol = self.value(
                SymbolKind::Field,
                start,
                name,
                &extent,
                statement.is_private,
            );
            let attributes = code.start(statement.first)..code.start(start);
            symbol.decorators = code.decorators(attributes);
            let (start, doc) = code.doc_before(code.start(statement.first));
            symbol.lines.first = code.line_index.line(start);
            symbol.doc = doc;
            symbols.push(symbol);
        }
        extent.next_token
    }

    /// Extends a property by its hooks, which also follow a value. They are not a body.
    fn add_php_hooks(&self, extent: &mut DeclarationExtent, block_end: TokenIndex) {
        let code = self.code;
        let mut hooks = extent.value_sign.unwrap_or(block_end);
        while hooks < extent.next_token && !code.is(hooks, b'{') {
            hooks = code.after(hooks);
        }
        if hooks < extent.next_token {
            extent.next_token = code.after(hooks);
            extent.end_offset = code.end(extent.next_token - 1);
        }
        extent.body = None;
    }

    /// Returns the symbol of a value whose statement begins at `first`, with its value if that is
    /// short.
    pub(super) fn value(
        &self,
        kind: SymbolKind,
        first: TokenIndex,
        name: TokenIndex,
        extent: &DeclarationExtent,
        is_private: bool,
    ) -> Symbol {
        let code = self.code;
        let head_end = match extent.value_sign {
            Some(sign) => code.end_with_value(code.start(sign), extent.end_offset),
            // A body here is that of a type: `cache map[string]struct{}`.
            None if extent.body.is_some() => extent.end_offset,
            None => extent.head_end_offset,
        };
        code.symbol(Definition {
            kind,
            name: code.word(name).to_owned(),
            head: code.start(first)..head_end,
            span: code.start(first)..extent.end_offset,
            is_private,
            children: Vec::new(),
        })
    }
}
