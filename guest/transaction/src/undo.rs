//! Undo and redo. Each is a transaction like any other, which can be undone itself:
//!
//! ```text
//! 1   change
//! 2   change
//! 3   undo of 2      an undo of the latest now takes back 1, a redo takes back 3
//! 4   redo of 3      an undo of the latest now takes back 2
//! ```
//!
//! So repeated undos go back in time, and repeated redos go forward.

use std::collections::BTreeSet;

use docent_tree::disk::WriteDirectory;
use docent_tree::path::RelPath;

use crate::error::Error;
use crate::journal::{Change, CommitOutcome, Draft, FileOperation, Journal};
use crate::record::{Action, LineCounts, OperationOrigin, Record, RecordedChange};
use docent_text::content_hash::{ContentHash, HashedContent};

/// The operation to undo or redo.
#[derive(Clone, Copy, Debug)]
pub enum Target<'p> {
    /// The latest one that was not undone.
    Latest,
    /// The one with this number.
    Id(u64),
    /// The latest one that was not undone and that names this file, with all its other files.
    Path(&'p RelPath),
}

/// The direction of a reversal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Direction {
    /// Takes back a change or a redo.
    Undo,
    /// Takes back an undo.
    Redo,
}

impl<T: WriteDirectory> Journal<'_, T> {
    /// Undoes a change or a redo.
    ///
    /// # Errors
    /// [`Error::Conflict`] when one of its files does not have the content that the change left;
    /// nothing is undone then. [`Error::NoHistory`], [`Error::UnknownOperation`],
    /// [`Error::NothingToUndo`], [`Error::AlreadyUndone`] and [`Error::ContentGone`] when it cannot
    /// be undone; otherwise those of [`Journal::commit`].
    pub fn undo(
        &self,
        target: Target<'_>,
        tool: &str,
        now_ms: i64,
    ) -> Result<CommitOutcome, Error> {
        self.reverse(target, Direction::Undo, tool, now_ms)
    }

    /// Returns the operation that an undo or a redo would take back.
    ///
    /// # Errors
    /// Those of [`Journal::undo`] for an operation that cannot be undone.
    pub fn next_reversal(&self, target: Target<'_>, direction: Direction) -> Result<Record, Error> {
        self.find_operation(target, direction)
    }

    /// Takes an undo back.
    ///
    /// # Errors
    /// Those of [`Journal::undo`].
    pub fn redo(
        &self,
        target: Target<'_>,
        tool: &str,
        now_ms: i64,
    ) -> Result<CommitOutcome, Error> {
        self.reverse(target, Direction::Redo, tool, now_ms)
    }

    fn reverse(
        &self,
        target: Target<'_>,
        direction: Direction,
        tool: &str,
        now_ms: i64,
    ) -> Result<CommitOutcome, Error> {
        self.recover()?;
        let record = self.find_operation(target, direction)?;
        let mut changes = Vec::with_capacity(record.entries.len());
        for (index, entry) in record.entries.iter().enumerate() {
            // An entry in conflict was never carried out. Its file has the content of another
            // program, so its inverse would be refused, and with it the whole undo.
            if !record.is_in_conflict(index) {
                changes.push(self.inverse(entry)?);
            }
        }
        self.write(Draft {
            changes,
            tool: tool.to_owned(),
            note: String::new(),
            now_ms,
            origin: match record.origin {
                OperationOrigin::Undo(_) => OperationOrigin::Redo(record.id),
                OperationOrigin::Change | OperationOrigin::Redo(_) => {
                    OperationOrigin::Undo(record.id)
                }
            },
            removed: record.made.iter().rev().cloned().collect(),
        })
    }

    fn find_operation(&self, target: Target<'_>, direction: Direction) -> Result<Record, Error> {
        let mut undone = BTreeSet::new();
        for named in self.record_names()?.into_iter().rev() {
            let id = named.id;
            let is_undone = undone.contains(&id);
            let is_wanted = matches!(target, Target::Id(wanted) if wanted == id);
            if is_undone && !is_wanted {
                // An operation that was undone no longer takes another one back, and is not a
                // candidate itself.
                continue;
            }
            // The name of an undo or a redo says which operation it takes back. Its record is read
            // only if it may be the result itself, as an undo may be that of a redo. Otherwise each
            // of 1 000 undos in a row would read the records of all undos before it.
            if let Some((own, other)) = named.reverses
                && !is_wanted
                && (own, direction) != (Direction::Undo, Direction::Redo)
            {
                undone.insert(other);
                continue;
            }
            let Some(record) = self.read_record(&named)? else {
                match target {
                    // The damaged record may be the latest change, or the undo of an earlier one.
                    // Without it the latest operation in effect is unknown, so none is taken back.
                    Target::Latest => return Err(Error::DamagedRecord(id)),
                    Target::Id(_) if is_wanted => return Err(Error::DamagedRecord(id)),
                    _ => continue,
                }
            };
            if let OperationOrigin::Undo(other) | OperationOrigin::Redo(other) = record.origin
                && !is_undone
            {
                undone.insert(other);
            }
            // A redo is never a candidate itself. It is undone as the change that it restores,
            // whose undo it has taken back, so that repeated undos go back in time.
            let is_candidate = match record.origin {
                OperationOrigin::Change => direction == Direction::Undo,
                OperationOrigin::Undo(_) => direction == Direction::Redo,
                OperationOrigin::Redo(_) => false,
            };
            let is_meant = match target {
                Target::Latest => is_candidate && !is_undone,
                Target::Path(path) => is_candidate && !is_undone && names(&record, path),
                Target::Id(wanted) if wanted == id && is_undone => {
                    return Err(Error::AlreadyUndone(id));
                }
                Target::Id(wanted) => wanted == id,
            };
            if is_meant {
                return Ok(record);
            }
        }
        Err(match target {
            Target::Id(id) => Error::UnknownOperation(id),
            Target::Latest | Target::Path(_) => Error::NothingToUndo,
        })
    }

    fn inverse(&self, entry: &RecordedChange) -> Result<Change, Error> {
        let operation = match &entry.action {
            Action::Set { path, old, new } => FileOperation::Set {
                path: path.clone(),
                expected: (*new).into(),
                content: self.old_content(path, *old)?,
            },
            Action::New { path, new } => FileOperation::Delete {
                path: path.clone(),
                expected: (*new).into(),
            },
            Action::Delete { path, old } => FileOperation::New {
                path: path.clone(),
                content: self.old_content(path, *old)?,
            },
            Action::Move { path, to, old, new } => FileOperation::Move {
                path: to.clone(),
                to: path.clone(),
                expected: (*new).into(),
                content: if old == new {
                    None
                } else {
                    Some(self.old_content(path, *old)?)
                },
            },
        };
        let lines = LineCounts {
            added: entry.lines.removed,
            removed: entry.lines.added,
        };
        Ok(Change { operation, lines })
    }

    fn old_content(&self, path: &RelPath, hash: ContentHash) -> Result<HashedContent, Error> {
        self.kept_content(hash)?
            .ok_or_else(|| Error::ContentGone(path.clone()))
    }
}

fn names(record: &Record, path: &RelPath) -> bool {
    let is_named = |entry: &RecordedChange| {
        entry.action.path().as_str() == path.as_str()
            || entry
                .action
                .destination()
                .is_some_and(|to| to.as_str() == path.as_str())
    };
    record.entries.iter().any(is_named)
}
