//! Rust modules: the files of modules, and the resolution of paths to them.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use docent_code::Source;
use docent_code::imports::{ImportPath, ImportedName, InlineModule};

use super::cargo::{Cargo, root_by_convention};
use super::paths::{at, child, name_of, parent, stem_of};
use super::target::ImportTarget;
use crate::limits::{MODULE_LEVELS, MODULE_PLACES};
use crate::names::Names;

/// A module: a file, or an inline module in it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct ModulePath {
    file: String,
    within: Vec<String>,
}

/// The modules of all crates in a tree.
#[derive(Debug, Default)]
pub(super) struct RustModules {
    /// Files of the modules that a module declares, by name.
    children: BTreeMap<ModulePath, BTreeMap<String, Vec<String>>>,
    /// Inline modules that declare others or contain imports.
    inline: BTreeSet<ModulePath>,
    /// Places at which a file is declared as a module.
    parents: BTreeMap<String, Vec<ModulePath>>,
    /// Files that are modules by a `path` attribute, so that their submodules are next to them.
    placed: BTreeSet<String>,
    /// Crate roots, whose modules are next to them.
    roots: BTreeSet<String>,
    /// Presumed crate roots of files that no crate declares.
    by_convention: BTreeMap<String, String>,
}

/// A declaration of a module, with its file.
struct Declaration<'t> {
    file: &'t str,
    name: &'t str,
    within: &'t [InlineModule],
    paths: &'t [String],
    is_placed: bool,
}

impl<'t> Declaration<'t> {
    fn new(file: &'t str, target: &'t ImportedName) -> Option<Self> {
        match target {
            ImportedName::RustModule {
                name,
                within,
                paths,
                is_placed,
            } => Some(Self {
                file,
                name,
                within,
                paths,
                is_placed: *is_placed,
            }),
            _ => None,
        }
    }

    fn place(&self) -> ModulePath {
        place(self.file, self.within)
    }
}

fn place(file: &str, within: &[InlineModule]) -> ModulePath {
    ModulePath {
        file: file.to_owned(),
        within: within.iter().map(|inner| inner.name.clone()).collect(),
    }
}

impl RustModules {
    pub(super) fn new(files: &[(&str, &[ImportPath])], cargo: &Cargo, names: &Names) -> Self {
        let mut modules = Self::default();
        let mut declarations = Vec::new();
        for (path, imports) in files {
            if !path.ends_with(".rs") {
                continue;
            }
            if cargo.is_root(path) {
                modules.roots.insert((*path).to_owned());
            }
            for import in *imports {
                declarations.extend(Declaration::new(path, &import.target));
                modules.note_inline(path, &import.target);
            }
        }
        // Declarations with a `path` attribute come first, because they decide where other
        // modules are. After `#[path = "odd.rs"] mod a;` the file `odd.rs` counts as a `mod.rs`:
        // its `mod b;` is `b.rs`, not `odd/b.rs`. The files are read in any order, so one pass
        // would not know.
        for declaration in declarations.iter().filter(|one| !one.paths.is_empty()) {
            let files = modules.attribute_files(declaration, names);
            modules.placed.extend(files);
        }
        for declaration in &declarations {
            modules.declare(declaration, names);
        }
        modules.find_conventions(files, cargo, names);
        // A file outside the sources of a package that no module declares, but which declares
        // modules, is a crate root that no manifest names, such as `script.rs` with
        // `mod helper;`. As a root it has its modules next to it, not in `script/`, so its
        // declarations are resolved again.
        for declaration in &declarations {
            let file = declaration.file;
            let is_known = modules.parents.contains_key(file);
            if !is_known && !modules.by_convention.contains_key(file) {
                modules.roots.insert(file.to_owned());
                modules.declare(declaration, names);
            }
        }
        modules
    }

    fn note_inline(&mut self, path: &str, target: &ImportedName) {
        let (ImportedName::RustModule { within, .. } | ImportedName::RustUse { within, .. }) =
            target
        else {
            return;
        };
        for levels in 1..=within.len() {
            self.inline.insert(place(path, &within[..levels]));
        }
    }

