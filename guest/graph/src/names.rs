//! The names of a tree: what is there for links to lead to.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Bound;

use docent_document::format::Format;
use docent_text::fold::fold;
use unicode_normalization::{UnicodeNormalization as _, is_nfc};

use crate::limits::{CANDIDATES, FILES_OF_PATTERN};
use crate::pattern::Pattern;
use crate::sites::{Site, Sites};

/// The paths of all files of a tree, with `/` between names; and where known the labels that its
/// documents have, and the sites that are made of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Names {
    files: BTreeSet<String>,
    /// The same with their numbers: each link asks for some of them, and their order costs a dozen
    /// comparisons of paths that begin alike.
    numbers: HashMap<Box<str>, usize>,
    directories: BTreeSet<String>,
    /// The paths of files and directories that are not composed, by their composed forms: the first
    /// of several.
    decomposed: BTreeMap<String, String>,
    /// Each path as wikilinks name it, with its own: without regard to case, its names from the
    /// last to the first, a document's also without extension.
    backwards: BTreeSet<(String, String)>,
    labels: Option<Labels>,
    sites: Sites,
}

/// The labels of a tree's documents: any of them may be named in any other.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Labels {
    paths: BTreeMap<String, BTreeSet<String>>,
}

impl Labels {
    /// Adds the labels of the document at `path`, as its [`crate::facts::LinkFacts`] have them.
    pub fn insert(&mut self, path: &str, labels: &[String]) {
        for label in labels {
            let paths = self.paths.entry(label.clone()).or_default();
            if paths.len() < CANDIDATES {
                paths.insert(path.to_owned());
            }
        }
    }

    /// Returns the documents that have a label, in their order.
    pub fn of(&self, label: &str) -> Vec<&str> {
        let paths = self.paths.get(&label_key(label));
        paths.into_iter().flatten().map(String::as_str).collect()
    }
}

/// Returns a label as it is compared.
pub fn label_key(label: &str) -> String {
    let words = label.split_whitespace();
    words.collect::<Vec<_>>().join(" ").to_lowercase()
}

impl Names {
    /// Adds a file, whose number is how many were added before.
    pub fn insert(&mut self, path: &str) {
        if !self.files.insert(path.to_owned()) {
            return;
        }
        self.numbers.insert(path.into(), self.numbers.len());
        self.note_form(path);
        let mut above = path;
        while let Some((directory, _)) = above.rsplit_once('/') {
            if !self.directories.insert(directory.to_owned()) {
                break;
            }
            self.note_form(directory);
            above = directory;
        }
        for key in [Some(path), stem(path)].into_iter().flatten() {
            self.backwards.insert((backwards(key), path.to_owned()));
        }
    }

    /// Takes a file out; the directories above it stay. From then on numbers mean nothing.
    pub fn remove(&mut self, path: &str) {
        self.files.remove(path);
        self.numbers.remove(path);
        let form = composed(path);
        if self.decomposed.get(&*form).is_some_and(|own| own == path) {
            self.decomposed.remove(&*form);
        }
        for key in [Some(path), stem(path)].into_iter().flatten() {
            self.backwards.remove(&(backwards(key), path.to_owned()));
        }
        if let Some(labels) = &mut self.labels {
            labels.paths.values_mut().for_each(|paths| {
                paths.remove(path);
            });
        }
    }

    fn note_form(&mut self, path: &str) {
        if let Cow::Owned(form) = composed(path) {
            let first = self
                .decomposed
                .entry(form)
                .or_insert_with(|| path.to_owned());
            if path < first.as_str() {
                path.clone_into(first);
            }
        }
    }

    /// Returns the path of what is there under this path or another normal form of it, as it is
    /// listed; the path itself where nothing is.
    pub fn as_listed(&self, path: String) -> String {
        if path.is_ascii() || self.has(&path) {
            return path;
        }
        let form = composed(&path);
        let other = self.decomposed.get(&*form).cloned();
        let form = Some(form.into_owned()).filter(|form| self.has(form));
        // The first one, as where a path is opened.
        [form, other].into_iter().flatten().min().unwrap_or(path)
    }

    /// Sets the labels of all documents; without them it is not known where `:ref:` leads.
    pub fn set_labels(&mut self, labels: Labels) {
        self.labels = Some(labels);
    }

    /// Sets the sites that are made of the tree.
    pub fn set_sites(&mut self, sites: Sites) {
        self.sites = sites;
    }

