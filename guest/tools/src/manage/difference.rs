//! Difference that a change of the history made to the texts of its files, if both still exist.

use docent_api::writing::{Operation, RecordedDifference};
use docent_edit::diff::write::{DiffNames, unified_diff};
use docent_edit::source::Source;
use docent_text::content_hash::ContentHash;
use docent_transaction::journal::Journal;
use docent_transaction::record::{Action, Record};
use docent_tree::disk::WriteDirectory;
use docent_tree::path::RelPath;

use crate::writing::root::WritableRoot;
use crate::writing::shown::DiffRoom;

/// Adds the differences made by a change to its form in an answer.
pub fn add<T: WriteDirectory>(root: &WritableRoot<T>, record: &Record, shown: &mut Operation) {
    let journal = root.journal();
    let mut room = DiffRoom::default();
    for (entry, file) in record.entries.iter().zip(&mut shown.files) {
        let action = &entry.action;
        let mut paths = [Some(action.path()), action.destination()].into_iter();
        // A root may be granted for writing sensitive files in one call and not in the next.
        // The record of such a write is visible in the history, but its difference shows
        // content: the history must not be a way to read `.env`. Both paths are checked, since
        // a move may have renamed `.env` to `notes.txt`.
        if paths
            .by_ref()
            .flatten()
            .all(|path| root.directory.admits(path))
        {
            file.difference = render_diff(&journal, action).map(|diff| {
                let (diff, diff_is_cut) = room.fit(diff);
                RecordedDifference { diff, diff_is_cut }
            });
        }
    }
}

fn render_diff<T: WriteDirectory>(journal: &Journal<'_, T>, action: &Action) -> Option<String> {
    let path = action.path();
    let left = action.destination().unwrap_or(path);
    let old = text(journal, path, action.old_hash())?;
    let new = text(journal, left, action.new_hash())?;
    let names = match action {
        Action::Set { .. } => DiffNames::Same(path.as_str()),
        Action::New { .. } => DiffNames::Created(path.as_str()),
        Action::Delete { .. } => DiffNames::Deleted(path.as_str()),
        Action::Move { .. } => DiffNames::Moved(path.as_str(), left.as_str()),
    };
    Some(unified_diff(names, &old, &new))
}

/// Returns the text with this hash: of the current file at `path`, else of the kept copy. It is
/// empty if there was no file, and `None` if it no longer exists or is not text.
fn text<T: WriteDirectory>(
    journal: &Journal<'_, T>,
    path: &RelPath,
    hash: Option<ContentHash>,
) -> Option<String> {
    let Some(hash) = hash else {
        return Some(String::new());
    };
    let present = journal.current_content(path);
    if let Some(bytes) = present.filter(|bytes| ContentHash::new(bytes) == hash) {
        return Some(Source::decode(&bytes).ok()?.text_with_mark().into());
    }
    let kept = journal.kept_content(hash).ok().flatten()?;
    Some(Source::from_content(&kept).ok()?.text_with_mark().into())
}
