//! The names of a tree, by which links are resolved.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Bound;

use docent_text::fold::fold;

use crate::document_path::{compose, stem};
use crate::limits::{CANDIDATES, FILES_OF_PATTERN};
use crate::pattern::GlobPattern;
use crate::sites::{Site, Sites};

/// The paths of all files in a tree, separated by `/`; and, if known, the labels of its documents
/// and the sites made of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Names {
    files: BTreeSet<String>,
    /// Paths with their numbers. Each link looks some up, and in a sorted map that would cost a
    /// dozen comparisons of paths with the same beginning.
    numbers: HashMap<Box<str>, usize>,
    directories: BTreeSet<String>,
    /// Paths of files and directories that are not in composed form, by their composed form: the
    /// first of several.
    decomposed: BTreeMap<String, String>,
    /// Keys by which wikilinks find a path, with the path: case-folded segments in reverse
    /// order, for a document also without extension. Paths with the same end are adjacent.
    ///
    /// ```text
    /// Guide/Setup.md    setup.md/guide/    setup/guide/
    /// ```
    backwards: BTreeSet<(String, String)>,
    labels: Option<Labels>,
    sites: Sites,
}

/// The labels of a tree's documents. Any document may refer to them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Labels {
    paths: BTreeMap<String, BTreeSet<String>>,
}

impl Labels {
    /// Adds the labels of the document at `path`, as in its
    /// [`crate::document_links::DocumentLinks`].
    pub fn insert(&mut self, path: &str, labels: &[String]) {
        for label in labels {
            let paths = self.paths.entry(label.clone()).or_default();
            if paths.len() < CANDIDATES {
                paths.insert(path.to_owned());
            }
        }
    }

    /// Returns the documents that define a label, in order.
    pub fn documents(&self, label: &str) -> Vec<&str> {
        let paths = self.paths.get(&label_key(label));
        paths.into_iter().flatten().map(String::as_str).collect()
    }
}

/// Returns the form of a label that is compared.
pub fn label_key(label: &str) -> String {
    let words = label.split_whitespace();
    words.collect::<Vec<_>>().join(" ").to_lowercase()
}

impl Names {
    /// Adds a file, whose number is that of files added before.
    pub fn insert(&mut self, path: &str) {
        if !self.files.insert(path.to_owned()) {
            return;
        }
        self.numbers.insert(path.into(), self.numbers.len());
        self.note_form(path);
        let mut above = path;
        while let Some((directory, _)) = above.rsplit_once('/') {
            // If a directory is known, so are all above it. Without this a tree of depth `d`
            // would cost `d` lookups for each file.
            if !self.directories.insert(directory.to_owned()) {
                break;
            }
            self.note_form(directory);
            above = directory;
        }
        for key in [Some(path), stem(path)].into_iter().flatten() {
            self.backwards
                .insert((reverse_segments(key), path.to_owned()));
        }
    }

    /// Removes a file, but not the directories above it. Invalidates all numbers.
    pub fn remove(&mut self, path: &str) {
        self.files.remove(path);
        self.numbers.remove(path);
        let form = compose(path);
        if self.decomposed.get(&*form).is_some_and(|own| own == path) {
            self.decomposed.remove(&*form);
        }
        for key in [Some(path), stem(path)].into_iter().flatten() {
            self.backwards
                .remove(&(reverse_segments(key), path.to_owned()));
        }
        if let Some(labels) = &mut self.labels {
            labels.paths.values_mut().for_each(|paths| {
                paths.remove(path);
            });
        }
    }

    fn note_form(&mut self, path: &str) {
        if let Cow::Owned(form) = compose(path) {
            let first = self
                .decomposed
                .entry(form)
                .or_insert_with(|| path.to_owned());
            if path < first.as_str() {
                path.clone_into(first);
            }
        }
    }

    /// Returns the existing path that equals this one in some normal form, or the path itself if
    /// there is none.
    pub fn as_listed(&self, path: String) -> String {
        if path.is_ascii() || self.has(&path) {
            return path;
        }
        // A name such as `é.md` may be written with one code point or with `e` and U+0301. The
        // link and the file need not agree: editors usually write the composed form, and some
        // file systems store the decomposed one.
        let form = compose(&path);
        let other = self.decomposed.get(&*form).cloned();
        let form = Some(form.into_owned()).filter(|form| self.has(form));
        // If both forms exist, the first in order: the same one as when a path is opened.
        [form, other].into_iter().flatten().min().unwrap_or(path)
    }

