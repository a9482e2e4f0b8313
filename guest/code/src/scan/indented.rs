//! Python by its indentation, for texts that the parser cannot read.

use std::ops::Range;

use crate::code::{Code, Definition};
use crate::declarations::Declarations;
use crate::lexer::token::TokenKind;
use crate::limits::{NESTED_SYMBOLS, SYMBOLS};
use crate::position::{ByteOffset, TokenIndex};
use crate::symbol::{Symbol, SymbolKind};

/// A definition whose body has not ended.
struct OpenDefinition {
    /// Columns before its keyword; a line that is not deeper ends it.
    indent: usize,
    definition: Definition,
}

/// A logical line: several lines within brackets are one.
struct LogicalLine {
    tokens: Range<TokenIndex>,
    indent: usize,
    /// Its first colon.
    colon: Option<TokenIndex>,
}

pub(super) fn scan(code: &Code<'_>) -> Declarations {
    let mut reader = IndentationReader {
        code,
        declarations: Declarations::default(),
        open: Vec::new(),
        decorators_start: None,
        symbol_count: 0,
        last_end: ByteOffset::START,
    };
    let mut here = TokenIndex::FIRST;
    while here < code.end_token() && reader.symbol_count < SYMBOLS {
        let line = reader.logical_line(here);
        // A line is never empty; this ensures progress for any input.
        here = line.tokens.end.max(here + 1);
        reader.line(&line);
        // A stray closing bracket is skipped.
        if code.kind(here) == Some(TokenKind::Close) && !code.is_first_on_line(here) {
            here += 1;
        }
    }
    while let Some(finished) = reader.open.pop() {
        reader.close(finished);
    }
    reader.declarations
}

struct IndentationReader<'a> {
    code: &'a Code<'a>,
    declarations: Declarations,
    /// From the outermost to the innermost.
    open: Vec<OpenDefinition>,
    /// Start of the decorators before the next definition.
    decorators_start: Option<ByteOffset>,
    symbol_count: usize,
    /// End of the last line.
    last_end: ByteOffset,
}

impl IndentationReader<'_> {
    fn logical_line(&self, first: TokenIndex) -> LogicalLine {
        let code = self.code;
        let start = code.start(first);
        let margin = code.line_index.span(code.line_index.line(start)).start;
        let mut colon = None;
        let mut end = first;
        while end < code.end_token() && (end == first || !code.is_first_on_line(end)) {
            if colon.is_none() && code.is(end, b':') {
                colon = Some(end);
            }
            end = code.after(end);
        }
        LogicalLine {
            tokens: first..end.min(code.end_token()),
            indent: start - margin,
            colon,
        }
    }

    fn line(&mut self, line: &LogicalLine) {
        let code = self.code;
        while let Some(finished) = self.open.pop_if(|open| line.indent <= open.indent) {
            self.close(finished);
        }
        let first = line.tokens.start;
        let keyword = first + u32::from(code.word(first) == "async");
        let next = keyword + 1;
        match code.word(keyword) {
            "@" => {
                self.decorators_start = self.decorators_start.or(Some(code.start(first)));
            }
            "def" | "class" if code.is_name(next) && self.open.len() < NESTED_SYMBOLS => {
                self.definition(line, keyword);
            }
            "import" | "from" if code.is_name(next) || code.is(next, b'.') => self.import(line),
            _ if self.is_value(first) => self.value(line),
            // A statement between a decorator and its definition is an error.
            _ => self.decorators_start = None,
        }
        self.last_end = self.line_end(line);
    }

    fn line_end(&self, line: &LogicalLine) -> ByteOffset {
        self.code.end(line.tokens.end - 1)
    }

    /// Returns the byte range of a line with the decorators before it.
    fn span(&self, line: &LogicalLine) -> Range<ByteOffset> {
        let start = self.code.start(line.tokens.start);
        self.decorators_start.unwrap_or(start)..self.line_end(line)
    }

    /// Opens `def name(a):` or `class Name:`.
    fn definition(&mut self, line: &LogicalLine, keyword: TokenIndex) {
        let code = self.code;
        let name = code.word(keyword + 1).to_owned();
        let kind = match code.word(keyword) {
            "class" => SymbolKind::Class,
            // Definitions in a function are not shown, so this is a method.
            _ if self.open.is_empty() => SymbolKind::Function,
            _ => SymbolKind::Method,
        };
        let span = self.span(line);
        let head_end = line.colon.map_or(span.end, |colon| code.start(colon));
        let definition = Definition {
            kind,
            is_private: name.starts_with('_') && !name.ends_with("__"),
            name,
            head: code.start(line.tokens.start)..head_end,
            span,
            children: Vec::new(),
        };
        self.decorators_start = None;
        self.open.push(OpenDefinition {
            indent: line.indent,
            definition,
        });
        self.symbol_count += 1;
    }

    /// Reads `import a.b`, `from .a import b`.
    fn import(&mut self, line: &LogicalLine) {
        let span = self.span(line);
        let text = self.code.slice(span.clone());
        let module = text.split_whitespace().nth(1).unwrap_or_default();
        let import = self.code.import(span, module.trim_end_matches(','));
        self.declarations.imports.push(import);
    }

    /// Returns true if a line gives a name of the file or of a class a value or a type: `a = 1`,
    /// `a: int`, not `a == 1`. Values in functions are local.
    fn is_value(&self, first: TokenIndex) -> bool {
        let code = self.code;
        let in_type = self
            .open
            .last()
            .is_none_or(|open| open.definition.kind == SymbolKind::Class);
        in_type
            && code.is_name(first)
            && (code.is(first + 1, b'=') || code.is(first + 1, b':'))
            && !code.is(first + 2, b'=')
    }

    fn value(&mut self, line: &LogicalLine) {
        let code = self.code;
        let first = line.tokens.start;
        let name = code.word(first).to_owned();
        // `else:`
        if matches!(name.as_str(), "else" | "try" | "finally") {
            return;
        }
        let kind = if !name.contains(char::is_lowercase) {
            SymbolKind::Constant
        } else if self.open.is_empty() {
            SymbolKind::Variable
        } else {
            SymbolKind::Field
        };
        let end = self.line_end(line);
        let start = code.start(first);
        let symbol = code.symbol(Definition {
            kind,
            is_private: name.starts_with('_'),
            name,
            head: start..code.end_with_value(code.end(first), end),
            span: start..end,
            children: Vec::new(),
        });
        self.add(symbol);
        self.symbol_count += 1;
    }

    /// Adds a definition whose last line was read.
    fn close(&mut self, finished: OpenDefinition) {
        let mut definition = finished.definition;
        definition.span.end = self.last_end.max(definition.span.end);
        let symbol = self.code.symbol(definition);
        self.add(symbol);
    }

    /// Adds a symbol to its parent. Nothing is shown within functions.
    fn add(&mut self, symbol: Symbol) {
        match self.open.last_mut() {
            Some(outer) if outer.definition.kind == SymbolKind::Class => {
                outer.definition.children.push(symbol);
            }
            Some(_) => {}
            None => self.declarations.symbols.push(symbol),
        }
    }
}
