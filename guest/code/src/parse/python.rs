//! Python, by the parser of Ruff, which goes on behind mistakes.

use std::ops::Range;

use ruff_python_ast::{Expr, PySourceType, Stmt, StmtClassDef, StmtFunctionDef};
use ruff_python_parser::parse_unchecked_source;
use ruff_text_size::{Ranged, TextRange};

use crate::code::{Code, Definition};
use crate::limits::NESTED_SYMBOLS;
use crate::scan::Found;
use crate::{Symbol, SymbolKind};

pub(super) fn parse(code: &Code<'_>) -> Option<Found> {
    let parsed = parse_unchecked_source(code.text, PySourceType::Stub);
    let body = &parsed.syntax().body;
    if body.is_empty() && !code.tokens.is_empty() {
        return None;
    }
    let mut walk = Walk {
        code,
        found: Found::default(),
    };
    let mut symbols = Vec::new();
    walk.statements(body, Place::Module, 0, &mut symbols);
    walk.found.symbols = symbols;
    Some(walk.found)
}

/// What statements stand in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Module,
    Class,
}

struct Walk<'a> {
    code: &'a Code<'a>,
    found: Found,
}

fn bytes(range: TextRange) -> Range<usize> {
    range.start().to_usize()..range.end().to_usize()
}

