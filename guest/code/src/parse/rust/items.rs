//! Items of a file or a module.

use syn::{Fields, Item};

use super::RustReader;
use crate::limits::NESTED_SYMBOLS;
use crate::symbol::{Symbol, SymbolKind};

impl RustReader<'_> {
    pub(super) fn items(&mut self, items: &[Item], depth: usize) -> Vec<Symbol> {
        let symbols = items.iter().filter_map(|item| self.item(item, depth));
        symbols.collect()
    }

    /// Returns the symbol of an item, or `None` for an import, which is recorded, and for an item
    /// without a definition.
    fn item(&mut self, item: &Item, depth: usize) -> Option<Symbol> {
        use SymbolKind as K;
        Some(match item {
            Item::Fn(item) => self.function(K::Function, &item.sig, &item.attrs, &item.block),
            Item::Struct(item) => self.structure(item),
            Item::Union(item) => self.union(item),
            Item::Enum(item) => self.enumeration(item),
            Item::Trait(item) => self.trait_definition(item),
            Item::Impl(item) => self.implementation(item),
            Item::Mod(item) => return self.module(item, depth),
            Item::ForeignMod(item) => self.foreign_module(item),
            Item::Const(item) => self.constant(
                K::Constant,
                &item.ident,
                &item.attrs,
                &item.eq_token,
                &item.semi_token,
            ),
            Item::Static(item) => self.constant(
                K::Variable,
                &item.ident,
                &item.attrs,
                &item.eq_token,
                &item.semi_token,
            ),
            Item::Type(item) => self.statement(K::Type, &item.ident, &item.attrs, &item.semi_token),
            Item::TraitAlias(item) => {
                self.statement(K::Trait, &item.ident, &item.attrs, &item.semi_token)
            }
            Item::Use(item) => {
                self.import(&item.attrs, item.use_token.span, item.semi_token.span);
                return None;
            }
            Item::ExternCrate(item) => {
                self.import(&item.attrs, item.crate_token.span, item.semi_token.span);
                return None;
            }
            Item::Macro(item) => return self.macro_item(item),
            _ => return None,
        })
    }

    fn structure(&mut self, item: &syn::ItemStruct) -> Symbol {
        let start = self.begin(&item.attrs);
        let span = match (&item.fields, &item.semi_token) {
            (Fields::Named(fields), _) => {
                let name = item.ident.to_string();
                let braces = fields.brace_token.span;
                return self.braced_item(SymbolKind::Struct, name, start, braces, |reader| {
                    reader.fields(fields)
                });
            }
            (_, Some(semicolon)) => self.until_semicolon(start, semicolon.span),
            _ => start.until(start.head, start.head),
        };
        self.leaf(SymbolKind::Struct, &item.ident, span)
    }

    fn union(&mut self, item: &syn::ItemUnion) -> Symbol {
        let start = self.begin(&item.attrs);
        let name = item.ident.to_string();
        let braces = item.fields.brace_token.span;
        self.braced_item(SymbolKind::Union, name, start, braces, |reader| {
            reader.fields(&item.fields)
        })
    }

    fn enumeration(&mut self, item: &syn::ItemEnum) -> Symbol {
        let start = self.begin(&item.attrs);
        let name = item.ident.to_string();
        let braces = item.brace_token.span;
        self.braced_item(SymbolKind::Enum, name, start, braces, |reader| {
            let close = reader.start_of(braces.close());
            reader.variants(&item.variants, close)
        })
    }

    fn trait_definition(&mut self, item: &syn::ItemTrait) -> Symbol {
        let start = self.begin(&item.attrs);
        let name = item.ident.to_string();
        self.braced_item(
            SymbolKind::Trait,
            name,
            start,
            item.brace_token.span,
            |reader| {
                reader.pass_inner_attributes(&item.attrs);
                let items = item.items.iter();
                as_visible(items.filter_map(|item| reader.trait_item(item)))
            },
        )
    }

    fn implementation(&mut self, item: &syn::ItemImpl) -> Symbol {
        let start = self.begin(&item.attrs);
        let name = self.implemented_type(item);
        self.braced_item(
            SymbolKind::Impl,
            name,
            start,
            item.brace_token.span,
            |reader| {
                reader.pass_inner_attributes(&item.attrs);
                let items = item.items.iter();
                let children = items.filter_map(|item| reader.impl_item(item));
                // Required items of a trait have its visibility.
                match item.trait_ {
                    Some(_) => as_visible(children),
                    None => children.collect(),
                }
            },
        )
    }

    /// Returns the type of an implementation: `B<T>` of `impl<T> A for B<T> where T: C`.
    fn implemented_type(&self, item: &syn::ItemImpl) -> String {
        let generics = &item.generics;
        let start = match (&item.trait_, &generics.gt_token) {
            (Some((_, for_token)), _) => self.end_of(for_token.span),
            (None, Some(angle)) => self.end_of(angle.span),
            (None, None) => self.end_of(item.impl_token.span),
        };
        let end = match &generics.where_clause {
            Some(clause) => self.start_of(clause.where_token.span),
            None => self.start_of(item.brace_token.span.open()),
        };
        self.code.signature(start..end.max(start))
    }

    fn module(&mut self, item: &syn::ItemMod, depth: usize) -> Option<Symbol> {
        let start = self.begin(&item.attrs);
        let Some((brace, items)) = &item.content else {
            let span = self.until_semicolon(start, item.semi.as_ref()?.span);
            return Some(self.leaf(SymbolKind::Module, &item.ident, span));
        };
        let name = item.ident.to_string();
        let mut symbol = self.braced_item(SymbolKind::Module, name, start, brace.span, |reader| {
            reader.pass_inner_attributes(&item.attrs);
            // Imports of an inner module are not imports of the file.
            let imports = reader.declarations.imports.len();
            let children = if depth < NESTED_SYMBOLS {
                reader.items(items, depth + 1)
            } else {
                Vec::new()
            };
            reader.declarations.imports.truncate(imports);
            children
        });
        if symbol.doc.is_empty() {
            symbol.doc = inner_doc(&item.attrs);
        }
        Some(symbol)
    }

    /// Returns the symbol of `extern "C" { ... }`, which is named by its whole head.
    fn foreign_module(&mut self, item: &syn::ItemForeignMod) -> Symbol {
        let start = self.begin(&item.attrs);
        let braces = item.brace_token.span;
        let name = self
            .code
            .signature(start.head..self.start_of(braces.open()));
        self.braced_item(SymbolKind::Module, name, start, braces, |reader| {
            let items = item.items.iter();
            items.filter_map(|item| reader.foreign_item(item)).collect()
        })
    }
}

/// Gives members the visibility of their parent.
fn as_visible(members: impl Iterator<Item = Symbol>) -> Vec<Symbol> {
    members
        .map(|member| Symbol {
            is_private: false,
            ..member
        })
        .collect()
}

/// Returns the inner documentation of a module.
fn inner_doc(attributes: &[syn::Attribute]) -> String {
    let inner = attributes
        .iter()
        .filter(|attribute| matches!(attribute.style, syn::AttrStyle::Inner(_)));
    let lines = inner.filter_map(|attribute| match &attribute.meta {
        syn::Meta::NameValue(pair) if pair.path.is_ident("doc") => match &pair.value {
            syn::Expr::Lit(syn::ExprLit {
                lit: syn::Lit::Str(text),
                ..
            }) => Some(text.value().trim().to_owned()),
            _ => None,
        },
        _ => None,
    });
    lines.collect::<Vec<_>>().join("\n").trim().to_owned()
}
