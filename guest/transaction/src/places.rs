//! Where journals stand, and what files are called while a write is under way.

use docent_tree::reserved::{PREFIX, PREPARED};
use docent_tree::write::Writable;

use crate::record::{Action, Record};

/// The directory that holds the journal, and its two names there. Which one it has says whether
/// the operation is committed.
pub(crate) struct Home<'a, T> {
    pub(crate) directory: &'a Writable<T>,
    pub(crate) prepared: &'static str,
    pub(crate) committed: &'static str,
}

impl<'a, T> Home<'a, T> {
    pub(crate) fn of(root: &'a Writable<T>, state: Option<&'a Writable<T>>) -> Self {
        match state {
            Some(directory) => Self {
                directory,
                prepared: "prepared",
                committed: "committed",
            },
            None => Self {
                directory: root,
                prepared: ".docent-journal-prepared",
                committed: ".docent-journal-committed",
            },
        }
    }
}

/// What the names of journals begin with that stand in a root because of conflicts, where there is
/// no state directory.
pub(crate) const UNRESOLVED: &str = ".docent-conflict-";

/// Returns the name under which the new content of an entry is prepared, beside its target. The
/// word after the prefix tells docent's host what may be done with it: `set` replaces a file, `new`
/// never does.
pub(crate) fn prepared(record: &Record, index: usize) -> String {
    let word = match record.entries.get(index).map(|entry| &entry.action) {
        Some(Action::New { .. }) => "new",
        _ => "set",
    };
    name(word, record, index, PREPARED)
}

/// Returns the name under which a file waits, beside its place, to be moved on or deleted.
pub(crate) fn aside(record: &Record, index: usize) -> String {
    name("new", record, index, ".old")
}

/// Returns the name of a file with the old content of an entry, which takes its place again where the
/// operation is taken back.
pub(crate) fn restored(record: &Record, index: usize) -> String {
    name("set", record, index, &format!("-was{PREPARED}"))
}

fn name(word: &str, record: &Record, index: usize, end: &str) -> String {
    // Number and time: a number comes again where an operation never got to its commit point.
    let (id, time) = (record.id, record.time_ms);
    format!("{PREFIX}{word}-{id}-{time:x}-{index}{end}")
}
