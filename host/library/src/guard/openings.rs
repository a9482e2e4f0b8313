//! A log of the files that a guest opened, as the guard saw it, independent of the guest's own
//! report.
//!
//! A file is noted while the call runs, by the directory through which it was opened, and its path
//! is put together on request: a search opens ten thousand files, and the log of most calls is
//! never read.

use std::collections::HashSet;
use std::hash::{BuildHasher as _, RandomState};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Maximum number of files per call that are noted individually; further ones are only counted. A
/// call that opens more takes longer than the longest time limit.
const NOTED: usize = 100_000;

/// The log of the files that a call opened; see [`crate::CallControl::openings`].
#[derive(Debug, Default)]
pub struct OpeningLog(Mutex<CollectedOpenings>);

/// The files that a call opened.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Openings {
    /// Number of the instance that served the call, unique within this process; none if no instance
    /// served it.
    pub instance: Option<u64>,
    /// Number of calls that the instance had served before. Its memory may hold files that those
    /// opened, and this call's answer may come from there.
    pub calls_before: u64,
    /// Each file once for each way in which it was used, in the order of its first use.
    pub files: Vec<OpenedFile>,
    /// Number of further uses, which were only counted.
    pub left_out: u64,
}

/// A file that a call opened, or tried to open.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct OpenedFile {
    /// Name of the root; for a root's state, the name of its state directory.
    pub root: Arc<str>,
    /// Path below the root, with `/` between names, as it was when its directories were opened.
    pub path: String,
    /// Way in which the file was used.
    pub usage: FileUsage,
}

/// The way in which a call used a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FileUsage {
    /// It was opened for reading.
    Read,
    /// It was created, changed, or moved to this name.
    Written,
    /// It was removed, or moved to another name.
    Removed,
    /// It was not opened; the value is the name of the error that the guest got.
    Refused(&'static str),
}

#[derive(Debug, Default)]
struct CollectedOpenings {
    instance: Option<u64>,
    calls_before: u64,
    noted: Vec<Noted>,
    left_out: u64,
    /// Hashes of the containers whose members were noted, and of those members.
    unpacked: HashSet<u64>,
    hasher: RandomState,
}

#[derive(Debug)]
struct Noted {
    directory: Arc<OpenedDirectory>,
    name: Box<str>,
    usage: FileUsage,
}

/// The path of a directory that a guest has opened.
#[derive(Debug)]
pub(crate) struct OpenedDirectory {
    /// Directory through which it was opened; none for a root.
    parent: Option<Arc<OpenedDirectory>>,
    /// Path by which it was opened; for a root, its name.
    path: Arc<str>,
}

impl OpeningLog {
    /// Returns the log of a call that has not begun.
    #[must_use]
    pub fn new() -> Arc<Self> {
        Arc::default()
    }

    /// Returns the files that were opened so far: all of them once the call has ended.
    #[must_use]
    pub fn openings(&self) -> Openings {
        let collected = self.lock();
        let mut seen = HashSet::new();
        let mut files = Vec::new();
        for noted in &collected.noted {
            let mut names = Vec::new();
            let root = noted.directory.names(&mut names);
            add_names(&noted.name, &mut names);
            let file = OpenedFile {
                root,
                path: names.join("/"),
                usage: noted.usage,
            };
            if seen.insert(file.clone()) {
                files.push(file);
            }
        }
        Openings {
            instance: collected.instance,
            calls_before: collected.calls_before,
            files,
            left_out: collected.left_out,
        }
    }

    /// Records the instance that serves the call, and the number of calls that it has served
    /// before.
    pub(crate) fn note_instance(&self, instance: u64, calls_before: u64) {
        let mut collected = self.lock();
        collected.instance = Some(instance);
        collected.calls_before = calls_before;
    }

    pub(crate) fn note(&self, directory: &Arc<OpenedDirectory>, name: &str, usage: FileUsage) {
        let mut collected = self.lock();
        // The log only keeps a reference to the directory and the name. Joining the path here
        // would cost an allocation of its full length for each of ten thousand files, in calls
        // whose log may never be read. The number is bounded because a guest can open and close
        // one file in a loop.
        if collected.noted.len() < NOTED {
            collected.noted.push(Noted {
                directory: Arc::clone(directory),
                name: name.into(),
                usage,
            });
        } else {
            collected.left_out += 1;
        }
    }

    /// Records that the members of a container were read. The container is the file that was opened
    /// last: the guest opens it, reads it, and passes its bytes on before it opens another one. A
    /// guest that does not can have them recorded below another file of its call.
    pub(crate) fn note_members(&self, paths: &[&str]) {
        let mut collected = self.lock();
        let last = collected.noted.last();
        let container = last
            .filter(|last| last.usage == FileUsage::Read && collected.left_out == 0)
            .map(|last| OpenedDirectory::below(&last.directory, &format!("{}!", last.name)));
        let Some(container) = container.map(Arc::new) else {
            collected.left_out += paths.len() as u64;
            return;
        };
        // A call that reads many members by their paths unpacks their container for each of them.
        let mut names = Vec::new();
        let root = container.names(&mut names);
        let unpacked = collected.hasher.hash_one((root, names, paths));
        if !collected.unpacked.insert(unpacked) {
            return;
        }
        drop(collected);
        for path in paths {
            self.note(&container, path, FileUsage::Read);
        }
    }

