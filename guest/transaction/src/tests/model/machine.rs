//! A running system on the model disk. It counts calls, and can make any of them fail, be the last,
//! or come after a change by another program.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use docent_tree::disk::{
    Directory, Disk, Durability, Entries, Entry, Failure, Kind, NewFile, OpenFile, Root, Stamp,
    Stat, Surroundings, Version, WriteDirectory, WriteDisk, WriteFailure,
};
use docent_tree::extractor::{Extractor, Unconfined};

use super::{Node, Pending, ROOT, STATE, State};

/// The capabilities of a platform.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::tests) enum Platform {
    /// docent's host, which compares and replaces in one step and can rename without replacing.
    Guarded,
    /// Any other host: a comparison, then a rename. An empty file claims the name of a new one.
    Stock,
    /// Like `Guarded`, but directories cannot be synced.
    WithoutDirectorySync,
}

/// The duration of a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::tests) enum Lasting {
    Once,
    FromThenOn,
}

/// A running system on a disk. Clones share it.
#[derive(Clone)]
pub(in crate::tests) struct Machine(Rc<Running>);

struct Running {
    state: RefCell<State>,
    platform: Platform,
    calls: Cell<usize>,
    fault: Cell<Option<(usize, WriteFailure, Lasting)>>,
    /// The disk before each call that changes something.
    snapshots: RefCell<Vec<State>>,
    is_recording: bool,
    editor: RefCell<Option<(usize, Editor)>>,
    /// Name that may not be moved or replaced, and the moment at which the system says so.
    fixed: RefCell<Option<(String, RefusalTime)>>,
}

/// The moment at which a system refuses to move or replace a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::tests) enum RefusalTime {
    /// At the query.
    Beforehand,
    /// At the rename.
    Then,
}

type Editor = Box<dyn FnOnce(&mut State)>;

impl Machine {
    pub(in crate::tests) fn on(state: State, platform: Platform) -> Self {
        Self::with(state, platform, false)
    }

    /// Records the disk before each change.
    pub(in crate::tests) fn recording(state: State, platform: Platform) -> Self {
        Self::with(state, platform, true)
    }

    fn with(state: State, platform: Platform, is_recording: bool) -> Self {
        Self(Rc::new(Running {
            state: RefCell::new(state),
            platform,
            calls: Cell::new(0),
            fault: Cell::new(None),
            snapshots: RefCell::new(Vec::new()),
            is_recording,
            editor: RefCell::new(None),
            fixed: RefCell::new(None),
        }))
    }

    /// Makes call `number` fail.
    pub(in crate::tests) fn fail(&self, number: usize, failure: WriteFailure, lasting: Lasting) {
        self.0.fault.set(Some((number, failure, lasting)));
    }

    /// Forbids to move or replace files with this name.
    pub(in crate::tests) fn fix(&self, name: &str, told: RefusalTime) {
        *self.0.fixed.borrow_mut() = Some((name.to_owned(), told));
    }

    fn allow(&self, names: [&str; 2]) -> Result<(), WriteFailure> {
        match &*self.0.fixed.borrow() {
            Some((fixed, _)) if names.contains(&fixed.as_str()) => Err(WriteFailure::Permission),
            _ => Ok(()),
        }
    }

    /// Makes another program change the disk just before call `number`.
    pub(in crate::tests) fn edit_at(
        &self,
        number: usize,
        editor: impl FnOnce(&mut State) + 'static,
    ) {
        *self.0.editor.borrow_mut() = Some((number, Box::new(editor)));
    }

    /// Returns the number of calls so far.
    pub(in crate::tests) fn calls(&self) -> usize {
        self.0.calls.get()
    }

    pub(in crate::tests) fn state(&self) -> State {
        self.0.state.borrow().clone()
    }

    pub(in crate::tests) fn take_snapshots(&self) -> Vec<State> {
        self.0.snapshots.take()
    }

    fn call(&self) -> Result<(), WriteFailure> {
        let number = self.0.calls.get();
        self.0.calls.set(number + 1);
        let is_due = self
            .0
            .editor
            .borrow()
            .as_ref()
            .is_some_and(|(due, _)| *due == number);
        if is_due && let Some((_, editor)) = self.0.editor.take() {
            editor(&mut self.0.state.borrow_mut());
        }
        match self.0.fault.get() {
            Some((due, failure, Lasting::Once)) if due == number => Err(failure),
            Some((due, failure, Lasting::FromThenOn)) if due <= number => Err(failure),
            _ => Ok(()),
        }
    }

    fn read_entry(&self) -> Result<(), Failure> {
        self.call().map_err(|failure| match failure {
            WriteFailure::Permission => Failure::Permission,
            _ => Failure::Io,
        })
    }

    fn change(&self) -> Result<(), WriteFailure> {
        self.call()?;
        if self.0.is_recording {
            self.0.snapshots.borrow_mut().push(self.state());
        }
        Ok(())
    }
}

impl Surroundings for Machine {
    fn extractor(&self) -> Rc<dyn Extractor> {
        Rc::new(Unconfined)
    }

    fn monotonic_ms(&self) -> u64 {
        0
    }

