//! Rust, by syn.
//!
//! It parses only the heads of items, without function bodies and comments.
//!
//! The tree of syn has the positions of names, braces and semicolons, but not a single one for the
//! start of an item, because visibility, qualifiers and attributes are separate optional fields; so
//! an item begins with the first token after the item before it.

mod heads;
mod items;
mod macros;
mod members;

use heads::{Cuts, Heads};
use proc_macro2::{Ident, Span, extra::DelimSpan};
use syn::Attribute;

use crate::code::{Code, Definition};
use crate::declarations::Declarations;
use crate::position::{ByteOffset, ByteRange};
use crate::symbol::{Symbol, SymbolKind};
use crate::weight::is_parsable;

pub(super) fn parse(code: &Code<'_>) -> Option<Declarations> {
    let mut heads = Heads::new(code);
    // Nesting is measured after the bodies of functions are removed: they are nested deepest,
    // and syn never sees them. If they counted, a single deep expression would send the whole
    // file to the scanner.
    if !is_parsable(&code.with_tokens(std::mem::take(&mut heads.tokens))) {
        return None;
    }
    let file = syn::parse_str::<syn::File>(&heads.text).ok();
    let declarations = file.map(|file| {
        let mut reader = RustReader {
            code,
            cuts: heads.into_cuts(),
            declarations: Declarations::default(),
            last_end: ByteOffset::START,
        };
        reader.pass_inner_attributes(&file.attrs);
        let symbols = reader.items(&file.items, 0);
        Declarations {
            symbols,
            ..reader.declarations
        }
    });
    // Outside of procedural macros proc-macro2 keeps each text that it has parsed for the
    // thread, to find the positions of spans. A component that reads thousands of files would
    // keep them all. Spans are invalid after this call, so it comes last.
    proc_macro2::extra::invalidate_current_thread_spans();
    declarations
}

/// The start of an item.
#[derive(Clone, Copy, Debug)]
struct ItemStart {
    /// First attribute.
    start: ByteOffset,
    /// First token after its attributes.
    head: ByteOffset,
}

/// The positions in an item, in order.
#[derive(Clone, Copy, Debug)]
struct ItemSpan {
    start: ByteOffset,
    head: ByteOffset,
    /// Position before its braces or its semicolon.
    head_end: ByteOffset,
    end: ByteOffset,
}

impl ItemStart {
    fn until(self, head_end: ByteOffset, end: ByteOffset) -> ItemSpan {
        let Self { start, head } = self;
        ItemSpan {
            start,
            head,
            head_end,
            end,
        }
    }
}

/// A reader of items in the order of the text.
struct RustReader<'a> {
    code: &'a Code<'a>,
    cuts: Cuts,
    declarations: Declarations,
    /// Byte after the last item read.
    last_end: ByteOffset,
}

