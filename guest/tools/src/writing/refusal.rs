//! Refusals of a transaction, in the types of the contract.

use docent_api::types::{Error, ErrorCode};
use docent_edit::diff::write::{DiffNames, unified_diff};
use docent_edit::source::Source;
use docent_text::content_hash::ContentHash;
use docent_transaction::error::Error as Refusal;
use docent_transaction::journal::Journal;
use docent_tree::disk::{WriteDirectory, WriteFailure};
use docent_tree::error::{refuse, refuse_in_lines};
use docent_tree::path::RelPath;
use docent_tree::refusal::{not_found, sensitive};

use crate::limits::CONFLICT_DIFF_LINES;

/// Returns the error of the contract; nothing was written.
pub fn refusal_error<T: WriteDirectory>(journal: &Journal<'_, T>, refusal: Refusal) -> Error {
    let message = refusal.to_string();
    let (code, hint) = match refusal {
        Refusal::Sensitive(path) => return sensitive(&path),
        Refusal::NotFound(path) => return not_found(&path),
        Refusal::Conflict {
            path,
            expected,
            found,
        } => return conflict(journal, &path, expected, found),
        Refusal::Disk { path, failure } => return disk(path.as_ref(), failure),
        Refusal::NothingChanges | Refusal::NamedTwice(_) => (
            ErrorCode::InvalidRequest,
            "Name each file once, by its path before the call.",
        ),
        Refusal::TooManyFiles(_) => (
            ErrorCode::LimitReached,
            "Make several calls, each with some of the files.",
        ),
        Refusal::TooLarge(..) => (
            ErrorCode::DocumentTooLarge,
            "Make several calls, each with some of the files.",
        ),
        Refusal::Unwritable(_) | Refusal::Hidden(_) | Refusal::NotAFile(_) => (
            ErrorCode::InvalidPath,
            "Give the path of a file in a directory, without names that begin with a dot.",
        ),
        Refusal::Exists(_) => (
            ErrorCode::DocumentExists,
            "Give a path that does not exist.",
        ),
        Refusal::Protected(_) => (
            ErrorCode::ReadOnly,
            "Nothing was touched. Ask the person to allow it, such as with `chmod u+w`, or to \
             change the file themselves.",
        ),
        Refusal::Fixed(_) => (
            ErrorCode::ReadOnly,
            "Nothing was touched. Ask the person to allow it (the sticky bit of the directory, \
             `lsattr`), or to change the file themselves.",
        ),
        Refusal::HardLinks { .. } => (ErrorCode::InvalidRequest, HARD_LINKS_HINT),
        Refusal::NoHistory => (
            ErrorCode::ChangeNotFound,
            "This host keeps no history: ask the person to start it with a state directory.",
        ),
        Refusal::UnknownOperation(_) | Refusal::NothingToUndo => (
            ErrorCode::ChangeNotFound,
            "Send `command` `history` to see the changes that can be undone, with their numbers.",
        ),
        Refusal::AlreadyUndone(_) => (
            ErrorCode::ChangeNotFound,
            "It is already undone; to restore it, send `redo` with the number of its undo.",
        ),
        Refusal::DamagedRecord(_) => (
            ErrorCode::ChangeNotFound,
            "Send the number of the change to undo, as `command` `history` lists it, and tell \
             the person that the history is damaged.",
        ),
        Refusal::ContentGone(_) => (
            ErrorCode::ChangeNotFound,
            "Old contents are kept for 30 days at most; ask the person for a backup.",
        ),
        Refusal::DamagedJournal => (
            ErrorCode::Conflict,
            "Nothing is written to this root until a person has checked it: tell them.",
        ),
    };
    refuse(code, message, hint)
}

/// Hint for a file with several names.
pub const HARD_LINKS_HINT: &str =
    "Its other names would keep the old content; ask the person to copy it to one of its own.";

fn disk(path: Option<&RelPath>, failure: WriteFailure) -> Error {
    let place = path.map_or("the disk".to_owned(), |path| format!("`{path}`"));
    match failure {
        WriteFailure::ReadOnly => refuse(
            ErrorCode::ReadOnly,
            format!("{place} cannot be written: {failure}"),
            "Nothing was touched. Ask the person to make the file system writable.",
        ),
        WriteFailure::NoSpace => refuse(
            ErrorCode::WriteFailed,
            format!("{place} cannot be written: {failure}"),
            "Nothing was changed. Ask the person to make room.",
        ),
        WriteFailure::InUse => refuse(
            ErrorCode::Conflict,
            format!("{failure} and did not end in time; expected no other writer"),
            "Nothing was changed. Try again in some seconds; if it continues, ask the person which \
             other program has this root open for writing.",
        ),
        failure => refuse(
            ErrorCode::WriteFailed,
            format!("{place} cannot be written: {failure}"),
            "Nothing was changed. Try again; if it fails again, tell the person.",
        ),
    }
}

fn conflict<T: WriteDirectory>(
    journal: &Journal<'_, T>,
    path: &RelPath,
    expected: ContentHash,
    found: Option<ContentHash>,
) -> Error {
    let found = found.map_or("no regular file".to_owned(), |hash| {
        format!("`{}`", hash.short())
    });
    refuse_in_lines(
        ErrorCode::Conflict,
        &format!(
            "`{path}` is {found}; expected `{}`: it changed since, and nothing was written{}",
            expected.short(),
            since(journal, path, expected).map_or(String::new(), |diff| format!("\n{diff}")),
        ),
        "Read it again: another program or person has changed it, or a later change has, which \
         would have to be undone first.",
    )
}

/// Returns the changes of a file since it had a given content, if that is kept.
pub fn since<T: WriteDirectory>(
    journal: &Journal<'_, T>,
    path: &RelPath,
    expected: ContentHash,
) -> Option<String> {
    let old = journal.kept_content(expected).ok()??;
    let new = journal.current_content(path)?;
    let (old, new) = (Source::from_content(&old).ok()?, Source::decode(&new).ok()?);
    Some(shorten(&unified_diff(
        DiffNames::Same(path.as_str()),
        old.text(),
        new.text(),
    )))
}

/// Returns the first lines of a difference.
pub fn shorten(diff: &str) -> String {
    let mut lines: Vec<&str> = diff.lines().take(CONFLICT_DIFF_LINES).collect();
    if lines.len() < diff.lines().count() {
        lines.push("…");
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_disk_says_becomes_a_code_to_act_on() {
        let path = RelPath::parse("a.md").ok();
        for (failure, expected) in [
            (WriteFailure::ReadOnly, ErrorCode::ReadOnly),
            (WriteFailure::InUse, ErrorCode::Conflict),
            (WriteFailure::NoSpace, ErrorCode::WriteFailed),
            (WriteFailure::Io, ErrorCode::WriteFailed),
        ] {
            let error = disk(path.as_ref(), failure);
            assert_eq!(error.code, expected);
            assert!(
                error.message.contains(&failure.to_string()),
                "{}",
                error.message
            );
        }
    }
}
