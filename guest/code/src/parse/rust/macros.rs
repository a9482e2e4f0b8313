//! Macros: definitions, and calls in place of items.

use syn::MacroDelimiter;

use super::{ItemStart, RustReader};
use crate::position::{ByteOffset, TokenIndex};
use crate::symbol::{Symbol, SymbolKind};

/// Keywords with which an item may begin in macro arguments.
const ITEM_WORDS: &[&str] = &[
    "pub", "struct", "enum", "union", "fn", "static", "const", "type", "trait", "impl", "mod",
    "unsafe", "async", "extern",
];

impl RustReader<'_> {
    /// Returns the symbol of `macro_rules! a { ... }` or of a call with braces; a call with other
    /// brackets, `a!(b);`, is skipped.
    pub(super) fn macro_item(&mut self, item: &syn::ItemMacro) -> Option<Symbol> {
        let start = self.begin(&item.attrs);
        let (open, close) = self.delimiters(&item.mac.delimiter);
        let end = item
            .semi_token
            .as_ref()
            .map_or(close, |semicolon| self.end_of(semicolon.span));
        self.last_end = end;
        let Some(ident) = &item.ident else {
            let has_braces = matches!(item.mac.delimiter, MacroDelimiter::Brace(_));
            return has_braces.then(|| self.macro_call(start, open, end));
        };
        let attributes = self.code.slice(start.start..start.head);
        let is_exported = attributes.contains("macro_export");
        let mut symbol = self.leaf(SymbolKind::Macro, ident, start.until(open, end));
        // `pub` is not allowed before `macro_rules!`; the attribute makes the macro public.
        symbol.is_private = !is_exported;
        Some(symbol)
    }

    /// Returns the symbol of a macro call in place of an item, with the first item in its braces:
    /// `bitflags! { pub struct Flags: u32 { ... } }`.
    fn macro_call(&mut self, start: ItemStart, open: ByteOffset, end: ByteOffset) -> Symbol {
        let name = self.code.signature(start.head..open);
        let span = start.until(open, end);
        let mut symbol = self.symbol(SymbolKind::Macro, name, span, Vec::new());
        // Its visibility is written inside, if at all.
        symbol.is_private = false;
        let code = self.code;
        let first = code.token_from(open + 1);
        let mut head = first;
        while code.is(head, b'#') && code.is(head + 1, b'[') {
            head = code.after(head + 1);
        }
        if !ITEM_WORDS.contains(&code.word(head)) {
            return symbol;
        }
        let head_end = code.start(self.skip_item_head(head, end)).min(end);
        let item = code.signature(code.start(head)..head_end);
        symbol.is_private = !item.starts_with("pub");
        symbol.signature = format!("{} {item}", symbol.signature);
        if symbol.doc.is_empty() {
            symbol.doc = self.doc_in_macro(code.start(first), code.start(head));
        }
        symbol
    }

    /// Returns the end of the head of an item that syn has not parsed.
    fn skip_item_head(&self, head: TokenIndex, end: ByteOffset) -> TokenIndex {
        let code = self.code;
        let is_end = |token: TokenIndex| {
            code.start(token) >= end || b"{;=}".iter().any(|sign| code.is(token, *sign))
        };
        let mut here = head;
        while !is_end(here) {
            here = code.after(here);
        }
        here
    }

    /// Returns the documentation before an item, or among its attributes.
    fn doc_in_macro(&self, start: ByteOffset, head: ByteOffset) -> String {
        let (_, before) = self.code.doc_before(start);
        if before.is_empty() {
            self.doc_of(start..head)
        } else {
            before
        }
    }

    /// Skips a macro call without known definitions.
    pub(super) fn pass_macro(&mut self, call: &syn::Macro, semicolon: Option<&syn::Token![;]>) {
        let (_, close) = self.delimiters(&call.delimiter);
        self.last_end = semicolon.map_or(close, |semicolon| self.end_of(semicolon.span));
    }

    /// Returns the opening bracket and the end of a macro's arguments.
    fn delimiters(&self, delimiter: &MacroDelimiter) -> (ByteOffset, ByteOffset) {
        let span = match delimiter {
            MacroDelimiter::Paren(token) => &token.span,
            MacroDelimiter::Brace(token) => &token.span,
            MacroDelimiter::Bracket(token) => &token.span,
        };
        (self.start_of(span.open()), self.end_of(span.close()))
    }
}
