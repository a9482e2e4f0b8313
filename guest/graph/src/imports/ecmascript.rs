//! Modules of JavaScript and TypeScript: relative ones, names that stand for paths, and packages of
//! the tree.

use std::collections::BTreeMap;

use docent_code::Source;

use super::exports::{Aliases, Asker, Branch, meant};
use super::paths::{at, child, name_of, parent, upwards};
use super::settings::Settings;
use super::tsconfig::Configs;
use super::workspaces::Workspaces;
use super::{Imported, Manifests};
use crate::names::Names;

/// Packages and configurations of a tree.
#[derive(Debug)]
pub(super) struct Ecmascript {
    packages: BTreeMap<String, Package>,
    workspaces: Workspaces,
    configs: Configs,
}

/// How code asks for a module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Statement {
    /// `import`, `export from` or `import()`.
    Import,
    /// `require()`.
    Require,
}

/// What a `package.json` says.
#[derive(Debug)]
struct Package {
    name: Option<String>,
    /// Whether its scripts are modules.
    is_module: bool,
    /// The files that stand for all of it, sources first.
    entries: Vec<String>,
    /// What it shows to others, where it says so.
    exports: Aliases,
    /// Names that begin with `#`.
    imports: Aliases,
    /// Directories of packages that it uses, by name.
    used: BTreeMap<String, String>,
}

/// Extensions that may be left out, in the order in which they are tried; in a script those of
/// scripts come first, for nothing else is found when it runs.
const EXTENSIONS: [&str; 10] = [
    "ts", "tsx", "d.ts", "mts", "cts", "js", "jsx", "mjs", "cjs", "json",
];
const SCRIPT_EXTENSIONS: [&str; 10] = [
    "js", "jsx", "mjs", "cjs", "json", "ts", "tsx", "mts", "cts", "d.ts",
];

/// What an extension of a script may mean: the file that it is made from.
const MEANT: [(&str, &[&str]); 4] = [
    (".js", &[".ts", ".tsx", ".d.ts", ".jsx"]),
    (".jsx", &[".tsx", ".d.ts"]),
    (".mjs", &[".mts", ".d.mts"]),
    (".cjs", &[".cts", ".d.cts"]),
];

/// Ends of the names of files that only declare types.
const DECLARATIONS: [&str; 3] = [".d.ts", ".d.mts", ".d.cts"];

/// Directories into which packages are built, mostly from `src`.
const BUILT: [&str; 8] = ["dist", "lib", "build", "out", "esm", "es", "cjs", "types"];

impl Ecmascript {
    pub(super) fn new(manifests: &Manifests, names: &Names) -> Self {
        let packages = manifests
            .iter()
            .filter(|(path, _)| name_of(path) == "package.json" && names.has_file(path))
            .map(|(path, settings)| {
                let directory = parent(path);
                (directory.to_owned(), Package::of(directory, settings))
            });
        let workspaces = Workspaces::new(manifests);
        Self {
            packages: packages.collect(),
            configs: Configs::new(manifests, &workspaces),
            workspaces,
        }
    }

    /// Returns where a specifier in the file `from` leads.
    pub(super) fn resolve(
        &self,
        from: &str,
        specifier: &str,
        statement: Statement,
        names: &Names,
    ) -> (Imported, Source) {
        let probe = Probe::of(from, self.asker(from, statement), names);
        if is_relative(specifier) {
            return (self.relative(from, specifier, &probe), Source::Parsed);
        }
        // `node:fs`, `https://…`, and paths from the root of a machine or a site.
        let first = specifier.split('/').next().unwrap_or_default();
        if specifier.starts_with('/') || first.contains(':') {
            return (Imported::External, Source::Parsed);
        }
        if let Some(found) = self.aliased(from, specifier, &probe) {
            return found;
        }
        match self.package_named(from, specifier) {
            Some((directory, rest)) => self.entry(directory, &format!(".{rest}"), &probe),
            None => (Imported::External, Source::Parsed),
        }
    }