impl RustReader<'_> {
    /// Returns the start of a token.
    fn start_of(&self, span: Span) -> ByteOffset {
        self.cuts.start_of(span)
    }

    /// Returns the end of a token.
    fn end_of(&self, span: Span) -> ByteOffset {
        self.cuts.end_of(span)
    }

    /// Returns an item that ends with a semicolon.
    fn until_semicolon(&self, start: ItemStart, semicolon: Span) -> ItemSpan {
        start.until(self.start_of(semicolon), self.end_of(semicolon))
    }

    /// Returns an item that ends with braces.
    fn until_braces(&self, start: ItemStart, braces: DelimSpan) -> ItemSpan {
        start.until(self.start_of(braces.open()), self.end_of(braces.close()))
    }

    fn pass_inner_attributes(&mut self, attributes: &[Attribute]) {
        for attribute in attributes {
            if matches!(attribute.style, syn::AttrStyle::Inner(_)) {
                let end = self.end_of(attribute.bracket_token.span.close());
                self.last_end = self.last_end.max(end);
            }
        }
    }

    /// Returns the start of the next item, whose attributes are given.
    fn begin(&self, attributes: &[Attribute]) -> ItemStart {
        let start = self.token_start_from(self.last_end);
        let outer = attributes
            .iter()
            .filter(|attribute| matches!(attribute.style, syn::AttrStyle::Outer));
        let attributes_end = outer
            .map(|attribute| self.end_of(attribute.bracket_token.span.close()))
            .max()
            .unwrap_or(start);
        ItemStart {
            start,
            head: self.token_start_from(attributes_end),
        }
    }

    /// Returns the start of the first token at or after `offset`.
    fn token_start_from(&self, offset: ByteOffset) -> ByteOffset {
        self.code.start(self.code.token_from(offset))
    }

    /// Returns the end of the last token before `offset`.
    fn token_end_before(&self, offset: ByteOffset) -> ByteOffset {
        let last = self.code.token_from(offset).previous();
        last.map_or(offset, |last| self.code.end(last))
    }

    /// Returns the symbol of an item and moves past it.
    fn symbol(
        &mut self,
        kind: SymbolKind,
        name: String,
        span: ItemSpan,
        children: Vec<Symbol>,
    ) -> Symbol {
        self.last_end = span.end;
        // The lexer and syn may disagree about a token, and no range may end before it begins.
        let head = span.head..span.head_end.max(span.head);
        // Implementations and variants have the visibility of their parent.
        let is_private = !self.code.slice(head.clone()).starts_with("pub")
            && !matches!(kind, SymbolKind::Impl | SymbolKind::Variant);
        let mut symbol = self.code.symbol(Definition {
            kind,
            name,
            head,
            span: span.start..span.end.max(span.start),
            is_private,
            children,
        });
        if symbol.doc.is_empty() {
            symbol.doc = self.doc_of(span.start..span.head);
        }
        symbol
    }

    /// Returns an item without members.
    fn leaf(&mut self, kind: SymbolKind, ident: &Ident, span: ItemSpan) -> Symbol {
        self.symbol(kind, ident.to_string(), span, Vec::new())
    }

    /// Returns a function with a body.
    fn function(
        &mut self,
        kind: SymbolKind,
        signature: &syn::Signature,
        attributes: &[Attribute],
        block: &syn::Block,
    ) -> Symbol {
        let span = self.until_braces(self.begin(attributes), block.brace_token.span);
        self.leaf(kind, &signature.ident, span)
    }

    /// Returns an item that is only a head, up to its semicolon: `type A = B;`, `fn f();`.
    fn statement(
        &mut self,
        kind: SymbolKind,
        ident: &Ident,
        attributes: &[Attribute],
        semicolon: &syn::Token![;],
    ) -> Symbol {
        let span = self.until_semicolon(self.begin(attributes), semicolon.span);
        self.leaf(kind, ident, span)
    }

    /// Returns a constant, with its value if that is short.
    fn constant(
        &mut self,
        kind: SymbolKind,
        ident: &Ident,
        attributes: &[Attribute],
        sign: &syn::Token![=],
        semicolon: &syn::Token![;],
    ) -> Symbol {
        let start = self.begin(attributes);
        let value_end = self.start_of(semicolon.span);
        let head_end = self
            .code
            .end_with_value(self.start_of(sign.span), value_end);
        self.leaf(
            kind,
            ident,
            start.until(head_end, self.end_of(semicolon.span)),
        )
    }

    /// Returns an item with members in braces, which `members` reads.
    fn braced_item(
        &mut self,
        kind: SymbolKind,
        name: String,
        start: ItemStart,
        braces: DelimSpan,
        members: impl FnOnce(&mut Self) -> Vec<Symbol>,
    ) -> Symbol {
        self.last_end = self.end_of(braces.open());
        let children = members(self);
        let span = self.until_braces(start, braces);
        self.symbol(kind, name, span, children)
    }

    /// Adds `use a::b;`.
    fn import(&mut self, attributes: &[Attribute], keyword: Span, semicolon: Span) {
        let head = self.begin(attributes).head;
        let end = self.end_of(semicolon);
        self.last_end = end;
        let module = self
            .code
            .slice(self.end_of(keyword)..self.start_of(semicolon));
        let import = self.code.import(head..end, module.trim());
        self.declarations.imports.push(import);
    }

    /// Returns the comment between an item's attributes and its head, `#[a]⏎/// b⏎fn`, or the
    /// documentation attribute, `#[doc = "b"]`. `attributes` is the byte range of the attributes.
    fn doc_of(&self, attributes: ByteRange) -> String {
        if attributes.end <= attributes.start {
            return String::new();
        }
        let (_, below) = self.code.doc_before(attributes.end);
        if !below.is_empty() {
            return below;
        }
        let text = self.code.slice(attributes);
        let value = text.split_once("#[doc = \"").map(|(_, value)| value);
        let doc = value.and_then(|value| value.split_once("\"]"));
        doc.map_or(below, |(doc, _)| doc.trim().to_owned())
    }
}
