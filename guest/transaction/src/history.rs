//! History of the operations that can still be undone, and its pruning.

use std::collections::BTreeSet;

use docent_tree::disk::{Failure, Moment, WriteDirectory, WriteFailure};
use docent_tree::door::Denied;
use docent_tree::path::RelPath;
use docent_tree::write::Writable;

use crate::directories::{failure, open, remove, split};
use crate::error::Error;
use crate::journal::Journal;
use crate::limits::{FILE_BYTES, JOURNAL_BYTES, OPERATIONS_PER_CHANGE, PRUNE_EVERY, PRUNE_SHARE};
use crate::objects;
use crate::record::{Malformed, OperationOrigin, Record};
use crate::reserved::UNRESOLVED;
use crate::step::{Step, is_taken};
use crate::undo::Direction;
use docent_text::content_hash::{ContentHash, HashedContent};
use docent_text::sort::sort_by_key;

/// An operation of the history.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HistoryEntry {
    /// Record of the operation.
    pub record: Record,
    /// True if a later operation undid it, and was not undone itself.
    pub is_undone: bool,
}

/// A page of the history.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Page {
    /// Operations, newest first.
    pub operations: Vec<HistoryEntry>,
    /// Start of the next page, as the `before` of [`Journal::history`]; `None` on the last page.
    pub next: Option<u64>,
    /// Numbers of the operations of this page whose records cannot be read.
    pub damaged: Vec<u64>,
}

