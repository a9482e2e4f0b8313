//! A tree in memory, for tests: every state of a disk that a document tool must survive.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::rc::Rc;

use crate::disk::{
    Directory, Disk, Entries, Entry, Failure, Kind, Moment, OpenFile, Root, Stamp, Stat,
    Surroundings,
};
use crate::extractor::{Extractor, Unconfined};
use docent_text::digest;

mod write;

pub use write::MemoryNewFile;

/// Default time of the last change of files: 2026-01-02T03:04:05Z in nanoseconds since 1970.
pub const MODIFIED: i128 = 1_767_323_045_000_000_000;

/// A disk in memory. Clones share one tree.
#[derive(Clone, Default)]
pub struct MemoryDisk(Rc<Shared>);

#[derive(Default)]
struct Shared {
    roots: RefCell<Vec<(Root, Node)>>,
    /// State directories of the roots, if any.
    states: RefCell<Vec<Node>>,
    opens: Cell<u64>,
    stamps: Cell<u64>,
    listings: Cell<u64>,
    /// Files that may not be written to, by root and path.
    protected: RefCell<BTreeSet<(usize, String)>>,
    /// Names that may not be moved, replaced or created, by root and path.
    fixed: RefCell<BTreeSet<(usize, String)>>,
    /// Entries whose stamp was handed out, by root and path of their directory.
    given: RefCell<BTreeMap<(usize, String), BTreeSet<String>>>,
    ticks: Cell<u64>,
    has_no_stamps: Cell<bool>,
    hook: RefCell<Option<Hook>>,
    clock: RefCell<Option<Clock>>,
    unix_ms: Cell<i64>,
    stats: Cell<u64>,
    /// Reader of documents; `None` for the usual one.
    extractor: RefCell<Option<Rc<dyn Extractor>>>,
}

/// First index of the state directories, which correspond to the roots before them.
const STATES: usize = 1 << 16;

type Clock = Box<dyn FnMut() -> u64>;

/// The times of an entry, in nanoseconds since 1970; `None` if the platform does not report them.
#[derive(Clone, Copy, Debug)]
pub struct Times {
    /// Time of the last change of the content.
    pub modified: Option<i128>,
    /// Time of creation.
    pub created: Option<i128>,
    /// Time of the last read.
    pub accessed: Option<i128>,
}

impl Times {
    /// Returns equal times.
    pub const fn all(when: Option<i128>) -> Self {
        Self {
            modified: when,
            created: when,
            accessed: when,
        }
    }
}

type Hook = Box<dyn FnMut(&MemoryDisk, &str)>;

/// An entry of the tree.
#[derive(Clone, Debug)]
enum Node {
    File {
        bytes: Rc<Vec<u8>>,
        times: Times,
        stamp: u128,
        denied: Option<Failure>,
    },
    Directory {
        entries: BTreeMap<String, Node>,
        unnamed: u32,
        times: Times,
        stamp: u128,
        denied: Option<Failure>,
    },
    Symlink,
    Other,
}

impl fmt::Debug for MemoryDisk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MemoryDisk")
            .field("roots", &self.0.roots.borrow())
            .finish_non_exhaustive()
    }
}

impl MemoryDisk {
    /// Creates a disk with one empty root for each name, read-only.
    pub fn with_roots(names: &[&str]) -> Self {
        let disk = Self::default();
        for name in names {
            let root = Root {
                name: (*name).to_owned(),
                writable: false,
                path: Some(format!("/{name}")),
            };
            let node = disk.new_directory();
            disk.0.roots.borrow_mut().push((root, node));
        }
        disk
    }

    /// Creates a disk with one root, `docs`, that contains these files.
    pub fn with_files(files: &[(&str, &str)]) -> Self {
        let disk = Self::with_roots(&["docs"]);
        for (path, text) in files {
            disk.write("docs", path, text.as_bytes());
        }
        disk
    }

    /// Grants a root for writing.
    pub fn set_writable(&self, root: &str) {
        for (granted, _) in self.0.roots.borrow_mut().iter_mut() {
            granted.writable |= granted.name == root;
        }
    }