    fn unix_ms(&self) -> i64 {
        0
    }
}

impl Disk for Machine {
    type Directory = Handle;

    fn roots(&self) -> Vec<Root> {
        vec![Root {
            name: "docs".to_owned(),
            writable: true,
            path: None,
        }]
    }

    fn open_root(&self, _: usize) -> Result<Handle, Failure> {
        Ok(Handle(self.clone(), ROOT))
    }
}

impl WriteDisk for Machine {
    fn open_state(&self, _: usize) -> Option<Result<Handle, Failure>> {
        Some(Ok(Handle(self.clone(), STATE)))
    }

    fn has_state(&self, _: usize) -> bool {
        true
    }
}

/// An open directory.
pub(in crate::tests) struct Handle(Machine, usize);

impl Handle {
    fn node(&self, name: &str) -> Result<usize, Failure> {
        let state = self.0.0.state.borrow();
        state
            .names(self.1)
            .get(name)
            .copied()
            .ok_or(Failure::NotFound)
    }

    fn file(&self, name: &str) -> Result<usize, WriteFailure> {
        let node = self.node(name)?;
        match self.0.0.state.borrow().nodes[node] {
            Node::File { .. } => Ok(node),
            Node::Directory { .. } => Err(WriteFailure::WrongKind),
        }
    }

    fn push(&self, change: Pending) {
        let mut state = self.0.0.state.borrow_mut();
        if let Node::Directory {
            current, pending, ..
        } = &mut state.nodes[self.1]
        {
            change.apply(current);
            pending.push(change);
        }
    }

    fn add(&self, name: &str, node: Node) -> Result<usize, WriteFailure> {
        if self.node(name).is_ok() {
            return Err(WriteFailure::Exists);
        }
        let new = {
            let mut state = self.0.0.state.borrow_mut();
            state.nodes.push(node);
            state.nodes.len() - 1
        };
        self.push(Pending::Link(name.to_owned(), new));
        Ok(new)
    }

    fn empty_file(&self) -> Node {
        let mut state = self.0.0.state.borrow_mut();
        state.ticks += 1;
        Node::File {
            durable: Rc::default(),
            current: Rc::default(),
            version: state.ticks,
            links: 1,
        }
    }

    fn rename(&self, name: &str, directory: &Self, to: &str) -> Result<(), WriteFailure> {
        let node = self.file(name)?;
        if self.1 == directory.1 {
            self.push(Pending::Rename(name.to_owned(), to.to_owned(), node));
        } else {
            directory.push(Pending::Link(to.to_owned(), node));
            self.push(Pending::Unlink(name.to_owned()));
        }
        Ok(())
    }
}

impl Directory for Handle {
    type File = OpenFileHandle;

    fn entries(&self) -> Result<Entries, Failure> {
        self.0.read_entry()?;
        let state = self.0.0.state.borrow();
        let entry = |(name, node): (&String, &usize)| Entry {
            name: name.clone(),
            kind: match state.nodes[*node] {
                Node::File { .. } => Kind::File,
                Node::Directory { .. } => Kind::Directory,
            },
        };
        Ok(Entries {
            named: state.names(self.1).iter().map(entry).collect(),
            unnamed: 0,
        })
    }

    fn open_directory(&self, name: &str) -> Result<Self, Failure> {
        self.0.read_entry()?;
        let node = self.node(name)?;
        match self.0.0.state.borrow().nodes[node] {
            Node::Directory { .. } => Ok(Self(self.0.clone(), node)),
            Node::File { .. } => Err(Failure::WrongKind),
        }
    }

    fn open_file(&self, name: &str) -> Result<OpenFileHandle, Failure> {
        self.0.read_entry()?;
        let node = self.node(name)?;
        match &self.0.0.state.borrow().nodes[node] {
            Node::File { current, .. } => Ok(OpenFileHandle(Rc::clone(current))),
            Node::Directory { .. } => Err(Failure::WrongKind),
        }
    }

    fn stat(&self, name: &str) -> Result<Stat, Failure> {
        let version = self.version(name)?;
        Ok(Stat {
            kind: version.kind,
            size: version.size,
            modified: None,
            created: None,
            accessed: None,
        })
    }

    fn stamp(&self) -> Option<Stamp> {
        None
    }

    fn stamp_of(&self, _: &str) -> Option<Stamp> {
        None
    }

    fn sum_of_stamps(&self) -> Option<Stamp> {
        None
    }
}

/// A file open for reading, with the content that it had when it was opened.
pub(in crate::tests) struct OpenFileHandle(Rc<Vec<u8>>);

impl OpenFile for OpenFileHandle {
    fn stamp(&self) -> Option<Stamp> {
        None
    }

    fn read_all(&self, cap: usize) -> Result<Vec<u8>, Failure> {
        if self.0.len() > cap {
            return Err(Failure::TooLarge);
        }
        Ok(self.0.to_vec())
    }

    fn read_head(&self, bytes: usize) -> Result<Vec<u8>, Failure> {
        Ok(self.0[..bytes.min(self.0.len())].to_vec())
    }

