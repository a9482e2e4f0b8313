//! Resolution of imports, by the names of a tree and its manifests.

mod c;
mod cargo;
mod ecmascript;
mod exports;
mod go;
mod jvm;
mod paths;
mod python;
mod python_library;
mod rust;
mod settings;
mod target;
mod tsconfig;
mod workspaces;

use docent_code::Source;
use docent_code::imports::{ImportPath, ImportedName};

use crate::limits::FILES_OF_IMPORT;
use crate::names::Names;
use ecmascript::ImportStatement;
use paths::{at, name_of, parent};
use settings::{ManifestSettings, Manifests};

pub use target::{ImportTarget, ResolvedImport};

/// Returns true if the file at `path` is a manifest that affects imports, so that its text is
/// needed.
pub fn is_manifest(path: &str) -> bool {
    let name = name_of(path);
    let is_config =
        name.ends_with(".json") && (name.contains("tsconfig") || name.starts_with("jsconfig"));
    is_config
        || matches!(
            name,
            "Cargo.toml"
                | "package.json"
                | "pnpm-workspace.yaml"
                | "go.mod"
                | "go.work"
                | "pyproject.toml"
                | "setup.cfg"
        )
}

/// A resolver of the imports in one tree.
#[derive(Debug)]
pub struct Resolver<'n> {
    names: &'n Names,
    cargo: cargo::Cargo,
    modules: rust::RustModules,
    ecmascript: ecmascript::Ecmascript,
    python: python::Python,
    go: go::Go,
    jvm: jvm::Jvm,
    c: c::Headers,
}

impl<'n> Resolver<'n> {
    /// Creates the resolver of a tree with these names. `manifests` are the files for which
    /// [`is_manifest`] returns true, by path, with their texts; `files` are all code files, by
    /// path, with their imports.
    pub fn new<'t>(
        names: &'n Names,
        manifests: impl IntoIterator<Item = (&'t str, &'t str)>,
        files: impl IntoIterator<Item = (&'t str, &'t [ImportPath])>,
    ) -> Self {
        let mut settings = Manifests::new();
        let mut go = go::Go::new(names);
        for (path, text) in manifests {
            match name_of(path) {
                "go.mod" | "go.work" => go.read(path, text),
                _ => {
                    settings.insert(path.to_owned(), ManifestSettings::parse(path, text));
                }
            }
        }
        let cargo = cargo::Cargo::new(&settings, names);
        let files: Vec<_> = files.into_iter().collect();
        Self {
            names,
            modules: rust::RustModules::new(&files, &cargo, names),
            cargo,
            ecmascript: ecmascript::Ecmascript::new(&settings, names),
            python: python::Python::new(&settings, names),
            go,
            jvm: jvm::Jvm::new(&files),
            c: c::Headers::new(names),
        }
    }

    /// Resolves an import of the file `from`.
    pub fn resolve(&self, from: &str, import: &ImportPath) -> ResolvedImport {
        let names = self.names;
        let (imported, known_by) = match &import.target {
            ImportedName::RustModule { .. } => {
                self.modules
                    .resolve_declaration(from, &import.target, names)
            }
            ImportedName::RustUse { path, within } => {
                self.modules.resolve_use(from, path, within, &self.cargo)
            }
            ImportedName::Specifier(specifier) => {
                self.ecmascript
                    .resolve(from, specifier, ImportStatement::Import, names)
            }
            ImportedName::Required(specifier) => {
                self.ecmascript
                    .resolve(from, specifier, ImportStatement::Require, names)
            }
            ImportedName::Python {
                level,
                module,
                names: taken,
            } => self.python.resolve(from, *level, module, taken, names),
            ImportedName::GoPackage(path) => self.go.resolve(from, path),
            ImportedName::JvmPackage(_) => (ImportTarget::Files(Vec::new()), Source::Parsed),
            ImportedName::Jvm { path, is_star } => self.jvm.resolve(path, *is_star),
            ImportedName::Include { path, is_quoted } => {
                self.c.resolve(from, path, *is_quoted, names)
            }
            ImportedName::File(path) => (file(from, path, names), Source::Parsed),
        };
        let is_parsed = (import.known_by, known_by) == (Source::Parsed, Source::Parsed);
        ResolvedImport {
            imported: without(from, imported),
            known_by: if is_parsed {
                Source::Parsed
            } else {
                Source::Heuristic
            },
        }
    }
}

fn file(from: &str, path: &str, names: &Names) -> ImportTarget {
    match at(parent(from), path) {
        Some(path) if names.has_file(&path) => ImportTarget::Files(vec![path]),
        Some(_) => ImportTarget::Missing,
        None => ImportTarget::External,
    }
}

/// Sorts `imported` and truncates it to its limit. The importing file is removed from the targets,
/// but may be one of several candidates.
fn without(from: &str, imported: ImportTarget) -> ImportTarget {
    let in_order = |mut files: Vec<String>| {
        files.sort_unstable();
        files.dedup();
        files.truncate(FILES_OF_IMPORT);
        files
    };
    match imported {
        ImportTarget::Files(mut files) => {
            files.retain(|file| file != from);
            ImportTarget::Files(in_order(files))
        }
        ImportTarget::Several(files) => match in_order(files) {
            files if files.len() > 1 => ImportTarget::Several(files),
            files => without(from, ImportTarget::Files(files)),
        },
        other => other,
    }
}
