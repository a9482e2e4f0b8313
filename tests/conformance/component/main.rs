//! Runs each conformance case on the tree in memory, on native files, and on the component in
//! wasmtime, and compares the answers. The Markdown of some of them is compared with the files in
//! `conformance/answers`.
//!
//! With `BLESS=1` the answers are written into the cases and those files, unless the three
//! disagree.
#![forbid(unsafe_code)]

mod session;

use docent_conformance::files::Tree;
use docent_conformance::{Case, Outcome, bless, bytes, markdown, memory, typed};
use docent_conformance::{case_file, case_files, for_each_case};
use docent_host::render::Renderer;
use docent_host::tools::table;
use serde_json::{Map, Value};

macro_rules! tests {
    ($($file:ident $name:literal { $($case:ident = $index:literal,)* })*) => {
        $(mod $file {
            $(#[test]
            fn $case() {
                super::run($name, $index);
            })*
        })*
    };
}
for_each_case!(tests);

/// Runs the case at `index` of the file called `name`.
fn run(name: &str, index: usize) {
    let file = case_file(name);
    let case = &file.cases[index];
    let title = format!("{name}: {}", case.name);
    let run = Run::compare(case);
    let mut complaints = Vec::new();
    if bless::is_asked_for() {
        bless::write(&file.path, index, &run.outcomes);
    } else {
        complaints = case.complaints(&run.outcomes);
    }
    complaints.extend(shown(&title, case, &run.component));
    assert!(
        complaints.is_empty(),
        "{title}: {}",
        complaints.join("\n\n")
    );
}

#[test]
fn every_tool_has_an_answer_in_markdown_and_every_answer_a_call() {
    let files = case_files();
    let wrong = markdown::wrong_names(&files);
    assert!(wrong.is_empty(), "{wrong:#?}");
    let calls = || {
        files
            .iter()
            .flat_map(|file| &file.cases)
            .flat_map(|case| &case.calls)
    };
    for tool in &table().tools {
        let is_shown = calls().any(|call| call.tool == tool.function && call.markdown.is_some());
        assert!(is_shown, "no call of `{}` has `markdown`", tool.function);
    }
}

/// The answers of a case, which are equal on all disks.
struct Run {
    outcomes: Vec<Outcome>,
    /// Arguments and outcomes of the component's calls, before tidying; none if it did not run.
    component: Vec<(Map<String, Value>, Outcome)>,
}

impl Run {
    /// Runs a case on all disks, and panics if they disagree.
    fn compare(case: &Case) -> Self {
        let mut docent = typed::docent(memory::disk(case), case, "0");
        let outcomes = case.outcomes(|tool, args| typed::call(&mut docent, tool, args));
        let mut component = Vec::new();
        let Some(tree) = Tree::make(case) else {
            return Self {
                outcomes,
                component,
            };
        };
        let mut others = Vec::new();
        let mut native = typed::docent(tree.disk(), case, "0");
        let on_files = case.outcomes(|tool, args| typed::call(&mut native, tool, args));
        others.push(("files", on_files));
        // Each run has a tree of its own if the case writes. A host without a state directory
        // answers differently.
        let is_runnable = !case.state;
        let writes = typed::writes(case);
        let tree = if writes { Tree::make(case) } else { Some(tree) };
        let Some(tree) = tree.filter(|_| is_runnable) else {
            return Self {
                outcomes,
                component,
            };
        };
        if let Some(mut session) = session::session(case, &tree, 0) {
            let in_wasmtime = case.outcomes(|tool, args| {
                let outcome = session::call(&mut session, tool, args.clone());
                component.push((args, outcome.clone()));
                outcome
            });
            others.push(("component", in_wasmtime));
        }
        // With a cache, and twice: the second time from the cache.
        let session = session::session(case, &tree, 1 << 20).filter(|_| !writes);
        if let Some(mut session) = session {
            for run in ["component with cache, first", "component with cache, again"] {
                let call = |tool: &str, args| session::call(&mut session, tool, args);
                others.push((run, case.outcomes(call)));
            }
        }
        let mut complaints = Vec::new();
        for (run, others) in others {
            for (index, (expected, outcome)) in outcomes.iter().zip(&others).enumerate() {
                let (expected, outcome) = (bytes(expected), bytes(outcome));
                if expected != outcome {
                    let call = index + 1;
                    complaints.push(format!(
                        "{run}: call {call}: {outcome}\n memory: {expected}"
                    ));
                }
            }
        }
        assert!(
            complaints.is_empty(),
            "{}: {}",
            case.name,
            complaints.join("\n\n")
        );
        Self {
            outcomes,
            component,
        }
    }
}

/// Returns the differences between the Markdown answers of a case and their files.
fn shown(title: &str, case: &Case, calls: &[(Map<String, Value>, Outcome)]) -> Vec<String> {
    let renderer = Renderer::new();
    let mut complaints = Vec::new();
    for (call, (args, outcome)) in case.calls.iter().zip(calls) {
        let Some(name) = &call.markdown else {
            continue;
        };
        let mut tools = table().tools.iter();
        let tool = tools.find(|tool| tool.function == call.tool);
        let Some(tool) = tool else {
            complaints.push(format!("`{}` is no tool", call.tool));
            continue;
        };
        let text = match (outcome, tool.arguments(args.clone())) {
            (Ok(answer), Ok(request)) => {
                let answered = renderer.answer(tool.names(), &request, answer);
                markdown::text(title, call, &answered, answer)
            }
            (Ok(_), Err(error)) => {
                complaints.push(format!("`{name}`: {error}"));
                continue;
            }
            (Err(error), _) => markdown::text(title, call, &refusal(error), &Value::Null),
        };
        complaints.extend(markdown::check(name, &text).err());
    }
    complaints
}

/// Returns a refusal in the form that a model reads.
fn refusal(error: &Value) -> String {
    let field = |name: &str| error[name].as_str().unwrap_or_default();
    let label = table().label(field("code"));
    let text = format!("{label} {}\n{}", field("message"), field("hint"));
    text.trim_end().to_owned()
}