    /// Protects a file of the first root from being written to, as its mode would.
    pub fn protect(&self, path: &str) {
        self.0.protected.borrow_mut().insert((0, path.to_owned()));
    }

    /// Protects a name of the first root from being moved, replaced or created, as its directory
    /// would.
    pub fn fix(&self, path: &str) {
        self.0.fixed.borrow_mut().insert((0, path.to_owned()));
    }

    /// Grants an empty state directory for each root.
    pub fn grant_state(&self) {
        let count = self.0.roots.borrow().len();
        *self.0.states.borrow_mut() = (0..count).map(|_| self.new_directory()).collect();
    }

    /// Writes a file, creating the directories above it.
    pub fn write(&self, root: &str, path: &str, bytes: &[u8]) {
        self.put(root, path, |stamp| Node::File {
            bytes: Rc::new(bytes.to_vec()),
            times: Times::all(Some(MODIFIED)),
            stamp,
            denied: None,
        });
    }

    /// Creates a directory and those above it.
    pub fn make_directory(&self, root: &str, path: &str) {
        let node = self.new_directory();
        self.put(root, path, |_| node);
    }

    /// Creates a symbolic link; its target does not matter, because it is never followed.
    pub fn link(&self, root: &str, path: &str) {
        self.put(root, path, |_| Node::Symlink);
    }

    /// Creates a FIFO.
    pub fn make_fifo(&self, root: &str, path: &str) {
        self.put(root, path, |_| Node::Other);
    }

    /// Adds an entry whose name is not UTF-8 to a directory; the root's path is empty.
    pub fn add_unnamed(&self, root: &str, directory: &str) {
        let new = self.tick();
        self.change(root, directory, |node| {
            if let Node::Directory { unnamed, stamp, .. } = node {
                *unnamed += 1;
                *stamp = new;
            }
        });
    }

    /// Makes opening the entry at `path` fail.
    pub fn deny(&self, root: &str, path: &str, failure: Failure) {
        self.change(root, path, |node| match node {
            Node::File { denied, .. } | Node::Directory { denied, .. } => *denied = Some(failure),
            Node::Symlink | Node::Other => {}
        });
    }

    /// Sets the time of the last change of a file or directory, in nanoseconds since 1970, or
    /// `None` for a platform that does not report it.
    pub fn set_modified(&self, root: &str, path: &str, when: Option<i128>) {
        self.change(root, path, |node| {
            if let Node::File { times, .. } | Node::Directory { times, .. } = node {
                times.modified = when;
            }
        });
    }

    /// Sets all times of a file or directory.
    pub fn set_times(&self, root: &str, path: &str, all: Times) {
        self.change(root, path, |node| {
            if let Node::File { times, .. } | Node::Directory { times, .. } = node {
                *times = all;
            }
        });
    }

    /// Sets the time of day, in milliseconds since 1970; it is 1970 until then.
    pub fn set_unix_ms(&self, milliseconds: i64) {
        self.0.unix_ms.set(milliseconds);
    }

    /// Sets the clock behind [`Surroundings::monotonic_ms`]; without one, time stands still.
    pub fn set_clock(&self, clock: impl FnMut() -> u64 + 'static) {
        *self.0.clock.borrow_mut() = Some(Box::new(clock));
    }

    /// Sets the reader behind [`Surroundings::extractor`].
    pub fn set_extractor(&self, extractor: Rc<dyn Extractor>) {
        *self.0.extractor.borrow_mut() = Some(extractor);
    }

    /// Returns the number of entries inspected since the last call.
    pub fn take_stats(&self) -> u64 {
        self.0.stats.take()
    }

    /// Removes the entry at `path`.
    pub fn remove(&self, root: &str, path: &str) {
        let (directory, name) = path.rsplit_once('/').unwrap_or(("", path));
        let new = self.tick();
        self.change(root, directory, |node| {
            if let Node::Directory { entries, stamp, .. } = node {
                entries.remove(name);
                *stamp = new;
            }
        });
    }

    /// Simulates a platform without reliable stamps from now on.
    pub fn without_stamps(self) -> Self {
        self.0.has_no_stamps.set(true);
        self
    }

