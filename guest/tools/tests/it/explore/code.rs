//! What is shown of code.

use docent_api::pillars::{Degradation, ExploreLimits, ExploreOptions, IncludedKinds, ItemKind};
use docent_tree::memory::MemoryDisk;

use super::support::*;

#[test]
fn a_preview_leaves_comments_out_where_they_are_not_asked_for() {
    let body = "    pass\n".repeat(60);
    let text_of_file =
        format!("# Of a lantern.\ndef plain():\n{body}def other():\n    'Of a harbour.'\n");
    let disk = MemoryDisk::with_files(&[("a.py", &text_of_file)]);
    let preview = |comments| {
        let kinds = IncludedKinds {
            docs: None,
            code: None,
            comments: Some(comments),
            logs: None,
            data: None,
        };
        let options = ExploreOptions {
            include: Some(kinds),
            ..paths(&["a.py"])
        };
        text(&ask(&disk, options).data.code[0]).to_owned()
    };
    assert_eq!(
        preview(true),
        "1-62  def plain()  // Of a lantern.\n63-64  def other()  // Of a harbour."
    );
    assert_eq!(preview(false), "1-62  def plain()\n63-64  def other()");
    // The string of a definition is a comment of Python.
    let options = ExploreOptions {
        include: Some(IncludedKinds {
            docs: None,
            code: None,
            comments: Some(false),
            logs: None,
            data: None,
        }),
        ..query("harbour")
    };
    assert!(ask(&disk, options).data.code.is_empty());
}

#[test]
fn a_hit_in_a_signature_is_shown_once() {
    for (file, program, expected) in [
        (
            "a.rs",
            "const HARBOUR_SIZE: u32 = 1;\n",
            "const HARBOUR_SIZE: u32 = 1;\n",
        ),
        (
            "a.rs",
            "fn harbour_size() {\n}\n",
            "fn harbour_size() {\n}\n",
        ),
        (
            "a.ts",
            "export type HarbourSize = number;\n",
            "export type HarbourSize = number;\n",
        ),
    ] {
        let disk = MemoryDisk::with_files(&[(file, program)]);
        let found = ask(&disk, query("harbour size")).data.code;
        assert_eq!(text(&found[0]), expected);
    }
}

#[test]
fn the_time_ends_the_look_for_definitions() {
    let functions = |count: usize| -> String {
        (0..count)
            .map(|number| format!("def lantern_{number}():\n    pass\n\n"))
            .collect()
    };
    let disk = MemoryDisk::with_files(&[("a.py", &functions(40_000))]);
    let options = ExploreOptions {
        limits: Some(ExploreLimits {
            timeout_ms: Some(1_000),
            ..LIMITS
        }),
        ..query("lantern")
    };
    // In time it is the definition of the first hit.
    let found = ask(&disk, options.clone());
    assert_eq!(found.data.code[0].kind, ItemKind::Symbol);
    assert!(!found.reasons.contains(&Degradation::Timeout));
    // The clock goes on at each look, the slower the later the time ends; sooner or later it does
    // in the midst of the definitions.
    let previews: Vec<_> = (6..=40)
        .step_by(4)
        .map(|divisor| {
            let mut now = 0;
            disk.set_clock(move || {
                now += 1_000 / divisor;
                now
            });
            ask(&disk, options.clone())
        })
        .filter(|found| {
            found
                .data
                .code
                .iter()
                .any(|item| item.kind == ItemKind::FilePreview)
        })
        .collect();
    assert!(!previews.is_empty());
    for found in previews {
        assert!(found.reasons.contains(&Degradation::Timeout));
        let first = text(&found.data.code[0]);
        assert!(first.starts_with("1: def lantern_0():\n4: def lantern_1():\n"));
    }
}
