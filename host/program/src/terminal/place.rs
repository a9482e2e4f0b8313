//! Paths on the command line, resolved to roots and paths in them.

use std::path::{Path, PathBuf};

use docent_host::grant::{Grants, Right, RootSpec};

/// The kind of entry at a path on the command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PathKind {
    /// A directory.
    Directory,
    /// Anything else.
    File,
    /// A part of a file, by the suffix of its path: `:10-40`, `#Flask.run`.
    Part(String),
    /// A path into a container, by the suffix of its path: `!/guide/start.md`.
    Member(String),
}

/// The treatment of parts of files in a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PartPolicy {
    /// A part of a file is accepted.
    Taken,
    /// Only a file or directory is accepted.
    Refused,
}

/// A resolved path of the command line.
#[derive(Debug)]
pub struct ResolvedPath {
    /// The path as it was written, without the part.
    pub written: PathBuf,
    /// Absolute path without links.
    pub resolved: PathBuf,
    /// Kind of the entry.
    pub kind: PathKind,
}

/// A directory or a file to search.
#[derive(Debug, PartialEq, Eq)]
pub struct SearchPlace {
    /// Root that contains it, by its position in the group.
    pub root: usize,
    /// The file's name in the root; none for the whole root.
    pub file: Option<String>,
    /// Requested part of the file, as the suffix of its path; none for the whole file.
    part: Option<String>,
    /// True if the file is a path into a container, which may be a directory of it.
    is_member: bool,
    /// The path as it was written, without the part.
    written: PathBuf,
}

/// A granted directory.
#[derive(Debug)]
pub struct GrantedRoot {
    /// Name for the component.
    pub name: String,
    /// Location.
    pub directory: PathBuf,
}

/// Places whose roots can be granted together, because none contains another.
#[derive(Debug, Default)]
pub struct PlaceGroup {
    /// The roots.
    pub roots: Vec<RootSpec>,
    /// The places in them.
    pub places: Vec<SearchPlace>,
}

impl GrantedRoot {
    /// Returns the grants, in order.
    pub fn all(grants: &Grants) -> Vec<Self> {
        let roots = grants.all().iter().map(|grant| Self {
            name: grant.name().to_owned(),
            directory: grant.path().to_owned(),
        });
        roots.collect()
    }
}

impl SearchPlace {
    /// Creates the place of a whole root, whose paths are shown below `written`.
    pub fn root(root: usize, written: PathBuf) -> Self {
        Self {
            root,
            file: None,
            part: None,
            is_member: false,
            written,
        }
    }

    /// Returns true if it is certain to be one file.
    pub fn is_file(&self) -> bool {
        self.file.is_some() && !self.is_member
    }

    /// Returns the file's name in the root, with the requested part; none for the whole root.
    pub fn requested_path(&self) -> Option<String> {
        let part = self.part.as_deref().unwrap_or_default();
        self.file.as_ref().map(|file| format!("{file}{part}"))
    }

    /// Converts a path from the component as [`SearchPlace::show`] does, with the requested part.
    pub fn show_requested(&self, path: &str) -> String {
        let part = self.part.as_deref().unwrap_or_default();
        format!("{}{part}", self.show(path))
    }

    /// Converts a path from the component to one relative to the current directory.
    pub fn show(&self, path: &str) -> String {
        let path = path.trim_start_matches('/');
        if let Some(file) = &self.file {
            let below = path.strip_prefix(file.as_str());
            let below = below.and_then(|below| below.strip_prefix('/'));
            let shown =
                below.map_or_else(|| self.written.clone(), |below| self.written.join(below));
            return shown.display().to_string();
        }
        if path == "." {
            return self.written.display().to_string();
        }
        // `docent search x` shows `docs/a.md`, not `./docs/a.md`, as `rg` does.
        if self.written == Path::new(".") || self.written.as_os_str().is_empty() {
            return path.to_owned();
        }
        self.written.join(path).display().to_string()
    }

    /// Returns the extension of a file; `None` for a path into a container.
    pub fn extension(&self) -> Option<&str> {
        if self.is_member {
            return None;
        }
        Path::new(self.file.as_ref()?).extension()?.to_str()
    }
}