    /// Calls `hook` with the path of each file or directory just before it is opened. It may change
    /// the tree.
    pub fn on_open(&self, hook: impl FnMut(&Self, &str) + 'static) {
        *self.0.hook.borrow_mut() = Some(Box::new(hook));
    }

    /// Returns the number of files and directories opened, successfully or not, since the last
    /// call.
    pub fn take_opens(&self) -> u64 {
        self.0.opens.take()
    }

    /// Returns the number of directories listed since the last call.
    pub fn take_listings(&self) -> u64 {
        self.0.listings.take()
    }

    /// Returns the number of stamps taken since the last call.
    pub fn take_stamps(&self) -> u64 {
        self.0.stamps.take()
    }

    /// Returns a new stamp. It is a digest, as on a disk. With consecutive numbers, the sum of the
    /// stamps of a directory could stay equal: stamps 1 and 2 have the same sum as 3 alone, after
    /// the first file is removed and the second one changed.
    fn tick(&self) -> u128 {
        self.0.ticks.set(self.0.ticks.get() + 1);
        digest::combine(0, self.0.ticks.get()).into()
    }

    fn new_directory(&self) -> Node {
        Node::Directory {
            entries: BTreeMap::new(),
            unnamed: 0,
            times: Times::all(Some(MODIFIED)),
            stamp: self.tick(),
            denied: None,
        }
    }

    fn put(&self, root: &str, path: &str, make: impl FnOnce(u128) -> Node) {
        let mut roots = self.0.roots.borrow_mut();
        let Some((_, mut node)) = roots
            .iter_mut()
            .find(|(granted, _)| granted.name == root)
            .map(|(r, n)| (r, n))
        else {
            return;
        };
        let (directories, name) = path.rsplit_once('/').unwrap_or(("", path));
        for segment in directories.split('/').filter(|segment| !segment.is_empty()) {
            let Node::Directory { entries, stamp, .. } = node else {
                return;
            };
            if !entries.contains_key(segment) {
                *stamp = self.tick();
            }
            node = entries
                .entry(segment.to_owned())
                .or_insert_with(|| self.new_directory());
        }
        let Node::Directory { entries, stamp, .. } = node else {
            return;
        };
        let made = make(self.tick());
        let is_overwritten = entries
            .get(name)
            .is_some_and(|old| old.kind() == made.kind());
        if !is_overwritten {
            *stamp = self.tick();
        }
        entries.insert(name.to_owned(), made);
    }

    fn change(&self, root: &str, path: &str, change: impl FnOnce(&mut Node)) {
        let mut roots = self.0.roots.borrow_mut();
        let Some((_, node)) = roots.iter_mut().find(|(granted, _)| granted.name == root) else {
            return;
        };
        if let Some(node) = node_at(node, path) {
            change(node);
        }
    }

    fn look<T>(&self, root: usize, path: &str, see: impl FnOnce(&Node) -> T) -> Option<T> {
        self.edit(root, path, |node| see(node))
    }

    /// Calls `change` with the entry at `path`, in a state directory if `root` is the index of one.
    fn edit<T>(&self, root: usize, path: &str, change: impl FnOnce(&mut Node) -> T) -> Option<T> {
        if let Some(index) = root.checked_sub(STATES) {
            let mut states = self.0.states.borrow_mut();
            return node_at(states.get_mut(index)?, path).map(change);
        }
        let mut roots = self.0.roots.borrow_mut();
        node_at(&mut roots.get_mut(root)?.1, path).map(change)
    }

    /// Counts an open and calls the hook. The hook is taken out during its call, because it may
    /// change the tree and open entries itself, which would borrow it a second time.
    fn count_open(&self, path: &str) {
        self.0.opens.set(self.0.opens.get() + 1);
        let hook = self.0.hook.borrow_mut().take();
        if let Some(mut hook) = hook {
            hook(self, path);
            *self.0.hook.borrow_mut() = Some(hook);
        }
    }

    fn stamp_at(&self, root: usize, path: &str) -> Option<Stamp> {
        let stamp = self.look(root, path, Node::stamp);
        self.stamp(stamp.flatten()?)
    }

