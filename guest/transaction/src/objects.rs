//! Old contents in the state directory, each in a file named after its hash:
//!
//! ```text
//! objects/2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824
//! ```
//!
//! A content that several operations replace is kept once. A file that was damaged since is
//! recognised, because its hash differs from its name.

use docent_tree::disk::{Failure, WriteDirectory, WriteFailure};
use docent_tree::write::{Created, Writable};

use crate::contents::Contents;
use crate::directories::{failure, read_entry, remove};
use crate::limits::{FILE_BYTES, OPEN_FILES};
use crate::step::{Step, is_taken};
use docent_text::content_hash::{ContentHash, HashedContent};

/// Name of a file that is being written, or the beginning of its name. There is a single writer, so
/// the same names are used each time, and a file that a crash left is removed before its name is
/// used again.
const INCOMING: &str = "incoming";

/// Opens a directory of the state directory, and creates it if it does not exist. The new directory
/// becomes durable with the journal, which is beside it.
pub(crate) fn subdirectory<T: WriteDirectory>(
    state: &Writable<T>,
    name: &str,
) -> Result<Writable<T>, WriteFailure> {
    match state.directory(name).map_err(failure) {
        Err(WriteFailure::NotFound) => {}
        opened => return opened,
    }
    match state.make_directory(name) {
        Ok(()) | Err(WriteFailure::Exists) => {}
        Err(failure) => return Err(failure),
    }
    state.directory(name).map_err(failure)
}

/// Opens the directory of the kept contents.
pub(crate) fn directory<T: WriteDirectory>(
    state: &Writable<T>,
) -> Result<Writable<T>, WriteFailure> {
    subdirectory(state, "objects")
}

/// A writer of kept contents. Contents are synced in batches of [`OPEN_FILES`]: a file system then
/// does much of the work once for all of them. The caller must call `finish`, since the last batch
/// is not on the disk before.
pub(crate) struct ObjectWriter<'o, T: WriteDirectory> {
    objects: &'o Writable<T>,
    waiting: Vec<(Created<T::NewFile>, String, ContentHash)>,
}

impl<'o, T: WriteDirectory> ObjectWriter<'o, T> {
    pub(crate) fn new(objects: &'o Writable<T>) -> Self {
        let waiting = Vec::new();
        Self { objects, waiting }
    }

    /// Adds a content, unless it is kept already.
    pub(crate) fn add(&mut self, content: &HashedContent) -> Result<(), WriteFailure> {
        let hash = content.hash();
        let is_waiting = self.waiting.iter().any(|(_, _, waiting)| *waiting == hash);
        let known = Contents {
            old: Some(content.clone()),
            new: None,
        };
        if is_waiting || read_entry(self.objects, &hash.to_string(), &known)?.is(hash) {
            return Ok(());
        }
        let name = format!("{INCOMING}-{}", self.waiting.len());
        remove(self.objects, &name)?;
        let file = self.objects.create(&name, content.bytes())?;
        self.waiting.push((file, name, hash));
        if self.waiting.len() >= OPEN_FILES {
            self.flush()?;
        }
        Ok(())
    }

    /// Syncs the waiting contents, then gives each its name. A name must never exist before its
    /// content is durable: after a loss of power it would refer to a file that is empty, cut or
    /// filled with zeros, and the operation that needs it could not be undone.
    fn flush(&mut self) -> Result<(), WriteFailure> {
        let mut written = Vec::with_capacity(self.waiting.len());
        for (file, name, hash) in self.waiting.drain(..) {
            if is_taken(Step::ObjectContent) {
                file.sync()?;
            }
            written.push((name, hash));
        }
        for (name, hash) in written {
            let kept = hash.to_string();
            // A file that has this name is damaged, or `add` would have found it.
            remove(self.objects, &kept)?;
            self.objects.move_new(&name, self.objects, &kept)?;
        }
        Ok(())
    }

    /// Makes everything that was added durable.
    pub(crate) fn finish(mut self, step: Step) -> Result<(), WriteFailure> {
        self.flush()?;
        if is_taken(step) {
            // The sync is needed even if all contents were kept before. The operation that kept
            // them may have failed, or its process may have been killed, between their renames and
            // this sync.
            self.objects.sync()?;
        }
        Ok(())
    }
}

/// Writes a record under `name`, replacing any earlier file. The content is synced under another
/// name first, so that `name` never refers to a part of it.
pub(crate) fn put<T: WriteDirectory>(
    directory: &Writable<T>,
    name: &str,
    content: &[u8],
) -> Result<(), WriteFailure> {
    remove(directory, INCOMING)?;
    remove(directory, name)?;
    let file = directory.create(INCOMING, content)?;
    if is_taken(Step::RecordContent) {
        file.sync()?;
    }
    directory.move_new(INCOMING, directory, name)
}

/// Reads a kept content; `None` if it does not exist or does not match its hash.
pub(crate) fn read<T: WriteDirectory>(
    objects: &Writable<T>,
    hash: ContentHash,
) -> Result<Option<HashedContent>, WriteFailure> {
    let name = hash.to_string();
    match objects.version(&name) {
        Ok(_) => {}
        Err(Failure::NotFound) => return Ok(None),
        Err(failure) => return Err(failure.into()),
    }
    let content = HashedContent::new(objects.read(&name, FILE_BYTES).map_err(failure)?);
    let is_sound = !is_taken(Step::ObjectHash) || content.hash() == hash;
    Ok(is_sound.then_some(content))
}
