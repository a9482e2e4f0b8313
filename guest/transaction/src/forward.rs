//! What follows the commit point: every target becomes what the journal says, by content alone. It
//! may begin from any state that a crash leaves, and be cut off anywhere.

use std::collections::BTreeSet;

use docent_tree::disk::{Durability, Failure, WriteDirectory, WriteFailure};

use crate::contents::Contents;
use crate::directories::{
    Found, find, holding_directories, holding_files, look, remove, remove_empty, split, sync_all,
};
use crate::journal::Journal;
use crate::objects;
use crate::places::{UNRESOLVED, aside, prepared, restored};
use crate::placing::{Placed, Placing, move_to};
use crate::record::{Action, Conflict, Record};
use crate::step::{Step, is_taken};
use docent_text::content_hash::ContentHash;

/// Whether a failure can still be left to another time.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Attempt {
    /// In the call that committed: a program that holds a file for a moment may soon let it go.
    First,
    /// In a recovery: what is refused again is a conflict, or nothing could ever be written again.
    Again,
}

/// A file of a reserved name that has served, or the only copy of what a conflict keeps.
struct Leftover {
    directory: String,
    name: String,
    conflict: Option<usize>,
}

impl<T: WriteDirectory> Journal<'_, T> {
    /// Brings a committed operation to its end, and its journal into the history. `known` are the
    /// contents of its entries, as far as they are in memory.
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
        let mut paths = holding_files(record);
        paths.append(&mut holding_directories(record));
        let mut durability = Durability::Durable;
        if is_taken(Step::PlacedNames) {
            // All of them, not those that were touched: a killed process may have touched the rest.
            durability = sync_all(self.root, paths)?;
        }
        self.keep_conflicts(record, &leftovers)?;
        self.remember(record)?;
        // The record first: it says what was kept, and what recovery would not find any more.
        self.clear(&leftovers)?;
        self.remove_journal()?;
        Ok(durability)
    }

    /// Brings an operation to its end that the history knows already.
    pub(crate) fn close(&self, record: &Record) -> Result<(), WriteFailure> {
        self.remember(record)?;
        let mut leftovers = Vec::new();
        for index in 0..record.entries.len() {
            leftovers.extend(self.leftovers(record, index)?);
        }
        self.clear(&leftovers)?;
        if is_taken(Step::LeftoverNames) {
            // A killed process may have removed some of them, so that they are not found here.
            sync_all(self.root, holding_files(record))?;
        }
        self.remove_journal()
    }

    /// Does what an entry says. In a conflict it returns what stands there, and what was moved
    /// aside is back in its place.
    fn settle(
        &self,
        record: &Record,
        index: usize,
        known: &Contents,
        attempt: Attempt,
    ) -> Result<Option<Option<ContentHash>>, WriteFailure> {
        let found = match self.place(record, index, known) {
            Ok(Placed::Done) => return Ok(None),
            Ok(Placed::Conflict(found)) => found,
            Err(failure) if attempt == Attempt::Again && is_refusal(failure) => {
                self.standing(record, index, known)?
            }
            Err(failure) => return Err(failure),
        };
        let Some(entry) = record.entries.get(index) else {
            return Ok(None);
        };
        let (above, name) = split(entry.action.path());
        if let Some(directory) = find(self.root, above)? {
            let names = (prepared(record, index), aside(record, index));
            let source = Placing {
                directory: &directory,
                name,
                prepared: &names.0,
                aside: &names.1,
                known,
            };
            match source.take_back() {
                Err(failure) if !is_refusal(failure) => return Err(failure),
                // Where it cannot go back, it is kept as what stood in the way.
                _ => {}
            }
        }
        Ok(Some(found))
    }

    /// Returns what stands where an entry begins.
    fn standing(
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
            Ok(Some(directory)) => match look(&directory, name, known) {
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
    ) -> Result<Placed, WriteFailure> {
        let Some(entry) = record.entries.get(index) else {
            return Ok(Placed::Done);
        };
        let (above, name) = split(entry.action.path());
        let names = (prepared(record, index), aside(record, index));
        let directory = find(self.root, above)?;
        let source = directory.as_deref().map(|directory| Placing {
            directory,
            name,
            prepared: &names.0,
            aside: &names.1,
            known,
        });
        match (&entry.action, source) {
            (Action::Set { old, new, .. }, Some(source)) => source.set(*old, *new),
            (Action::New { new, .. }, Some(source)) => source.make(*new),
            (Action::Delete { old, .. }, Some(source)) => source.delete(*old),
            // The directory went with all that was in it.
            (Action::Delete { .. }, None) => Ok(Placed::Done),
            (Action::Set { .. } | Action::New { .. }, None) => Ok(Placed::Conflict(None)),
            (Action::Move { to, old, new, .. }, source) => {
                let (above, name) = split(to);
                let Some(directory) = find(self.root, above)? else {
                    return Ok(Placed::Conflict(None));
                };
                let target = Placing {
                    directory: &directory,
                    name,
                    prepared: &names.0,
                    aside: &names.1,
                    known,
                };
                move_to(source.as_ref(), &target, *old, *new)
            }
        }
    }

    /// Returns the files of reserved names that an entry leaves.
    fn leftovers(&self, record: &Record, index: usize) -> Result<Vec<Leftover>, WriteFailure> {
        let mut leftovers = Vec::new();
        let Some(entry) = record.entries.get(index) else {
            return Ok(leftovers);
        };
        let action = &entry.action;
        let target = action.destination().unwrap_or(action.path());
        let conflict = record.is_in_conflict(index).then_some(index);
        for (path, name) in [
            (target, prepared(record, index)),
            (action.path(), aside(record, index)),
            (action.path(), restored(record, index)),
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

    /// Keeps what would go with the leftovers of conflicts. Without a state directory these stay
    /// where they are, and so does a journal that tells what they are.
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
        let mut keeper = objects::Keeper::new(&objects);
        for leftover in leftovers {
            let Some(entry) = leftover.conflict else {
                continue;
            };
            let Some(directory) = find(self.root, &leftover.directory)? else {
                continue;
            };
            let found = look(&directory, &leftover.name, Contents::UNKNOWN)?;
            let Found::File { content, .. } = found else {
                continue;
            };
            keeper.add(&content)?;
            let noted = record.conflicts.iter_mut().filter(|c| c.entry == entry);
            noted.for_each(|conflict| conflict.kept.push(content.hash()));
        }
        keeper.finish(Step::ConflictNames)
    }

    /// Removes what is left over, but for what nothing else keeps.
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
            // Else it might come back, and take what people write meanwhile for a conflict. Where
            // there is a history, that tells it is done with.
            home.directory.sync()?;
        }
        Ok(())
    }
}

/// Whether it is this file that cannot be written, rather than the disk.
pub(crate) fn is_refusal(failure: WriteFailure) -> bool {
    matches!(
        failure,
        WriteFailure::Permission | WriteFailure::MountPoint | WriteFailure::WrongKind
    )
}
