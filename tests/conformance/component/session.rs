//! The component in wasmtime over a case's tree.

use docent_conformance::Case;
use docent_conformance::files::Tree;
use docent_host::grant::{GrantError, Grants, Right, RootSpec};
use docent_host::{CallError, Limits, Session, Settings};
use docent_tests::guest::limits;
use docent_tree::disk::Root;
use serde_json::{Map, Value, json};

/// Returns the component with the case's roots and settings, and `cache` bytes of cache; none if
/// the case describes a configuration that this host refuses to start with, and it did refuse.
///
/// # Panics
/// If it does not start but should.
pub fn session(case: &Case, tree: &Tree, cache: usize) -> Option<Session> {
    let specs: Vec<RootSpec> = tree
        .roots
        .iter()
        .map(|(Root { name, writable, .. }, path)| RootSpec {
            name: Some(name.clone()),
            path: path.clone(),
            right: if *writable {
                Right::ReadWrite
            } else {
                Right::ReadOnly
            },
            sensitive: false,
        })
        .collect();
    let default = case.env.get("DOCENT_DEFAULT_ROOT").map(String::as_str);
    let is_known = default.is_none_or(|name| tree.roots.iter().any(|(root, _)| root.name == name));
    let grants = match Grants::resolve_ambient(&specs, default) {
        Ok(grants) => grants,
        Err(GrantError::Nothing) if case.roots.is_empty() => Grants::default(),
        Err(GrantError::UnknownDefault { .. }) if !is_known => return None,
        Err(error) => panic!("{}: {error}", case.name),
    };
    let exclude = case.env.get("DOCENT_EXCLUDE").map_or("", String::as_str);
    let settings = Settings {
        exclude: exclude.lines().map(str::to_owned).collect(),
        utc_offset_minutes: None,
    };
    let session = Session::load(grants, settings, Limits { cache, ..limits() });
    Some(session.expect("the component loads"))
}

/// Calls a tool with flat arguments in camelCase.
///
/// # Errors
/// The tool's own error, or the fault that ended the call.
pub fn call(
    session: &mut Session,
    tool: &str,
    arguments: Map<String, Value>,
) -> Result<Value, Value> {
    session.call(tool, arguments).map_err(|error| match error {
        CallError::Refused(refusal) => json!({
            "code": refusal.code,
            "message": refusal.message,
            "hint": refusal.hint,
        }),
        CallError::Fault(fault) => json!({ "fault": fault.to_string() }),
    })
}
