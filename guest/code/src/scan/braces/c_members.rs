//! Functions, fields and properties that begin with their type, as in C and its kin, or with their
//! name, as in a class of JavaScript.

use super::c_names::{Declarator, FunctionName};
use super::dialect::{is_c_or_cpp, is_ecmascript};
use super::extent::Extent;
use super::lead::{Mutability, Statement};
use super::{BraceReader, Scope};
use crate::language::Language;
use crate::limits::NESTED_SYMBOLS;
use crate::position::{ByteOffset, TokenIndex, token_indices};
use crate::{Symbol, SymbolKind};

impl BraceReader<'_> {
    /// Reads a function, field or property without a keyword, and returns what is behind it.
    ///
    /// Most statements of a body in C are no declarations, so all that looks like a call, a macro
    /// or an expression is passed: `f(a);`, `Q_OBJECT`, `a.b = c;`.
    pub(super) fn member(
        &mut self,
        statement: &Statement,
        scope: &mut Scope,
        symbols: &mut Vec<Symbol>,
    ) -> TokenIndex {
        let first = statement.behind_modifiers;
        if self.opens_linkage_block(statement) {
            return self.linkage_block(first, scope, symbols);
        }
        if self.is_lone_macro(statement) {
            return first + 1;
        }
        if let Some(behind) = self.behind_macro_call(statement) {
            return behind;
        }
        let mut extent = self.extent(first, statement.block_end);
        // Names in a value are none of what is declared.
        let stop = extent.value_sign.unwrap_or(extent.next_token);
        let stop = stop.min(statement.block_end);
        let Some(declarator) = self.declarator(first, stop, &extent) else {
            return extent.next_token;
        };
        let Some(open) = declarator.parameters else {
            return self.field(statement, &declarator, &extent, scope, symbols);
        };
        if let Some(body) = self.old_style_body(open, statement.block_end) {
            extent = self.old_style_extent(open, body);
        }
        symbols.extend(self.function(statement, &declarator, open, &extent, scope));
        extent.next_token
    }

    /// `extern "C" {`
    fn opens_linkage_block(&self, statement: &Statement) -> bool {
        let code = self.code;
        let open = statement.behind_modifiers;
        is_c_or_cpp(code.language)
            && open < statement.block_end
            && code.is(open, b'{')
            && !statement.is_bare()
    }

    /// Reads what stands in `extern "C" { ... }` as if it stood outside.
    fn linkage_block(
        &mut self,
        open: TokenIndex,
        scope: &mut Scope,
        symbols: &mut Vec<Symbol>,
    ) -> TokenIndex {
        let behind = self.code.behind(open);
        // They nest like types, and the stack with them.
        if scope.depth < NESTED_SYMBOLS {
            scope.depth += 1;
            let within = self.statements(self.inside(open), scope);
            scope.depth -= 1;
            symbols.extend(within);
        }
        behind
    }

    /// Returns the function whose parameters open at `open`; none where it is but called.
    fn function(
        &self,
        statement: &Statement,
        declarator: &Declarator,
        open: TokenIndex,
        extent: &Extent,
        scope: &Scope,
    ) -> Option<Symbol> {
        let code = self.code;
        let first = statement.behind_modifiers;
        let name = self.function_name_before(first, open, declarator.last_word)?;
        let is_constructor = is_constructor(&name, scope);
        if !self.is_declared(statement, declarator, open, extent, scope, &name) {
            return None;
        }
        let (kind, name) = match name {
            FunctionName::Pointer(name) if scope.is_type() => (SymbolKind::Field, name),
            FunctionName::Pointer(name) => (SymbolKind::Variable, name),
            FunctionName::Plain(name) if is_constructor => (SymbolKind::Constructor, name),
            FunctionName::Plain(name) if scope.is_type() || name.contains("::") => {
                (SymbolKind::Method, name)
            }
            FunctionName::Plain(name) => (SymbolKind::Function, name),
        };
        let head_end = if code.language == Language::Cpp {
            self.before_initialisers(code.behind(open), extent)
        } else {
            extent.head_end_offset
        };
        Some(self.define(
            statement,
            kind,
            name,
            head_end,
            extent.end_offset,
            Vec::new(),
        ))
    }

    /// Whether name and parameters belong to a declaration, and not to a call.
    fn is_declared(
        &self,
        statement: &Statement,
        declarator: &Declarator,
        open: TokenIndex,
        extent: &Extent,
        scope: &Scope,
        name: &FunctionName,
    ) -> bool {
        let is_constructor = is_constructor(name, scope);
        let is_pointer = matches!(name, FunctionName::Pointer(_));
        let has_value = extent.value_sign.is_some();
        let has_body = extent.body.is_some() || has_value;
        let has_type =
            declarator.word_count > 1 || open > statement.behind_modifiers + 1 || is_constructor;
        // `f(a);` without anything before or behind.
        if !has_body && !has_type {
            return false;
        }
        // `(*f)(a) = b;` outside of a type is an assignment.
        if has_value && is_pointer && !scope.is_type() && declarator.word_count == 0 {
            return false;
        }
        // `A::f(a);` has something before its brackets, but no type. In a type all is declared.
        has_body
            || scope.is_type()
            || declarator.word_count >= 2
            || is_constructor
            || self.has_return_type(statement.behind_attributes, open)
    }

    /// Returns where a head ends: before the members that a constructor sets, which are of its
    /// body: `A(int x) : x(x) {`.
    fn before_initialisers(&self, behind_parameters: TokenIndex, extent: &Extent) -> ByteOffset {
        let code = self.code;
        token_indices(behind_parameters..extent.next_token)
            .take_while(|token| code.start(*token) < extent.head_end_offset)
            .find(|token| code.is_single_colon(*token))
            .map_or(extent.head_end_offset, |colon| code.start(colon))
    }

    /// Reads a field, property or variable: `int a = 1;`, `public int A { get; }`.
    fn field(
        &self,
        statement: &Statement,
        declarator: &Declarator,
        extent: &Extent,
        scope: &Scope,
        symbols: &mut Vec<Symbol>,
    ) -> TokenIndex {
        let code = self.code;
        let Some(name) = declarator.last_word else {
            return extent.next_token;
        };
        if self.is_compact_constructor(name, declarator, extent, scope) {
            symbols.push(self.define(
                statement,
                SymbolKind::Constructor,
                code.word(name).to_owned(),
                extent.head_end_offset,
                extent.end_offset,
                Vec::new(),
            ));
            return extent.next_token;
        }
        let Some((next, end)) = self.field_end(name, declarator, extent) else {
            return extent.next_token;
        };
        // `a;` and `a = b;` declare nothing, but in a class of JavaScript.
        if declarator.word_count < 2 && !is_ecmascript(code.language) && statement.is_bare() {
            return next;
        }
        let kind = self.field_kind(statement, scope);
        let value = extent.value_sign;
        let comma = value.and_then(|sign| self.comma_before_further(sign, next));
        let own_end = comma.map_or(end, |comma| code.start(comma));
        let head_end = match value {
            Some(sign) if kind == SymbolKind::Constant => {
                code.end_with_value(code.start(sign), own_end)
            }
            Some(sign) => code.start(sign),
            None => extent.head_end_offset,
        };
        let text = code.word(name).to_owned();
        symbols.push(self.define(statement, kind, text, head_end, own_end, Vec::new()));
        if let Some(comma) = comma {
            self.further_fields(statement, kind, name, comma, (next, end), symbols);
        }
        next
    }

    /// Whether this is the constructor of a record of Java, which may do without the parameters,
    /// since they are known: `public Circle { check(r); }`.
    fn is_compact_constructor(
        &self,
        name: TokenIndex,
        declarator: &Declarator,
        extent: &Extent,
        scope: &Scope,
    ) -> bool {
        let code = self.code;
        code.language == Language::Java
            && declarator.word_count == 1
            && extent.body.is_some()
            && scope.owner.as_ref().is_some_and(|owner| {
                owner.kind == SymbolKind::Struct && owner.name == code.word(name)
            })
    }

    /// Returns what is behind a field and where it ends; none where its braces are those of no
    /// field.
    fn field_end(
        &self,
        name: TokenIndex,
        declarator: &Declarator,
        extent: &Extent,
    ) -> Option<(TokenIndex, ByteOffset)> {
        let code = self.code;
        let next = extent.next_token;
        let has_body = extent.body.is_some();
        let is_property =
            code.language == Language::CSharp && (has_body || code.word(name) == "this");
        let is_initialized =
            code.language == Language::Cpp && has_body && declarator.word_count >= 2;
        if is_property && code.is(next, b'=') {
            // `int A { get; } = 1;`
            let value = self.extent(next, code.end_token());
            return Some((value.next_token, value.end_offset));
        }
        if is_initialized && code.is(next, b';') {
            // `int x{1};`
            return Some((next + 1, extent.end_offset));
        }
        if has_body && !is_property && !is_initialized {
            return None;
        }
        Some((next, extent.end_offset))
    }

    fn field_kind(&self, statement: &Statement, scope: &Scope) -> SymbolKind {
        let code = self.code;
        let is_static = token_indices(statement.behind_attributes..statement.behind_modifiers)
            .any(|token| code.word(token) == "static");
        // `final` alone makes no constant in Java: each object has its own.
        let is_constant = statement.mutability == Mutability::Constant
            && (is_static || code.language != Language::Java);
        if is_constant {
            SymbolKind::Constant
        } else if scope.is_type() {
            SymbolKind::Field
        } else {
            SymbolKind::Variable
        }
    }
}

/// Whether a function makes values of the type round it or before its name: `A()` in `A`,
/// `A::~A()`, `constructor()`.
fn is_constructor(name: &FunctionName, scope: &Scope) -> bool {
    let (FunctionName::Plain(name) | FunctionName::Pointer(name)) = name;
    let mut parts = name.rsplit("::");
    let last_part = parts.next().unwrap_or(name).trim_start_matches('~');
    let owner = scope.owner.as_ref();
    owner.is_some_and(|owner| owner.name == last_part)
        || name == "constructor"
        || parts.next() == Some(last_part)
}
