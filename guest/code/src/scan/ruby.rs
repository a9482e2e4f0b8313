//! Ruby: what `end` ends.

use super::Found;
use crate::code::{Code, Definition};
use crate::lexer::Kind;
use crate::limits::{ENDS, NESTED_SYMBOLS, SYMBOLS};
use crate::{Symbol, SymbolKind};

/// Something that `end` ends.
#[derive(Debug)]
struct Frame {
    /// The first token of the definition; none for loops and the like.
    definition: Option<Definition>,
    /// Whether what follows in it is private.
    is_private: bool,
}

pub(super) fn scan(code: &Code<'_>) -> Found {
    let mut found = Found::default();
    let mut ruby = Ruby {
        code,
        frames: Vec::new(),
        symbols: Vec::new(),
        count: 0,
        is_private: false,
    };
    let mut loop_line = None;
    let mut at = 0;
    while at < code.tokens.len() && ruby.count < SYMBOLS {
        let token = code.tokens[at];
        if token.kind != Kind::Word || ruby.is_part_of_name(at) {
            at += 1;
            continue;
        }
        let begins = token.first || at == 0 || code.is(at - 1, b';');
        let line = code.index.line(token.start as usize);
        match code.word(at) {
            "class" | "module" => at = ruby.class(at),
            "def" => at = ruby.method(at),
            "begin" | "case" => ruby.open(None),
            "if" | "unless" | "while" | "until" | "for" if begins || ruby.is_value(at) => {
                if matches!(code.word(at), "while" | "until" | "for") {
                    loop_line = Some(line);
                }
                ruby.open(None);
            }
            "do" if loop_line.take() != Some(line) => ruby.open(None),
            "end" => ruby.close(code.end(at)),
            "private" | "protected" | "public" if begins => ruby.visibility(at),
            "require" | "require_relative" | "load" | "autoload" if begins => {
                let name = (at + 1..at + 5).find(|at| code.kind(*at) == Some(Kind::Text));
                if let Some(name) = name {
                    let module = code.word(name).trim_matches(['"', '\'']);
                    let import = code.import(code.start(at)..code.end(name), module);
                    found.imports.push(import);
                }
            }
            "attr_accessor" | "attr_reader" | "attr_writer" if begins => ruby.attributes(at),
            "alias" | "alias_method" if begins => ruby.alias(at),
            word if begins && word.starts_with(char::is_uppercase) => ruby.constant(at),
            _ => {}
        }
        at += 1;
    }
    while !ruby.frames.is_empty() {
        ruby.close(code.text.trim_end().len());
    }
    found.symbols = ruby.symbols;
    found
}

struct Ruby<'a> {
    code: &'a Code<'a>,
    frames: Vec<Frame>,
    symbols: Vec<Symbol>,
    count: usize,
    is_private: bool,
}

