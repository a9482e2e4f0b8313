//! Types of C and C++: `struct`, `union`, `enum`, `class` and `typedef`.

use std::ops::Range;

use crate::lexer::token::TokenKind;
use crate::position::{ByteOffset, TokenIndex, token_indices};
use crate::scan::braces::modifiers::is_attribute_word;
use crate::scan::braces::prefix::Statement;
use crate::scan::braces::reader::{BraceReader, StatementScope};
use crate::symbol::{Symbol, SymbolKind};

/// The construct that follows the head of a type.
enum TypeHead {
    /// The brace of a body, and the name before it.
    Body {
        open: TokenIndex,
        name: Option<TokenIndex>,
    },
    /// The semicolon after a name: `struct a;`, defined elsewhere.
    Forward(TokenIndex),
    /// Another declaration that uses the type: `struct a *f(void);`.
    Part,
}

impl BraceReader<'_> {
    /// Reads a struct, union, enum or class of C or C++, or returns `None` if its name is only
    /// used.
    pub(super) fn c_type(
        &mut self,
        kind: SymbolKind,
        statement: &Statement,
        scope: &StatementScope,
        symbols: &mut Vec<Symbol>,
    ) -> Option<TokenIndex> {
        let code = self.code;
        let block_end = statement.block_end;
        let (open, name) = match self.type_head(statement) {
            TypeHead::Body { open, name } => (open, name),
            TypeHead::Forward(semicolon) => return Some(semicolon + 1),
            TypeHead::Part => return None,
        };
        let extent = self.extent(open, block_end);
        let body = extent.body.clone().unwrap_or(open..open);
        let text = name.map_or("", |name| code.word(name));
        let children = self.body(kind, text, body, scope);
        // Variables declared with the type are between its body and the semicolon: `} a, b;`. If
        // the semicolon is missing, the search for it ends somewhere else, such as after the
        // body of the next function. Then the type ends with its own body.
        let declared = self.extent(extent.next_token.max(open + 1), block_end);
        let has_semicolon = declared
            .next_token
            .previous()
            .is_some_and(|last| code.is(last, b';'));
        let (next_token, end) = if has_semicolon && extent.next_token < block_end {
            (declared.next_token, declared.end_offset)
        } else {
            (extent.next_token, extent.end_offset)
        };
        let name =
            name.or_else(|| self.first_declared_name(extent.next_token..next_token.min(block_end)));
        let name = name.map_or("", |name| code.word(name));
        // An anonymous type is named by its keyword.
        let name = if name.is_empty() {
            code.word(statement.after_modifiers)
        } else {
            name
        };
        let head_end = code.start(open);
        let symbol = self.define(statement, kind, name.to_owned(), head_end, end, children);
        symbols.push(symbol);
        Some(next_token)
    }

    fn first_declared_name(&self, range: Range<TokenIndex>) -> Option<TokenIndex> {
        token_indices(range).find(|token| self.code.is_name(*token))
    }

    /// Reads the head of a type up to the token that decides if it is a definition.
    fn type_head(&self, statement: &Statement) -> TypeHead {
        let code = self.code;
        let block_end = statement.block_end;
        let keyword = statement.after_modifiers;
        let mut name = None;
        let mut here = keyword + 1;
        while here < block_end && !code.is(here, b'{') {
            if code.is(here, b';') {
                let is_forward = here <= keyword + 2;
                return if is_forward {
                    TypeHead::Forward(here)
                } else {
                    TypeHead::Part
                };
            }
            // `struct a b = {`, `struct a *f() {`, `class A &f() {`
            if code.is(here, b'=') || code.is(here, b'*') || code.is(here, b'&') {
                return TypeHead::Part;
            }
            // A bracket that closes nothing here ends the enclosing block. The search stops
            // where that of `extent` stops. If it went further, `struct a ) struct a ) …` would
            // be read to the end of the file from each keyword, while the reader only advances
            // to the next bracket.
            if code.kind(here) == Some(TokenKind::Close) {
                return TypeHead::Part;
            }
            if code.is(here, b'(') {
                if !self.is_attribute_call(here) {
                    return TypeHead::Part;
                }
            } else if code.is(here, b'<') {
                // `template <> struct A<int> {`
                here = self.skip_angles(here, block_end);
                continue;
            } else if code.is_single_colon(here) {
                here = self.skip_bases(here, block_end);
                continue;
            } else if code.is_name(here) && !matches!(code.word(here), "final" | "class" | "struct")
            {
                name = Some(here);
            }
            here = code.after(here);
        }
        if code.is(here, b'{') {
            TypeHead::Body { open: here, name }
        } else {
            TypeHead::Part
        }
    }

    /// Returns true if brackets in the head of a type belong to an attribute or a macro instead of
    /// the parameters of a function: `struct alignas(8) A {`, `class API(1) A {`.
    fn is_attribute_call(&self, open: TokenIndex) -> bool {
        let word = self.code.previous_word(open);
        is_attribute_word(word)
            || word
                .chars()
                .all(|letter| letter.is_uppercase() || letter == '_')
    }

    /// Skips the base classes after the name: `: public A<B> {`.
    fn skip_bases(&self, colon: TokenIndex, block_end: TokenIndex) -> TokenIndex {
        let code = self.code;
        let mut here = colon;
        while here < block_end
            && !code.is(here, b'{')
            && !code.is(here, b';')
            && code.kind(here) != Some(TokenKind::Close)
        {
            here = code.after(here);
        }
        here
    }

    /// Reads `typedef struct { ... } name;`, `typedef int (*name)(int);` and the like.
    pub(super) fn typedef(
        &mut self,
        statement: &Statement,
        scope: &StatementScope,
        symbols: &mut Vec<Symbol>,
    ) -> TokenIndex {
        let code = self.code;
        let block_end = statement.block_end;
        let (body, name, semicolon) = self.typedef_parts(statement);
        let kind = match code.word(statement.after_modifiers + 1) {
            "struct" if body.is_some() => SymbolKind::Struct,
            "union" if body.is_some() => SymbolKind::Union,
            "enum" if body.is_some() => SymbolKind::Enum,
            _ => SymbolKind::Type,
        };
        let name = name.map_or("", |name| code.word(name)).to_owned();
        let children = body.map_or_else(Vec::new, |open| {
            self.body(kind, &name, self.inside(open), scope)
        });
        // Without a semicolon it ends with the block.
        let stop = code
            .start(semicolon)
            .min(code.end(block_end.saturating_sub(1)));
        let head_end = body.map_or(stop, |open| code.start(open));
        let end: ByteOffset = stop.max(code.start(statement.first));
        let mut symbol = self.define(statement, kind, name, head_end, end, children);
        if body.is_some() {
            // The name follows the body, which is omitted.
            symbol.signature = format!("{} {}", symbol.signature, symbol.name);
        }
        symbols.push(symbol);
        semicolon + 1
    }

    /// Returns the brace of a typedef's body, its name, and its semicolon.
    fn typedef_parts(
        &self,
        statement: &Statement,
    ) -> (Option<TokenIndex>, Option<TokenIndex>, TokenIndex) {
        let code = self.code;
        let (mut body, mut name) = (None, None);
        let mut here = statement.after_modifiers + 1;
        while here < statement.block_end && !code.is(here, b';') {
            if code.is(here, b'{') {
                body = Some(here);
            } else if code.is(here, b'(') && code.is(here + 1, b'*') {
                // `typedef int (*name)(int);`: no name follows.
                name = self.first_declared_name(here + 1..code.after(here));
                while here < statement.block_end && !code.is(here, b';') {
                    here = code.after(here);
                }
                break;
            } else if code.is_name(here) && !is_attribute_word(code.word(here)) {
                name = Some(here);
            }
            here = code.after(here);
        }
        (body, name, here)
    }
}
