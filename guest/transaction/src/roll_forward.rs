//! Rolling forward: the steps after the commit point, which bring every target to the state that
//! the journal describes.
//!
//! The steps depend on the contents of files alone, never on a note of the progress of an earlier
//! run. So they can start from any state that a crash may leave, and can be interrupted anywhere,
//! during a recovery as well.

use std::collections::BTreeSet;

use docent_tree::disk::{Durability, Failure, WriteDirectory, WriteFailure};

use crate::contents::Contents;
use crate::directories::{
    EntryState, find, parents_of_directories, parents_of_files, read_entry, remove, remove_empty,
    split, sync_all,
};
use crate::journal::Journal;
use crate::objects;
use crate::record::{Action, Conflict, Record};
use crate::replacement::{ReplaceOutcome, Replacement, move_to};
use crate::reserved::{UNRESOLVED, backup, prepared_name, restored_name};
use crate::step::{Step, is_taken};
use docent_text::content_hash::ContentHash;

/// The run that meets a failure, which decides if the failure may be left to a later run.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Attempt {
    /// The call that committed. A program that holds a file for a moment may soon release it, so a
    /// failure is left to the next recovery.
    First,
    /// A recovery. A file that is refused once more counts as a conflict. Every write begins with a
    /// recovery, so a file that has become immutable since the commit would otherwise stop all
    /// writing to the root permanently.
    Again,
}

/// A file with a reserved name that is no longer needed, or that is the only copy of a content
/// which a conflict keeps.
struct Leftover {
    directory: String,
    name: String,
    conflict: Option<usize>,
}

