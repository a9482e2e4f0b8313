//! The names of a tree: what is there for links to lead to.

use std::collections::{BTreeMap, BTreeSet};

use docent_document::format::Format;
use docent_text::fold::fold;

/// The paths of all files of a tree, with `/` between names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Names {
    files: BTreeSet<String>,
    directories: BTreeSet<String>,
    /// Files by their name without regard to case, documents also by it without extension.
    by_name: BTreeMap<String, BTreeSet<String>>,
}

impl Names {
    /// Adds a file.
    pub fn insert(&mut self, path: &str) {
        self.files.insert(path.to_owned());
        let mut above = path;
        while let Some((directory, _)) = above.rsplit_once('/') {
            if !self.directories.insert(directory.to_owned()) {
                break;
            }
            above = directory;
        }
        let name = path.rsplit_once('/').map_or(path, |(_, name)| name);
        for key in [Some(name), stem(name)].into_iter().flatten() {
            let paths = self.by_name.entry(folded(key)).or_default();
            paths.insert(path.to_owned());
        }
    }

    /// Takes a file out; the directories above it stay.
    pub fn remove(&mut self, path: &str) {
        self.files.remove(path);
        let name = path.rsplit_once('/').map_or(path, |(_, name)| name);
        for key in [Some(name), stem(name)].into_iter().flatten() {
            if let Some(paths) = self.by_name.get_mut(&folded(key)) {
                paths.remove(path);
            }
        }
    }

    /// Returns the names when files have moved.
    pub fn after(&self, moves: &BTreeMap<String, String>) -> Self {
        let mut after = Self::default();
        for path in &self.files {
            after.insert(moves.get(path).unwrap_or(path));
        }
        after
    }

    /// Whether a file of this path is there.
    pub fn has_file(&self, path: &str) -> bool {
        self.files.contains(path)
    }

    /// Whether a file or directory of this path is there.
    pub fn has(&self, path: &str) -> bool {
        path.is_empty() || self.files.contains(path) || self.directories.contains(path)
    }

    /// Returns the files that a wikilink means by `name`, in the order of their paths: those whose
    /// paths end with it, without regard to case, a document's extension left out or not.
    pub fn called(&self, name: &str) -> Vec<&str> {
        let wanted = folded(name.trim_start_matches('/'));
        let last = wanted.rsplit_once('/').map_or(&*wanted, |(_, last)| last);
        let Some(paths) = self.by_name.get(last) else {
            return Vec::new();
        };
        let is_whole = |path: &str| {
            let path = folded(path);
            path == wanted || stem(&path).is_some_and(|path| path == wanted)
        };
        if name.contains('/') {
            let whole: Vec<&str> = paths.iter().map(|p| &**p).filter(|p| is_whole(p)).collect();
            if !whole.is_empty() || name.starts_with('/') {
                return whole;
            }
        }
        let ending = format!("/{wanted}");
        let ends = |path: &str| {
            let path = format!("/{}", folded(path));
            path.ends_with(&ending) || stem(&path).is_some_and(|path| path.ends_with(&ending))
        };
        paths.iter().map(|p| &**p).filter(|p| ends(p)).collect()
    }
}

/// Returns a path of a document without its extension; none where it is no document's.
pub fn stem(path: &str) -> Option<&str> {
    let name = path.rsplit_once('/').map_or(path, |(_, name)| name);
    Format::of(name)?;
    path.rsplit_once('.').map(|(stem, _)| stem)
}

/// Returns a name as it is compared without regard to case.
pub fn folded(name: &str) -> String {
    name.chars().map(fold).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_by_their_names() {
        let mut names = Names::default();
        for path in ["a.md", "x/A.md", "x/y/b.md", "b.png", "c.rs"] {
            names.insert(path);
        }
        for (name, expected) in [
            ("a", &["a.md", "x/A.md"][..]),
            ("A.MD", &["a.md", "x/A.md"]),
            ("x/a", &["x/A.md"]),
            ("/a", &["a.md"]),
            ("y/b", &["x/y/b.md"]),
            ("b", &["x/y/b.md"]),
            ("b.png", &["b.png"]),
            ("c", &[]),
            ("", &[]),
        ] {
            assert_eq!(names.called(name), expected, "{name}");
        }
        assert!(names.has("x/y") && !names.has_file("x/y") && !names.has("y"));
        names.remove("x/A.md");
        assert_eq!(names.called("a"), ["a.md"]);
        assert!(names.has("x") && !names.has("x/A.md"));
    }
}
