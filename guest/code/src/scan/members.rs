//! Languages in which braces hold bodies: what a statement declares.

use std::ops::Range;

use super::braces::{Braces, Extent, Lead, Scope};
use super::dialect::{Role, is_modifier};
use crate::code::Definition;
use crate::language::Language;
use crate::lexer::Kind;
use crate::limits::NESTED_SYMBOLS;
use crate::{Symbol, SymbolKind};

impl Braces<'_> {
    /// Reads a declaration that begins with a keyword; none where it is another one.
    pub(super) fn declaration(
        &mut self,
        role: Role,
        at: usize,
        lead: &Lead,
        end: usize,
        scope: &mut Scope,
        symbols: &mut Vec<Symbol>,
    ) -> Option<usize> {
        let code = self.code;
        let language = code.language;
        let keyword = lead.at;
        let is_go = language == Language::Go;
        if is_go && code.is(keyword + 1, b'(') && role != Role::Function {
            let close = code.next(keyword + 1) - 1;
            self.go_group(role, keyword + 2..close, symbols);
            return Some(close + 1);
        }
        let is_type = matches!(role, Role::Type(_));
        if is_type && matches!(language, Language::C | Language::Cpp) {
            return self.c_type(role, at, lead, end, scope, symbols);
        }
        if role == Role::Typedef {
            return Some(self.typedef(at, lead, end, scope, symbols));
        }
        if role == Role::Case {
            return Some(self.cases(at, lead, end, symbols));
        }
        let from = if is_go && is_type {
            keyword + 1
        } else {
            keyword
        };
        let mut extent = self.extent(from, end);
        let value_end = extent.end;
        if language == Language::Kotlin && matches!(role, Role::Value(_)) {
            self.add_accessors(&mut extent, end);
        }
        let mut name = self.name(role, keyword, extent.next.min(end));
        let mut kind = match role {
            Role::Function if scope.is_type() => SymbolKind::Method,
            Role::Function => SymbolKind::Function,
            Role::Constructor => SymbolKind::Constructor,
            Role::Type(kind) => kind,
            Role::Value(SymbolKind::Variable) if scope.is_type() => SymbolKind::Field,
            Role::Value(kind) => kind,
            Role::Alias => SymbolKind::Type,
            _ => SymbolKind::Module,
        };
        if is_go && role == Role::Function && code.is(keyword + 1, b'(') {
            kind = SymbolKind::Method;
        }
        if is_go && is_type {
            kind = match code.word(extent.body.as_ref().map_or(0, |body| body.start - 2)) {
                "struct" => SymbolKind::Struct,
                "interface" => SymbolKind::Interface,
                _ => SymbolKind::Type,
            };
        }
        if language == Language::Kotlin && kind == SymbolKind::Class {
            let modifiers = lead.head..keyword;
            if modifiers.clone().any(|at| code.word(at) == "enum") {
                kind = SymbolKind::Enum;
            }
        }
        if language == Language::Kotlin
            && lead.is_constant
            && role == Role::Value(SymbolKind::Variable)
        {
            let is_const = (lead.head..keyword).any(|at| code.word(at) == "const");
            if is_const {
                kind = SymbolKind::Constant;
            }
        }
        if name.is_empty() {
            name = code.word(keyword).to_owned();
        }
        let is_function = matches!(role, Role::Function | Role::Constructor);
        let head_end = match extent.sign {
            Some(sign) if !is_function => code.end_with_value(code.start(sign), value_end),
            _ => extent.head_end,
        };
        let go_private = is_go
            && !name
                .rsplit('.')
                .next()
                .is_some_and(|name| name.starts_with(char::is_uppercase));
        let children = match (&extent.body, role) {
            (Some(body), Role::Type(_) | Role::Namespace) if kind != SymbolKind::Macro => {
                self.body(kind, &name, body.clone(), scope, role == Role::Namespace)
            }
            _ => Vec::new(),
        };
        symbols.push(code.symbol(Definition {
            kind,
            name,
            head: code.start(lead.head)..head_end,
            span: code.start(at)..extent.end,
            is_private: lead.is_private || go_private,
            children,
        }));
        Some(extent.next)
    }

    /// Adds the accessors of a property of Kotlin, which stand on the lines below it.
    fn add_accessors(&self, extent: &mut Extent, end: usize) {
        let code = self.code;
        for _ in 0..2 {
            let mut at = extent.next;
            for _ in 0..4 {
                if code.is(at, b'@') {
                    at += 2;
                } else if is_modifier(code.language, code.word(at)) {
                    at += 1;
                }
            }
            let is_alone = at + 1 >= end || code.tokens[at + 1].first;
            if at >= end || !matches!(code.word(at), "get" | "set") {
                return;
            }
            if code.is(at + 1, b'(') {
                let accessor = self.extent(at, end);
                (extent.next, extent.end) = (accessor.next, accessor.end);
            } else if is_alone {
                (extent.next, extent.end) = (at + 1, code.end(at));
            } else {
                return;
            }
        }
    }

    /// Reads the members of a body.
    pub(super) fn body(
        &mut self,
        kind: SymbolKind,
        name: &str,
        body: Range<usize>,
        scope: &Scope,
        is_namespace: bool,
    ) -> Vec<Symbol> {
        if scope.depth >= NESTED_SYMBOLS {
            return Vec::new();
        }
        let code = self.code;
        let is_private = match code.language {
            Language::Cpp => kind == SymbolKind::Class,
            Language::CSharp => {
                !is_namespace && !matches!(kind, SymbolKind::Interface | SymbolKind::Enum)
            }
            _ => false,
        };
        let mut inner = Scope {
            owner: (!is_namespace).then(|| (kind, name.to_owned())),
            is_private,
            depth: scope.depth + 1,
        };
        let by_commas =
            kind == SymbolKind::Enum && !matches!(code.language, Language::Swift | Language::Php);
        let mut start = body.start;
        let mut symbols = Vec::new();
        if by_commas {
            let stop = (code.language == Language::Java || code.language == Language::Kotlin)
                .then(|| self.end_of_variants(body.clone()));
            let stop = stop.unwrap_or(body.end);
            self.variants(start..stop, &mut symbols);
            start = stop;
        }
        symbols.extend(self.statements(start..body.end, &mut inner));
        symbols
    }

    fn end_of_variants(&self, body: Range<usize>) -> usize {
        let mut at = body.start;
        while at < body.end && !self.code.is(at, b';') {
            at = self.code.next(at);
        }
        at.min(body.end)
    }

    /// Reads variants between commas.
    fn variants(&mut self, range: Range<usize>, symbols: &mut Vec<Symbol>) {
        let code = self.code;
        let mut at = range.start;
        while at < range.end {
            let start = at;
            let mut name = None;
            let mut head_end = 0;
            let mut sign = None;
            while at < range.end && !code.is(at, b',') {
                if code.is(at, b'@') && code.is_name(at + 1) {
                    at += 2;
                    continue;
                }
                if name.is_none() && code.is_name(at) {
                    name = Some(at);
                }
                if name.is_some() && sign.is_none() {
                    if code.is(at, b'=') {
                        sign = Some(at);
                    } else if !code.is(at, b'{') && code.kind(at) != Some(Kind::Directive) {
                        head_end = code.end(code.next(at) - 1);
                    }
                }
                at = code.next(at);
            }
            if let Some(name) = name {
                let end = code.end(at.min(range.end).saturating_sub(1));
                let head_end =
                    sign.map_or(head_end, |sign| code.end_with_value(code.start(sign), end));
                let start = (start..=name)
                    .find(|at| code.kind(*at) != Some(Kind::Directive))
                    .unwrap_or(name);
                symbols.push(code.symbol(Definition {
                    kind: SymbolKind::Variant,
                    name: code.word(name).to_owned(),
                    head: code.start(name)..head_end,
                    span: code.start(start)..end,
                    is_private: false,
                    children: Vec::new(),
                }));
            }
            at += 1;
        }
    }

    /// Reads `case a, b(Int)` of an enumeration.
    fn cases(&mut self, at: usize, lead: &Lead, end: usize, symbols: &mut Vec<Symbol>) -> usize {
        let code = self.code;
        let extent = self.extent(lead.at, end);
        let before = symbols.len();
        self.variants(lead.at + 1..extent.next.min(end), symbols);
        if let Some(first) = symbols.get_mut(before) {
            let (start, doc) = code.doc_before(code.start(at));
            first.lines.first = code.index.line(start);
            first.doc = doc;
        }
        for symbol in &mut symbols[before..] {
            symbol.signature = symbol.signature.trim_end_matches(';').to_owned();
            symbol.lines.last = symbol.lines.last.max(symbol.lines.first);
        }
        extent.next
    }

    fn name(&self, role: Role, keyword: usize, end: usize) -> String {
        let code = self.code;
        let language = code.language;
        let mut at = keyword + 1;
        match role {
            Role::Function => {
                let mut receiver = "";
                if language == Language::Go && code.is(at, b'(') {
                    let close = code.next(at) - 1;
                    receiver = (at + 1..close)
                        .rev()
                        .find(|here| code.is_name(*here) && !code.is(here + 1, b']'))
                        .map_or("", |here| code.word(here));
                    at = close + 1;
                }
                if language == Language::Kotlin && code.is(at, b'<') {
                    at = self.behind_angles(at, end);
                }
                let first = at;
                let mut name = at;
                while at < end && !code.is(at, b'(') && !code.is(at, b'{') {
                    if code.is_name(at) {
                        name = at;
                    }
                    if code.is(at, b'<') && code.is_name(at.max(1) - 1) {
                        at = self.behind_angles(at, end);
                    } else {
                        at = code.next(at);
                    }
                }
                let is_operator = !code.is_name(first) && !code.is(first, b'&');
                let name = if is_operator && language == Language::Swift {
                    code.text[code.start(first)..code.start(at)].trim()
                } else {
                    code.word(name)
                };
                if receiver.is_empty() {
                    name.trim_matches('`').to_owned()
                } else {
                    format!("{receiver}.{name}")
                }
            }
            Role::Constructor => code.word(keyword).to_owned(),
            Role::Type(SymbolKind::Impl) => {
                let mut name = String::new();
                if language == Language::Rust && code.is(at, b'<') {
                    at = self.behind_angles(at, end);
                }
                if let Some(behind) = (at..end).take(64).find(|here| code.word(*here) == "for") {
                    at = behind + 1;
                }
                while at < end && (code.is_name(at) || code.is(at, b'.') || code.is(at, b':')) {
                    if language == Language::Swift && code.is(at, b':') || code.word(at) == "where"
                    {
                        break;
                    }
                    name.push_str(code.word(at));
                    at += 1;
                }
                name
            }
            Role::Namespace => {
                let start = at;
                while at < end && !code.is(at, b'{') && !code.is(at, b';') {
                    at += 1;
                }
                let stop = if at > start {
                    code.end(at - 1)
                } else {
                    code.start(start)
                };
                code.text[code.start(start).min(stop)..stop]
                    .trim()
                    .to_owned()
            }
            _ => {
                while at < end && !code.is_name(at) && !code.is(at, b'{') {
                    at = if code.is(at, b'<') {
                        self.behind_angles(at, end)
                    } else {
                        at + 1
                    };
                }
                // `val List<T>.name`, `record struct Name`, `enum class Name`.
                while matches!(code.word(at), "struct" | "class" | "mut" | "object")
                    && code.is_name(at + 1)
                {
                    at += 1;
                }
                if language == Language::Kotlin && matches!(role, Role::Value(_)) {
                    let mut name = at;
                    while at < end && !code.is(at, b':') && !code.is(at, b'=') {
                        if code.is_name(at) && matches!(code.word(at), "by" | "get") {
                            break;
                        }
                        if at > name && code.tokens[at].first {
                            break;
                        }
                        if code.is_name(at) {
                            name = at;
                        }
                        at = if code.is(at, b'<') {
                            self.behind_angles(at, end)
                        } else {
                            code.next(at)
                        };
                    }
                    return code.word(name).to_owned();
                }
                if code.is_name(at) {
                    code.word(at).trim_matches('`').to_owned()
                } else {
                    String::new()
                }
            }
        }
    }

    /// Reads `const (...)`, `type (...)` and `var (...)`.
    fn go_group(&mut self, role: Role, range: Range<usize>, symbols: &mut Vec<Symbol>) {
        let code = self.code;
        let mut at = range.start;
        let mut scope = Scope {
            owner: None,
            is_private: false,
            depth: 1,
        };
        while at < range.end {
            if !code.is_name(at) {
                at = code.next(at);
                continue;
            }
            let lead = Lead {
                head: at,
                at: at - 1,
                is_private: false,
                is_constant: false,
            };
            let extent = self.extent(at, range.end);
            let kind = match role {
                Role::Value(kind) => kind,
                _ => SymbolKind::Type,
            };
            if kind == SymbolKind::Type {
                // The name stands where the keyword would stand before it.
                let next = self.declaration(role, at, &lead, range.end, &mut scope, symbols);
                at = next.unwrap_or(at).max(at + 1);
                continue;
            }
            symbols.push(self.value(
                kind,
                at,
                at,
                &extent,
                !code.word(at).starts_with(char::is_uppercase),
            ));
            at = extent.next.max(at + 1);
        }
    }

    fn value(
        &self,
        kind: SymbolKind,
        at: usize,
        name: usize,
        extent: &Extent,
        is_private: bool,
    ) -> Symbol {
        let code = self.code;
        // A body here is that of a type: `cache map[string]struct{}`.
        let known = if extent.body.is_some() {
            extent.end
        } else {
            extent.head_end
        };
        let head_end = extent.sign.map_or(known, |sign| {
            code.end_with_value(code.start(sign), extent.end)
        });
        code.symbol(Definition {
            kind,
            name: code.word(name).to_owned(),
            head: code.start(at)..head_end,
            span: code.start(at)..extent.end,
            is_private,
            children: Vec::new(),
        })
    }

    pub(super) fn go_member(
        &mut self,
        at: usize,
        end: usize,
        scope: &Scope,
        symbols: &mut Vec<Symbol>,
    ) -> usize {
        let code = self.code;
        let extent = self.extent(at, end);
        let is_interface = scope
            .owner
            .as_ref()
            .is_some_and(|(kind, _)| *kind == SymbolKind::Interface);
        let is_method = is_interface && code.is(at + 1, b'(');
        let kind = if is_method {
            SymbolKind::Method
        } else {
            SymbolKind::Field
        };
        // The tag of a field is for machines.
        let last = extent.next.saturating_sub(1).max(at);
        let head_end = if code.kind(last) == Some(Kind::Text) {
            code.start(last)
        } else if extent.body.is_some() {
            extent.end
        } else {
            extent.head_end
        };
        let mut name = at + usize::from(code.is(at, b'*'));
        // A type of another package that is embedded.
        if code.is(name + 1, b'.') && code.is_name(name + 2) {
            name += 2;
        }
        let is_private = !code.word(name).starts_with(char::is_uppercase);
        if code.is_name(name) {
            symbols.push(code.symbol(Definition {
                kind,
                name: code.word(name).to_owned(),
                head: code.start(at)..head_end,
                span: code.start(at)..extent.end,
                is_private,
                children: Vec::new(),
            }));
        }
        extent.next
    }

    pub(super) fn rust_field(
        &mut self,
        lead: &Lead,
        end: usize,
        symbols: &mut Vec<Symbol>,
    ) -> usize {
        let code = self.code;
        let mut at = lead.at;
        let mut angles = 0i32;
        while at < end && !(code.is(at, b',') && angles <= 0) && !code.is(at, b';') {
            angles += i32::from(code.is(at, b'<'))
                - i32::from(code.is(at, b'>') && !code.is(at - 1, b'-'));
            at = code.next(at);
        }
        if code.is_name(lead.at) && code.is(lead.at + 1, b':') {
            let stop = code.end(at.min(end).saturating_sub(1).max(lead.at));
            symbols.push(code.symbol(Definition {
                kind: SymbolKind::Field,
                name: code.word(lead.at).to_owned(),
                head: code.start(lead.head)..stop,
                span: code.start(lead.head)..stop,
                is_private: lead.head == lead.at,
                children: Vec::new(),
            }));
        }
        at + 1
    }

    pub(super) fn php_field(
        &mut self,
        at: usize,
        lead: &Lead,
        end: usize,
        symbols: &mut Vec<Symbol>,
    ) -> usize {
        let code = self.code;
        let mut extent = self.extent(lead.at, end);
        let mut hooks = extent.sign.unwrap_or(end);
        while hooks < extent.next && !code.is(hooks, b'{') {
            hooks = code.next(hooks);
        }
        if hooks < extent.next {
            // Hooks end what has a value as well.
            extent.next = code.next(hooks);
            extent.end = code.end(extent.next - 1);
        }
        extent.body = None;
        let stop = extent.sign.unwrap_or(extent.next.min(end));
        let name = (lead.at..stop).find(|at| code.word(*at).starts_with('$'));
        if let Some(name) = name {
            let mut symbol =
                self.value(SymbolKind::Field, lead.head, name, &extent, lead.is_private);
            let (start, doc) = code.doc_before(code.start(at));
            symbol.lines.first = code.index.line(start);
            symbol.doc = doc;
            symbols.push(symbol);
        }
        extent.next
    }
}
