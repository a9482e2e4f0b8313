//! Tools by the names that people write: single ones, and sets.

use docent_host::tools::{self, Tool};

use super::error::CommandError;

/// A set of tools: its name, and a predicate that selects its tools.
type Set = (&'static str, fn(&Tool) -> bool);

/// The sets: the few most powerful tools, the others, and all.
const SETS: [Set; 3] = [
    ("pillars", |tool| tool.pillar),
    ("documents", |tool| !tool.pillar),
    ("all", |_| true),
];

/// Returns the tool with this name; `search-documents` and `search_documents` are equivalent.
///
/// # Errors
/// Returns an error that lists the tools if the name is unknown.
pub fn find(name: &str) -> Result<&'static Tool, CommandError> {
    let table = tools::table();
    table.find(&name.replace('-', "_")).ok_or_else(|| {
        CommandError::Usage(match table.nearest(name) {
            Some(nearest) => {
                format!("unknown tool `{name}`; expected `{nearest}`, which is the nearest")
            }
            None => {
                let names: Vec<_> = table.tools.iter().map(|tool| tool.name.as_str()).collect();
                format!(
                    "unknown tool `{name}`; expected one of `{}`",
                    names.join("`, `")
                )
            }
        })
    })
}

/// Returns the tools with these names or in the sets of these names, in the order of the contract.
///
/// # Errors
/// Returns an error that lists the tools if a name is unknown.
pub fn choose_tools(names: &[String]) -> Result<Vec<&'static Tool>, CommandError> {
    let (mut wanted, mut sets) = (Vec::new(), Vec::new());
    for name in names.iter().map(|name| name.trim()) {
        match SETS.iter().find(|(set, _)| set.eq_ignore_ascii_case(name)) {
            Some((_, holds)) => sets.push(holds),
            None => wanted.push(find(name)?.name.as_str()),
        }
    }
    let is_chosen =
        |tool: &&Tool| wanted.contains(&tool.name.as_str()) || sets.iter().any(|holds| holds(tool));
    Ok(tools::table().tools.iter().filter(is_chosen).collect())
}
