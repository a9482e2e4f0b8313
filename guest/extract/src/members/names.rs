//! Paths of members. Containers name them as they like: `../../etc/passwd`, `C:\a`, twice the same.

use std::collections::{BTreeSet, HashMap};

use crate::limits::{MEMBER_DEPTH, MEMBER_NAME_BYTES};

/// The paths that are in use.
#[derive(Debug, Default)]
pub struct MemberNames {
    files: BTreeSet<String>,
    directories: BTreeSet<String>,
    /// The last number that was added to a path.
    numbers: HashMap<String, usize>,
}

impl MemberNames {
    /// Returns the path of a member as components that no file system takes for anything else, with
    /// a number if it is in use: `plan (2).png`. `None` if nothing is left of it, or if it would be
    /// below a file.
    pub fn unique_path(&mut self, path: &str) -> Option<String> {
        let path = clean_path(path)?;
        let is_below_file = ancestors(&path).any(|above| self.files.contains(above));
        if is_below_file {
            return None;
        }
        let path = self.number(path);
        self.directories.extend(ancestors(&path).map(str::to_owned));
        self.files.insert(path.clone());
        Some(path)
    }

    fn number(&mut self, path: String) -> String {
        if !self.is_used(&path) {
            return path;
        }
        let name = path.rfind('/').map_or(0, |slash| slash + 1);
        let dot = path[name..].rfind('.').filter(|dot| *dot > 0);
        let (stem, extension) = path.split_at(dot.map_or(path.len(), |dot| name + dot));
        // The search goes on at the last number: a thousand equal names would else take a
        // million steps.
        let mut number = self.numbers.get(&path).copied().unwrap_or(1);
        let numbered = loop {
            number += 1;
            let numbered = format!("{stem} ({number}){extension}");
            if !self.is_used(&numbered) {
                break numbered;
            }
        };
        self.numbers.insert(path, number);
        numbered
    }

    fn is_used(&self, path: &str) -> bool {
        self.files.contains(path) || self.directories.contains(path)
    }
}

/// Returns the directories above a path.
fn ancestors(path: &str) -> impl Iterator<Item = &str> {
    path.match_indices('/').map(|(slash, _)| &path[..slash])
}

/// Returns a path without what is no name: a root or drive, `.`, `..` and control characters.
fn clean_path(path: &str) -> Option<String> {
    let mut components: Vec<String> = Vec::new();
    for component in path.split(['/', '\\']) {
        let mut name: String = component
            .chars()
            .map(|c| if c.is_control() || c == ':' { '_' } else { c })
            .collect();
        name.truncate(name.floor_char_boundary(MEMBER_NAME_BYTES));
        let name = name.trim();
        match name {
            "" | "." | ".." => {}
            _ => components.push(name.to_owned()),
        }
    }
    let is_usable = (1..=MEMBER_DEPTH).contains(&components.len());
    is_usable.then(|| components.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_stay_within_their_container() {
        for (path, expected) in [
            ("a/b.md", Some("a/b.md")),
            ("../../etc/passwd", Some("etc/passwd")),
            ("/etc/./passwd", Some("etc/passwd")),
            ("C:\\a\\b.txt", Some("C_/a/b.txt")),
            ("a\u{0}\n.md", Some("a__.md")),
            (" a / b ", Some("a/b")),
            ("", None),
            ("//", None),
            ("..", None),
            ("문서/회의.hwp", Some("문서/회의.hwp")),
        ] {
            assert_eq!(clean_path(path).as_deref(), expected, "{path:?}");
        }
        let deep = "a/".repeat(MEMBER_DEPTH + 1);
        assert_eq!(clean_path(&deep), None);
        let long = clean_path(&"가".repeat(1000)).unwrap_or_default();
        assert!(long.len() <= MEMBER_NAME_BYTES && long.len() > MEMBER_NAME_BYTES - 3);
    }

    #[test]
    fn a_path_is_used_once() {
        let mut names = MemberNames::default();
        let mut add = |path| names.unique_path(path);
        assert_eq!(add("a/plan.png").as_deref(), Some("a/plan.png"));
        assert_eq!(add("a/plan.png").as_deref(), Some("a/plan (2).png"));
        assert_eq!(add("a/plan.png").as_deref(), Some("a/plan (3).png"));
        assert_eq!(add("README").as_deref(), Some("README"));
        assert_eq!(add("README").as_deref(), Some("README (2)"));
        // A file is not a directory at the same time.
        assert_eq!(add("README/x"), None);
        assert_eq!(add("a").as_deref(), Some("a (2)"));
    }
}
