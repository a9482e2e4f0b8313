//! Resolution of JavaScript and TypeScript modules: relative paths, aliases, and packages of the
//! tree.

use std::collections::BTreeMap;

use docent_code::Source;

use super::exports::{Aliases, Branch, Importer, candidate_paths};
use super::paths::{at, child, name_of, parent, upwards};
use super::settings::ManifestSettings;
use super::settings::Manifests;
use super::target::ImportTarget;
use super::tsconfig::Configs;
use super::workspaces::Workspaces;
use crate::names::Names;

/// The packages and configurations of a tree.
#[derive(Debug)]
pub(super) struct Ecmascript {
    packages: BTreeMap<String, NpmPackage>,
    workspaces: Workspaces,
    configs: Configs,
}

/// The statement that imports a module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ImportStatement {
    /// `import`, `export from` or `import()`.
    Import,
    /// `require()`.
    Require,
}

/// The settings of a `package.json`.
#[derive(Debug)]
struct NpmPackage {
    name: Option<String>,
    /// True if its scripts are modules.
    is_module: bool,
    /// Files that the package as a whole resolves to, sources first.
    entries: Vec<String>,
    /// Exports, if it declares any.
    exports: Aliases,
    /// Names that begin with `#`.
    imports: Aliases,
    /// Directories of its dependencies, by name.
    used: BTreeMap<String, String>,
}

/// Extensions that may be omitted, in the order in which they are tried. For a script those of
/// scripts come first, since nothing else is found when it runs.
const EXTENSIONS: [&str; 10] = [
    "ts", "tsx", "d.ts", "mts", "cts", "js", "jsx", "mjs", "cjs", "json",
];
const SCRIPT_EXTENSIONS: [&str; 10] = [
    "js", "jsx", "mjs", "cjs", "json", "ts", "tsx", "mts", "cts", "d.ts",
];

/// Extensions of the source files from which a script with a given extension is made.
const SOURCE_EXTENSIONS: [(&str, &[&str]); 4] = [
    (".js", &[".ts", ".tsx", ".d.ts", ".jsx"]),
    (".jsx", &[".tsx", ".d.ts"]),
    (".mjs", &[".mts", ".d.mts"]),
    (".cjs", &[".cts", ".d.cts"]),
];

/// Endings of files that only declare types.
const DECLARATIONS: [&str; 3] = [".d.ts", ".d.mts", ".d.cts"];

/// Directories of build output, usually built from `src`.
const BUILT: [&str; 8] = ["dist", "lib", "build", "out", "esm", "es", "cjs", "types"];

impl Ecmascript {
    pub(super) fn new(manifests: &Manifests, names: &Names) -> Self {
        let packages = manifests
            .iter()
            .filter(|(path, _)| name_of(path) == "package.json" && names.has_file(path))
            .map(|(path, settings)| {
                let directory = parent(path);
                (directory.to_owned(), NpmPackage::new(directory, settings))
            });
        let workspaces = Workspaces::new(manifests);
        Self {
            packages: packages.collect(),
            configs: Configs::new(manifests, &workspaces),
            workspaces,
        }
    }

    /// Resolves a specifier in the file `from`.
    pub(super) fn resolve(
        &self,
        from: &str,
        specifier: &str,
        statement: ImportStatement,
        names: &Names,
    ) -> (ImportTarget, Source) {
        let probe = Probe::new(from, self.importer(from, statement), names);
        if is_relative(specifier) {
            return (self.relative(from, specifier, &probe), Source::Parsed);
        }
        // `node:fs`, `https://…`, and absolute paths of a machine or a site.
        let first = specifier.split('/').next().unwrap_or_default();
        if specifier.starts_with('/') || first.contains(':') {
            return (ImportTarget::External, Source::Parsed);
        }
        if let Some(found) = self.resolve_alias(from, specifier, &probe) {
            return found;
        }
        match self.package_named(from, specifier) {
            Some((directory, rest)) => self.entry(directory, &format!(".{rest}"), &probe),
            None => (ImportTarget::External, Source::Parsed),
        }
    }

