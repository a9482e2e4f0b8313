//! The further ones of several fields or variables with values that one statement of C and its kin
//! declares: `int a = 1, b = 2;`.

use super::BraceReader;
use super::dialect::is_c_like;
use super::lead::Statement;
use crate::code::Definition;
use crate::position::{ByteOffset, TokenIndex};
use crate::{Symbol, SymbolKind};

impl BraceReader<'_> {
    /// Returns the first comma behind a value, from `here` on and before `stop`, behind which
    /// something further is declared. Commas in brackets are none, nor are those of types:
    /// `a = new Map<B, C>(d, e), f = 1`.
    pub(super) fn comma_before_further(
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
            if code.is(here, b',') && self.further_name(here, stop).is_some() {
                return Some(here);
            }
            // `a < b` compares.
            let opens_types = code.is(here, b'<')
                && here
                    .previous()
                    .is_some_and(|before| code.is_name(before) && code.touches_next(before));
            here = if opens_types {
                self.behind_angles(here, stop)
            } else {
                code.behind(here)
            };
        }
        None
    }

    /// Returns the name that is declared behind a comma: `*b` of `, *b = c`; none where what
    /// follows is part of a value.
    fn further_name(&self, comma: TokenIndex, stop: TokenIndex) -> Option<TokenIndex> {
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

    /// Adds what is declared from the comma at `comma` on, up to `stop`. `first` is the name of
    /// what is declared first, before which the type stands, and `end` where the statement ends.
    pub(super) fn further_fields(
        &self,
        statement: &Statement,
        kind: SymbolKind,
        first: TokenIndex,
        comma: TokenIndex,
        (stop, end): (TokenIndex, ByteOffset),
        symbols: &mut Vec<Symbol>,
    ) {
        let code = self.code;
        let type_start = code.start(statement.behind_attributes);
        let type_name = code.signature(type_start..code.start(first));
        // A sign belongs to its own name.
        let type_name = type_name.trim_end_matches(['*', '&', ' ']);
        let mut comma = Some(comma);
        while let Some(before) = comma {
            let Some(name) = self.further_name(before, stop) else {
                return;
            };
            comma = self.comma_before_further(name, stop);
            let own_end = comma.map_or(end, |comma| code.start(comma));
            let own_stop = comma.unwrap_or(stop);
            let mut sign = name;
            while sign < own_stop && !code.is(sign, b'=') {
                sign = code.behind(sign);
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
