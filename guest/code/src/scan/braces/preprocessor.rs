//! Includes and definitions on preprocessor lines.

use crate::code::Definition;
use crate::position::{ByteOffset, ByteRange, TokenIndex};
use crate::scan::braces::reader::BraceReader;
use crate::symbol::{Symbol, SymbolKind};

impl BraceReader<'_> {
    /// Adds an include, `#include <a.h>`, or a definition, `#define A(b) c`.
    pub(super) fn directive(&mut self, directive: TokenIndex, symbols: &mut Vec<Symbol>) {
        let code = self.code;
        let span = code.start(directive)..code.end(directive);
        let line = code.slice(span.clone());
        let line = line.trim_start_matches('#').trim_start();
        if let Some(rest) = line.strip_prefix("include").or(line.strip_prefix("import")) {
            let module = rest.trim().trim_matches(['<', '>', '"']);
            // Text after the path is a comment.
            let module = module.split(['>', '"']).next().unwrap_or(module);
            self.declarations.imports.push(code.import(span, module));
        } else if let Some(rest) = line.strip_prefix("define") {
            let rest = rest.trim_start();
            let start = ByteOffset::new(span.end.index() - rest.len());
            symbols.extend(self.macro_definition(span, start));
        }
    }

    /// Returns the macro defined by the line at `span`, whose name begins at `start`. A name
    /// without a value is not included: it is only an include guard.
    fn macro_definition(&self, span: ByteRange, start: ByteOffset) -> Option<Symbol> {
        let code = self.code;
        let length = code
            .slice(start..span.end)
            .find(|letter: char| !(letter.is_alphanumeric() || letter == '_'))
            .filter(|length| *length > 0)?;
        let value_end = self.before_comment(&span, start);
        let rest = code.slice(start..value_end);
        let (name, value) = rest.split_at_checked(length)?;
        if value.trim().is_empty() {
            return None;
        }
        let is_function = value.starts_with('(');
        let head_end = if is_function {
            let close = rest.find(')');
            close.map_or(value_end, |close| start + close + 1)
        } else {
            let value_start = start + length;
            code.end_with_value(value_start, value_start + value.trim_end().len())
        };
        Some(code.symbol(Definition {
            kind: SymbolKind::Macro,
            name: name.to_owned(),
            head: span.start..head_end,
            span,
            is_private: !is_function,
            children: Vec::new(),
        }))
    }

    /// Returns the end of a line without the comment at its end, which is not part of the value.
    fn before_comment(&self, span: &ByteRange, start: ByteOffset) -> ByteOffset {
        let code = self.code;
        let after = code
            .comments
            .partition_point(|comment| comment.start < span.end);
        let trimmed = span.start + code.slice(span.clone()).trim_end().len();
        after
            .checked_sub(1)
            .map(|index| &code.comments[index])
            .filter(|comment| comment.start > start && comment.end >= trimmed)
            .map_or(span.end, |comment| comment.start)
    }
}
