//! What is done before the first read and the first write of a root: an operation that was cut off
//! is brought to its end, or leaves nothing.

use docent_tree::disk::{Failure, WriteDirectory, WriteFailure};
use docent_tree::door::Denied;

use crate::directories::{
    failure, find, holding_directories, holding_files, remove, remove_empty, split, sync_all,
};
use crate::error::Error;
use crate::forward::Attempt;
use crate::history::Named;
use crate::journal::Journal;
use crate::limits::JOURNAL_BYTES;
use crate::places::{prepared, restored};
use crate::record::{Malformed, Record, is_hidden};
use crate::step::{Step, is_taken};

/// What recovery found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recovered {
    /// An operation that was committed, and is now done.
    pub rolled_forward: Option<Record>,
    /// Whether there was one that was not.
    pub rolled_back: bool,
}

impl<T: WriteDirectory> Journal<'_, T> {
    /// Finishes what a crash has left; a few looks where there is nothing.
    ///
    /// # Errors
    /// [`Error::DamagedJournal`] for a committed journal that cannot be read; it is left alone, and
    /// nothing is written as long as it is there. [`Error::Disk`] when the disk refuses: what is
    /// left is done the next time.
    pub fn recover(&self) -> Result<Recovered, Error> {
        let mut recovered = Recovered::default();
        if self.state.is_some() {
            // What a host without a state directory has left. What is no such journal is a file
            // that came with the tree, and is nobody's business here.
            recovered = match Journal::new(self.root, None).recover_here() {
                Err(Error::DamagedJournal) => Recovered::default(),
                recovered => recovered?,
            };
        }
        let here = self.recover_here()?;
        Ok(Recovered {
            rolled_forward: here.rolled_forward.or(recovered.rolled_forward),
            rolled_back: here.rolled_back || recovered.rolled_back,
        })
    }

    fn recover_here(&self) -> Result<Recovered, Error> {
        let home = self.home();
        let mut recovered = Recovered::default();
        match self.journal(home.committed)? {
            None => {}
            Some(Ok(mut record)) => {
                if is_taken(Step::CommitFound) {
                    // The process may have been killed before it was durable; nothing may be done
                    // that relies on it until it is.
                    home.directory.sync()?;
                }
                match self.remembered(&Named::of(&record))? {
                    Some(remembered) => {
                        self.close(&remembered)?;
                        record = remembered;
                    }
                    None => {
                        self.roll_forward(&mut record, &[], Attempt::Again)?;
                    }
                }
                // The commit that was cut off may have been the one that was to look.
                let _ = self.prune(record.time_ms);
                recovered.rolled_forward = Some(record);
            }
            // On a host that cannot move without replacing, a crash may leave the name without the
            // content, which is then still under the other one.
            Some(Err(Malformed::Torn)) if self.journal(home.prepared)?.is_some() => {
                self.remove_placeholder()?;
            }
            Some(Err(_)) => return Err(Error::DamagedJournal),
        }
        match self.journal(home.prepared)? {
            None => {}
            Some(Ok(record)) => {
                self.roll_back(&record)?;
                recovered.rolled_back = true;
            }
            // It was cut off before it was whole, so there is nothing yet that it could name.
            Some(Err(_)) => {
                remove(home.directory, home.prepared)?;
                recovered.rolled_back = true;
            }
        }
        Ok(recovered)
    }

    /// Removes all that was prepared for an operation that was not committed.
    pub(crate) fn roll_back(&self, record: &Record) -> Result<(), WriteFailure> {
        self.remove_placeholder()?;
        for (index, entry) in record.entries.iter().enumerate() {
            let target = entry.action.destination().unwrap_or(entry.action.path());
            if let Some(directory) = find(self.root, split(target).0)? {
                remove(&directory, &prepared(record, index))?;
            }
            if let Some(directory) = find(self.root, split(entry.action.path()).0)? {
                remove(&directory, &restored(record, index))?;
            }
        }
        remove_empty(self.root, record.made.iter().rev())?;
        if is_taken(Step::RolledBackNames) {
            let mut paths = holding_files(record);
            paths.append(&mut holding_directories(record));
            sync_all(self.root, paths)?;
        }
        let home = self.home();
        remove(home.directory, home.prepared)
    }

    /// Removes what a commit that was cut off has put under the name of committed journals, while
    /// the journal itself still has the other name.
    fn remove_placeholder(&self) -> Result<(), WriteFailure> {
        let home = self.home();
        match home.directory.version(home.committed) {
            Err(Failure::NotFound) => return Ok(()),
            Err(failure) => return Err(failure.into()),
            Ok(_) => remove(home.directory, home.committed)?,
        }
        if is_taken(Step::PlaceholderGone) {
            home.directory.sync()?;
        }
        Ok(())
    }

    fn journal(&self, name: &str) -> Result<Option<Result<Record, Malformed>>, WriteFailure> {
        let home = self.home();
        // A look first: most of the time there is none, and to try to open it costs more.
        match home.directory.version(name) {
            Ok(_) => {}
            Err(Failure::NotFound) => return Ok(None),
            Err(failure) => return Err(failure.into()),
        }
        match home.directory.read(name, JOURNAL_BYTES) {
            Ok(bytes) => Ok(Some(Record::decode(&bytes).and_then(|record| {
                // In a root anyone may have put it there, with a tree that was fetched: it must not
                // lead to where files are run, such as `.git/hooks`.
                let is_trusted = self.state.is_some() || !record.paths().any(is_hidden);
                is_trusted.then_some(record).ok_or(Malformed::Damaged)
            }))),
            Err(Denied::Failed(Failure::NotFound)) => Ok(None),
            Err(Denied::Failed(Failure::TooLarge)) => Ok(Some(Err(Malformed::Damaged))),
            Err(denied) => Err(failure(denied)),
        }
    }
}
