//! `docent doctor`: what is granted, what the component may do, and whether it works.

use std::fmt::Write as _;
use std::io;

use docent_host::component;
use docent_host::grant::{Grants, Right};
use docent_host::{Session, tools};
use rmcp::model::ProtocolVersion;
use serde_json::{Map, Value, json};

use crate::terminal::error::CommandError;

/// What the self-test searches.
pub const DOCUMENT: &str = "# Note\n\nThe quick brown fox.\n";

/// The function that the self-test calls, and what it looks for.
const TESTED: (&str, &str) = ("search-documents", "BROWN");

/// What the self-test failed at.
#[derive(Debug, thiserror::Error)]
pub enum SelfTestError {
    /// Its directory could not be made or removed.
    #[error(transparent)]
    Directory(#[from] io::Error),
    /// The directory could not be granted, or the call failed.
    #[error(transparent)]
    Command(#[from] CommandError),
    /// The document was not found.
    #[error("one hit in line 3 was expected, and the answer was {0}")]
    Answer(Value),
}

/// What was found out.
pub struct Report {
    /// For a person.
    pub text: String,
    /// Whether docent can be used as it is set up.
    pub healthy: bool,
}

/// Returns what there is to say about the grants and the outcome of the self-test.
pub fn report(grants: Result<&Grants, &CommandError>, tested: Result<(), SelfTestError>) -> Report {
    let mut text = format!("docent {}\n", env!("CARGO_PKG_VERSION"));
    // Here and below: writing to a string does not fail.
    let _ = writeln!(
        text,
        "wasmtime {}, rmcp {}",
        env!("WASMTIME_VERSION"),
        env!("RMCP_VERSION")
    );
    let _ = writeln!(text, "MCP {}", protocol_versions());
    text.push_str("\nGranted\n");
    match grants {
        Ok(grants) => describe(&mut text, grants),
        Err(error) => {
            let _ = writeln!(text, "  problem: {error}");
        }
    }
    let table = tools::table();
    let tools: Vec<_> = table.tools.iter().map(|tool| tool.name.as_str()).collect();
    let _ = writeln!(
        text,
        "\nComponent {} ({} bytes)",
        table.package,
        component::wasm().len()
    );
    let _ = writeln!(text, "  offers {}", tools.join(", "));
    let _ = writeln!(text, "  imports nothing but");
    for import in &component::interface().imports {
        let _ = writeln!(text, "    {import}");
    }
    let healthy = grants.is_ok() && tested.is_ok();
    match tested {
        Ok(()) => text.push_str("\nSelf-test passed\n"),
        Err(error) => {
            let _ = writeln!(text, "\nSelf-test failed: {error}");
        }
    }
    Report { text, healthy }
}

fn protocol_versions() -> String {
    let versions = ProtocolVersion::KNOWN_VERSIONS
        .iter()
        .map(ProtocolVersion::as_str);
    versions.collect::<Vec<_>>().join(", ")
}

fn describe(text: &mut String, grants: &Grants) {
    let default = grants.default_grant().map(docent_host::grant::Grant::name);
    for grant in grants.all() {
        let right = match grant.right() {
            Right::ReadOnly => "read-only",
            Right::ReadWrite => "read-write",
        };
        let mark = if default == Some(grant.name()) {
            ", default"
        } else {
            ""
        };
        let _ = writeln!(
            text,
            "  {} ({right}{mark}): {}",
            grant.name(),
            grant.path().display()
        );
    }
}

/// Searches [`DOCUMENT`], the only document that `session` can reach.
///
/// # Errors
/// What went wrong, or that it was not found.
pub fn test(session: &mut Session) -> Result<(), SelfTestError> {
    let (function, query) = TESTED;
    let mut request = Map::new();
    request.insert("query".to_owned(), json!(query));
    let answer = session
        .call(function, request)
        .map_err(CommandError::Call)?;
    if answer["totalMatches"] == 1 && answer["results"][0]["matches"][0]["line"] == 3 {
        return Ok(());
    }
    Err(SelfTestError::Answer(answer))
}
