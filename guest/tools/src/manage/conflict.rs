//! Errors of an operation that cannot be undone because a file differs from the one it left.

use docent_api::types::{Error, ErrorCode};
use docent_edit::diff::write::{DiffNames, unified_diff};
use docent_edit::source::Source;
use docent_text::content_hash::ContentHash;
use docent_text::time::iso_8601;
use docent_transaction::error::Error as Refusal;
use docent_transaction::journal::Journal;
use docent_transaction::record::{Action, OperationOrigin, Record};
use docent_transaction::undo::{Direction, Target};
use docent_tree::disk::WriteDirectory;
use docent_tree::error::refuse_in_lines;
use docent_tree::path::RelPath;

use crate::writing::refusal::{refusal_error, shorten, since};

/// Obstacle to undoing an operation.
enum Obstacle {
    /// Another content, or an entry that is not a regular file.
    Other(Option<ContentHash>),
    /// A missing file.
    Nothing,
    /// An entry at the path to which the file should return.
    Something,
}

/// Returns the error of the contract; nothing was undone.
pub fn conflict_error<T: WriteDirectory>(
    journal: &Journal<'_, T>,
    target: Target<'_>,
    direction: Direction,
    refusal: Refusal,
) -> Error {
    let (path, found) = match &refusal {
        Refusal::Conflict { path, found, .. } => (path, Obstacle::Other(*found)),
        Refusal::NotFound(path) => (path, Obstacle::Nothing),
        Refusal::Exists(path) => (path, Obstacle::Something),
        _ => return refusal_error(journal, refusal),
    };
    match journal.next_reversal(target, direction) {
        Ok(record) => conflict(journal, &record, path, &found),
        Err(_) => refusal_error(journal, refusal),
    }
}

fn conflict<T: WriteDirectory>(
    journal: &Journal<'_, T>,
    record: &Record,
    path: &RelPath,
    found: &Obstacle,
) -> Error {
    let mut actions = record.entries.iter().map(|entry| &entry.action);
    let action = actions.find(|action| is_about(action, path));
    let left = action.and_then(Action::new_hash);
    let name = name(record);
    let expected = left.map_or_else(String::new, |hash| format!("`{}`", hash.short()));
    let mut message = match found {
        Obstacle::Other(found) => {
            let found = found.map_or("no regular file".to_owned(), |hash| {
                format!("`{}`", hash.short())
            });
            format!(
                "`{path}` is {found}; expected {expected}, which {name} left: it changed{}",
                at(journal, path)
            )
        }
        Obstacle::Nothing => format!(
            "`{path}` is not there; expected it with {expected}, as {name} left it: it was removed \
             or renamed since"
        ),
        Obstacle::Something => format!(
            "`{path}` is there{}; expected nothing there, as {name} left it",
            at(journal, path)
        ),
    };
    message.push_str(", and nothing was undone");
    if let (Obstacle::Other(Some(_)), Some(action)) = (found, action) {
        message.push_str(&difference(journal, action, path, &name));
    }
    // A conflict can have two causes with different remedies. A later operation of docent on
    // the same file has to be undone first, and can be named. If there is none, another program
    // or person wrote the file, and no undo helps.
    let later = later(journal, record, path);
    let hint = match (later, found) {
        (Some((later, OperationOrigin::Undo(_))), _) => format!(
            "Undo {later} changed the file as well: revert it first, by `redo` with its \
             number as `target`."
        ),
        (Some((later, _)), _) => format!(
            "Change {later} changed the file as well: revert it first, by `undo` with its \
             number as `target`."
        ),
        (None, Obstacle::Other(_)) => format!(
            "Another program or person wrote it. To revert {name} all the same, edit the present text \
             so that it has the old content."
        ),
        (None, Obstacle::Nothing) => {
            "Ask the person where it went. The old content cannot be restored to a path that does not exist."
                .to_owned()
        }
        (None, Obstacle::Something) => {
            "Another program or person made it. Move it away, or leave it as it is.".to_owned()
        }
    };
    refuse_in_lines(ErrorCode::Conflict, &message, hint)
}

/// Returns the difference, as far as it can be shown: since the operation if its text is kept, else
/// since before it, in which case it includes the changes of the operation itself.
fn difference<T: WriteDirectory>(
    journal: &Journal<'_, T>,
    action: &Action,
    path: &RelPath,
    name: &str,
) -> String {
    let since_then = action
        .new_hash()
        .and_then(|left| since(journal, path, left));
    if let Some(diff) = since_then {
        return format!(". What changed since:\n{diff}");
    }
    let Some(before) = action.old_hash() else {
        return ". Its old content is not kept, so the difference cannot be shown".to_owned();
    };
    let Some((old, new)) = journal
        .kept_content(before)
        .ok()
        .flatten()
        .zip(journal.current_content(path))
    else {
        return ". Its old content is not kept, so the difference cannot be shown".to_owned();
    };
    let (Ok(old), Ok(new)) = (Source::from_content(&old), Source::decode(&new)) else {
        return ". It is not text, so the difference cannot be shown".to_owned();
    };
    let diff = unified_diff(
        DiffNames::Same(path.as_str()),
        &old.text_with_mark(),
        &new.text_with_mark(),
    );
    if diff.is_empty() {
        return format!(". It is as before {name} already");
    }
    format!(
        ". The text that {name} left is not kept. From before it to now, with what it did \
         itself:\n{}",
        shorten(&diff)
    )
}

/// Returns the time of a file's last change, as a part of a sentence.
fn at<T: WriteDirectory>(journal: &Journal<'_, T>, path: &RelPath) -> String {
    let time = journal
        .modification_time(path)
        .map(|moment| moment.nanoseconds());
    let time = time.and_then(iso_8601);
    time.map_or(String::new(), |time| format!(" at {time}"))
}

/// Returns the latest operation after a record that is still in effect and concerns a file.
fn later<T: WriteDirectory>(
    journal: &Journal<'_, T>,
    record: &Record,
    path: &RelPath,
) -> Option<(u64, OperationOrigin)> {
    let page = journal.history(None, usize::MAX).ok()?;
    let is_later = |own: &Record| {
        let mut actions = own.entries.iter().map(|entry| &entry.action);
        own.id > record.id && actions.any(|action| is_about(action, path))
    };
    let mut later = page.operations.iter().filter(|one| is_later(&one.record));
    let latest = later.find(|one| !one.is_undone)?;
    Some((latest.record.id, latest.record.origin))
}

/// Returns true if an action left a file at this path, or removed one that undoing restores there.
fn is_about(action: &Action, path: &RelPath) -> bool {
    let left = action.destination().unwrap_or(action.path());
    left.as_str() == path.as_str() || action.path().as_str() == path.as_str()
}

fn name(record: &Record) -> String {
    match record.origin {
        OperationOrigin::Change => format!("change {}", record.id),
        OperationOrigin::Undo(of) => format!("undo {} of change {of}", record.id),
        OperationOrigin::Redo(of) => format!("redo {} of undo {of}", record.id),
    }
}
