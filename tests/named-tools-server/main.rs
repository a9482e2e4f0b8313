//! Serves a directory, as the root `docs`, to the tools that the official conformance tests of MCP
//! call by name, with the code by which `docent serve` serves docent's own, over another component.
//!
//! Usage: docent-test-named-tools-server DIRECTORY. The address is printed on stderr.
#![forbid(unsafe_code)]

use std::env;
use std::error::Error;
use std::time::Duration;

use docent::http::{self, Access, Answers, Place, Plan, Serving, Trace};
use docent_host::grant::{Grants, Right, RootSpec};
use docent_host::tools::ToolTable;
use docent_host::{Limits, LoadError, Pool, Settings};

/// The component with the tools.
const COMPONENT: &[u8] = include_bytes!(env!("NAMED_TOOLS"));

/// The tool table derived from its WIT.
const TOOLS: &str = include_str!(concat!(env!("OUT_DIR"), "/tools.json"));

fn main() -> Result<(), Box<dyn Error>> {
    let directory = env::args_os().nth(1).ok_or("expected a directory")?;
    let root = RootSpec {
        name: Some("docs".to_owned()),
        path: directory.into(),
        right: Right::ReadOnly,
        sensitive: false,
    };
    let grants = Grants::resolve_ambient(&[root], None)?;
    // Leaked, because the table must be static, as docent's own is.
    let table: &'static ToolTable = Box::leak(Box::new(serde_json::from_str(TOOLS)?));
    http::serve(Serving {
        place: Place::open_ambient(&"127.0.0.1:0".parse()?)?,
        allowed_hosts: Vec::new(),
        proxies: Vec::new(),
        access: Access::new(None, &grants)?,
        drain_delay: Duration::ZERO,
        plan: Plan {
            load,
            grants,
            settings: Settings::default(),
            limits: Limits::default(),
            tools: table.tools.iter().collect(),
            answers: Answers::Markdown,
            trace: Trace::Off,
            recorder: None,
            meaning: None,
        },
    })?;
    Ok(())
}

fn load(grants: Grants, settings: Settings, limits: Limits) -> Result<Pool, LoadError> {
    Pool::compile(COMPONENT, grants, settings, limits)
}