impl<T: WriteDirectory> Journal<'_, T> {
    /// Completes a committed operation and moves its journal into the history. `known` holds the
    /// contents of its entries that are in memory, by index.
    ///
    /// The order matters. The names are synced before anything that recovery would need is removed:
    /// if the journal were removed first, a loss of power could bring an old target back, and no
    /// journal would say that it has to be replaced. The record enters the history before the
    /// leftovers are removed, since it says which contents a conflict kept. The journal is removed
    /// last, because it names the leftovers.
    pub(crate) fn roll_forward(
        &self,
        record: &mut Record,
        known: &[Contents],
        attempt: Attempt,
    ) -> Result<Durability, WriteFailure> {
        record.conflicts.clear();
        let mut leftovers = Vec::new();
        for index in 0..record.entries.len() {
            let known = known.get(index).unwrap_or(Contents::UNKNOWN);
            if let Some(found) = self.settle(record, index, known, attempt)? {
                record.conflicts.push(Conflict {
                    entry: index,
                    found,
                    kept: Vec::new(),
                });
            }
            leftovers.extend(self.leftovers(record, index)?);
        }
        remove_empty(self.root, record.removed.iter())?;
        let mut paths = parents_of_files(record);
        paths.append(&mut parents_of_directories(record));
        let mut durability = Durability::Durable;
        if is_taken(Step::PlacedNames) {
            // Sync every directory, not only those touched by this run: a process that was killed
            // may have changed the others without syncing them.
            durability = sync_all(self.root, paths)?;
        }
        self.keep_conflicts(record, &leftovers)?;
        self.add_record(record)?;
        // The leftovers are removed after the record is durable. It lists the contents that each
        // conflict kept; recovery derives that list from the leftovers, and could not do so after
        // their removal.
        self.clear(&leftovers)?;
        self.remove_journal()?;
        Ok(durability)
    }

    /// Completes an operation whose record is already in the history: its targets are in place, and
    /// only leftovers and the journal may remain. To roll it forward again would be wrong, because
    /// people may have edited the targets since, and their text would be taken for a conflict.
    pub(crate) fn close(&self, record: &Record) -> Result<(), WriteFailure> {
        self.add_record(record)?;
        let mut leftovers = Vec::new();
        for index in 0..record.entries.len() {
            leftovers.extend(self.leftovers(record, index)?);
        }
        self.clear(&leftovers)?;
        if is_taken(Step::LeftoverNames) {
            // The process that was killed may have removed some leftovers without a sync. They are
            // not found here, but their directories must be synced all the same: otherwise a loss
            // of power could bring them back after the removal of the journal that names them.
            sync_all(self.root, parents_of_files(record))?;
        }
        self.remove_journal()
    }

    /// Carries out one entry. On a conflict, returns the content found at its path, after moving
    /// the backup back into place. For example, a file waits as a backup in `d`, and its
    /// destination `e` was removed: without this step the file would be missing from the tree.
    fn settle(
        &self,
        record: &Record,
        index: usize,
        known: &Contents,
        attempt: Attempt,
    ) -> Result<Option<Option<ContentHash>>, WriteFailure> {
        let found = match self.place(record, index, known) {
            Ok(ReplaceOutcome::Done) => return Ok(None),
            Ok(ReplaceOutcome::Conflict(found)) => found,
            Err(failure) if attempt == Attempt::Again && is_refusal(failure) => {
                self.source_hash(record, index, known)?
            }
            Err(failure) => return Err(failure),
        };
        let Some(entry) = record.entries.get(index) else {
            return Ok(None);
        };
        let (above, name) = split(entry.action.path());
        // A directory that may not be entered any more ends the recovery, at every attempt: its
        // backup may be the only copy of the old content, and without the journal nothing would
        // say so. Writing continues when the person has given access to the directory again.
        if let Some(directory) = find(self.root, above)? {
            let names = (prepared_name(record, index), backup(record, index));
            let source = Replacement {
                directory: &directory,
                name,
                prepared: &names.0,
                backup: &names.1,
                known,
            };
            match source.restore_backup() {
                Err(failure) if !is_refusal(failure) => return Err(failure),
                // If the file may not go back, the backup is a leftover of the conflict, and its
                // content is kept like that of the prepared file.
                _ => {}
            }
        }
        Ok(Some(found))
    }

    /// Returns the hash of the content at the source path of an entry.
    fn source_hash(
        &self,
        record: &Record,
        index: usize,
        known: &Contents,
    ) -> Result<Option<ContentHash>, WriteFailure> {
        let Some(entry) = record.entries.get(index) else {
            return Ok(None);
        };
        let (above, name) = split(entry.action.path());
        match find(self.root, above) {
            Ok(Some(directory)) => match read_entry(&directory, name, known) {
                Err(failure) if is_refusal(failure) => Ok(None),
                found => Ok(found?.hash()),
            },
            Err(failure) if !is_refusal(failure) => Err(failure),
            _ => Ok(None),
        }
    }

    fn place(
        &self,
        record: &Record,
        index: usize,
        known: &Contents,
    ) -> Result<ReplaceOutcome, WriteFailure> {
        let Some(entry) = record.entries.get(index) else {
            return Ok(ReplaceOutcome::Done);
        };
        let (above, name) = split(entry.action.path());
        let names = (prepared_name(record, index), backup(record, index));
        let directory = find(self.root, above)?;
        let source = directory.as_deref().map(|directory| Replacement {
            directory,
            name,
            prepared: &names.0,
            backup: &names.1,
            known,
        });
        match (&entry.action, source) {
            (Action::Set { old, new, .. }, Some(source)) => source.set(*old, *new),
            (Action::New { new, .. }, Some(source)) => source.create(*new),
            (Action::Delete { old, .. }, Some(source)) => source.delete(*old),
            // Another program removed the directory, and the file with it.
            (Action::Delete { .. }, None) => Ok(ReplaceOutcome::Done),
            (Action::Set { .. } | Action::New { .. }, None) => Ok(ReplaceOutcome::Conflict(None)),
            (Action::Move { to, old, new, .. }, source) => {
                let (above, name) = split(to);
                let Some(directory) = find(self.root, above)? else {
                    return Ok(ReplaceOutcome::Conflict(None));
                };
                let target = Replacement {
                    directory: &directory,
                    name,
                    prepared: &names.0,
                    backup: &names.1,
                    known,
                };
                move_to(source.as_ref(), &target, *old, *new)
            }
        }
    }

    /// Returns the files with reserved names that belong to an entry.
    fn leftovers(&self, record: &Record, index: usize) -> Result<Vec<Leftover>, WriteFailure> {
        let mut leftovers = Vec::new();
        let Some(entry) = record.entries.get(index) else {
            return Ok(leftovers);
        };
        let action = &entry.action;
        let target = action.destination().unwrap_or(action.path());
        let conflict = record.is_in_conflict(index).then_some(index);
        for (path, name) in [
            (target, prepared_name(record, index)),
            (action.path(), backup(record, index)),
            (action.path(), restored_name(record, index)),
        ] {
            let above = split(path).0;
            let Some(directory) = find(self.root, above)? else {
                continue;
            };
            match directory.version(&name) {
                Ok(_) => leftovers.push(Leftover {
                    directory: above.to_owned(),
                    name,
                    conflict,
                }),
                Err(Failure::NotFound) => {}
                Err(failure) => return Err(failure.into()),
            }
        }
        Ok(leftovers)
    }

    /// Keeps the contents of leftovers that belong to conflicts, and notes their hashes in the
    /// record. Without a state directory the leftovers stay where they are, and a journal that
    /// identifies them stays in the root as `.docent-conflict-NUMBER`. In both cases a person can
    /// still find the content that could not be put in place.
    fn keep_conflicts(
        &self,
        record: &mut Record,
        leftovers: &[Leftover],
    ) -> Result<(), WriteFailure> {
        if record.conflicts.is_empty() {
            return Ok(());
        }
        let Some(state) = self.state else {
            let name = format!("{UNRESOLVED}{}", record.id);
            remove(self.root, &name)?;
            let journal = self.root.create(&name, &record.encode())?;
            if is_taken(Step::UnresolvedContent) {
                journal.sync()?;
            }
            if is_taken(Step::UnresolvedName) {
                self.root.sync()?;
            }
            return Ok(());
        };
        let objects = objects::directory(state)?;
        let mut writer = objects::ObjectWriter::new(&objects);
        for leftover in leftovers {
            let Some(entry) = leftover.conflict else {
                continue;
            };
            let Some(directory) = find(self.root, &leftover.directory)? else {
                continue;
            };
            let found = read_entry(&directory, &leftover.name, Contents::UNKNOWN)?;
            let EntryState::File { content, .. } = found else {
                continue;
            };
            writer.add(&content)?;
            let noted = record.conflicts.iter_mut().filter(|c| c.entry == entry);
            noted.for_each(|conflict| conflict.kept.push(content.hash()));
        }
        writer.finish(Step::ConflictNames)
    }

    /// Removes the leftovers, except those that are the only copy of a conflict's content.
    fn clear(&self, leftovers: &[Leftover]) -> Result<(), WriteFailure> {
        let gone = leftovers
            .iter()
            .filter(|leftover| self.state.is_some() || leftover.conflict.is_none());
        let mut paths = BTreeSet::new();
        for leftover in gone {
            if let Some(directory) = find(self.root, &leftover.directory)? {
                remove(&directory, &leftover.name)?;
                paths.insert(leftover.directory.as_str());
            }
        }
        if is_taken(Step::LeftoverNames) {
            sync_all(self.root, paths)?;
        }
        Ok(())
    }

    fn remove_journal(&self) -> Result<(), WriteFailure> {
        let home = self.home();
        remove(home.directory, home.committed)?;
        if self.state.is_none() && is_taken(Step::JournalGone) {
            // Without the sync the journal might come back after a loss of power, and recovery
            // would take a text that people have written since for a conflict. Where there is a
            // history, its record shows that the operation is complete.
            home.directory.sync()?;
        }
        Ok(())
    }
}

/// Returns true if `failure` means that this file cannot be written, rather than that the disk
/// failed. A full disk or an I/O error concerns all files and may end, so recovery repeats the
/// steps; a refusal concerns one file, so recovery reports a conflict and continues with the rest.
pub(crate) fn is_refusal(failure: WriteFailure) -> bool {
    matches!(
        failure,
        WriteFailure::Permission | WriteFailure::MountPoint | WriteFailure::WrongKind
    )
}
