//! Resolution of Python modules: in the packages around a file, and in the source roots of a tree.

use std::collections::{BTreeMap, BTreeSet};

use docent_code::Source;

use super::paths::{at, below, child, name_of, parent, upwards};
use super::python_library::is_standard;
use super::settings::ManifestSettings;
use super::settings::Manifests;
use super::target::ImportTarget;
use crate::limits::SOURCE_ROOTS;
use crate::names::Names;

/// The source roots of a tree.
#[derive(Debug, Default)]
pub(super) struct Python {
    /// Source roots by the first name of the modules that they contain, then by the directory of
    /// their project.
    roots: BTreeMap<String, BTreeMap<String, BTreeSet<String>>>,
}

/// A module in the tree.
enum PythonModule {
    /// A file: `a.py`, `a/__init__.py`.
    File(String),
    /// A directory without such a file.
    Namespace,
}

impl Python {
    pub(super) fn new(manifests: &Manifests, names: &Names) -> Self {
        // Source roots, each with the directory of its project. The root of the tree is both.
        let mut roots: BTreeMap<String, String> = BTreeMap::new();
        let mut add = |root: String, project: &str| {
            if root.is_empty() || names.has(&root) {
                roots.entry(root).or_insert_with(|| project.to_owned());
            }
        };
        add(String::new(), "");
        add("src".to_owned(), "");
        for path in names.files() {
            let project = parent(path);
            if matches!(name_of(path), "pyproject.toml" | "setup.py" | "setup.cfg") {
                add(project.to_owned(), project);
                add(child(project, "src"), project);
            }
            if let Some(settings) = manifests.get(path) {
                for root in declared_roots(settings) {
                    if let Some(root) = at(project, &root) {
                        add(root, project);
                    }
                }
            }
        }
        let mut python = Self::default();
        for path in names.files().filter(|path| is_module(path)) {
            for root in upwards(parent(path)) {
                let Some(project) = roots.get(root) else {
                    continue;
                };
                let inner = below(path, root).unwrap_or(path);
                let first = inner.split('/').next().unwrap_or(inner);
                let first = first.split('.').next().unwrap_or(first);
                let projects = python.roots.entry(first.to_owned()).or_default();
                let of_project = projects.entry(project.clone()).or_default();
                of_project.insert(root.to_owned());
            }
        }
        python
    }

    /// Resolves `from ..module import names` in the file `from`.
    pub(super) fn resolve(
        &self,
        from: &str,
        level: u32,
        module: &[String],
        taken: &[String],
        names: &Names,
    ) -> (ImportTarget, Source) {
        if level > 0 {
            let mut package = upwards(parent(from));
            let Some(package) = package.nth(level as usize - 1) else {
                return (ImportTarget::External, Source::Parsed);
            };
            let files = files(package, module, taken, names);
            let imported = files.map_or(ImportTarget::Missing, ImportTarget::Files);
            return (imported, Source::Parsed);
        }
        let Some(first) = module.first() else {
            return (ImportTarget::External, Source::Parsed);
        };
        if is_standard(first) {
            return self.instead_of_standard(from, first, module, taken, names);
        }
        let mut is_regular = false;
        for (root, source) in self.roots_with(from, first, names) {
            if let Some(files) = files(&root, module, taken, names) {
                return (ImportTarget::Files(files), source);
            }
            let top = std::slice::from_ref(first);
            is_regular |= matches!(find(&root, top, names), Some(PythonModule::File(_)));
        }
        // `import docs.x` is missing only if `docs` is a package with a file of its own. Any
        // directory is a namespace package to Python, so `docs/` next to a script would
        // otherwise make an import of an installed library of that name look broken.
        let imported = if is_regular {
            ImportTarget::Missing
        } else {
            ImportTarget::External
        };
        (imported, Source::Parsed)
    }

    /// Resolves a module whose name also belongs to the standard library. Only certain modules
    /// around the file take precedence.
    fn instead_of_standard(
        &self,
        from: &str,
        first: &str,
        module: &[String],
        taken: &[String],
        names: &Names,
    ) -> (ImportTarget, Source) {
        let top = [first.to_owned()];
        let roots = self.roots_with(from, first, names).into_iter();
        // The standard library comes first on the search path, except for the directory of the
        // script that runs. `types.py` in a source root is taken for that; `deep/logging.py`
        // beside `deep/main.py` is not, because `deep` is a root only if `main.py` is run
        // directly.
        let mut own = roots.filter(|(root, known_by)| {
            let is_module = || matches!(find(root, &top, names), Some(PythonModule::File(_)));
            *known_by == Source::Parsed && is_module()
        });
        let files = own.find_map(|(root, _)| files(&root, module, taken, names));
        match files {
            Some(files) => (ImportTarget::Files(files), Source::Heuristic),
            None => (ImportTarget::External, Source::Parsed),
        }
    }

