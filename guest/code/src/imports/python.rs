//! Imports of Python, from the statements of Ruff's parser, at any position.

use ruff_python_ast::statement_visitor::{StatementVisitor, walk_stmt};
use ruff_python_ast::{Stmt, StmtImportFrom};
use ruff_text_size::Ranged;

use crate::code::Code;
use crate::imports::collected::Collected;
use crate::imports::target::{ImportPath, ImportedName};
use crate::limits::{IMPORT_PATH_BYTES, IMPORTED_MODULES};
use crate::position::ByteOffset;
use crate::source::Source;

/// Returns the imports of the statements, including those in functions and conditions.
pub(crate) fn collect_statements(code: &Code<'_>, body: &[Stmt]) -> Vec<ImportPath> {
    let mut reader = Imports(Collected::new(code, Source::Parsed));
    reader.visit_body(body);
    reader.0.found
}

struct Imports<'a>(Collected<'a>);

impl StatementVisitor<'_> for Imports<'_> {
    fn visit_stmt(&mut self, statement: &Stmt) {
        match statement {
            Stmt::Import(import) => {
                for alias in &import.names {
                    let start = ByteOffset::new(alias.range().start().to_usize());
                    self.push(start, 0, alias.name.as_str(), Vec::new());
                }
            }
            Stmt::ImportFrom(import) => self.import_from(import),
            _ => walk_stmt(self, statement),
        }
    }
}

impl Imports<'_> {
    fn import_from(&mut self, import: &StmtImportFrom) {
        let start = ByteOffset::new(import.range().start().to_usize());
        let module = import.module.as_ref().map_or("", |module| module.as_str());
        let names = import.names.iter().take(IMPORTED_MODULES);
        let names = names.map(|alias| alias.name.to_string()).collect();
        self.push(start, import.level, module, names);
    }

    fn push(&mut self, start: ByteOffset, level: u32, module: &str, names: Vec<String>) {
        let is_nothing = module.is_empty() && level == 0;
        if !is_nothing && module.len() <= IMPORT_PATH_BYTES {
            let names_between_dots = module.split('.').filter(|name| !name.is_empty());
            let module = names_between_dots.map(str::to_owned).collect();
            let target = ImportedName::Python {
                level,
                module,
                names,
            };
            self.0.push(start, target);
        }
    }
}
