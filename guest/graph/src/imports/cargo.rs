//! Packages, crate roots and dependencies, from `Cargo.toml`.

use std::collections::{BTreeMap, BTreeSet};

use super::paths::{at, below, child, name_of, parent, upwards};
use super::settings::ManifestSettings;
use super::settings::Manifests;
use crate::names::Names;

/// The packages of a tree by directory.
#[derive(Debug, Default)]
pub(super) struct Cargo {
    packages: BTreeMap<String, CargoPackage>,
}

/// A Cargo package.
#[derive(Debug)]
pub(super) struct CargoPackage {
    /// Name of its library in the code of others.
    library: String,
    /// Root of its library, if it has one.
    pub(super) library_root: Option<String>,
    /// Other crate roots that its manifest names.
    roots: BTreeSet<String>,
    /// Directories of its dependencies in the tree, by their names in its code.
    used: BTreeMap<String, String>,
    /// True if `use a` begins at the root of the crate, as before the 2018 edition.
    pub(super) is_of_2015: bool,
}

/// A dependency as one manifest declares it.
#[derive(Debug, Default)]
struct Dependency {
    path: Option<String>,
    is_renamed: bool,
    is_of_workspace: bool,
}

/// The settings of a workspace that its packages inherit.
#[derive(Debug, Default)]
struct Workspace {
    /// Dependencies in the tree, by name.
    dependencies: BTreeMap<String, Dependency>,
    /// Directories of packages in the tree that replace others.
    patches: BTreeMap<String, String>,
    edition: Option<String>,
}

const TABLES: [&str; 3] = ["dependencies", "dev-dependencies", "build-dependencies"];

/// Sections of a manifest that each describe a crate.
const TARGETS: [&str; 5] = ["lib", "bin", "test", "example", "bench"];

impl Cargo {
    pub(super) fn new(manifests: &Manifests, names: &Names) -> Self {
        let manifests = manifests.iter();
        let manifests: BTreeMap<&str, &ManifestSettings> = manifests
            .filter(|(path, _)| name_of(path) == "Cargo.toml")
            .map(|(path, settings)| (parent(path), settings))
            .collect();
        let workspaces: BTreeMap<&str, Workspace> = manifests
            .iter()
            .filter(|(_, settings)| settings.has(&["workspace"]))
            .map(|(directory, settings)| (*directory, Workspace::new(directory, settings)))
            .collect();
        let none = Workspace::default();
        let mut packages = BTreeMap::new();
        // Two passes: in code a dependency has the name of its library, which its own manifest
        // may change with `[lib] name`. So all packages must be known before dependencies get
        // their names.
        let mut wanted = Vec::new();
        for (directory, settings) in &manifests {
            let mut above = upwards(directory);
            let workspace = above.find_map(|above| workspaces.get(above));
            let workspace = workspace.unwrap_or(&none);
            if let Some(package) = CargoPackage::new(directory, settings, workspace, names) {
                packages.insert((*directory).to_owned(), package);
                wanted.push((*directory, dependencies(directory, settings, workspace)));
            }
        }
        for (directory, used) in wanted {
            let named: BTreeMap<String, String> = used
                .into_iter()
                .filter_map(|(name, path, is_renamed)| {
                    let library = &packages.get(&path)?.library;
                    let name = if is_renamed {
                        code_name(&name)
                    } else {
                        library.clone()
                    };
                    Some((name, path))
                })
                .collect();
            if let Some(package) = packages.get_mut(directory) {
                package.used = named;
            }
        }
        Self { packages }
    }

    /// Returns the package that contains a file, with its directory.
    pub(super) fn package_of<'p>(&self, path: &'p str) -> Option<(&'p str, &CargoPackage)> {
        upwards(parent(path)).find_map(|directory| {
            let package = self.packages.get(directory)?;
            Some((directory, package))
        })
    }

    /// Returns true if a file is a crate root.
    pub(super) fn is_root(&self, path: &str) -> bool {
        let Some((directory, package)) = self.package_of(path) else {
            return false;
        };
        let is_library = package.library_root.as_deref() == Some(path);
        let names: Vec<&str> = below(path, directory).unwrap_or(path).split('/').collect();
        let is_by_convention = match names[..] {
            ["build.rs"] | ["src", "lib.rs" | "main.rs"] => true,
            ["src", "bin", file] | ["tests" | "examples" | "benches", file] => {
                file.ends_with(".rs")
            }
            ["src", "bin", _, "main.rs"] | ["tests" | "examples" | "benches", _, "main.rs"] => true,
            _ => false,
        };
        is_library || is_by_convention || package.roots.contains(path)
    }

    /// Returns the root of the library called `name` in the code of `path`.
    pub(super) fn library(&self, path: &str, name: &str) -> Option<&str> {
        let (_, package) = self.package_of(path)?;
        let library = match package.used.get(name) {
            Some(directory) => self.packages.get(directory)?,
            // The package's own library, which its other crates use by name.
            None if package.library == name => package,
            None => return None,
        };
        library.library_root.as_deref()
    }
}