    /// Returns the labels of all documents, where they are known.
    pub fn labels(&self) -> Option<&Labels> {
        self.labels.as_ref()
    }

    /// Returns the site that the document `from` is nearest to.
    pub fn site(&self, from: &str) -> Option<&Site> {
        self.sites.nearest(from)
    }

    /// Returns the names when files have moved.
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

    /// Returns the paths of all files, in their order.
    pub fn files(&self) -> impl Iterator<Item = &str> {
        self.files.iter().map(String::as_str)
    }

    /// Returns the documents of Sphinx whose paths without extension a pattern matches, in the order
    /// of their paths. Of very many there are [`FILES_OF_PATTERN`].
    pub(crate) fn documents_like(&self, pattern: &str) -> Vec<String> {
        let plain = &pattern[..pattern.find(['*', '?', '[']).unwrap_or(pattern.len())];
        let pattern = Pattern::new(pattern);
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

    /// Whether a file of this path is there.
    pub fn has_file(&self, path: &str) -> bool {
        self.numbers.contains_key(path)
    }

    /// Returns the number of the file of this path.
    pub fn number(&self, path: &str) -> Option<usize> {
        self.numbers.get(path).copied()
    }

    /// Whether a directory of this path is there.
    pub fn has_directory(&self, path: &str) -> bool {
        path.is_empty() || self.directories.contains(path)
    }

    /// Whether a file or directory of this path is there.
    pub fn has(&self, path: &str) -> bool {
        self.has_file(path) || self.has_directory(path)
    }

    /// Returns the files that a wikilink means by `name`, in the order of their paths: those whose
    /// paths end with it, without regard to case, a document's extension left out or not. Of very
    /// many there are [`CANDIDATES`].
    pub fn called(&self, name: &str) -> Vec<&str> {
        let wanted = backwards(name.trim_start_matches('/'));
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
            // The whole path, which comes first, is meant before the end of another.
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
        // Of those that differ in form alone, the one that is written so is meant.
        let form = folded(last_name(name));
        let is_written_so = |path: &&str| {
            let own = folded(last_name(path));
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

/// Returns a path in composed form.
pub fn composed(path: &str) -> Cow<'_, str> {
    match path.is_ascii() || is_nfc(path) {
        true => Cow::Borrowed(path),
        false => Cow::Owned(path.nfc().collect()),
    }
}

/// Whether one of these paths is the whole of what is wanted.
fn has_whole(found: &[&str], wanted: &str) -> bool {
    let first = found.first().copied().unwrap_or_default();
    let names = |path: &str| path.split('/').count();
    !first.is_empty() && names(first) == names(wanted.trim_end_matches('/'))
}

/// Returns a path as wikilinks name it, from its last name to the first, each with a `/` behind.
fn backwards(path: &str) -> String {
    let mut key = String::with_capacity(path.len() + 1);
    for name in path.rsplit('/') {
        key.extend(composed(name).chars().map(fold));
        key.push('/');
    }
    key
}

/// Returns a path of a document without its extension; none where it is no document's.
pub fn stem(path: &str) -> Option<&str> {
    let name = path.rsplit_once('/').map_or(path, |(_, name)| name);
    Format::from_name(name)?;
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
            assert_eq!(names.called(name), expected, "{name}");
        }
        assert!(names.has("x/y") && !names.has_file("x/y") && !names.has("y"));
        names.remove("x/A.md");
        assert_eq!(names.called("a"), ["a.md", "z/x/a.md"]);
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
        assert_eq!(names.called("\u{AC00}"), [apart]);
        // Of both, each is the one that is written so.
        names.insert(composed);
        for written in [composed, apart] {
            assert_eq!(names.as_listed(written.to_owned()), written);
        }
        assert_eq!(names.called("\u{AC00}"), [composed]);
        assert_eq!(names.called("\u{1100}\u{1161}"), [apart]);
        names.remove(apart);
        assert_eq!(names.as_listed(apart.to_owned()), composed);
        assert_eq!(names.called("\u{1100}\u{1161}"), [composed]);
    }

    #[test]
    fn labels_have_no_case_and_may_be_of_several() {
        let mut labels = Labels::default();
        labels.insert("b.rst", &[label_key("Two\n  Words")]);
        labels.insert("a.rst", &["two words".to_owned(), "one".to_owned()]);
        assert_eq!(labels.of("TWO words"), ["a.rst", "b.rst"]);
        assert_eq!(labels.of("one"), ["a.rst"]);
        assert_eq!(labels.of("none"), <[&str; 0]>::default());
    }
}