impl<T: WriteDirectory> Journal<'_, T> {
    /// Returns up to `limit` operations before number `before`, or the newest ones.
    ///
    /// # Errors
    /// [`Error::NoHistory`] without a state directory; [`Error::Disk`].
    pub fn history(&self, before: Option<u64>, limit: usize) -> Result<Page, Error> {
        let mut page = Page::default();
        let mut undone = BTreeSet::new();
        for named in self.record_names()?.into_iter().rev() {
            let id = named.id;
            // Operations newer than the page decide which of its operations are undone. The name of
            // an undo or redo says which operation it reverses, so its record is not read. A long
            // series of undos would otherwise be read again for each page.
            let is_shown = before.is_none_or(|before| id < before);
            if let (false, Some((_, other))) = (is_shown, named.reverses) {
                if !undone.contains(&id) {
                    undone.insert(other);
                }
                continue;
            }
            if page.operations.len() + page.damaged.len() >= limit {
                page.next = page
                    .operations
                    .iter()
                    .map(|operation| operation.record.id)
                    .chain(page.damaged.iter().copied())
                    .min();
                break;
            }
            let Some(record) = self.read_record(&named)? else {
                if is_shown {
                    page.damaged.push(id);
                }
                continue;
            };
            let is_undone = undone.contains(&id);
            if let OperationOrigin::Undo(other) | OperationOrigin::Redo(other) = record.origin
                && !is_undone
            {
                undone.insert(other);
            }
            if is_shown {
                page.operations.push(HistoryEntry { record, is_undone });
            }
        }
        Ok(page)
    }

    /// Returns the operations of the history that met a conflict after their commit point, newest
    /// first. Without a state directory, returns those whose journals are in the root.
    ///
    /// # Errors
    /// [`Error::Disk`].
    pub fn unresolved_operations(&self) -> Result<Vec<Record>, Error> {
        let mut unresolved = Vec::new();
        if self.state.is_some() {
            for named in self.record_names()?.into_iter().rev() {
                let record = self.read_record(&named)?;
                unresolved.extend(record.filter(|record| !record.conflicts.is_empty()));
            }
            return Ok(unresolved);
        }
        for entry in self.root.entries().map_err(WriteFailure::from)?.named {
            if !entry.name.starts_with(UNRESOLVED) {
                continue;
            }
            let bytes = self
                .root
                .read(&entry.name, JOURNAL_BYTES)
                .map_err(failure)?;
            unresolved.extend(Record::decode(&bytes).ok());
        }
        sort_by_key(&mut unresolved, |record| std::cmp::Reverse(record.id));
        Ok(unresolved)
    }

    /// Returns the number of bytes of old contents that are kept.
    ///
    /// # Errors
    /// [`Error::NoHistory`] without a state directory; [`Error::Disk`].
    pub fn kept_bytes(&self) -> Result<u64, Error> {
        let state = self.state.ok_or(Error::NoHistory)?;
        let objects = objects::directory(state)?;
        let entries = objects.entries().map_err(WriteFailure::from)?.named;
        let sizes = entries
            .iter()
            .filter_map(|entry| objects.version(&entry.name).ok());
        Ok(sizes.map(|version| version.size).sum())
    }

    /// Returns a content that an operation replaced or a conflict kept, or `None` if it is no
    /// longer kept.
    ///
    /// # Errors
    /// [`Error::NoHistory`] without a state directory; [`Error::Disk`].
    pub fn kept_content(&self, hash: ContentHash) -> Result<Option<HashedContent>, Error> {
        let state = self.state.ok_or(Error::NoHistory)?;
        Ok(objects::read(&objects::directory(state)?, hash)?)
    }

    /// Returns the content of a file, or `None` if it cannot be read.
    #[must_use]
    pub fn current_content(&self, path: &RelPath) -> Option<Vec<u8>> {
        let (above, name) = split(path);
        open(self.root, above).ok()?.read(name, FILE_BYTES).ok()
    }

    /// Returns the time at which the content of a file last changed, or `None` if that is unknown.
    #[must_use]
    pub fn modification_time(&self, path: &RelPath) -> Option<Moment> {
        let (above, name) = split(path);
        let version = open(self.root, above).ok()?.version(name);
        version.ok()?.modified
    }

    /// Adds a record to the history, unless it is there already, and makes it durable. The sync is
    /// needed even if the record exists: an earlier run may have been killed before it.
    pub(crate) fn add_record(&self, record: &Record) -> Result<(), WriteFailure> {
        let Some(state) = self.state else {
            return Ok(());
        };
        let history = directory(state)?;
        let named = RecordName::for_record(record);
        if self.read_record(&named)?.is_none() {
            objects::put(&history, &named.name(), &record.encode())?;
        }
        if is_taken(Step::RecordName) {
            history.sync()?;
        }
        Ok(())
    }

    /// Reads a record of the history; `None` if it does not exist or is damaged.
    pub(crate) fn read_record(&self, named: &RecordName) -> Result<Option<Record>, WriteFailure> {
        let Some(state) = self.state else {
            return Ok(None);
        };
        match directory(state)?.read(&named.name(), JOURNAL_BYTES) {
            Ok(bytes) => match Record::decode(&bytes) {
                Ok(record) if named.matches(&record) => Ok(Some(record)),
                Ok(_) | Err(Malformed::Torn | Malformed::Damaged | Malformed::Version) => Ok(None),
            },
            Err(Denied::Failed(Failure::NotFound)) => Ok(None),
            Err(denied) => Err(failure(denied)),
        }
    }

    /// Returns the number of the next operation: one more than the newest record, which is never
    /// pruned, so that numbers ascend and are not used twice in a history. Without a state
    /// directory it is the time in milliseconds, and only serves to name files.
    pub(crate) fn next_id(&self, now_ms: i64) -> Result<u64, Error> {
        if self.state.is_none() {
            return Ok(u64::try_from(now_ms).unwrap_or_default());
        }
        Ok(self.record_names()?.last().map_or(1, |last| last.id + 1))
    }

    /// Lists the operations of the history by the names of their records, oldest first.
    pub(crate) fn record_names(&self) -> Result<Vec<RecordName>, Error> {
        let history = directory(self.state.ok_or(Error::NoHistory)?)?;
        let entries = history.entries().map_err(WriteFailure::from)?.named;
        let named = entries.iter();
        let mut named: Vec<RecordName> = named
            .filter_map(|entry| RecordName::parse(&entry.name))
            .collect();
        named.sort_unstable();
        Ok(named)
    }

    /// Returns true if the history is due for pruning after operation `id`. The interval grows with
    /// the number of operations kept, from 16 operations to 64 for 1 000 records: each pruning
    /// reads all of them, so a fixed interval would make an operation more expensive the longer the
    /// history is.
    pub(crate) fn is_prune_due(&self, id: u64) -> bool {
        if !id.is_multiple_of(PRUNE_EVERY) {
            return false;
        }
        let kept = self.record_names().map_or(0, |named| named.len() as u64);
        let share = kept / PRUNE_SHARE;
        id.is_multiple_of(PRUNE_EVERY.max(share.next_power_of_two()))
    }

    /// Removes what exceeds the limits: first the oldest operations, then the contents that no
    /// remaining operation names.
    ///
    /// The records must be gone durably before the contents go. In the other order a loss of power
    /// could leave a record that names a content which no longer exists: the history would list an
    /// operation that cannot be undone.
    ///
    /// # Errors
    /// [`Error::Disk`]; what could not be removed is removed by a later call.
    pub fn prune(&self, now_ms: i64) -> Result<(), Error> {
        let Some(state) = self.state else {
            return Ok(());
        };
        let (history, objects) = (directory(state)?, objects::directory(state)?);
        let mut named = BTreeSet::new();
        let (mut bytes, mut kept, mut changes) = (0, 0, 0);
        let mut dropped = Vec::new();
        let mut is_certain = true;
        for one in self.record_names()?.into_iter().rev() {
            let Some(record) = self.read_record(&one)? else {
                // The contents that a damaged record names are unknown, so any content that no
                // other record names may be one of them. No content is removed while a record
                // cannot be read.
                is_certain = false;
                continue;
            };
            let own: BTreeSet<ContentHash> = record.objects().collect();
            let size = |hash: &&ContentHash| objects.version(&hash.to_string()).ok();
            let more: u64 = own
                .difference(&named)
                .collect::<Vec<_>>()
                .iter()
                .filter_map(size)
                .map(|version| version.size)
                .sum();
            let is_over = changes >= self.limits.operations
                || kept >= OPERATIONS_PER_CHANGE * self.limits.operations
                || bytes + more > self.limits.bytes
                || now_ms.saturating_sub(record.time_ms) > self.limits.age_ms;
            // The latest operation is never removed, even if it alone exceeds a limit, so that the
            // last change can always be undone; its number also determines the next one. Once an
            // operation is removed, all before it are removed too, so that the history has no gaps.
            if (is_over && kept > 0) || !dropped.is_empty() {
                dropped.push(one);
                continue;
            }
            kept += 1;
            changes += usize::from(record.origin == OperationOrigin::Change);
            bytes += more;
            named.extend(own);
        }
        for one in &dropped {
            remove(&history, &one.name())?;
        }
        if !dropped.is_empty() && is_taken(Step::PrunedNames) {
            history.sync()?;
        }
        if is_certain {
            sweep(&objects, &named)?;
        }
        Ok(())
    }
}

