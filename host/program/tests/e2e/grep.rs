//! `docent grep`, and `explore` with a pattern, as agents call it.

use serde_json::{Value, json};

use crate::program::{Session, ran, tree};

fn notes() -> tempfile::TempDir {
    tree(&[
        ("a.md", "# Plan\n\nThe plan is v12.\nv7 came before.\n"),
        (
            "src/main.rs",
            "fn plan() {}\n\nfn other() {\n    plan();\n}\n",
        ),
        ("NOTICE", "No plan.\n"),
        (".env", "PLAN=canary\n"),
        (".github/ci.yml", "plan: 1\n"),
    ])
}

#[test]
fn lines_are_printed_as_grep_does() {
    let directory = notes();
    let of = |arguments: &[&str]| ran(directory.path(), &[&["grep"], arguments].concat());
    let (code, output, errors) = of(&["plan", "."]);
    assert_eq!((code, errors.as_str()), (0, ""));
    assert_eq!(
        output,
        "NOTICE:1:No plan.\na.md:1:# Plan\na.md:3:The plan is v12.\n\
         src/main.rs:1:fn plan() {}\nsrc/main.rs:4:    plan();\n"
    );
    assert_eq!(of(&["Plan", "a.md"]).1, "1:# Plan\n");
    assert_eq!(of(&["-l", "plan", "src", "a.md"]).1, "src/main.rs\na.md\n");
    assert_eq!(of(&["-c", "plan", "src"]).1, "src/main.rs:2\n");
    assert_eq!(of(&["-F", "plan()", "src"]).1.lines().count(), 2);
    assert_eq!(of(&["-w", "v1", "."]).0, 1);
    assert_eq!(of(&["-o", r"v(\d+)", "a.md"]).1, "3:v12\n4:v7\n");
    assert_eq!(
        of(&["-o", "-F", "plan()", "src"]).1,
        "src/main.rs:1:plan()\nsrc/main.rs:4:plan()\n"
    );
    assert_eq!(of(&["-o", "-w", "a|c", "NOTICE", "a.md"]).0, 1);
    assert_eq!(
        of(&["-A1", "fn other", "src"]).1,
        "src/main.rs:3:fn other() {\nsrc/main.rs-4-    plan();\n"
    );
    assert_eq!(
        of(&["-B1", "fn other", "src/main.rs"]).1,
        "2-\n3:fn other() {\n"
    );
    assert_eq!(of(&["-g", "*.rs", "-c", "plan", "."]).1, "src/main.rs:2\n");
    assert!(
        of(&["--hidden", "plan", "."])
            .1
            .contains(".github/ci.yml:1:plan: 1")
    );
}

#[test]
fn nothing_ends_with_one_and_what_cannot_be_read_with_two() {
    let directory = notes();
    let (code, output, errors) = ran(directory.path(), &["grep", "canary", "."]);
    assert_eq!((code, output.as_str()), (1, ""));
    assert_eq!(
        errors,
        "docent: Not looked at: 1 hidden, 1 that may hold secrets.\n"
    );
    let (code, output, errors) = ran(directory.path(), &["grep", "plan(", "."]);
    assert_eq!((code, output.as_str()), (2, ""));
    assert!(errors.contains("unclosed group"), "{errors}");
    assert!(errors.contains("Add -F to look"), "{errors}");
    let context = ["grep", "-C", "99", "plan", "."];
    let (code, _, errors) = ran(directory.path(), &context);
    assert_eq!(code, 2);
    assert!(
        errors.contains("`--context` is 99; expected 0 to 20"),
        "{errors}"
    );
}

#[test]
fn every_page_of_a_long_output_is_printed() {
    let text: String = (0..20_000)
        .map(|number| format!("line {number} of many\n"))
        .collect();
    let directory = tree(&[("a.txt", &text), ("b.txt", "line of b\n")]);
    let (_, output, _) = ran(directory.path(), &["grep", "line", "."]);
    let lines: Vec<&str> = output.lines().collect();
    assert_eq!(lines.len(), 20_001);
    assert_eq!(lines[19_999], "a.txt:20000:line 19999 of many");
    assert_eq!(lines[20_000], "b.txt:1:line of b");
    let (_, output, _) = ran(directory.path(), &["grep", "--json", "-c", "line", "."]);
    let last: Value = serde_json::from_str(output.lines().last().unwrap()).unwrap();
    assert_eq!(
        (&last["lines"], &last["files"]),
        (&json!(20_001), &json!(2))
    );
}

#[test]
fn an_agent_gets_every_line_within_a_budget() {
    let directory = notes();
    let root = format!("docs={}", directory.path().display());
    let mut session = Session::initialized("2025-11-25", &["--root", &root]);
    let text = session.text(
        "explore",
        json!({"pattern": "plan", "paths": ["src", "a.md"]}),
    );
    assert_eq!(
        text,
        "4 lines in 2 files.\n\n```\nsrc/main.rs\n1:fn plan() {}\n4:    plan();\n\
         a.md\n1:# Plan\n3:The plan is v12.\n```"
    );
    let text = session.text("explore", json!({"pattern": "plan", "output": "files"}));
    assert_eq!(
        text,
        "5 lines in 3 files.\n\n2 a.md\n2 src/main.rs\n1 NOTICE\n\n\
         Not looked at: 1 hidden, 1 that may hold secrets."
    );
    let limits = json!({"maxChars": 30});
    let text = session.text("explore", json!({"pattern": "plan", "limits": limits}));
    assert!(
        text.starts_with("5 lines in 3 files.\n\n```\nNOTICE\n1:No plan.\n```\n\nNot shown: a.md 2, src/main.rs 2."),
        "{text}"
    );
    assert!(
        text.contains("\nNext: explore {\"pattern\":\"plan\""),
        "{text}"
    );
    let text = session.text("explore", json!({"pattern": "no such text"}));
    assert_eq!(
        text,
        "No line matches. Not looked at: 1 hidden, 1 that may hold secrets."
    );
}
