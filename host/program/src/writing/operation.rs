//! Output of changes in the history.

use std::fmt::Display;
use std::io::{self, Write};

use chrono::TimeZone;
use serde::{Deserialize, Serialize};

use super::command_root::CommandRoot;
use crate::terminal::page::Page;
use crate::terminal::style::{DIM, HEADING, Layout, PATH, count_noun, visible};
use crate::terminal::time::local;

/// The answer to requests for the history, and to undo.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Operations {
    /// The changes.
    pub operations: Vec<Operation>,
    /// Cursor of the next page.
    pub next_cursor: Option<String>,
    /// Additional message.
    pub message: Option<String>,
}

/// One change.
#[derive(Clone, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Operation {
    /// Number of the change, which `docent undo` accepts.
    pub id: String,
    written_at: String,
    tool: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
    kind: String,
    /// Number of the change that it reverses.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reverses: Option<String>,
    undone: bool,
    files: Vec<OperationFile>,
    more_files: u64,
}

/// The change of one file.
#[derive(Clone, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
struct OperationFile {
    path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    moved_to: Option<String>,
    action: String,
    added_lines: u64,
    removed_lines: u64,
    conflict: bool,
}

impl Operation {
    /// Prints the change, with its time in `zone`: a line, and one for each file.
    ///
    /// # Errors
    /// Returns an error if the output cannot be written.
    pub fn print<W: Write, Z: TimeZone>(
        &self,
        page: &mut Page<W>,
        command_root: &CommandRoot,
        zone: &Z,
    ) -> io::Result<()>
    where
        Z::Offset: Display,
    {
        if page.layout == Layout::Json {
            return page.object("change", &self.with_shown_paths(command_root));
        }
        let paint = page.paint;
        let what = match &self.reverses {
            Some(other) => format!("{} of {other}", self.kind),
            None => self.tool.clone(),
        };
        let undone = if self.undone { ", undone" } else { "" };
        let note = self.note.as_ref().map(|note| format!(": {note}"));
        let line = format!("{what}{undone}{}", note.unwrap_or_default());
        writeln!(
            page.output,
            "{}  {}  {}",
            paint.style(HEADING, visible(&self.id)),
            paint.style(DIM, local(&self.written_at, zone)),
            visible(&line)
        )?;
        self.print_files(page, command_root)
    }

    /// Prints the changes of its files.
    ///
    /// # Errors
    /// Returns an error if the output cannot be written.
    pub fn print_files<W: Write>(
        &self,
        page: &mut Page<W>,
        command_root: &CommandRoot,
    ) -> io::Result<()> {
        for file in &self.files {
            let path = page
                .paint
                .style(PATH, visible(&command_root.show(&file.path)));
            let to = file.moved_to.as_ref().map(|to| {
                let to = command_root.show(to);
                format!(" to {}", page.paint.style(PATH, visible(&to)))
            });
            let lines = match (file.added_lines, file.removed_lines) {
                (0, 0) => String::new(),
                (added, removed) => format!("  +{added} -{removed}"),
            };
            let left = if file.conflict {
                ", left as it was: another program changed it"
            } else {
                ""
            };
            writeln!(
                page.output,
                "    {} {path}{}{lines}{left}",
                visible(&file.action),
                to.unwrap_or_default(),
            )?;
        }
        if self.more_files > 0 {
            writeln!(
                page.output,
                "    and {} more",
                count_noun(self.more_files, "file")
            )?;
        }
        Ok(())
    }

    /// Returns a copy with paths relative to the current directory.
    fn with_shown_paths(&self, command_root: &CommandRoot) -> Self {
        let mut shown = self.clone();
        for file in &mut shown.files {
            file.path = command_root.show(&file.path);
            file.moved_to = file.moved_to.as_deref().map(|path| command_root.show(path));
        }
        shown
    }
}
