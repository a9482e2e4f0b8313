//! Patches as tasks, file by file, like those of other edits.

use docent_api::types::{Error, ErrorCode};
use docent_edit::diff::file_patch::{FileOp, FilePatch, Hunk, UnsupportedChange};
use docent_edit::diff::parse::parse;
use docent_tree::error::refuse;
use docent_tree::path::RelPath;

use crate::change::planned::LinkPolicy;
use crate::change::task::{MoveSubject, MoveTarget, Task, TaskOp};
use crate::writing::file;

/// Advice for a part of a patch that cannot be applied.
const LEAVE_OUT: &str = "Leave that part out, or ask the person to run `git apply`.";

/// Returns the tasks of a patch; `path` is the file that the request names, if any, and `own_path`
/// converts a path to one below the root.
///
/// # Errors
/// `invalid-request`, and `invalid-path`.
pub fn tasks(
    index: usize,
    diff: &str,
    path: Option<&str>,
    own_path: &dyn Fn(&str) -> Result<String, Error>,
) -> Result<Vec<Task<'static>>, Error> {
    let mut patches = parse(diff).map_err(|error| {
        refuse(
            ErrorCode::InvalidRequest,
            format!("`diff`: {error}"),
            "Send a unified diff: below a line `@@ … @@` each begins with a blank, `+` or `-`.",
        )
    })?;
    for patch in &mut patches {
        for name in [&mut patch.old, &mut patch.new].into_iter().flatten() {
            *name = own_path(name)?;
        }
    }
    let named = path.map(file::parse).transpose()?;
    if let (Some(named), [_, _, ..]) = (&named, &patches[..]) {
        return wrong(
            format!(
                "`path` is `{named}`, and the diff changes {} files; expected one",
                patches.len()
            ),
            "Leave `path` out: the diff names its files.",
        );
    }
    let mut tasks = Vec::new();
    for patch in patches {
        let warning = beside(&patch)?;
        let mut own = parse_file_tasks(index, patch, named.as_ref())?;
        if let Some(first) = own.first_mut() {
            first.warning = warning;
        }
        tasks.append(&mut own);
    }
    Ok(tasks)
}

/// Returns the warning about changes of a file other than those of its lines.
///
/// # Errors
/// `invalid-request` for a change that cannot be left out.
fn beside(patch: &FilePatch) -> Result<Option<String>, Error> {
    let name = name(patch);
    let has_lines = !patch.hunks.is_empty() || patch.op != FileOp::Stays;
    let mut warning = None;
    for change in &patch.unsupported {
        let message = match change {
            UnsupportedChange::Copy => {
                format!("the diff copies a file to `{name}`; expected no copy")
            }
            UnsupportedChange::Binary => {
                format!("the diff changes the binary `{name}`; expected text")
            }
            UnsupportedChange::Irregular => {
                format!("the diff changes `{name}`, a link or submodule; expected a regular file")
            }
            UnsupportedChange::Mode if has_lines => {
                warning = Some(format!("the mode that the diff gives `{name}` is not set"));
                continue;
            }
            UnsupportedChange::Mode => {
                format!("the diff changes nothing but the mode of `{name}`; expected lines")
            }
        };
        return wrong(message, LEAVE_OUT);
    }
    Ok(warning)
}

/// Returns the tasks of a part of a patch, which concerns one file.
fn parse_file_tasks(
    index: usize,
    patch: FilePatch,
    named: Option<&RelPath>,
) -> Result<Vec<Task<'static>>, Error> {
    let path = path(&patch, named)?;
    let task = |op| Task {
        index,
        path: path.clone(),
        op,
        warning: None,
    };
    let FilePatch { new, op, hunks, .. } = patch;
    Ok(match op {
        FileOp::Stays => vec![task(TaskOp::Hunks(hunks))],
        FileOp::Created => vec![task(TaskOp::Create(text(&path, hunks)?))],
        FileOp::Deleted => vec![task(TaskOp::Delete(Some(hunks)))],
        FileOp::Dropped => vec![task(TaskOp::Delete(None))],
        FileOp::Renamed => {
            let to = file::parse(new.as_deref().unwrap_or_default())?;
            let mut tasks = Vec::new();
            // A move by `move` follows links, one by a patch does not. Git writes into the same
            // patch what changes in other files, including their links. Rewriting these links
            // as well would shift the lines to which the hunks of the patch apply, and edit the
            // same destination twice.
            if to.as_str() != path.as_str() {
                tasks.push(task(TaskOp::Move(MoveTarget {
                    path: to,
                    links: LinkPolicy::Stay,
                    subject: MoveSubject::File,
                })));
            }
            if !hunks.is_empty() || tasks.is_empty() {
                tasks.push(task(TaskOp::Hunks(hunks)));
            }
            tasks
        }
    })
}

/// Returns the path, before the call, of the file that a part of a patch is about.
fn path(patch: &FilePatch, named: Option<&RelPath>) -> Result<RelPath, Error> {
    let in_diff = patch.old.as_deref().or(patch.new.as_deref());
    match (patch.op, &patch.old, &patch.new) {
        (FileOp::Stays, Some(old), Some(new)) if old != new => {
            return wrong(
                format!("the diff names `{old}` and `{new}`; expected one path"),
                "To rename the file, send lines `rename from` and `rename to`, or an edit of its \
                 own with `move`.",
            );
        }
        (FileOp::Renamed, None, _) | (FileOp::Renamed, _, None) => {
            return wrong(
                format!(
                    "the diff renames `{}` incompletely; expected both names",
                    name(patch)
                ),
                "Send both lines, `rename from` and `rename to`.",
            );
        }
        _ => {}
    }
    let in_diff = in_diff.map(file::parse).transpose()?;
    match (named, in_diff) {
        (Some(named), Some(in_diff)) if named.as_str() != in_diff.as_str() => wrong(
            format!("the diff names `{in_diff}`, and `path` is `{named}`"),
            "Leave one of them out, or name the same file.",
        ),
        (Some(named), _) => Ok(named.clone()),
        (None, Some(in_diff)) => Ok(in_diff),
        (None, None) => wrong(
            "the diff names no file; expected `path`, or lines `--- a/FILE` and `+++ b/FILE`"
                .to_owned(),
            "Name the file.",
        ),
    }
}

/// Returns the text of a file that a patch creates.
fn text(path: &RelPath, hunks: Vec<Hunk>) -> Result<String, Error> {
    // A hunk that creates a file has only added lines. Context or removed lines mean that the
    // author saw an existing file and wrote `/dev/null` by mistake; creating a file of the
    // added lines alone would silently lose all other lines.
    let has_lines_before = hunks.iter().any(|hunk| !hunk.old.is_empty());
    if hunks.len() > 1 || has_lines_before {
        return wrong(
            format!(
                "the diff creates `{path}` with context or removed lines; expected added lines alone"
            ),
            "Send all its lines in one hunk, each with a `+`; of a file that is there, name it in \
             `---` and `+++`.",
        );
    }
    Ok(hunks.into_iter().map(|hunk| hunk.new).collect())
}

fn name(patch: &FilePatch) -> &str {
    let names = [patch.new.as_deref(), patch.old.as_deref()];
    names.into_iter().flatten().next().unwrap_or("a file")
}

fn wrong<T>(message: String, hint: &str) -> Result<T, Error> {
    Err(refuse(ErrorCode::InvalidRequest, message, hint))
}
