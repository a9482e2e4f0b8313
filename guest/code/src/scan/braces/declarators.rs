//! Further declarators of one statement of C and related languages, after fields or variables with
//! values: `int a = 1, b = 2;`.

use crate::code::Definition;
use crate::position::{ByteOffset, TokenIndex};
use crate::scan::braces::dialect::is_c_like;
use crate::scan::braces::prefix::Statement;
use crate::scan::braces::reader::BraceReader;
use crate::symbol::{Symbol, SymbolKind};

/// The range of further declarators in a statement.
pub(super) struct FurtherDeclarators {
    /// Comma before the first of them.
    pub(super) comma: TokenIndex,
    /// Token after the last one.
    pub(super) stop: TokenIndex,
    /// End of the statement.
    pub(super) end: ByteOffset,
}

impl BraceReader<'_> {
    /// Returns the first comma after a value, from `here` on and before `stop`, that is followed by
    /// a further declarator. Commas in brackets do not count, nor do those of types: `a = new
    /// Map<B, C>(d, e), f = 1`.
    pub(super) fn comma_before_declarator(
        &self,
        here: TokenIndex,
        stop: TokenIndex,
    ) -> Option<TokenIndex> {
        let code = self.code;
        if !is_c_like(code.language) {
            return None;
        }
        let mut here = here;
        while here < stop {
            if code.is(here, b',') && self.declarator_name(here, stop).is_some() {
                return Some(here);
            }
            // `Map<B, C>` names types if the sign touches the name, as formatters write it;
            // `a < b` with a blank compares. The comma in the brackets would otherwise begin
            // another declarator.
            let opens_types = code.is(here, b'<')
                && here
                    .previous()
                    .is_some_and(|before| code.is_name(before) && code.touches_next(before));
            here = if opens_types {
                self.skip_angles(here, stop)
            } else {
                code.after(here)
            };
        }
        None
    }

    /// Returns the name declared after a comma: `*b` of `, *b = c`, or `None` if the comma is part
    /// of a value.
    fn declarator_name(&self, comma: TokenIndex, stop: TokenIndex) -> Option<TokenIndex> {
        let code = self.code;
        let mut name = comma + 1;
        while code.is(name, b'*') || code.is(name, b'&') {
            name += 1;
        }
        let next = name + 1;
        let is_value = code.is(next, b'=') && !code.is(next + 1, b'=');
        let ends = b",;[".iter().any(|sign| code.is(next, *sign));
        (next < stop && code.is_name(name) && (is_value || ends)).then_some(name)
    }

    /// Adds further declarators to that of the name `first`, which the type precedes.
    pub(super) fn add_declarators(
        &self,
        statement: &Statement,
        kind: SymbolKind,
        first: TokenIndex,
        further: &FurtherDeclarators,
        symbols: &mut Vec<Symbol>,
    ) {
        let code = self.code;
        let type_start = code.start(statement.after_attributes);
        let type_name = code.signature(type_start..code.start(first));
        // A sign belongs to its own name.
        let type_name = type_name.trim_end_matches(['*', '&', ' ']);
        let FurtherDeclarators { comma, stop, end } = *further;
        let mut comma = Some(comma);
        while let Some(before) = comma {
            let Some(name) = self.declarator_name(before, stop) else {
                return;
            };
            comma = self.comma_before_declarator(name, stop);
            let own_end = comma.map_or(end, |comma| code.start(comma));
            let own_stop = comma.unwrap_or(stop);
            let mut sign = name;
            while sign < own_stop && !code.is(sign, b'=') {
                sign = code.after(sign);
            }
            let head_end = if sign >= own_stop {
                own_end
            } else if kind == SymbolKind::Constant {
                code.end_with_value(code.start(sign), own_end)
            } else {
                code.start(sign)
            };
            let start = code.start(before + 1);
            let mut symbol = code.symbol(Definition {
                kind,
                name: code.word(name).to_owned(),
                head: start..head_end.max(start),
                span: start..own_end.max(start),
                is_private: statement.is_private,
                children: Vec::new(),
            });
            symbol.signature = format!("{type_name} {}", symbol.signature);
            symbols.push(symbol);
        }
    }
}