    fn read_at(&self, offset: u64, bytes: usize) -> Result<Vec<u8>, Failure> {
        let rest = self.0.get(offset as usize..).unwrap_or_default();
        Ok(rest[..bytes.min(rest.len())].to_vec())
    }
}

impl WriteDirectory for Handle {
    type NewFile = NewFileHandle;

    fn create_file(&self, name: &str) -> Result<NewFileHandle, WriteFailure> {
        self.0.change()?;
        let node = self.add(name, self.empty_file())?;
        Ok(NewFileHandle(self.0.clone(), node))
    }

    fn may_write(&self, _name: &str) -> Result<(), WriteFailure> {
        self.0.call()
    }

    fn may_move(&self, name: &str) -> Result<(), WriteFailure> {
        self.0.call()?;
        match &*self.0.0.fixed.borrow() {
            Some((fixed, RefusalTime::Beforehand)) if fixed == name => {
                Err(WriteFailure::Permission)
            }
            _ => Ok(()),
        }
    }

    fn version(&self, name: &str) -> Result<Version, Failure> {
        self.0.read_entry()?;
        let node = self.node(name)?;
        let (kind, size, links, identity) = match &self.0.0.state.borrow().nodes[node] {
            Node::Directory { .. } => (Kind::Directory, 0, 2, 0),
            Node::File {
                current,
                version,
                links,
                ..
            } => (Kind::File, current.len() as u64, *links, *version),
        };
        Ok(Version {
            kind,
            size,
            links,
            modified: None,
            identity,
        })
    }

    fn move_new(&self, name: &str, directory: &Self, to: &str) -> Result<(), WriteFailure> {
        self.0.change()?;
        self.file(name)?;
        self.0.allow([name, to])?;
        if directory.node(to).is_ok() {
            return Err(WriteFailure::Exists);
        }
        if self.0.0.platform == Platform::Stock {
            directory.add(to, self.empty_file())?;
            self.0.change()?;
        }
        self.rename(name, directory, to)
    }

    fn replace(
        &self,
        name: &str,
        directory: &Self,
        to: &str,
        expected: &Version,
    ) -> Result<(), WriteFailure> {
        self.0.allow([name, to])?;
        if self.0.0.platform == Platform::Stock {
            if directory.version(to) != Ok(*expected) {
                return Err(WriteFailure::Changed);
            }
            self.0.change()?;
            return self.rename(name, directory, to);
        }
        // The call, then all of it in one step.
        self.0.change()?;
        let node = directory.file(to)?;
        let is_expected = match &self.0.0.state.borrow().nodes[node] {
            Node::File { version, .. } => *version == expected.identity,
            Node::Directory { .. } => false,
        };
        if !is_expected {
            return Err(WriteFailure::Changed);
        }
        self.rename(name, directory, to)
    }

    fn remove_file(&self, name: &str) -> Result<(), WriteFailure> {
        self.0.change()?;
        self.file(name)?;
        self.push(Pending::Unlink(name.to_owned()));
        Ok(())
    }

    fn make_directory(&self, name: &str) -> Result<(), WriteFailure> {
        self.0.change()?;
        self.add(name, Node::directory()).map(drop)
    }

    fn remove_directory(&self, name: &str) -> Result<(), WriteFailure> {
        self.0.change()?;
        let node = self.node(name)?;
        match &self.0.0.state.borrow().nodes[node] {
            Node::File { .. } => return Err(WriteFailure::WrongKind),
            Node::Directory { current, .. } if !current.is_empty() => {
                return Err(WriteFailure::NotEmpty);
            }
            Node::Directory { .. } => {}
        }
        self.push(Pending::Unlink(name.to_owned()));
        Ok(())
    }

    fn sync(&self) -> Result<Durability, WriteFailure> {
        self.0.change()?;
        if self.0.0.platform == Platform::WithoutDirectorySync {
            return Ok(Durability::Unknown);
        }
        let mut state = self.0.0.state.borrow_mut();
        if let Node::Directory {
            durable,
            current,
            pending,
        } = &mut state.nodes[self.1]
        {
            *durable = current.clone();
            pending.clear();
        }
        Ok(Durability::Durable)
    }
}

/// A file open for writing.
pub(in crate::tests) struct NewFileHandle(Machine, usize);

impl NewFile for NewFileHandle {
    fn write(&mut self, bytes: &[u8]) -> Result<(), WriteFailure> {
        // The first half is written when the second fails.
        for half in [&bytes[..bytes.len() / 2], &bytes[bytes.len() / 2..]] {
            self.0.change()?;
            let mut state = self.0.0.state.borrow_mut();
            state.ticks += 1;
            let tick = state.ticks;
            if let Node::File {
                current, version, ..
            } = &mut state.nodes[self.1]
            {
                Rc::make_mut(current).extend_from_slice(half);
                *version = tick;
            }
        }
        Ok(())
    }

    fn sync(&mut self) -> Result<(), WriteFailure> {
        self.0.change()?;
        if let Node::File {
            durable, current, ..
        } = &mut self.0.0.state.borrow_mut().nodes[self.1]
        {
            *durable = Rc::clone(current);
        }
        Ok(())
    }
}
