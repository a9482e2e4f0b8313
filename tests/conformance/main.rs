//! Runs each conformance case on the tree in memory, on native files, and on the component in
//! wasmtime, and holds the answers against each other.
#![forbid(unsafe_code)]

mod case;
mod component;
mod files;
mod memory;
mod typed;

use std::cell::RefCell;
use std::path::Path;

use case::{Case, tidy};
use serde_json::{Map, Value};

/// The outcomes of a case's calls, in order.
type Outcomes = Vec<Result<Value, Value>>;

#[test]
fn the_same_answers_in_memory_on_files_and_in_the_sandbox() {
    let cases = case::load(&Path::new(env!("CARGO_MANIFEST_DIR")).join("conformance/cases"));
    assert!(cases.len() >= 60, "{} cases were found", cases.len());
    let mut complaints: Vec<String> = Vec::new();
    for (file, case) in &cases {
        let complaints = RefCell::new(&mut complaints);
        let complain = |place: &str, what: String| {
            complaints
                .borrow_mut()
                .push(format!("{file}: {} ({place}): {what}", case.name));
        };
        let run = |place: &str, call: &mut Call<'_>| {
            let (found, outcomes) = recorded(case, call);
            found
                .into_iter()
                .for_each(|complaint| complain(place, complaint));
            outcomes
        };
        let mut in_memory = typed::docent(memory::disk(case), case, "0");
        let expected = run("memory", &mut |tool, args| {
            typed::call(&mut in_memory, tool, args)
        });

        let Some(tree) = files::Tree::make(case) else {
            continue;
        };
        let mut others = Vec::new();
        let mut native = typed::docent(tree.disk(case), case, "0");
        let outcomes = run("files", &mut |tool, args| {
            typed::call(&mut native, tool, args)
        });
        others.push(("files", outcomes));
        match component::session(case, &tree, 0) {
            Err(refusal) => complain("component", refusal),
            Ok(None) => {}
            Ok(Some(mut session)) => {
                let mut call = |tool: &str, args: Map<String, Value>| {
                    component::call(&mut session, tool, args)
                };
                others.push(("component", run("component", &mut call)));
            }
        }
        // With a cache, and asked twice: from what was remembered.
        if let Ok(Some(mut session)) = component::session(case, &tree, 1 << 20) {
            for place in ["component, first", "component, again"] {
                let mut call = |tool: &str, args: Map<String, Value>| {
                    component::call(&mut session, tool, args)
                };
                others.push((place, run(place, &mut call)));
            }
        }
        for (place, outcomes) in others {
            for (index, (expected, outcome)) in expected.iter().zip(&outcomes).enumerate() {
                let (expected, outcome) = (bytes(expected), bytes(outcome));
                if expected != outcome {
                    complain(
                        place,
                        format!("call {}: memory: {expected}\n here: {outcome}", index + 1),
                    );
                }
            }
        }
    }
    assert!(complaints.is_empty(), "{}", complaints.join("\n\n"));
}

type Call<'a> = dyn FnMut(&str, Map<String, Value>) -> Result<Value, Value> + 'a;

/// Runs a case and returns what was not as expected, and every outcome.
fn recorded(case: &Case, call: &mut Call<'_>) -> (Vec<String>, Outcomes) {
    let mut outcomes = Vec::new();
    let complaints = case.run(|tool, args| {
        let outcome = call(tool, args);
        outcomes.push(outcome.clone().map(tidy).map_err(tidy));
        outcome
    });
    (complaints, outcomes)
}

/// Returns an outcome as text, its fields in the order of their names.
fn bytes(outcome: &Result<Value, Value>) -> String {
    let (word, value) = match outcome {
        Ok(value) => ("answer", value),
        Err(value) => ("error", value),
    };
    let mut value = value.clone();
    value.sort_all_objects();
    format!("{word} {value}")
}
