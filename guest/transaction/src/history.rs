//! What was done, newest first, as long as it can be undone.

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
use crate::places::UNRESOLVED;
use crate::record::{Malformed, Origin, Record};
use crate::step::{Step, is_taken};
use crate::undo::Direction;
use docent_text::content_hash::{Content, ContentHash};

/// An operation as the history lists it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Operation {
    /// What it did.
    pub record: Record,
    /// Whether a later operation took it back, and was not taken back itself.
    pub is_undone: bool,
}

/// A part of the history.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Page {
    /// The operations, newest first.
    pub operations: Vec<Operation>,
    /// Where the next page begins; none where there is none.
    pub next: Option<u64>,
    /// The numbers of operations of this page whose record cannot be read.
    pub damaged: Vec<u64>,
}

impl<T: WriteDirectory> Journal<'_, T> {
    /// Returns up to `limit` operations before number `before`, or the newest.
    ///
    /// # Errors
    /// [`Error::NoHistory`] without a state directory; [`Error::Disk`].
    pub fn history(&self, before: Option<u64>, limit: usize) -> Result<Page, Error> {
        let mut page = Page::default();
        let mut undone = BTreeSet::new();
        for named in self.named()?.into_iter().rev() {
            let id = named.id;
            // Those that come before the page say what is undone, by their names or by themselves.
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
            let Some(record) = self.remembered(&named)? else {
                if is_shown {
                    page.damaged.push(id);
                }
                continue;
            };
            let is_undone = undone.contains(&id);
            if let Origin::Undo(other) | Origin::Redo(other) = record.origin
                && !is_undone
            {
                undone.insert(other);
            }
            if is_shown {
                page.operations.push(Operation { record, is_undone });
            }
        }
        Ok(page)
    }

    /// Returns the operations that met a conflict after their commit point, newest first, as far as
    /// the history goes. Without a state directory those whose journals stand in the root.
    ///
    /// # Errors
    /// [`Error::Disk`].
    pub fn unresolved(&self) -> Result<Vec<Record>, Error> {
        let mut unresolved = Vec::new();
        if self.state.is_some() {
            for named in self.named()?.into_iter().rev() {
                let record = self.remembered(&named)?;
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
        unresolved.sort_unstable_by_key(|record| std::cmp::Reverse(record.id));
        Ok(unresolved)
    }

    /// Returns how many bytes of old contents are kept.
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

    /// Returns a content that an operation replaced or a conflict kept; none where it is not kept
    /// any more.
    ///
    /// # Errors
    /// [`Error::NoHistory`] without a state directory; [`Error::Disk`].
    pub fn kept(&self, hash: ContentHash) -> Result<Option<Content>, Error> {
        let state = self.state.ok_or(Error::NoHistory)?;
        Ok(objects::read(&objects::directory(state)?, hash)?)
    }

    /// Returns what a file holds; none where that cannot be read.
    #[must_use]
    pub fn present(&self, path: &RelPath) -> Option<Vec<u8>> {
        let (above, name) = split(path);
        open(self.root, above).ok()?.read(name, FILE_BYTES).ok()
    }

    /// Returns when the content of a file last changed; none where that is not known.
    #[must_use]
    pub fn modified(&self, path: &RelPath) -> Option<Moment> {
        let (above, name) = split(path);
        let version = open(self.root, above).ok()?.version(name);
        version.ok()?.modified
    }

    /// Puts a record into the history, if it is not there, and makes sure that it stays.
    pub(crate) fn remember(&self, record: &Record) -> Result<(), WriteFailure> {
        let Some(state) = self.state else {
            return Ok(());
        };
        let history = directory(state)?;
        let named = Named::of(record);
        if self.remembered(&named)?.is_none() {
            objects::put(&history, &named.name(), &record.encode())?;
        }
        if is_taken(Step::RecordName) {
            history.sync()?;
        }
        Ok(())
    }

    /// Returns a record of the history; none where there is none that can be read.
    pub(crate) fn remembered(&self, named: &Named) -> Result<Option<Record>, WriteFailure> {
        let Some(state) = self.state else {
            return Ok(None);
        };
        match directory(state)?.read(&named.name(), JOURNAL_BYTES) {
            Ok(bytes) => match Record::decode(&bytes) {
                Ok(record) if named.is_of(&record) => Ok(Some(record)),
                Ok(_) | Err(Malformed::Torn | Malformed::Damaged | Malformed::Version) => Ok(None),
            },
            Err(Denied::Failed(Failure::NotFound)) => Ok(None),
            Err(denied) => Err(failure(denied)),
        }
    }

    /// Returns a number that no operation has.
    pub(crate) fn next_id(&self, now_ms: i64) -> Result<u64, Error> {
        if self.state.is_none() {
            return Ok(u64::try_from(now_ms).unwrap_or_default());
        }
        Ok(self.named()?.last().map_or(1, |last| last.id + 1))
    }

    /// Returns the operations in the history by the names of their records, in their order.
    pub(crate) fn named(&self) -> Result<Vec<Named>, Error> {
        let history = directory(self.state.ok_or(Error::NoHistory)?)?;
        let entries = history.entries().map_err(WriteFailure::from)?.named;
        let named = entries.iter();
        let mut named: Vec<Named> = named
            .filter_map(|entry| Named::parse(&entry.name))
            .collect();
        named.sort_unstable();
        Ok(named)
    }

    /// Whether history is to be looked at behind the operation of this number: the more there is,
    /// the more seldom, so that looking takes as much of each operation however many there are.
    pub(crate) fn is_look_due(&self, id: u64) -> bool {
        if !id.is_multiple_of(PRUNE_EVERY) {
            return false;
        }
        let kept = self.named().map_or(0, |named| named.len() as u64);
        let share = kept / PRUNE_SHARE;
        id.is_multiple_of(PRUNE_EVERY.max(share.next_power_of_two()))
    }

    /// Removes what is over the limits: first the oldest operations, then the contents that no
    /// other one names.
    ///
    /// # Errors
    /// [`Error::Disk`]; what is left is removed another time.
    pub fn prune(&self, now_ms: i64) -> Result<(), Error> {
        let Some(state) = self.state else {
            return Ok(());
        };
        let (history, objects) = (directory(state)?, objects::directory(state)?);
        let mut named = BTreeSet::new();
        let (mut bytes, mut kept, mut changes) = (0, 0, 0);
        let mut dropped = Vec::new();
        let mut is_certain = true;
        for one in self.named()?.into_iter().rev() {
            let Some(record) = self.remembered(&one)? else {
                // What it names is not known, so nothing can be called garbage.
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
            // Never the latest; and once one goes, all before it go.
            if (is_over && kept > 0) || !dropped.is_empty() {
                dropped.push(one);
                continue;
            }
            kept += 1;
            changes += usize::from(record.origin == Origin::Change);
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

/// Removes the contents that no operation names. Only between operations: one that is under way
/// keeps contents before it has a record.
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
    objects::part(state, "history")
}

/// An operation as the name of its record tells of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Named {
    /// Its number.
    pub(crate) id: u64,
    /// What it takes back and in which direction, so that a long row of such operations need not be
    /// read; none where the record has to be read for that.
    pub(crate) reverses: Option<(Direction, u64)>,
}

impl Named {
    pub(crate) fn of(record: &Record) -> Self {
        let reverses = match record.origin {
            Origin::Change => None,
            Origin::Undo(other) => Some((Direction::Undo, other)),
            Origin::Redo(other) => Some((Direction::Redo, other)),
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

    /// Whether the record is the one that the name tells of.
    fn is_of(self, record: &Record) -> bool {
        record.id == self.id && (self.reverses.is_none() || Self::of(record) == self)
    }
}
