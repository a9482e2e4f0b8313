//! `docent doctor`: reports the grants, the limits of the component and a self-test.

use std::fmt::Write as _;
use std::io;
use std::process::ExitCode;

use clap::Args;
use docent_host::component;
use docent_host::embedder::Model;
use docent_host::grant::{Grants, Right, RootSpec};
use docent_host::{Session, tools};
use rmcp::model::ProtocolVersion;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::app::App;
use crate::args::Roots;
use crate::config::{Flags, Setup};
use crate::embedder::Spec;
use crate::terminal::call::call;
use crate::terminal::error::CommandError;
use crate::terminal::outcome::NOTHING;
use crate::terminal::place::GrantedRoot;
use crate::terminal::skipped::{Skipped, not_examined};
use crate::terminal::style::count_noun;

/// Text of the document that the self-test searches.
const DOCUMENT: &str = "# Note\n\nThe quick brown fox.\n";

/// Function that the self-test calls, and its query.
const TESTED: (&str, &str) = ("search-documents", "BROWN");

/// The arguments of `docent doctor`.
#[derive(Debug, Args)]
#[command(after_help = "\
Exit status: 0 when all checks pass, 1 when one fails, 2 on an error.")]
pub struct DoctorArgs {
    #[command(flatten)]
    roots: Roots,
}

/// Prints the report.
///
/// # Errors
/// Returns an error if the output cannot be written.
pub fn run(app: &App, args: DoctorArgs) -> Result<ExitCode, CommandError> {
    let flags = Flags::from(args.roots);
    // A faulty setup does not end the command: it is what the report is about.
    let granted = app.grant(&flags);
    let grants = granted.as_ref().map(|(_, grants)| grants);
    let looks = match &granted {
        Ok((setup, _)) => look_into_roots(app, setup),
        Err(_) => Ok(Vec::new()),
    };
    // The limits may be valid although the roots are not, so their faults are reported too.
    let limits = app.load_setup(&flags).map(|setup| setup.limits);
    let setup = Setup {
        limits: limits.unwrap_or_default(),
        ..Setup::default()
    };
    let embedder = match &granted {
        Ok((setup, _)) => setup.embedder.as_ref().map(|spec| (spec, spec.look())),
        Err(_) => None,
    };
    let report = report(grants, &looks, self_test(app, &setup), embedder);
    app.print(&report.text)?;
    Ok(if report.healthy {
        ExitCode::SUCCESS
    } else {
        ExitCode::from(NOTHING)
    })
}

/// Examines each granted root, in order.
fn look_into_roots(app: &App, setup: &Setup) -> RootLooks {
    let grants = Grants::resolve_ambient(&setup.roots, setup.default_root.as_deref())?;
    let roots = GrantedRoot::all(&grants);
    let mut session = app.session(setup, grants)?;
    let looks = roots.iter().map(|root| look_into(&mut session, root));
    Ok(looks.collect())
}

/// Grants a new directory with one document and searches it under the limits of `setup`.
fn self_test(app: &App, setup: &Setup) -> Result<(), SelfTestError> {
    app.in_new_directory("docent-doctor", ("note.md", DOCUMENT), |directory| {
        let root = RootSpec {
            name: None,
            path: directory.to_owned(),
            right: Right::ReadOnly,
            sensitive: false,
        };
        let grants = Grants::resolve_ambient(&[root], None).map_err(CommandError::from)?;
        // The trial uses the configured limits but not the configured exclusions, which could
        // hide the document that it creates.
        test(&mut app.session(setup, grants)?)
    })
}

