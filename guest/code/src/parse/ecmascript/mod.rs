//! JavaScript and TypeScript, by oxc.

mod members;

use std::ops::Range;

use oxc_allocator::Allocator;
use oxc_ast::ast::{
    Argument, ArrowFunctionBody, Declaration, ExportDefaultDeclarationKind, Expression,
    ObjectPropertyKind, Statement, VariableDeclaration, VariableDeclarationKind,
    VariableDeclarator,
};
use oxc_parser::{ParseOptions, Parser};
use oxc_span::{GetSpan, SourceType, Span};

use crate::code::{Code, Definition};
use crate::language::Language;
use crate::limits::NESTED_SYMBOLS;
use crate::line_index::LineIndex;
use crate::scan::Found;
use crate::{Symbol, SymbolKind};

pub(super) fn parse(code: &Code<'_>) -> Option<Found> {
    let kinds: &[SourceType] = if code.language == Language::TypeScript {
        // With JSX a cast in angle brackets is a mistake, without it JSX is.
        &[SourceType::ts(), SourceType::tsx()]
    } else {
        // Flow's types look like TypeScript's.
        &[
            SourceType::jsx(),
            SourceType::script().with_jsx(true),
            SourceType::tsx(),
        ]
    };
    kinds.iter().find_map(|kind| parse_as(code, *kind))
}

fn parse_as(code: &Code<'_>, kind: SourceType) -> Option<Found> {
    let allocator = Allocator::default();
    let options = ParseOptions {
        allow_return_outside_function: true,
        ..ParseOptions::default()
    };
    let parsed = Parser::new(&allocator, code.text, kind)
        .with_options(options)
        .parse();
    if parsed.panicked {
        return None;
    }
    let comments = parsed
        .program
        .comments
        .iter()
        .map(|comment| bytes(comment.span));
    // The parser knows better than the lexer where comments are.
    let own = Code {
        text: code.text,
        language: code.language,
        tokens: Vec::new(),
        comments: comments.collect(),
        index: LineIndex::new(code.text),
    };
    let mut walk = Walk {
        code: &own,
        found: Found::default(),
        has_exports: false,
    };
    walk.has_exports = parsed.program.body.iter().any(is_export);
    let symbols = walk.statements(&parsed.program.body, 0);
    walk.found.symbols = symbols;
    Some(walk.found)
}

fn is_export(statement: &Statement<'_>) -> bool {
    matches!(
        statement,
        Statement::ExportDeclaration(_)
            | Statement::ExportNamedDeclaration(_)
            | Statement::ExportDefaultDeclaration(_)
    )
}

fn bytes(span: Span) -> Range<usize> {
    span.start as usize..span.end as usize
}

struct Walk<'a> {
    code: &'a Code<'a>,
    found: Found,
    /// Whether the file exports by keyword, so that what is not exported is its own.
    has_exports: bool,
}

/// A place in the text that a declaration takes, with its `export`.
#[derive(Clone, Debug)]
struct Outer {
    span: Range<usize>,
    is_exported: bool,
    depth: usize,
}

