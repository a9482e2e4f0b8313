//! Undoing and redoing of changes.

use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

use docent_host::Session;
use serde_json::{Map, json};

use super::command_root::CommandRoot;
use super::open_command_root;
use super::operation::{Operation, Operations};
use crate::app::App;
use crate::args::{OutputArgs, StateArgs};
use crate::terminal::call::call;
use crate::terminal::error::CommandError;
use crate::terminal::notes::note;
use crate::terminal::page::Page;
use crate::terminal::style::{HEADING, Layout, visible};

/// The direction of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UndoDirection {
    /// Undo a change.
    Undo,
    /// Undo an undo.
    Redo,
}

/// The target on the command line.
#[derive(Debug, PartialEq, Eq)]
enum UndoArgument<'a> {
    /// Latest change.
    Latest,
    /// Change with this number.
    Number(&'a str),
    /// Latest change of this file.
    File(&'a Path),
}

impl<'a> UndoArgument<'a> {
    /// Parses a word: digits are a number, anything else is a file, such as `./12`.
    fn from_argument(word: Option<&'a Path>) -> Self {
        let Some(word) = word else {
            return Self::Latest;
        };
        let is_number = |text: &&str| text.bytes().all(|byte| byte.is_ascii_digit());
        match word.to_str().filter(is_number) {
            Some(number) if !number.is_empty() => Self::Number(number),
            _ => Self::File(word),
        }
    }
}

/// Undoes a change, or redoes it: that which `target` names on the command line, or the latest.
///
/// # Errors
/// Returns an error if the component refuses or fails, in which case nothing was written, or if the
/// output cannot be written.
pub fn take_back(
    app: &App,
    direction: UndoDirection,
    target: Option<&Path>,
    kept: &StateArgs,
    output: &OutputArgs,
) -> Result<ExitCode, CommandError> {
    let (number, files) = match UndoArgument::from_argument(target) {
        UndoArgument::Latest => (None, Vec::new()),
        UndoArgument::Number(number) => (Some(number.to_owned()), Vec::new()),
        UndoArgument::File(file) => (None, vec![app.resolve_recorded(file)?]),
    };
    let (command_root, mut session) = open_command_root(app, kept, output, &files)?;
    // A file may be called `12`. With `./` in front the component takes it for a path and not
    // for the number of a change.
    let name = command_root
        .names(&files)?
        .pop()
        .map(|name| format!("./{name}"));
    let target = number.or(name);
    let page = app.page(output);
    reverse(
        page,
        &mut session,
        &command_root,
        direction,
        target.as_deref(),
    )?;
    Ok(ExitCode::SUCCESS)
}

/// Undoes a change, or redoes it: the one numbered `target`, the latest of that file of the root,
/// or the latest.
fn reverse<W: Write>(
    mut page: Page<W>,
    session: &mut Session,
    command_root: &CommandRoot,
    direction: UndoDirection,
    target: Option<&str>,
) -> Result<(), CommandError> {
    let command = match direction {
        UndoDirection::Undo => "undo",
        UndoDirection::Redo => "redo",
    };
    let mut request = Map::new();
    request.insert("command".to_owned(), json!(command));
    if let Some(target) = target {
        request.insert("target".to_owned(), json!(target));
    }
    let answer: Operations = call(session, "manage", request)?;
    for operation in &answer.operations {
        if page.layout == Layout::Json {
            operation.print(&mut page, command_root, &chrono::Utc)?;
            continue;
        }
        let line = page
            .paint
            .style(HEADING, line(operation, command_root, direction));
        writeln!(page.output, "{line}")?;
        operation.print_files(&mut page, command_root)?;
    }
    page.output.flush()?;
    if let Some(message) = answer.message {
        note(visible(&message));
    }
    Ok(())
}

fn line(operation: &Operation, command_root: &CommandRoot, direction: UndoDirection) -> String {
    let id = &operation.id;
    let other = operation.reverses.as_deref().unwrap_or_default();
    // An undo is a change with a number of its own, by which the opposite command reverts it.
    let line = match direction {
        UndoDirection::Undo => {
            let redo = command_root.command(&format!("redo {id}"));
            format!("change {other} is undone; `{redo}` brings it back")
        }
        UndoDirection::Redo => {
            let undo = command_root.command(&format!("undo {id}"));
            format!("undo {other} is reverted; `{undo}` undoes it again")
        }
    };
    visible(&line).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_no_file() {
        let target = |word: &'static str| UndoArgument::from_argument(Some(Path::new(word)));
        assert_eq!(target("12"), UndoArgument::Number("12"));
        assert_eq!(target("./12"), UndoArgument::File(Path::new("./12")));
        assert_eq!(target("a1"), UndoArgument::File(Path::new("a1")));
        assert_eq!(UndoArgument::from_argument(None), UndoArgument::Latest);
    }
}
