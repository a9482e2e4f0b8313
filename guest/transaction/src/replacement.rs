//! The replacement of one file: the steps from whatever state it is in to the one that the journal
//! describes.
//!
//! Each step first reads the file at the path, and acts only on a content that the journal names,
//! old or new. Any other content was written by another program, and is a conflict. A step that
//! fails because the file changed in between is tried again, up to [`ATTEMPTS`] times.
//!
//! The new content is looked for before the old one: an interrupted run may already have replaced
//! the file, and its prepared file then no longer exists.

use docent_tree::disk::{WriteDirectory, WriteFailure};
use docent_tree::write::Writable;

use crate::contents::Contents;
use crate::directories::{EntryState, read_entry, remove};
use crate::limits::ATTEMPTS;
use crate::step::{Step, is_taken};
use docent_text::content_hash::ContentHash;

/// The outcome of an entry.
pub(crate) enum ReplaceOutcome {
    Done,
    /// The file has another content, with this hash; `None` if it is not a regular file.
    Conflict(Option<ContentHash>),
}

/// The files of one entry, and the steps that replace them.
pub(crate) struct Replacement<'p, T> {
    pub(crate) directory: &'p Writable<T>,
    pub(crate) name: &'p str,
    pub(crate) prepared: &'p str,
    pub(crate) backup: &'p str,
    pub(crate) known: &'p Contents,
}

