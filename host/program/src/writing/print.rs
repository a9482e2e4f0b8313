//! Output of a write, for people and programs.

use std::io::Write;

use serde::Serialize;

use super::command_root::CommandRoot;
use super::{ChangedFile, Done, WriteMode, Written};
use crate::terminal::error::CommandError;
use crate::terminal::notes::note;
use crate::terminal::page::Page;
use crate::terminal::style::{HEADING, Layout, visible};

/// The totals of a write, as a line of JSON.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct WrittenSummary<'a> {
    files: usize,
    changed: bool,
    applied: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    undo_id: Option<&'a str>,
    rollback_available: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    plan_id: Option<&'a str>,
    warnings: &'a [String],
}

/// Prints the diff of a write, made or planned, and notes on it.
///
/// # Errors
/// Returns an error if the output cannot be written.
pub(super) fn print<W: Write>(
    mut page: Page<W>,
    written: &Written,
    command_root: &CommandRoot,
    mode: WriteMode,
) -> Result<Done, CommandError> {
    let done = outcome(written, mode, page.layout);
    if page.layout == Layout::Json {
        json(&mut page, written, command_root)?;
        return Ok(done);
    }
    for file in &written.files {
        page.diff(&file.diff)?;
    }
    let end = end(written, command_root, mode);
    if page.layout == Layout::Headings
        && let Some(end) = &end
    {
        writeln!(page.output, "{}", page.paint.style(HEADING, end))?;
    }
    // The diff is flushed before the notes, which go to stderr, so that on a terminal they
    // appear below it and not in its middle.
    page.output.flush()?;
    for file in &written.files {
        tell(file, command_root);
    }
    for warning in &written.warnings {
        note(visible(warning));
    }
    if page.layout == Layout::Lines
        && let Some(end) = end
    {
        note(end);
    }
    Ok(done)
}

fn json<W: Write>(
    page: &mut Page<W>,
    written: &Written,
    command_root: &CommandRoot,
) -> Result<(), CommandError> {
    for file in &written.files {
        let shown = ChangedFile {
            path: command_root.show(&file.path),
            moved_to: file.moved_to.as_deref().map(|path| command_root.show(path)),
            ..file.clone()
        };
        page.object("file", &shown)?;
    }
    let summary = WrittenSummary {
        files: written.files.len(),
        changed: written.files.iter().any(|file| file.changed),
        applied: written.files.iter().any(|file| file.applied),
        undo_id: written.undo_id.as_deref(),
        rollback_available: written.rollback_available,
        plan_id: written.plan_id.as_deref(),
        warnings: &written.warnings,
    };
    page.object("summary", &summary)?;
    page.output.flush()?;
    Ok(())
}

fn outcome(written: &Written, mode: WriteMode, layout: Layout) -> Done {
    let is_left = |file: &ChangedFile| mode == WriteMode::Apply && file.changed && !file.applied;
    // A program that reads the diff would take a part of it for the whole: `docent edit … | git
    // apply` would apply half of the change without an error. A person sees the note about it.
    let is_part = |file: &ChangedFile| {
        mode == WriteMode::DryRun && layout != Layout::Headings && file.diff_is_cut
    };
    let mut files = written.files.iter();
    if files.clone().any(|file| is_left(file) || is_part(file)) {
        Done::Part
    } else if files.any(|file| file.changed) {
        Done::All
    } else {
        Done::Nothing
    }
}

/// Returns the last line: the outcome, and a command for the next step.
fn end(written: &Written, command_root: &CommandRoot, mode: WriteMode) -> Option<String> {
    if !written.files.iter().any(|file| file.changed) {
        return None;
    }
    Some(match (mode, &written.undo_id) {
        (WriteMode::DryRun, _) => "dry run, nothing is written: add --apply to write it".to_owned(),
        (WriteMode::Apply, Some(id)) => {
            let undo = command_root.command(&format!("undo {id}"));
            format!("written; `{undo}` undoes it")
        }
        (WriteMode::Apply, None) => {
            "written; it cannot be undone, because no copy is kept".to_owned()
        }
    })
}

/// Prints notes on facts that the diff of a file does not show.
fn tell(file: &ChangedFile, command_root: &CommandRoot) {
    let path = command_root.show(&file.path);
    let path = visible(&path);
    for edit in &file.edits {
        let but_for = match edit.matched.as_str() {
            "line-endings" => "line endings",
            "composed" => "Unicode composition",
            "whitespace" => "blanks",
            _ => continue,
        };
        note(format_args!("`{path}` has the text, ignoring {but_for}"));
    }
    if file.diff_is_cut {
        note(format_args!(
            "the difference of `{path}` is cut: it exceeds the limit of an answer"
        ));
    }
}
