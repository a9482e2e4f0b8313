//! What was not examined, as answers have it, and how that is said.

use serde::{Deserialize, Serialize};

use super::style::visible;

/// Entries that were skipped and are named at the end; the rest is counted.
const NAMED_SKIPPED: usize = 5;

/// What was not examined.
#[derive(Debug, Default, Deserialize, Serialize)]
pub struct Skipped {
    /// How many entries.
    pub count: u64,
    /// The first of them.
    pub entries: Vec<SkippedEntry>,
}

/// An entry that was not examined.
#[derive(Debug, Deserialize, Serialize)]
pub struct SkippedEntry {
    /// Its path.
    pub path: String,
    /// Why.
    pub reason: String,
}

/// Returns a sentence about entries to which something was not done.
pub fn not_examined(skipped: &Skipped, done: &str) -> String {
    let named: Vec<_> = skipped
        .entries
        .iter()
        .take(NAMED_SKIPPED)
        .map(|entry| format!("{} ({})", visible(&entry.path), entry.reason))
        .collect();
    // By the count, for the component itself names only the first of them.
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
