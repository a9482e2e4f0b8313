//! Listings: the potentially useful entries of one directory, in the order of the walk.

use std::cmp::Ordering;
use std::collections::HashSet;

use docent_api::types::SkipReason;

use crate::archive::{ContainerKind, directory_name, walked_kind};
use crate::disk::{Entries, Kind};
use crate::ignore::rules::IGNORE_FILES;
use crate::reserved::is_reserved;
use crate::sensitive::{is_sensitive_directory, is_sensitive_file, is_version_control};

/// An entry that is not sensitive.
#[derive(Debug)]
pub struct Item {
    /// Name.
    pub name: Box<str>,
    /// Kind.
    pub kind: Kind,
    /// True if its name begins with a dot: it is only shown to callers that request such entries.
    pub is_hidden: bool,
    /// Kind of the container whose members a directory holds; `None` for entries of the disk.
    pub container: Option<ContainerKind>,
}

/// The entries of a directory, without sensitive ones.
#[derive(Debug)]
pub struct Listing {
    /// Entries sorted bytewise, a directory as if its name ended in `/`, so that the paths of a
    /// walk ascend.
    pub items: Vec<Item>,
    /// Number of entries whose name is not UTF-8.
    pub unnamed: u32,
    /// Number of hidden entries that contain no secrets by their names.
    pub hidden: u32,
    /// Number of entries that may contain secrets by their names.
    pub sensitive: u32,
    /// Number of members of a container that are not read, with the reason.
    pub omitted: (SkipReason, u32),
    /// True for each of [`IGNORE_FILES`] that exists.
    pub ignore_files: [bool; IGNORE_FILES.len()],
}

impl Listing {
    /// Creates the listing of `entries`.
    pub fn new(entries: Entries) -> Self {
        let mut ignore_files = [false; IGNORE_FILES.len()];
        let (mut hidden, mut sensitive) = (0, 0);
        let mut items = Vec::with_capacity(entries.named.len());
        for entry in entries.named {
            if entry.name.starts_with('.')
                && let Some(i) = IGNORE_FILES.iter().position(|name| *name == entry.name)
            {
                // Only a regular file counts, as in git. A directory or a link called `.gitignore`
                // would fail to open as a file at each walk, and would be reported as a file that
                // cannot be read.
                ignore_files[i] = entry.kind == Kind::File;
            }
            // A reserved name only exists for the duration of a write, and is not shown to callers.
            // The door already leaves such names out of its entries; a listing that is made of
            // other entries must not show them either.
            if is_reserved(&entry.name) {
                continue;
            }
            let is_sensitive = match entry.kind {
                Kind::Directory => is_sensitive_directory(&entry.name),
                Kind::File | Kind::Other => is_sensitive_file(&entry.name),
                // A link is listed if it could point to a document. Its target is not examined,
                // because links are never followed, so that its own name has to be harmless both as
                // the name of a file and as that of a directory.
                Kind::Symlink => {
                    is_sensitive_file(&entry.name) || is_sensitive_directory(&entry.name)
                }
            };
            if is_sensitive {
                sensitive += 1;
                continue;
            }
            let is_hidden = entry.name.starts_with('.');
            hidden += u32::from(is_hidden);
            // Version control programs execute hooks and settings in such a directory, and its
            // files are objects and indexes, not documents. It counts as a hidden entry, but a
            // request for hidden entries does not include it.
            if is_version_control(&entry.name) {
                continue;
            }
            items.push(Item {
                name: entry.name.into_boxed_str(),
                kind: entry.kind,
                is_hidden,
                container: None,
            });
        }
        items.sort_unstable_by(Item::order);
        Self {
            items,
            unnamed: entries.unnamed,
            omitted: (SkipReason::Io, 0),
            hidden,
            sensitive,
            ignore_files,
        }
    }

    /// Adds the directories of the containers among the items.
    pub(crate) fn add_containers(&mut self) {
        let files = self.items.iter().filter(|item| item.kind == Kind::File);
        let containers: Vec<Item> = files
            .filter_map(|file| {
                let container = walked_kind(&file.name)?;
                Some(Item {
                    name: directory_name(&file.name).into_boxed_str(),
                    kind: Kind::Directory,
                    is_hidden: file.is_hidden,
                    container: Some(container),
                })
            })
            .collect();
        if containers.is_empty() {
            return;
        }
        let known: HashSet<&str> = self.items.iter().map(|item| &*item.name).collect();
        // An entry of the disk that is called so takes precedence.
        let added: Vec<Item> = containers
            .into_iter()
            .filter(|container| !known.contains(&*container.name))
            .collect();
        self.items.extend(added);
        self.items.sort_unstable_by(Item::order);
    }

