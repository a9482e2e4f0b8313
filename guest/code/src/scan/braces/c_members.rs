//! Functions, fields and properties that begin with their type, as in C and related languages, or
//! with their name, as in a JavaScript class.

use crate::language::Language;
use crate::limits::NESTED_SYMBOLS;
use crate::position::{ByteOffset, TokenIndex, token_indices};
use crate::scan::braces::c_names::{Declarator, FunctionName};
use crate::scan::braces::declarators::FurtherDeclarators;
use crate::scan::braces::dialect::{is_c_or_cpp, is_ecmascript};
use crate::scan::braces::extent::DeclarationExtent;
use crate::scan::braces::prefix::{Mutability, Statement};
use crate::scan::braces::reader::{BraceReader, StatementScope};
use crate::symbol::{Symbol, SymbolKind};

impl BraceReader<'_> {
    /// Reads a function, field or property without a keyword, and returns the token after it.
    ///
    /// Most statements of a C body are not declarations, so anything that looks like a call, a
    /// macro or an expression is skipped: `f(a);`, `Q_OBJECT`, `a.b = c;`.
    pub(super) fn member(
        &mut self,
        statement: &Statement,
        scope: &mut StatementScope,
        symbols: &mut Vec<Symbol>,
    ) -> TokenIndex {
        let first = statement.after_modifiers;
        if self.opens_linkage_block(statement) {
            return self.linkage_block(first, scope, symbols);
        }
        if self.is_lone_macro(statement) {
            return first + 1;
        }
        if let Some(after) = self.skip_macro_call(statement) {
            return after;
        }
        let mut extent = self.extent(first, statement.block_end);
        // Names and brackets in a value do not belong to the declaration. In `int a = b(c);` the
        // brackets would otherwise be parameters, and the statement would declare a function
        // `b`.
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

    /// Returns true if the statement begins with `extern "C" {`.
    fn opens_linkage_block(&self, statement: &Statement) -> bool {
        let code = self.code;
        let open = statement.after_modifiers;
        is_c_or_cpp(code.language)
            && open < statement.block_end
            && code.is(open, b'{')
            && !statement.is_bare()
    }

    /// Reads the content of `extern "C" { ... }` as if it were outside.
    fn linkage_block(
        &mut self,
        open: TokenIndex,
        scope: &mut StatementScope,
        symbols: &mut Vec<Symbol>,
    ) -> TokenIndex {
        let after = self.code.after(open);
        // Each level of these blocks is a call of this function. They count as levels of types,
        // so that `extern "C" { extern "C" { …` cannot overflow the stack, which in a component
        // is a trap.
        if scope.depth < NESTED_SYMBOLS {
            scope.depth += 1;
            let within = self.statements(self.inside(open), scope);
            scope.depth -= 1;
            symbols.extend(within);
        }
        after
    }

    /// Returns the function whose parameters open at `open`, or `None` if it is only called.
    fn function(
        &self,
        statement: &Statement,
        declarator: &Declarator,
        open: TokenIndex,
        extent: &DeclarationExtent,
        scope: &StatementScope,
    ) -> Option<Symbol> {
        let code = self.code;
        let first = statement.after_modifiers;
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
            self.before_initialisers(code.after(open), extent)
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

    /// Returns true if name and parameters belong to a declaration instead of a call.
    fn is_declared(
        &self,
        statement: &Statement,
        declarator: &Declarator,
        open: TokenIndex,
        extent: &DeclarationExtent,
        scope: &StatementScope,
        name: &FunctionName,
    ) -> bool {
        let is_constructor = is_constructor(name, scope);
        let is_pointer = matches!(name, FunctionName::Pointer(_));
        let has_value = extent.value_sign.is_some();
        let has_body = extent.body.is_some() || has_value;
        let has_type =
            declarator.word_count > 1 || open > statement.after_modifiers + 1 || is_constructor;
        // `f(a);` without anything before or after it.
        if !has_body && !has_type {
            return false;
        }
        // `(*f)(a) = b;` outside of a type is an assignment.
        if has_value && is_pointer && !scope.is_type() && declarator.word_count == 0 {
            return false;
        }
        // Without a body only a type distinguishes a declaration from a call: `A::f(a);` has a
        // name before its brackets, but no type. In the body of a type there are no calls, so
        // that everything is a declaration.
        has_body
            || scope.is_type()
            || declarator.word_count >= 2
            || is_constructor
            || self.has_return_type(statement.after_attributes, open)
    }

    /// Returns the end of a head: before the member initializers of a constructor, which belong to
    /// its body: `A(int x) : x(x) {`.
    fn before_initialisers(
        &self,
        after_parameters: TokenIndex,
        extent: &DeclarationExtent,
    ) -> ByteOffset {
        let code = self.code;
        token_indices(after_parameters..extent.next_token)
            .take_while(|token| code.start(*token) < extent.head_end_offset)
            .find(|token| code.is_single_colon(*token))
            .map_or(extent.head_end_offset, |colon| code.start(colon))
    }

    /// Reads a field, property or variable: `int a = 1;`, `public int A { get; }`.
    fn field(
        &self,
        statement: &Statement,
        declarator: &Declarator,
        extent: &DeclarationExtent,
        scope: &StatementScope,
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
        // `a;` and `a = b;` are declarations only in a JavaScript class.
        if declarator.word_count < 2 && !is_ecmascript(code.language) && statement.is_bare() {
            return next;
        }
        let kind = self.field_kind(statement, scope);
        let value = extent.value_sign;
        let comma = value.and_then(|sign| self.comma_before_declarator(sign, next));
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
            let further = FurtherDeclarators {
                comma,
                stop: next,
                end,
            };
            self.add_declarators(statement, kind, name, &further, symbols);
        }
        next
    }

    /// Returns true if this is the compact constructor of a Java record, which omits the
    /// parameters: `public Circle { check(r); }`.
    fn is_compact_constructor(
        &self,
        name: TokenIndex,
        declarator: &Declarator,
        extent: &DeclarationExtent,
        scope: &StatementScope,
    ) -> bool {
        let code = self.code;
        code.language == Language::Java
            && declarator.word_count == 1
            && extent.body.is_some()
            && scope.owner.as_ref().is_some_and(|owner| {
                owner.kind == SymbolKind::Struct && owner.name == code.word(name)
            })
    }

    /// Returns the token after a field and its end, or `None` if its braces do not belong to a
    /// field.
    fn field_end(
        &self,
        name: TokenIndex,
        declarator: &Declarator,
        extent: &DeclarationExtent,
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

    fn field_kind(&self, statement: &Statement, scope: &StatementScope) -> SymbolKind {
        let code = self.code;
        let is_static = token_indices(statement.after_attributes..statement.after_modifiers)
            .any(|token| code.word(token) == "static");
        // `final` alone does not make a constant in Java: each object has its own.
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

/// Returns true if a function is a constructor or destructor of the enclosing type or of the type
/// before its name: `A()` in `A`, `A::~A()`, `constructor()`.
fn is_constructor(name: &FunctionName, scope: &StatementScope) -> bool {
    let (FunctionName::Plain(name) | FunctionName::Pointer(name)) = name;
    let mut parts = name.rsplit("::");
    let last_part = parts.next().unwrap_or(name).trim_start_matches('~');
    let owner = scope.owner.as_ref();
    owner.is_some_and(|owner| owner.name == last_part)
        || name == "constructor"
        || parts.next() == Some(last_part)
}