    /// Finds roots for the files that no crate declares and that are not roots themselves.
    fn find_conventions(&mut self, files: &[(&str, &[ImportPath])], cargo: &Cargo, names: &Names) {
        for (path, _) in files {
            let is_known = self.parents.contains_key(*path) || cargo.is_root(path);
            if is_known || !path.ends_with(".rs") {
                continue;
            }
            let package = cargo.package_of(path);
            let root = package.and_then(|(directory, package)| {
                let is_source = path.starts_with(&child(directory, "src/"));
                root_by_convention(directory, package, names).filter(|_| is_source)
            });
            if let Some(root) = root {
                self.by_convention.insert((*path).to_owned(), root);
            }
        }
    }

    fn declare(&mut self, declaration: &Declaration<'_>, names: &Names) {
        for file in self.files_of(declaration, names) {
            let children = self.children.entry(declaration.place()).or_default();
            let files = children.entry(declaration.name.to_owned()).or_default();
            if !files.contains(&file) && files.len() < MODULE_PLACES {
                files.push(file.clone());
            }
            let parents = self.parents.entry(file).or_default();
            let place = declaration.place();
            if !parents.contains(&place) && parents.len() < MODULE_PLACES {
                parents.push(place);
            }
        }
    }

    /// Returns true if the modules of a file are next to it, not in a directory of its name.
    fn is_beside(&self, file: &str) -> bool {
        name_of(file) == "mod.rs" || self.roots.contains(file) || self.placed.contains(file)
    }

    /// Returns the directory of the modules that are declared at a place.
    fn directory(&self, file: &str, within: &[InlineModule]) -> Option<String> {
        let own = parent(file);
        let mut directory = if self.is_beside(file) {
            own.to_owned()
        } else {
            child(own, stem_of(file))
        };
        for (level, inner) in within.iter().enumerate() {
            directory = match &inner.path {
                Some(path) if level == 0 => at(own, path)?,
                Some(path) => at(&directory, path)?,
                None => child(&directory, &inner.name),
            };
        }
        Some(directory)
    }

    /// Returns the existing files that the attributes of a declaration name.
    fn attribute_files(&self, declaration: &Declaration<'_>, names: &Names) -> Vec<String> {
        let directory = if declaration.within.is_empty() {
            Some(parent(declaration.file).to_owned())
        } else {
            self.directory(declaration.file, declaration.within)
        };
        let Some(directory) = directory else {
            return Vec::new();
        };
        let paths = declaration.paths.iter().take(MODULE_PLACES);
        let files = paths.filter_map(|path| at(&directory, path));
        files.filter(|path| names.has_file(path)).collect()
    }

    fn files_of(&self, declaration: &Declaration<'_>, names: &Names) -> Vec<String> {
        let mut files = self.attribute_files(declaration, names);
        if !declaration.is_placed
            && let Some(directory) = self.directory(declaration.file, declaration.within)
        {
            let name = declaration.name;
            let candidates = [format!("{name}.rs"), format!("{name}/mod.rs")];
            let mut candidates = candidates.iter().map(|name| child(&directory, name));
            files.extend(candidates.find(|path| names.has_file(path)));
        }
        files
    }

    /// Returns the file of a module that is declared in `from`.
    pub(super) fn resolve_declaration(
        &self,
        from: &str,
        target: &ImportedName,
        names: &Names,
    ) -> (ImportTarget, Source) {
        let declaration = Declaration::new(from, target);
        let files = declaration.map_or(Vec::new(), |one| self.files_of(&one, names));
        let imported = if files.is_empty() {
            ImportTarget::Missing
        } else {
            ImportTarget::Files(files)
        };
        (imported, Source::Parsed)
    }

    /// Returns the files of the innermost modules on a path of `use` in `from`.
    pub(super) fn resolve_use(
        &self,
        from: &str,
        path: &[String],
        within: &[InlineModule],
        cargo: &Cargo,
    ) -> (ImportTarget, Source) {
        // `::a` is a crate, as is `a` if nothing else has that name.
        let path = match path {
            [first, rest @ ..] if first.is_empty() => rest,
            path => path,
        };
        let Some((first, mut rest)) = path.split_first() else {
            return (ImportTarget::Missing, Source::Parsed);
        };
        let mut is_likely = false;
        let starts = match first.as_str() {
            "crate" | "super" if self.by_convention.contains_key(from) => {
                is_likely = true;
                self.start(first, &mut rest, from, within)
            }
            "crate" | "self" | "super" => self.start(first, &mut rest, from, within),
            name => match self.crates_named(from, name, cargo) {
                starts if starts.is_empty() => return (ImportTarget::External, Source::Parsed),
                starts => starts,
            },
        };
        if starts.is_empty() {
            return (ImportTarget::Missing, Source::Parsed);
        }
        let files = starts
            .into_iter()
            .flat_map(|start| self.innermost(start, rest));
        let known_by = if is_likely {
            Source::Heuristic
        } else {
            Source::Parsed
        };
        (ImportTarget::Files(files.collect()), known_by)
    }

