//! Rust, by syn.
//!
//! Bodies of functions are blanked before: what stands in them defines nothing that is shown, need
//! not be valid, and cannot nest too deep.

use std::ops::Range;

use syn::{Fields, ForeignItem, ImplItem, Item, TraitItem};

use crate::code::{Code, Definition};
use crate::language::Language;
use crate::limits::NESTED_SYMBOLS;
use crate::scan::Found;
use crate::weight::is_parsable;
use crate::{Symbol, SymbolKind};

pub(super) fn parse(code: &Code<'_>) -> Option<Found> {
    let blanked = blank(code);
    if !is_parsable(&Code::new(Language::Rust, &blanked)) {
        return None;
    }
    let file = syn::parse_str::<syn::File>(&blanked).ok();
    let found = file.map(|file| {
        let mut walk = Walk {
            code,
            found: Found::default(),
            at: 0,
        };
        walk.behind_inner(&file.attrs);
        let symbols = walk.items(&file.items, 0);
        Found {
            symbols,
            ..walk.found
        }
    });
    // The positions of all that was parsed are kept per thread until told otherwise.
    proc_macro2::extra::invalidate_current_thread_spans();
    found
}

/// Returns the text with blanks for what stands in functions, before the first line's command and
/// for a byte order mark.
fn blank(code: &Code<'_>) -> String {
    let mut text = code.text.as_bytes().to_vec();
    let is_command = code.text.starts_with("#!") && !code.text.starts_with("#![");
    if is_command && let Some(comment) = code.comments.first() {
        text[comment.clone()].fill(b' ');
    }
    if code.text.starts_with('\u{feff}') {
        text[..3].fill(b' ');
    }
    let mut at = 0;
    while at < code.tokens.len() {
        at += 1;
        if code.word(at - 1) != "fn" || !code.is_name(at) {
            continue;
        }
        while at < code.tokens.len()
            && !code.is(at, b'{')
            && !code.is(at, b';')
            && !code.is(at, b'}')
        {
            at = code.next(at);
        }
        let next = code.next(at);
        if code.is(at, b'{') && next > at + 1 {
            text[code.end(at)..code.start(next - 1)].fill(b' ');
            at = next;
        }
    }
    String::from_utf8(text).unwrap_or_default()
}

/// Goes through items in the order of the text.
struct Walk<'a> {
    code: &'a Code<'a>,
    found: Found,
    /// The byte behind what was read last.
    at: usize,
}

/// Returns the byte behind a token.
fn behind(span: proc_macro2::Span) -> usize {
    span.byte_range().end
}

fn before(span: proc_macro2::Span) -> usize {
    span.byte_range().start
}

