//! Ends of declarations: after the body, at a semicolon, or with the line.

use std::ops::Range;

use crate::language::Language;
use crate::lexer::token::TokenKind;
use crate::limits::{CONSTRUCTOR_MODIFIERS, OPERATOR_SIGNS};
use crate::position::{ByteOffset, TokenIndex, token_indices};
use crate::scan::braces::dialect::ends_with_line;
use crate::scan::braces::modifiers::is_modifier;
use crate::scan::braces::reader::BraceReader;

/// The extent of a declaration.
#[derive(Debug)]
pub(super) struct DeclarationExtent {
    /// Start of body or value, or the end.
    pub(super) head_end_offset: ByteOffset,
    /// Tokens of the body, without its braces.
    pub(super) body: Option<Range<TokenIndex>>,
    /// Sign before a value.
    pub(super) value_sign: Option<TokenIndex>,
    /// End of the declaration.
    pub(super) end_offset: ByteOffset,
    /// Next token, after the semicolon if there is one.
    pub(super) next_token: TokenIndex,
}

impl BraceReader<'_> {
    /// Finds the extent of the declaration whose keyword or name is at `first`, before `block_end`.
    pub(super) fn extent(&self, first: TokenIndex, block_end: TokenIndex) -> DeclarationExtent {
        let code = self.code;
        let mut value_sign = None;
        let mut in_initialisers = false;
        let mut has_brackets = false;
        let mut here = first;
        while here < block_end {
            let next = code.after(here);
            match code.kind(here) {
                _ if code.is(here, b';') => {
                    return self.extent_to_semicolon(first, here, value_sign);
                }
                // A bracket whose partner is before the declaration, or that has none, ends the
                // enclosing block.
                Some(TokenKind::Close) => return self.extent_before(first, here, value_sign),
                // A condition may be within a declaration, which continues after it:
                // `int f(int a)⏎#ifdef B⏎{`.
                Some(TokenKind::Directive) => {
                    here = next;
                    continue;
                }
                _ => {}
            }
            // A declaration may end with its line. This is tested before the brace, since a
            // brace on a line of its own, `func f()⏎{`, is the body of the declaration above:
            // `begins_statement` returns false for it, except in Go, where such a brace begins a
            // block.
            if here > first
                && code.is_first_on_line(here)
                && ends_with_line(code.language)
                && self.begins_statement(here)
                && !self.is_primary_constructor(first, here)
            {
                return self.extent_before(first, here, value_sign);
            }
            if code.is(here, b'{')
                && value_sign.is_none()
                && !self.is_go_result(first, here)
                && !(in_initialisers && self.is_initialiser(here))
            {
                return self.extent_to_body(here);
            }
            in_initialisers |=
                code.language == Language::Cpp && has_brackets && code.is_single_colon(here);
            has_brackets |= code.is(here, b'(');
            if value_sign.is_none() && self.is_value_sign(here, first) {
                value_sign = Some(here);
            }
            here = next;
        }
        self.extent_before(first, block_end, value_sign)
    }

    fn extent_to_body(&self, open: TokenIndex) -> DeclarationExtent {
        let code = self.code;
        let next_token = code.after(open);
        DeclarationExtent {
            head_end_offset: code.start(open),
            body: Some(self.inside(open)),
            value_sign: None,
            end_offset: code.end(next_token - 1),
            next_token,
        }
    }

    fn extent_to_semicolon(
        &self,
        first: TokenIndex,
        semicolon: TokenIndex,
        value_sign: Option<TokenIndex>,
    ) -> DeclarationExtent {
        let code = self.code;
        DeclarationExtent {
            head_end_offset: code.start(value_sign.unwrap_or(semicolon)),
            body: None,
            value_sign,
            end_offset: code.end(semicolon.max(first)),
            next_token: semicolon + 1,
        }
    }

    fn extent_before(
        &self,
        first: TokenIndex,
        next_token: TokenIndex,
        value_sign: Option<TokenIndex>,
    ) -> DeclarationExtent {
        let code = self.code;
        let end_offset = code.end(next_token.saturating_sub(1).max(first));
        DeclarationExtent {
            head_end_offset: value_sign.map_or(end_offset, |sign| code.start(sign)),
            body: None,
            value_sign,
            end_offset,
            next_token,
        }
    }

    /// Returns true if a brace belongs to a result type: `func f() interface{} {`.
    fn is_go_result(&self, first: TokenIndex, brace: TokenIndex) -> bool {
        let code = self.code;
        code.language == Language::Go
            && brace > first + 1
            && matches!(code.previous_word(brace), "interface" | "struct")
            && code.word(first) == "func"
    }

    /// Returns true if a brace contains the value of a member initializer: `A(int x) : x{x},
    /// Base<int>{} {`.
    fn is_initialiser(&self, brace: TokenIndex) -> bool {
        brace
            .previous()
            .is_some_and(|before| self.code.is_name(before) || self.code.is(before, b'>'))
    }

    /// Returns true if the constructor of the class whose keyword is at `keyword` begins at `line`,
    /// optionally with annotations and modifiers: `class Foo⏎@Inject constructor(`.
    fn is_primary_constructor(&self, keyword: TokenIndex, line: TokenIndex) -> bool {
        let code = self.code;
        if code.language != Language::Kotlin || code.word(keyword) != "class" {
            return false;
        }
        let mut here = line;
        for _ in 0..CONSTRUCTOR_MODIFIERS {
            let is_annotation = code.is(here, b'@');
            if code.word(here) == "constructor" {
                break;
            }
            if !is_annotation && !is_modifier(code.language, code.word(here)) {
                return false;
            }
            here += 1 + u32::from(is_annotation);
            if code.is(here, b'(') && code.touches_next(here - 1) {
                here = code.after(here);
            }
        }
        code.word(here) == "constructor"
    }

    /// Returns true if `here` is the sign of a value or of an expression body: `val a = 1`, `fun
    /// f() = 1`.
    fn is_value_sign(&self, here: TokenIndex, first: TokenIndex) -> bool {
        let code = self.code;
        if !code.is(here, b'=') || here == first || self.is_in_operator_name(first, here) {
            return false;
        }
        let before = here - 1;
        // `Vec<T>=` is a type, `>=` after a blank is an operator.
        let is_compound = b"=<!+-*/|&^%".contains(&code.sign(before)) && code.touches_next(before);
        let is_doubled = code.is(here + 1, b'=') && code.touches_next(here);
        !is_compound && !is_doubled
    }

    /// Returns true if a sign belongs to an operator's name: `operator>>=`, `func <=`.
    fn is_in_operator_name(&self, first: TokenIndex, here: TokenIndex) -> bool {
        let code = self.code;
        // Only a few tokens before the sign can belong to a name such as `operator>>=`. The
        // search stops at the first that is not a sign, so it costs the same for each `=` of a
        // text.
        let signs = token_indices(first..here)
            .rev()
            .take(OPERATOR_SIGNS - 1)
            .take_while(|token| code.kind(*token) == Some(TokenKind::Punct))
            .count();
        let word = code.word((here - signs as u32).max(first + 1) - 1);
        word == "operator" || (word == "func" && code.language == Language::Swift)
    }

    /// Returns true if a new statement begins with the line of the token at `here`: the line before
    /// does not need a continuation, `a =⏎`, and this one is not one, `⏎.b()`.
    fn begins_statement(&self, here: TokenIndex) -> bool {
        !self.wants_more(here - 1) && !self.goes_on_from_before(here)
    }

    /// Returns true if a line that ends with `last` needs a continuation.
    fn wants_more(&self, last: TokenIndex) -> bool {
        let code = self.code;
        match code.kind(last) {
            Some(TokenKind::Punct) => match code.sign(last) {
                // `a?`, `a!`, `List<A>`, `a;`, `import a.*`; but `->` needs a result.
                b'>' => code.previous_is(last, b'-'),
                b'?' | b'!' | b';' | b'*' => false,
                _ => true,
            },
            Some(TokenKind::Word) => {
                matches!(code.word(last), "where" | "by" | "in" | "is" | "as")
            }
            Some(TokenKind::Open) => true,
            _ => false,
        }
    }

    /// Returns true if the line that begins with `here` continues the statement before it.
    fn goes_on_from_before(&self, here: TokenIndex) -> bool {
        let code = self.code;
        match code.kind(here) {
            // An attribute, a destructor or a pointer begins a statement.
            Some(TokenKind::Punct) => !matches!(code.sign(here), b'@' | b'#' | b'~' | b'*'),
            // In Go the brace of a body is on the line of its head.
            Some(TokenKind::Open) => code.is(here, b'{') && code.language != Language::Go,
            Some(TokenKind::Word) => matches!(
                code.word(here),
                "where" | "throws" | "rethrows" | "extends" | "implements" | "else" | "as"
            ),
            // The text after an interpolated expression is a piece of its string.
            Some(TokenKind::Text) => code.kind(here - 1) == Some(TokenKind::Close),
            _ => false,
        }
    }
}