    /// Returns the modules in which a path that starts with a keyword begins. Each further `super`
    /// is removed from `rest`.
    fn start(
        &self,
        first: &str,
        rest: &mut &[String],
        from: &str,
        within: &[InlineModule],
    ) -> Vec<ModulePath> {
        if first == "crate" {
            return self.crates_of(from);
        }
        let mut places = vec![place(from, within)];
        if first == "super" {
            places = self.above(&places);
        }
        while let [next, behind @ ..] = *rest
            && next == "super"
        {
            places = self.above(&places);
            *rest = behind;
        }
        places
    }

    /// Returns the crate called `name` in the code of `from`, or before the 2018 edition the module
    /// of its own crate.
    fn crates_named(&self, from: &str, name: &str, cargo: &Cargo) -> Vec<ModulePath> {
        if cargo
            .package_of(from)
            .is_some_and(|(_, package)| package.is_of_2015)
        {
            let roots = self.crates_of(from);
            let own: Vec<ModulePath> = roots
                .iter()
                .flat_map(|root| self.inside(root, name))
                .collect();
            if !own.is_empty() {
                return own;
            }
        }
        cargo
            .library(from, name)
            .map(root_place)
            .into_iter()
            .collect()
    }

    /// Returns the files of the innermost modules on the path from `start` along `names`.
    fn innermost(&self, start: ModulePath, names: &[String]) -> Vec<String> {
        let mut places = vec![start];
        for name in names {
            let next: Vec<ModulePath> =
                places.iter().flat_map(|at| self.inside(at, name)).collect();
            if next.is_empty() {
                break;
            }
            places = next;
            places.truncate(MODULE_PLACES);
        }
        places.into_iter().map(|place| place.file).collect()
    }

    /// Returns the modules called `name` in a module.
    fn inside(&self, place: &ModulePath, name: &str) -> Vec<ModulePath> {
        let files = self
            .children
            .get(place)
            .and_then(|children| children.get(name));
        if let Some(files) = files {
            return files.iter().map(|file| root_place(file)).collect();
        }
        let mut inner = place.clone();
        inner.within.push(name.to_owned());
        if self.inline.contains(&inner) {
            vec![inner]
        } else {
            Vec::new()
        }
    }

    /// Returns the modules in which these are declared.
    fn above(&self, places: &[ModulePath]) -> Vec<ModulePath> {
        let mut above: Vec<ModulePath> = Vec::new();
        for place in places {
            let mut outer = place.clone();
            if outer.within.pop().is_some() {
                above.push(outer);
            } else if let Some(parents) = self.parents.get(&place.file) {
                above.extend(parents.iter().cloned());
            } else {
                above.extend(
                    self.by_convention
                        .get(&place.file)
                        .map(|root| root_place(root)),
                );
            }
        }
        above.truncate(MODULE_PLACES);
        above
    }

    /// Returns the roots of the crates to which a file belongs.
    fn crates_of(&self, file: &str) -> Vec<ModulePath> {
        if let Some(root) = self.by_convention.get(file) {
            return vec![root_place(root)];
        }
        let mut roots = Vec::new();
        // A file may be declared in several places, and attributes allow files to declare each
        // other, so the search remembers the files it has seen. It also ends after
        // `MODULE_LEVELS` files: a thousand files in such a circle would otherwise cost a
        // million steps.
        let mut seen = BTreeSet::from([file]);
        let mut queue = VecDeque::from([(file, 0)]);
        while let Some((file, level)) = queue.pop_front() {
            let parents = self
                .parents
                .get(file)
                .map(Vec::as_slice)
                .unwrap_or_default();
            if parents.is_empty() || self.roots.contains(file) {
                roots.push(root_place(file));
            }
            for parent in parents.iter().filter(|_| level < MODULE_LEVELS) {
                if seen.insert(&parent.file) && seen.len() < MODULE_LEVELS {
                    queue.push_back((&parent.file, level + 1));
                }
            }
        }
        roots
    }
}

fn root_place(file: &str) -> ModulePath {
    ModulePath {
        file: file.to_owned(),
        within: Vec::new(),
    }
}