    /// Returns the roots in which a module with this first name is searched for: those of the
    /// projects around the file, the innermost first, the directory it runs in, and others.
    fn roots_with(&self, from: &str, first: &str, names: &Names) -> Vec<(String, Source)> {
        let Some(projects) = self.roots.get(first) else {
            return Self::run_in(from, first, names).into_iter().collect();
        };
        let near = upwards(parent(from)).filter_map(|directory| projects.get(directory));
        // Within a project the innermost first: `src` before the directory that contains it.
        let near = near.flat_map(|roots| roots.iter().rev());
        let near = near
            .take(SOURCE_ROOTS)
            .map(|root| (root.clone(), Source::Parsed));
        let is_far = |(project, _): &(&String, _)| below(from, project).is_none();
        let far = projects.iter().take(SOURCE_ROOTS).filter(is_far);
        let far = far.flat_map(|(_, roots)| roots);
        let far = far
            .take(SOURCE_ROOTS)
            .map(|root| (root.clone(), Source::Heuristic));
        near.chain(Self::run_in(from, first, names))
            .chain(far)
            .collect()
    }

    /// Returns the directory in which a file runs, if it contains a module with this first name.
    fn run_in(from: &str, first: &str, names: &Names) -> Option<(String, Source)> {
        let run_in = upwards(parent(from))
            .find(|directory| !names.has_file(&child(directory, "__init__.py")));
        // A plain directory next to a script is not a module.
        let is_module = |root: &&str| {
            let top = [first.to_owned()];
            matches!(find(root, &top, names), Some(PythonModule::File(_)))
        };
        let root = run_in.filter(is_module)?;
        Some((root.to_owned(), Source::Heuristic))
    }
}

/// Returns the files of an import from `module` below `root`, or `None` if there is no such module.
/// The list is empty for a directory of which nothing is imported.
fn files(root: &str, module: &[String], taken: &[String], names: &Names) -> Option<Vec<String>> {
    let found = find(root, module, names)?;
    let mut files = Vec::new();
    let mut is_missing = taken.is_empty();
    for name in taken {
        let inner = [module, std::slice::from_ref(name)].concat();
        match find(root, &inner, names) {
            Some(PythonModule::File(file)) => files.push(file),
            _ => is_missing = true,
        }
    }
    match found {
        // `from a import b, C`: `b` is the module `a/b.py`, and `C`, which is not a module, is
        // defined in `a/__init__.py`.
        PythonModule::File(file) if is_missing => files.push(file),
        PythonModule::File(_) => {}
        PythonModule::Namespace if files.is_empty() && !taken.is_empty() => return None,
        PythonModule::Namespace => {}
    }
    Some(files)
}

fn find(root: &str, module: &[String], names: &Names) -> Option<PythonModule> {
    let mut path = root.to_owned();
    for name in module {
        if name.contains('/') || name.is_empty() {
            return None;
        }
        path = child(&path, name);
    }
    let mut candidates = vec![child(&path, "__init__.py"), child(&path, "__init__.pyi")];
    if !module.is_empty() {
        candidates.insert(1, format!("{path}.py"));
        candidates.push(format!("{path}.pyi"));
    }
    let file = candidates.into_iter().find(|path| names.has_file(path));
    match file {
        Some(file) => Some(PythonModule::File(file)),
        None => names.has(&path).then_some(PythonModule::Namespace),
    }
}

fn is_module(path: &str) -> bool {
    path.ends_with(".py") || path.ends_with(".pyi")
}

/// Returns the source directories that a project declares.
fn declared_roots(settings: &ManifestSettings) -> Vec<String> {
    let mut roots = Vec::new();
    for keys in [
        &["tool", "setuptools", "packages", "find", "where"][..],
        &["tool", "setuptools", "package-dir", ""],
        &["tool", "poetry", "packages", "from"],
        &["tool", "pytest", "ini_options", "pythonpath"],
        &["tool", "pdm", "build", "package-dir"],
        &["options.packages.find", "where"],
    ] {
        roots.extend(settings.values(keys).map(str::to_owned));
    }
    // `packages = ["lib/a"]`: module names begin below `lib`.
    let wheel = ["tool", "hatch", "build", "targets", "wheel", "packages"];
    roots.extend(settings.values(&wheel).map(|path| parent(path).to_owned()));
    // `package_dir = =src`
    let packages = settings.values(&["options", "package_dir"]);
    let of_all = packages.filter_map(|value| value.trim().strip_prefix('='));
    roots.extend(of_all.map(|path| path.trim().to_owned()));
    roots
}
