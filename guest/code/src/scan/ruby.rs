//! Ruby, by matching each `end`.
//!
//! Each word that requires an `end` opens a block, whether it is a definition or not, so that every
//! `end` finds its own. Conditions and loops after a statement open none: `a if b`.

use crate::code::{Code, Definition};
use crate::declarations::Declarations;
use crate::lexer::token::TokenKind;
use crate::limits::{ENDS, NESTED_SYMBOLS, SYMBOLS};
use crate::position::{ByteOffset, TokenIndex, token_indices};
use crate::symbol::SymbolKind;

/// A block that an `end` closes.
#[derive(Debug)]
struct RubyBlock {
    /// `None` for loops and the like.
    definition: Option<Definition>,
    /// Visibility before the block, restored after it.
    was_private: bool,
}

pub(super) fn scan(code: &Code<'_>) -> Declarations {
    let mut reader = RubyReader {
        code,
        declarations: Declarations::default(),
        blocks: Vec::new(),
        definitions: Vec::new(),
        symbol_count: 0,
        is_private: false,
        loop_line: None,
    };
    let mut here = TokenIndex::FIRST;
    while here < code.end_token() && reader.symbol_count < SYMBOLS {
        if code.is_name(here) && !reader.is_part_of_name(here) {
            here = reader.word(here);
        }
        here += 1;
    }
    // An unclosed block extends to the end of the file.
    let end = ByteOffset::new(code.text.trim_end().len());
    while !reader.blocks.is_empty() {
        reader.close(end);
    }
    reader.declarations
}

struct RubyReader<'a> {
    code: &'a Code<'a>,
    declarations: Declarations,
    /// From the outermost to the innermost.
    blocks: Vec<RubyBlock>,
    /// Indices of the blocks that are definitions.
    definitions: Vec<usize>,
    symbol_count: usize,
    /// True if the next definition is private.
    is_private: bool,
    /// Line of the last loop, whose `do` opens no other block.
    loop_line: Option<u32>,
}