    fn give_out(&self, root: usize, directory: &str, name: &str) {
        let mut given = self.0.given.borrow_mut();
        let names = given.entry((root, directory.to_owned())).or_default();
        names.insert(name.to_owned());
    }

    fn stamp(&self, stamp: u128) -> Option<Stamp> {
        self.0.stamps.set(self.0.stamps.get() + 1);
        (!self.0.has_no_stamps.get()).then_some(Stamp(stamp))
    }
}

fn node_at<'n>(node: &'n mut Node, path: &str) -> Option<&'n mut Node> {
    path.split('/')
        .filter(|segment| !segment.is_empty())
        .try_fold(node, |node, segment| match node {
            Node::Directory { entries, .. } => entries.get_mut(segment),
            _ => None,
        })
}

impl Node {
    fn stamp(&self) -> Option<u128> {
        match self {
            Self::Directory { stamp, .. } | Self::File { stamp, .. } => Some(*stamp),
            Self::Symlink | Self::Other => None,
        }
    }

    fn kind(&self) -> Kind {
        match self {
            Self::File { .. } => Kind::File,
            Self::Directory { .. } => Kind::Directory,
            Self::Symlink => Kind::Symlink,
            Self::Other => Kind::Other,
        }
    }
}

impl Disk for MemoryDisk {
    type Directory = MemoryDirectory;

    fn roots(&self) -> Vec<Root> {
        self.0
            .roots
            .borrow()
            .iter()
            .map(|(root, _)| root.clone())
            .collect()
    }

    fn open_root(&self, index: usize) -> Result<MemoryDirectory, Failure> {
        self.count_open("");
        open_directory(self, index, String::new())
    }
}

impl Surroundings for MemoryDisk {
    fn extractor(&self) -> Rc<dyn Extractor> {
        let own = self.0.extractor.borrow();
        own.clone().unwrap_or_else(|| Rc::new(Unconfined))
    }

    fn monotonic_ms(&self) -> u64 {
        let mut clock = self.0.clock.borrow_mut();
        clock.as_mut().map_or(0, |clock| clock())
    }

    fn unix_ms(&self) -> i64 {
        self.0.unix_ms.get()
    }
}

/// A directory of a [`MemoryDisk`], as an open descriptor: it shows the state at each call.
#[derive(Debug)]
pub struct MemoryDirectory {
    disk: MemoryDisk,
    root: usize,
    path: String,
}

fn open_directory(
    disk: &MemoryDisk,
    root: usize,
    path: String,
) -> Result<MemoryDirectory, Failure> {
    let refusal = disk.look(root, &path, |node| match node {
        Node::Directory { denied, .. } => *denied,
        Node::Symlink => Some(Failure::Symlink),
        Node::File { .. } | Node::Other => Some(Failure::WrongKind),
    });
    match refusal {
        None => Err(Failure::NotFound),
        Some(Some(failure)) => Err(failure),
        Some(None) => Ok(MemoryDirectory {
            disk: disk.clone(),
            root,
            path,
        }),
    }
}

impl MemoryDirectory {
    fn path_of(&self, name: &str) -> String {
        let mut path = self.path.clone();
        crate::path::push_segment(&mut path, name);
        path
    }
}

impl Directory for MemoryDirectory {
    type File = MemoryFile;

    fn entries(&self) -> Result<Entries, Failure> {
        self.disk.0.listings.set(self.disk.0.listings.get() + 1);
        let key = (self.root, self.path.clone());
        self.disk.0.given.borrow_mut().remove(&key);
        let entries = self.disk.look(self.root, &self.path, |node| {
            let Node::Directory {
                entries, unnamed, ..
            } = node
            else {
                return None;
            };
            // A disk may return entries in any order. This one returns them in reverse, so that a
            // test fails if a caller relies on ascending names without sorting them.
            let named = entries
                .iter()
                .rev()
                .map(|(name, node)| Entry {
                    name: name.clone(),
                    kind: node.kind(),
                })
                .collect();
            Some(Entries {
                named,
                unnamed: *unnamed,
            })
        });
        entries.flatten().ok_or(Failure::NotFound)
    }

