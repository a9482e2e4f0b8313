//! Recovery, before the first read and the first write of a root: an interrupted operation is
//! completed if it was committed, and otherwise removed without a trace.
//!
//! ```text
//! committed: whole                     roll forward, and prune the history
//! committed: torn, beside `prepared`   the empty placeholder of a commit: remove it
//! committed: otherwise                 report `DamagedJournal`, and stop
//! prepared:  whole                     roll back
//! prepared:  otherwise                 remove the journal
//! ```
//!
//! Recovery cannot distinguish an interrupted write from one that another process is performing. It
//! relies on the lock of the host, which a write holds from before it first reads a journal.

use docent_tree::disk::{Failure, WriteDirectory, WriteFailure};
use docent_tree::door::Denied;

use crate::directories::{
    failure, find, parents_of_directories, parents_of_files, remove, remove_empty, split, sync_all,
};
use crate::error::Error;
use crate::history::RecordName;
use crate::journal::Journal;
use crate::limits::JOURNAL_BYTES;
use crate::record::{Malformed, Record, is_hidden};
use crate::reserved::{prepared_name, restored_name};
use crate::roll_forward::Attempt;
use crate::step::{Step, is_taken};

/// The outcome of a recovery.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RecoveryOutcome {
    /// Operation that was committed, and is now complete.
    pub rolled_forward: Option<Record>,
    /// True if an operation that was not committed was removed.
    pub rolled_back: bool,
}

impl<T: WriteDirectory> Journal<'_, T> {
    /// Completes or removes what a crash has left. Costs a few lookups where there is nothing.
    ///
    /// # Errors
    /// [`Error::DamagedJournal`] for a committed journal that cannot be read; it is left alone, and
    /// nothing is written while it is there. [`Error::Disk`] when the disk fails; the next recovery
    /// does the rest.
    pub fn recover(&self) -> Result<RecoveryOutcome, Error> {
        let mut recovered = RecoveryOutcome::default();
        if self.state.is_some() {
            // A host without a state directory may have left a journal in the root, which this host
            // would never complete otherwise. A file there that is not a valid journal came with
            // the tree. It is ignored, since downloading a tree must not stop all writing to it.
            recovered = match Journal::new(self.root, None).recover_here() {
                Err(Error::DamagedJournal) => RecoveryOutcome::default(),
                recovered => recovered?,
            };
        }
        let here = self.recover_here()?;
        Ok(RecoveryOutcome {
            rolled_forward: here.rolled_forward.or(recovered.rolled_forward),
            rolled_back: here.rolled_back || recovered.rolled_back,
        })
    }

    fn recover_here(&self) -> Result<RecoveryOutcome, Error> {
        let home = self.home();
        let mut recovered = RecoveryOutcome::default();
        match self.journal(home.committed)? {
            None => {}
            Some(Ok(mut record)) => {
                if is_taken(Step::CommitFound) {
                    // The process may have been killed between the rename and its sync. Without the
                    // sync, a loss of power during this recovery could bring the name `prepared`
                    // back while some targets have their new content, and the next recovery would
                    // roll back and remove the prepared files of the others.
                    home.directory.sync()?;
                }
                match self.read_record(&RecordName::for_record(&record))? {
                    Some(remembered) => {
                        self.close(&remembered)?;
                        record = remembered;
                    }
                    None => {
                        self.roll_forward(&mut record, &[], Attempt::Again)?;
                    }
                }
                // The interrupted call may have been due to prune, by its number or by the size of
                // the contents that it kept. Without this, nothing would be pruned until the next
                // call that is due.
                let _ = self.prune(record.time_ms);
                recovered.rolled_forward = Some(record);
            }
            // A host that cannot rename without replacing claims the name `committed` with an empty
            // file, and then renames the journal over it. A crash between the two leaves both, and
            // the operation is not committed. An empty file is the shortest beginning of a journal,
            // so it is torn and not damaged.
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
            // A later version of docent has prepared it. The files that it names stay in the tree
            // with reserved names if only the journal is removed, so the later version has to
            // recover first.
            Some(Err(Malformed::Version)) => return Err(Error::DamagedJournal),
            // The journal was cut off before it was complete. It is synced before any file that it
            // names is created, so no such file exists. In a root, this also removes a journal with
            // hidden paths that came with a tree, without a change to the paths that it names.
            Some(Err(_)) => {
                remove(home.directory, home.prepared)?;
                recovered.rolled_back = true;
            }
        }
        Ok(recovered)
    }

    /// Removes everything that was prepared for an operation that was not committed.
    ///
    /// The journal is removed last, because it names the other files, and without a sync: if its
    /// removal is lost in a crash, the next recovery only has to remove the journal again. The
    /// removals before it are synced. Without that a prepared file could come back after a loss of
    /// power, while the journal that names it does not.
    pub(crate) fn roll_back(&self, record: &Record) -> Result<(), WriteFailure> {
        self.remove_placeholder()?;
        for (index, entry) in record.entries.iter().enumerate() {
            let target = entry.action.destination().unwrap_or(entry.action.path());
            if let Some(directory) = find(self.root, split(target).0)? {
                remove(&directory, &prepared_name(record, index))?;
            }
            if let Some(directory) = find(self.root, split(entry.action.path()).0)? {
                remove(&directory, &restored_name(record, index))?;
            }
        }
        remove_empty(self.root, record.made.iter().rev())?;
        if is_taken(Step::RolledBackNames) {
            let mut paths = parents_of_files(record);
            paths.append(&mut parents_of_directories(record));
            sync_all(self.root, paths)?;
        }
        let home = self.home();
        remove(home.directory, home.prepared)
    }

    /// Removes the placeholder that an interrupted commit has put under the name of committed
    /// journals, while the journal itself still has its first name.
    ///
    /// The removal is synced before the journal is removed. If a loss of power brought the
    /// placeholder back without a prepared journal beside it, it would be a damaged journal, which
    /// stops all writing to the root until a person removes it.
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
        // The status is requested first: mostly there is no journal, and to learn that by opening a
        // file costs more.
        match home.directory.version(name) {
            Ok(_) => {}
            Err(Failure::NotFound) => return Ok(None),
            Err(failure) => return Err(failure.into()),
        }
        match home.directory.read(name, JOURNAL_BYTES) {
            Ok(bytes) => Ok(Some(Record::decode(&bytes).and_then(|record| {
                // Anyone may have put a journal into a root, with a tree that was downloaded. Its
                // author knows the hashes of the files in that tree, so its journal could move one
                // of them, `a.sh`, to a path at which it is executed, `.git/hooks/pre-commit`.
                let is_trusted = self.state.is_some() || !record.paths().any(is_hidden);
                is_trusted.then_some(record).ok_or(Malformed::Damaged)
            }))),
            Err(Denied::Failed(Failure::NotFound)) => Ok(None),
            Err(Denied::Failed(Failure::TooLarge)) => Ok(Some(Err(Malformed::Damaged))),
            Err(denied) => Err(failure(denied)),
        }
    }
}
