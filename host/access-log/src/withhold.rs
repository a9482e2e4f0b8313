//! Removal of entries such that the rest of the log still verifies: a hash takes the place of each.

use std::collections::BTreeSet;
use std::path::Path;

use crate::entry::LogEntry;
use crate::line::{LineContent, WithheldEntry};
use crate::store::{Dropped, LogDirectory, StoreError};

/// Replaces each entry for which `is_meant` returns true by the hash of its line, and so the other
/// entry of the same call. Returns the number of entries replaced. Takes the writer's lock.
///
/// # Errors
/// Fails if the log cannot be changed; earlier segments may have been.
pub fn erase_ambient(
    directory: &Path,
    is_meant: impl Fn(&crate::StoredLine) -> bool,
) -> Result<u64, StoreError> {
    let store = LogDirectory::new(directory);
    let segments = store.segments_ambient()?;
    let _lock = store.lock_ambient()?;
    let mut meant = BTreeSet::new();
    let mut pairs = Vec::new();
    for line in crate::lines_ambient(directory, |line| line.entry.is_some())? {
        if is_meant(&line) {
            meant.insert(line.seq);
        }
        if let Some(LogEntry::Call(call)) = &line.entry
            && let Some(begun) = call.begun
        {
            pairs.push((begun, line.seq));
        }
    }
    // Both entries of a call contain its arguments. Withholding only the one that names a file
    // would leave the path in the other one: `begin` has it as an argument, `call` as an opened
    // file.
    for (begun, ended) in pairs {
        if meant.contains(&begun) || meant.contains(&ended) {
            meant.extend([begun, ended]);
        }
    }
    let mut erased = 0;
    for number in segments {
        // Each segment is replaced atomically and on its own. A program that is killed between
        // two segments leaves a log that verifies, in which some of the meant entries are still
        // readable; the same command can be run again.
        let lines = store.lines_ambient(number)?;
        let mut text = String::new();
        let mut has_changed = false;
        for line in &lines {
            match LineContent::parse(&line.text) {
                Some(LineContent::Written(written)) if meant.contains(&written.seq) => {
                    let withheld = WithheldEntry {
                        seq: written.seq,
                        withheld: LineContent::Written(written).leaf(&line.text),
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

/// Drops the segments whose entries were all written before `time`, RFC 3339 in UTC, except the
/// last segment. Returns the number of entries dropped.
///
/// # Errors
/// Fails if the log cannot be changed or read; damaged segments are not dropped.
pub fn drop_ambient(directory: &Path, time: &str) -> Result<u64, StoreError> {
    let store = LogDirectory::new(directory);
    let segments = store.segments_ambient()?;
    let _lock = store.lock_ambient()?;
    let mut dropped = store.read_dropped_ambient()?;
    let before = dropped.tree.size();
    let last = segments.last().copied();
    for number in segments.into_iter().filter(|number| Some(*number) != last) {
        let mut after = dropped.clone();
        let mut is_old = true;
        for line in store.lines_ambient(number)? {
            let content = LineContent::parse(&line.text);
            let content = content.ok_or_else(|| StoreError::Damaged(store.segment(number)))?;
            // A program that was killed between the two steps below left this segment although
            // its entries are already in the dropped tree. They are not added twice.
            if content.seq() < dropped.tree.size() {
                continue;
            }
            if content.seq() != after.tree.size() {
                return Err(StoreError::Damaged(store.segment(number)));
            }
            if let LineContent::Written(written) = &content {
                is_old &= written.time.as_str() < time;
            }
            let leaf = content.leaf(&line.text);
            after.tree.push(leaf);
            after.last = Some(leaf);
        }
        if !is_old {
            break;
        }
        // The dropped state is stored before the segment is removed. A program that is killed
        // in between leaves entries that are in both, which `Dropped::covers` recognises. In
        // the other order it would leave a gap: neither the lines nor their hashes would exist,
        // and the rest of the log could never be verified again.
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
    /// Returns true if a line belongs to a dropped segment whose file still exists.
    pub(crate) fn covers(&self, content: &LineContent) -> bool {
        content.seq() < self.tree.size()
    }
}
