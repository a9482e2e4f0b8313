//! The steps up to the commit point. A failure before it leaves nothing behind.

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
use crate::limits::{FILES, NOTE_BYTES, OPEN_FILES, PRUNE_BYTES, TRANSACTION_BYTES};
use crate::objects;
use crate::record::{Action, Record, RecordedChange, is_hidden};
use crate::reserved::prepared_name;
use crate::roll_forward::{Attempt, is_refusal};
use crate::step::{Step, is_taken};
use docent_text::content_hash::{ContentHash, HashedContent};

/// A record, and the contents of its entries by index. A deletion has no new content, a new file no
/// old one.
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
        // From here on there is something to clean up, and the journal names it.
        let prepared = self.prepare(&plan);
        let durability = match prepared.and_then(|durability| {
            self.check_and_commit(&plan)?;
            Ok(durability)
        }) {
            Ok(durability) => durability,
            Err(error) => {
                // What fails here is left to the next recovery; the first error is the one to
                // report.
                let _ = self.roll_back(&plan.record);
                return Err(error);
            }
        };
        self.finish(plan, durability)
    }

    /// Refuses requests that can be refused without access to the disk.
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
                // Found only after the commit point, this could no longer be refused.
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

    /// Refuses a file that may not be written. A rename would replace it all the same, since a
    /// rename needs only the permission of the directory; but whoever took the right to write away
    /// meant the content.
    fn expect_writable(&self, path: &RelPath) -> Result<(), Error> {
        let (above, name) = split(path);
        match open(self.root, above).and_then(|directory| directory.may_write(name)) {
            Err(WriteFailure::Permission) => Err(Error::Protected(path.clone())),
            asked => asked.map_err(Error::at(path)),
        }
    }

    /// Refuses names that can be prepared but not renamed. To create a file beside another needs
    /// fewer rights than to rename over it: a sticky bit lets only owners rename, an append-only
    /// directory nobody, and a file may be immutable. After the commit point that would be too
    /// late.
    fn expect_movable(&self, action: &Action) -> Result<(), Error> {
        for path in std::iter::once(action.path()).chain(action.destination()) {
            let (above, name) = split(path);
            let Some(directory) = find(self.root, above).map_err(Error::at(path))? else {
                // The directory is yet to be created, and will be ours.
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

    /// Returns the directories that have to be created for new files, outermost first.
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
    /// in the tree with nothing that identifies them.
    fn prepare(&self, plan: &TransactionPlan) -> Result<Durability, Error> {
        let record = &plan.record;
        let home = self.home();
        let journal = home.directory.create(home.prepared, &record.encode())?;
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
                // Another program created it meanwhile; if it is not a directory, the next step
                // fails.
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

    /// Writes the new contents to files in the directories of their targets.
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
    /// Preparing takes a while, and an editor may save a target meanwhile. Found here, that still
    /// refuses the whole request; found after the commit, the other files would be written already.
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
            // The failure came after the rename: the operation is committed, whatever the call
            // returned.
            Err(_) if home.directory.version(home.prepared) == Err(Failure::NotFound) => Ok(()),
            Err(failure) => Err(failure.into()),
        }
    }

    /// Carries out the steps after the commit point. If the system refuses a step for good,
    /// everything is withdrawn; any other failure is reported, and the next recovery completes the
    /// operation.
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
            // What cannot be removed now is removed by a later call.
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

/// Syncs the files of a batch: a file system then does much of the work once for all of them.
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

/// Truncates a text to the length that the history keeps.
fn cut(mut text: String) -> String {
    text.truncate(text.floor_char_boundary(NOTE_BYTES));
    text
}
