//! Tests that errors and hints name only tools that the caller is offered, whatever the selection.

use docent_conformance::files::Tree;
use docent_conformance::{Case, case_files};
use docent_host::tools::table;
use serde_json::{Value, json};

use crate::program::{Session, tree};

/// A tree of the conformance cases, and calls on it that return errors and hints.
struct Place {
    root: String,
    tree: Tree,
    calls: Vec<(String, Value)>,
}

/// Returns the trees of all cases with one root, with the calls that depend on no earlier answer
/// and whose tools have an argument for the root.
fn places() -> Vec<Place> {
    let cases = case_files().into_iter().flat_map(|file| file.cases);
    let plain = cases.filter(|case| case.roots == ["docs"] && case.env.is_empty());
    let places = plain.enumerate().filter_map(|(number, case)| {
        let root = format!("case-{number}");
        let calls: Vec<(String, Value)> = calls(&case, &root).collect();
        (!calls.is_empty()).then(|| Place {
            root,
            tree: Tree::make(&case).expect("this system has such files"),
            calls,
        })
    });
    places.collect()
}

fn calls<'a>(case: &'a Case, root: &'a str) -> impl Iterator<Item = (String, Value)> + 'a {
    let shown = case.calls.iter().filter(|call| {
        let tool = table().tools.iter().find(|tool| tool.function == call.tool);
        let takes_root = tool.is_some_and(|tool| tool.argument("root").is_some());
        let is_shown = call.error.is_some() || call.markdown.is_some();
        takes_root && is_shown && !json!(call.args).to_string().contains("\"$")
    });
    shown.map(move |call| {
        let mut args = call.args.clone();
        args.insert("root".to_owned(), root.into());
        (call.tool.replace('-', "_"), args.into())
    })
}

/// Returns the tested selections of tools: the named sets, each tool alone, and all tools without
/// it.
fn sets() -> Vec<String> {
    let names = || table().tools.iter().map(|tool| tool.name.as_str());
    let mut sets: Vec<String> = ["pillars", "documents", "all"].map(str::to_owned).to_vec();
    for name in names() {
        sets.push(name.to_owned());
        let others: Vec<&str> = names().filter(|other| *other != name).collect();
        sets.push(others.join(","));
    }
    sets
}

#[test]
fn no_error_and_no_hint_names_a_tool_that_is_not_on_offer() {
    let places = places();
    // Tools that write are only offered if a root may be written.
    let room = tree(&[]);
    let writable = format!("writable={}:rw", room.path().display());
    let mut seen = 0;
    let mut wrong = Vec::new();
    for set in sets() {
        let mut arguments = vec!["--tools".to_owned(), set.clone()];
        for Place { root, tree, .. } in &places {
            let path = tree.roots[0].1.display();
            arguments.extend(["--root".to_owned(), format!("{root}={path}")]);
        }
        arguments.extend(["--no-state", "--root", &writable].map(str::to_owned));
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let mut session = Session::initialized("2025-11-25", &arguments);
        let listed = session.request("tools/list", json!({}));
        let listed = listed["result"]["tools"].as_array().unwrap().iter();
        let offered: Vec<String> = listed
            .map(|tool| tool["name"].as_str().unwrap().to_owned())
            .collect();
        for (tool, args) in places.iter().flat_map(|place| &place.calls) {
            if !offered.contains(tool) {
                continue;
            }
            let result = session.call(tool, args.clone());
            let text = result["content"][0]["text"].as_str().unwrap();
            seen += 1;
            for missing in table().tools.iter().map(|tool| &tool.name) {
                // `explore` is an ordinary word as well.
                let is_named = missing.contains('_') && text.contains(missing.as_str())
                    || text.contains(&format!("`{missing}`"));
                if is_named && !offered.contains(missing) {
                    wrong.push(format!("{set}: {tool} {args}: {text}"));
                }
            }
        }
    }
    assert!(seen > 1000, "{seen} answers were seen");
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}
