//! The tools on offer: read-only tools, over the roots that the engine has granted.

use docent_markdown::Renderer;
use docent_tool_catalog::{Tool, ToolSelection, concise, instructions, nearest, quote, table};
use docent_wrapper::Component;
use serde_json::{Map, Value, json};

/// The tools on offer, separated by commas: names, [`PILLARS`] or [`ALL`].
pub const TOOLS: &str = "DOCENT_TOOLS";

/// The few tools that are offered by default.
pub const PILLARS: &str = "pillars";

/// Every read-only tool.
pub const ALL: &str = "all";

/// The right of a root. Here it is always read-only, whatever the engine allows.
const READ_ONLY: &str = "read-only";

/// The function that lists the roots, in the component's own configuration.
const CONFIG: &str = "get-config";

/// The tools on offer.
#[derive(Debug)]
pub struct Offer {
    tools: Vec<&'static Tool>,
}

impl Offer {
    /// Returns the read-only tools that the environment selects.
    ///
    /// # Errors
    /// The name of a tool that does not exist, or that writes.
    pub fn from_lookup(variable: impl Fn(&str) -> Option<String>) -> Result<Self, String> {
        let wanted = variable(TOOLS).unwrap_or_else(|| PILLARS.to_owned());
        let wanted: Vec<&str> = wanted.split(',').map(str::trim).collect();
        let reading = || table().tools.iter().filter(|tool| tool.read_only);
        for name in &wanted {
            if ![PILLARS, ALL].contains(name) && reading().all(|tool| tool.name != *name) {
                return Err(format!(
                    "`{TOOLS}` holds `{}`; expected `{PILLARS}`, `{ALL}` or tools that read",
                    quote(name)
                ));
            }
        }
        let is_wanted = |tool: &&Tool| {
            wanted.contains(&tool.name.as_str())
                || wanted.contains(&ALL)
                || tool.pillar && wanted.contains(&PILLARS)
        };
        Ok(Self {
            tools: reading().filter(is_wanted).collect(),
        })
    }

    /// Returns the tool on offer with this name.
    ///
    /// # Errors
    /// The message, with the expected names.
    pub fn find(&self, name: &str) -> Result<&'static Tool, String> {
        let found = self.tools.iter().find(|tool| tool.name == name);
        found.copied().ok_or_else(|| {
            let expected = self.describe_expected(name);
            format!("unknown tool `{}`; {expected}", quote(name))
        })
    }

    fn describe_expected(&self, name: &str) -> String {
        if table().find(name).is_some_and(|tool| !tool.read_only) {
            return "it writes, and this server only reads".to_owned();
        }
        let names = self.tools.iter().map(|tool| tool.name.as_str());
        match nearest(name, names.clone()) {
            Some(nearest) => format!("expected `{nearest}`, which is the nearest"),
            None => format!(
                "expected one of `{}`",
                names.collect::<Vec<_>>().join("`, `")
            ),
        }
    }

    /// Returns the instructions for a model over `roots`, the default one first.
    pub fn instructions(&self, renderer: &Renderer, roots: &[String]) -> String {
        let root = |name: &String| json!({"name": name, "right": READ_ONLY});
        let roots: Vec<Value> = roots.iter().map(root).collect();
        instructions(renderer, &self.tools, &roots)
    }

    /// Returns the descriptions of the tools for clients.
    pub fn descriptions(&self) -> Vec<Value> {
        let selection = ToolSelection::new(table(), &self.tools);
        let described = |tool: &&'static Tool| {
            json!({
                "name": tool.name,
                "description": selection.prose(&tool.description),
                "inputSchema": concise::schema(&selection.schema(&tool.input_schema)),
                // The hints about destructive and repeated calls have no meaning for tools that
                // only read.
                "annotations": {"title": tool.title, "readOnlyHint": true, "openWorldHint": false},
            })
        };
        self.tools.iter().map(described).collect()
    }
}

/// Returns the names of the component's roots, the default one first; none if it does not tell.
pub fn roots(component: &mut dyn Component) -> Vec<String> {
    let config = component.call(CONFIG, Map::new()).unwrap_or_default();
    let roots = config["roots"].as_array().into_iter().flatten();
    let names = roots.filter_map(|root| root["name"].as_str());
    names.map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn offer(tools: Option<&str>) -> Result<Vec<&'static str>, String> {
        let offer = Offer::from_lookup(|_| tools.map(str::to_owned))?;
        Ok(offer.tools.iter().map(|tool| tool.name.as_str()).collect())
    }

    #[test]
    fn tools_that_write_are_never_on_offer() {
        let pillars = ["explore", "understand", "find_files"];
        assert_eq!(offer(None).unwrap(), pillars);
        assert_eq!(offer(Some("pillars")).unwrap(), pillars);
        let all = offer(Some("all")).unwrap();
        assert!(
            all.contains(&"search_documents") && !all.contains(&"change"),
            "{all:?}"
        );
        assert_eq!(
            offer(Some("search_documents, explore")).unwrap(),
            ["explore", "search_documents"]
        );
        for wrong in ["change", "none", "", "explore,"] {
            assert!(offer(Some(wrong)).is_err(), "{wrong}");
        }
    }

    #[test]
    fn an_unknown_tool_is_told_what_there_is() {
        let offer = Offer::from_lookup(|_| None).unwrap();
        for (name, expected) in [
            (
                "explor",
                "unknown tool `explor`; expected `explore`, which is the nearest",
            ),
            (
                "write",
                "unknown tool `write`; it writes, and this server only reads",
            ),
            (
                "x",
                "unknown tool `x`; expected one of `explore`, `understand`, `find_files`",
            ),
        ] {
            assert_eq!(offer.find(name).unwrap_err(), expected);
        }
    }
}