impl Walk<'_> {
    fn statements(&mut self, body: &[Stmt], place: Place, depth: usize, symbols: &mut Vec<Symbol>) {
        if depth > NESTED_SYMBOLS {
            return;
        }
        for statement in body {
            match statement {
                Stmt::FunctionDef(function) => symbols.push(self.function(function, place)),
                Stmt::ClassDef(class) => symbols.push(self.class(class, depth)),
                Stmt::Import(import) => {
                    for alias in &import.names {
                        let import = self
                            .code
                            .import(bytes(statement.range()), alias.name.as_str());
                        self.found.imports.push(import);
                    }
                }
                Stmt::ImportFrom(import) => {
                    let dots = ".".repeat(import.level as usize);
                    let span = bytes(statement.range());
                    let imports = &mut self.found.imports;
                    match &import.module {
                        Some(module) => {
                            imports.push(self.code.import(span, &format!("{dots}{module}")));
                        }
                        // Modules of the same package.
                        None => imports.extend(import.names.iter().map(|alias| {
                            self.code
                                .import(span.clone(), &format!("{dots}{}", alias.name))
                        })),
                    }
                }
                Stmt::Assign(assign) => {
                    let targets = &assign.targets;
                    if let (Some(first), Some(last)) = (targets.first(), targets.last())
                        && targets.iter().all(is_names)
                    {
                        let sign = last.range().end().to_usize();
                        let names = first.range().start().to_usize()..sign;
                        let names = self.code.text.get(names).unwrap_or_default();
                        symbols.push(self.value(names, statement, sign, place));
                    }
                }
                Stmt::AnnAssign(assign) => {
                    if let Expr::Name(name) = &*assign.target {
                        let sign = assign.annotation.range().end().to_usize();
                        symbols.push(self.value(name.id.as_str(), statement, sign, place));
                    }
                }
                Stmt::TypeAlias(alias) => {
                    let span = bytes(statement.range());
                    symbols.push(self.code.symbol(Definition {
                        kind: SymbolKind::Type,
                        name: self.code.text[bytes(alias.name.range())].to_owned(),
                        head: span.clone(),
                        span,
                        is_private: false,
                        children: Vec::new(),
                    }));
                }
                Stmt::If(branch) => {
                    self.statements(&branch.body, place, depth + 1, symbols);
                    for clause in &branch.elif_else_clauses {
                        self.statements(&clause.body, place, depth + 1, symbols);
                    }
                }
                Stmt::Try(attempt) => {
                    self.statements(&attempt.body, place, depth + 1, symbols);
                    for handler in &attempt.handlers {
                        let ruff_python_ast::ExceptHandler::ExceptHandler(handler) = handler;
                        self.statements(&handler.body, place, depth + 1, symbols);
                    }
                    self.statements(&attempt.orelse, place, depth + 1, symbols);
                    self.statements(&attempt.finalbody, place, depth + 1, symbols);
                }
                Stmt::With(with) => self.statements(&with.body, place, depth + 1, symbols),
                _ => {}
            }
        }
    }

    /// Returns where the colon stands that ends a head, of which `known` is part.
    fn head_end(&self, known: usize, body: &[Stmt], end: usize) -> usize {
        let end = body.first().map_or(end, |first| first.start().to_usize());
        let tokens = &self.code.tokens;
        let first = tokens.partition_point(|token| (token.start as usize) < known);
        (first..tokens.len())
            .take_while(|at| self.code.start(*at) < end)
            .find(|at| self.code.is(*at, b':'))
            .map_or(known, |at| self.code.start(at))
    }

    fn function(&self, function: &StmtFunctionDef, place: Place) -> Symbol {
        let known = function
            .returns
            .as_ref()
            .map_or(function.parameters.range(), |returns| returns.range());
        let name = function.name.as_str();
        let span = bytes(function.range());
        let start = function
            .decorator_list
            .last()
            .map_or(span.start, |decorator| decorator.range().end().to_usize());
        let mut symbol = self.code.symbol(Definition {
            kind: match place {
                Place::Module => SymbolKind::Function,
                Place::Class if name == "__init__" => SymbolKind::Constructor,
                Place::Class => SymbolKind::Method,
            },
            name: name.to_owned(),
            head: start
                ..self
                    .head_end(known.end().to_usize(), &function.body, span.end)
                    .max(start),
            span,
            is_private: is_private(name),
            children: Vec::new(),
        });
        if let Some(doc) = docstring(&function.body) {
            symbol.doc = doc;
        }
        symbol
    }

    fn class(&mut self, class: &StmtClassDef, depth: usize) -> Symbol {
        let mut children = Vec::new();
        let imports = self.found.imports.len();
        self.statements(&class.body, Place::Class, depth + 1, &mut children);
        self.found.imports.truncate(imports);
        let known = match (&class.arguments, &class.type_params) {
            (Some(arguments), _) => arguments.range(),
            (None, Some(parameters)) => parameters.range(),
            (None, None) => class.name.range(),
        };
        let span = bytes(class.range());
        let start = class
            .decorator_list
            .last()
            .map_or(span.start, |decorator| decorator.range().end().to_usize());
        let mut symbol = self.code.symbol(Definition {
            kind: SymbolKind::Class,
            name: class.name.to_string(),
            head: start
                ..self
                    .head_end(known.end().to_usize(), &class.body, span.end)
                    .max(start),
            span,
            is_private: is_private(class.name.as_str()),
            children,
        });
        if let Some(doc) = docstring(&class.body) {
            symbol.doc = doc;
        }
        symbol
    }

    fn value(&self, name: &str, statement: &Stmt, sign: usize, place: Place) -> Symbol {
        let span = bytes(statement.range());
        let is_constant = !name.contains(char::is_lowercase) && name.contains(char::is_uppercase);
        self.code.symbol(Definition {
            kind: match place {
                _ if is_constant => SymbolKind::Constant,
                Place::Module => SymbolKind::Variable,
                Place::Class => SymbolKind::Field,
            },
            name: name.to_owned(),
            head: span.start..self.code.end_with_value(sign, span.end),
            span,
            is_private: is_private(name),
            children: Vec::new(),
        })
    }
}

/// Whether a target of an assignment is a name or a list of names.
fn is_names(target: &Expr) -> bool {
    match target {
        Expr::Name(_) => true,
        Expr::Tuple(tuple) => tuple.elts.iter().all(|element| element.is_name_expr()),
        _ => false,
    }
}

fn is_private(name: &str) -> bool {
    name.starts_with('_') && !name.ends_with("__")
}

/// Returns the string that a body begins with.
fn docstring(body: &[Stmt]) -> Option<String> {
    let Stmt::Expr(statement) = body.first()? else {
        return None;
    };
    let Expr::StringLiteral(literal) = &*statement.value else {
        return None;
    };
    let text = literal.value.to_str();
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    Some(lines.join("\n").trim().to_owned())
}
