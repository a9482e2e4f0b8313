//! Python, by the parser of Ruff, which recovers from errors.

use ruff_python_ast::{
    Decorator, ExceptHandler, Expr, PySourceType, Stmt, StmtAssign, StmtClassDef, StmtFunctionDef,
    StmtImportFrom,
};
use ruff_python_parser::parse_unchecked_source;
use ruff_text_size::{Ranged, TextRange, TextSize};

use crate::code::{Code, Definition};
use crate::declarations::Declarations;
use crate::imports::python::collect_statements;
use crate::imports::target::ImportPath;
use crate::limits::NESTED_SYMBOLS;
use crate::position::{ByteOffset, ByteRange, token_indices};
use crate::symbol::{Symbol, SymbolKind};

pub(super) fn parse(code: &Code<'_>) -> Option<Declarations> {
    // The rules for stubs allow `def f(): ...` and missing bodies, so that unfinished code is
    // read as well.
    let parsed = parse_unchecked_source(code.text, PySourceType::Stub);
    let body = &parsed.syntax().body;
    // If nothing could be parsed, the scanner may find more.
    if body.is_empty() && !code.tokens.is_empty() {
        return None;
    }
    let mut reader = PythonReader {
        code,
        declarations: Declarations::default(),
    };
    let mut symbols = Vec::new();
    reader.statements(body, Container::Module, 0, &mut symbols);
    reader.declarations.symbols = symbols;
    reader.declarations.paths = Some(collect_statements(code, body));
    Some(reader.declarations)
}

pub(super) fn imports(code: &Code<'_>) -> Vec<ImportPath> {
    let parsed = parse_unchecked_source(code.text, PySourceType::Stub);
    collect_statements(code, &parsed.syntax().body)
}

/// The container of statements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Container {
    Module,
    Class,
}

/// A reader of statements in the order of the text.
struct PythonReader<'a> {
    code: &'a Code<'a>,
    declarations: Declarations,
}

fn offset(size: TextSize) -> ByteOffset {
    ByteOffset::new(size.to_usize())
}

fn bytes(range: TextRange) -> ByteRange {
    offset(range.start())..offset(range.end())
}

