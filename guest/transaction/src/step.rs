//! The syncs and checks by name, so that tests can take out any single one of them and see that
//! something breaks.

/// A sync or a check without which some crash, or some editor, would lose something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// A kept content, before the name that says what it is.
    ObjectContent,
    /// The names of kept contents, before the journal that relies on them.
    ObjectNames,
    /// The journal, before its name.
    JournalContent,
    /// The journal's first name, before there is anything in the tree for it to clean up.
    JournalName,
    /// Each prepared file, before the commit.
    PreparedContent,
    /// The names of prepared files, before the commit.
    PreparedNames,
    /// The names of directories that were made for them, before the commit.
    MadeNames,
    /// The commit itself, before the first target is touched.
    Commit,
    /// The same in recovery: the process may have been killed between the two.
    CommitFound,
    /// The targets' names, before anything that recovery needs is removed.
    PlacedNames,
    /// The disappearance of what was left over, before the journal that names it goes.
    LeftoverNames,
    /// What conflicts made us keep, before the only other copy goes.
    ConflictNames,
    /// Without a state directory: the journal that tells of a conflict, before the other goes.
    UnresolvedContent,
    /// Its name.
    UnresolvedName,
    /// The record in the history, before its name.
    RecordContent,
    /// That name, before the journal goes.
    RecordName,
    /// The journal's disappearance, where no history says that it is done with.
    JournalGone,
    /// The disappearance of what was prepared in vain, before the journal that names it goes.
    RolledBackNames,
    /// The disappearance of an empty file where a committed journal should go, before the journal
    /// goes that shows it for what it is.
    PlaceholderGone,
    /// The disappearance of old records, before the contents that they name go.
    PrunedNames,
    /// An old content that takes its place again, before it does.
    RestoredContent,
    /// What was done, and the names of what is to take its place again, before it does.
    RestoringNames,
    /// The names of what was taken back, before the journal stops saying how it goes on.
    RestoredNames,
    /// That it stops, before anything goes that it relied on.
    Withdrawal,
    /// That no target changed while files were prepared.
    SecondCheck,
    /// That the target is still the one that was compared when it is replaced.
    ReplacedVersion,
    /// That nothing stands where a new file goes.
    NothingReplaced,
    /// That what was moved aside to be deleted is what was to be deleted.
    DeletedContent,
    /// That what was moved aside to be moved on is what was to be moved.
    MovedContent,
    /// That a prepared file holds what was prepared.
    PreparedHash,
    /// That a kept content is what its name says.
    ObjectHash,
}

/// Whether a step is taken: always, outside tests.
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

/// Runs `test` without a step.
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
