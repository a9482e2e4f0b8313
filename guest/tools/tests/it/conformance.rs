//! Runs the conformance cases on the tree in memory.

use std::path::Path;

use crate::typed::{call, docent};
use crate::{case, memory};

#[test]
fn conformance() {
    let cases =
        case::load(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/conformance/cases"));
    assert!(cases.len() >= 60, "{} cases were found", cases.len());
    let mut complaints = Vec::new();
    for (file, case) in &cases {
        // A warm instance with a cache and one without answer alike, and twice the same.
        for cache in ["0", "1000000"] {
            let mut docent = docent(memory::disk(case), case, cache);
            for _ in 0..2 {
                let found = case.run(|tool, args| call(&mut docent, tool, args));
                complaints.extend(
                    found
                        .into_iter()
                        .map(|c| format!("{file}: {} (cache {cache}): {c}", case.name)),
                );
            }
        }
        let fresh =
            case.run(|tool, args| call(&mut docent(memory::disk(case), case, "0"), tool, args));
        complaints.extend(
            fresh
                .into_iter()
                .map(|c| format!("{file}: {} (fresh): {c}", case.name)),
        );
    }
    assert!(complaints.is_empty(), "{}", complaints.join("\n\n"));
}
