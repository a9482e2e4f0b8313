//! Classes of Java and Kotlin, by the packages that files say they belong to.

use std::collections::BTreeMap;

use docent_code::Source;
use docent_code::imports::{ImportPath, Target};

use super::Imported;
use super::paths::stem_of;
use crate::limits::{FILES_OF_IMPORT, IMPORT_CANDIDATES};

/// The packages of a tree.
#[derive(Debug, Default)]
pub(super) struct Jvm {
    packages: BTreeMap<String, Package>,
}

/// The first files of a package; more than one import leads to are not asked for.
#[derive(Debug, Default)]
struct Package {
    files: Vec<String>,
    /// Those of Kotlin.
    kotlin: Vec<String>,
    /// All of them, by their names without extension.
    by_stem: BTreeMap<String, Vec<String>>,
}

impl Package {
    fn add(&mut self, path: &str) {
        let of_stem = self.by_stem.entry(stem_of(path).to_owned()).or_default();
        push(of_stem, path, IMPORT_CANDIDATES);
        push(&mut self.files, path, FILES_OF_IMPORT);
        if path.ends_with(".kt") {
            push(&mut self.kotlin, path, IMPORT_CANDIDATES);
        }
    }
}

fn push(files: &mut Vec<String>, path: &str, most: usize) {
    if files.len() < most {
        files.push(path.to_owned());
    }
}

impl Jvm {
    pub(super) fn new(files: &[(&str, &[ImportPath])]) -> Self {
        let mut jvm = Self::default();
        for (path, imports) in files {
            let package = imports.iter().find_map(|import| match &import.target {
                Target::JvmPackage(name) => Some(name),
                _ => None,
            });
            if let Some(package) = package {
                jvm.packages.entry(package.clone()).or_default().add(path);
            }
        }
        jvm
    }

    /// Returns the files that an import names. A class has a file of its name, mostly; what else a
    /// package of Kotlin holds may stand in any of its files.
    pub(super) fn resolve(&self, path: &[String], is_star: bool) -> (Imported, Source) {
        let Some((package, rest)) = self.longest_package(path) else {
            return (Imported::External, Source::Heuristic);
        };
        let imported = match rest.first() {
            None if is_star => Imported::Files(package.files.clone()),
            // A package alone is nothing to import.
            None => Imported::Missing,
            Some(name) => match package.by_stem.get(name).map(Vec::as_slice) {
                Some([file]) => Imported::Files(vec![file.clone()]),
                Some(several) => Imported::Several(several.to_vec()),
                None => elsewhere(package, name, rest.len()),
            },
        };
        (imported, Source::Heuristic)
    }

    /// Returns the files of the longest package that a path begins with, and the names behind it.
    fn longest_package<'p>(&self, path: &'p [String]) -> Option<(&Package, &'p [String])> {
        (1..=path.len()).rev().find_map(|length| {
            let (names, rest) = path.split_at(length);
            let package = self.packages.get(&names.join("."))?;
            Some((package, rest))
        })
    }
}

/// Returns where a name of a package is that no file is called by.
fn elsewhere(package: &Package, name: &str, names: usize) -> Imported {
    let is_class = name.starts_with(char::is_uppercase);
    match (is_class, names) {
        // A package of a library whose name begins as that of one here: `a.b.lib.C`.
        (false, 2..) => Imported::External,
        _ if !package.kotlin.is_empty() => Imported::Several(package.kotlin.clone()),
        (true, _) => Imported::Missing,
        (false, _) => Imported::External,
    }
}
