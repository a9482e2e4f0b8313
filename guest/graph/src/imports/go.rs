//! Resolution of Go packages: directories, by the paths of their modules.

use std::collections::BTreeMap;

use docent_code::Source;

use super::paths::{at, child, name_of, parent, stem_of, upwards};
use super::target::ImportTarget;
use crate::limits::{FILES_OF_IMPORT, MANIFEST_BYTES, MANIFEST_SETTINGS};
use crate::names::Names;

/// The modules of a tree.
#[derive(Debug, Default)]
pub(super) struct Go {
    /// Modules by directory.
    modules: BTreeMap<String, GoModule>,
    /// Directories of modules by path; `None` if several modules have the same path.
    by_path: BTreeMap<String, Option<String>>,
    /// Replacements of modules in `go.work`, by its directory.
    workspaces: BTreeMap<String, BTreeMap<String, String>>,
    /// Files of each package, by directory.
    packages: BTreeMap<String, Vec<String>>,
}

#[derive(Debug, Default)]
struct GoModule {
    path: String,
    /// Directories of the tree that replace other modules, by path.
    replaced: BTreeMap<String, String>,
}

impl Go {
    pub(super) fn new(names: &Names) -> Self {
        let mut go = Self::default();
        for path in names.files() {
            if path.ends_with(".go") && !stem_of(path).ends_with("_test") {
                let package = go.packages.entry(parent(path).to_owned()).or_default();
                if package.len() < FILES_OF_IMPORT {
                    package.push(path.to_owned());
                }
            }
        }
        go
    }

    /// Reads a `go.mod` or a `go.work`.
    pub(super) fn read(&mut self, path: &str, text: &str) {
        let directory = parent(path);
        if text.len() > MANIFEST_BYTES {
            return;
        }
        let mut module = GoModule::default();
        for words in directives(text) {
            match words[..] {
                ["module", path] => path.clone_into(&mut module.path),
                // `replace a v1.2.3 => ../b`
                ["replace", old, .., "=>", new] | ["replace", old, .., "=>", new, _] => {
                    if let Some(new) = local(directory, new) {
                        module.replaced.insert(old.to_owned(), new);
                    }
                }
                _ => {}
            }
        }
        if name_of(path) == "go.work" {
            self.workspaces
                .insert(directory.to_owned(), module.replaced);
        } else if !module.path.is_empty() {
            self.by_path
                .entry(module.path.clone())
                .and_modify(|other| *other = None)
                .or_insert_with(|| Some(directory.to_owned()));
            self.modules.insert(directory.to_owned(), module);
        }
    }

    /// Returns the files of the package that an import in `from` names.
    pub(super) fn resolve(&self, from: &str, import: &str) -> (ImportTarget, Source) {
        let directory = match import.starts_with("./") || import.starts_with("../") {
            true => at(parent(from), import).map(|directory| (directory, true)),
            false => self.directory(from, import),
        };
        let Some((directory, is_own)) = directory else {
            return (ImportTarget::External, Source::Heuristic);
        };
        let imported = match self.packages.get(&directory) {
            Some(files) => ImportTarget::Files(files.clone()),
            None if is_own => ImportTarget::Missing,
            None => ImportTarget::External,
        };
        (imported, Source::Heuristic)
    }

    /// Returns the directory of a package, and true if it must exist.
    fn directory(&self, from: &str, import: &str) -> Option<(String, bool)> {
        let own = upwards(parent(from)).find_map(|directory| {
            let module = self.modules.get(directory)?;
            Some((directory, module))
        });
        if let Some((directory, module)) = own {
            let vendored = child(&child(directory, "vendor"), import);
            if self.packages.contains_key(&vendored) {
                return Some((vendored, true));
            }
            let mut prefixes = prefixes(import);
            let replaced = prefixes.find_map(|(prefix, rest)| {
                let target = match module.replaced.get(prefix) {
                    Some(target) => target,
                    None if prefix == module.path => directory,
                    None => return None,
                };
                Some((with_rest(target, rest), true))
            });
            if replaced.is_some() {
                return replaced;
            }
        }
        let mut workspaces = upwards(parent(from)).filter_map(|above| self.workspaces.get(above));
        let workspace = workspaces.next();
        // The first segment of a module's path is usually a host, with a dot. `log/slog` is a
        // package of the standard library, even if the test data of a repository has a module
        // called `log`.
        let first = import.split('/').next().unwrap_or_default();
        let has_host = first.contains('.');
        // A module of the tree that nothing replaces: the import refers to a published version
        // of it. Its sources are likely the same, but a package that is missing in them may
        // exist in that version.
        prefixes(import).find_map(|(prefix, rest)| {
            let replaced = workspace.and_then(|replaced| replaced.get(prefix));
            let by_path = || self.by_path.get(prefix)?.as_ref().filter(|_| has_host);
            let target = replaced.or_else(by_path)?;
            Some((with_rest(target, rest), false))
        })
    }
}

/// Returns the prefixes of a path, the longest first, each with the rest of the path.
fn prefixes(path: &str) -> impl Iterator<Item = (&str, &str)> {
    let shorter = path.rmatch_indices('/').map(|(slash, _)| slash);
    std::iter::once(path.len())
        .chain(shorter)
        .map(|end| (&path[..end], path[end..].trim_start_matches('/')))
}

fn with_rest(directory: &str, rest: &str) -> String {
    if rest.is_empty() {
        directory.to_owned()
    } else {
        child(directory, rest)
    }
}

fn local(directory: &str, path: &str) -> Option<String> {
    (path.starts_with("./") || path.starts_with("../")).then(|| at(directory, path))?
}

/// Returns the words of each directive. Lines in parentheses are preceded by the word before the
/// parenthesis.
fn directives(text: &str) -> impl Iterator<Item = Vec<&str>> {
    let mut block = None;
    let lines = text.lines().take(MANIFEST_SETTINGS);
    lines.filter_map(move |line| {
        let line = line.split("//").next().unwrap_or_default();
        let words = line
            .split_whitespace()
            .map(|word| word.trim_matches(['"', '`']));
        let mut words: Vec<&str> = words.collect();
        match words[..] {
            [verb, "("] => {
                block = Some(verb);
                return None;
            }
            [")"] => {
                block = None;
                return None;
            }
            [] => return None,
            _ => {}
        }
        if let Some(verb) = block {
            words.insert(0, verb);
        }
        Some(words)
    })
}
