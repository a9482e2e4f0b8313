//! JavaScript workspaces: the packages of a repository, by the globs of its manifests.

use std::collections::BTreeMap;

use super::paths::{below, name_of, parent, upwards};
use super::settings::Manifests;
use crate::limits::WORKSPACE_GLOBS;

/// Directories of the members of each workspace, by its directory and their names; `None` if
/// several have the same name.
#[derive(Debug, Default)]
pub(super) struct Workspaces(BTreeMap<String, BTreeMap<String, Option<String>>>);

impl Workspaces {
    pub(super) fn new(manifests: &Manifests) -> Self {
        let mut globs: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for (path, settings) in manifests {
            let of_file = globs.entry(parent(path)).or_default();
            match name_of(path) {
                "package.json" => {
                    of_file.extend(settings.values(&["workspaces"]));
                    of_file.extend(settings.values(&["workspaces", "packages"]));
                }
                "pnpm-workspace.yaml" => of_file.extend(settings.values(&["packages"])),
                _ => {}
            }
            of_file.truncate(WORKSPACE_GLOBS);
        }
        globs.retain(|_, globs| !globs.is_empty());
        let mut workspaces = BTreeMap::new();
        for (path, settings) in manifests {
            let Some(name) = settings.value(&["name"]) else {
                continue;
            };
            if name_of(path) != "package.json" {
                continue;
            }
            let directory = parent(path);
            for above in upwards(directory) {
                let Some(globs) = globs.get(above) else {
                    continue;
                };
                let inner = below(directory, above).unwrap_or(directory);
                if above == directory || is_member(globs, inner) {
                    let members: &mut BTreeMap<String, Option<String>> =
                        workspaces.entry(above.to_owned()).or_default();
                    members
                        .entry(name.to_owned())
                        .and_modify(|other| *other = None)
                        .or_insert_with(|| Some(directory.to_owned()));
                }
            }
        }
        Self(workspaces)
    }

    /// Returns the directory of the package `name` in the workspaces that contain `from`.
    pub(super) fn member(&self, from: &str, name: &str) -> Option<&str> {
        let mut around = upwards(parent(from)).filter_map(|directory| self.0.get(directory));
        around.find_map(|members| members.get(name))?.as_deref()
    }
}

/// Returns true if the globs include a directory: the last one that matches decides.
fn is_member(globs: &[&str], directory: &str) -> bool {
    globs.iter().fold(false, |is_member, glob| {
        let (is_wanted, glob) = match glob.strip_prefix('!') {
            Some(glob) => (false, glob),
            None => (true, *glob),
        };
        let glob = glob.trim_start_matches("./").trim_end_matches('/');
        if matches(glob, directory) {
            is_wanted
        } else {
            is_member
        }
    })
}

/// Returns true if a path matches a glob, in which `*` matches a part of a name and `**` any
/// names.
fn matches(glob: &str, path: &str) -> bool {
    let names: Vec<&str> = path.split('/').collect();
    // The numbers of segments that the glob can have matched so far, all at once. A matcher that
    // tries one and goes back takes time exponential in the number of `**`, and each manifest of
    // a workspace is matched with each of its globs.
    let mut reached = vec![false; names.len() + 1];
    reached[0] = true;
    for part in glob.split('/') {
        let mut next = vec![false; names.len() + 1];
        for at in 0..=names.len() {
            if part == "**" {
                next[at] = reached[at] || at > 0 && next[at - 1];
            } else if at > 0 {
                next[at] = reached[at - 1] && fits(part, names[at - 1]);
            }
        }
        reached = next;
    }
    reached.last().copied().unwrap_or(false)
}

/// Returns true if a name matches a segment of a glob.
fn fits(part: &str, name: &str) -> bool {
    let Some((start, rest)) = part.split_once('*') else {
        return part == name;
    };
    let Some(mut left) = name.strip_prefix(start) else {
        return false;
    };
    let mut pieces: Vec<&str> = rest.split('*').collect();
    let end = pieces.pop().unwrap_or_default();
    for piece in pieces {
        match left.find(piece) {
            Some(at) => left = &left[at + piece.len()..],
            None => return false,
        }
    }
    left.ends_with(end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn globs_of_directories() {
        for (glob, path, expected) in [
            ("packages/*", "packages/a", true),
            ("packages/*", "packages/a/b", false),
            ("packages/**", "packages/a/b", true),
            ("**/a", "a", true),
            ("p-*-x*", "p-a-xy", true),
            ("p-*-x*z", "p-a-xy", false),
            ("a", "a", true),
            ("*", "a/b", false),
        ] {
            assert_eq!(matches(glob, path), expected, "{glob} {path}");
        }
        assert!(!is_member(&["a/*", "!a/b"], "a/b"));
        assert!(is_member(&["./a/*/"], "a/b"));
    }
}
