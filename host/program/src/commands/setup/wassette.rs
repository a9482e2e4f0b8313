//! Wassette, a host of components. It stores its components and grants in files of its own, whose
//! format differs between versions, so it is configured with its own commands.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use docent_client_config::{ClientEnvironment, Launch, NAME, unified_diff};
use docent_host::component;
use docent_host::grant::{Right, RootSpec};
use serde_json::Value;

use super::action::SetupAction;
use super::program::on_path_ambient;

/// Name of the client for people.
pub const TITLE: &str = "Wassette";

/// Name of its program.
const PROGRAM: &str = "wassette";

/// Name of the component's file, by which Wassette calls the component.
const COMPONENT: &str = "docent.wasm";

/// Scheme of a directory's URI.
const SCHEME: &str = "fs://";

/// Directories by their URIs, each with the granted access (`read` or `read,write`).
type DirectoryGrants = BTreeMap<String, String>;

/// The installed Wassette.
pub struct Wassette {
    /// Path of its program.
    pub program: PathBuf,
    /// State, or the reason for which it is unknown.
    found: Result<WassetteState, String>,
    /// Directory in which docent keeps the component for it.
    data: Option<PathBuf>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct WassetteState {
    /// Identifier of the loaded component; none if it is not loaded.
    id: Option<String>,
    grants: DirectoryGrants,
}

/// A command of Wassette.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WassetteStep {
    /// Loads the component.
    Load,
    /// Revokes a directory.
    Revoke(String),
    /// Grants a directory.
    Grant(String, String),
    /// Unloads the component, with its grants.
    Unload,
}

/// The commands that change Wassette, and a diff of their effect.
#[derive(Debug, PartialEq, Eq)]
pub struct WassetteChange {
    steps: Vec<WassetteStep>,
    /// Diff of Wassette's state of docent; empty if nothing changes.
    pub difference: String,
}

impl Wassette {
    /// Queries Wassette's state of docent; none if Wassette is not installed.
    pub fn find_ambient(environment: &ClientEnvironment<'_>) -> Option<Self> {
        let program = on_path_ambient(PROGRAM, environment)?;
        let found = query_ambient(&program);
        let data = environment
            .path("XDG_DATA_HOME")
            .filter(|path| path.is_absolute())
            .or_else(|| Some(environment.home()?.join(".local/share")));
        Some(Self {
            program,
            found,
            data: data.map(|data| data.join(NAME)),
        })
    }

    /// Returns the granted roots, each as `PATH[:rw]`.
    pub fn granted_roots(&self) -> Option<Vec<String>> {
        let known = self.found.as_ref().ok()?;
        known.id.as_ref()?;
        let roots = known.grants.iter().map(|(address, access)| {
            let path = address.strip_prefix(SCHEME).unwrap_or(address);
            let right = if access.contains("write") { ":rw" } else { "" };
            format!("{path}{right}")
        });
        Some(roots.collect())
    }

    /// Returns the commands that add docent with these roots, or with its present ones if none are
    /// given, or that remove it.
    ///
    /// # Errors
    /// Returns the reason for which Wassette's state is unknown.
    pub fn decide(
        &self,
        action: SetupAction,
        roots: &[RootSpec],
    ) -> Result<WassetteChange, String> {
        let known = self.found.as_ref().map_err(Clone::clone)?;
        let wanted = match action {
            SetupAction::Remove => WassetteState::default(),
            SetupAction::Add => WassetteState {
                id: Some(known.id.clone().unwrap_or_else(|| NAME.to_owned())),
                grants: if roots.is_empty() {
                    known.grants.clone()
                } else {
                    roots.iter().map(grant).collect()
                },
            },
        };
        let (old, new) = (describe(known), describe(&wanted));
        Ok(WassetteChange {
            steps: steps(known, &wanted),
            difference: unified_diff(PROGRAM, Some(&old), &new),
        })
    }

    /// Runs the commands.
    ///
    /// # Errors
    /// Returns the first command that failed, with its message. The commands before it stay in
    /// effect.
    pub fn run_ambient(&self, steps: &WassetteChange) -> Result<(), String> {
        let mut id = self.found.as_ref().ok().and_then(|known| known.id.clone());
        for step in &steps.steps {
            match step {
                WassetteStep::Load => {
                    let address = format!("file://{}", self.component_ambient()?.display());
                    invoke_ambient(&self.program, &["component", "load", &address])?;
                    id = query_ambient(&self.program)?.id;
                }
                WassetteStep::Revoke(address) => {
                    let id = require_loaded(id.as_deref())?;
                    let revoke = ["permission", "revoke", "storage", id, address];
                    invoke_ambient(&self.program, &revoke)?;
                }
                WassetteStep::Grant(address, access) => {
                    let id = require_loaded(id.as_deref())?;
                    let grant = [
                        "permission",
                        "grant",
                        "storage",
                        id,
                        address,
                        "--access",
                        access,
                    ];
                    invoke_ambient(&self.program, &grant)?;
                }
                WassetteStep::Unload => {
                    let id = require_loaded(id.as_deref())?;
                    invoke_ambient(&self.program, &["permission", "reset", id])?;
                    invoke_ambient(&self.program, &["component", "unload", id])?;
                    if let Some(data) = &self.data {
                        // The component may have been loaded from elsewhere, and then there is
                        // no such file.
                        let _ = fs::remove_file(data.join(COMPONENT));
                    }
                }
            }
        }
        Ok(())
    }

