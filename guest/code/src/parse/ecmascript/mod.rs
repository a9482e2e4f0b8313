//! JavaScript and TypeScript, by oxc.

mod declarations;
mod expressions;
mod members;

use oxc_allocator::Allocator;
use oxc_ast::ast::{ExportDefaultDeclaration, ExportDefaultDeclarationKind, Statement};
use oxc_parser::{ParseOptions, Parser, ParserReturn};
use oxc_span::{GetSpan, SourceType, Span};

use crate::code::{Code, Definition};
use crate::declarations::Declarations;
use crate::imports::ecmascript::collect_module;
use crate::imports::target::ImportPath;
use crate::language::Language;
use crate::limits::NESTED_SYMBOLS;
use crate::line_index::LineIndex;
use crate::position::{ByteOffset, ByteRange};
use crate::symbol::{Symbol, SymbolKind};

pub(super) fn parse(code: &Code<'_>) -> Option<Declarations> {
    read(code, |parsed_code, parsed| {
        let mut reader = EcmascriptReader {
            code: parsed_code,
            declarations: Declarations::default(),
            has_exports: parsed.program.body.iter().any(is_export),
        };
        let symbols = reader.statements(&parsed.program.body, 0);
        reader.declarations.symbols = symbols;
        reader.declarations.paths = Some(collect_module(code, parsed_code, parsed));
        reader.declarations
    })
}

pub(super) fn imports(code: &Code<'_>) -> Option<Vec<ImportPath>> {
    read(code, |parsed_code, parsed| {
        collect_module(code, parsed_code, parsed)
    })
}

/// Applies `take` to the parsed text. Returns `None` if it cannot be parsed.
fn read<T>(code: &Code<'_>, take: impl Fn(&Code<'_>, &ParserReturn<'_>) -> T) -> Option<T> {
    let kinds: &[SourceType] = if code.language == Language::TypeScript {
        // `<T>value` is a cast in a file without JSX and an error in one with it, while `<div/>`
        // is an error without JSX. The extension of the file, which decides for a compiler, is
        // not known here, so both are tried.
        &[SourceType::ts(), SourceType::tsx()]
    } else {
        // A module is strict, so old code such as `with (a) {}` or the name `await` is only
        // accepted as a script. Types of Flow resemble those of TypeScript closely enough for
        // its parser to read most annotated files.
        &[
            SourceType::jsx(),
            SourceType::script().with_jsx(true),
            SourceType::tsx(),
        ]
    };
    kinds.iter().find_map(|kind| read_as(code, *kind, &take))
}

fn read_as<T>(
    code: &Code<'_>,
    kind: SourceType,
    take: impl Fn(&Code<'_>, &ParserReturn<'_>) -> T,
) -> Option<T> {
    let allocator = Allocator::default();
    let options = ParseOptions {
        // Modules of Node are wrapped in a function before they run.
        allow_return_outside_function: true,
        ..ParseOptions::default()
    };
    let parsed = Parser::new(&allocator, code.text, kind)
        .with_options(options)
        .parse();
    // After minor errors, the tree contains the rest of the text.
    if parsed.panicked {
        return None;
    }
    let comments = parsed.program.comments.iter();
    let comments = comments.map(|comment| bytes(comment.span));
    // The comments are those of the parser. The lexer knows no JSX, so that it takes the rest of
    // `<a>https://example.org</a>` for a comment, and with it the tokens after it.
    let parsed_code = Code {
        text: code.text,
        language: code.language,
        // Tokens are not used below.
        tokens: Vec::new(),
        comments: comments.collect(),
        line_index: LineIndex::new(code.text),
    };
    Some(take(&parsed_code, &parsed))
}

fn is_export(statement: &Statement<'_>) -> bool {
    matches!(
        statement,
        Statement::ExportDeclaration(_)
            | Statement::ExportNamedDeclaration(_)
            | Statement::ExportDefaultDeclaration(_)
    )
}

fn bytes(span: Span) -> ByteRange {
    span.start.into()..span.end.into()
}

/// A reader of statements in the order of the text.
struct EcmascriptReader<'a> {
    code: &'a Code<'a>,
    declarations: Declarations,
    /// True if the file exports by keyword, so that unexported items are private.
    has_exports: bool,
}

/// The site of a declaration, including its `export`.
#[derive(Clone, Debug)]
struct DeclarationSite {
    span: ByteRange,
    is_exported: bool,
    depth: usize,
}

impl DeclarationSite {
    /// Creates the site of a member, which has the visibility of its parent.
    fn for_member(span: ByteRange, depth: usize) -> Self {
        Self {
            span,
            is_exported: true,
            depth,
        }
    }