/// A reason for which the self-test failed.
#[derive(Debug, thiserror::Error)]
enum SelfTestError {
    /// Its directory could not be made or removed.
    #[error(transparent)]
    Directory(#[from] io::Error),
    /// The directory could not be granted, or the call failed.
    #[error(transparent)]
    Command(#[from] CommandError),
    /// The document was not found.
    #[error("expected one hit in line 3; the answer was {0}")]
    Answer(Value),
}

/// Function that examines a root; it opens directories but no file.
const LOOK: &str = "find-files";

/// The result of an examination of a root.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct RootLook {
    files_scanned: u64,
    directories_scanned: u64,
    /// True if the examination reached the end.
    complete: bool,
    skipped: Skipped,
}

/// The result for each root, in order; an error if no examination was possible.
type RootLooks = Result<Vec<Result<RootLook, CommandError>>, CommandError>;

#[derive(Deserialize)]
struct LookAnswer {
    stats: RootLook,
}

/// The report of `docent doctor`.
struct DoctorReport {
    /// Text for a person.
    text: String,
    /// True if docent works as configured.
    healthy: bool,
}

/// Returns the report on the grants, the examination of each root, the self-test, and the embedder
/// with its model.
fn report(
    grants: Result<&Grants, &CommandError>,
    looks: &RootLooks,
    tested: Result<(), SelfTestError>,
    embedder: Option<(&Spec, Result<Model, String>)>,
) -> DoctorReport {
    let mut text = format!("docent {}\n", env!("CARGO_PKG_VERSION"));
    // Here and below, writing to a string cannot fail.
    let _ = writeln!(
        text,
        "wasmtime {}, rmcp {}",
        env!("WASMTIME_VERSION"),
        env!("RMCP_VERSION")
    );
    let _ = writeln!(text, "MCP {}", protocol_versions());
    text.push_str("\nGranted\n");
    match grants {
        Ok(grants) => describe(&mut text, grants, looks),
        Err(error) => {
            let _ = writeln!(text, "  problem: {error}");
        }
    }
    let embeds = embedder.as_ref().is_none_or(|(_, model)| model.is_ok());
    if let Some((spec, model)) = embedder {
        let _ = writeln!(text, "\nEmbedder\n  {}", spec.description());
        let _ = match model {
            Ok(model) => writeln!(text, "  vectors of {} numbers", model.dimensions),
            Err(problem) => writeln!(text, "  problem: {problem}"),
        };
    }
    let table = tools::table();
    let tools: Vec<_> = table.tools.iter().map(|tool| tool.name.as_str()).collect();
    let _ = writeln!(
        text,
        "\nComponent {} ({} bytes)",
        table.package,
        component::len()
    );
    let _ = writeln!(text, "  offers {}", tools.join(", "));
    let _ = writeln!(text, "  imports nothing but");
    for import in &component::interface().imports {
        let _ = writeln!(text, "    {import}");
    }
    let looked = looks
        .as_ref()
        .is_ok_and(|looks| looks.iter().all(Result::is_ok));
    let healthy = grants.is_ok() && looked && embeds && tested.is_ok();
    match tested {
        Ok(()) => text.push_str("\nSelf-test passed\n"),
        Err(error) => {
            let _ = writeln!(text, "\nSelf-test failed: {error}");
        }
    }
    DoctorReport { text, healthy }
}

fn protocol_versions() -> String {
    let versions = ProtocolVersion::KNOWN_VERSIONS
        .iter()
        .map(ProtocolVersion::as_str);
    versions.collect::<Vec<_>>().join(", ")
}

fn describe(text: &mut String, grants: &Grants, looks: &RootLooks) {
    let default = grants.default_grant().map(docent_host::grant::Grant::name);
    for (index, grant) in grants.all().iter().enumerate() {
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
        match (grant.right(), grant.state()) {
            (Right::ReadOnly, _) => {}
            (Right::ReadWrite, Some(state)) => {
                let _ = writeln!(text, "    data for undo: {}", state.display());
            }
            (Right::ReadWrite, None) => text.push_str("    no write can be undone\n"),
        }
        let looked = match looks {
            Ok(looks) => looks.get(index).map(Result::as_ref),
            Err(error) => Some(Err(error)),
        };
        match looked {
            Some(Ok(look)) => describe_look(text, look),
            Some(Err(error)) => {
                let _ = writeln!(text, "    problem: {error}");
            }
            None => {}
        }
    }
}

fn describe_look(text: &mut String, look: &RootLook) {
    let least = if look.complete { "" } else { "at least " };
    let files = count_noun(look.files_scanned, "file");
    let directories = match look.directories_scanned {
        1 => "1 directory".to_owned(),
        number => format!("{number} directories"),
    };
    let _ = writeln!(text, "    {least}{files} in {directories}");
    if look.skipped.count > 0 {
        let _ = writeln!(text, "    {}", not_examined(&look.skipped, "opened"));
    }
}

/// Examines a root: counts its entries and lists the directories that cannot be opened.
///
/// # Errors
/// Returns an error if the root cannot be opened or the component fails.
fn look_into(session: &mut Session, root: &GrantedRoot) -> Result<RootLook, CommandError> {
    let mut request = Map::new();
    request.insert("root".to_owned(), json!(root.name));
    // The entries found are not shown.
    request.insert("limit".to_owned(), json!(1));
    let answer: LookAnswer = call(session, LOOK, request)?;
    Ok(answer.stats)
}

/// Searches [`DOCUMENT`], the only document that `session` can reach.
///
/// # Errors
/// Returns an error if the call fails or the document is not found.
fn test(session: &mut Session) -> Result<(), SelfTestError> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_root_holds_is_told() {
        let mut text = String::new();
        let look: RootLook = serde_json::from_value(json!({
            "filesScanned": 1, "directoriesScanned": 2, "complete": false,
            "skipped": {"count": 1, "entries": [{"path": "locked", "reason": "permission"}]},
        }))
        .unwrap();
        describe_look(&mut text, &look);
        assert_eq!(
            text,
            "    at least 1 file in 2 directories\n    \
             1 entry was not opened: locked (permission)\n"
        );
    }
}