    fn open_directory(&self, name: &str) -> Result<Self, Failure> {
        let path = self.path_of(name);
        self.disk.count_open(&path);
        open_directory(&self.disk, self.root, path)
    }

    fn open_file(&self, name: &str) -> Result<MemoryFile, Failure> {
        let path = self.path_of(name);
        self.disk.count_open(&path);
        let opened = self.disk.look(self.root, &path, |node| match node {
            Node::File {
                denied: Some(failure),
                ..
            } if *failure != Failure::Io => Err(*failure),
            Node::File {
                bytes,
                stamp,
                denied,
                ..
            } => Ok(MemoryFile {
                disk: self.disk.clone(),
                root: self.root,
                directory: self.path.clone(),
                name: name.to_owned(),
                bytes: bytes.clone(),
                stamp: *stamp,
                denied: *denied,
            }),
            Node::Symlink => Err(Failure::Symlink),
            Node::Directory { .. } | Node::Other => Err(Failure::WrongKind),
        });
        opened.unwrap_or(Err(Failure::NotFound))
    }

    fn stat(&self, name: &str) -> Result<Stat, Failure> {
        self.disk.0.stats.set(self.disk.0.stats.get() + 1);
        let path = if name == "." {
            self.path.clone()
        } else {
            self.path_of(name)
        };
        let stat = self.disk.look(self.root, &path, |node| {
            let (size, times) = match node {
                Node::File { bytes, times, .. } => (bytes.len() as u64, *times),
                Node::Directory { times, .. } => (0, *times),
                Node::Symlink | Node::Other => (0, Times::all(Some(MODIFIED))),
            };
            Stat {
                kind: node.kind(),
                size,
                modified: times.modified.map(Moment::from_nanoseconds),
                created: times.created.map(Moment::from_nanoseconds),
                accessed: times.accessed.map(Moment::from_nanoseconds),
            }
        });
        stat.ok_or(Failure::NotFound)
    }

    fn stamp(&self) -> Option<Stamp> {
        self.disk.stamp_at(self.root, &self.path)
    }

    fn stamp_of(&self, name: &str) -> Option<Stamp> {
        self.disk.give_out(self.root, &self.path, name);
        self.disk.stamp_at(self.root, &self.path_of(name))
    }

    fn sum_of_stamps(&self) -> Option<Stamp> {
        let given = self.disk.0.given.borrow();
        let names = given.get(&(self.root, self.path.clone()));
        let stamps = names.into_iter().flatten().map(|name| {
            let path = self.path_of(name);
            let stamp = self.disk.look(self.root, &path, Node::stamp).flatten();
            stamp.unwrap_or_default()
        });
        self.disk.stamp(stamps.fold(0, u128::wrapping_add))
    }
}

/// An open file of a [`MemoryDisk`]; reading fails if [`MemoryDisk::deny`] set `Io`.
#[derive(Debug)]
pub struct MemoryFile {
    disk: MemoryDisk,
    root: usize,
    directory: String,
    name: String,
    bytes: Rc<Vec<u8>>,
    stamp: u128,
    denied: Option<Failure>,
}

impl OpenFile for MemoryFile {
    fn stamp(&self) -> Option<Stamp> {
        self.disk.give_out(self.root, &self.directory, &self.name);
        self.disk.stamp(self.stamp)
    }

    fn read_all(&self, cap: usize) -> Result<Vec<u8>, Failure> {
        if self.bytes.len() > cap {
            return Err(Failure::TooLarge);
        }
        self.read_head(cap)
    }

    fn read_head(&self, bytes: usize) -> Result<Vec<u8>, Failure> {
        match self.denied {
            Some(failure) => Err(failure),
            None => Ok(self.bytes[..bytes.min(self.bytes.len())].to_vec()),
        }
    }

    fn read_at(&self, offset: u64, bytes: usize) -> Result<Vec<u8>, Failure> {
        if let Some(failure) = self.denied {
            return Err(failure);
        }
        let offset = usize::try_from(offset).unwrap_or(usize::MAX);
        let rest = self.bytes.get(offset..).unwrap_or_default();
        Ok(rest[..bytes.min(rest.len())].to_vec())
    }
}
