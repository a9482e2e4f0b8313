//! `docent summary`: summarizes a document.

use std::io::Write;

use docent_host::Session;
use docent_host::render::Renderer;
use docent_host::tools;
use serde_json::{Value, json};

use crate::terminal::call::{arguments, call};
use crate::terminal::error::CommandError;
use crate::terminal::page::Page;
use crate::terminal::place::{Place, Root};
use crate::terminal::style::Layout;

/// The function of the component that summarizes, and its tool.
const FUNCTION: &str = "summarize-document";
const TOOL: &str = "summarize_document";

/// Prints the summary of a document.
///
/// # Errors
/// Returns an error if `place` is a directory, if the component refuses or fails, or if the output
/// cannot be written.
pub fn print<W: Write>(
    page: &mut Page<W>,
    is_first: bool,
    session: &mut Session,
    root: &Root,
    place: &Place,
) -> Result<(), CommandError> {
    let request = arguments(root, place);
    if place.file.is_none() {
        let shown = place.shown(".");
        return Err(CommandError::Usage(format!(
            "`{shown}` is a directory; expected documents: `docent summary NOTE.md`"
        )));
    }
    let mut answer: Value = call(session, FUNCTION, request.clone())?;
    let path = answer["path"].as_str().map(|path| place.shown(path));
    answer["path"] = json!(path);
    if page.layout == Layout::Json {
        page.object("document", &answer)?;
        return Ok(());
    }
    if !is_first {
        writeln!(page.output)?;
    }
    let tool = tools::table().find(TOOL);
    let text = tool.map(|tool| Renderer::new().answer(tool.names(), &request, &answer));
    page.text(text.unwrap_or_default().trim_end())?;
    Ok(())
}