    /// Returns the index of the first item that is not entirely before `after`, a path relative to
    /// this directory: the items from there on come after it, or the first is a directory on its
    /// way.
    pub fn index_after(&self, after: &str) -> usize {
        self.items.partition_point(|item| item.is_before(after))
    }
}

impl Item {
    fn order(&self, other: &Self) -> Ordering {
        let (own, others) = (self.name.as_bytes(), other.name.as_bytes());
        // The order is that of the paths below, not of the names. `a-b.md` sorts before the content
        // of `a/`, and `a0.md` after it, because `-` is below `/` and `0` above. Sorted by name,
        // `a` would come before `a-b.md`, the paths of a walk would not ascend, and a page that
        // continues after `a-b.md` would repeat or omit entries.
        //
        // The `/` of a directory can only decide after the shorter of two names.
        let shared = own.len().min(others.len());
        let following = |name: &[u8], kind| {
            name.get(shared)
                .copied()
                .or((kind == Kind::Directory).then_some(b'/'))
        };
        own[..shared]
            .cmp(&others[..shared])
            .then_with(|| following(own, self.kind).cmp(&following(others, other.kind)))
    }

    /// Returns true if `after` is a path into this directory.
    pub fn holds(&self, after: &str) -> bool {
        self.kind == Kind::Directory
            && after
                .strip_prefix(&*self.name)
                .is_some_and(|rest| rest.starts_with('/'))
    }

    fn is_before(&self, after: &str) -> bool {
        if self.kind != Kind::Directory {
            return &*self.name <= after;
        }
        // A directory that contains `after` is not passed yet: the page may have ended in the
        // middle of it, and the rest of its content follows.
        !self.holds(after) && self.name.bytes().chain([b'/']).lt(after.bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::disk::Entry;

    fn listing(names: &[&str]) -> Listing {
        let entry = |name: &&str| Entry {
            name: name.trim_end_matches('/').to_owned(),
            kind: if name.ends_with('/') {
                Kind::Directory
            } else {
                Kind::File
            },
        };
        Listing::new(Entries {
            named: names.iter().map(entry).collect(),
            unnamed: 0,
        })
    }

    fn names(listing: &Listing) -> Vec<&str> {
        let shown = listing.items.iter().filter(|item| !item.is_hidden);
        shown.map(|item| &*item.name).collect()
    }

    #[test]
    fn sorted_as_paths_are() {
        let listing = listing(&[
            "b.md", "a/", "a.md", "a-b.md", "a0.md", ".x", "id_rsa", ".ssh/",
        ]);
        assert_eq!(names(&listing), ["a-b.md", "a.md", "a", "a0.md", "b.md"]);
    }

    #[test]
    fn containers_are_directories_beside_their_files() {
        let mut listing = listing(&[
            "a.zip", "b.EML", "c.zip", "c.zip!", "d.zip/", "e.docx", "a.zip!0",
        ]);
        listing.add_containers();
        let shown = listing.items.iter();
        let shown: Vec<(&str, Option<ContainerKind>)> =
            shown.map(|item| (&*item.name, item.container)).collect();
        assert_eq!(
            shown,
            [
                ("a.zip", None),
                ("a.zip!", Some(ContainerKind::Archive)),
                ("a.zip!0", None),
                ("b.EML", None),
                ("b.EML!", Some(ContainerKind::Message)),
                ("c.zip", None),
                ("c.zip!", None),
                ("d.zip", None),
                ("e.docx", None),
            ]
        );
    }

    #[test]
    fn omitted_entries_are_counted() {
        let listing = listing(&[
            ".x",
            ".git/",
            ".env",
            "id_rsa",
            ".ssh/",
            "a.md",
            ".gitignore",
            ".docent-1",
        ]);
        assert_eq!((listing.hidden, listing.sensitive), (3, 3));
        assert_eq!(names(&listing), ["a.md"]);
    }

    #[test]
    fn continues_after_a_path() {
        let listing = listing(&["a-b.md", "a.md", "a/", "a0.md"]);
        for (after, expected) in [
            ("a-b.md", 1),
            ("a.md", 2),
            ("a/", 2),
            ("a/x", 2),
            ("a0", 3),
            ("a0.md", 4),
            ("A", 0),
        ] {
            assert_eq!(listing.index_after(after), expected, "{after}");
        }
    }
}