impl Walk<'_> {
    fn statements(&mut self, statements: &[Statement<'_>], depth: usize) -> Vec<Symbol> {
        let mut symbols = Vec::new();
        if depth > NESTED_SYMBOLS {
            return symbols;
        }
        for statement in statements {
            self.statement(statement, depth, &mut symbols);
        }
        symbols
    }

    fn statement(&mut self, statement: &Statement<'_>, depth: usize, symbols: &mut Vec<Symbol>) {
        let span = bytes(statement.span());
        let outer = Outer {
            span: span.clone(),
            is_exported: false,
            depth,
        };
        match statement {
            Statement::ImportDeclaration(import) => {
                let import = self.code.import(span, import.source.value.as_str());
                self.found.imports.push(import);
            }
            Statement::ExportAllDeclaration(export) => {
                let import = self.code.import(span, export.source.value.as_str());
                self.found.imports.push(import);
            }
            Statement::ExportDeclaration(export) => {
                let outer = Outer {
                    is_exported: true,
                    ..outer
                };
                self.declaration(&export.declaration, outer, symbols);
            }
            Statement::ExportFromDeclaration(export) => {
                let import = self.code.import(span, export.source.value.as_str());
                self.found.imports.push(import);
            }
            Statement::ExportDefaultDeclaration(export) => {
                let outer = Outer {
                    is_exported: true,
                    ..outer
                };
                match &export.declaration {
                    ExportDefaultDeclarationKind::FunctionDeclaration(function) => {
                        let name = function
                            .id
                            .as_ref()
                            .map_or("default", |id| id.name.as_str());
                        let head_end = function.body.as_ref().map(|body| body.span.start);
                        symbols.push(self.simple(SymbolKind::Function, name, head_end, &outer));
                    }
                    ExportDefaultDeclarationKind::ClassDeclaration(class) => {
                        symbols.push(self.class(class, "default", &outer));
                    }
                    ExportDefaultDeclarationKind::TSInterfaceDeclaration(interface) => {
                        symbols.push(self.interface(interface, &outer));
                    }
                    other => {
                        if let Some(expression) = other.as_expression() {
                            let start = outer.span.start;
                            let symbol = self.named("default", expression, start, &outer);
                            symbols.push(symbol.unwrap_or_else(|| {
                                let value = expression.span().start as usize;
                                let end = self.code.end_with_value(value, outer.span.end);
                                let kind = SymbolKind::Constant;
                                self.make(kind, "default", end, &outer, Vec::new())
                            }));
                        }
                    }
                }
            }
            Statement::ExpressionStatement(statement) => {
                self.expression(&statement.expression, &outer, symbols);
            }
            Statement::IfStatement(branch) => {
                self.branch(&branch.consequent, depth, symbols);
                if let Some(other) = &branch.alternate {
                    self.branch(other, depth, symbols);
                }
            }
            Statement::TryStatement(attempt) => {
                self.block(&attempt.block.body, depth, symbols);
                if let Some(handler) = &attempt.handler {
                    self.block(&handler.body.body, depth, symbols);
                }
                if let Some(last) = &attempt.finalizer {
                    self.block(&last.body, depth, symbols);
                }
            }
            _ => {
                if let Some(declaration) = statement.as_declaration() {
                    self.declaration(declaration, outer, symbols);
                }
            }
        }
    }

    fn branch(&mut self, statement: &Statement<'_>, depth: usize, symbols: &mut Vec<Symbol>) {
        match statement {
            Statement::BlockStatement(block) => self.block(&block.body, depth, symbols),
            other => self.block(std::slice::from_ref(other), depth, symbols),
        }
    }

    /// Reads what a block defines for those round it, which its values do not.
    fn block(&mut self, statements: &[Statement<'_>], depth: usize, symbols: &mut Vec<Symbol>) {
        let within = self.statements(statements, depth + 1);
        symbols.extend(
            within.into_iter().filter(|symbol| {
                !matches!(symbol.kind, SymbolKind::Constant | SymbolKind::Variable)
            }),
        );
    }

    fn is_private(&self, name: &str, outer: &Outer) -> bool {
        name.starts_with(['_', '#']) || (self.has_exports && outer.depth == 0 && !outer.is_exported)
    }

    fn make(
        &self,
        kind: SymbolKind,
        name: &str,
        head_end: usize,
        outer: &Outer,
        children: Vec<Symbol>,
    ) -> Symbol {
        let start = outer.span.start;
        self.code.symbol(Definition {
            kind,
            name: name.to_owned(),
            head: start..head_end.max(start),
            span: outer.span.clone(),
            is_private: self.is_private(name, outer),
            children,
        })
    }

    fn simple(&self, kind: SymbolKind, name: &str, body: Option<u32>, outer: &Outer) -> Symbol {
        let head_end = body.map_or(outer.span.end, |body| body as usize);
        self.make(kind, name, head_end, outer, Vec::new())
    }

    fn declaration(
        &mut self,
        declaration: &Declaration<'_>,
        outer: Outer,
        symbols: &mut Vec<Symbol>,
    ) {
        match declaration {
            Declaration::FunctionDeclaration(function) => {
                let name = function.id.as_ref().map_or("", |id| id.name.as_str());
                let body = function.body.as_ref().map(|body| body.span.start);
                symbols.push(self.simple(SymbolKind::Function, name, body, &outer));
            }
            Declaration::ClassDeclaration(class) => symbols.push(self.class(class, "", &outer)),
            Declaration::VariableDeclaration(variables) => {
                self.variables(variables, &outer, symbols);
            }
            Declaration::TSTypeAliasDeclaration(alias) => {
                symbols.push(self.simple(SymbolKind::Type, &alias.id.name, None, &outer));
            }
            Declaration::TSInterfaceDeclaration(interface) => {
                symbols.push(self.interface(interface, &outer));
            }
            Declaration::TSEnumDeclaration(declared) => {
                let inner = |span: Span| Outer {
                    span: bytes(span),
                    is_exported: true,
                    depth: outer.depth + 1,
                };
                let members = declared.body.members.iter().map(|member| {
                    let name = bytes(member.id.span());
                    let end = self.code.end_with_value(name.end, member.span.end as usize);
                    let name = self.code.text[name].trim_matches(['"', '\'']);
                    self.make(
                        SymbolKind::Variant,
                        name,
                        end,
                        &inner(member.span),
                        Vec::new(),
                    )
                });
                let members = members.collect();
                let head_end = declared.body.span.start as usize;
                symbols.push(self.make(
                    SymbolKind::Enum,
                    &declared.id.name,
                    head_end,
                    &outer,
                    members,
                ));
            }
            Declaration::TSExternalModuleDeclaration(module) => {
                let body = module.body.as_ref();
                let children = body.map_or_else(Vec::new, |body| {
                    self.statements(&body.body, outer.depth + 1)
                });
                let head_end = body.map_or(outer.span.end, |body| body.span.start as usize);
                let name = module.id.value.as_str();
                symbols.push(self.make(SymbolKind::Module, name, head_end, &outer, children));
            }
            Declaration::TSNamespaceDeclaration(namespace) => {
                let mut body = &namespace.body;
                let mut name = namespace.id.name.to_string();
                let block = loop {
                    match body {
                        oxc_ast::ast::TSNamespaceDeclarationBody::TSModuleBlock(block) => {
                            break block;
                        }
                        oxc_ast::ast::TSNamespaceDeclarationBody::TSNamespaceDeclaration(inner) => {
                            name.push('.');
                            name.push_str(&inner.id.name);
                            body = &inner.body;
                        }
                    }
                };
                let children = self.statements(&block.body, outer.depth + 1);
                let head_end = block.span.start as usize;
                symbols.push(self.make(SymbolKind::Module, &name, head_end, &outer, children));
            }
            Declaration::TSGlobalDeclaration(global) => {
                let children = self.statements(&global.body.body, outer.depth + 1);
                let head_end = global.body.span.start as usize;
                symbols.push(self.make(SymbolKind::Module, "global", head_end, &outer, children));
            }
            Declaration::TSImportEqualsDeclaration(import) => {
                let module = self.code.text[bytes(import.module_reference.span())].to_owned();
                let module = module.trim_start_matches("require(").trim_end_matches(')');
                let import = self
                    .code
                    .import(outer.span.clone(), module.trim_matches(['"', '\'']));
                self.found.imports.push(import);
            }
        }
    }

    fn variables(
        &mut self,
        variables: &VariableDeclaration<'_>,
        outer: &Outer,
        symbols: &mut Vec<Symbol>,
    ) {
        let Some(first) = variables.declarations.first() else {
            return;
        };
        let is_single = variables.declarations.len() == 1;
        let first = first.span.start as usize;
        let keyword = self.code.signature(outer.span.start..first);
        for declarator in &variables.declarations {
            let span = bytes(declarator.span);
            let is_first = span.start == first;
            let outer = Outer {
                span: Range {
                    start: if is_first {
                        outer.span.start
                    } else {
                        span.start
                    },
                    end: if is_single { outer.span.end } else { span.end },
                },
                ..outer.clone()
            };
            let symbol = self.variable(declarator, variables.kind, &outer);
            symbols.extend(symbol.map(|mut symbol| {
                if !is_first {
                    symbol.signature = format!("{keyword} {}", symbol.signature);
                }
                symbol
            }));
        }
    }

    fn variable(
        &mut self,
        declarator: &VariableDeclarator<'_>,
        kind: VariableDeclarationKind,
        outer: &Outer,
    ) -> Option<Symbol> {
        let pattern = bytes(declarator.id.span());
        let text = &self.code.text[pattern.clone()];
        if let Some(init) = &declarator.init {
            if let Some(module) = required(init) {
                let import = self.code.import(outer.span.clone(), module);
                self.found.imports.push(import);
                return None;
            }
            let symbol = self.named(text, init, outer.span.start, outer);
            if symbol.is_some() {
                return symbol;
            }
        }
        let kind = match kind {
            VariableDeclarationKind::Const => SymbolKind::Constant,
            _ => SymbolKind::Variable,
        };
        let known = declarator
            .type_annotation
            .as_ref()
            .map_or(pattern.end, |annotation| annotation.span.end as usize);
        let end = self.code.end_with_value(known, outer.span.end);
        Some(self.make(kind, text, end, outer, Vec::new()))
    }

    /// Returns the symbol for an expression that has a name, if it is a function, a class or an
    /// object with functions.
    fn named(
        &mut self,
        name: &str,
        expression: &Expression<'_>,
        start: usize,
        outer: &Outer,
    ) -> Option<Symbol> {
        // Without what TypeScript says of it: `as const`, `satisfies X`.
        let expression = expression.get_inner_expression();
        let outer = Outer {
            span: start..outer.span.end,
            ..outer.clone()
        };
        match expression {
            Expression::FunctionExpression(function) => {
                let body = function.body.as_ref().map(|body| body.span.start);
                Some(self.simple(SymbolKind::Function, name, body, &outer))
            }
            Expression::ArrowFunctionExpression(arrow) => {
                let body = arrow.body.span().start;
                let mut symbol = self.simple(SymbolKind::Function, name, Some(body), &outer);
                if let Some(head) = symbol.signature.strip_suffix("=>") {
                    symbol.signature = format!("{} =>", head.trim_end());
                }
                Some(symbol)
            }
            Expression::ClassExpression(class) => Some(self.class(class, name, &outer)),
            Expression::ObjectExpression(object) if outer.depth < NESTED_SYMBOLS => {
                let mut children = Vec::new();
                for property in &object.properties {
                    let ObjectPropertyKind::ObjectProperty(property) = property else {
                        continue;
                    };
                    let span = bytes(property.span);
                    let inner = Outer {
                        span: span.clone(),
                        is_exported: true,
                        depth: outer.depth + 1,
                    };
                    let key = self.key(&property.key);
                    let child = self.named(&key, &property.value, span.start, &inner);
                    children.extend(child.map(|mut child| {
                        if child.kind == SymbolKind::Function {
                            child.kind = SymbolKind::Method;
                        }
                        child
                    }));
                }
                if children.is_empty() {
                    return None;
                }
                let head_end = object.span.start as usize;
                Some(self.make(SymbolKind::Object, name, head_end, &outer, children))
            }
            // `memo(function X() {})`, `Object.freeze({})`: the first argument says what it is.
            Expression::CallExpression(call) if call.arguments.len() <= 2 => {
                let first = call.arguments.first()?.as_expression()?;
                let is_definition = matches!(
                    first,
                    Expression::FunctionExpression(_) | Expression::ArrowFunctionExpression(_)
                );
                if is_definition {
                    self.named(name, first, start, &outer)
                } else {
                    None
                }
            }
            _ => None,
        }
    }

    /// Reads what a statement that is an expression defines: `a.b = function () {}`, the body of a
    /// function that is called at once, and the blocks of tests.
    fn expression(
        &mut self,
        expression: &Expression<'_>,
        outer: &Outer,
        symbols: &mut Vec<Symbol>,
    ) {
        match expression.without_parentheses() {
            Expression::AssignmentExpression(assignment) => {
                let name = self.code.text[bytes(assignment.left.span())].to_owned();
                let exported = Outer {
                    is_exported: true,
                    ..outer.clone()
                };
                // Of `a = b = function () {}` all is one definition.
                let (mut left, mut right) = (assignment.left.span(), &assignment.right);
                while let Expression::AssignmentExpression(inner) = right {
                    (left, right) = (inner.left.span(), &inner.right);
                }
                if required(right).is_none() {
                    let symbol = self.named(&name, right, outer.span.start, &exported);
                    if let Some(mut symbol) = symbol {
                        if symbol.kind == SymbolKind::Function && name.contains(".prototype.") {
                            symbol.kind = SymbolKind::Method;
                        }
                        symbols.push(symbol);
                    } else if name == "module.exports" {
                        let end = self.code.end_with_value(left.end as usize, outer.span.end);
                        let kind = SymbolKind::Constant;
                        symbols.push(self.make(kind, &name, end, &exported, Vec::new()));
                    }
                }
            }
            Expression::UnaryExpression(unary) => {
                self.expression(&unary.argument, outer, symbols);
            }
            Expression::CallExpression(call) => {
                if let Some(module) = required(expression) {
                    let import = self.code.import(outer.span.clone(), module);
                    self.found.imports.push(import);
                    return;
                }
                if let Some(body) = body_of(call.callee.without_parentheses()) {
                    symbols.extend(self.statements(body, outer.depth + 1));
                    return;
                }
                let Some(last) = call.arguments.last().and_then(Argument::as_expression) else {
                    return;
                };
                let Some(body) = body_of(last) else { return };
                let first = call.arguments.first().map(GetSpan::span);
                match call.arguments.first() {
                    Some(Argument::StringLiteral(title)) if call.arguments.len() > 1 => {
                        let callee = &self.code.text[bytes(call.callee.span())];
                        let name = format!("{callee}({:?})", title.value.as_str());
                        let children = self.statements(body, outer.depth + 1);
                        let children = children.into_iter().filter(|child| {
                            !matches!(child.kind, SymbolKind::Constant | SymbolKind::Variable)
                        });
                        let children = children.collect();
                        let head_end = first.map_or(outer.span.end, |first| first.end as usize);
                        let mut symbol =
                            self.make(SymbolKind::Block, &name, head_end, outer, children);
                        symbol.signature.push(')');
                        symbols.push(symbol);
                    }
                    // A module in the old style.
                    _ if outer.depth == 0 => {
                        let within = self.statements(body, outer.depth + 1);
                        symbols.extend(within);
                    }
                    _ => {}
                }
            }
            _ => {}
        }
    }
}

/// Returns the statements of a function.
fn body_of<'a, 'b>(expression: &'b Expression<'a>) -> Option<&'b [Statement<'a>]> {
    match expression {
        Expression::FunctionExpression(function) => function
            .body
            .as_ref()
            .map(|body| body.statements.as_slice()),
        Expression::ArrowFunctionExpression(arrow) => match &arrow.body {
            ArrowFunctionBody::FunctionBody(body) => Some(&body.statements),
            _ => None,
        },
        _ => None,
    }
}

/// Returns what `require('x')` and what hangs on it imports.
fn required<'b>(expression: &'b Expression<'_>) -> Option<&'b str> {
    let mut expression = expression.without_parentheses();
    loop {
        match expression {
            Expression::StaticMemberExpression(member) => expression = &member.object,
            Expression::CallExpression(call) => {
                let Expression::Identifier(callee) = &call.callee else {
                    expression = &call.callee;
                    continue;
                };
                return match (callee.name.as_str(), call.arguments.first()) {
                    ("require", Some(Argument::StringLiteral(module))) => {
                        Some(module.value.as_str())
                    }
                    _ => None,
                };
            }
            _ => return None,
        }
    }
}