/// Returns the possible divisions of a path into a file and a part of it, the longer path first.
pub fn divisions(path: &Path) -> impl Iterator<Item = (&Path, &str)> {
    let text = path.to_str().unwrap_or_default();
    text.rmatch_indices(['#', ':']).filter_map(|(at, sign)| {
        let (file, part) = text.split_at(at);
        // Every `#` and `:` may divide the path, since both may be part of a file's name:
        // `a#b.md#setup`. The component parses the part. Only suffixes that cannot be one are
        // excluded here, such as `:x` or `C:`.
        let may_be_part = sign == "#" || part[1..].starts_with(|c: char| c.is_ascii_digit());
        let is_file = !file.is_empty() && !file.ends_with(std::path::is_separator);
        (may_be_part && is_file).then_some((Path::new(file), part))
    })
}

/// Returns the possible divisions of a path into a container and a path in it: `x.zip` and
/// `!/a.md`.
pub fn container_divisions(path: &Path) -> impl Iterator<Item = (&Path, &str)> {
    let text = path.to_str().unwrap_or_default();
    text.match_indices('!').filter_map(|(at, _)| {
        let (file, member) = text.split_at(at);
        let is_end = member.len() == 1 || member[1..].starts_with('/');
        is_end.then(|| (Path::new(file), member.trim_end_matches('/')))
    })
}

/// Sorts paths into as few groups as possible: each directory is a root of its own, and so is the
/// directory of each file.
///
/// # Errors
/// Returns a file whose name is not UTF-8, as it was written: it cannot be searched.
pub fn group(found: Vec<ResolvedPath>) -> Result<Vec<PlaceGroup>, PathBuf> {
    let mut groups: Vec<PlaceGroup> = Vec::new();
    for path in found {
        let ResolvedPath {
            written,
            resolved,
            kind,
        } = path;
        let is_directory = kind == PathKind::Directory;
        let (part, member) = match kind {
            PathKind::Directory | PathKind::File => (None, None),
            PathKind::Part(part) => (Some(part), None),
            PathKind::Member(member) => (None, Some(member)),
        };
        let (directory, file) = if is_directory {
            (resolved, None)
        } else {
            // Only the name of the file is passed to the component, as a string in UTF-8. Its
            // directory is passed as an open handle, so the names above may be in any encoding.
            let Some(name) = resolved.file_name().and_then(|name| name.to_str()) else {
                return Err(written);
            };
            let name = format!("{name}{}", member.as_deref().unwrap_or_default());
            let parent = resolved.parent().unwrap_or(Path::new("/")).to_owned();
            (parent, Some(name))
        };
        // Roots of one grant must not overlap. For `docent search x . docs`, the second
        // directory lies in the first one and goes to a group of its own, with an instance of
        // its own.
        let position = groups
            .iter()
            .position(|group| group.takes(&directory))
            .unwrap_or_else(|| {
                groups.push(PlaceGroup::default());
                groups.len() - 1
            });
        let group = &mut groups[position];
        let root = group
            .roots
            .iter()
            .position(|root| root.path == directory)
            .unwrap_or_else(|| {
                group.roots.push(RootSpec {
                    name: None,
                    path: directory,
                    right: Right::ReadOnly,
                    sensitive: false,
                });
                group.roots.len() - 1
            });
        group.places.push(SearchPlace {
            root,
            file,
            part,
            is_member: member.is_some(),
            written,
        });
    }
    Ok(groups)
}

