//! What a model is told at the start: the roots, and how the tools go together.

use docent_host::grant::{Grant, Grants, Right};
use docent_host::render::Renderer;
use serde_json::{Value, json};

use super::desk::Offer;

/// The longest instructions, in bytes. Clients cut longer ones, and every session pays for them.
const INSTRUCTIONS_BYTES: usize = 2048;

/// What a root that may not be written to is called.
pub const READ_ONLY: &str = "read-only";

/// Returns the instructions, with as many roots as fit.
pub fn instructions(renderer: &Renderer, offer: &Offer) -> String {
    let tools: Vec<_> = offer.tools.iter().map(|tool| tool.name.as_str()).collect();
    let mut roots = offer.roots.clone();
    let all = roots.len();
    loop {
        // Roots are dropped until it fits; what is said of tools matters more than a full list.
        let text = renderer.instructions(&tools, &roots, all - roots.len());
        // From the end, for the default root stands first.
        if text.len() < INSTRUCTIONS_BYTES || roots.pop().is_none() {
            return text;
        }
    }
}

/// Returns what a model is told of the roots, the default one first.
pub fn roots(grants: &Grants) -> Vec<Value> {
    let described = |grant: &Grant| {
        let right = match grant.right() {
            Right::ReadOnly => READ_ONLY,
            Right::ReadWrite => "read-write",
        };
        // Without its path: where a root lies on the machine is none of a client's business.
        json!({"name": grant.name(), "right": right})
    };
    let default = grants.default_grant().map(Grant::name);
    let (first, rest): (Vec<_>, Vec<_>) = grants
        .all()
        .iter()
        .partition(|grant| Some(grant.name()) == default);
    first.into_iter().chain(rest).map(described).collect()
}

#[cfg(test)]
mod tests {
    use docent_host::tools;

    use super::*;
    use crate::serve::desk::Answers;
    use crate::terminal::trace::Trace;

    fn told(roots: usize, name: &str) -> String {
        let roots = (0..roots)
            .map(|number| json!({"name": format!("{name}{number}"), "right": "read-only"}));
        let tools = tools::table().tools.iter().collect();
        let offer = Offer {
            roots: roots.collect(),
            tools,
            answers: Answers::Markdown,
            trace: Trace::Off,
        };
        instructions(&Renderer::new(), &offer)
    }

    #[test]
    fn instructions_stay_short_and_say_what_they_leave_out() {
        let few = told(2, "docs");
        assert!(
            few.contains("- docs0 (read-only, default)\n- docs1 (read-only)\n"),
            "{few}"
        );
        assert!(!few.contains(" more; "), "{few}");
        let many = told(300, &"n".repeat(100));
        assert!(many.len() < INSTRUCTIONS_BYTES, "{}", many.len());
        assert!(many.contains(" more; `get_config` lists them"), "{many}");
    }
}
