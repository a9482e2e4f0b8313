//! Members of items: fields, variants, and the items of traits, implementations and `extern`
//! blocks.

use syn::punctuated::{Pair, Punctuated};
use syn::{ForeignItem, ImplItem, TraitItem};

use super::RustReader;
use crate::position::ByteOffset;
use crate::symbol::{Symbol, SymbolKind};

impl RustReader<'_> {
    pub(super) fn fields(&mut self, fields: &syn::FieldsNamed) -> Vec<Symbol> {
        let close = self.start_of(fields.brace_token.span.close());
        let mut symbols = Vec::new();
        for pair in fields.named.pairs() {
            let (attributes, ident) = (&pair.value().attrs, &pair.value().ident);
            let name = ident.as_ref().map(ToString::to_string);
            let name = name.unwrap_or_default();
            symbols.push(self.list_entry(SymbolKind::Field, name, attributes, &pair, close));
        }
        symbols
    }

    pub(super) fn variants(
        &mut self,
        variants: &Punctuated<syn::Variant, syn::Token![,]>,
        close: ByteOffset,
    ) -> Vec<Symbol> {
        let mut symbols = Vec::new();
        for pair in variants.pairs() {
            let variant = pair.value();
            let name = variant.ident.to_string();
            symbols.push(self.list_entry(SymbolKind::Variant, name, &variant.attrs, &pair, close));
        }
        symbols
    }

    /// Returns an entry of a list in braces, up to its comma; the last one may lack the comma, and
    /// ends before the brace at `close`.
    fn list_entry<T>(
        &mut self,
        kind: SymbolKind,
        name: String,
        attributes: &[syn::Attribute],
        pair: &Pair<T, &syn::Token![,]>,
        close: ByteOffset,
    ) -> Symbol {
        let start = self.begin(attributes);
        let span = match pair.punct() {
            Some(comma) => start.until(self.start_of(comma.span), self.end_of(comma.span)),
            None => {
                let end = self.token_end_before(close);
                start.until(end, end)
            }
        };
        self.symbol(kind, name, span, Vec::new())
    }

    pub(super) fn trait_item(&mut self, item: &TraitItem) -> Option<Symbol> {
        use SymbolKind as K;
        Some(match item {
            TraitItem::Fn(item) => match (&item.default, &item.semi_token) {
                (Some(block), _) => self.function(K::Method, &item.sig, &item.attrs, block),
                (None, Some(semicolon)) => {
                    self.statement(K::Method, &item.sig.ident, &item.attrs, semicolon)
                }
                (None, None) => return None,
            },
            TraitItem::Const(item) => {
                self.statement(K::Constant, &item.ident, &item.attrs, &item.semi_token)
            }
            TraitItem::Type(item) => {
                self.statement(K::Type, &item.ident, &item.attrs, &item.semi_token)
            }
            TraitItem::Macro(item) => {
                self.pass_macro(&item.mac, item.semi_token.as_ref());
                return None;
            }
            _ => return None,
        })
    }

    pub(super) fn impl_item(&mut self, item: &ImplItem) -> Option<Symbol> {
        use SymbolKind as K;
        Some(match item {
            ImplItem::Fn(item) => self.function(K::Method, &item.sig, &item.attrs, &item.block),
            ImplItem::Const(item) => self.constant(
                K::Constant,
                &item.ident,
                &item.attrs,
                &item.eq_token,
                &item.semi_token,
            ),
            ImplItem::Type(item) => {
                self.statement(K::Type, &item.ident, &item.attrs, &item.semi_token)
            }
            ImplItem::Macro(item) => {
                self.pass_macro(&item.mac, item.semi_token.as_ref());
                return None;
            }
            _ => return None,
        })
    }

    pub(super) fn foreign_item(&mut self, item: &ForeignItem) -> Option<Symbol> {
        use SymbolKind as K;
        Some(match item {
            ForeignItem::Fn(item) => {
                self.statement(K::Function, &item.sig.ident, &item.attrs, &item.semi_token)
            }
            ForeignItem::Static(item) => {
                self.statement(K::Variable, &item.ident, &item.attrs, &item.semi_token)
            }
            ForeignItem::Type(item) => {
                self.statement(K::Type, &item.ident, &item.attrs, &item.semi_token)
            }
            _ => return None,
        })
    }
}
