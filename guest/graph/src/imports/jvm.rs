//! Resolution of Java and Kotlin classes, by the package declarations of files.

use std::collections::BTreeMap;

use docent_code::Source;
use docent_code::imports::{ImportPath, ImportedName};

use super::paths::stem_of;
use super::target::ImportTarget;
use crate::limits::{FILES_OF_IMPORT, IMPORT_CANDIDATES};

/// The packages of a tree.
#[derive(Debug, Default)]
pub(super) struct Jvm {
    packages: BTreeMap<String, JvmPackage>,
}

/// The files of a package, up to the maximum that an import resolves to.
#[derive(Debug, Default)]
struct JvmPackage {
    files: Vec<String>,
    /// Kotlin files.
    kotlin: Vec<String>,
    /// All files, by their names without extension.
    by_stem: BTreeMap<String, Vec<String>>,
}

impl JvmPackage {
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
                ImportedName::JvmPackage(name) => Some(name),
                _ => None,
            });
            if let Some(package) = package {
                jvm.packages.entry(package.clone()).or_default().add(path);
            }
        }
        jvm
    }

    /// Returns the files that an import names. A class is usually in a file of the same name; other
    /// members of a Kotlin package may be in any of its files.
    pub(super) fn resolve(&self, path: &[String], is_star: bool) -> (ImportTarget, Source) {
        let Some((package, rest)) = self.longest_package(path) else {
            return (ImportTarget::External, Source::Heuristic);
        };
        let imported = match rest.first() {
            None if is_star => ImportTarget::Files(package.files.clone()),
            // A package alone cannot be imported.
            None => ImportTarget::Missing,
            Some(name) => match package.by_stem.get(name).map(Vec::as_slice) {
                Some([file]) => ImportTarget::Files(vec![file.clone()]),
                Some(several) => ImportTarget::Several(several.to_vec()),
                None => elsewhere(package, name, rest.len()),
            },
        };
        (imported, Source::Heuristic)
    }

    /// Returns the files of the longest package that is a prefix of a path, and the names after it.
    fn longest_package<'p>(&self, path: &'p [String]) -> Option<(&JvmPackage, &'p [String])> {
        (1..=path.len()).rev().find_map(|length| {
            let (names, rest) = path.split_at(length);
            let package = self.packages.get(&names.join("."))?;
            Some((package, rest))
        })
    }
}

/// Resolves a name in a package that is not the name of a file.
fn elsewhere(package: &JvmPackage, name: &str, names: usize) -> ImportTarget {
    let is_class = name.starts_with(char::is_uppercase);
    match (is_class, names) {
        // `a.b.lib.C` belongs to the package `a.b.lib` of a library, although the tree has a
        // package `a.b`.
        (false, 2..) => ImportTarget::External,
        _ if !package.kotlin.is_empty() => ImportTarget::Several(package.kotlin.clone()),
        (true, _) => ImportTarget::Missing,
        (false, _) => ImportTarget::External,
    }
}