    /// Returns the command with which clients start Wassette: `run`, or `serve --stdio` in versions
    /// without `run`.
    pub fn launch_ambient(&self) -> Launch {
        let has_run = invoke_ambient(&self.program, &["run", "--help"]).is_ok();
        let args: &[&str] = if has_run {
            &["run"]
        } else {
            &["serve", "--stdio"]
        };
        Launch {
            command: self.program.display().to_string(),
            args: args.iter().map(ToString::to_string).collect(),
            ..Launch::default()
        }
    }

    /// Writes the component to a permanent file, because Wassette may read it again.
    fn component_ambient(&self) -> Result<PathBuf, String> {
        let Some(data) = &self.data else {
            return Err("no home directory is known; set HOME".to_owned());
        };
        let path = data.join(COMPONENT);
        let written = fs::create_dir_all(data).and_then(|()| fs::write(&path, component::wasm()));
        written.map_err(|error| format!("`{}` cannot be written: {error}", path.display()))?;
        Ok(path)
    }
}

fn require_loaded(id: Option<&str>) -> Result<&str, String> {
    id.ok_or_else(|| format!("{PROGRAM} does not list the component that it has loaded"))
}

fn grant(root: &RootSpec) -> (String, String) {
    let access = match root.right {
        Right::ReadOnly => "read",
        Right::ReadWrite => "read,write",
    };
    (
        format!("{SCHEME}{}", root.path.display()),
        access.to_owned(),
    )
}

/// Formats Wassette's state as lines.
fn describe(known: &WassetteState) -> String {
    let component = known.id.iter().map(|id| format!("component {id}\n"));
    let grants = known.grants.iter();
    let grants = grants.map(|(address, access)| format!("storage {address} {access}\n"));
    component.chain(grants).collect()
}

fn steps(known: &WassetteState, wanted: &WassetteState) -> Vec<WassetteStep> {
    match (&known.id, &wanted.id) {
        (None, None) => return Vec::new(),
        (Some(_), None) => return vec![WassetteStep::Unload],
        (_, Some(_)) => {}
    }
    let load = known.id.is_none().then_some(WassetteStep::Load);
    let differs =
        |one: &DirectoryGrants, address: &String, access: &String| one.get(address) != Some(access);
    let gone = known.grants.iter();
    let gone = gone.filter(|(address, access)| differs(&wanted.grants, address, access));
    let new = wanted.grants.iter();
    let new = new.filter(|(address, access)| differs(&known.grants, address, access));
    let load = load.into_iter();
    let gone = gone.map(|(address, _)| WassetteStep::Revoke(address.clone()));
    let new = new.map(|(address, access)| WassetteStep::Grant(address.clone(), access.clone()));
    load.chain(gone).chain(new).collect()
}

/// Queries the component and its policy.
fn query_ambient(program: &Path) -> Result<WassetteState, String> {
    let list = invoke_ambient(program, &["component", "list"])?;
    let Some(id) = component_id(&list) else {
        return Ok(WassetteState::default());
    };
    let policy = invoke_ambient(program, &["policy", "get", &id])?;
    let mut grants = collect_grants(&policy);
    // Some versions print the policy itself, others the path of its file. Both are read;
    // without the present grants, revoking would be left out.
    if let Some(path) = policy["policy_info"]["local_path"].as_str() {
        let text = fs::read_to_string(path);
        let text = text.map_err(|error| format!("`{path}` cannot be read: {error}"))?;
        grants.extend(read_policy(&text));
    }
    Ok(WassetteState {
        id: Some(id),
        grants,
    })
}

/// Returns the identifier of docent's component: `docent`, with the prefix that versions add for a
/// file or a URL.
fn component_id(list: &Value) -> Option<String> {
    let components = list["components"].as_array()?.iter();
    let mut ids = components.filter_map(|component| component["id"].as_str());
    let id = ids.find(|id| id.rsplit([':', '/']).next() == Some(NAME))?;
    Some(id.to_owned())
}

/// Returns the directories that a policy grants, at any depth.
fn collect_grants(policy: &Value) -> DirectoryGrants {
    let mut found = DirectoryGrants::new();
    let mut left = vec![policy];
    while let Some(value) = left.pop() {
        match value {
            Value::Array(items) => left.extend(items),
            Value::Object(members) => {
                let address = members.get("uri").and_then(Value::as_str);
                let access = members.get("access").and_then(Value::as_array);
                if let (Some(address), Some(access)) = (address, access) {
                    let mut access: Vec<_> = access.iter().filter_map(Value::as_str).collect();
                    access.sort_unstable();
                    found.insert(address.to_owned(), access.join(","));
                }
                left.extend(members.values());
            }
            _ => {}
        }
    }
    found
}

