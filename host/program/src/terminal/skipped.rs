//! Entries that were not examined, and the notes on them.

use serde::{Deserialize, Serialize};

use super::style::visible;

/// Maximum skipped entries that are named in a note; the rest is counted.
const NAMED_SKIPPED: usize = 5;

/// The entries that were not examined.
#[derive(Debug, Default, Deserialize, Serialize)]
pub struct Skipped {
    /// Number of entries.
    pub count: u64,
    /// First entries.
    pub entries: Vec<SkippedEntry>,
}

/// An entry that was not examined.
#[derive(Debug, Deserialize, Serialize)]
pub struct SkippedEntry {
    /// Path.
    pub path: String,
    /// Reason.
    pub reason: String,
}

/// Formats a sentence about skipped entries.
pub fn not_examined(skipped: &Skipped, done: &str) -> String {
    let named: Vec<_> = skipped
        .entries
        .iter()
        .take(NAMED_SKIPPED)
        .map(|entry| format!("{} ({})", visible(&entry.path), entry.reason))
        .collect();
    // The count decides, because the component itself names only the first entries.
    let more = if skipped.count > named.len() as u64 {
        ", ..."
    } else {
        ""
    };
    let verb = if skipped.count == 1 {
        "entry was"
    } else {
        "entries were"
    };
    format!(
        "{} {verb} not {done}: {}{more}",
        skipped.count,
        named.join(", ")
    )
}