impl RubyReader<'_> {
    /// Reads a word and its construct; returns the last token of it.
    fn word(&mut self, word: TokenIndex) -> TokenIndex {
        let code = self.code;
        let begins = code.is_first_on_line(word)
            || word == TokenIndex::FIRST
            || code.previous_is(word, b';');
        match code.word(word) {
            "class" | "module" => return self.class(word),
            "def" => return self.method(word),
            "begin" | "case" => self.open(None),
            "if" | "unless" if begins || self.is_value(word) => self.open(None),
            "while" | "until" | "for" if begins || self.is_value(word) => {
                self.loop_line = Some(code.line(word));
                self.open(None);
            }
            // The `do` of `while a do` belongs to the loop, which opens a block by its keyword.
            // It is the first `do` on the line of the loop; any later one, as in
            // `while a.any? do b.each do`, opens a block of its own.
            "do" if self.loop_line.take() != Some(code.line(word)) => self.open(None),
            "end" => self.close(code.end(word)),
            "private" | "protected" | "public" if begins => self.visibility(word),
            "require" | "require_relative" | "load" | "autoload" if begins => self.import(word),
            "attr_accessor" | "attr_reader" | "attr_writer" if begins => self.attributes(word),
            "alias" | "alias_method" if begins => self.alias(word),
            name if begins && name.starts_with(char::is_uppercase) => self.constant(word),
            _ => {}
        }
        word
    }

    /// Returns true if a word is a called method, a symbol, an instance variable or a key: `a.end`,
    /// `:end`, `@end`, `end: 1`.
    fn is_part_of_name(&self, word: TokenIndex) -> bool {
        let code = self.code;
        let follows_sign = word.previous().is_some_and(|before| {
            // A word after `:`, `@` or `.` is not a keyword. If `to: :class` or `@if` opened a
            // block, its `end` would never come, and everything after it in the file would be
            // lost. After `::` only a name in lower case is a called method: `A::B` is a name of
            // its own, `A::end` is not.
            let is_qualified = before
                .previous()
                .is_some_and(|colon| self.is_double_colon(colon));
            let is_symbol = code.is(before, b':')
                && code.touches_next(before)
                && !(is_qualified && code.word(word).starts_with(char::is_uppercase));
            let is_variable = code.is(before, b'@') && code.touches_next(before);
            code.is(before, b'.') || is_symbol || is_variable
        });
        // `if: :ready?`, but `A::B`.
        let sign = word + 1;
        let is_key = code.is(sign, b':') && code.touches_next(word) && !self.is_double_colon(sign);
        follows_sign || is_key
    }

    /// Returns true if a `::` begins at `first`.
    fn is_double_colon(&self, first: TokenIndex) -> bool {
        let code = self.code;
        code.is(first, b':') && code.is(first + 1, b':') && code.touches_next(first)
    }

    /// Returns true if a condition is a value, `a = if b`, instead of a modifier, `a if b`.
    fn is_value(&self, word: TokenIndex) -> bool {
        let before = word - 1;
        match self.code.kind(before) {
            Some(TokenKind::Punct | TokenKind::Open) => true,
            Some(TokenKind::Word) => matches!(
                self.code.word(before),
                "else" | "then" | "do" | "and" | "or"
            ),
            _ => false,
        }
    }

    fn open(&mut self, definition: Option<Definition>) {
        let was_private = self.is_private;
        if definition.is_some() {
            self.is_private = false;
            self.definitions.push(self.blocks.len());
        }
        self.blocks.push(RubyBlock {
            definition,
            was_private,
        });
    }

    fn close(&mut self, end: ByteOffset) {
        let Some(block) = self.blocks.pop() else {
            return;
        };
        let Some(mut definition) = block.definition else {
            return;
        };
        self.definitions.pop();
        self.is_private = block.was_private;
        definition.span.end = end.max(definition.span.start);
        self.add(definition);
    }

    /// Returns the open definitions, from the innermost on. At most `ENDS` blocks are examined,
    /// because every method calls this.
    fn open_definitions(&self) -> impl Iterator<Item = &Definition> {
        let definitions = self.definitions.iter().rev().take(ENDS);
        definitions.filter_map(|index| self.blocks.get(*index)?.definition.as_ref())
    }

    /// Adds a finished definition to its parent. Nothing is shown within methods.
    fn add(&mut self, definition: Definition) {
        let symbol = self.code.symbol(definition);
        let outer = self
            .definitions
            .last()
            .and_then(|index| self.blocks.get_mut(*index)?.definition.as_mut());
        match outer {
            Some(outer) if is_container(outer) => outer.children.push(symbol),
            Some(_) => return,
            None => self.declarations.symbols.push(symbol),
        }
        self.symbol_count += 1;
    }

    /// Returns the last token on the line of `token`, before a semicolon: each statement of a line
    /// has its own.
    fn last_on_line(&self, token: TokenIndex) -> TokenIndex {
        let code = self.code;
        let line = code.line(token);
        let mut last = token;
        // A token after a multi-line string is not the first on its line.
        while code.continues_line(last + 1)
            && !code.is(last + 1, b';')
            && code.line(last + 1) == line
        {
            last += 1;
        }
        last
    }

    /// Returns a definition that is only a head, from `first` to `last`.
    fn definition(
        &self,
        kind: SymbolKind,
        name: String,
        first: TokenIndex,
        last: TokenIndex,
    ) -> Definition {
        let span = self.code.start(first)..self.code.end(last);
        Definition {
            kind,
            name,
            head: span.clone(),
            span,
            is_private: self.is_private,
            children: Vec::new(),
        }
    }

    /// Reads `class A::B < C`, `class << self`, `module A`.
    fn class(&mut self, keyword: TokenIndex) -> TokenIndex {
        let code = self.code;
        let kind = match code.word(keyword) {
            "class" => SymbolKind::Class,
            _ => SymbolKind::Module,
        };
        // Classes that are nested too deep have no symbol, but they still open a block:
        // otherwise their `end` would close the class around them.
        let is_nestable = self.definitions.len() < NESTED_SYMBOLS;
        // `class << self`
        let is_singleton = code.is(keyword + 1, b'<') && code.is(keyword + 2, b'<');
        if is_singleton && code.is_name(keyword + 3) && is_nestable {
            let last = keyword + 3;
            let name = code.word(last).to_owned();
            self.open(Some(self.definition(kind, name, keyword, last)));
            return last;
        }
        let name = keyword + 1;
        if !code.is_name(name) || !is_nestable {
            self.open(None);
            return keyword;
        }
        // `A::B`
        let mut last = name;
        while code.is(last + 1, b':') && code.is(last + 2, b':') && code.is_name(last + 3) {
            last += 3;
        }
        let name = code.slice(code.start(name)..code.end(last)).to_owned();
        let last = self.skip_superclass(last);
        let head_last = last.min(code.end_token() - 1);
        self.open(Some(self.definition(kind, name, keyword, head_last)));
        last
    }

    /// Returns the last token of `< Struct.new(:a)` after a name, or the name.
    fn skip_superclass(&self, name: TokenIndex) -> TokenIndex {
        let code = self.code;
        let mut last = name;
        if code.is(last + 1, b'<') {
            last += 2;
            while !code.is(last + 1, b';') && code.continues_line(last + 1) {
                last = code.after(last + 1) - 1;
            }
        }
        last
    }

    /// Reads `def a(b)`, `private def self.a`, `def a = 1`.
    fn method(&mut self, keyword: TokenIndex) -> TokenIndex {
        let code = self.code;
        let first = self.before_method(keyword);
        let name_last = self.last_of_method_name(keyword + 1);
        let name_end = code.end(name_last);
        let name = code.slice(code.start(keyword + 1).min(name_end)..name_end);
        let (head, is_endless) = self.method_head(name_last);
        let is_member = self.open_definitions().any(is_container);
        let kind = if is_member {
            SymbolKind::Method
        } else {
            SymbolKind::Function
        };
        let mut definition = self.definition(kind, name.to_owned(), first, head);
        // `private def a`, `private_class_method def self.a`
        definition.is_private |= first < keyword && code.word(first).starts_with("private");
        if is_endless {
            let last = self.last_on_line(head + 1);
            definition.span.end = code.end(last);
            self.add(definition);
            return last;
        }
        self.open(Some(definition));
        head
    }

    /// Returns the word before `def` on its line: `private def a`, `memoize def a`.
    fn before_method(&self, keyword: TokenIndex) -> TokenIndex {
        let code = self.code;
        let before = keyword.previous();
        before
            .filter(|before| !code.is_first_on_line(keyword) && code.is_name(*before))
            .unwrap_or(keyword)
    }

    /// Returns the last token of a method's name: `a`, `self.a`, `a=`, `<=>`.
    fn last_of_method_name(&self, first: TokenIndex) -> TokenIndex {
        let code = self.code;
        let mut last = first;
        // `def self.a`
        if code.is_name(last) && code.is(last + 1, b'.') {
            last += 2;
        }
        if code.is_name(last) {
            // `def a=(b)`, not `def a = b`.
            let is_setter = code.is(last + 1, b'=')
                && code.touches_next(last)
                && code.is(last + 2, b'(')
                && code.touches_next(last + 1);
            last += u32::from(is_setter);
        } else {
            // An operator: all adjacent tokens up to the parameters.
            while code.continues_line(last + 1)
                && code.touches_next(last)
                && !code.is(last + 1, b'(')
            {
                last += 1;
            }
        }
        last.min(code.end_token() - 1)
    }

    /// Returns the last token of a method's parameters, and true if its body is an expression
    /// without an `end`: `def a(b) = b + 1`.
    fn method_head(&self, name_last: TokenIndex) -> (TokenIndex, bool) {
        let code = self.code;
        let next = name_last + 1;
        if code.is(next, b'(') {
            let close = code.after(next) - 1;
            return (close, code.is(close + 1, b'='));
        }
        if code.is(next, b'=') && !code.is_first_on_line(next) {
            return (name_last, true);
        }
        // `def a b, c`
        let mut last = name_last;
        while code.continues_line(last + 1) && !code.is(last + 1, b';') {
            last += 1;
        }
        (last, false)
    }

    /// Reads `private`: alone on its line it applies to all later definitions, before a name only
    /// to that one.
    fn visibility(&mut self, word: TokenIndex) {
        if !self.code.continues_line(word + 1) {
            self.is_private = self.code.word(word) != "public";
        }
    }

    /// Reads `require 'a'`, `autoload :A, 'a'`.
    fn import(&mut self, keyword: TokenIndex) {
        let code = self.code;
        // The module is the first string, after a bracket or a name at most.
        let string = token_indices(keyword + 1..keyword + 5)
            .find(|token| code.kind(*token) == Some(TokenKind::Text));
        if let Some(string) = string {
            let module = code.word(string).trim_matches(['"', '\'']);
            let import = code.import(code.start(keyword)..code.end(string), module);
            self.declarations.imports.push(import);
        }
    }

    /// Adds an alias of a method: `alias b c`, `alias_method :b, :c`. `alias $a $b` is an alias of
    /// a variable.
    fn alias(&mut self, keyword: TokenIndex) {
        let code = self.code;
        let last = self.last_on_line(keyword);
        let name = token_indices(keyword + 1..last + 1).find(|token| code.is_name(*token));
        if let Some(name) = name.filter(|name| !code.word(*name).starts_with('$')) {
            let name = code.word(name).to_owned();
            let definition = self.definition(SymbolKind::Method, name, keyword, last);
            self.add(definition);
        }
    }

    /// Reads `attr_reader :a, :b`.
    fn attributes(&mut self, keyword: TokenIndex) {
        let last = self.last_on_line(keyword);
        let names: Vec<&str> = token_indices(keyword + 1..last + 1)
            .filter(|token| self.code.is_name(*token))
            .map(|token| self.code.word(token))
            .collect();
        let definition = self.definition(SymbolKind::Field, names.join(", "), keyword, last);
        self.add(definition);
    }

    /// Reads `A = 1`, not `A == 1` or `A => 1`.
    fn constant(&mut self, name: TokenIndex) {
        let code = self.code;
        let sign = name + 1;
        if !code.is(sign, b'=') || code.is(sign + 1, b'=') || code.is(sign + 1, b'>') {
            return;
        }
        // A value may end on a later line, with the partner of a bracket: `A = [⏎1⏎]`.
        let line = token_indices(name..self.last_on_line(name) + 1);
        let after = line.map(|token| code.after(token)).max();
        let last = after.unwrap_or(name + 1).min(code.end_token()) - 1;
        let text = code.word(name).to_owned();
        let mut definition = self.definition(SymbolKind::Constant, text, name, last);
        definition.head.end = code.end_with_value(code.start(sign), definition.span.end);
        self.add(definition);
    }
}

/// Returns true if definitions within this one are shown.
fn is_container(definition: &Definition) -> bool {
    matches!(definition.kind, SymbolKind::Class | SymbolKind::Module)
}
