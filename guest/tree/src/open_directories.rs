//! A cache of open directories for opening many files of one root: most of the cost of opening a
//! file is the descent to it, with the ignore files of each directory.
//!
//! A directory that is open stays valid for as long as this cache exists, although its names and
//! ignore files may change meanwhile. The cache lives for a part of one call, so that a change is
//! seen by the next call at the latest.

use std::collections::BTreeMap;

use crate::archive::container_name;
use crate::descent::{DirectoryLevel, EnteredDirectory, ResolvedEntry};
use crate::disk::{Directory, Disk};
use crate::door::{Consent, Vetted};
use crate::limits::DIRECTORIES_KEPT_OPEN;
use crate::locate::{LocateError, LocateRules, TargetKind, refuse_by_name};
use crate::path::RelPath;

/// The open directories of one root.
pub struct OpenDirectories<T> {
    root: usize,
    by_path: BTreeMap<String, EnteredDirectory<T>>,
}

/// A file in an open directory.
pub struct DirectoryFile<'d, T> {
    /// Path, as on disk.
    pub path: RelPath,
    /// Directory that contains it.
    pub parent: &'d Vetted<T>,
    /// Name in that directory.
    pub name: String,
}

impl<T: Directory> OpenDirectories<T> {
    /// Creates an empty cache for a root.
    pub fn new(root: usize) -> Self {
        Self {
            root,
            by_path: BTreeMap::new(),
        }
    }

    /// Returns the index of the root.
    pub fn root(&self) -> usize {
        self.root
    }

