//! Directories that stay open while files of one root are opened one after another: most of what it
//! takes to open a file is the way down to it, with the ignore files of each directory.
//!
//! What is learnt of a directory holds as long as this does, which is for a part of one call.

use std::collections::BTreeMap;

use crate::disk::{Directory, Disk};
use crate::door::{Consent, Vetted};
use crate::limits::DIRECTORIES_KEPT_OPEN;
use crate::locate::{Entered, Level, LocateError, LocateRules, Step, TargetKind, refuse_by_name};
use crate::path::RelPath;

/// Open directories of one root.
pub struct OpenDirectories<T> {
    root: usize,
    by_path: BTreeMap<String, Entered<T>>,
}

/// A file in its directory, which stays open.
pub struct FileThere<'d, T> {
    /// Its path, as it is on disk.
    pub path: RelPath,
    /// The directory that holds it.
    pub parent: &'d Vetted<T>,
    /// Its name there.
    pub name: String,
}

impl<T: Directory> OpenDirectories<T> {
    /// Returns none yet.
    pub fn of(root: usize) -> Self {
        Self {
            root,
            by_path: BTreeMap::new(),
        }
    }

    /// Returns the index of their root.
    pub fn root(&self) -> usize {
        self.root
    }

    /// Returns the file at `path`, where it is, under the rules that [`crate::locate::locate`] goes by.
    ///
    /// # Errors
    /// As there, but for a path that was read with `\` as `/`, which is not tried as it was written,
    /// and for one through more directories than are kept open, which leads nowhere.
    pub fn file<D: Disk<Directory = T>>(
        &mut self,
        disk: &D,
        rules: LocateRules<'_>,
        path: &RelPath,
    ) -> Result<FileThere<'_, T>, LocateError> {
        refuse_by_name(path, TargetKind::File)?;
        let mut above: Vec<&str> = path.segments().collect();
        let Some(last) = above.pop() else {
            return Err(LocateError::NotADocument(path.clone()));
        };
        if above.len() >= DIRECTORIES_KEPT_OPEN {
            return Err(LocateError::nowhere(path));
        }
        let parent = above.join("/");
        if !self.by_path.contains_key(&parent) {
            self.open(disk, rules, path, &above)?;
        }
        let parent = &self.by_path[&parent];
        match parent.step(rules, path, last, Some(TargetKind::File))? {
            Step::File { real, name } => Ok(FileThere {
                path: real,
                parent: &parent.directory,
                name,
            }),
            Step::Down(_) => Err(LocateError::NotADocument(path.clone())),
        }
    }

    /// Opens what is not open yet of the way through these directories, each in the one before.
    fn open<D: Disk<Directory = T>>(
        &mut self,
        disk: &D,
        rules: LocateRules<'_>,
        path: &RelPath,
        names: &[&str],
    ) -> Result<(), LocateError> {
        // The root, and one for each name.
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
                        Level::root(root, rules.exclude.above(self.root))
                    }
                    Some(name) => match self.by_path[&above].step(rules, path, name, None)? {
                        Step::Down(level) => level,
                        Step::File { .. } => return Err(LocateError::nowhere(path)),
                    },
                };
                self.by_path.insert(own.clone(), level.enter());
            }
            above = own;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::door::{Extent, Stamps};
    use crate::ignore::excluded::Excluded;
    use crate::locate::{self, Located};
    use crate::memory::MemoryDisk;

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
        let exclude = Excluded::default();
        let rules = LocateRules::new(&exclude);
        let mut directories = OpenDirectories::of(0);
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
        let mut directories = OpenDirectories::of(0);
        let exclude = Excluded::default();
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
        let exclude = Excluded::default();
        let rules = LocateRules::new(&exclude);
        let path = RelPath::parse("b/c/d.md").unwrap();
        let mut directories = OpenDirectories::of(0);
        let mut opened = || {
            disk.take_opens();
            assert!(directories.file(&disk, rules, &path).is_ok());
            disk.take_opens()
        };
        assert!(opened() > 3);
        assert_eq!(opened(), 0);
    }
}
