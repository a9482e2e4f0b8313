//! Classes of Java and Kotlin, by the packages that files say they belong to.

use std::collections::BTreeMap;

use docent_code::Source;
use docent_code::imports::{ImportPath, Target};

use super::Imported;
use super::paths::stem_of;

/// The packages of a tree: their files in order, by the names of the files without extension.
#[derive(Debug, Default)]
pub(super) struct Jvm {
    packages: BTreeMap<String, BTreeMap<String, Vec<String>>>,
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
                let files = jvm.packages.entry(package.clone()).or_default();
                let of_stem = files.entry(stem_of(path).to_owned()).or_default();
                of_stem.push((*path).to_owned());
            }
        }
        jvm
    }

    /// Returns the files that an import names. A class has a file of its name, mostly; what else a
    /// package of Kotlin holds may stand in any of its files.
    pub(super) fn resolve(&self, path: &[String], is_star: bool) -> (Imported, Source) {
        let Some((files, rest)) = self.longest_package(path) else {
            return (Imported::External, Source::Heuristic);
        };
        let imported = match rest.first() {
            None if is_star => Imported::Files(files.values().flatten().cloned().collect()),
            // A package alone is nothing to import.
            None => Imported::Missing,
            Some(name) => match files.get(name).map(Vec::as_slice) {
                Some([file]) => Imported::Files(vec![file.clone()]),
                Some(several) => Imported::Several(several.to_vec()),
                None => elsewhere(files, name, rest.len()),
            },
        };
        (imported, Source::Heuristic)
    }

    /// Returns the files of the longest package that a path begins with, and the names behind it.
    fn longest_package<'p>(
        &self,
        path: &'p [String],
    ) -> Option<(&BTreeMap<String, Vec<String>>, &'p [String])> {
        (1..=path.len()).rev().find_map(|length| {
            let (package, rest) = path.split_at(length);
            let files = self.packages.get(&package.join("."))?;
            Some((files, rest))
        })
    }
}

/// Returns where a name of a package is that no file is called by.
fn elsewhere(files: &BTreeMap<String, Vec<String>>, name: &str, names: usize) -> Imported {
    let kotlin = files
        .values()
        .flatten()
        .filter(|file| file.ends_with(".kt"));
    let kotlin: Vec<String> = kotlin.cloned().collect();
    let is_class = name.starts_with(char::is_uppercase);
    match (is_class, names) {
        // A package of a library whose name begins as that of one here: `a.b.lib.C`.
        (false, 2..) => Imported::External,
        _ if kotlin.is_empty() && is_class => Imported::Missing,
        _ if kotlin.is_empty() => Imported::External,
        _ => Imported::Several(kotlin),
    }
}
