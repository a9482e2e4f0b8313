//! Locations of journals, and the reserved names of files while a write is in progress.

use docent_tree::reserved::{PREFIX, PREPARED};
use docent_tree::write::Writable;

use crate::record::{Action, Record};

/// The directory of the journal, and the two names that the journal can have there. Its current
/// name decides if the operation is committed. The commit is one rename within one directory, so
/// that a crash leaves the journal under one name or the other, but not under both or neither.
pub(crate) struct Home<'a, T> {
    pub(crate) directory: &'a Writable<T>,
    pub(crate) prepared: &'static str,
    pub(crate) committed: &'static str,
}

impl<'a, T> Home<'a, T> {
    pub(crate) fn new(root: &'a Writable<T>, state: Option<&'a Writable<T>>) -> Self {
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

/// Prefix of the names of journals that stay in a root because of conflicts, where there is no
/// state directory.
pub(crate) const UNRESOLVED: &str = ".docent-conflict-";

/// Returns the name under which the new content of an entry is prepared, in the directory of its
/// target: `.docent-set-12-19b7ca98c88-0.tmp`. The word after the prefix declares to docent's host
/// how the file may be used: `set` replaces the file that was last inspected, `new` never replaces
/// one. WASI has no flags for that, unlike renameat2(2) of Linux.
pub(crate) fn prepared_name(record: &Record, index: usize) -> String {
    let word = match record.entries.get(index).map(|entry| &entry.action) {
        Some(Action::New { .. }) => "new",
        _ => "set",
    };
    name(word, record, index, PREPARED)
}

/// Returns the name of an entry's backup: the file itself, renamed within its directory before it
/// is moved on or deleted. The name has the word `new`, so that the backup never replaces the file
/// of another program when it is moved back.
pub(crate) fn backup(record: &Record, index: usize) -> String {
    name("new", record, index, ".old")
}

/// Returns the name of a file with the old content of an entry, which replaces the new one when the
/// operation is withdrawn.
pub(crate) fn restored_name(record: &Record, index: usize) -> String {
    name("set", record, index, &format!("-was{PREPARED}"))
}

fn name(word: &str, record: &Record, index: usize, end: &str) -> String {
    // The name contains both number and time. The number alone is used again if an operation never
    // reached its commit point, and a file of that operation must not be taken for one of the next
    // operation.
    let (id, time) = (record.id, record.time_ms);
    format!("{PREFIX}{word}-{id}-{time:x}-{index}{end}")
}
