//! The import edges that docent finds in a directory.

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::path::Path;

use docent_code::imports::{ImportPath, ImportedName, imports};
use docent_code::{Language, Source};
use docent_graph::imports::{ImportTarget, ResolvedImport, Resolver, is_manifest};
use docent_graph::names::Names;

/// Directories of third-party code and build output.
const LEFT_OUT: [&str; 5] = [".git", "node_modules", "target", ".venv", "__pycache__"];

/// Pairs of files, of which the first imports the second.
pub type Edges = BTreeSet<(String, String)>;

/// An import with its resolution.
struct Followed {
    from: String,
    import: ImportPath,
    resolved: ResolvedImport,
}

/// The resolved imports of all files of a directory.
pub struct Repository(Vec<Followed>);

impl Repository {
    /// Reads all source files and manifests below a directory.
    pub fn read(directory: &Path) -> Result<Self, Box<dyn Error>> {
        let mut paths = Vec::new();
        walk(directory, "", &mut paths)?;
        let mut names = Names::default();
        let mut manifests = Vec::new();
        let mut facts = Vec::new();
        for path in &paths {
            names.insert(path);
            let language = Language::from_path(path);
            if language.is_none() && !is_manifest(path) {
                continue;
            }
            // A file that is not text has no imports.
            let Ok(text) = std::fs::read_to_string(directory.join(path)) else {
                continue;
            };
            if let Some(language) = language {
                facts.push((path.as_str(), imports(language, &text)));
            }
            if is_manifest(path) {
                manifests.push((path.as_str(), text));
            }
        }
        let texts = manifests.iter().map(|(path, text)| (*path, text.as_str()));
        let files = facts
            .iter()
            .map(|(path, imports)| (*path, imports.as_slice()));
        let resolver = Resolver::new(&names, texts, files);
        let mut followed = Vec::new();
        for (path, imports) in &facts {
            followed.extend(imports.iter().map(|import| Followed {
                from: (*path).to_owned(),
                import: import.clone(),
                resolved: resolver.resolve(path, import),
            }));
        }
        Ok(Self(followed))
    }

    /// Returns a line for each import: its location, its name, its target and the source of that
    /// knowledge.
    pub fn listed(&self) -> Vec<String> {
        let shown = |one: &Followed| {
            let known_by = match one.resolved.known_by {
                Source::Parsed => "parsed",
                _ => "heuristic",
            };
            let (from, line) = (&one.from, one.import.line);
            let (target, imported) = (&one.import.target, &one.resolved.imported);
            format!("{from}:{line}\t{known_by}\t{target:?}\t{imported:?}")
        };
        self.0.iter().map(shown).collect()
    }

    /// Returns the edges of a language in the form of its peer.
    pub fn edges(&self, what: &str) -> Result<Edges, Box<dyn Error>> {
        match what {
            "typescript" => Ok(self.between(|target| {
                matches!(
                    target,
                    ImportedName::Specifier(_) | ImportedName::Required(_)
                )
            })),
            "python" => Ok(self.between(|target| matches!(target, ImportedName::Python { .. }))),
            "rust" => {
                let of_modules = |target: &ImportedName| {
                    matches!(
                        target,
                        ImportedName::RustModule { .. } | ImportedName::File(_)
                    )
                };
                Ok(reached(&self.between(of_modules)))
            }
            _ => {
                Err("an unknown language; expected `typescript`, `python`, `rust` or `all`".into())
            }
        }
    }

    fn between(&self, is_wanted: impl Fn(&ImportedName) -> bool) -> Edges {
        let mut edges = Edges::new();
        for one in self.0.iter().filter(|one| is_wanted(&one.import.target)) {
            if let ImportTarget::Files(files) = &one.resolved.imported {
                edges.extend(files.iter().map(|to| (one.from.clone(), to.clone())));
            }
        }
        edges
    }
}

/// Returns the transitive closure of the edges: a compiler reports all files for the root of a
/// crate.
fn reached(edges: &Edges) -> Edges {
    let mut next: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (from, to) in edges {
        next.entry(from).or_default().push(to);
    }
    let mut all = Edges::new();
    for root in next.keys() {
        let mut seen = BTreeSet::from([*root]);
        let mut waiting = vec![*root];
        while let Some(file) = waiting.pop() {
            for to in next.get(file).into_iter().flatten() {
                if seen.insert(to) {
                    waiting.push(to);
                }
            }
        }
        let files = seen.iter().filter(|file| *file != root);
        all.extend(files.map(|file| ((*root).to_owned(), (*file).to_owned())));
    }
    all
}

fn walk(directory: &Path, below: &str, paths: &mut Vec<String>) -> Result<(), Box<dyn Error>> {
    for entry in std::fs::read_dir(directory.join(below))? {
        let entry = entry?;
        let Ok(name) = entry.file_name().into_string() else {
            continue;
        };
        let path = if below.is_empty() {
            name.clone()
        } else {
            format!("{below}/{name}")
        };
        let kind = entry.file_type()?;
        if kind.is_dir() && !LEFT_OUT.contains(&name.as_str()) {
            walk(directory, &path, paths)?;
        } else if kind.is_file() {
            paths.push(path);
        }
    }
    Ok(())
}
