//! The steps up to the commit point, at which the journal is renamed.
//!
//! ```text
//! read all targets, keep their old contents       objects/HASH
//! write the journal under its first name          prepared
//! create directories, write the new contents      .docent-set-12-19b7ca98c88-0.tmp
//! read all targets again
//! rename the journal: the commit point            committed
//! ```
//!
//! A crash before the rename leaves a journal that names every file created since, so recovery
//! removes them. A crash after it leaves the new contents complete and durable beside their
//! targets, so recovery can put them in place. An error before the rename rolls back at once.

use std::collections::BTreeSet;

use docent_tree::disk::{Durability, Failure, Kind, NewFile, WriteDirectory, WriteFailure};
use docent_tree::path::RelPath;
use docent_tree::reserved::is_reserved;
use docent_tree::write::Created;

use crate::contents::Contents;
use crate::directories::{
    EntryState, find, open, parents_of_directories, parents_of_files, read_entry, split, sync_all,
};
use crate::error::Error;
use crate::journal::{Change, CommitOutcome, Draft, Expected, FileOperation, Journal};
use crate::limits::{
    FILES, NOTE_BYTES, OPEN_FILES, PREPARED_JOURNAL_BYTES, PRUNE_BYTES, TRANSACTION_BYTES,
};
use crate::objects;
use crate::record::{Action, Record, RecordedChange, is_hidden};
use crate::reserved::prepared_name;
use crate::roll_forward::{Attempt, is_refusal};
use crate::step::{Step, is_taken};
use docent_text::content_hash::{ContentHash, HashedContent};

/// The record of a transaction that is not committed yet, and the contents of its entries by index.
/// A deletion has no new content, and a new file no old one.
struct TransactionPlan {
    record: Record,
    contents: Vec<Contents>,
    kept_bytes: usize,
}