    fn with_export(self) -> Self {
        Self {
            is_exported: true,
            ..self
        }
    }
}

impl EcmascriptReader<'_> {
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
        let site = DeclarationSite {
            span: bytes(statement.span()),
            is_exported: false,
            depth,
        };
        match statement {
            Statement::ImportDeclaration(import) => {
                self.import(&site, import.source.value.as_str());
            }
            Statement::ExportAllDeclaration(export) => {
                self.import(&site, export.source.value.as_str());
            }
            Statement::ExportFromDeclaration(export) => {
                self.import(&site, export.source.value.as_str());
            }
            Statement::ExportDeclaration(export) => {
                self.declaration(&export.declaration, &site.with_export(), symbols);
            }
            Statement::ExportDefaultDeclaration(export) => {
                symbols.extend(self.default_export(export, &site.with_export()));
            }
            Statement::ExpressionStatement(statement) => {
                self.expression(&statement.expression, &site, symbols);
            }
            // Functions in branches are defined for the rest of the block.
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
                    self.declaration(declaration, &site, symbols);
                }
            }
        }
    }

    fn import(&mut self, site: &DeclarationSite, module: &str) {
        let import = self.code.import(site.span.clone(), module);
        self.declarations.imports.push(import);
    }

    /// Returns the symbol of `export default`, by its own name if it has one.
    fn default_export(
        &mut self,
        export: &ExportDefaultDeclaration<'_>,
        site: &DeclarationSite,
    ) -> Option<Symbol> {
        Some(match &export.declaration {
            ExportDefaultDeclarationKind::FunctionDeclaration(function) => {
                let id = function.id.as_ref();
                let name = id.map_or("default", |id| id.name.as_str());
                let body = function.body.as_ref().map(|body| body.span.start);
                self.leaf(SymbolKind::Function, name, body, site)
            }
            ExportDefaultDeclarationKind::ClassDeclaration(class) => {
                self.class(class, "default", site)
            }
            ExportDefaultDeclarationKind::TSInterfaceDeclaration(interface) => {
                self.interface(interface, site)
            }
            other => {
                let expression = other.as_expression()?;
                if let Some(symbol) = self.definition("default", expression, site) {
                    return Some(symbol);
                }
                let value = expression.span().start.into();
                let head_end = self.code.end_with_value(value, site.span.end);
                self.symbol(SymbolKind::Constant, "default", head_end, site, Vec::new())
            }
        })
    }

    fn branch(&mut self, statement: &Statement<'_>, depth: usize, symbols: &mut Vec<Symbol>) {
        match statement {
            Statement::BlockStatement(block) => self.block(&block.body, depth, symbols),
            other => self.block(std::slice::from_ref(other), depth, symbols),
        }
    }

    /// Reads the definitions of a block that are visible outside, which its values are not.
    fn block(&mut self, statements: &[Statement<'_>], depth: usize, symbols: &mut Vec<Symbol>) {
        let within = self.statements(statements, depth + 1);
        symbols.extend(without_values(within));
    }

    /// Returns true if a name is private: by convention, `_a`, by rule, `#a`, or because the file
    /// exports others but not this one.
    fn is_private(&self, name: &str, site: &DeclarationSite) -> bool {
        name.starts_with(['_', '#']) || (self.has_exports && site.depth == 0 && !site.is_exported)
    }

    fn symbol(
        &self,
        kind: SymbolKind,
        name: &str,
        head_end: ByteOffset,
        site: &DeclarationSite,
        children: Vec<Symbol>,
    ) -> Symbol {
        let start = site.span.start;
        self.code.symbol(Definition {
            kind,
            name: name.to_owned(),
            head: start..head_end.max(start),
            span: site.span.clone(),
            is_private: self.is_private(name, site),
            children,
        })
    }

    /// Returns a symbol without members, whose head ends where its body begins.
    fn leaf(
        &self,
        kind: SymbolKind,
        name: &str,
        body: Option<u32>,
        site: &DeclarationSite,
    ) -> Symbol {
        let head_end = body.map_or(site.span.end, ByteOffset::from);
        self.symbol(kind, name, head_end, site, Vec::new())
    }
}

/// Drops constants and variables, which are only visible in their block.
fn without_values(symbols: Vec<Symbol>) -> impl Iterator<Item = Symbol> {
    symbols
        .into_iter()
        .filter(|symbol| !matches!(symbol.kind, SymbolKind::Constant | SymbolKind::Variable))
}