    /// Returns who asks for a file in `from`, as far as its name and its package tell.
    fn asker(&self, from: &str, statement: Statement) -> Asker {
        let extension = extension(from);
        let is_module = || self.nearest(from).is_some_and(|(_, it)| it.is_module);
        let is_import = match (statement, extension) {
            (Statement::Require, _) => Some(false),
            // Scripts run as they stand.
            (Statement::Import, "js" | "jsx" | "mjs" | "cjs" | "mts") => Some(true),
            (Statement::Import, "ts" | "tsx") if is_module() => Some(true),
            // A compiler may make `require` of it.
            (Statement::Import, _) => None,
        };
        Asker {
            is_import,
            wants_types: matches!(extension, "ts" | "tsx" | "mts" | "cts"),
        }
    }

    fn relative(&self, from: &str, specifier: &str, probe: &Probe<'_>) -> Imported {
        let Some(path) = at(parent(from), specifier) else {
            return Imported::External;
        };
        let last = name_of(specifier);
        let found = if matches!(last, "" | "." | "..") {
            self.directory(&path, probe)
        } else {
            self.path(&path, probe)
        };
        // `./a.svg?raw` is the file `a.svg` to those who build.
        let found = found.or_else(|| {
            let (path, _) = path.split_once('?')?;
            self.path(path, probe)
        });
        found.map_or(Imported::Missing, |file| Imported::Files(vec![file]))
    }

    /// Returns the file that a path means without its extension, or as a directory.
    fn path(&self, path: &str, probe: &Probe<'_>) -> Option<String> {
        probe.file(path).or_else(|| self.directory(path, probe))
    }