impl<T: WriteDirectory> Journal<'_, T> {
    pub(crate) fn write(&self, draft: Draft) -> Result<CommitOutcome, Error> {
        self.check_request(&draft.changes)?;
        self.recover()?;
        let mut plan = self.plan(draft)?;
        if plan.record.entries.is_empty() {
            return Err(Error::NothingChanges);
        }
        plan.record.made = self.missing_directories(&plan.record)?;
        // The journal is written before anything in the tree, and names everything that is created
        // after it. So from here on every failure, including one while the journal itself is
        // written, is rolled back by the same record that recovery would read.
        let prepared = self.prepare(&plan);
        let durability = match prepared.and_then(|durability| {
            self.check_and_commit(&plan)?;
            Ok(durability)
        }) {
            Ok(durability) => durability,
            Err(error) => {
                // A failure of the rollback is left to the next recovery: the journal is removed
                // last, so it still exists. The caller gets the first error, which is the cause:
                // on a full disk, `NoSpace`, and not the failure that came after it.
                let _ = self.roll_back(&plan.record);
                return Err(error);
            }
        };
        self.finish(plan, durability)
    }

    /// Refuses requests that can be refused without access to the disk.
    ///
    /// A path may occur once in a request, as a source or as a destination. With `a.md` deleted and
    /// created again, or `a.md` and `b.md` exchanged by two moves, the state of a path would depend
    /// on how many entries were already carried out. Recovery determines that from the content of a
    /// path alone, so each path must have one old and one new state.
    fn check_request(&self, changes: &[Change]) -> Result<(), Error> {
        if changes.is_empty() {
            return Err(Error::NothingChanges);
        }
        if changes.len() > FILES {
            return Err(Error::TooManyFiles(changes.len()));
        }
        let mut named = BTreeSet::new();
        let mut bytes = 0;
        for Change { operation, .. } in changes {
            let (path, to, content) = match operation {
                FileOperation::Set { path, content, .. } | FileOperation::New { path, content } => {
                    (path, None, Some(content))
                }
                FileOperation::Delete { path, .. } => (path, None, None),
                FileOperation::Move {
                    path, to, content, ..
                } => (path, Some(to), content.as_ref()),
            };
            bytes += content.map_or(0, |content| content.bytes().len());
            for path in std::iter::once(path).chain(to) {
                if path.as_str().is_empty() || path.segments().any(is_reserved) {
                    return Err(Error::Unwritable(path.clone()));
                }
                // `Writable` refuses a sensitive name as well, but only at the step that uses the
                // name. For `n/x.pem` in a directory that does not exist yet, that is the rename
                // after the commit point, when other files of the request may be replaced already.
                if !self.root.admits(path) {
                    return Err(Error::Sensitive(path.clone()));
                }
                if self.state.is_none() && is_hidden(path) {
                    return Err(Error::Hidden(path.clone()));
                }
                if !named.insert(path.as_str()) {
                    return Err(Error::NamedTwice(path.clone()));
                }
            }
        }
        if bytes > TRANSACTION_BYTES {
            return Err(Error::TooLarge(bytes as u64, TRANSACTION_BYTES as u64));
        }
        Ok(())
    }

    /// Reads all targets for the first time, and keeps their old contents.
    ///
    /// The contents must be kept, durably, before the journal is committed. After the commit the
    /// targets are replaced, and an operation whose old content was lost in a crash would be listed
    /// in the history but could not be undone.
    fn plan(&self, draft: Draft) -> Result<TransactionPlan, Error> {
        let mut plan = TransactionPlan {
            record: Record {
                id: self.next_id(draft.now_ms)?,
                time_ms: draft.now_ms,
                tool: cut(draft.tool),
                note: cut(draft.note),
                origin: draft.origin,
                entries: Vec::new(),
                made: Vec::new(),
                removed: draft.removed,
                conflicts: Vec::new(),
            },
            contents: Vec::new(),
            kept_bytes: 0,
        };
        let objects = self.state.map(objects::directory).transpose()?;
        let mut writer = objects.as_ref().map(objects::ObjectWriter::new);
        for Change { operation, lines } in draft.changes {
            let (action, contents) = self.resolve(operation)?;
            self.expect_movable(&action)?;
            if let Some(old) = &contents.old {
                plan.kept_bytes += old.bytes().len();
                self.keep(writer.as_mut(), old, plan.kept_bytes)?;
            }
            let changes = action.old_hash() != action.new_hash() || action.destination().is_some();
            if action.old_hash().is_some() && action.old_hash() != action.new_hash() {
                self.expect_writable(action.path())?;
            }
            if changes {
                plan.record.entries.push(RecordedChange { action, lines });
                plan.contents.push(contents);
            }
        }
        if let Some(writer) = writer {
            writer.finish(Step::ObjectNames)?;
        }
        Ok(plan)
    }

    fn keep(
        &self,
        writer: Option<&mut objects::ObjectWriter<'_, T>>,
        content: &HashedContent,
        total: usize,
    ) -> Result<(), Error> {
        let Some(writer) = writer else {
            return Ok(());
        };
        let total = u64::try_from(total).unwrap_or(u64::MAX);
        if total > self.limits.bytes {
            return Err(Error::TooLarge(total, self.limits.bytes));
        }
        Ok(writer.add(content)?)
    }

    /// Checks an operation against the disk, and returns its action and contents.
    fn resolve(&self, operation: FileOperation) -> Result<(Action, Contents), Error> {
        let (path, to, expected, content) = match operation {
            FileOperation::New { path, content } => {
                self.expect_nothing(&path)?;
                let new = content.hash();
                let contents = Contents {
                    old: None,
                    new: Some(content),
                };
                return Ok((Action::New { path, new }, contents));
            }
            FileOperation::Delete { path, expected } => (path, None, expected, None),
            FileOperation::Set {
                path,
                expected,
                content,
            } => (path, None, expected, Some(content)),
            FileOperation::Move {
                path,
                to,
                expected,
                content,
            } => (path, Some(to), expected, content),
        };
        let held = self.expect(&path, expected)?;
        let old = held.hash();
        let (action, new) = match (to, content) {
            (None, None) => (Action::Delete { path, old }, None),
            (None, Some(content)) => {
                let new = content.hash();
                (Action::Set { path, old, new }, Some(content))
            }
            (Some(to), content) => {
                self.expect_nothing(&to)?;
                let content = content.unwrap_or_else(|| held.clone());
                let new = content.hash();
                (Action::Move { path, to, old, new }, Some(content))
            }
        };
        let contents = Contents {
            old: Some(held),
            new,
        };
        Ok((action, contents))
    }

    /// Returns the content of a file, which must be the expected one.
    fn expect(&self, path: &RelPath, expected: Expected) -> Result<HashedContent, Error> {
        match expected {
            Expected::Hash(hash) => self.expect_content(path, hash, Contents::UNKNOWN),
            Expected::Content(content) => {
                let hash = content.hash();
                let known = Contents {
                    old: Some(content),
                    new: None,
                };
                self.expect_content(path, hash, &known)
            }
        }
    }

    /// Returns the content of a file, which must have the hash `expected`. `known` holds the
    /// contents that it is likely to have.
    fn expect_content(
        &self,
        path: &RelPath,
        expected: ContentHash,
        known: &Contents,
    ) -> Result<HashedContent, Error> {
        let (above, name) = split(path);
        let directory = open(self.root, above).map_err(|failure| match failure {
            WriteFailure::Permission => Error::Sensitive(path.clone()),
            WriteFailure::NotFound | WriteFailure::WrongKind => Error::NotFound(path.clone()),
            failure => Error::at(path)(failure),
        })?;
        match read_entry(&directory, name, known).map_err(|failure| refusal(path, failure))? {
            EntryState::File { version, .. } if version.links > 1 => Err(Error::HardLinks {
                path: path.clone(),
                links: version.links,
            }),
            EntryState::File { content, .. } if content.hash() == expected => Ok(content),
            EntryState::File { content, .. } => Err(Error::Conflict {
                path: path.clone(),
                expected,
                found: Some(content.hash()),
            }),
            EntryState::Other => Err(Error::NotAFile(path.clone())),
            EntryState::Absent => Err(Error::NotFound(path.clone())),
        }
    }

    /// Refuses a file that may not be written, by its mode or its owner.
    ///
    /// A rename would replace a file of mode 0444 all the same, because rename(2) needs write
    /// permission only for the directory. But whoever removed the permission to write intended to
    /// protect the content. `sed -i` and `git apply` replace such a file; `vim` refuses without
    /// `!`, and `rm` asks first. A caller of this crate has nobody to ask.
    fn expect_writable(&self, path: &RelPath) -> Result<(), Error> {
        let (above, name) = split(path);
        match open(self.root, above).and_then(|directory| directory.may_write(name)) {
            Err(WriteFailure::Permission) => Err(Error::Protected(path.clone())),
            asked => asked.map_err(Error::at(path)),
        }
    }

    /// Refuses names that can be prepared but not renamed.
    ///
    /// To create a file beside another needs fewer rights than to rename over it. In a directory
    /// with the sticky bit only the owner of a file or of the directory may rename it (rename(2)),
    /// in an append-only directory nobody may, and a file may be immutable (chattr(1)). All three
    /// would let the steps up to the commit point succeed, and fail the first rename after it.
    fn expect_movable(&self, action: &Action) -> Result<(), Error> {
        for path in std::iter::once(action.path()).chain(action.destination()) {
            let (above, name) = split(path);
            let Some(directory) = find(self.root, above).map_err(Error::at(path))? else {
                // The directory does not exist yet. This transaction creates it, and so owns it.
                continue;
            };
            match directory.may_move(name) {
                Err(WriteFailure::Permission) => return Err(Error::Fixed(path.clone())),
                asked => asked.map_err(Error::at(path))?,
            }
        }
        Ok(())
    }

    fn expect_nothing(&self, path: &RelPath) -> Result<(), Error> {
        let (above, name) = split(path);
        let Some(directory) = find(self.root, above).map_err(|failure| refusal(path, failure))?
        else {
            return Ok(());
        };
        match directory.version(name) {
            Err(Failure::NotFound) => Ok(()),
            Ok(_) | Err(Failure::Symlink | Failure::WrongKind | Failure::MountPoint) => {
                Err(Error::Exists(path.clone()))
            }
            Err(failure) => Err(Error::at(path)(failure.into())),
        }
    }

    /// Returns the directories that have to be created for new files, outermost first. They are
    /// determined before the journal is written, so that it can name them: the rollback, and later
    /// an undo, remove the directories that the operation created, but not an empty directory that
    /// existed before it.
    fn missing_directories(&self, record: &Record) -> Result<Vec<RelPath>, Error> {
        let mut missing: Vec<RelPath> = Vec::new();
        let mut known = BTreeSet::new();
        for RecordedChange { action, .. } in &record.entries {
            let path = match action {
                Action::New { path, .. } => path,
                Action::Move { to, .. } => to,
                Action::Set { .. } | Action::Delete { .. } => continue,
            };
            let mut above = RelPath::default();
            for name in RelPath::segments(path)
                .rev()
                .skip(1)
                .collect::<Vec<_>>()
                .iter()
                .rev()
            {
                let parent = above.clone();
                above.push(name);
                if known.contains(above.as_str()) {
                    continue;
                }
                let is_missing = known.contains(parent.as_str())
                    || match open(self.root, parent.as_str())
                        .map_err(|failure| refusal(path, failure))?
                        .version(name)
                    {
                        Ok(version) if version.kind == Kind::Directory => false,
                        Ok(_) => return Err(Error::NotAFile(path.clone())),
                        Err(Failure::NotFound) => true,
                        Err(_) => return Err(Error::NotAFile(path.clone())),
                    };
                if is_missing {
                    known.insert(above.as_str().to_owned());
                    missing.push(above.clone());
                }
            }
        }
        Ok(missing)
    }

    /// Writes the journal under its first name, then everything that it names, and makes both
    /// durable.
    ///
    /// The journal must be durable first. Without that, a loss of power could leave prepared files
    /// in the tree with nothing that identifies them. Finding such files by their names would need
    /// a walk of the whole tree.
    ///
    /// A file and its name are synced separately: fsync(2) of a file does not make the entry of its
    /// directory durable. Nor does the order of calls help. With delayed allocation, as in ext4, a
    /// rename may become durable before the content of the renamed file, which is empty then
    /// (`auto_da_alloc` in ext4(5)).
    fn prepare(&self, plan: &TransactionPlan) -> Result<Durability, Error> {
        let record = &plan.record;
        let home = self.home();
        let content = record.encode();
        // A journal over the limit of reading could be written, and then neither be rolled forward
        // nor back: the root could not be written to any more.
        if content.len() > PREPARED_JOURNAL_BYTES {
            let (bytes, most) = (content.len() as u64, PREPARED_JOURNAL_BYTES as u64);
            return Err(Error::TooLarge(bytes, most));
        }
        let journal = home.directory.create(home.prepared, &content)?;
        if is_taken(Step::JournalContent) {
            journal.sync()?;
        }
        let mut durability = Durability::Durable;
        if is_taken(Step::JournalName) {
            durability = home.directory.sync()?;
        }
        for path in &record.made {
            let (above, name) = split(path);
            match open(self.root, above).and_then(|above| above.make_directory(name)) {
                // Another program created it meanwhile. If it is not a directory, preparing a file
                // in it fails before the commit point, and the operation is rolled back.
                Ok(()) | Err(WriteFailure::Exists) => {}
                Err(failure) => return Err(Error::at(path)(failure)),
            }
        }
        self.prepare_files(plan)?;
        let mut paths = BTreeSet::new();
        if is_taken(Step::PreparedNames) {
            paths.append(&mut parents_of_files(record));
        }
        if is_taken(Step::MadeNames) {
            paths.append(&mut parents_of_directories(record));
        }
        Ok(match sync_all(self.root, paths)? {
            Durability::Durable => durability,
            Durability::Unknown => Durability::Unknown,
        })
    }

    /// Writes the new contents to files in the directories of their targets. A single directory for
    /// all of them would not do: a rename within a directory is one change of names, but a rename
    /// across directories is two, of which a loss of power may keep only one.
    fn prepare_files(&self, plan: &TransactionPlan) -> Result<(), Error> {
        let mut unsynced = Vec::new();
        for (index, contents) in plan.contents.iter().enumerate() {
            let (Some(content), Some(entry)) = (&contents.new, plan.record.entries.get(index))
            else {
                continue;
            };
            let target = entry.action.destination().unwrap_or(entry.action.path());
            let name = prepared_name(&plan.record, index);
            let written = open(self.root, split(target).0)
                .and_then(|directory| directory.create(&name, content.bytes()));
            unsynced.push((written.map_err(Error::at(target))?, target));
            if unsynced.len() >= OPEN_FILES {
                sync_files(&mut unsynced)?;
            }
        }
        sync_files(&mut unsynced)
    }

    /// Reads all targets a second time, then commits by renaming the journal.
    ///
    /// Preparing takes a while, since every file is synced, and an editor may save a target
    /// meanwhile. A change that is found here still refuses the whole request. A change that is
    /// found after the commit is a conflict of one file, while the other files are written. The
    /// window that remains is the time of the renames.
    fn check_and_commit(&self, plan: &TransactionPlan) -> Result<(), Error> {
        if is_taken(Step::SecondCheck) {
            for (RecordedChange { action, .. }, known) in
                plan.record.entries.iter().zip(&plan.contents)
            {
                if let Some(old) = action.old_hash() {
                    self.expect_content(action.path(), old, known)?;
                }
                match action {
                    Action::New { path, .. } | Action::Move { to: path, .. } => {
                        self.expect_nothing(path)?;
                    }
                    Action::Set { .. } | Action::Delete { .. } => {}
                }
            }
        }
        let home = self.home();
        let moved = home
            .directory
            .move_new(home.prepared, home.directory, home.committed);
        match moved {
            Ok(()) => Ok(()),
            // The call failed after the rename. The operation is committed, whatever the call
            // returned: a rollback would remove the prepared files, and the next recovery would
            // find a committed journal without them.
            Err(_) if home.directory.version(home.prepared) == Err(Failure::NotFound) => Ok(()),
            Err(failure) => Err(failure.into()),
        }
    }

    /// Carries out the steps after the commit point.
    ///
    /// A refusal counts as permanent: the next recovery would meet it again, so the operation is
    /// withdrawn, and the caller gets an error. Any other failure, such as a full disk, may end.
    /// The operation then remains committed, and the next recovery completes it; it is not an
    /// error, because a caller that repeated the request would meet its own change as a conflict.
    fn finish(
        &self,
        plan: TransactionPlan,
        durability: Durability,
    ) -> Result<CommitOutcome, Error> {
        let (mut record, contents) = (plan.record, plan.contents);
        let mut durability = durability;
        let home = self.home();
        let synced = if is_taken(Step::Commit) {
            home.directory.sync().map(drop)
        } else {
            Ok(())
        };
        let finished =
            synced.and_then(|()| self.roll_forward(&mut record, &contents, Attempt::First));
        if let Err(failure) = finished
            && is_refusal(failure)
            && let Ok(path) = self.withdraw(&record, &contents)
        {
            return Err(Error::Disk { path, failure });
        }
        if finished == Ok(Durability::Unknown) {
            durability = Durability::Unknown;
        }
        if finished.is_ok() && (plan.kept_bytes > PRUNE_BYTES || self.is_prune_due(record.id)) {
            // The request is done. A record that cannot be removed now is removed by a later
            // pruning.
            let _ = self.prune(record.time_ms);
        }
        Ok(CommitOutcome {
            id: self.state.map(|_| record.id),
            conflicts: record.conflicts.clone(),
            record,
            unfinished: finished.err(),
            durability,
        })
    }
}

/// Syncs the files of a batch, after all of them were written: a file system then does much of the
/// work once for all of them.
fn sync_files<F: NewFile>(files: &mut Vec<(Created<F>, &RelPath)>) -> Result<(), Error> {
    for (file, target) in files.drain(..) {
        if is_taken(Step::PreparedContent) {
            file.sync().map_err(Error::at(target))?;
        }
    }
    Ok(())
}

fn refusal(path: &RelPath, failure: WriteFailure) -> Error {
    match failure {
        WriteFailure::Permission => Error::Sensitive(path.clone()),
        failure => Error::at(path)(failure),
    }
}

/// Truncates a text to [`NOTE_BYTES`], at a character boundary.
fn cut(mut text: String) -> String {
    text.truncate(text.floor_char_boundary(NOTE_BYTES));
    text
}