impl<T: WriteDirectory> Replacement<'_, T> {
    fn target(&self) -> Result<EntryState, WriteFailure> {
        read_entry(self.directory, self.name, self.known)
    }

    fn is_prepared(&self, new: ContentHash) -> Result<bool, WriteFailure> {
        let found = read_entry(self.directory, self.prepared, self.known)?;
        Ok(found.is(new) || (!is_taken(Step::PreparedHash) && found.hash().is_some()))
    }

    pub(crate) fn set(
        &self,
        old: ContentHash,
        new: ContentHash,
    ) -> Result<ReplaceOutcome, WriteFailure> {
        for _ in 0..ATTEMPTS {
            let target = self.target()?;
            if target.is(new) {
                return Ok(ReplaceOutcome::Done);
            }
            if !target.is(old) || !self.is_prepared(new)? {
                return Ok(ReplaceOutcome::Conflict(target.hash()));
            }
            if check_step(self.replace_existing(self.directory, self.prepared, &target))? {
                return Ok(ReplaceOutcome::Done);
            }
        }
        Ok(ReplaceOutcome::Conflict(self.target()?.hash()))
    }

    pub(crate) fn create(&self, new: ContentHash) -> Result<ReplaceOutcome, WriteFailure> {
        for _ in 0..ATTEMPTS {
            let target = self.target()?;
            if target.is(new) {
                return Ok(ReplaceOutcome::Done);
            }
            if !is_free(&target) || !self.is_prepared(new)? {
                return Ok(ReplaceOutcome::Conflict(target.hash()));
            }
            if check_step(self.move_to_free(self.directory, self.prepared, &target))? {
                return Ok(ReplaceOutcome::Done);
            }
        }
        Ok(ReplaceOutcome::Conflict(self.target()?.hash()))
    }

    pub(crate) fn delete(&self, old: ContentHash) -> Result<ReplaceOutcome, WriteFailure> {
        for _ in 0..ATTEMPTS {
            match self.read_backup()? {
                EntryState::Absent => {
                    let target = self.target()?;
                    match target {
                        EntryState::Absent => return Ok(ReplaceOutcome::Done),
                        target if !target.is(old) => {
                            return Ok(ReplaceOutcome::Conflict(target.hash()));
                        }
                        // The file is renamed first and inspected afterwards, under a name that no
                        // other program uses. The file that is removed is then the one that was
                        // inspected. Removing it by its own name would lose the text that an editor
                        // saved between the read above and the removal.
                        _ => check_step(self.directory.move_new(
                            self.name,
                            self.directory,
                            self.backup,
                        ))?,
                    };
                }
                waiting if waiting.is(old) || !is_taken(Step::DeletedContent) => {
                    remove(self.directory, self.backup)?;
                    return Ok(ReplaceOutcome::Done);
                }
                _ => return self.restore_backup(),
            }
        }
        Ok(ReplaceOutcome::Conflict(self.target()?.hash()))
    }

    /// Returns the backup. An empty backup beside a file that is still in its place is only the
    /// placeholder of a host that cannot rename without replacing, and is removed. Taken for the
    /// backup of the file, it would turn a deletion that a crash interrupted into a conflict.
    fn read_backup(&self) -> Result<EntryState, WriteFailure> {
        let waiting = read_entry(self.directory, self.backup, self.known)?;
        if waiting.is_empty() && !matches!(self.target()?, EntryState::Absent) {
            remove(self.directory, self.backup)?;
            return Ok(EntryState::Absent);
        }
        Ok(waiting)
    }

    /// Moves the backup back if it does not hold the content that was to be deleted or moved: an
    /// editor saved the file just before the rename, and the text belongs at its path. If another
    /// file has been created at the path since, both are kept: the backup remains as a leftover of
    /// the conflict.
    pub(crate) fn restore_backup(&self) -> Result<ReplaceOutcome, WriteFailure> {
        if !matches!(self.read_backup()?, EntryState::Absent) {
            let target = self.target()?;
            if is_free(&target) {
                check_step(self.move_to_free(self.directory, self.backup, &target))?;
            }
        }
        Ok(ReplaceOutcome::Conflict(self.target()?.hash()))
    }

    /// Replaces the file that was found by the one called `name`, provided it is still the same
    /// version. The version must be the one that was taken with the content, not a later one: with
    /// that of a file saved in between, the comparison would succeed and the saved text be lost.
    fn replace_existing(
        &self,
        from: &Writable<T>,
        name: &str,
        found: &EntryState,
    ) -> Result<(), WriteFailure> {
        let EntryState::File { version, .. } = found else {
            return Err(WriteFailure::Changed);
        };
        let mut version = *version;
        if !is_taken(Step::ReplacedVersion) {
            version = self.directory.version(self.name)?;
        }
        from.replace(name, self.directory, self.name, &version)
    }

    /// Moves the file called `name` to where no file, or an empty one, was found.
    fn move_to_free(
        &self,
        from: &Writable<T>,
        name: &str,
        found: &EntryState,
    ) -> Result<(), WriteFailure> {
        if matches!(found, EntryState::File { .. }) {
            return self.replace_existing(from, name, found);
        }
        match from.move_new(name, self.directory, self.name) {
            Err(WriteFailure::Exists) if !is_taken(Step::NothingReplaced) => {
                let version = self.directory.version(self.name)?;
                from.replace(name, self.directory, self.name, &version)
            }
            moved => moved,
        }
    }
}

/// Moves the file of `source` to `target`, which keeps its mode and attributes, and then gives it
/// its new content.
///
/// ```text
/// d/a.md                        the source
/// d/.docent-new-12-…-0.old      its backup, which is inspected
/// n/a.md                        the destination, with the old content
/// n/a.md                        replaced by n/.docent-set-12-…-0.tmp, the new content
/// ```
///
/// The prepared file is a second copy until the names are durable. A rename across directories is
/// two changes of names, and on some file systems a loss of power may keep the removal of one and
/// lose the other.
pub(crate) fn move_to<T: WriteDirectory>(
    source: Option<&Replacement<T>>,
    target: &Replacement<T>,
    old: ContentHash,
    new: ContentHash,
) -> Result<ReplaceOutcome, WriteFailure> {
    for _ in 0..ATTEMPTS {
        let found = target.target()?;
        let is_placed = if found.is(new) {
            true
        } else if found.is(old) {
            if !target.is_prepared(new)? {
                return Ok(ReplaceOutcome::Conflict(found.hash()));
            }
            check_step(target.replace_existing(target.directory, target.prepared, &found))?
        } else if is_free(&found) {
            match advance_move(source, target, &found, old, new)? {
                MoveStep::Original => old == new,
                MoveStep::Prepared => true,
                MoveStep::Retry => false,
                MoveStep::Failed(placed) => return Ok(placed),
            }
        } else {
            return Ok(ReplaceOutcome::Conflict(found.hash()));
        };
        if is_placed {
            return clear_source(source, old);
        }
    }
    Ok(ReplaceOutcome::Conflict(target.target()?.hash()))
}