    /// Returns the properties of the importing file `from`, by its name and its package.
    fn importer(&self, from: &str, statement: ImportStatement) -> Importer {
        let extension = extension(from);
        let is_module = || self.nearest(from).is_some_and(|(_, it)| it.is_module);
        let is_import = match (statement, extension) {
            (ImportStatement::Require, _) => Some(false),
            // A script runs as it is written, so that its `import` stays one.
            (ImportStatement::Import, "js" | "jsx" | "mjs" | "cjs" | "mts") => Some(true),
            (ImportStatement::Import, "ts" | "tsx") if is_module() => Some(true),
            // TypeScript's `import` stays one or becomes `require`, depending on the compiler's
            // settings.
            (ImportStatement::Import, _) => None,
        };
        Importer {
            is_import,
            wants_types: matches!(extension, "ts" | "tsx" | "mts" | "cts"),
        }
    }

    fn relative(&self, from: &str, specifier: &str, probe: &Probe<'_>) -> ImportTarget {
        let Some(path) = at(parent(from), specifier) else {
            return ImportTarget::External;
        };
        let last = name_of(specifier);
        let found = if matches!(last, "" | "." | "..") {
            self.directory(&path, probe)
        } else {
            self.path(&path, probe)
        };
        // `./a.svg?raw` is the file `a.svg` to bundlers.
        let found = found.or_else(|| {
            let (path, _) = path.split_once('?')?;
            self.path(path, probe)
        });
        found.map_or(ImportTarget::Missing, |file| {
            ImportTarget::Files(vec![file])
        })
    }

    /// Resolves a path without its extension, or a directory.
    fn path(&self, path: &str, probe: &Probe<'_>) -> Option<String> {
        probe.file(path).or_else(|| self.directory(path, probe))
    }

    fn directory(&self, path: &str, probe: &Probe<'_>) -> Option<String> {
        if !probe.names.has(path) {
            return None;
        }
        if let Some(package) = self.packages.get(path) {
            let entries = probe.sort_by_preference(&package.entries);
            let mut entries = entries.filter_map(|entry| at(path, entry));
            let found = entries.find_map(|entry| {
                let index = child(&entry, "index");
                probe.file(&entry).or_else(|| probe.with_extension(&index))
            });
            if found.is_some() {
                return found;
            }
        }
        probe.with_extension(&child(path, "index"))
    }

    /// Resolves a name that the nearest package or configuration defines as an alias.
    fn resolve_alias(
        &self,
        from: &str,
        specifier: &str,
        probe: &Probe<'_>,
    ) -> Option<(ImportTarget, Source)> {
        let found = |file| Some((ImportTarget::Files(vec![file]), Source::Parsed));
        if specifier.starts_with('#')
            && let Some((directory, package)) = self.nearest(from)
            && let Some(branches) = package.imports.branches(specifier)
        {
            let (imported, known_by) = self.select(directory, &branches, probe);
            // `"#a": "library"`
            let is_package = |branch: &Branch| !branch.path().starts_with("./");
            let is_external = imported == ImportTarget::Missing && branches.iter().any(is_package);
            let imported = if is_external {
                ImportTarget::External
            } else {
                imported
            };
            return Some((imported, known_by));
        }
        for config in self.configs.for_file(from) {
            let targets = config.aliases.targets(specifier).unwrap_or_default();
            let mut files = targets.iter().filter_map(|path| self.path(path, probe));
            if let Some(file) = files.next() {
                return found(file);
            }
            let based = config.base.as_ref().and_then(|base| at(base, specifier));
            if let Some(file) = based.and_then(|path| self.path(&path, probe)) {
                return found(file);
            }
        }
        specifier
            .starts_with('#')
            .then_some((ImportTarget::Missing, Source::Parsed))
    }