impl PythonReader<'_> {
    fn statements(
        &mut self,
        body: &[Stmt],
        container: Container,
        depth: usize,
        symbols: &mut Vec<Symbol>,
    ) {
        if depth > NESTED_SYMBOLS {
            return;
        }
        for statement in body {
            self.statement(statement, container, depth, symbols);
            // Definitions in a condition belong to the enclosing container:
            // `if sys.version_info …:` and `try: … except ImportError:` define the same function
            // in two ways, both of which are listed.
            for body in bodies(statement) {
                self.statements(body, container, depth + 1, symbols);
            }
        }
    }

    fn statement(
        &mut self,
        statement: &Stmt,
        container: Container,
        depth: usize,
        symbols: &mut Vec<Symbol>,
    ) {
        match statement {
            Stmt::FunctionDef(function) => symbols.push(self.function(function, container)),
            Stmt::ClassDef(class) => symbols.push(self.class(class, depth)),
            Stmt::Import(import) => {
                let modules = import.names.iter().map(|alias| alias.name.to_string());
                self.import(statement, modules);
            }
            Stmt::ImportFrom(import) => self.import_from(statement, import),
            Stmt::Assign(assign) => symbols.extend(self.assignment(statement, assign, container)),
            Stmt::AnnAssign(assign) => {
                if let Expr::Name(name) = &*assign.target {
                    let sign = offset(assign.annotation.range().end());
                    symbols.push(self.value(name.id.as_str(), statement, sign, container));
                }
            }
            Stmt::TypeAlias(alias) => symbols.push(self.type_alias(statement, alias.name.range())),
            _ => {}
        }
    }

    fn import(&mut self, statement: &Stmt, modules: impl Iterator<Item = String>) {
        let code = self.code;
        let imports = code.imports(bytes(statement.range()), modules);
        self.declarations.imports.extend(imports);
    }

    fn import_from(&mut self, statement: &Stmt, import: &StmtImportFrom) {
        let dots = ".".repeat(import.level as usize);
        match &import.module {
            Some(module) => self.import(statement, std::iter::once(format!("{dots}{module}"))),
            // Modules of the same package: `from . import a, b`.
            None => {
                let names = import.names.iter();
                self.import(
                    statement,
                    names.map(|alias| format!("{dots}{}", alias.name)),
                );
            }
        }
    }

    /// Returns one symbol for all targets of an assignment statement: `a = b, c = 1`.
    fn assignment(
        &self,
        statement: &Stmt,
        assign: &StmtAssign,
        container: Container,
    ) -> Option<Symbol> {
        let targets = &assign.targets;
        let (first, last) = (targets.first()?, targets.last()?);
        if !targets.iter().all(is_names) {
            return None;
        }
        let names = first.range().start().to_usize()..last.range().end().to_usize();
        let names = self.code.text.get(names).unwrap_or_default();
        let sign = offset(last.range().end());
        Some(self.value(names, statement, sign, container))
    }

    fn type_alias(&self, statement: &Stmt, name: TextRange) -> Symbol {
        let span = bytes(statement.range());
        self.code.symbol(Definition {
            kind: SymbolKind::Type,
            name: self.code.slice(bytes(name)).to_owned(),
            head: span.clone(),
            span,
            is_private: false,
            children: Vec::new(),
        })
    }

    /// Returns the colon that ends a head, after the end of the head in the tree: comments and
    /// blanks may be in between. `after` is the end of the statement.
    fn head_end(&self, parsed_end: ByteOffset, body: &[Stmt], after: ByteOffset) -> ByteOffset {
        let code = self.code;
        let end = body.first().map_or(after, |first| offset(first.start()));
        token_indices(code.token_from(parsed_end)..code.end_token())
            .take_while(|token| code.start(*token) < end)
            .find(|token| code.is(*token, b':'))
            .map_or(parsed_end, |colon| code.start(colon))
    }

    fn function(&self, function: &StmtFunctionDef, container: Container) -> Symbol {
        let head = match &function.returns {
            Some(returns) => returns.range(),
            None => function.parameters.range(),
        };
        let name = function.name.as_str();
        let span = bytes(function.range());
        let start = skip_decorators(&function.decorator_list, span.start);
        let head_end = self.head_end(offset(head.end()), &function.body, span.end);
        let symbol = self.code.symbol(Definition {
            kind: match container {
                Container::Module => SymbolKind::Function,
                Container::Class if name == "__init__" => SymbolKind::Constructor,
                Container::Class => SymbolKind::Method,
            },
            name: name.to_owned(),
            head: start..head_end.max(start),
            span,
            is_private: is_private(name),
            children: Vec::new(),
        });
        with_docstring(symbol, &function.body)
    }

    fn class(&mut self, class: &StmtClassDef, depth: usize) -> Symbol {
        let mut children = Vec::new();
        // Imports of a class are not imports of the file.
        let imports = self.declarations.imports.len();
        self.statements(&class.body, Container::Class, depth + 1, &mut children);
        self.declarations.imports.truncate(imports);
        let head = match (&class.arguments, &class.type_params) {
            (Some(arguments), _) => arguments.range(),
            (None, Some(parameters)) => parameters.range(),
            (None, None) => class.name.range(),
        };
        let span = bytes(class.range());
        let start = skip_decorators(&class.decorator_list, span.start);
        let head_end = self.head_end(offset(head.end()), &class.body, span.end);
        let symbol = self.code.symbol(Definition {
            kind: SymbolKind::Class,
            name: class.name.to_string(),
            head: start..head_end.max(start),
            span,
            is_private: is_private(class.name.as_str()),
            children,
        });
        with_docstring(symbol, &class.body)
    }

    fn value(
        &self,
        name: &str,
        statement: &Stmt,
        sign: ByteOffset,
        container: Container,
    ) -> Symbol {
        let span = bytes(statement.range());
        let is_constant = !name.contains(char::is_lowercase) && name.contains(char::is_uppercase);
        self.code.symbol(Definition {
            kind: match container {
                _ if is_constant => SymbolKind::Constant,
                Container::Module => SymbolKind::Variable,
                Container::Class => SymbolKind::Field,
            },
            name: name.to_owned(),
            head: span.start..self.code.end_with_value(sign, span.end),
            span,
            is_private: is_private(name),
            children: Vec::new(),
        })
    }
}

/// Returns the bodies of a statement whose definitions belong to the enclosing container.
fn bodies(statement: &Stmt) -> Vec<&[Stmt]> {
    match statement {
        Stmt::If(branch) => {
            let clauses = branch.elif_else_clauses.iter();
            let others = clauses.map(|clause| clause.body.as_slice());
            std::iter::once(branch.body.as_slice())
                .chain(others)
                .collect()
        }
        Stmt::Try(attempt) => {
            let handlers = attempt.handlers.iter();
            let handlers =
                handlers.map(|ExceptHandler::ExceptHandler(handler)| handler.body.as_slice());
            std::iter::once(attempt.body.as_slice())
                .chain(handlers)
                .chain([attempt.orelse.as_slice(), attempt.finalbody.as_slice()])
                .collect()
        }
        Stmt::With(with) => vec![with.body.as_slice()],
        _ => Vec::new(),
    }
}

/// Returns the start of a head, without decorators.
fn skip_decorators(decorators: &[Decorator], start: ByteOffset) -> ByteOffset {
    let last = decorators.last();
    last.map_or(start, |decorator| offset(decorator.range().end()))
}

/// Returns true if the target of an assignment is a name or a list of names.
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

/// Adds the docstring of a body to `symbol`, where it takes precedence over a comment.
fn with_docstring(symbol: Symbol, body: &[Stmt]) -> Symbol {
    match docstring(body) {
        Some(doc) => Symbol { doc, ..symbol },
        None => symbol,
    }
}

/// Returns the docstring of a body.
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
