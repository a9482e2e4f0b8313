//! Old-style functions, as in C before 1989, with the types of the parameters after the brackets:
//! `int f(a, b)⏎int a;⏎char *b;⏎{`.

use crate::language::Language;
use crate::lexer::token::TokenKind;
use crate::limits::OLD_PARAMETER_TOKENS;
use crate::position::{TokenIndex, token_indices};
use crate::scan::braces::extent::DeclarationExtent;
use crate::scan::braces::reader::BraceReader;

impl BraceReader<'_> {
    /// Returns the brace of the body of an old-style function whose parameters open at `open`, or
    /// `None` for any other function.
    pub(super) fn old_style_body(
        &self,
        open: TokenIndex,
        block_end: TokenIndex,
    ) -> Option<TokenIndex> {
        let code = self.code;
        let first = code.after(open);
        if code.language != Language::C || !code.is_name(first) || !self.is_list_of_names(open) {
            return None;
        }
        let mut here = first;
        // The search is limited, because every call in a body, such as `f(a, b) int …`, may be
        // the head of such a function. Without the limit, a text of heads whose bodies never
        // come would be read to its end from each of them.
        for _ in 0..OLD_PARAMETER_TOKENS {
            if here >= block_end || code.kind(here) == Some(TokenKind::Close) {
                return None;
            }
            if code.is(here, b'{') {
                // The body, and not a type with members.
                return code.previous_is(here, b';').then_some(here);
            }
            // Each declares a parameter: `int a;`, `char *b[];`, `int (*c)();`.
            if code.is(here, b';')
                && code.is_name(here - 1)
                && !self.is_in_list(open, code.word(here - 1))
            {
                return None;
            }
            here = code.after(here);
        }
        None
    }

    /// Returns true if the brackets contain only names: `(a, b)`.
    fn is_list_of_names(&self, open: TokenIndex) -> bool {
        let code = self.code;
        let mut inside = token_indices(self.inside(open)).take(OLD_PARAMETER_TOKENS);
        let mut is_name_next = true;
        let is_list = inside.all(|token| {
            let fits = if is_name_next {
                code.is_name(token)
            } else {
                code.is(token, b',')
            };
            is_name_next = !is_name_next;
            fits
        });
        // The list must end with a name, not with a comma.
        is_list && !is_name_next
    }

    fn is_in_list(&self, open: TokenIndex, name: &str) -> bool {
        let mut inside = token_indices(self.inside(open)).take(OLD_PARAMETER_TOKENS);
        inside.any(|token| self.code.word(token) == name)
    }

    /// Returns the extent of an old-style function, whose signature ends with its brackets.
    pub(super) fn old_style_extent(&self, open: TokenIndex, body: TokenIndex) -> DeclarationExtent {
        let code = self.code;
        let next_token = code.after(body);
        DeclarationExtent {
            head_end_offset: code.end(code.after(open) - 1),
            body: Some(self.inside(body)),
            value_sign: None,
            end_offset: code.end(next_token - 1),
            next_token,
        }
    }
}