    /// Sets the labels of all documents. Without them `:ref:` cannot be resolved.
    pub fn set_labels(&mut self, labels: Labels) {
        self.labels = Some(labels);
    }

    /// Sets the sites made of the tree.
    pub fn set_sites(&mut self, sites: Sites) {
        self.sites = sites;
    }

    /// Returns the labels of all documents, if known.
    pub fn labels(&self) -> Option<&Labels> {
        self.labels.as_ref()
    }

    /// Returns the site nearest to the document `from`.
    pub fn site(&self, from: &str) -> Option<&Site> {
        self.sites.nearest(from)
    }

    /// Returns the names after moving files.
    pub fn after(&self, moves: &BTreeMap<String, String>) -> Self {
        let moved = |path: &str| moves.get(path).map_or(path, String::as_str).to_owned();
        let mut after = Self {
            sites: self.sites.after(moves),
            ..Self::default()
        };
        for path in &self.files {
            after.insert(&moved(path));
        }
        after.labels = self.labels.as_ref().map(|labels| {
            let all = labels.paths.iter();
            let moved = all.map(|(label, paths)| {
                let paths = paths.iter().map(|path| moved(path)).collect();
                (label.clone(), paths)
            });
            Labels {
                paths: moved.collect(),
            }
        });
        after
    }

    /// Returns the paths of all files, sorted.
    pub fn files(&self) -> impl Iterator<Item = &str> {
        self.files.iter().map(String::as_str)
    }

    /// Returns the Sphinx documents whose paths without extension match a pattern, sorted by path.
    /// At most [`FILES_OF_PATTERN`].
    pub(crate) fn documents_like(&self, pattern: &str) -> Vec<String> {
        let plain = &pattern[..pattern.find(['*', '?', '[']).unwrap_or(pattern.len())];
        let pattern = GlobPattern::new(pattern);
        let from = self
            .files
            .range::<str, _>((Bound::Included(plain), Bound::Unbounded));
        let near = from.take_while(|path| path.starts_with(plain));
        let is_meant = |path: &&String| {
            let parts = path.rsplit_once('.');
            parts.is_some_and(|(stem, extension)| {
                ["md", "rst"].contains(&extension) && pattern.matches(stem)
            })
        };
        near.filter(is_meant)
            .take(FILES_OF_PATTERN)
            .cloned()
            .collect()
    }

    /// Returns true if there is a file at this path.
    pub fn has_file(&self, path: &str) -> bool {
        self.numbers.contains_key(path)
    }

    /// Returns the number of the file at this path.
    pub fn number(&self, path: &str) -> Option<usize> {
        self.numbers.get(path).copied()
    }

    /// Returns true if there is a directory at this path.
    pub fn has_directory(&self, path: &str) -> bool {
        path.is_empty() || self.directories.contains(path)
    }

    /// Returns true if there is a file or directory at this path.
    pub fn has(&self, path: &str) -> bool {
        self.has_file(path) || self.has_directory(path)
    }

    /// Returns the files to which a wikilink with this name may refer, sorted by path: those whose
    /// paths end with it, ignoring case, with or without a document's extension. At most
    /// [`CANDIDATES`].
    pub fn find_by_name(&self, name: &str) -> Vec<&str> {
        let wanted = reverse_segments(name.trim_start_matches('/'));
        if wanted == "/" {
            return Vec::new();
        }
        let is_rooted = name.starts_with('/');
        let from = (wanted.clone(), String::new());
        let matching = self.backwards.range(from..);
        let matching = matching.take_while(|(key, _)| key.starts_with(&wanted));
        let mut found: Vec<&str> = Vec::new();
        for (key, path) in matching {
            let is_whole = *key == wanted;
            // The key of a complete path is a prefix of the keys of longer paths, so it is first
            // in this range. `[[d/b]]` means `d/b.md` even if `x/d/b.md` exists, and `[[/b]]`
            // only ever means a file in the root. `[[b]]` is a mere name: with `b.md` and
            // `d/b.md` it is ambiguous.
            if !is_whole && (is_rooted || name.contains('/') && has_whole(&found, &wanted)) {
                break;
            }
            if !found.contains(&path.as_str()) {
                found.push(path);
            }
            if found.len() == CANDIDATES {
                break;
            }
        }
        // Keys are in composed form, so both spellings of `é.md` are found for either of them.
        // If both files exist, the link means the one spelled like the link.
        let form = fold_name(last_name(name));
        let is_written_so = |path: &&str| {
            let own = fold_name(last_name(path));
            own == form || stem(&own) == Some(&form)
        };
        if found.len() > 1 && !name.is_ascii() && found.iter().any(is_written_so) {
            found.retain(is_written_so);
        }
        found.sort_unstable();
        found
    }
}