    fn lock(&self) -> MutexGuard<'_, CollectedOpenings> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl OpenedDirectory {
    /// Returns the place of a root with this name.
    pub(crate) fn root(name: &str) -> Self {
        Self {
            parent: None,
            path: name.into(),
        }
    }

    /// Returns the place of an object that was opened by `path` through `parent`.
    pub(crate) fn below(parent: &Arc<Self>, path: &str) -> Self {
        Self {
            parent: Some(Arc::clone(parent)),
            path: path.into(),
        }
    }

    /// Adds the names on the path from the root to here, and returns the root's name.
    fn names<'a>(&'a self, names: &mut Vec<&'a str>) -> Arc<str> {
        let mut paths = Vec::new();
        let mut place = self;
        while let Some(parent) = &place.parent {
            paths.push(&*place.path);
            place = parent;
        }
        for path in paths.into_iter().rev() {
            add_names(path, names);
        }
        Arc::clone(&place.path)
    }
}

impl Drop for OpenedDirectory {
    /// Drops the ancestors one by one. A guest may open directories to any depth, each one
    /// through the one before, and the recursive drop that Rust generates would overflow the
    /// stack.
    fn drop(&mut self) {
        let mut next = self.parent.take();
        while let Some(mut place) = next.and_then(Arc::into_inner) {
            next = place.parent.take();
        }
    }
}

/// Adds the names of a path. Symbolic links are never followed, so `..` always denotes the
/// previous name and is resolved lexically.
fn add_names<'a>(path: &'a str, names: &mut Vec<&'a str>) {
    for name in path.split('/') {
        match name {
            "" | "." => {}
            ".." => {
                names.pop();
            }
            name => names.push(name),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn below(parent: &Arc<OpenedDirectory>, path: &str) -> Arc<OpenedDirectory> {
        Arc::new(OpenedDirectory::below(parent, path))
    }

    #[test]
    fn a_file_is_told_once_with_its_whole_path() {
        let log = OpeningLog::new();
        let root = Arc::new(OpenedDirectory::root("notes"));
        let deep = below(&below(&root, "a"), "b/../c");
        log.note_instance(7, 2);
        log.note(&deep, "d.md", FileUsage::Read);
        log.note(&below(&root, "a"), "./c//d.md", FileUsage::Read);
        log.note(&deep, "d.md", FileUsage::Written);
        log.note(&root, "fifo", FileUsage::Refused("not-permitted"));
        let openings = log.openings();
        assert_eq!((openings.instance, openings.calls_before), (Some(7), 2));
        let told: Vec<(&str, FileUsage)> = openings
            .files
            .iter()
            .map(|file| (file.path.as_str(), file.usage))
            .collect();
        let expected = [
            ("a/c/d.md", FileUsage::Read),
            ("a/c/d.md", FileUsage::Written),
            ("fifo", FileUsage::Refused("not-permitted")),
        ];
        assert_eq!(told, expected);
        assert_eq!(&*openings.files[0].root, "notes");
    }

    #[test]
    fn members_are_recorded_below_the_file_opened_last() {
        let log = OpeningLog::new();
        let root = Arc::new(OpenedDirectory::root("notes"));
        log.note_members(&["a.md"]);
        assert_eq!(log.openings().left_out, 1);
        let log = OpeningLog::new();
        log.note(&below(&root, "a"), "x.zip", FileUsage::Read);
        log.note_members(&["b.md", "c/d.md"]);
        log.note(&below(&root, "a"), "x.zip", FileUsage::Read);
        log.note_members(&["b.md", "c/d.md"]);
        assert_eq!(log.lock().noted.len(), 4);
        let openings = log.openings();
        let told = openings.files.iter().map(|file| file.path.as_str());
        let told: Vec<&str> = told.collect();
        assert_eq!(told, ["a/x.zip", "a/x.zip!/b.md", "a/x.zip!/c/d.md"]);
    }

    #[test]
    fn what_is_too_much_is_counted() {
        let log = OpeningLog::new();
        let root = Arc::new(OpenedDirectory::root("notes"));
        for _ in 0..NOTED + 3 {
            log.note(&root, "a.md", FileUsage::Read);
        }
        let openings = log.openings();
        assert_eq!((openings.files.len(), openings.left_out), (1, 3));
    }

    #[test]
    fn directories_may_be_as_deep_as_a_guest_likes() {
        let log = OpeningLog::new();
        let mut place = Arc::new(OpenedDirectory::root("notes"));
        for _ in 0..200_000 {
            place = below(&place, "a");
        }
        log.note(&place, "b.md", FileUsage::Read);
        assert_eq!(log.openings().files[0].path.len(), 2 * 200_000 + 4);
        drop(log);
        drop(place);
    }
}