    fn nearest<'p>(&self, from: &'p str) -> Option<(&'p str, &NpmPackage)> {
        upwards(parent(from)).find_map(|directory| {
            let package = self.packages.get(directory)?;
            Some((directory, package))
        })
    }

    /// Returns the directory of the package that a specifier names, and the rest of the specifier.
    fn package_named<'s>(&self, from: &str, specifier: &'s str) -> Option<(&str, &'s str)> {
        let names_of_package = if specifier.starts_with('@') { 2 } else { 1 };
        let slash = specifier.match_indices('/').nth(names_of_package - 1);
        let (name, rest) = specifier.split_at(slash.map_or(specifier.len(), |(at, _)| at));
        let nearest = self.nearest(from);
        // Node lets a package import itself by name only if its manifest has `exports`. Without
        // them the name refers to whatever is installed under it, as for any other package.
        let own = nearest.filter(|(_, package)| {
            package.name.as_deref() == Some(name) && !package.exports.is_empty()
        });
        let own = own.and_then(|(directory, _)| self.packages.get_key_value(directory));
        let own = own.map(|(directory, _)| directory.as_str());
        let used = nearest.and_then(|(_, package)| package.used.get(name).map(String::as_str));
        let directory = own
            .or(used)
            .or_else(|| self.workspaces.member(from, name))?;
        Some((directory, rest))
    }

    /// Resolves a path within a package, `.` for the package as a whole.
    fn entry(&self, directory: &str, path: &str, probe: &Probe<'_>) -> (ImportTarget, Source) {
        let Some(package) = self.packages.get(directory) else {
            return (ImportTarget::Missing, Source::Parsed);
        };
        if !package.exports.is_empty() {
            let branches = package.exports.branches(path).unwrap_or_default();
            return self.select(directory, &branches, probe);
        }
        let whole = at(directory, path);
        let found = match path {
            "." => self.directory(directory, probe),
            _ => whole.and_then(|path| self.path(&path, probe)),
        };
        if let Some(file) = found {
            return (ImportTarget::Files(vec![file]), Source::Parsed);
        }
        match path {
            "." => self.target(directory, &package.entries, probe),
            path => self.target(directory, &[path.to_owned()], probe),
        }
    }

    /// Returns the file of a package that its conditions select, or all candidates if some
    /// conditions are undecided.
    fn select(
        &self,
        directory: &str,
        branches: &[Branch],
        probe: &Probe<'_>,
    ) -> (ImportTarget, Source) {
        let mut files = Vec::new();
        let mut known_by = Source::Parsed;
        for paths in candidate_paths(branches, probe.importer) {
            if let (ImportTarget::Files(found), source) = self.target(directory, &paths, probe) {
                if source != Source::Parsed {
                    known_by = source;
                }
                files.extend(found);
            }
        }
        files.sort_unstable();
        files.dedup();
        match files.len() {
            // No path that the conditions select exists. Then any other exported path that
            // exists, or whose source exists, is better than no target.
            0 => {
                let all = branches.iter().map(|branch| branch.path().to_owned());
                self.target(directory, &all.collect::<Vec<_>>(), probe)
            }
            1 => (ImportTarget::Files(files), known_by),
            _ => (ImportTarget::Several(files), known_by),
        }
    }

    /// Returns the first file of a package that exists; if all are still to be built, the sources
    /// from which they are probably built.
    fn target(
        &self,
        directory: &str,
        targets: &[String],
        probe: &Probe<'_>,
    ) -> (ImportTarget, Source) {
        let there = |target: &String| at(directory, target).and_then(|path| probe.file(&path));
        if let Some(file) = probe.sort_by_preference(targets).find_map(there) {
            return (ImportTarget::Files(vec![file]), Source::Parsed);
        }
        // `./dist/esm/a.js` is written by a build and usually not in the repository. Its source
        // is most likely `src/esm/a.ts`, so that file is tried, and reported as heuristic
        // because only the configuration of the build could tell.
        let built = targets.iter().find_map(|target| {
            let target = target.trim_start_matches("./");
            let (first, rest) = target.split_once('/').unwrap_or(("", target));
            let rest = if BUILT.contains(&first) { rest } else { target };
            let source = child(&child(directory, "src"), rest);
            probe
                .file(&source)
                .or_else(|| probe.with_extension(without_extension(&source)))
        });
        match built {
            Some(file) => (ImportTarget::Files(vec![file]), Source::Heuristic),
            None => (ImportTarget::Missing, Source::Parsed),
        }
    }
}

