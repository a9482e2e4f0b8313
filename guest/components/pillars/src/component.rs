//! The component's shell: one line per function.

use docent_tool_catalog::table;
use docent_wrapper::{Imported, WrapperRefusal, answer};
use serde_json::{Map, Value};

use crate::arguments::Arguments;
use crate::single_call::{SingleCall, arguments_to_write};
use bindings::{Command, Guest, Replacement};

/// The bindings generated from `wit/agent.wit`.
#[allow(
    missing_docs,
    unsafe_code,
    clippy::all,
    clippy::pedantic,
    reason = "generated from wit/, where the documentation stands"
)]
mod bindings {
    wit_bindgen::generate!({
        path: "../../../wit",
        world: "agent-guest",
    });

    export!(Pillars);

    use super::Pillars;
}

/// The component's exports.
struct Pillars;

impl Guest for Pillars {
    fn explore(
        query: Option<String>,
        paths: Option<Vec<String>>,
        pattern: Option<String>,
        more: Option<String>,
    ) -> Result<String, String> {
        let given = Arguments::new()
            .with("query", query)
            .with("paths", paths)
            .with("pattern", pattern);
        call_tool("explore", all(given, more)?)
    }

    fn understand(paths: Option<Vec<String>>, more: Option<String>) -> Result<String, String> {
        let given = Arguments::new().with("paths", paths);
        call_tool("understand", all(given, more)?)
    }

    fn find_files(
        glob: Option<String>,
        from: Option<String>,
        more: Option<String>,
    ) -> Result<String, String> {
        let given = Arguments::new().with("glob", glob).with("from", from);
        call_tool("find_files", all(given, more)?)
    }

    fn change(
        edits: Vec<Replacement>,
        plan_id: Option<String>,
        more: Option<String>,
    ) -> Result<String, String> {
        let edits = edits.into_iter().enumerate();
        let edits = edits
            .map(|(index, edit)| fields(index, edit))
            .collect::<Result<Vec<Value>, String>>()?;
        let given = Arguments::new()
            .with("planId", plan_id)
            .with_any("edits", Some(edits));
        call_tool("change", arguments_to_write(all(given, more)?))
    }

    fn write_file(
        path: String,
        content: Option<String>,
        more: Option<String>,
    ) -> Result<String, String> {
        let given = Arguments::new()
            .with_any("path", Some(path))
            .with_any("content", content);
        call_tool("write", all(given, more)?)
    }

    fn manage(command: Command, more: Option<String>) -> Result<String, String> {
        let command = match command {
            Command::Status => "status",
            Command::History => "history",
            Command::Undo => "undo",
            Command::Redo => "redo",
            Command::Test => "test",
        };
        let given = Arguments::new().with("command", Some(command));
        call_tool("manage", all(given, more)?)
    }
}

/// Returns all arguments of a call.
fn all(given: Arguments, more: Option<String>) -> Result<Map<String, Value>, String> {
    let arguments = given.with_more("more", more.as_deref());
    arguments.map_err(|refused| refused.text())
}

/// Returns the edit at `index` as `change` takes it.
fn fields(index: usize, edit: Replacement) -> Result<Value, String> {
    let fields = Arguments::new()
        .with("path", edit.path)
        .with("oldText", edit.old_text)
        // An empty replacement is meant: it removes the old text. `with` would leave it out as
        // an absent argument.
        .with_any("newText", edit.new_text)
        .with_more(&format!("edits[{index}].more"), edit.more.as_deref());
    fields.map(Value::Object).map_err(|refused| refused.text())
}

fn call_tool(tool: &str, arguments: Map<String, Value>) -> Result<String, String> {
    let Some(tool) = table().find(tool) else {
        return Err(WrapperRefusal::internal(format!("there is no tool `{tool}`")).text());
    };
    answer(tool, arguments, &mut SingleCall(Imported))
}