/// Returns the directories that a policy file grants. Wassette writes it as YAML, with a `uri` and
/// a list `access` for each.
fn read_policy(text: &str) -> DirectoryGrants {
    let mut found: Vec<(String, Vec<String>)> = Vec::new();
    let unquote = |value: &str| value.trim().trim_matches(['\'', '"']).to_owned();
    for line in text.lines() {
        let line = line.trim();
        let item = line.strip_prefix("- ");
        let pair = item.unwrap_or(line).split_once(':');
        match (pair, item, found.last_mut()) {
            (Some(("uri", address)), ..) => found.push((unquote(address), Vec::new())),
            (Some(("access", list)), _, Some((_, access))) => {
                let list = list.trim().trim_matches(['[', ']']).split(',');
                access.extend(list.map(unquote).filter(|item| !item.is_empty()));
            }
            (None, Some(item), Some((_, access))) => access.push(unquote(item)),
            _ => {}
        }
    }
    let grants = found.into_iter().map(|(address, mut access)| {
        access.sort_unstable();
        (address, access.join(","))
    });
    grants.collect()
}

/// Runs a command of Wassette and returns its answer; null if it is not JSON.
fn invoke_ambient(program: &Path, arguments: &[&str]) -> Result<Value, String> {
    let mut command = Command::new(program);
    let run = command.args(arguments).stdin(Stdio::null()).output();
    let failed = |problem: &str| format!("`{PROGRAM} {}`: {problem}", arguments.join(" "));
    let output = run.map_err(|error| failed(&error.to_string()))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        return Err(failed(said.trim().lines().last().unwrap_or("it failed")));
    }
    Ok(serde_json::from_slice(&output.stdout).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn known(id: Option<&str>, grants: &[(&str, &str)]) -> WassetteState {
        let grants = grants.iter();
        let grants = grants.map(|(address, access)| ((*address).to_owned(), (*access).to_owned()));
        WassetteState {
            id: id.map(str::to_owned),
            grants: grants.collect(),
        }
    }

    #[test]
    fn the_component_is_known_by_the_last_part_of_its_name() {
        for (id, expected) in [
            ("docent", true),
            ("local:docent", true),
            ("ghcr.io/somebody/docent", true),
            ("docent-museum", false),
            ("local:other", false),
        ] {
            let list = json!({"components": [{"id": "a"}, {"id": id}], "total": 2});
            assert_eq!(component_id(&list).as_deref() == Some(id), expected, "{id}");
        }
        assert_eq!(component_id(&Value::Null), None);
    }

    #[test]
    fn grants_are_found_in_every_form_of_a_policy() {
        let expected = known(None, &[("fs:///a", "read"), ("fs:///b", "read,write")]).grants;
        let (one, other) = (
            json!({"uri": "fs:///a", "access": ["read"]}),
            json!({"uri": "fs:///b", "access": ["write", "read"]}),
        );
        for policy in [
            json!({"permissions": {"storage": [one, other]}}),
            json!({"policy": {"permissions": {"storage": {"allow": [one, other]}}}}),
        ] {
            assert_eq!(collect_grants(&policy), expected);
        }
    }

    #[test]
    fn grants_are_found_in_a_policy_file() {
        let text = "version: '1.0'\ndescription: Auto-generated\npermissions:\n  storage:\n    allow:\n    \
                    - uri: fs:///a\n      access:\n      - read\n    - uri: \"fs:///b: c\"\n      \
                    access: [\"write\", \"read\"]\n  network:\n    allow:\n    - host: example.org\n";
        let expected = known(None, &[("fs:///a", "read"), ("fs:///b: c", "read,write")]);
        assert_eq!(read_policy(text), expected.grants);
        assert_eq!(read_policy("version: '1.0'\n"), DirectoryGrants::new());
    }

    #[test]
    fn commands_make_the_difference_and_no_more() {
        let none = WassetteState::default();
        let one = known(Some("docent"), &[("fs:///a", "read")]);
        let two = known(
            Some("docent"),
            &[("fs:///a", "read,write"), ("fs:///b", "read")],
        );
        let grant = |address: &str, access: &str| {
            WassetteStep::Grant(address.to_owned(), access.to_owned())
        };
        assert_eq!(steps(&none, &none), []);
        assert_eq!(steps(&one, &one), []);
        assert_eq!(
            steps(&none, &one),
            [WassetteStep::Load, grant("fs:///a", "read")]
        );
        assert_eq!(
            steps(&one, &two),
            [
                WassetteStep::Revoke("fs:///a".to_owned()),
                grant("fs:///a", "read,write"),
                grant("fs:///b", "read")
            ]
        );
        assert_eq!(steps(&two, &none), [WassetteStep::Unload]);
        assert_eq!(describe(&one), "component docent\nstorage fs:///a read\n");
    }
}