    /// Returns the file at `path`, if it exists, under the rules of [`crate::locate::locate`].
    ///
    /// # Errors
    /// As there, except that a path in which `\` was read as `/` is not tried literally, and that a
    /// path through more directories than are kept open is not found.
    pub fn file<D: Disk<Directory = T>>(
        &mut self,
        disk: &D,
        rules: LocateRules<'_>,
        path: &RelPath,
    ) -> Result<DirectoryFile<'_, T>, LocateError> {
        refuse_by_name(path, TargetKind::File)?;
        let mut above: Vec<&str> = path.segments().collect();
        let Some(last) = above.pop() else {
            return Err(LocateError::NotADocument(path.clone()));
        };
        if above.len() >= DIRECTORIES_KEPT_OPEN {
            return Err(LocateError::hidden_error(path));
        }
        let parent = above.join("/");
        if !self.by_path.contains_key(&parent) {
            self.open(disk, rules, path, &above)?;
        }
        let parent = &self.by_path[&parent];
        match parent.step(rules, path, last, Some(TargetKind::File))? {
            ResolvedEntry::File { real, name } => Ok(DirectoryFile {
                path: real,
                parent: &parent.directory,
                name,
            }),
            ResolvedEntry::Down(_) => Err(LocateError::NotADocument(path.clone())),
        }
    }

    /// Opens the directories of a path that are not open yet, each from the one that contains it.
    fn open<D: Disk<Directory = T>>(
        &mut self,
        disk: &D,
        rules: LocateRules<'_>,
        path: &RelPath,
        names: &[&str],
    ) -> Result<(), LocateError> {
        // A path needs the root and one directory for each of its names, all open at once. If they
        // might not fit beside the open ones, all of those are closed and opened again when they
        // are needed. Closing only the ones used least recently would require an order of use.
        if self.by_path.len() + names.len() + 1 > DIRECTORIES_KEPT_OPEN {
            self.by_path.clear();
        }
        let mut above = String::new();
        for depth in 0..=names.len() {
            let own = names[..depth].join("/");
            if !self.by_path.contains_key(&own) {
                let level = match names[..depth].last() {
                    None => {
                        let root = Vetted::root(disk, self.root, Consent::Withheld);
                        let root = root.map_err(LocateError::RootGone)?;
                        DirectoryLevel::root(root, rules.exclude.above(self.root))
                    }
                    Some(name) => match self.by_path[&above].step(rules, path, name, None)? {
                        ResolvedEntry::Down(level) => level,
                        ResolvedEntry::File { .. } => return Err(LocateError::hidden_error(path)),
                    },
                };
                if container_name(names[..depth].last().unwrap_or(&"")).is_some() {
                    // Each container may have many megabytes in memory, so that one is open.
                    self.by_path
                        .retain(|path, _| !path.split('/').any(|it| container_name(it).is_some()));
                }
                self.by_path.insert(own.clone(), level.enter());
            }
            above = own;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::rc::Rc;

    use docent_api::extract::{
        ExtractedDocument, Failure, Limits, ListedMember, Member, MemberList,
    };

    use super::*;
    use crate::door::{Extent, Stamps};
    use crate::extractor::Extractor;
    use crate::ignore::excluded::Exclusions;
    use crate::locate::{self, Located};
    use crate::memory::MemoryDisk;

    /// A reader of containers with one member, whose content is that of the container.
    struct OneMember;

    impl Extractor for OneMember {
        fn extract(&self, _: &str, _: &[u8], _: Limits) -> Result<ExtractedDocument, Failure> {
            Err(Failure::Malformed)
        }

        fn list_members(&self, _: &str, _: &[u8], _: Limits) -> Result<MemberList, Failure> {
            let member = ListedMember {
                path: "in/a.md".to_owned(),
                claimed_bytes: None,
            };
            Ok(MemberList {
                members: vec![member],
                omitted: 0,
            })
        }

        fn unpack(
            &self,
            _: &str,
            content: &[u8],
            _: Option<&[String]>,
            _: Limits,
        ) -> Result<Vec<Member>, Failure> {
            let path = "in/a.md".to_owned();
            let content = Ok(content.to_vec());
            Ok(vec![Member { path, content }])
        }
    }

    #[test]
    fn one_container_is_open_at_a_time() {
        let files = [("b/x.zip", "x"), ("b/y.zip", "y"), ("z.zip", "z")];
        let disk = MemoryDisk::with_files(&files);
        disk.set_extractor(Rc::new(OneMember));
        let exclude = Exclusions::default();
        let rules = LocateRules::new(&exclude);
        let mut directories = OpenDirectories::new(0);
        for (container, content) in files.iter().chain(&files) {
            let path = RelPath::parse(&format!("{container}!/in/a.md")).unwrap();
            let file = directories.file(&disk, rules, &path).unwrap();
            let read = file
                .parent
                .read(&file.name, Extent::Whole(9), Stamps::Unwanted);
            assert_eq!(read.unwrap().bytes, content.as_bytes());
            let open = directories.by_path.keys();
            let open: Vec<&String> = open.filter(|path| path.contains('!')).collect();
            let expected = [format!("{container}!"), format!("{container}!/in")];
            assert_eq!(open, expected.iter().collect::<Vec<_>>());
        }
    }

    fn tree() -> MemoryDisk {
        let mut files: Vec<(String, &str)> = (0..200)
            .map(|number| (format!("many/{number}/a.md"), "text"))
            .collect();
        for (path, text) in [
            ("a.md", "text"),
            ("b/c/d.md", "text"),
            ("b/left-out.md", "text"),
            ("b/.gitignore", "left-out*\n"),
            ("b/c/left-out.md", "text"),
            ("left-out/a.md", "text"),
            (".gitignore", "left-out/\n"),
            (".hidden/a.md", "text"),
            (".git/a.md", "text"),
            ("b/.env", "text"),
            ("b/id_rsa", "text"),
            (".ssh/a.md", "text"),
        ] {
            files.push((path.to_owned(), text));
        }
        let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (&**path, *text)).collect();
        MemoryDisk::with_files(&files)
    }

    #[test]
    fn files_are_what_they_are_one_by_one() {
        let disk = tree();
        disk.link("docs", "b/link.md");
        let exclude = Exclusions::default();
        let rules = LocateRules::new(&exclude);
        let mut directories = OpenDirectories::new(0);
        let named = [
            "a.md",
            "b/c/d.md",
            "b/left-out.md",
            "b/c/left-out.md",
            "left-out/a.md",
            ".hidden/a.md",
            ".git/a.md",
            "b/.env",
            "b/id_rsa",
            ".ssh/a.md",
            "b/link.md",
            "b",
            "b/c",
            "b/a.md/c.md",
            "a.md/b.md",
            "no/a.md",
            "no.md",
            "",
        ];
        let many: Vec<String> = (0..200)
            .map(|number| format!("many/{number}/a.md"))
            .collect();
        let all = named.into_iter().chain(many.iter().map(String::as_str));
        for path in all.clone().chain(all) {
            let path = RelPath::parse(path).unwrap();
            let alone = locate::locate(&disk, rules, 0, &path, TargetKind::File);
            let here = directories.file(&disk, rules, &path);
            match (here, alone) {
                (Ok(here), Ok(Located::File(alone))) => {
                    assert_eq!((here.path, here.name.as_str()), (alone.path, &*alone.name));
                    let read = here
                        .parent
                        .read(&here.name, Extent::Whole(9), Stamps::Unwanted);
                    assert_eq!(read.unwrap().bytes, b"text");
                }
                (Err(here), Err(alone)) => assert_eq!(here, alone),
                (here, alone) => panic!("{path:?}: {} {alone:?}", here.is_ok()),
            }
            assert!(directories.by_path.len() <= DIRECTORIES_KEPT_OPEN);
        }
    }

    #[test]
    fn a_way_that_is_too_long_keeps_nothing_open() {
        let deep = |directories: usize| format!("{}a.md", "d/".repeat(directories));
        let (there, beyond) = (deep(DIRECTORIES_KEPT_OPEN - 1), deep(DIRECTORIES_KEPT_OPEN));
        let disk = MemoryDisk::with_files(&[(&*there, "text"), (&*beyond, "text")]);
        let mut directories = OpenDirectories::new(0);
        let exclude = Exclusions::default();
        let rules = LocateRules::new(&exclude);
        let mut is_found = |path: &str| {
            let path = RelPath::parse(path).unwrap();
            let found = directories.file(&disk, rules, &path).is_ok();
            (found, directories.by_path.len())
        };
        assert_eq!(is_found(&beyond), (false, 0));
        assert_eq!(is_found(&there), (true, DIRECTORIES_KEPT_OPEN));
    }

    #[test]
    fn a_way_is_gone_once() {
        let disk = tree();
        let exclude = Exclusions::default();
        let rules = LocateRules::new(&exclude);
        let path = RelPath::parse("b/c/d.md").unwrap();
        let mut directories = OpenDirectories::new(0);
        let mut opened = || {
            disk.take_opens();
            assert!(directories.file(&disk, rules, &path).is_ok());
            disk.take_opens()
        };
        assert!(opened() > 3);
        assert_eq!(opened(), 0);
    }
}