/// Removes the contents that no operation names, and files that a crash left half written. It must
/// only run between operations: an operation in progress keeps its old contents before it has a
/// record, and they would be removed.
fn sweep<T: WriteDirectory>(
    objects: &Writable<T>,
    named: &BTreeSet<ContentHash>,
) -> Result<(), WriteFailure> {
    for entry in objects.entries()?.named {
        let hash = ContentHash::parse(&entry.name);
        if hash.is_none_or(|hash| !named.contains(&hash)) {
            remove(objects, &entry.name)?;
        }
    }
    Ok(())
}

fn directory<T: WriteDirectory>(state: &Writable<T>) -> Result<Writable<T>, WriteFailure> {
    objects::subdirectory(state, "history")
}

/// An operation as identified by the file name of its record:
///
/// ```text
/// 0000000012              a change
/// 0000000013-undo-12      the undo of operation 12
/// 0000000014-redo-13      the redo that takes undo 13 back
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct RecordName {
    /// Number of the operation.
    pub(crate) id: u64,
    /// Operation that it takes back, and the direction. Stored in the name so that a long series of
    /// undos need not be read. `None` for a change, and for an undo of which the name is a number
    /// alone; its record has to be read.
    pub(crate) reverses: Option<(Direction, u64)>,
}

impl RecordName {
    pub(crate) fn for_record(record: &Record) -> Self {
        let reverses = match record.origin {
            OperationOrigin::Change => None,
            OperationOrigin::Undo(other) => Some((Direction::Undo, other)),
            OperationOrigin::Redo(other) => Some((Direction::Redo, other)),
        };
        Self {
            id: record.id,
            reverses,
        }
    }

    fn parse(name: &str) -> Option<Self> {
        let (id, rest) = name.split_once('-').unwrap_or((name, ""));
        let reverses = match rest.split_once('-') {
            Some(("undo", other)) => Some((Direction::Undo, other.parse().ok()?)),
            Some(("redo", other)) => Some((Direction::Redo, other.parse().ok()?)),
            Some(_) => return None,
            None => None,
        };
        let named = Self {
            id: id.parse().ok()?,
            reverses,
        };
        (named.name() == name).then_some(named)
    }

    fn name(self) -> String {
        let id = self.id;
        match self.reverses {
            None => format!("{id:010}"),
            Some((Direction::Undo, other)) => format!("{id:010}-undo-{other}"),
            Some((Direction::Redo, other)) => format!("{id:010}-redo-{other}"),
        }
    }

    /// Returns true if `record` is the one that this name describes. A name that is a number alone
    /// may belong to an undo as well: all records were named so before their names contained the
    /// reversal.
    fn matches(self, record: &Record) -> bool {
        record.id == self.id && (self.reverses.is_none() || Self::for_record(record) == self)
    }
}
