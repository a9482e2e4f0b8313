//! Names of all syncs and checks, so that tests can omit any single one of them and observe that
//! something breaks. A sync that prevents no loss would only cost time: a step for which the tests
//! list no such check does not compile (`tests/mutants.rs`).

/// A sync or a check without which some crash, or some editor, would lose data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// Sync of a kept content, before it gets its name.
    ObjectContent,
    /// Sync of the names of kept contents, before the journal that relies on them.
    ObjectNames,
    /// Sync of the journal's content, before anything that it names is created. A torn journal
    /// names nothing, and what was created for it would stay in the tree.
    JournalContent,
    /// Sync of the journal's first name, before anything is in the tree that it would have to clean
    /// up.
    JournalName,
    /// Sync of each prepared file, before the commit. Otherwise the commit and the rename of a
    /// prepared file may survive a loss of power that its content does not: the target is then
    /// empty, cut or filled with zeros, and neither old nor new.
    PreparedContent,
    /// Sync of the names of prepared files, before the commit. Otherwise recovery may find a
    /// committed journal, the old content in place, and no new content to replace it with.
    PreparedNames,
    /// Sync of the names of the directories created for them, before the commit. The prepared file
    /// of `x/y/n.md` is lost with `x`, although `x/y` was synced.
    MadeNames,
    /// Sync of the commit itself, before the first target is touched. Otherwise a target may have
    /// its new content while the journal has its first name again, and recovery would roll back the
    /// other targets.
    Commit,
    /// Sync of a commit that recovery finds: the process may have been killed between the commit
    /// and its sync.
    CommitFound,
    /// Sync of the targets' names, before anything that recovery needs is removed. Otherwise a
    /// target may have its old content again when the journal no longer exists.
    PlacedNames,
    /// Sync of the removal of leftovers, before the journal that names them is removed. Otherwise
    /// the backup of a moved file may come back, and stay in the tree under a reserved name that no
    /// tool shows.
    LeftoverNames,
    /// Sync of the contents that conflicts keep, before the only other copy is removed.
    ConflictNames,
    /// Sync of the journal of a conflict, where there is no state directory, before the committed
    /// journal is removed.
    UnresolvedContent,
    /// Sync of the name of the journal of a conflict. Otherwise the prepared file that the conflict
    /// leaves may be in the tree without a journal that names it.
    UnresolvedName,
    /// Sync of the record in the history, before it gets its name.
    RecordContent,
    /// Sync of the name of the record, before the journal is removed. Otherwise the operation may
    /// be complete, but can neither be listed nor undone, since neither journal nor record
    /// describes it.
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
    /// Sync of the renames that were made, and of the names of old contents, before the old
    /// contents replace the new ones again.
    RestoringNames,
    /// Sync of the restored names, before the journal no longer rolls forward.
    RestoredNames,
    /// Sync of the journal's return to its first name, before anything is removed that the commit
    /// relied on.
    Withdrawal,
    /// Check that no target changed while files were prepared. Without it such a change is found
    /// only after the commit, as a conflict, when the other files are written.
    SecondCheck,
    /// Check that the target which is replaced is still the one that was compared. Without it a
    /// text that an editor saves between the comparison and the rename is lost.
    ReplacedVersion,
    /// Check that no file is at the path of a new one, since another program may create one at any
    /// time.
    NothingReplaced,
    /// Check that a backup which is deleted has the content that was to be deleted.
    DeletedContent,
    /// Check that a backup which is moved on has the content that was to be moved.
    MovedContent,
    /// Check that a prepared file has the content that was prepared. After a crash any program may
    /// have written to it before recovery puts it in place.
    PreparedHash,
    /// Check that a kept content matches its hash, so that an undo never writes a damaged one.
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
