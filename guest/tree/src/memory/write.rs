//! Writes to a tree in memory: every step is atomic and durable.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::{MODIFIED, MemoryDirectory, MemoryDisk, Node, STATES, Times, open_directory};
use crate::disk::{
    Directory as _, Durability, Failure, Kind, NewFile, Stamp, Version, WriteDirectory, WriteDisk,
    WriteFailure,
};

impl WriteDisk for MemoryDisk {
    fn open_state(&self, index: usize) -> Option<Result<MemoryDirectory, Failure>> {
        let directory = || open_directory(self, STATES + index, String::new());
        self.has_state(index).then(directory)
    }

    fn has_state(&self, index: usize) -> bool {
        index < self.0.states.borrow().len()
    }
}

impl MemoryDirectory {
    /// Calls `change` with the entries; if it succeeds, the directory gets a new stamp.
    fn edit<R>(
        &self,
        change: impl FnOnce(&mut BTreeMap<String, Node>) -> Result<R, WriteFailure>,
    ) -> Result<R, WriteFailure> {
        let new = self.disk.tick();
        let edited = self.disk.edit(self.root, &self.path, |node| {
            let Node::Directory { entries, stamp, .. } = node else {
                return Err(WriteFailure::WrongKind);
            };
            let changed = change(entries);
            if changed.is_ok() {
                *stamp = new;
            }
            changed
        });
        edited.unwrap_or(Err(WriteFailure::NotFound))
    }

    fn take(&self, name: &str) -> Result<Node, WriteFailure> {
        self.edit(|entries| match entries.get(name).map(Node::kind) {
            Some(Kind::File) => entries.remove(name).ok_or(WriteFailure::NotFound),
            Some(_) => Err(WriteFailure::WrongKind),
            None => Err(WriteFailure::NotFound),
        })
    }

    fn put_new(&self, name: &str, node: Node) -> Result<(), WriteFailure> {
        self.edit(|entries| {
            if entries.contains_key(name) {
                return Err(WriteFailure::Exists);
            }
            entries.insert(name.to_owned(), node);
            Ok(())
        })
    }
}

impl WriteDirectory for MemoryDirectory {
    type NewFile = MemoryNewFile;

    fn create_file(&self, name: &str) -> Result<MemoryNewFile, WriteFailure> {
        let node = Node::File {
            bytes: Rc::default(),
            times: Times::all(Some(MODIFIED)),
            stamp: self.disk.tick(),
            denied: None,
        };
        self.put_new(name, node)?;
        Ok(MemoryNewFile {
            disk: self.disk.clone(),
            root: self.root,
            path: self.path_of(name),
        })
    }

    fn version(&self, name: &str) -> Result<Version, Failure> {
        let stat = self.stat(name)?;
        let stamp = self.disk.stamp_at(self.root, &self.path_of(name));
        Ok(Version {
            kind: stat.kind,
            size: stat.size,
            links: 1,
            modified: stat.modified,
            identity: stamp.unwrap_or(Stamp(0)).0,
        })
    }

    fn may_write(&self, name: &str) -> Result<(), WriteFailure> {
        let place = (self.root, self.path_of(name));
        if self.disk.0.protected.borrow().contains(&place) {
            return Err(WriteFailure::Permission);
        }
        Ok(())
    }

    fn may_move(&self, name: &str) -> Result<(), WriteFailure> {
        let place = (self.root, self.path_of(name));
        if self.disk.0.fixed.borrow().contains(&place) {
            return Err(WriteFailure::Permission);
        }
        Ok(())
    }

    fn move_new(&self, name: &str, directory: &Self, to: &str) -> Result<(), WriteFailure> {
        if directory.stat(to).is_ok() {
            return Err(WriteFailure::Exists);
        }
        let node = self.take(name)?;
        directory.put_new(to, node)
    }

    fn replace(
        &self,
        name: &str,
        directory: &Self,
        to: &str,
        expected: &Version,
    ) -> Result<(), WriteFailure> {
        if directory.version(to) != Ok(*expected) {
            return Err(WriteFailure::Changed);
        }
        let node = self.take(name)?;
        directory.take(to)?;
        directory.put_new(to, node)
    }

    fn remove_file(&self, name: &str) -> Result<(), WriteFailure> {
        self.take(name).map(drop)
    }

    fn make_directory(&self, name: &str) -> Result<(), WriteFailure> {
        self.put_new(name, self.disk.new_directory())
    }

    fn remove_directory(&self, name: &str) -> Result<(), WriteFailure> {
        self.edit(|entries| match entries.get(name) {
            Some(Node::Directory { entries: held, .. }) if !held.is_empty() => {
                Err(WriteFailure::NotEmpty)
            }
            Some(Node::Directory { .. }) => {
                entries.remove(name);
                Ok(())
            }
            Some(_) => Err(WriteFailure::WrongKind),
            None => Err(WriteFailure::NotFound),
        })
    }

    fn sync(&self) -> Result<Durability, WriteFailure> {
        Ok(Durability::Durable)
    }
}

