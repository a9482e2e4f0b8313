//! Runs each conformance case without the host: on the tree in memory with and without a cache,
//! once and again, and on native files.
//!
//! With `BLESS=1` the answers are written into the cases, unless these runs disagree.
#![forbid(unsafe_code)]

use docent_conformance::typed::{call, docent, writes};
use docent_conformance::{bless, bytes, case_file, files, for_each_case, memory};

/// Cache size in bytes that fits any case's tree.
const CACHE: &str = "1000000";

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

/// Runs a case in every way; each has to give the expected answers, and the same as the first.
fn run(name: &str, index: usize) {
    let file = case_file(name);
    let case = &file.cases[index];
    let mut cold = docent(memory::disk(case), case, "0");
    let mut warm = docent(memory::disk(case), case, CACHE);
    let mut runs = Vec::new();
    // After a write the same calls have other answers.
    let times: &[&str] = if writes(case) {
        &["first"]
    } else {
        &["first", "again"]
    };
    for time in times {
        let outcomes = case.outcomes(|tool, args| call(&mut cold, tool, args));
        runs.push((format!("without cache, {time}"), outcomes));
        let outcomes = case.outcomes(|tool, args| call(&mut warm, tool, args));
        runs.push((format!("with cache, {time}"), outcomes));
    }
    // No call needs an instance's memory: what it wrote is on the disk.
    let disk = memory::disk(case);
    let fresh = case.outcomes(|tool, args| {
        let disk = if writes(case) {
            disk.clone()
        } else {
            memory::disk(case)
        };
        call(&mut docent(disk, case, "0"), tool, args)
    });
    runs.push(("each call on its own".to_owned(), fresh));
    if let Some(tree) = files::Tree::make(case) {
        let mut native = docent(tree.disk(), case, "0");
        let outcomes = case.outcomes(|tool, args| call(&mut native, tool, args));
        runs.push(("on files".to_owned(), outcomes));
    }
    let (_, expected) = &runs[0];
    let mut complaints = Vec::new();
    if !bless::is_asked_for() {
        complaints = case.complaints(expected);
    }
    for (run, outcomes) in &runs[1..] {
        for (index, (expected, outcome)) in expected.iter().zip(outcomes).enumerate() {
            let (expected, outcome) = (bytes(expected), bytes(outcome));
            if expected != outcome {
                let call = index + 1;
                complaints.push(format!("{run}: call {call}: {outcome}\n first: {expected}"));
            }
        }
    }
    if complaints.is_empty() && bless::is_asked_for() {
        bless::write(&file.path, index, expected);
    }
    assert!(
        complaints.is_empty(),
        "{}: {}",
        case.name,
        complaints.join("\n\n")
    );
}