/// The file at the destination of a move.
enum MoveStep {
    /// The moved file itself, with its old content.
    Original,
    /// The prepared file.
    Prepared,
    /// No file yet; another attempt is due.
    Retry,
    /// No file, and another attempt would not change that.
    Failed(ReplaceOutcome),
}

/// Takes the next step of a move to a free destination. The file first becomes a backup in its own
/// directory, under a name that no other program writes to, and is inspected there. So the file
/// that arrives at the destination is the one that was inspected. A file that is gone from the
/// source, lost between two directories in a crash, is replaced by the prepared one.
fn advance_move<T: WriteDirectory>(
    source: Option<&Replacement<T>>,
    target: &Replacement<T>,
    found: &EntryState,
    old: ContentHash,
    new: ContentHash,
) -> Result<MoveStep, WriteFailure> {
    let as_prepared = |there: Option<ContentHash>| {
        if !target.is_prepared(new)? {
            return Ok(MoveStep::Failed(ReplaceOutcome::Conflict(there)));
        }
        let is_done = check_step(target.move_to_free(target.directory, target.prepared, found))?;
        Ok(if is_done {
            MoveStep::Prepared
        } else {
            MoveStep::Retry
        })
    };
    let Some(source) = source else {
        return as_prepared(None);
    };
    match source.read_backup()? {
        EntryState::Absent => match source.target()? {
            EntryState::Absent => as_prepared(None),
            held if held.is(old) => {
                check_step(source.directory.move_new(
                    source.name,
                    source.directory,
                    source.backup,
                ))?;
                Ok(MoveStep::Retry)
            }
            held => Ok(MoveStep::Failed(ReplaceOutcome::Conflict(held.hash()))),
        },
        waiting if waiting.is(old) || !is_taken(Step::MovedContent) => {
            let is_done = check_step(target.move_to_free(source.directory, source.backup, found))?;
            Ok(if is_done {
                MoveStep::Original
            } else {
                MoveStep::Retry
            })
        }
        _ => Ok(MoveStep::Failed(source.restore_backup()?)),
    }
}

/// Removes the file that half a move has left at the source: after a loss of power it may be in
/// both directories. A file at the source with any content but the old one was created there since,
/// and is not touched.
fn clear_source<T: WriteDirectory>(
    source: Option<&Replacement<T>>,
    old: ContentHash,
) -> Result<ReplaceOutcome, WriteFailure> {
    let Some(source) = source else {
        return Ok(ReplaceOutcome::Done);
    };
    match source.read_backup()? {
        EntryState::Absent if source.target()?.is(old) => source.delete(old),
        EntryState::Absent => Ok(ReplaceOutcome::Done),
        waiting if waiting.is(old) => source.delete(old),
        _ => source.restore_backup(),
    }
}

/// Returns true if a new file may replace `found`. An empty file counts as free: hosts that cannot
/// rename without replacing create one to claim the name, and a crash may leave it there. Were it a
/// conflict, an operation that was interrupted there could not be completed. It has no text to
/// lose.
fn is_free(found: &EntryState) -> bool {
    match found {
        EntryState::Absent => true,
        EntryState::File { .. } => found.is_empty(),
        EntryState::Other => false,
    }
}

/// Returns true if the step succeeded, or false if the file changed meanwhile and the step must be
/// tried again.
fn check_step(step: Result<(), WriteFailure>) -> Result<bool, WriteFailure> {
    match step {
        Ok(()) => Ok(true),
        Err(WriteFailure::Changed | WriteFailure::Exists | WriteFailure::NotFound) => Ok(false),
        Err(failure) => Err(failure),
    }
}
