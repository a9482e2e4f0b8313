//! Jupyter notebooks: the cells in order, each with its outputs.
//!
//! The members of an object are in any order, and the outputs of a cell usually come before its
//! source. So the places of the members are noted first, and read in the order of the text.

mod json;
mod output;

use crate::failure::{EarlyStop, Failure};
use crate::limits::Limits;
use crate::markdown::Markdown;
use json::{JsonKind, JsonReader};
use output::OutputWriter;

/// Maximum bytes of the name of a language or a kind.
const NAME_BYTES: usize = 64;

/// A reader of a notebook.
struct NotebookReader {
    /// Language of cells that name none.
    language: String,
    /// Number of the cells so far.
    cells: usize,
    omitted: NotebookOmissions,
}

/// The numbers of elements that the text omits.
#[derive(Debug, Default)]
pub struct NotebookOmissions {
    pictures: usize,
    /// Outputs in HTML without plain text.
    markup: usize,
    /// Outputs of other types, such as the state of widgets.
    other: usize,
}

/// The members of a cell.
#[derive(Default)]
struct NotebookCell<'a> {
    kind: String,
    /// Language of a cell in version 3.
    language: String,
    /// Level of a heading in version 3.
    level: u8,
    source: Option<JsonReader<'a>>,
    outputs: Option<JsonReader<'a>>,
    attachments: Option<JsonReader<'a>>,
}

/// Returns true if a document is a notebook: an object with cells and the version of their format.
pub fn is_notebook(content: &[u8]) -> bool {
    let (mut has_cells, mut has_version) = (false, false);
    let mut reader = JsonReader::new(content);
    if !matches!(reader.kind(), Ok(JsonKind::Object)) {
        return false;
    }
    // A document that is cut has told what it is by then.
    let _ = reader.object(&mut |name, _| {
        has_cells |= matches!(name, "cells" | "worksheets");
        has_version |= name == "nbformat";
        Ok(())
    });
    has_cells && has_version
}

/// Adds the text of a notebook to `text`.
///
/// # Errors
/// [`EarlyStop`] if the text is incomplete.
pub fn read(content: &[u8], _limits: &Limits, text: &mut Markdown) -> Result<(), EarlyStop> {
    let mut notebook = NotebookReader {
        language: language(content),
        cells: 0,
        omitted: NotebookOmissions::default(),
    };
    let mut reader = JsonReader::new(content);
    if reader.kind()? != JsonKind::Object {
        return Err(EarlyStop::Failed(Failure::Malformed));
    }
    let mut has_cells = false;
    let end = reader.object(&mut |name, mut value| match name {
        "cells" => {
            has_cells = true;
            value.array(&mut |cell| notebook.cell(cell, text))
        }
        // Version 3 has sheets of cells, of which programs make one.
        "worksheets" => {
            has_cells = true;
            value.array(&mut |mut sheet| {
                sheet.object(&mut |name, mut cells| match name {
                    "cells" => cells.array(&mut |cell| notebook.cell(cell, text)),
                    _ => Ok(()),
                })
            })
        }
        _ => Ok(()),
    });
    match end {
        Ok(()) if !has_cells => return Err(EarlyStop::Failed(Failure::Malformed)),
        // A notebook that is cut gives the cells before the cut.
        Err(EarlyStop::Failed(Failure::Malformed)) if notebook.cells > 0 => {
            text.paragraph("The file is damaged: the text ends early.")?;
        }
        end => end?,
    }
    text.push_omission_note(&[
        (notebook.omitted.pictures, "picture", "pictures"),
        (notebook.omitted.markup, "HTML output", "HTML outputs"),
        (notebook.omitted.other, "other output", "other outputs"),
    ])
}

/// Returns the language of a notebook, which its metadata name at the end of the file.
fn language(content: &[u8]) -> String {
    let (mut of_info, mut of_kernel) = (String::new(), String::new());
    // A damaged notebook has none.
    let _ = JsonReader::new(content).object(&mut |name, mut metadata| {
        if name != "metadata" {
            return Ok(());
        }
        metadata.object(&mut |name, mut about| {
            about.object(&mut |member, value| {
                match (name, member) {
                    ("language_info", "name") => of_info = short_name(value)?,
                    ("kernelspec", "language") => of_kernel = short_name(value)?,
                    _ => {}
                }
                Ok(())
            })
        })
    });
    let name = if of_info.is_empty() {
        of_kernel
    } else {
        of_info
    };
    // In version 3 a notebook of Python need not say so.
    if name == "ipython" {
        "python".to_owned()
    } else {
        name
    }
}