fn last_name(path: &str) -> &str {
    path.rsplit_once('/').map_or(path, |(_, name)| name)
}

/// Returns true if one of these paths equals the wanted one as a whole.
fn has_whole(found: &[&str], wanted: &str) -> bool {
    let first = found.first().copied().unwrap_or_default();
    let names = |path: &str| path.split('/').count();
    !first.is_empty() && names(first) == names(wanted.trim_end_matches('/'))
}

/// Returns the key of a path: its segments in reverse order, each followed by `/`.
fn reverse_segments(path: &str) -> String {
    let mut key = String::with_capacity(path.len() + 1);
    for name in path.rsplit('/') {
        key.extend(compose(name).chars().map(fold));
        key.push('/');
    }
    key
}

/// Returns a name folded for comparisons that ignore case.
pub fn fold_name(name: &str) -> String {
    name.chars().map(fold).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_by_their_names() {
        let mut names = Names::default();
        for path in ["a.md", "x/A.md", "x/y/b.md", "b.png", "c.rs", "z/x/a.md"] {
            names.insert(path);
        }
        for (name, expected) in [
            ("a", &["a.md", "x/A.md", "z/x/a.md"][..]),
            ("A.MD", &["a.md", "x/A.md", "z/x/a.md"]),
            ("x/a", &["x/A.md"]),
            ("X/a", &["x/A.md"]),
            ("z/x/a", &["z/x/a.md"]),
            ("/a", &["a.md"]),
            ("/y/b", &[]),
            ("y/b", &["x/y/b.md"]),
            ("b", &["x/y/b.md"]),
            ("b.png", &["b.png"]),
            ("c", &[]),
            ("", &[]),
            ("/", &[]),
        ] {
            assert_eq!(names.find_by_name(name), expected, "{name}");
        }
        assert!(names.has("x/y") && !names.has_file("x/y") && !names.has("y"));
        names.remove("x/A.md");
        assert_eq!(names.find_by_name("a"), ["a.md", "z/x/a.md"]);
        assert!(names.has("x") && !names.has("x/A.md"));
    }

    #[test]
    fn normal_forms_of_a_name_are_the_same() {
        let (composed, apart) = ("d\u{E9}/\u{AC00}.md", "de\u{301}/\u{1100}\u{1161}.md");
        let mut names = Names::default();
        names.insert(apart);
        for written in [composed, apart, "de\u{301}/\u{AC00}.md"] {
            assert_eq!(names.as_listed(written.to_owned()), apart);
        }
        assert_eq!(names.as_listed("d\u{E9}".to_owned()), "de\u{301}");
        assert_eq!(names.as_listed("\u{E9}".to_owned()), "\u{E9}");
        assert_eq!(names.find_by_name("\u{AC00}"), [apart]);
        // With both forms present, each name refers to the file written exactly so.
        names.insert(composed);
        for written in [composed, apart] {
            assert_eq!(names.as_listed(written.to_owned()), written);
        }
        assert_eq!(names.find_by_name("\u{AC00}"), [composed]);
        assert_eq!(names.find_by_name("\u{1100}\u{1161}"), [apart]);
        names.remove(apart);
        assert_eq!(names.as_listed(apart.to_owned()), composed);
        assert_eq!(names.find_by_name("\u{1100}\u{1161}"), [composed]);
    }

    #[test]
    fn labels_have_no_case_and_may_be_of_several() {
        let mut labels = Labels::default();
        labels.insert("b.rst", &[label_key("Two\n  Words")]);
        labels.insert("a.rst", &["two words".to_owned(), "one".to_owned()]);
        assert_eq!(labels.documents("TWO words"), ["a.rst", "b.rst"]);
        assert_eq!(labels.documents("one"), ["a.rst"]);
        assert_eq!(labels.documents("none"), <[&str; 0]>::default());
    }
}
