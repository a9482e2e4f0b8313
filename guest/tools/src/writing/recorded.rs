//! Operations of the history, in the form of an answer.

use docent_api::writing::{FileAction, Operation, OperationKind, RecordedFile};
use docent_text::saturating::saturating_u32;
use docent_text::time::iso_8601;
use docent_transaction::record::{Action, OperationOrigin, Record, RecordedChange};

use crate::limits::RECORDED_FILES;

/// Returns an operation in the form of an answer.
pub fn operation(record: &Record, is_undone: bool) -> Operation {
    let (kind, reverses) = match record.origin {
        OperationOrigin::Change => (OperationKind::Change, None),
        OperationOrigin::Undo(id) => (OperationKind::Undo, Some(id)),
        OperationOrigin::Redo(id) => (OperationKind::Redo, Some(id)),
    };
    let entries = record.entries.iter().enumerate();
    let file = |(index, entry): (usize, &RecordedChange)| file(entry, record.is_in_conflict(index));
    Operation {
        id: record.id.to_string(),
        written_at: iso_8601(i128::from(record.time_ms) * 1_000_000).unwrap_or_default(),
        tool: record.tool.clone(),
        note: Some(record.note.clone()).filter(|note| !note.is_empty()),
        kind,
        reverses: reverses.map(|id| id.to_string()),
        undone: is_undone,
        files: entries.map(file).take(RECORDED_FILES).collect(),
        more_files: saturating_u32(record.entries.len().saturating_sub(RECORDED_FILES)),
    }
}

fn file(entry: &RecordedChange, conflict: bool) -> RecordedFile {
    RecordedFile {
        path: entry.action.path().to_string(),
        moved_to: entry.action.destination().map(ToString::to_string),
        action: match entry.action {
            Action::Set { .. } => FileAction::Changed,
            Action::New { .. } => FileAction::Created,
            Action::Delete { .. } => FileAction::Deleted,
            Action::Move { .. } => FileAction::Moved,
        },
        added_lines: entry.lines.added,
        removed_lines: entry.lines.removed,
        conflict,
        difference: None,
    }
}
