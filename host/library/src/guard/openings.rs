//! Which files a guest opened, as the guard saw it. The guest's word is not asked for.
//!
//! What is opened is noted while the call runs, by the directory that it was opened through, and put
//! into words when somebody asks: a search opens ten thousand files, and most calls are never
//! looked at.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Files of one call that are noted one by one; those beyond are counted. A call that opens more
/// takes longer than the longest may.
const NOTED: usize = 100_000;

/// Collects which files a call opened; see [`crate::CallControl::openings`].
#[derive(Debug, Default)]
pub struct OpeningLog(Mutex<Collected>);

/// Which files a call opened.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Openings {
    /// The instance that served the call; none where none did. No other of this process has its
    /// number.
    pub instance: Option<u64>,
    /// How many calls that instance had served before. What they opened, its memory may hold, and
    /// this call's answer come from.
    pub calls_before: u64,
    /// Each file once for each way in which it was used, in the order of its first use.
    pub files: Vec<OpenedFile>,
    /// How many more uses there were, of which nothing is known but the number.
    pub left_out: u64,
}

/// A file that a call opened, or tried to.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct OpenedFile {
    /// The name of the root; for what docent keeps of a root, that of its state directory.
    pub root: Arc<str>,
    /// The path from there, with `/` between names, as it was when its directories were opened.
    pub path: String,
    /// In which way it was used.
    pub usage: FileUsage,
}

/// In which way a call used a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FileUsage {
    /// It could be read from then on.
    Read,
    /// It was made, changed, or put under this name.
    Written,
    /// It was removed, or went to another name.
    Removed,
    /// It was not opened: the name of the error that the guest was given.
    Refused(&'static str),
}

#[derive(Debug, Default)]
struct Collected {
    instance: Option<u64>,
    calls_before: u64,
    noted: Vec<Noted>,
    left_out: u64,
}

#[derive(Debug)]
struct Noted {
    directory: Arc<Place>,
    name: Box<str>,
    usage: FileUsage,
}

/// Where a directory stands that a guest has opened.
#[derive(Debug)]
pub(crate) struct Place {
    /// What it was opened through; none for a root.
    parent: Option<Arc<Place>>,
    /// The path by which it was opened; the name of a root.
    path: Arc<str>,
}

impl OpeningLog {
    /// Returns a log of a call that has not begun.
    #[must_use]
    pub fn new() -> Arc<Self> {
        Arc::default()
    }

    /// Returns what was opened so far: all of it when the call has ended.
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

    /// Notes which instance serves the call, and how many it has served before.
    pub(crate) fn note_instance(&self, instance: u64, calls_before: u64) {
        let mut collected = self.lock();
        collected.instance = Some(instance);
        collected.calls_before = calls_before;
    }

    pub(crate) fn note(&self, directory: &Arc<Place>, name: &str, usage: FileUsage) {
        let mut collected = self.lock();
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

    fn lock(&self) -> MutexGuard<'_, Collected> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Place {
    /// Returns the place of a root of this name.
    pub(crate) fn root(name: &str) -> Self {
        Self {
            parent: None,
            path: name.into(),
        }
    }

    /// Returns the place of what is opened by `path` through `parent`.
    pub(crate) fn below(parent: &Arc<Self>, path: &str) -> Self {
        Self {
            parent: Some(Arc::clone(parent)),
            path: path.into(),
        }
    }

    /// Adds the names that lead here from the root, and returns its name.
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

impl Drop for Place {
    /// One after the other: a guest may open directories as deep as it likes.
    fn drop(&mut self) {
        let mut next = self.parent.take();
        while let Some(mut place) = next.and_then(Arc::into_inner) {
            next = place.parent.take();
        }
    }
}

/// Adds the names of a path. As no link is ever followed, `..` leads to where it stands.
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

    fn below(parent: &Arc<Place>, path: &str) -> Arc<Place> {
        Arc::new(Place::below(parent, path))
    }

    #[test]
    fn a_file_is_told_once_with_its_whole_path() {
        let log = OpeningLog::new();
        let root = Arc::new(Place::root("notes"));
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
    fn what_is_too_much_is_counted() {
        let log = OpeningLog::new();
        let root = Arc::new(Place::root("notes"));
        for _ in 0..NOTED + 3 {
            log.note(&root, "a.md", FileUsage::Read);
        }
        let openings = log.openings();
        assert_eq!((openings.files.len(), openings.left_out), (1, 3));
    }

    #[test]
    fn directories_may_be_as_deep_as_a_guest_likes() {
        let log = OpeningLog::new();
        let mut place = Arc::new(Place::root("notes"));
        for _ in 0..200_000 {
            place = below(&place, "a");
        }
        log.note(&place, "b.md", FileUsage::Read);
        assert_eq!(log.openings().files[0].path.len(), 2 * 200_000 + 4);
        drop(log);
        drop(place);
    }
}