impl CargoPackage {
    fn new(
        directory: &str,
        settings: &ManifestSettings,
        workspace: &Workspace,
        names: &Names,
    ) -> Option<Self> {
        let name = settings.value(&["package", "name"])?;
        let library = settings.value(&["lib", "name"]).map(str::to_owned);
        let library_root = settings.value(&["lib", "path"]).unwrap_or("src/lib.rs");
        let library_root = at(directory, library_root).filter(|path| names.has_file(path));
        let mut roots = BTreeSet::new();
        for target in TARGETS {
            let keys = [target, "path"];
            roots.extend(
                settings
                    .values(&keys)
                    .filter_map(|path| at(directory, path)),
            );
        }
        let build = settings.value(&["package", "build"]);
        roots.extend(build.and_then(|path| at(directory, path)));
        let edition = settings.value(&["package", "edition"]);
        let edition = edition.or_else(|| {
            let is_shared = settings.has(&["package", "edition", "workspace"]);
            workspace.edition.as_deref().filter(|_| is_shared)
        });
        Some(Self {
            library: library.unwrap_or_else(|| code_name(name)),
            library_root,
            roots,
            used: BTreeMap::new(),
            is_of_2015: matches!(edition, None | Some("2015")),
        })
    }
}

impl Workspace {
    fn new(directory: &str, settings: &ManifestSettings) -> Self {
        let mut workspace = Self {
            edition: settings
                .value(&["workspace", "package", "edition"])
                .map(str::to_owned),
            ..Self::default()
        };
        for (keys, value) in settings.below(&["workspace", "dependencies"]) {
            note(&mut workspace.dependencies, directory, keys, value);
        }
        for (keys, value) in settings.below(&["patch"]) {
            if let ([_, name, field], Some(value)) = (keys, value)
                && field == "path"
                && let Some(path) = at(directory, value)
            {
                workspace.patches.insert(name.clone(), path);
            }
        }
        workspace
    }
}

/// Records one setting of a dependency: `a/path = ../a`.
fn note(
    into: &mut BTreeMap<String, Dependency>,
    directory: &str,
    keys: &[String],
    value: Option<&str>,
) {
    let Some(name) = keys.first() else {
        return;
    };
    let dependency = into.entry(name.clone()).or_default();
    match (keys.get(1).map(String::as_str), value) {
        (Some("path"), Some(path)) => dependency.path = at(directory, path),
        (Some("package"), _) => dependency.is_renamed = true,
        (Some("workspace"), _) => dependency.is_of_workspace = true,
        _ => {}
    }
}

/// Returns the dependencies of a package that are in the tree: the name, the directory, and true if
/// the package has renamed it.
fn dependencies(
    directory: &str,
    settings: &ManifestSettings,
    workspace: &Workspace,
) -> Vec<(String, String, bool)> {
    let mut dependencies = BTreeMap::new();
    for table in TABLES {
        for (keys, value) in settings.below(&[table]) {
            note(&mut dependencies, directory, keys, value);
        }
    }
    for (keys, value) in settings.below(&["target"]) {
        if let [_, table, rest @ ..] = keys
            && TABLES.contains(&table.as_str())
        {
            note(&mut dependencies, directory, rest, value);
        }
    }
    let of_tree = dependencies.into_iter().filter_map(|(name, own)| {
        let shared = workspace.dependencies.get(&name);
        let shared = shared.filter(|_| own.is_of_workspace);
        let path = own
            .path
            .or_else(|| shared.and_then(|shared| shared.path.clone()));
        let path = path.or_else(|| workspace.patches.get(&name).cloned())?;
        let is_renamed = own.is_renamed || shared.is_some_and(|shared| shared.is_renamed);
        Some((name, path, is_renamed))
    });
    of_tree.collect()
}

/// Returns the name of a package in code.
fn code_name(name: &str) -> String {
    name.replace('-', "_")
}

/// Returns the crate root that Cargo finds by convention in `directory`.
pub(super) fn root_by_convention(
    directory: &str,
    package: &CargoPackage,
    names: &Names,
) -> Option<String> {
    let program = child(directory, "src/main.rs");
    let library = package.library_root.clone();
    library.or_else(|| names.has_file(&program).then_some(program))
}
