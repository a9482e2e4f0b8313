//! Names of all syncs and checks, so that tests can omit any single one of them and observe that
//! something breaks.

/// A sync or a check without which some crash, or some editor, would lose data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// Sync of a kept content, before it gets its name.
    ObjectContent,
    /// Sync of the names of kept contents, before the journal that relies on them.
    ObjectNames,
    /// Sync of the journal, before it gets its name.
    JournalContent,
    /// Sync of the journal's first name, before anything is in the tree that it would have to clean
    /// up.
    JournalName,
    /// Sync of each prepared file, before the commit.
    PreparedContent,
    /// Sync of the names of prepared files, before the commit.
    PreparedNames,
    /// Sync of the names of the directories created for them, before the commit.
    MadeNames,
    /// Sync of the commit itself, before the first target is touched.
    Commit,
    /// The same in recovery: the process may have been killed between the commit and its sync.
    CommitFound,
    /// Sync of the targets' names, before anything that recovery needs is removed.
    PlacedNames,
    /// Sync of the removal of leftovers, before the journal that names them is removed.
    LeftoverNames,
    /// Sync of the contents that conflicts keep, before the only other copy is removed.
    ConflictNames,
    /// Without a state directory: sync of the journal of a conflict, before the other journal goes.
    UnresolvedContent,
    /// Sync of the name of that journal.
    UnresolvedName,
    /// Sync of the record in the history, before it gets its name.
    RecordContent,
    /// Sync of that name, before the journal is removed.
    RecordName,
    /// Sync of the journal's removal, where no history shows that the operation is complete.
    JournalGone,
    /// Sync of the removal of prepared files, before the journal that names them is removed.
    RolledBackNames,
    /// Sync of the removal of an empty file under the name of committed journals, before the
    /// removal of the journal that identifies it.
    PlaceholderGone,
    /// Sync of the removal of old records, before the contents that they name are removed.
    PrunedNames,
    /// Sync of an old content, before it replaces the new one again.
    RestoredContent,
    /// Sync of what was done, and of the names of old contents, before these replace the new ones
    /// again.
    RestoringNames,
    /// Sync of the restored names, before the journal no longer rolls forward.
    RestoredNames,
    /// Sync of the journal's return to its first name, before anything is removed that the commit
    /// relied on.
    Withdrawal,
    /// Check that no target changed while files were prepared.
    SecondCheck,
    /// Check that the target which is replaced is still the one that was compared.
    ReplacedVersion,
    /// Check that no file is at the path of a new one.
    NothingReplaced,
    /// Check that a backup which is deleted holds what was to be deleted.
    DeletedContent,
    /// Check that a backup which is moved on holds what was to be moved.
    MovedContent,
    /// Check that a prepared file holds what was prepared.
    PreparedHash,
    /// Check that a kept content matches its hash.
    ObjectHash,
}

/// Returns true if a step is to be taken: outside tests always.
#[cfg(not(test))]
pub(crate) const fn is_taken(_: Step) -> bool {
    true
}

#[cfg(test)]
thread_local! {
    static OMITTED: std::cell::Cell<Option<Step>> = const { std::cell::Cell::new(None) };
}

#[cfg(test)]
pub(crate) fn is_taken(step: Step) -> bool {
    OMITTED.get() != Some(step)
}

/// Runs `test` with one step omitted.
#[cfg(test)]
pub(crate) fn without<R>(step: Step, test: impl FnOnce() -> R) -> R {
    struct Restored;
    impl Drop for Restored {
        fn drop(&mut self) {
            OMITTED.set(None);
        }
    }
    let _restored = Restored;
    OMITTED.set(Some(step));
    test()
}