    fn directory(&self, path: &str, probe: &Probe<'_>) -> Option<String> {
        if !probe.names.has(path) {
            return None;
        }
        if let Some(package) = self.packages.get(path) {
            let entries = probe.preferred(&package.entries);
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

    /// Returns where a name leads that the nearest package or configuration gives a meaning.
    fn aliased(
        &self,
        from: &str,
        specifier: &str,
        probe: &Probe<'_>,
    ) -> Option<(Imported, Source)> {
        let found = |file| Some((Imported::Files(vec![file]), Source::Parsed));
        if specifier.starts_with('#')
            && let Some((directory, package)) = self.nearest(from)
            && let Some(branches) = package.imports.branches(specifier)
        {
            let (imported, known_by) = self.chosen(directory, &branches, probe);
            // `"#a": "library"`
            let is_package = |branch: &Branch| !branch.path().starts_with("./");
            let is_external = imported == Imported::Missing && branches.iter().any(is_package);
            let imported = if is_external {
                Imported::External
            } else {
                imported
            };
            return Some((imported, known_by));
        }
        for config in self.configs.of(from) {
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
            .then_some((Imported::Missing, Source::Parsed))
    }

    fn nearest<'p>(&self, from: &'p str) -> Option<(&'p str, &Package)> {
        upwards(parent(from)).find_map(|directory| {
            let package = self.packages.get(directory)?;
            Some((directory, package))
        })
    }

    /// Returns the directory of the package that a specifier names, and what follows its name.
    fn package_named<'s>(&self, from: &str, specifier: &'s str) -> Option<(&str, &'s str)> {
        let names_of_package = if specifier.starts_with('@') { 2 } else { 1 };
        let slash = specifier.match_indices('/').nth(names_of_package - 1);
        let (name, rest) = specifier.split_at(slash.map_or(specifier.len(), |(at, _)| at));
        let nearest = self.nearest(from);
        // Without `exports` its own name means what is installed under it.
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

    /// Returns where a package leads by a path of it, `.` for the whole.
    fn entry(&self, directory: &str, path: &str, probe: &Probe<'_>) -> (Imported, Source) {
        let Some(package) = self.packages.get(directory) else {
            return (Imported::Missing, Source::Parsed);
        };
        if !package.exports.is_empty() {
            let branches = package.exports.branches(path).unwrap_or_default();
            return self.chosen(directory, &branches, probe);
        }
        let whole = at(directory, path);
        let found = match path {
            "." => self.directory(directory, probe),
            _ => whole.and_then(|path| self.path(&path, probe)),
        };
        if let Some(file) = found {
            return (Imported::Files(vec![file]), Source::Parsed);
        }
        match path {
            "." => self.target(directory, &package.entries, probe),
            path => self.target(directory, &[path.to_owned()], probe),
        }
    }

    /// Returns the file of a package that its conditions lead to, or the files where some of the
    /// conditions may hold or not.
    fn chosen(
        &self,
        directory: &str,
        branches: &[Branch],
        probe: &Probe<'_>,
    ) -> (Imported, Source) {
        let mut files = Vec::new();
        let mut known_by = Source::Parsed;
        for paths in meant(branches, probe.asker) {
            if let (Imported::Files(found), source) = self.target(directory, &paths, probe) {
                if source != Source::Parsed {
                    known_by = source;
                }
                files.extend(found);
            }
        }
        files.sort_unstable();
        files.dedup();
        match files.len() {
            // Nothing of it is there: whatever the package shows is all that can be meant.
            0 => {
                let all = branches.iter().map(|branch| branch.path().to_owned());
                self.target(directory, &all.collect::<Vec<_>>(), probe)
            }
            1 => (Imported::Files(files), known_by),
            _ => (Imported::Several(files), known_by),
        }
    }

    /// Returns the first of the files of a package that is there; where all are still to be built,
    /// what they are likely built from.
    fn target(&self, directory: &str, targets: &[String], probe: &Probe<'_>) -> (Imported, Source) {
        let there = |target: &String| at(directory, target).and_then(|path| probe.file(&path));
        if let Some(file) = probe.preferred(targets).find_map(there) {
            return (Imported::Files(vec![file]), Source::Parsed);
        }
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
            Some(file) => (Imported::Files(vec![file]), Source::Heuristic),
            None => (Imported::Missing, Source::Parsed),
        }
    }
}

impl Package {
    fn of(directory: &str, settings: &Settings) -> Self {
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

/// Returns the aliases of a table whose keys begin with `sign`; one without such keys is that of
/// the package as a whole. The keys behind are conditions.
fn aliases(settings: &Settings, table: &str, sign: char) -> Aliases {
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

/// Looks for files by names that leave something out.
struct Probe<'n> {
    names: &'n Names,
    asker: Asker,
    /// Whether it is for a script, which runs as it stands.
    is_script: bool,
    extensions: &'static [&'static str],
}

impl<'n> Probe<'n> {
    fn of(from: &str, asker: Asker, names: &'n Names) -> Self {
        let is_script = matches!(extension(from), "js" | "jsx" | "mjs" | "cjs");
        let extensions = if is_script {
            &SCRIPT_EXTENSIONS
        } else {
            &EXTENSIONS
        };
        Self {
            names,
            asker,
            is_script,
            extensions,
        }
    }

    /// Returns paths in the order in which they are tried: what only declares types comes last for
    /// a script.
    fn preferred<'p>(&self, paths: &'p [String]) -> impl Iterator<Item = &'p String> {
        let is_script = self.is_script;
        let is_late =
            move |path: &&String| is_script && DECLARATIONS.iter().any(|end| path.ends_with(end));
        let first = paths.iter().filter(move |path| !is_late(path));
        first.chain(paths.iter().filter(is_late))
    }

    /// Returns the file of this path, of the path that it is made from, or of the path with an
    /// extension.
    fn file(&self, path: &str) -> Option<String> {
        if self.names.has_file(path) {
            return Some(path.to_owned());
        }
        let meant = MEANT.iter().find_map(|(written, meant)| {
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
