//! A component whose instances live for one call, as most hosts have it.

use docent_tool_catalog::camel_case;
use docent_wrapper::{Component, WrapperRefusal};
use serde_json::{Map, Value};

/// The function whose plans are remembered between calls.
const CHANGE: &str = "change";

/// A component whose instances live for one call and so store no plan. The hint of a dry run asks
/// for the same edits again, with the names of arguments in the world `agent`.
pub struct SingleCall<C>(pub C);

impl<C: Component> Component for SingleCall<C> {
    fn call(
        &mut self,
        function: &str,
        arguments: Map<String, Value>,
    ) -> Result<Value, WrapperRefusal> {
        let mut answer = self.0.call(function, arguments)?;
        if function == CHANGE
            && let Some(plan) = answer["planId"].as_str()
        {
            let hint =
                format!("To write exactly this, send the same edits with `plan-id` `{plan}`.");
            answer["hint"] = hint.into();
        }
        Ok(answer)
    }
}

/// Returns the arguments of `change` with `dryRun` false if they name a plan: its difference was
/// shown, so the call is meant to write it. An explicit `dryRun` stays.
pub fn arguments_to_write(mut arguments: Map<String, Value>) -> Map<String, Value> {
    // A host passes null, and a model writes an empty text, for an argument that is not given.
    let names = |wanted: &str| {
        let mut given = arguments.iter();
        given.any(|(name, value)| camel_case(name) == wanted && !value.is_null() && value != "")
    };
    if names("planId") && !names("dryRun") {
        arguments.insert("dryRun".to_owned(), false.into());
    }
    arguments
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// A component that answers with a plan.
    struct Planned;

    impl Component for Planned {
        fn call(&mut self, _: &str, _: Map<String, Value>) -> Result<Value, WrapperRefusal> {
            Ok(json!({"planId": "1-2", "hint": "as it was"}))
        }
    }

    #[test]
    fn a_plan_is_sent_again_with_its_edits() {
        let hint =
            |function| SingleCall(Planned).call(function, Map::new()).unwrap()["hint"].clone();
        assert_eq!(
            hint("change"),
            "To write exactly this, send the same edits with `plan-id` `1-2`."
        );
        assert_eq!(hint("write"), "as it was");
    }

    #[test]
    fn a_plan_that_is_named_is_written() {
        let written = |arguments: Value| match arguments {
            Value::Object(arguments) => Value::Object(arguments_to_write(arguments)),
            other => other,
        };
        for given in [
            json!({"planId": "1"}),
            json!({"planId": "1", "dryRun": null}),
        ] {
            assert_eq!(written(given), json!({"planId": "1", "dryRun": false}));
        }
        for kept in [
            json!({}),
            json!({"plan_id": "1", "dry-run": true}),
            // Nobody has seen what these would write.
            json!({"planId": null}),
            json!({"plan-id": ""}),
        ] {
            assert_eq!(written(kept.clone()), kept);
        }
    }
}
