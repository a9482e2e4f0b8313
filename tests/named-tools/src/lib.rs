//! A component with tools that the official conformance tests of MCP call by name.
#![cfg(target_family = "wasm")]

use std::thread;
use std::time::Duration;

/// The bindings generated from `wit/`.
#[allow(
    missing_docs,
    unsafe_code,
    clippy::all,
    clippy::pedantic,
    reason = "generated from wit/, where the documentation stands"
)]
mod bindings {
    wit_bindgen::generate!({
        path: "wit",
        world: "named-tools",
    });
}

use bindings::docent::test_named_tools::types::ErrorCode;
use bindings::{Answer, Error, Guest};

struct NamedTools;

bindings::export!(NamedTools with_types_in bindings);

/// An existing document to read.
const DOCUMENT: &str = "/docs/setup.md";

/// Number of reads of the document, and the pause between them. Progress is the number of opened
/// files; it is reported from one second on about every half second, and the tests expect three
/// reports.
const READS: u32 = 40;
const PAUSE: Duration = Duration::from_millis(100);

impl Guest for NamedTools {
    fn test_simple_text() -> Result<Answer, Error> {
        answer("This is a simple text response for testing.")
    }

    fn test_error_handling() -> Result<Answer, Error> {
        Err(refusal(
            "This tool intentionally returns an error for testing".to_owned(),
        ))
    }

    fn test_tool_with_progress() -> Result<Answer, Error> {
        for _ in 0..READS {
            std::fs::read(DOCUMENT).map_err(|error| refusal(format!("`{DOCUMENT}`: {error}")))?;
            thread::sleep(PAUSE);
        }
        answer("The document was read many times.")
    }
}

fn answer(text: &str) -> Result<Answer, Error> {
    Ok(Answer {
        text: text.to_owned(),
    })
}

fn refusal(message: String) -> Error {
    Error {
        code: ErrorCode::AlwaysRefused,
        message,
        hint: String::new(),
    }
}
