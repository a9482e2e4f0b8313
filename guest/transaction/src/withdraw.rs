//! Withdrawal of a committed operation that cannot be completed: if the system refuses a step, the
//! steps before it are undone, so that a refusal too leaves all or nothing.
//!
//! Every step back leads to a state from which the journal, which is still committed, can be rolled
//! forward: the new content is prepared again before the old one takes its place. Only when all
//! files are as they were before does the journal get its first name again. A crash before that
//! completes the operation, a crash after it removes it; no crash leaves some files old and others
//! new.

use docent_tree::disk::{WriteDirectory, WriteFailure};
use docent_tree::write::Writable;

use crate::contents::Contents;
use crate::directories::{EntryState, find, parents_of_files, read_entry, remove, split, sync_all};
use crate::journal::Journal;
use crate::record::{Action, Record};
use crate::reserved::{backup, prepared_name, restored_name};
use crate::step::{Step, is_taken};
use docent_text::content_hash::{ContentHash, HashedContent};
use docent_tree::path::RelPath;

impl<T: WriteDirectory> Journal<'_, T> {
    /// Withdraws an operation that was partly carried out, last entry first, and returns the path
    /// at which the rest was refused. `known` holds the contents of its entries that are in memory,
    /// by index.
    ///
    /// Two syncs surround the rename of the journal. Without the first, a loss of power could keep
    /// the journal's first name and lose a restored target, whose new content would then remain.
    /// Without the second, it could keep the removal of prepared files by `roll_back` and lose the
    /// rename, and a committed journal would be left without the contents to complete it.
    pub(crate) fn withdraw(
        &self,
        record: &Record,
        known: &[Contents],
    ) -> Result<Option<RelPath>, WriteFailure> {
        if is_taken(Step::RestoringNames) {
            sync_all(self.root, parents_of_files(record))?;
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
            sync_all(self.root, parents_of_files(record))?;
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

    /// Restores the files of an entry, and returns true if there was anything to restore. A file
    /// with any other content than the one that the operation gives it is left alone: either its
    /// entry was not carried out yet, or another program has saved the file since, and restoring
    /// the old content would lose that text.
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
        let names = ReservedNames {
            prepared: prepared_name(record, index),
            backup: backup(record, index),
            restored: restored_name(record, index),
        };
        let found = read_entry(&directory, name, known)?;
        match &entry.action {
            Action::Set { old, new, .. } => {
                let EntryState::File { content, version } = found else {
                    return Ok(false);
                };
                if content.hash() != *new {
                    return Ok(false);
                }
                if !read_entry(&directory, &names.prepared, known)?.is(*new) {
                    write_file(&directory, &names.prepared, &content)?;
                }
                write_file(&directory, &names.restored, &self.old(*old, known)?)?;
                sync_names(&directory)?;
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
                if !matches!(found, EntryState::Absent) {
                    return Ok(false);
                }
                self.put_back(&directory, name, &names, *old, known)?;
            }
            Action::Move { to, old, new, .. } => {
                if !matches!(found, EntryState::Absent) {
                    return Ok(false);
                }
                let (above, at) = split(to);
                let Some(target) = find(self.root, above)? else {
                    return Ok(false);
                };
                match read_entry(&target, at, known)? {
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

    /// Restores a file at a free path: from its backup if there is one, otherwise from a copy of
    /// its content. The backup is the file itself, with its mode and attributes, and renaming it
    /// needs no space on the disk.
    fn put_back(
        &self,
        directory: &Writable<T>,
        name: &str,
        names: &ReservedNames,
        old: ContentHash,
        known: &Contents,
    ) -> Result<(), WriteFailure> {
        if read_entry(directory, &names.backup, known)?.is(old) {
            return directory.move_new(&names.backup, directory, name);
        }
        write_file(directory, &names.restored, &self.old(old, known)?)?;
        sync_names(directory)?;
        directory.move_new(&names.restored, directory, name)
    }

    /// Returns the old content with this hash, from memory or from the state directory.
    ///
    /// # Errors
    /// [`WriteFailure::NotFound`] if it is in neither. The operation then remains committed.
    fn old(&self, hash: ContentHash, known: &Contents) -> Result<HashedContent, WriteFailure> {
        if let Some(old) = known.old.as_ref().filter(|old| old.hash() == hash) {
            return Ok(old.clone());
        }
        let kept = self.kept_content(hash).ok().flatten();
        kept.ok_or(WriteFailure::NotFound)
    }
}

/// The reserved names of an entry's files.
struct ReservedNames {
    prepared: String,
    backup: String,
    restored: String,
}

/// Makes the names in a directory durable, before an old content replaces the new one.
///
/// Without that, a loss of power could keep the replacement and lose the name of the file that was
/// prepared again. Recovery would find the old content and nothing to replace it with, which is a
/// conflict, and give the other files their new contents.
fn sync_names<T: WriteDirectory>(directory: &Writable<T>) -> Result<(), WriteFailure> {
    if is_taken(Step::RestoringNames) {
        directory.sync()?;
    }
    Ok(())
}

/// Writes a file, replacing any left by an earlier attempt.
fn write_file<T: WriteDirectory>(
    directory: &Writable<T>,
    name: &str,
    content: &HashedContent,
) -> Result<(), WriteFailure> {
    remove(directory, name)?;
    let file = directory.create(name, content.bytes())?;
    if is_taken(Step::RestoredContent) {
        file.sync()?;
    }
    Ok(())
}
