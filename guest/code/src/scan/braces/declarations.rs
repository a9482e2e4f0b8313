//! Declarations that begin with a keyword.

use crate::language::Language;
use crate::limits::ACCESSOR_MODIFIERS;
use crate::position::{TokenIndex, token_indices};
use crate::scan::braces::dialect::is_c_or_cpp;
use crate::scan::braces::extent::DeclarationExtent;
use crate::scan::braces::keywords::Role;
use crate::scan::braces::modifiers::is_modifier;
use crate::scan::braces::prefix::{Mutability, Statement};
use crate::scan::braces::reader::{BraceReader, StatementScope};
use crate::symbol::{Symbol, SymbolKind};

impl BraceReader<'_> {
    /// Reads a declaration that begins with a keyword, adds its symbol and returns the token after
    /// it, or returns `None` if the keyword belongs to another declaration: `struct a b;`.
    pub(super) fn declaration(
        &mut self,
        role: Role,
        statement: &Statement,
        scope: &mut StatementScope,
        symbols: &mut Vec<Symbol>,
    ) -> Option<TokenIndex> {
        let code = self.code;
        let language = code.language;
        match role {
            Role::Type(kind) if is_c_or_cpp(language) => {
                return self.c_type(kind, statement, scope, symbols);
            }
            Role::Typedef => return Some(self.typedef(statement, scope, symbols)),
            Role::Case => return Some(self.cases(statement, symbols)),
            _ if self.is_go_group(role, statement) => {
                return Some(self.go_group(role, statement, symbols));
            }
            _ => {}
        }
        let keyword = statement.after_modifiers;
        // In Go the type precedes the body: `type A struct {`. The search for the extent begins
        // at the name, since in a group there is no keyword before it: `type (⏎A struct {`.
        let is_go_type = language == Language::Go && matches!(role, Role::Type(_));
        let mut extent = self.extent(keyword + u32::from(is_go_type), statement.block_end);
        let value_end = extent.end_offset;
        if language == Language::Kotlin && matches!(role, Role::Value(_)) {
            self.add_kotlin_accessors(&mut extent, statement.block_end);
        }
        let mut name = self.name(role, keyword, extent.next_token.min(statement.block_end));
        // `companion object {`: the keyword is the name.
        if name.is_empty() {
            name = code.word(keyword).to_owned();
        }
        let kind = self.declared_kind(role, statement, &extent, scope);
        let children = match (&extent.body, role) {
            // The rules of a macro are not members.
            (Some(body), Role::Type(_) | Role::Namespace) if kind != SymbolKind::Macro => {
                self.body(kind, &name, body.clone(), scope)
            }
            _ => Vec::new(),
        };
        let is_hidden_in_go = language == Language::Go && !is_go_exported(&name);
        // `fun f() = 1`: the value of a function is its body.
        let is_function = matches!(role, Role::Function | Role::Constructor);
        let head_end = match extent.value_sign {
            Some(sign) if !is_function => code.end_with_value(code.start(sign), value_end),
            _ => extent.head_end_offset,
        };
        let mut symbol = self.define(statement, kind, name, head_end, extent.end_offset, children);
        symbol.is_private |= is_hidden_in_go;
        symbols.push(symbol);
        Some(extent.next_token)
    }

    fn declared_kind(
        &self,
        role: Role,
        statement: &Statement,
        extent: &DeclarationExtent,
        scope: &StatementScope,
    ) -> SymbolKind {
        let kind = match role {
            Role::Function if scope.is_type() => SymbolKind::Method,
            Role::Function => SymbolKind::Function,
            Role::Constructor => SymbolKind::Constructor,
            Role::Type(kind) => kind,
            Role::Value(SymbolKind::Variable) if scope.is_type() => SymbolKind::Field,
            Role::Value(kind) => kind,
            Role::Alias => SymbolKind::Type,
            _ => SymbolKind::Module,
        };
        match self.code.language {
            Language::Go => self.go_kind(role, kind, statement, extent),
            Language::Kotlin => self.kotlin_kind(role, kind, statement),
            _ => kind,
        }
    }

    /// Returns the kind of a Go declaration by its further tokens: `func (r T) f()` is a method,
    /// `type A struct {` a struct.
    fn go_kind(
        &self,
        role: Role,
        kind: SymbolKind,
        statement: &Statement,
        extent: &DeclarationExtent,
    ) -> SymbolKind {
        let code = self.code;
        match role {
            Role::Function if code.is(statement.after_modifiers + 1, b'(') => SymbolKind::Method,
            Role::Type(_) => {
                let before_brace = extent.body.as_ref().map(|body| body.start - 2);
                match before_brace.map_or("", |before| code.word(before)) {
                    "struct" => SymbolKind::Struct,
                    "interface" => SymbolKind::Interface,
                    _ => SymbolKind::Type,
                }
            }
            _ => kind,
        }
    }

    /// Returns the kind of a Kotlin declaration by its modifiers: `enum class A`, `const val B =
    /// 1`.
    fn kotlin_kind(&self, role: Role, kind: SymbolKind, statement: &Statement) -> SymbolKind {
        let has_modifier = |word: &str| {
            token_indices(statement.after_attributes..statement.after_modifiers)
                .any(|token| self.code.word(token) == word)
        };
        if kind == SymbolKind::Class && has_modifier("enum") {
            return SymbolKind::Enum;
        }
        let is_constant = statement.mutability == Mutability::Constant
            && role == Role::Value(SymbolKind::Variable)
            && has_modifier("const");
        if is_constant {
            SymbolKind::Constant
        } else {
            kind
        }
    }

    /// Adds the accessors of a Kotlin property, on the lines below it: `var a: Int = 1⏎private
    /// set`.
    fn add_kotlin_accessors(&self, extent: &mut DeclarationExtent, block_end: TokenIndex) {
        let code = self.code;
        // At most two, `get` and `set`.
        for _ in 0..2 {
            let accessor = self.skip_accessor_modifiers(extent.next_token);
            if accessor >= block_end || !matches!(code.word(accessor), "get" | "set") {
                return;
            }
            let next = accessor + 1;
            let is_alone = next >= block_end || code.is_first_on_line(next);
            if code.is(next, b'(') {
                let body = self.extent(accessor, block_end);
                (extent.next_token, extent.end_offset) = (body.next_token, body.end_offset);
            } else if is_alone {
                (extent.next_token, extent.end_offset) = (next, code.end(accessor));
            } else {
                return;
            }
        }
    }

    /// Skips the modifiers of an accessor: `@Inject internal set`.
    fn skip_accessor_modifiers(&self, first: TokenIndex) -> TokenIndex {
        let code = self.code;
        let mut here = first;
        for _ in 0..ACCESSOR_MODIFIERS {
            if code.is(here, b'@') {
                here += 2;
            } else if is_modifier(code.language, code.word(here)) {
                here += 1;
            }
        }
        here
    }

    /// Returns true if a declaration is a group in brackets: `const (...)`, `type (...)`, `var
    /// (...)`. After `func` there is a receiver.
    fn is_go_group(&self, role: Role, statement: &Statement) -> bool {
        self.code.language == Language::Go
            && role != Role::Function
            && self.code.is(statement.after_modifiers + 1, b'(')
    }

    /// Reads `const (...)`, `type (...)` and `var (...)`.
    fn go_group(
        &mut self,
        role: Role,
        statement: &Statement,
        symbols: &mut Vec<Symbol>,
    ) -> TokenIndex {
        let code = self.code;
        let open = statement.after_modifiers + 1;
        let group_end = code.after(open) - 1;
        let mut here = open + 1;
        let mut scope = StatementScope {
            owner: None,
            is_private: false,
            depth: 1,
        };
        while here < group_end {
            if !code.is_name(here) {
                here = code.after(here);
                continue;
            }
            let next = match role {
                Role::Value(kind) => self.go_value(kind, here, group_end, symbols),
                _ => {
                    // `declaration` expects the name after the keyword at `after_modifiers`. In
                    // a group each line begins with the name, so the token before it takes the
                    // place of the keyword.
                    let member = Statement {
                        first: here,
                        after_attributes: here,
                        after_modifiers: here - 1,
                        block_end: group_end,
                        is_private: false,
                        mutability: Mutability::Variable,
                    };
                    let next = self.declaration(role, &member, &mut scope, symbols);
                    next.unwrap_or(here)
                }
            };
            here = next.max(here + 1);
        }
        group_end + 1
    }

    /// Reads a line of `const (...)` or `var (...)`.
    fn go_value(
        &self,
        kind: SymbolKind,
        name: TokenIndex,
        group_end: TokenIndex,
        symbols: &mut Vec<Symbol>,
    ) -> TokenIndex {
        let extent = self.extent(name, group_end);
        let is_private = !is_go_exported(self.code.word(name));
        symbols.push(self.value(kind, name, name, &extent, is_private));
        extent.next_token
    }
}

/// Returns true if a Go name, optionally with its receiver (`T.f`), is exported.
fn is_go_exported(name: &str) -> bool {
    let last_part = name.rsplit('.').next();
    last_part.is_some_and(|name| name.starts_with(char::is_uppercase))
}
