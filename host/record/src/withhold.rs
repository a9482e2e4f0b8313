//! Taking entries out, so that the rest still verifies: a hash stands for each of them.

use std::collections::BTreeSet;
use std::path::Path;

use crate::entry::Entry;
use crate::line::{Content, Withheld};
use crate::store::{Dropped, Store, StoreError};

/// Puts the hash of its line in the place of each entry that `is_meant` holds for, and of the other
/// entry of the same call, and returns how many these were. No program may write to the log meanwhile.
///
/// # Errors
/// What keeps it from being changed; segments before may have been.
pub fn erase_ambient(
    directory: &Path,
    is_meant: impl Fn(&crate::Line) -> bool,
) -> Result<u64, StoreError> {
    let store = Store::new(directory);
    let segments = store.segments_ambient()?;
    let _lock = store.lock_ambient()?;
    let mut meant = BTreeSet::new();
    let mut pairs = Vec::new();
    for line in crate::lines_ambient(directory, |line| line.entry.is_some())? {
        if is_meant(&line) {
            meant.insert(line.seq);
        }
        if let Some(Entry::Call(call)) = &line.entry
            && let Some(begun) = call.begun
        {
            pairs.push((begun, line.seq));
        }
    }
    // Both entries of a call say what it was.
    for (begun, ended) in pairs {
        if meant.contains(&begun) || meant.contains(&ended) {
            meant.extend([begun, ended]);
        }
    }
    let mut erased = 0;
    for number in segments {
        let lines = store.lines_ambient(number)?;
        let mut text = String::new();
        let mut has_changed = false;
        for line in &lines {
            match Content::parse(&line.text) {
                Some(Content::Written(written)) if meant.contains(&written.seq) => {
                    let withheld = Withheld {
                        seq: written.seq,
                        withheld: Content::Written(written).leaf(&line.text),
                    };
                    let damaged = |_| StoreError::Damaged(store.segment(number));
                    text.push_str(&serde_json::to_string(&withheld).map_err(damaged)?);
                    has_changed = true;
                    erased += 1;
                }
                _ => text.push_str(&line.text),
            }
            if line.is_ended {
                text.push('\n');
            }
        }
        if has_changed {
            store.replace_ambient(number, &text)?;
        }
    }
    Ok(erased)
}

/// Drops the segments whose entries all were written before `time`, as RFC 3339 has it in UTC; the
/// last one stays. Returns how many entries these were.
///
/// # Errors
/// What keeps it from being changed, or read: what is damaged is not dropped.
pub fn drop_ambient(directory: &Path, time: &str) -> Result<u64, StoreError> {
    let store = Store::new(directory);
    let segments = store.segments_ambient()?;
    let _lock = store.lock_ambient()?;
    let mut dropped = store.dropped_ambient()?;
    let before = dropped.tree.size();
    let last = segments.last().copied();
    for number in segments.into_iter().filter(|number| Some(*number) != last) {
        let mut after = dropped.clone();
        let mut is_old = true;
        for line in store.lines_ambient(number)? {
            let content = Content::parse(&line.text);
            let content = content.ok_or_else(|| StoreError::Damaged(store.segment(number)))?;
            // What a program that was ended in the middle of this left behind.
            if content.seq() < dropped.tree.size() {
                continue;
            }
            if content.seq() != after.tree.size() {
                return Err(StoreError::Damaged(store.segment(number)));
            }
            if let Content::Written(written) = &content {
                is_old &= written.time.as_str() < time;
            }
            let leaf = content.leaf(&line.text);
            after.tree.push(leaf);
            after.last = Some(leaf);
        }
        if !is_old {
            break;
        }
        // First what stands for them, for without that nothing verifies any more.
        store.set_dropped_ambient(&after)?;
        dropped = after;
        store.remove_ambient(number)?;
    }
    let size = dropped.tree.size();
    if size > before {
        store.drop_checkpoints_ambient(size)?;
    }
    Ok(size - before)
}

impl Dropped {
    /// Whether a line is left of a segment that was to be dropped.
    pub(crate) fn covers(&self, content: &Content) -> bool {
        content.seq() < self.tree.size()
    }
}