impl PlaceGroup {
    fn takes(&self, directory: &Path) -> bool {
        self.roots.iter().all(|root| {
            // `starts_with` compares whole segments: `/w/notes-old` does not lie in `/w/notes`.
            root.path == directory
                || !(root.path.starts_with(directory) || directory.starts_with(&root.path))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn groups(paths: &[(&str, &str, PathKind)]) -> Vec<PlaceGroup> {
        let found = paths.iter().map(|(written, resolved, kind)| ResolvedPath {
            written: written.into(),
            resolved: resolved.into(),
            kind: kind.clone(),
        });
        group(found.collect()).unwrap()
    }

    #[test]
    fn files_of_one_directory_share_a_root() {
        let groups = groups(&[
            ("a.md", "/w/a.md", PathKind::File),
            ("sub/b.md", "/w/sub/b.md", PathKind::File),
            ("./c.md", "/w/c.md", PathKind::File),
            ("/x", "/x", PathKind::Directory),
        ]);
        let roots: Vec<Vec<_>> = groups
            .iter()
            .map(|group| {
                group
                    .roots
                    .iter()
                    .map(|root| root.path.to_str().unwrap())
                    .collect()
            })
            .collect();
        assert_eq!(roots, [vec!["/w", "/x"], vec!["/w/sub"]]);
        assert_eq!(groups[0].places[1].root, 0);
        assert_eq!(groups[0].places[1].show("/c.md"), "./c.md");
        assert_eq!(groups[1].places[0].file.as_deref(), Some("b.md"));
        assert_eq!(groups[1].places[0].extension(), Some("md"));
    }

    #[test]
    fn paths_are_shown_from_where_the_person_stands() {
        let shown = |written: &str| SearchPlace::root(0, written.into()).show("/g/a.md");
        assert_eq!(shown("."), "g/a.md");
        assert_eq!(shown(""), "g/a.md");
        assert_eq!(shown("docs"), "docs/g/a.md");
        assert_eq!(shown("./docs/"), "./docs/g/a.md");
        assert_eq!(shown("/abs"), "/abs/g/a.md");
        assert_eq!(SearchPlace::root(0, "docs".into()).show("."), "docs");
    }

    #[test]
    fn a_part_of_a_file_stands_behind_its_path() {
        let read = |text: &'static str| -> Vec<(&str, &str)> {
            let divisions = divisions(Path::new(text));
            let text = |path: &'static Path| path.to_str().unwrap();
            divisions.map(|(path, part)| (text(path), part)).collect()
        };
        assert_eq!(read("d/a.md:10-40"), [("d/a.md", ":10-40")]);
        assert_eq!(read("a.py#Flask.run"), [("a.py", "#Flask.run")]);
        assert_eq!(read("g.md#Guide > Cache"), [("g.md", "#Guide > Cache")]);
        let both = [("c#/a.cs", "#A"), ("c", "#/a.cs#A")];
        assert_eq!(read("c#/a.cs#A"), both);
        assert_eq!(read("a.md:12:5"), [("a.md:12", ":5"), ("a.md", ":12:5")]);
        for text in ["a.md", "a:b", "#x", "d/:5", ":5", ""] {
            assert_eq!(read(text), [], "{text}");
        }
    }

    #[test]
    fn a_path_into_a_container_is_asked_for_as_it_is() {
        let read = |text: &'static str| -> Vec<(&str, &str)> {
            let divisions = container_divisions(Path::new(text));
            let text = |path: &'static Path| path.to_str().unwrap();
            divisions
                .map(|(path, member)| (text(path), member))
                .collect()
        };
        assert_eq!(read("d/x.zip!/a.md#B"), [("d/x.zip", "!/a.md#B")]);
        assert_eq!(read("x.zip!"), [("x.zip", "!")]);
        assert_eq!(read("x.zip!/"), [("x.zip", "!")]);
        assert_eq!(
            read("a!/x.zip!/b"),
            [("a", "!/x.zip!/b"), ("a!/x.zip", "!/b")]
        );
        assert_eq!(read("a!b.md"), []);
        let member = PathKind::Member("!/guide".to_owned());
        let groups = groups(&[("d/x.zip!/guide", "/w/d/x.zip", member)]);
        let place = &groups[0].places[0];
        assert_eq!(place.requested_path().as_deref(), Some("x.zip!/guide"));
        assert_eq!(place.show("/x.zip!/guide/a.md"), "d/x.zip!/guide/a.md");
        assert_eq!(place.show("x.zip!/guide"), "d/x.zip!/guide");
        assert!(!place.is_file() && place.extension().is_none());
    }

    #[test]
    fn a_part_is_asked_for_and_its_file_is_shown() {
        let part = PathKind::Part("#B > C".to_owned());
        let groups = groups(&[("d/a.md", "/w/d/a.md", part)]);
        let place = &groups[0].places[0];
        assert_eq!(place.requested_path().as_deref(), Some("a.md#B > C"));
        assert_eq!(place.show("a.md"), "d/a.md");
        assert_eq!(place.show_requested("a.md"), "d/a.md#B > C");
    }
}