/// Returns a string that is a name, without anything that has a meaning after a fence; empty if the
/// value is another one.
fn short_name(mut value: JsonReader<'_>) -> Result<String, EarlyStop> {
    let mut name = String::new();
    if value.kind()? != JsonKind::String || !value.string(&mut name, NAME_BYTES)? {
        return Ok(String::new());
    }
    name.retain(|c| c.is_alphanumeric() || "+#-_.".contains(c));
    name.make_ascii_lowercase();
    Ok(name)
}

/// Returns the text of a value that is a string or an array of strings, of at most `most` bytes.
fn text_of(mut value: JsonReader<'_>, most: usize) -> Result<String, EarlyStop> {
    let mut text = String::new();
    let mut push = |mut value: JsonReader<'_>| {
        if value.kind()? == JsonKind::String && !value.string(&mut text, most)? {
            return Err(EarlyStop::Full);
        }
        Ok(())
    };
    match value.kind()? {
        JsonKind::String => push(value)?,
        _ => value.array(&mut push)?,
    }
    // Editors of Windows end lines with two characters, and progress bars with one.
    if text.contains('\r') {
        text = text.replace("\r\n", "\n").replace('\r', "\n");
    }
    Ok(text)
}

impl NotebookReader {
    /// Adds a cell.
    fn cell(&mut self, mut value: JsonReader<'_>, text: &mut Markdown) -> Result<(), EarlyStop> {
        self.cells += 1;
        let mut cell = NotebookCell::default();
        value.object(&mut |name, value| {
            match name {
                "cell_type" => cell.kind = short_name(value)?,
                "language" => cell.language = short_name(value)?,
                "level" => cell.level = number(value)?,
                // `input` is the name of version 3.
                "source" | "input" => cell.source = Some(value),
                "outputs" => cell.outputs = Some(value),
                "attachments" => cell.attachments = Some(value),
                _ => {}
            }
            Ok(())
        })?;
        let source = match cell.source {
            Some(source) => text_of(source, text.room())?,
            None => String::new(),
        };
        match cell.kind.as_str() {
            "markdown" | "html" => {
                if let Some(mut attachments) = cell.attachments {
                    attachments.object(&mut |_, _| {
                        self.omitted.pictures += 1;
                        Ok(())
                    })?;
                }
                let source = self.without_data(source);
                text.markdown_below(&self.mark(), &source)
            }
            "heading" => {
                let mut heading = Markdown::new(text.room());
                heading.heading(cell.level, &source)?;
                text.markdown_below(&self.mark(), &heading.finish())
            }
            "code" => {
                let language = if cell.language.is_empty() {
                    self.language.clone()
                } else {
                    cell.language
                };
                let info = format!("{language} cell={}", self.cells);
                text.fenced_code(info.trim_start(), &source)?;
                match cell.outputs {
                    Some(outputs) => OutputWriter::new(self, text).write(outputs),
                    None => Ok(()),
                }
            }
            _ => text.fenced_code(&format!("raw cell={}", self.cells), &source),
        }
    }

    /// Returns the line before the Markdown of the current cell, by which it is addressed.
    fn mark(&self) -> String {
        format!("<!-- cell={} -->\n", self.cells)
    }

    /// Returns Markdown without the bytes of pictures in it.
    fn without_data(&mut self, source: String) -> String {
        const MARK: &str = ";base64,";
        if !source.contains(MARK) {
            return source;
        }
        let mut parts = source.split(MARK);
        let mut text = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            let is_data = |c: char| c.is_ascii_alphanumeric() || "+/=".contains(c);
            let rest = part.trim_start_matches(is_data);
            text.push_str(MARK);
            self.omitted.pictures += 1;
            text.push_str(rest);
        }
        text
    }
}

/// Returns a small number, 1 if the value is another one.
fn number(mut value: JsonReader<'_>) -> Result<u8, EarlyStop> {
    Ok(value.digit()?.unwrap_or(1))
}
