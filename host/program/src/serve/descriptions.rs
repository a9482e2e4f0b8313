//! Descriptions of the tools for clients.

use std::sync::Arc;

use docent_host::tools::{self, Tool, ToolSelection, concise};
use rmcp::model::ToolAnnotations;

use super::tool_service::{Answers, ToolSet};

/// Returns the descriptions of the tools on offer.
pub fn descriptions(offer: &ToolSet) -> Vec<rmcp::model::Tool> {
    let selection = ToolSelection::new(tools::table(), &offer.tools);
    let described = |tool: &&'static Tool| {
        let annotations = ToolAnnotations::with_title(tool.title.as_str()).open_world(false);
        // The protocol gives `destructiveHint` and `idempotentHint` no meaning for a read-only
        // tool, so they are left out there. For a tool that writes, the protocol assumes the
        // worst if they are missing: destructive and not idempotent. Clients ask for
        // confirmation on that ground.
        let annotations = if tool.read_only {
            annotations.read_only(true)
        } else {
            annotations
                .destructive(tool.destructive)
                .idempotent(tool.idempotent)
        };
        let described = rmcp::model::Tool::new(
            tool.name.as_str(),
            selection.prose(&tool.description),
            concise::schema(&selection.schema(&tool.input_schema)),
        )
        // The title is among the annotations too, where clients of older revisions look for it.
        .with_annotations(annotations);
        // A tool that declares an output schema must return structured content that conforms to
        // it, so the schema is only declared where answers are structured.
        match offer.answers {
            Answers::Markdown => described,
            Answers::Structured => {
                let schema = selection.schema(&tool.output_schema);
                described.with_raw_output_schema(Arc::new(schema))
            }
        }
    };
    offer.tools.iter().map(described).collect()
}

#[cfg(test)]
mod tests {
    use docent_host::render::Renderer;
    use serde_json::json;

    use super::*;
    use crate::terminal::trace::Trace;

    /// Returns the names of tools in `text` that are not among `offered`. A one-word name, such as
    /// `explore`, only counts in backticks.
    fn missing<'a>(text: &str, offered: &[&'static Tool]) -> Vec<&'a str> {
        let all = tools::table().tools.iter().map(|tool| tool.name.as_str());
        let is_named = |name: &&str| {
            let kebab = name.replace('_', "-");
            text.contains(&format!("`{name}`"))
                || text.contains(&format!("`{kebab}`"))
                || name.contains('_') && text.contains(*name)
        };
        all.filter(is_named)
            .filter(|name| offered.iter().all(|tool| tool.name != **name))
            .collect()
    }

    #[test]
    fn nothing_that_is_told_at_the_start_names_a_tool_that_is_not_on_offer() {
        let table = tools::table();
        let mut sets: Vec<Vec<&'static Tool>> = ["pillars", "documents", "all"]
            .map(|set| crate::terminal::tools::choose_tools(&[set.to_owned()]).unwrap())
            .to_vec();
        // Each tool alone, and all others without it.
        for tool in &table.tools {
            sets.push(vec![tool]);
            let others = table.tools.iter().filter(|other| other.name != tool.name);
            sets.push(others.collect());
        }
        for tools in sets {
            for answers in [Answers::Markdown, Answers::Structured] {
                let roots = (0..300).map(|n| json!({"name": n.to_string(), "right": "read-only"}));
                let offer = ToolSet {
                    roots: roots.collect(),
                    tools: tools.clone(),
                    answers,
                    trace: Trace::Off,
                };
                let instructions =
                    tools::instructions(&Renderer::new(), &offer.tools, &offer.roots);
                assert_eq!(missing(&instructions, &tools), [""; 0], "{instructions}");
                for tool in descriptions(&offer) {
                    let text = serde_json::to_string(&tool).unwrap();
                    assert_eq!(missing(&text, &tools), [""; 0], "{text}");
                    let description = tool.description.unwrap_or_default();
                    assert!(description.len() > 80, "{}: {description}", tool.name);
                }
            }
        }
    }

    #[test]
    fn with_all_tools_on_offer_they_are_described_as_the_contract_has_it() {
        let table = tools::table();
        let offer = ToolSet {
            roots: Vec::new(),
            tools: table.tools.iter().collect(),
            answers: Answers::Structured,
            trace: Trace::Off,
        };
        for (tool, described) in table.tools.iter().zip(descriptions(&offer)) {
            assert_eq!(described.description.as_deref(), Some(&*tool.description));
            let concise = concise::schema(&tool.input_schema);
            assert_eq!(*described.input_schema, concise);
            assert_eq!(
                described.output_schema.as_deref(),
                Some(&tool.output_schema)
            );
        }
    }
}
