//! A written file, in the form of an answer.

use docent_api::writing::ChangedFile;
use docent_edit::diff::write::{DiffNames, TextDiff, difference};
use docent_text::content_hash::ContentHash;
use docent_text::saturating::saturating_u32;
use docent_transaction::journal::CommitOutcome;
use docent_transaction::record::LineCounts;

use crate::limits::DIFFS_BYTES;

/// Room for differences in one answer.
pub struct DiffRoom {
    left: usize,
}

impl Default for DiffRoom {
    fn default() -> Self {
        Self { left: DIFFS_BYTES }
    }
}

impl DiffRoom {
    /// Returns as many whole lines as fit, and true if some are left out.
    pub fn fit(&mut self, mut diff: String) -> (String, bool) {
        let is_cut = diff.len() > self.left;
        if is_cut {
            let room = diff.floor_char_boundary(self.left);
            let end = diff[..room].rfind('\n').map_or(0, |end| end + 1);
            diff.truncate(end);
        }
        self.left -= diff.len();
        (diff, is_cut)
    }
}

/// Describes a file that is created, replaced or removed: `old` and `new` are its texts, empty if
/// there is none or it is not text.
pub fn file(
    names: DiffNames<'_>,
    hashes: (Option<ContentHash>, Option<ContentHash>),
    (old, new): (&str, &str),
) -> ChangedFile {
    describe_difference(names, hashes, difference(names, old, new))
}

/// Describes a file whose difference is known.
pub fn describe_difference(
    names: DiffNames<'_>,
    hashes: (Option<ContentHash>, Option<ContentHash>),
    difference: TextDiff,
) -> ChangedFile {
    let (path, moved_to) = match names {
        DiffNames::Same(path) | DiffNames::Created(path) | DiffNames::Deleted(path) => (path, None),
        DiffNames::Moved(path, to) => (path, Some(to.to_owned())),
    };
    let changed = hashes.0 != hashes.1 || moved_to.is_some();
    let (diff, diff_is_cut) = DiffRoom::default().fit(difference.diff);
    ChangedFile {
        path: path.to_owned(),
        moved_to,
        old_hash: hashes.0.map(|hash| hash.short()),
        new_hash: hashes.1.map(|hash| hash.short()),
        changed,
        applied: false,
        undo_id: None,
        added_lines: saturating_u32(difference.added),
        removed_lines: saturating_u32(difference.removed),
        diff,
        diff_is_cut,
        edits: Vec::new(),
    }
}

/// Returns the numbers of added and removed lines, for the history.
pub fn lines(file: &ChangedFile) -> LineCounts {
    LineCounts {
        added: file.added_lines,
        removed: file.removed_lines,
    }
}

/// Returns the warnings about a write that reached its commit point.
pub fn warnings(committed: &CommitOutcome) -> Vec<String> {
    let mut warnings = Vec::new();
    for conflict in &committed.conflicts {
        let entry = committed.record.entries.get(conflict.entry);
        let path = entry.map_or(".", |entry| entry.action.path().as_str());
        // The transaction reports a conflict for two different events. Either another program
        // wrote the file between the last comparison and the rename; then its content differs
        // from the old one. Or the replacement was refused, for example because the file is
        // immutable; then the old content is still in place. The person needs a different
        // message for each.
        let is_refused = entry.is_some_and(|entry| {
            conflict.found.is_some() && conflict.found == entry.action.old_hash()
        });
        warnings.push(if is_refused {
            format!("`{path}` may not be replaced, so it was left as it is")
        } else {
            format!("another program changed `{path}` meanwhile, so it was left as it is")
        });
    }
    if let Some(failure) = committed.unfinished {
        warnings.push(format!(
            "not every file is in its place yet ({failure}); the next call continues"
        ));
    }
    warnings
}