impl Ruby<'_> {
    /// Whether a word is a method that is called, a symbol or a key.
    fn is_part_of_name(&self, at: usize) -> bool {
        let code = self.code;
        let before = at.checked_sub(1);
        let is_called = before.is_some_and(|before| {
            code.is(before, b'.')
                || (code.is(before, b':')
                    && code.touches(before)
                    && !code.is(before.max(1) - 1, b':'))
        });
        let is_key = code.is(at + 1, b':') && code.touches(at) && !code.is(at + 2, b':');
        is_called || is_key
    }

    /// Whether a condition at `at` has a value, so that it is no modifier.
    fn is_value(&self, at: usize) -> bool {
        let code = self.code;
        match code.kind(at - 1) {
            Some(Kind::Punct) => true,
            Some(Kind::Open) => true,
            Some(Kind::Word) => matches!(code.word(at - 1), "else" | "then" | "do" | "and" | "or"),
            _ => false,
        }
    }

    fn open(&mut self, definition: Option<Definition>) {
        let is_private = self.is_private;
        if definition.is_some() {
            self.is_private = false;
        }
        self.frames.push(Frame {
            definition,
            is_private,
        });
    }

    fn close(&mut self, end: usize) {
        let Some(frame) = self.frames.pop() else {
            return;
        };
        let Some(mut definition) = frame.definition else {
            return;
        };
        self.is_private = frame.is_private;
        definition.span.end = end.max(definition.span.start);
        self.add(definition);
    }

    /// Adds a finished definition to the one that it stands in. Nothing is shown within methods.
    fn add(&mut self, definition: Definition) {
        let symbol = self.code.symbol(definition);
        let outer = self
            .frames
            .iter_mut()
            .rev()
            .take(ENDS)
            .find_map(|frame| frame.definition.as_mut());
        match outer {
            Some(outer) if matches!(outer.kind, SymbolKind::Class | SymbolKind::Module) => {
                outer.children.push(symbol);
            }
            Some(_) => return,
            None => self.symbols.push(symbol),
        }
        self.count += 1;
    }

    fn end_of_line(&self, at: usize) -> usize {
        let line = self.code.index.line(self.code.start(at));
        let mut last = at;
        while let Some(token) = self.code.tokens.get(last + 1) {
            if token.first || self.code.index.line(token.start as usize) != line {
                break;
            }
            last += 1;
        }
        last
    }

    fn definition(&self, kind: SymbolKind, name: String, start: usize, last: usize) -> Definition {
        let code = self.code;
        Definition {
            kind,
            name,
            head: code.start(start)..code.end(last),
            span: code.start(start)..code.end(last),
            is_private: self.is_private,
            children: Vec::new(),
        }
    }

    fn class(&mut self, at: usize) -> usize {
        let code = self.code;
        let kind = if code.word(at) == "class" {
            SymbolKind::Class
        } else {
            SymbolKind::Module
        };
        let definitions = self
            .frames
            .iter()
            .rev()
            .take(ENDS)
            .filter(|frame| frame.definition.is_some())
            .count();
        let is_singleton = code.is(at + 1, b'<') && code.is(at + 2, b'<');
        if is_singleton && code.is_name(at + 3) && definitions < NESTED_SYMBOLS {
            let name = code.word(at + 3).to_owned();
            let definition = self.definition(kind, name, at, at + 3);
            self.open(Some(definition));
            return at + 3;
        }
        if !code.is_name(at + 1) || definitions >= NESTED_SYMBOLS {
            self.open(None);
            return at;
        }
        let mut last = at + 1;
        while code.is(last + 1, b':') && code.is(last + 2, b':') && code.is_name(last + 3) {
            last += 3;
        }
        let name = code.text[code.start(at + 1)..code.end(last)].to_owned();
        let mut head = last;
        if code.is(head + 1, b'<') {
            head += 2;
            while !code.is(head + 1, b';')
                && code.tokens.get(head + 1).is_some_and(|token| !token.first)
            {
                head = code.next(head + 1) - 1;
            }
        }
        let definition = self.definition(kind, name, at, head.min(code.tokens.len() - 1));
        self.open(Some(definition));
        head
    }

    fn method(&mut self, at: usize) -> usize {
        let code = self.code;
        let start = if at > 0 && !code.tokens[at].first && code.is_name(at - 1) {
            at - 1
        } else {
            at
        };
        let mut last = at + 1;
        if code.is_name(last) && code.is(last + 1, b'.') {
            last += 2;
        }
        if code.is_name(last) {
            let is_setter = code.is(last + 1, b'=')
                && code.touches(last)
                && (code.is(last + 2, b'(') || code.is_name(last + 2))
                && (code.is(last + 2, b'(') && code.touches(last + 1));
            last += usize::from(is_setter);
        } else {
            // An operator: what touches up to the parameters.
            while code.tokens.get(last + 1).is_some_and(|token| !token.first)
                && code.touches(last)
                && !code.is(last + 1, b'(')
            {
                last += 1;
            }
        }
        let last = last.min(code.tokens.len() - 1);
        let name = code.text[code.start(at + 1).min(code.end(last))..code.end(last)].to_owned();
        let mut head = last;
        let mut is_endless = false;
        if code.is(last + 1, b'(') {
            head = code.next(last + 1) - 1;
            is_endless = code.is(head + 1, b'=');
        } else if code.is(last + 1, b'=') && !code.tokens[last + 1].first {
            is_endless = true;
        } else {
            while code.tokens.get(head + 1).is_some_and(|token| !token.first)
                && !code.is(head + 1, b';')
            {
                head += 1;
            }
        }
        let is_inner = self.frames.iter().rev().take(ENDS).any(|frame| {
            frame
                .definition
                .as_ref()
                .is_some_and(|outer| matches!(outer.kind, SymbolKind::Class | SymbolKind::Module))
        });
        let kind = if is_inner {
            SymbolKind::Method
        } else {
            SymbolKind::Function
        };
        let mut definition = self.definition(kind, name, start, head);
        definition.is_private |= start < at && code.word(start).starts_with("private");
        if is_endless {
            let end = self.end_of_line(head + 1);
            definition.span.end = code.end(end);
            self.add(definition);
            return end;
        }
        self.open(Some(definition));
        head
    }

    fn visibility(&mut self, at: usize) {
        let code = self.code;
        if code.tokens.get(at + 1).is_none_or(|token| token.first) {
            self.is_private = code.word(at) != "public";
        }
    }

    /// Adds another name of a method.
    fn alias(&mut self, at: usize) {
        let code = self.code;
        let last = self.end_of_line(at);
        let name = (at + 1..=last).find(|at| code.is_name(*at));
        if let Some(name) = name.filter(|name| !code.word(*name).starts_with('$')) {
            let name = code.word(name).to_owned();
            let definition = self.definition(SymbolKind::Method, name, at, last);
            self.add(definition);
        }
    }

    fn attributes(&mut self, at: usize) {
        let last = self.end_of_line(at);
        let names: Vec<&str> = (at + 1..=last)
            .filter(|at| self.code.is_name(*at))
            .map(|at| self.code.word(at))
            .collect();
        let definition = self.definition(SymbolKind::Field, names.join(", "), at, last);
        self.add(definition);
    }

    fn constant(&mut self, at: usize) {
        let code = self.code;
        if !code.is(at + 1, b'=') || code.is(at + 2, b'=') || code.is(at + 2, b'>') {
            return;
        }
        let line_end = self.end_of_line(at);
        let behind = (at..=line_end).map(|at| code.next(at)).max();
        let last = behind.unwrap_or(0).min(code.tokens.len()) - 1;
        let mut definition =
            self.definition(SymbolKind::Constant, code.word(at).to_owned(), at, last);
        let sign = code.start(at + 1);
        definition.head.end = code.end_with_value(sign, definition.span.end);
        self.add(definition);
    }
}
