//! Where imports of code lead, by the names of a tree and what its manifests say.

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
mod tsconfig;
mod workspaces;

use std::collections::BTreeMap;

use docent_code::Source;
use docent_code::imports::{ImportPath, Target};

use crate::limits::FILES_OF_IMPORT;
use crate::names::Names;
use ecmascript::Statement;
use paths::{at, name_of, parent};
use settings::Settings;

/// Where an import leads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Imported {
    /// To these files, in order, without the one that it stands in: several where a package is
    /// meant or several names are imported, none where all that it names stands in its own file or
    /// in a package without one. Of more than 500 the first are meant.
    Files(Vec<String>),
    /// To what the tree does not hold: a library, or a path that leads out of it.
    External,
    /// To what the tree should hold by its name, and does not.
    Missing,
    /// To one of these files, of which none is chosen; of more than 50 the first are named.
    Several(Vec<String>),
}

/// Where an import leads, and how that is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resolved {
    /// Where it leads.
    pub imported: Imported,
    /// [`Source::Parsed`] where the import was parsed and the language's own rules lead there;
    /// [`Source::Heuristic`] where either is likely only.
    pub known_by: Source,
}

/// Whether the file at `path` says where imports lead, so that its text is wanted.
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

/// Says of imports where they lead in one tree.
#[derive(Debug)]
pub struct Resolver<'n> {
    names: &'n Names,
    cargo: cargo::Cargo,
    modules: rust::Modules,
    ecmascript: ecmascript::Ecmascript,
    python: python::Python,
    go: go::Go,
    jvm: jvm::Jvm,
    c: c::Headers,
}

/// The texts of manifests as they were read, by path.
type Manifests = BTreeMap<String, Settings>;

impl<'n> Resolver<'n> {
    /// Returns what resolves imports in the tree of these names. `manifests` are the files for
    /// which [`is_manifest`] holds, by path, with their texts; `files` are all files of code, by
    /// path, with what they import.
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
                    settings.insert(path.to_owned(), Settings::of(path, text));
                }
            }
        }
        let cargo = cargo::Cargo::new(&settings, names);
        let files: Vec<_> = files.into_iter().collect();
        Self {
            names,
            modules: rust::Modules::new(&files, &cargo, names),
            cargo,
            ecmascript: ecmascript::Ecmascript::new(&settings, names),
            python: python::Python::new(&settings, names),
            go,
            jvm: jvm::Jvm::new(&files),
            c: c::Headers::new(names),
        }
    }

    /// Returns where an import of the file `from` leads.
    pub fn resolve(&self, from: &str, import: &ImportPath) -> Resolved {
        let names = self.names;
        let (imported, known_by) = match &import.target {
            Target::RustModule { .. } => self.modules.declared(from, &import.target, names),
            Target::RustUse { path, within } => self.modules.used(from, path, within, &self.cargo),
            Target::Specifier(specifier) => {
                self.ecmascript
                    .resolve(from, specifier, Statement::Import, names)
            }
            Target::Required(specifier) => {
                self.ecmascript
                    .resolve(from, specifier, Statement::Require, names)
            }
            Target::Python {
                level,
                module,
                names: taken,
            } => self.python.resolve(from, *level, module, taken, names),
            Target::GoPackage(path) => self.go.resolve(from, path),
            Target::JvmPackage(_) => (Imported::Files(Vec::new()), Source::Parsed),
            Target::Jvm { path, is_star } => self.jvm.resolve(path, *is_star),
            Target::Include { path, is_quoted } => self.c.resolve(from, path, *is_quoted, names),
            Target::File(path) => (file(from, path, names), Source::Parsed),
        };
        let is_parsed = (import.known_by, known_by) == (Source::Parsed, Source::Parsed);
        Resolved {
            imported: without(from, imported),
            known_by: if is_parsed {
                Source::Parsed
            } else {
                Source::Heuristic
            },
        }
    }
}

fn file(from: &str, path: &str, names: &Names) -> Imported {
    match at(parent(from), path) {
        Some(path) if names.has_file(&path) => Imported::Files(vec![path]),
        Some(_) => Imported::Missing,
        None => Imported::External,
    }
}

/// Returns `imported` in order and within its limit. The file that it stands in is none that it
/// leads to, but may be one of those of which one is meant.
fn without(from: &str, imported: Imported) -> Imported {
    let in_order = |mut files: Vec<String>| {
        files.sort_unstable();
        files.dedup();
        files.truncate(FILES_OF_IMPORT);
        files
    };
    match imported {
        Imported::Files(mut files) => {
            files.retain(|file| file != from);
            Imported::Files(in_order(files))
        }
        Imported::Several(files) => match in_order(files) {
            files if files.len() > 1 => Imported::Several(files),
            files => without(from, Imported::Files(files)),
        },
        other => other,
    }
}