impl NpmPackage {
    fn new(directory: &str, settings: &ManifestSettings) -> Self {
        let entries = ["source", "types", "typings", "module", "main", "browser"];
        let entries = entries.iter().filter_map(|key| settings.value(&[key]));
        let mut used = BTreeMap::new();
        for table in [
            "dependencies",
            "devDependencies",
            "peerDependencies",
            "optionalDependencies",
        ] {
            for (keys, value) in settings.below(&[table]) {
                let path = value.and_then(|value| {
                    value
                        .strip_prefix("file:")
                        .or_else(|| value.strip_prefix("link:"))
                });
                if let ([name], Some(path)) = (keys, path.and_then(|path| at(directory, path))) {
                    used.insert(name.clone(), path);
                }
            }
        }
        Self {
            name: settings.value(&["name"]).map(str::to_owned),
            is_module: settings.value(&["type"]) == Some("module"),
            entries: entries.map(str::to_owned).collect(),
            exports: aliases(settings, "exports", '.'),
            imports: aliases(settings, "imports", '#'),
            used,
        }
    }
}

/// Returns the aliases of a table whose keys begin with `sign`. A table without such keys describes
/// the package as a whole. Nested keys are conditions.
fn aliases(settings: &ManifestSettings, table: &str, sign: char) -> Aliases {
    let mut named: BTreeMap<String, Vec<Branch>> = BTreeMap::new();
    for (keys, value) in settings.below(&[table]) {
        let (name, conditions) = match keys.split_first() {
            Some((first, rest)) if first.starts_with(sign) => (first.as_str(), rest),
            _ => (".", keys),
        };
        if name != "." || value.is_some() || keys.first().is_some_and(|key| key == ".") {
            let targets = named.entry(name.to_owned()).or_default();
            targets.extend(value.map(|path| Branch::new(conditions, path)));
        }
    }
    Aliases::new(named)
}

fn is_relative(specifier: &str) -> bool {
    let first = specifier.split('/').next();
    matches!(first, Some("." | ".."))
}

fn without_extension(path: &str) -> &str {
    let mut ends = DECLARATIONS.iter();
    if let Some(stem) = ends.find_map(|end| path.strip_suffix(end)) {
        return stem;
    }
    let start = path.len() - name_of(path).len();
    let dot = path[start..].rfind('.').filter(|dot| *dot > 0);
    dot.map_or(path, |dot| &path[..start + dot])
}

fn extension(path: &str) -> &str {
    path.rsplit_once('.').map_or("", |(_, extension)| extension)
}

/// A search for files by names that omit something.
struct Probe<'n> {
    names: &'n Names,
    importer: Importer,
    /// True if it is for a script, which runs as it is.
    is_script: bool,
    extensions: &'static [&'static str],
}

impl<'n> Probe<'n> {
    fn new(from: &str, importer: Importer, names: &'n Names) -> Self {
        let is_script = matches!(extension(from), "js" | "jsx" | "mjs" | "cjs");
        let extensions = if is_script {
            &SCRIPT_EXTENSIONS
        } else {
            &EXTENSIONS
        };
        Self {
            names,
            importer,
            is_script,
            extensions,
        }
    }

    /// Returns paths in the order in which they are tried. For a script, files that only declare
    /// types come last.
    fn sort_by_preference<'p>(&self, paths: &'p [String]) -> impl Iterator<Item = &'p String> {
        let is_script = self.is_script;
        let is_late =
            move |path: &&String| is_script && DECLARATIONS.iter().any(|end| path.ends_with(end));
        let first = paths.iter().filter(move |path| !is_late(path));
        first.chain(paths.iter().filter(is_late))
    }

    /// Returns the file at this path, the one it is made from, or the one with an extension.
    fn file(&self, path: &str) -> Option<String> {
        if self.names.has_file(path) {
            return Some(path.to_owned());
        }
        let meant = SOURCE_EXTENSIONS.iter().find_map(|(written, meant)| {
            let stem = path.strip_suffix(written)?;
            let mut meant = meant.iter().map(|extension| format!("{stem}{extension}"));
            meant.find(|path| self.names.has_file(path))
        });
        meant.or_else(|| self.with_extension(path))
    }

    fn with_extension(&self, path: &str) -> Option<String> {
        let extensions = self.extensions.iter();
        let mut paths = extensions.map(|extension| format!("{path}.{extension}"));
        paths.find(|path| self.names.has_file(path))
    }
}
