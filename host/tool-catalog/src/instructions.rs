//! The instructions for a model at the beginning of a session: the roots, and how the tools work
//! together.

use docent_markdown::Renderer;
use serde_json::Value;

use crate::Tool;

/// Maximum bytes of the instructions. Clients truncate longer ones, and every session pays for
/// them.
const INSTRUCTIONS_BYTES: usize = 2048;

/// Returns the instructions for a model that is offered `tools`, with as many of `roots` as fit;
/// each is given by its `name` and `right`, the default one first.
pub fn instructions(renderer: &Renderer, tools: &[&Tool], roots: &[Value]) -> String {
    let tools: Vec<_> = tools.iter().map(|tool| tool.name.as_str()).collect();
    let mut shown = roots;
    loop {
        // Roots are dropped until the text fits: clients cut a longer text at its end, and the
        // part about tools matters more than a full list of roots.
        let text = renderer.instructions(&tools, shown, roots.len() - shown.len());
        if text.len() < INSTRUCTIONS_BYTES {
            return text;
        }
        // They are dropped from the end, because the default root comes first.
        match shown.split_last() {
            Some((_, rest)) => shown = rest,
            None => return text,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::table;

    fn told(roots: usize, name: &str) -> String {
        let roots = (0..roots)
            .map(|number| json!({"name": format!("{name}{number}"), "right": "read-only"}));
        let tools: Vec<_> = table().tools.iter().collect();
        instructions(&Renderer::new(), &tools, &roots.collect::<Vec<_>>())
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