impl Walk<'_> {
    fn behind_inner(&mut self, attributes: &[syn::Attribute]) {
        for attribute in attributes {
            if matches!(attribute.style, syn::AttrStyle::Inner(_)) {
                self.at = self.at.max(behind(attribute.bracket_token.span.close()));
            }
        }
    }

    /// Returns where the next item begins and where its attributes end.
    fn begin(&self, attributes: &[syn::Attribute]) -> (usize, usize) {
        let start = self.token_from(self.at);
        let outer = attributes
            .iter()
            .filter(|attribute| matches!(attribute.style, syn::AttrStyle::Outer));
        let attributes_end = outer
            .map(|attribute| behind(attribute.bracket_token.span.close()))
            .max()
            .unwrap_or(start);
        (start, self.token_from(attributes_end))
    }

    fn token_from(&self, offset: usize) -> usize {
        let tokens = &self.code.tokens;
        let at = tokens.partition_point(|token| (token.start as usize) < offset);
        self.code.start(at)
    }

    fn add(
        &mut self,
        kind: SymbolKind,
        name: String,
        start: (usize, usize),
        head_end: usize,
        end: usize,
        children: Vec<Symbol>,
    ) -> Symbol {
        self.at = end;
        let head = start.1..head_end.max(start.1);
        let is_private = !self.code.text[head.clone()].starts_with("pub")
            && !matches!(kind, SymbolKind::Impl | SymbolKind::Variant);
        let mut symbol = self.code.symbol(Definition {
            kind,
            name,
            head,
            span: start.0..end.max(start.0),
            is_private,
            children,
        });
        if symbol.doc.is_empty() {
            symbol.doc = self.doc_of(start.0, start.1);
        }
        symbol
    }

    fn items(&mut self, items: &[Item], depth: usize) -> Vec<Symbol> {
        let symbols = items.iter().filter_map(|item| self.item(item, depth));
        symbols.collect()
    }

    fn item(&mut self, item: &Item, depth: usize) -> Option<Symbol> {
        use SymbolKind as K;
        match item {
            Item::Fn(item) => {
                let start = self.begin(&item.attrs);
                let brace = item.block.brace_token.span;
                let name = item.sig.ident.to_string();
                Some(self.add(
                    K::Function,
                    name,
                    start,
                    before(brace.open()),
                    behind(brace.close()),
                    Vec::new(),
                ))
            }
            Item::Struct(item) => {
                let start = self.begin(&item.attrs);
                let (head_end, end, children) = match (&item.fields, &item.semi_token) {
                    (Fields::Named(fields), _) => {
                        let brace = fields.brace_token.span;
                        self.at = behind(brace.open());
                        let children = self.fields(fields);
                        (before(brace.open()), behind(brace.close()), children)
                    }
                    (_, Some(semi)) => (before(semi.span), behind(semi.span), Vec::new()),
                    _ => (start.1, start.1, Vec::new()),
                };
                Some(self.add(
                    K::Struct,
                    item.ident.to_string(),
                    start,
                    head_end,
                    end,
                    children,
                ))
            }
            Item::Union(item) => {
                let start = self.begin(&item.attrs);
                let brace = item.fields.brace_token.span;
                self.at = behind(brace.open());
                let children = self.fields(&item.fields);
                Some(self.add(
                    K::Union,
                    item.ident.to_string(),
                    start,
                    before(brace.open()),
                    behind(brace.close()),
                    children,
                ))
            }
            Item::Enum(item) => {
                let start = self.begin(&item.attrs);
                let brace = item.brace_token.span;
                self.at = behind(brace.open());
                let children = self.variants(&item.variants, before(brace.close()));
                Some(self.add(
                    K::Enum,
                    item.ident.to_string(),
                    start,
                    before(brace.open()),
                    behind(brace.close()),
                    children,
                ))
            }
            Item::Trait(item) => {
                let start = self.begin(&item.attrs);
                let brace = item.brace_token.span;
                self.at = behind(brace.open());
                self.behind_inner(&item.attrs);
                let items = item.items.iter();
                let mut children: Vec<Symbol> =
                    items.filter_map(|item| self.trait_item(item)).collect();
                children
                    .iter_mut()
                    .for_each(|child| child.is_private = false);
                Some(self.add(
                    K::Trait,
                    item.ident.to_string(),
                    start,
                    before(brace.open()),
                    behind(brace.close()),
                    children,
                ))
            }
            Item::Impl(item) => {
                let start = self.begin(&item.attrs);
                let brace = item.brace_token.span;
                let open = before(brace.open());
                let generics_end = item
                    .generics
                    .gt_token
                    .as_ref()
                    .map(|token| behind(token.span));
                let name_start = match &item.trait_ {
                    Some((_, token)) => behind(token.span),
                    None => generics_end.unwrap_or_else(|| behind(item.impl_token.span)),
                };
                let clause = item.generics.where_clause.as_ref();
                let name_end = clause.map_or(open, |clause| before(clause.where_token.span));
                let name = self.code.signature(name_start..name_end.max(name_start));
                self.at = behind(brace.open());
                self.behind_inner(&item.attrs);
                let items = item.items.iter();
                let mut children: Vec<Symbol> =
                    items.filter_map(|item| self.impl_item(item)).collect();
                if item.trait_.is_some() {
                    children
                        .iter_mut()
                        .for_each(|child| child.is_private = false);
                }
                Some(self.add(K::Impl, name, start, open, behind(brace.close()), children))
            }
            Item::Mod(item) => {
                let start = self.begin(&item.attrs);
                let name = item.ident.to_string();
                match (&item.content, &item.semi) {
                    (Some((brace, items)), _) => {
                        self.at = behind(brace.span.open());
                        self.behind_inner(&item.attrs);
                        // What an inner module uses is no import of the file.
                        let imports = self.found.imports.len();
                        let children = if depth < NESTED_SYMBOLS {
                            self.items(items, depth + 1)
                        } else {
                            Vec::new()
                        };
                        self.found.imports.truncate(imports);
                        let mut symbol = self.add(
                            K::Module,
                            name,
                            start,
                            before(brace.span.open()),
                            behind(brace.span.close()),
                            children,
                        );
                        if symbol.doc.is_empty() {
                            symbol.doc = inner_doc(&item.attrs);
                        }
                        Some(symbol)
                    }
                    (None, Some(semi)) => Some(self.add(
                        K::Module,
                        name,
                        start,
                        before(semi.span),
                        behind(semi.span),
                        Vec::new(),
                    )),
                    _ => None,
                }
            }
            Item::ForeignMod(item) => {
                let start = self.begin(&item.attrs);
                let brace = item.brace_token.span;
                self.at = behind(brace.open());
                let items = item.items.iter();
                let children: Vec<Symbol> =
                    items.filter_map(|item| self.foreign_item(item)).collect();
                let head = self.code.signature(start.1..before(brace.open()));
                Some(self.add(
                    K::Module,
                    head,
                    start,
                    before(brace.open()),
                    behind(brace.close()),
                    children,
                ))
            }
            Item::Const(item) => {
                let start = self.begin(&item.attrs);
                Some(self.constant(
                    K::Constant,
                    &item.ident,
                    start,
                    item.eq_token.span,
                    item.semi_token.span,
                ))
            }
            Item::Static(item) => {
                let start = self.begin(&item.attrs);
                Some(self.constant(
                    K::Variable,
                    &item.ident,
                    start,
                    item.eq_token.span,
                    item.semi_token.span,
                ))
            }
            Item::Type(item) => {
                let start = self.begin(&item.attrs);
                let semi = item.semi_token.span;
                Some(self.add(
                    K::Type,
                    item.ident.to_string(),
                    start,
                    before(semi),
                    behind(semi),
                    Vec::new(),
                ))
            }
            Item::TraitAlias(item) => {
                let start = self.begin(&item.attrs);
                let semi = item.semi_token.span;
                Some(self.add(
                    K::Trait,
                    item.ident.to_string(),
                    start,
                    before(semi),
                    behind(semi),
                    Vec::new(),
                ))
            }
            Item::Use(item) => {
                let (_, head) = self.begin(&item.attrs);
                let module = behind(item.use_token.span)..before(item.semi_token.span);
                self.import(head..behind(item.semi_token.span), module);
                None
            }
            Item::ExternCrate(item) => {
                let (_, head) = self.begin(&item.attrs);
                let module = behind(item.crate_token.span)..before(item.semi_token.span);
                self.import(head..behind(item.semi_token.span), module);
                None
            }
            Item::Macro(item) => {
                let start = self.begin(&item.attrs);
                let (open, close) = delimiters(&item.mac.delimiter);
                let end = item
                    .semi_token
                    .as_ref()
                    .map_or(close, |semi| behind(semi.span));
                self.at = end;
                let Some(ident) = &item.ident else {
                    let has_braces = matches!(item.mac.delimiter, syn::MacroDelimiter::Brace(_));
                    return has_braces.then(|| self.call(start, open, end));
                };
                let is_exported = self.code.text[start.0..start.1].contains("macro_export");
                let mut symbol =
                    self.add(K::Macro, ident.to_string(), start, open, end, Vec::new());
                symbol.is_private = !is_exported;
                Some(symbol)
            }
            _ => None,
        }
    }

    /// Returns the symbol for a macro that is called in place of an item, with the first item that
    /// stands in its braces.
    fn call(&mut self, start: (usize, usize), open: usize, end: usize) -> Symbol {
        let name = self.code.signature(start.1..open);
        let mut symbol = self.add(SymbolKind::Macro, name, start, open, end, Vec::new());
        symbol.is_private = false;
        let code = self.code;
        let tokens = &code.tokens;
        let first = tokens.partition_point(|token| (token.start as usize) <= open);
        let mut head = first;
        while code.is(head, b'#') && code.is(head + 1, b'[') {
            head = code.next(head + 1);
        }
        if !matches!(
            code.word(head),
            "pub"
                | "struct"
                | "enum"
                | "union"
                | "fn"
                | "static"
                | "const"
                | "type"
                | "trait"
                | "impl"
                | "mod"
                | "unsafe"
                | "async"
                | "extern"
        ) {
            return symbol;
        }
        let is_end = |at: usize| {
            code.start(at) >= end
                || [b'{', b';', b'=', b'}']
                    .iter()
                    .any(|sign| code.is(at, *sign))
        };
        let mut stop = head;
        while !is_end(stop) {
            stop = code.next(stop);
        }
        let item = code.signature(code.start(head)..code.start(stop).min(end));
        symbol.is_private = !item.starts_with("pub");
        symbol.signature = format!("{} {item}", symbol.signature);
        if symbol.doc.is_empty() {
            symbol.doc = self.doc_of(code.start(first), code.start(head));
        }
        symbol
    }

    /// Returns what the comment before an item says, or the one between its attributes and its head,
    /// or the attribute that is one.
    fn doc_of(&self, start: usize, head: usize) -> String {
        let (_, before) = self.code.doc_before(start);
        if !before.is_empty() || head <= start {
            return before;
        }
        let (_, below) = self.code.doc_before(head);
        if !below.is_empty() {
            return below;
        }
        let attributes = &self.code.text[start..head];
        let Some((_, value)) = attributes.split_once("#[doc = \"") else {
            return below;
        };
        value
            .split_once("\"]")
            .map_or(below, |(doc, _)| doc.trim().to_owned())
    }

    fn import(&mut self, span: Range<usize>, module: Range<usize>) {
        self.at = span.end;
        let module = self.code.text[module].trim();
        self.found.imports.push(self.code.import(span, module));
    }

    fn constant(
        &mut self,
        kind: SymbolKind,
        ident: &proc_macro2::Ident,
        start: (usize, usize),
        sign: proc_macro2::Span,
        semi: proc_macro2::Span,
    ) -> Symbol {
        let head_end = self.code.end_with_value(before(sign), before(semi));
        self.add(
            kind,
            ident.to_string(),
            start,
            head_end,
            behind(semi),
            Vec::new(),
        )
    }

    fn fields(&mut self, fields: &syn::FieldsNamed) -> Vec<Symbol> {
        let close = before(fields.brace_token.span.close());
        let mut symbols = Vec::new();
        for pair in fields.named.pairs() {
            let comma = pair.punct().map(|comma| comma.span);
            let field = pair.value();
            let start = self.begin(&field.attrs);
            let stop = comma.map_or_else(|| self.end_before(close), before);
            let name = field
                .ident
                .as_ref()
                .map(ToString::to_string)
                .unwrap_or_default();
            let end = comma.map_or(stop, behind);
            symbols.push(self.add(SymbolKind::Field, name, start, stop, end, Vec::new()));
        }
        symbols
    }

    /// Returns the end of the last token before `offset`.
    fn end_before(&self, offset: usize) -> usize {
        let tokens = &self.code.tokens;
        let at = tokens.partition_point(|token| (token.start as usize) < offset);
        at.checked_sub(1).map_or(offset, |at| self.code.end(at))
    }

    fn variants(
        &mut self,
        variants: &syn::punctuated::Punctuated<syn::Variant, syn::Token![,]>,
        close: usize,
    ) -> Vec<Symbol> {
        let mut symbols = Vec::new();
        for pair in variants.pairs() {
            let comma = pair.punct().map(|comma| comma.span);
            let variant = pair.value();
            let start = self.begin(&variant.attrs);
            let stop = comma.map_or_else(|| self.end_before(close), before);
            let end = comma.map_or(stop, behind);
            let name = variant.ident.to_string();
            symbols.push(self.add(SymbolKind::Variant, name, start, stop, end, Vec::new()));
        }
        symbols
    }

    fn trait_item(&mut self, item: &TraitItem) -> Option<Symbol> {
        match item {
            TraitItem::Fn(item) => {
                let start = self.begin(&item.attrs);
                let (head_end, end) = match (&item.default, &item.semi_token) {
                    (Some(block), _) => {
                        let brace = block.brace_token.span;
                        (before(brace.open()), behind(brace.close()))
                    }
                    (None, Some(semi)) => (before(semi.span), behind(semi.span)),
                    (None, None) => return None,
                };
                let name = item.sig.ident.to_string();
                Some(self.add(SymbolKind::Method, name, start, head_end, end, Vec::new()))
            }
            TraitItem::Const(item) => Some(self.statement(
                SymbolKind::Constant,
                &item.ident,
                &item.attrs,
                &item.semi_token,
            )),
            TraitItem::Type(item) => {
                Some(self.statement(SymbolKind::Type, &item.ident, &item.attrs, &item.semi_token))
            }
            TraitItem::Macro(item) => {
                self.pass_macro(&item.mac, item.semi_token.as_ref());
                None
            }
            _ => None,
        }
    }

    fn impl_item(&mut self, item: &ImplItem) -> Option<Symbol> {
        match item {
            ImplItem::Fn(item) => {
                let start = self.begin(&item.attrs);
                let brace = item.block.brace_token.span;
                let name = item.sig.ident.to_string();
                Some(self.add(
                    SymbolKind::Method,
                    name,
                    start,
                    before(brace.open()),
                    behind(brace.close()),
                    Vec::new(),
                ))
            }
            ImplItem::Const(item) => {
                let start = self.begin(&item.attrs);
                Some(self.constant(
                    SymbolKind::Constant,
                    &item.ident,
                    start,
                    item.eq_token.span,
                    item.semi_token.span,
                ))
            }
            ImplItem::Type(item) => {
                Some(self.statement(SymbolKind::Type, &item.ident, &item.attrs, &item.semi_token))
            }
            ImplItem::Macro(item) => {
                self.pass_macro(&item.mac, item.semi_token.as_ref());
                None
            }
            _ => None,
        }
    }

    fn foreign_item(&mut self, item: &ForeignItem) -> Option<Symbol> {
        let (attributes, kind, ident, semi) = match item {
            ForeignItem::Fn(item) => (
                &item.attrs,
                SymbolKind::Function,
                &item.sig.ident,
                &item.semi_token,
            ),
            ForeignItem::Static(item) => (
                &item.attrs,
                SymbolKind::Variable,
                &item.ident,
                &item.semi_token,
            ),
            ForeignItem::Type(item) => {
                (&item.attrs, SymbolKind::Type, &item.ident, &item.semi_token)
            }
            _ => return None,
        };
        Some(self.statement(kind, ident, attributes, semi))
    }

    /// Returns what is all head, up to its semicolon.
    fn statement(
        &mut self,
        kind: SymbolKind,
        ident: &proc_macro2::Ident,
        attributes: &[syn::Attribute],
        semi: &syn::Token![;],
    ) -> Symbol {
        let start = self.begin(attributes);
        let (head_end, end) = (before(semi.span), behind(semi.span));
        self.add(kind, ident.to_string(), start, head_end, end, Vec::new())
    }

    /// Goes on behind the call of a macro that defines nothing that is known.
    fn pass_macro(&mut self, call: &syn::Macro, semi: Option<&syn::Token![;]>) {
        let (_, close) = delimiters(&call.delimiter);
        self.at = semi.map_or(close, |semi| behind(semi.span));
    }
}

/// Returns what comments within a module say of it.
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

/// Returns where the brackets of a macro's arguments open and where they end.
fn delimiters(delimiter: &syn::MacroDelimiter) -> (usize, usize) {
    let span = match delimiter {
        syn::MacroDelimiter::Paren(token) => &token.span,
        syn::MacroDelimiter::Brace(token) => &token.span,
        syn::MacroDelimiter::Bracket(token) => &token.span,
    };
    (before(span.open()), behind(span.close()))
}