/// A newly created file in a [`MemoryDisk`].
#[derive(Debug)]
pub struct MemoryNewFile {
    disk: MemoryDisk,
    root: usize,
    path: String,
}

impl NewFile for MemoryNewFile {
    fn write(&mut self, more: &[u8]) -> Result<(), WriteFailure> {
        let new = self.disk.tick();
        let written = self.disk.edit(self.root, &self.path, |node| {
            if let Node::File { bytes, stamp, .. } = node {
                Rc::make_mut(bytes).extend_from_slice(more);
                *stamp = new;
            }
        });
        written.ok_or(WriteFailure::NotFound)
    }

    fn sync(&mut self) -> Result<(), WriteFailure> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::disk::Disk as _;
    use crate::door::{Consent, Denied, Extent, Stamps, Vetted, Visible};
    use crate::write::Writable;

    fn disk() -> MemoryDisk {
        let disk = MemoryDisk::with_files(&[("a.md", "old"), ("d/id_rsa", "key")]);
        disk.set_writable("docs");
        disk
    }

    #[test]
    fn a_file_is_made_and_put_in_the_place_of_another() -> Result<(), Box<dyn std::error::Error>> {
        let disk = disk();
        let root = Writable::root(&disk, 0, Consent::Withheld)?;
        root.create(".docent-x", b"new")?.sync()?;
        let version = root.version("a.md")?;
        assert_eq!(
            root.move_new(".docent-x", &root, "a.md"),
            Err(WriteFailure::Exists)
        );
        root.replace(".docent-x", &root, "a.md", &version)?;
        assert_eq!(root.read("a.md", 10).ok(), Some(b"new".to_vec()));
        root.create(".docent-x", b"newer")?.sync()?;
        assert_eq!(
            root.replace(".docent-x", &root, "a.md", &version),
            Err(WriteFailure::Changed)
        );
        Ok(())
    }

    #[test]
    fn a_root_for_reading_has_no_such_proof() {
        let disk = MemoryDisk::with_files(&[("a.md", "old")]);
        let opened = Writable::root(&disk, 0, Consent::Withheld);
        assert_eq!(opened.err(), Some(WriteFailure::ReadOnly));
    }

    #[test]
    fn sensitive_names_are_not_written_without_consent() -> Result<(), Box<dyn std::error::Error>> {
        let disk = disk();
        for (consent, expected) in [
            (Consent::Withheld, Err(WriteFailure::Permission)),
            (Consent::Given, Ok(())),
        ] {
            let root = Writable::root(&disk, 0, consent)?;
            assert_eq!(root.create("x.pem", b"").map(drop), expected);
            let below = root.directory("d").map_err(|_| "sealed")?;
            let read = below.read("id_rsa", 10);
            assert_eq!(read.is_ok(), expected.is_ok());
            assert_eq!(below.remove_file("id_rsa"), expected);
            if expected.is_err() {
                assert_eq!(root.directory(".ssh").err(), Some(Denied::Sensitive));
            }
        }
        Ok(())
    }

    #[test]
    fn reserved_names_are_there_for_writing_alone() -> Result<(), Box<dyn std::error::Error>> {
        let disk = disk();
        let root = Writable::root(&disk, 0, Consent::Withheld)?;
        for name in [".docent-x", ".DOCENT-y"] {
            root.create(name, b"secret")?.sync()?;
            // Even with consent, which allows other hidden files to be read.
            let vetted = Vetted::root(&disk, 0, Consent::Given)?;
            let read = vetted.read(name, Extent::Whole(10), Stamps::Unwanted);
            assert_eq!(read.err(), Some(Denied::Failed(Failure::NotFound)));
            assert_eq!(vetted.metadata(name).err(), Some(Failure::NotFound));
            assert!(
                vetted
                    .entries()?
                    .named
                    .iter()
                    .all(|entry| entry.name != name)
            );
            let visible = Visible::Vetted(vetted);
            assert_eq!(visible.stat(name).err(), Some(Failure::NotFound));
            visible.visit(|seen, _| assert_ne!(seen, name))?;
            assert!(root.read(name, 10).is_ok());
        }
        root.make_directory(".docent-d")?;
        let vetted = Vetted::root(&disk, 0, Consent::Given)?;
        assert!(vetted.directory(".docent-d").is_err());
        assert!(Visible::Vetted(vetted).directory(".docent-d").is_err());
        Ok(())
    }

    #[test]
    fn a_state_directory_is_no_root() -> Result<(), Box<dyn std::error::Error>> {
        let disk = disk();
        assert!(Writable::state(&disk, 0)?.is_none());
        disk.grant_state();
        let state = Writable::state(&disk, 0)?.ok_or("no state")?;
        state.create("kept", b"1")?.sync()?;
        assert_eq!(state.entries()?.named.len(), 1);
        assert_eq!(disk.roots().len(), 1);
        let root = Writable::root(&disk, 0, Consent::Withheld)?;
        assert_eq!(root.version("kept").err(), Some(Failure::NotFound));
        Ok(())
    }
}
