//! What was committed and cannot be done is taken back: where the system refuses a step, those
//! before it are undone, so that a refusal leaves all of it or nothing.
//!
//! Each step back leads to a state from which the journal, which is committed still, can be rolled
//! forward. Only when all is as it was before does the journal get its first name again.

use docent_tree::disk::{WriteDirectory, WriteFailure};
use docent_tree::write::Writable;

use crate::contents::Contents;
use crate::directories::{Found, find, holding_files, look, remove, split, sync_all};
use crate::journal::Journal;
use crate::places::{aside, prepared, restored};
use crate::record::{Action, Record};
use crate::step::{Step, is_taken};
use docent_text::content_hash::{Content, ContentHash};
use docent_tree::path::RelPath;

impl<T: WriteDirectory> Journal<'_, T> {
    /// Takes a committed operation back that is done in part, and returns the path at which the rest
    /// was refused. `known` are the contents of its entries, as far as they are in memory.
    pub(crate) fn withdraw(
        &self,
        record: &Record,
        known: &[Contents],
    ) -> Result<Option<RelPath>, WriteFailure> {
        if is_taken(Step::RestoringNames) {
            sync_all(self.root, holding_files(record))?;
        }
        let mut refused = None;
        for index in (0..record.entries.len()).rev() {
            let known = known.get(index).unwrap_or(Contents::UNKNOWN);
            if !self.restore(record, index, known)? {
                let entry = record.entries.get(index);
                refused = entry.map(|entry| entry.action.path().clone());
            }
        }
        if is_taken(Step::RestoredNames) {
            sync_all(self.root, holding_files(record))?;
        }
        let home = self.home();
        home.directory
            .move_new(home.committed, home.directory, home.prepared)?;
        if is_taken(Step::Withdrawal) {
            home.directory.sync()?;
        }
        self.roll_back(record)?;
        Ok(refused)
    }

    /// Brings the files of an entry to what they were; what somebody else has saved there since
    /// stays. Returns whether there was anything to take back.
    fn restore(
        &self,
        record: &Record,
        index: usize,
        known: &Contents,
    ) -> Result<bool, WriteFailure> {
        let Some(entry) = record.entries.get(index) else {
            return Ok(false);
        };
        let (above, name) = split(entry.action.path());
        let Some(directory) = find(self.root, above)? else {
            return Ok(false);
        };
        let names = Names {
            prepared: prepared(record, index),
            aside: aside(record, index),
            restored: restored(record, index),
        };
        let found = look(&directory, name, known)?;
        match &entry.action {
            Action::Set { old, new, .. } => {
                let Found::File { content, version } = found else {
                    return Ok(false);
                };
                if content.hash() != *new {
                    return Ok(false);
                }
                if !look(&directory, &names.prepared, known)?.is(*new) {
                    written(&directory, &names.prepared, &content)?;
                }
                written(&directory, &names.restored, &self.old(*old, known)?)?;
                named(&directory)?;
                directory.replace(&names.restored, &directory, name, &version)?;
            }
            Action::New { new, .. } => {
                if !found.is(*new) {
                    return Ok(false);
                }
                remove(&directory, &names.prepared)?;
                directory.move_new(name, &directory, &names.prepared)?;
            }
            Action::Delete { old, .. } => {
                if !matches!(found, Found::Absent) {
                    return Ok(false);
                }
                self.put_back(&directory, name, &names, *old, known)?;
            }
            Action::Move { to, old, new, .. } => {
                if !matches!(found, Found::Absent) {
                    return Ok(false);
                }
                let (above, at) = split(to);
                let Some(target) = find(self.root, above)? else {
                    return Ok(false);
                };
                match look(&target, at, known)? {
                    moved if moved.is(*old) => target.move_new(at, &directory, name)?,
                    moved if moved.is(*new) => {
                        self.put_back(&directory, name, &names, *old, known)?;
                        remove(&target, &names.prepared)?;
                        target.move_new(at, &target, &names.prepared)?;
                    }
                    _ => self.put_back(&directory, name, &names, *old, known)?,
                }
            }
        }
        Ok(true)
    }

    /// Puts a file back where nothing stands: the one that waits aside, or another of its content.
    fn put_back(
        &self,
        directory: &Writable<T>,
        name: &str,
        names: &Names,
        old: ContentHash,
        known: &Contents,
    ) -> Result<(), WriteFailure> {
        if look(directory, &names.aside, known)?.is(old) {
            return directory.move_new(&names.aside, directory, name);
        }
        written(directory, &names.restored, &self.old(old, known)?)?;
        named(directory)?;
        directory.move_new(&names.restored, directory, name)
    }

    /// Returns an old content.
    fn old(&self, hash: ContentHash, known: &Contents) -> Result<Content, WriteFailure> {
        if let Some(old) = known.old.as_ref().filter(|old| old.hash() == hash) {
            return Ok(old.clone());
        }
        let kept = self.kept(hash).ok().flatten();
        kept.ok_or(WriteFailure::NotFound)
    }
}

/// What the files of an entry are called that are docent's own.
struct Names {
    prepared: String,
    aside: String,
    restored: String,
}

/// Makes the names in a directory durable, before one of them takes the place of another.
fn named<T: WriteDirectory>(directory: &Writable<T>) -> Result<(), WriteFailure> {
    if is_taken(Step::RestoringNames) {
        directory.sync()?;
    }
    Ok(())
}

/// Makes a file of a content, whatever stood there of an earlier try.
fn written<T: WriteDirectory>(
    directory: &Writable<T>,
    name: &str,
    content: &Content,
) -> Result<(), WriteFailure> {
    remove(directory, name)?;
    let file = directory.create(name, content.bytes())?;
    if is_taken(Step::RestoredContent) {
        file.sync()?;
    }
    Ok(())
}
