//! Tests of section edits, in one line where possible.

use docent_edit::plan::Edit;
use docent_edit::section::{SectionEdit, SectionOp};
use docent_edit::warning::Warning;

use crate::support::{edited, planned};

fn check(before: &str, edit: &Edit<'_>, expected: Result<&str, &str>) {
    let found = edited(before, "a.md", edit);
    let expected = expected.map(str::to_owned).map_err(str::to_owned);
    assert_eq!(found, expected, "{before:?} {edit:?}");
}

fn section<'a>(address: &'a str, op: SectionOp, content: &'a str) -> Edit<'a> {
    Edit::Section(SectionEdit {
        address,
        op,
        content,
        include_subsections: false,
    })
}

fn whole<'a>(address: &'a str, op: SectionOp, content: &'a str) -> Edit<'a> {
    Edit::Section(SectionEdit {
        address,
        op,
        content,
        include_subsections: true,
    })
}

#[test]
fn a_section_gets_another_text() {
    let before = "# A\n\none\n\n## B\n\ntwo\n\n# C\n";
    for (edit, expected) in [
        (
            section("A", SectionOp::Replace, "x\n"),
            Ok("# A\n\nx\n\n## B\n\ntwo\n\n# C\n"),
        ),
        (
            section("A", SectionOp::Replace, "# A\n\nx"),
            Ok("# A\n\nx\n\n## B\n\ntwo\n\n# C\n"),
        ),
        (
            section("A", SectionOp::Replace, ""),
            Ok("# A\n\n## B\n\ntwo\n\n# C\n"),
        ),
        (whole("A", SectionOp::Replace, "x"), Ok("# A\n\nx\n\n# C\n")),
        (
            section("A > B", SectionOp::Replace, "x"),
            Ok("# A\n\none\n\n## B\n\nx\n\n# C\n"),
        ),
        (
            section("C", SectionOp::Replace, "x"),
            Ok("# A\n\none\n\n## B\n\ntwo\n\n# C\n\nx\n"),
        ),
        (
            section("A", SectionOp::Replace, "## A\nx"),
            Err("invalid-request"),
        ),
        (
            section("A", SectionOp::Replace, "# Z\nx"),
            Err("invalid-request"),
        ),
        (
            section("A", SectionOp::Replace, "x\n\n## B\n\ny"),
            Err("invalid-request"),
        ),
        (
            whole("A", SectionOp::Replace, "x\n\n## B\n\ny"),
            Ok("# A\n\nx\n\n## B\n\ny\n\n# C\n"),
        ),
        (
            section("A", SectionOp::Replace, "```\nx"),
            Err("invalid-request"),
        ),
        (
            section("Z", SectionOp::Replace, "x"),
            Err("section-not-found"),
        ),
    ] {
        check(before, &edit, expected);
    }
    check(
        "# A\n# B\n",
        &section("A", SectionOp::Replace, "x"),
        Ok("# A\n\nx\n\n# B\n"),
    );
    check(
        "# A\none\n# B\n",
        &section("A", SectionOp::Replace, "x"),
        Ok("# A\nx\n# B\n"),
    );
    check(
        "# A\n## S\n# B\n## S\n",
        &section("S", SectionOp::Append, "x"),
        Err("section-ambiguous"),
    );
    check(
        "# A",
        &section("A", SectionOp::Replace, "x"),
        Ok("# A\n\nx"),
    );
    let plain = edited("a\n", "a.txt", &section("a", SectionOp::Replace, "x"));
    assert_eq!(plain.unwrap_err(), "invalid-request");
}

#[test]
fn a_section_gets_more_text() {
    let before = "# A\n\none\n\n## B\n\ntwo\n\n\n# C\r\n";
    for (edit, expected) in [
        (
            section("A", SectionOp::Append, "x"),
            "# A\n\none\n\nx\n\n## B\n\ntwo\n\n\n# C\r\n",
        ),
        (
            whole("A", SectionOp::Append, "x\n"),
            "# A\n\none\n\n## B\n\ntwo\n\nx\n\n\n# C\r\n",
        ),
        (
            section("A", SectionOp::Prepend, "x\n\n"),
            "# A\n\nx\n\none\n\n## B\n\ntwo\n\n\n# C\r\n",
        ),
        (
            section("A", SectionOp::Prepend, "# A\n\nx"),
            "# A\n\nx\n\none\n\n## B\n\ntwo\n\n\n# C\r\n",
        ),
        (
            section("C", SectionOp::Append, "x"),
            "# A\n\none\n\n## B\n\ntwo\n\n\n# C\r\n\nx\n",
        ),
        (
            section("B", SectionOp::InsertBefore, "## X\n\nx"),
            "# A\n\none\n\n## X\n\nx\n\n## B\n\ntwo\n\n\n# C\r\n",
        ),
        (
            section("A", SectionOp::InsertAfter, "# X"),
            "# A\n\none\n\n## B\n\ntwo\n\n# X\n\n\n# C\r\n",
        ),
        (
            section("C", SectionOp::InsertAfter, "# X"),
            "# A\n\none\n\n## B\n\ntwo\n\n\n# C\r\n\n# X\n",
        ),
        (
            section("A", SectionOp::InsertBefore, "x"),
            "x\n\n# A\n\none\n\n## B\n\ntwo\n\n\n# C\r\n",
        ),
    ] {
        check(before, &edit, Ok(expected));
    }
    check(
        "# A\none\n# B\n",
        &section("A", SectionOp::Append, "x"),
        Ok("# A\none\n\nx\n\n# B\n"),
    );
    check(
        "# A\none\n# B\n",
        &section("B", SectionOp::InsertBefore, "x"),
        Ok("# A\none\n\nx\n\n# B\n"),
    );
    check(
        "# A\none\n# B\n",
        &section("A", SectionOp::InsertAfter, "x"),
        Ok("# A\none\n\nx\n\n# B\n"),
    );
    check(
        "# A\n\n```\none",
        &section("A", SectionOp::Append, "x"),
        Err("invalid-request"),
    );
    check(
        "# A\n",
        &section("A", SectionOp::Append, "\n \n"),
        Err("invalid-request"),
    );
    let two = "# A\n\none\n\n\n# B\n\ntwo\n\n\n# C\n\nthree\n";
    check(
        two,
        &section("C", SectionOp::InsertBefore, "# X"),
        Ok("# A\n\none\n\n\n# B\n\ntwo\n\n\n# X\n\n\n# C\n\nthree\n"),
    );
}

#[test]
fn a_section_goes() {
    let before = "# A\n\none\n\n## B\n\ntwo\n\n# C\n\nend";
    check(
        before,
        &section("A", SectionOp::Delete, ""),
        Err("invalid-request"),
    );
    check(before, &whole("A", SectionOp::Delete, ""), Ok("# C\n\nend"));
    check(
        before,
        &section("B", SectionOp::Delete, ""),
        Ok("# A\n\none\n\n# C\n\nend"),
    );
    check(
        before,
        &section("C", SectionOp::Delete, ""),
        Ok("# A\n\none\n\n## B\n\ntwo"),
    );
    check("# A\nx\n", &section("A", SectionOp::Delete, ""), Ok(""));
    check(
        "---\na: b\n---\n# A\nx\n",
        &section("A", SectionOp::Delete, ""),
        Ok("---\na: b\n---\n"),
    );
}

#[test]
fn a_heading_is_changed() {
    for (before, new, expected) in [
        ("# A\nx\n", "New one", Ok("# New one\nx\n")),
        ("#  A  ##  \n", "B", Ok("#  B  ##  \n")),
        ("# A {#id} #\n", "B", Ok("# B {#id} #\n")),
        ("A\n=\n", "Long", Ok("Long\n====\n")),
        ("A\n===\nx\n", "B", Ok("B\n===\nx\n")),
        ("# A\n", "# B", Ok("# B\n")),
        ("# A\n", "## B", Err("invalid-request")),
        ("# A\n", "B\nC", Err("invalid-request")),
        ("# A\n", " ", Err("invalid-request")),
        ("A\n===\n", "- B", Err("invalid-request")),
        ("# A\r\nx", "B", Ok("# B\r\nx")),
    ] {
        check(before, &section("A", SectionOp::Rename, new), expected);
    }
    for (before, expected) in [
        ("A\n==\n\nx\n", "New one\n=======\n\nx\n"),
        (
            "===\n A\n===\n\nx\n",
            "=========\n New one\n=========\n\nx\n",
        ),
    ] {
        assert_eq!(
            edited(before, "a.rst", &section("A", SectionOp::Rename, "New one")).unwrap(),
            expected
        );
    }
    let adoc = edited(
        "== A\n\nx\n",
        "a.adoc",
        &section("A", SectionOp::Rename, "New"),
    );
    assert_eq!(adoc.unwrap(), "== New\n\nx\n");
}

/// Returns the new text and the warnings.
fn made(before: &str, edit: &Edit<'_>) -> (String, Vec<String>) {
    made_of("a.md", before, edit)
}

/// Returns the same for a file called `name`.
fn made_of(name: &str, before: &str, edit: &Edit<'_>) -> (String, Vec<String>) {
    let plan = planned(before.as_bytes(), name, std::slice::from_ref(edit)).unwrap();
    let told = plan.warnings.iter().map(Warning::message).collect();
    (plan.text, told)
}

#[test]
fn definitions_that_are_used_elsewhere_stay() {
    let before = "# Guide\n\nRead [the plan][plan], [it][PLAN] and this.[^why]\n\n# Notes\n\nOld [text][own].\n\n\
        [plan]: plan.md \"The plan\"\n[own]: own.md\n[nobody]: x.md\n\n[^why]: Since [so][deep].\n\n[deep]: deep.md\n";
    let kept = "[plan]: plan.md \"The plan\"\n\n[^why]: Since [so][deep].\n\n[deep]: deep.md\n";
    let (text, told) = made(before, &section("Notes", SectionOp::Replace, "New text.\n"));
    assert_eq!(
        text,
        format!(
            "# Guide\n\nRead [the plan][plan], [it][PLAN] and this.[^why]\n\n# Notes\n\nNew text.\n\n{kept}"
        )
    );
    assert_eq!(
        told,
        [
            "the definitions of `[plan]`, `[^why]`, `[deep]`, which are used elsewhere, stay in the file"
        ]
    );
    let (text, told) = made(before, &section("Notes", SectionOp::Delete, ""));
    assert_eq!(
        text,
        format!("# Guide\n\nRead [the plan][plan], [it][PLAN] and this.[^why]\n\n{kept}")
    );
    assert_eq!(told.len(), 1);
    // No text precedes the first section, and a heading follows one in the middle.
    let (text, told) = made(
        "# A\n\n[1]: a.md\n\n# B\n\n[x][1]\n",
        &section("A", SectionOp::Delete, ""),
    );
    assert_eq!(
        (text.as_str(), told.len()),
        ("[1]: a.md\n\n# B\n\n[x][1]\n", 1)
    );
    let (text, _) = made(
        "t\n# A\r\n[1]: a.md\r\n# B\r\n[x][1]",
        &section("A", SectionOp::Delete, ""),
    );
    assert_eq!(
        text,
        "t\r\n\r\n[1]: a.md\r\n\r\n# B\r\n[x][1]".replacen("t\r\n", "t\n", 1)
    );
    // The new text has its own definition, or uses one that only the old text used.
    let (text, told) = made(
        "[x][1]\n\n# A\n\n[1]: a.md\n",
        &section("A", SectionOp::Replace, "[1]: b.md"),
    );
    assert_eq!(
        (text.as_str(), told.len()),
        ("[x][1]\n\n# A\n\n[1]: b.md\n", 0)
    );
    let (text, told) = made(
        "# A\n\n[x][1]\n\n[1]: a.md\n[2]: b.md\n",
        &section("A", SectionOp::Replace, "Now [y][1]."),
    );
    assert_eq!(
        (text.as_str(), told.len()),
        ("# A\n\nNow [y][1].\n\n[1]: a.md\n", 1)
    );
    // Definitions that nothing else uses are removed with their section.
    for lone in [
        "# A\n\n[x][1]\n\n[1]: a.md\n",
        "`[1]`\n\n# A\n\n[1]: a.md\n",
    ] {
        let (text, told) = made(lone, &section("A", SectionOp::Replace, "z"));
        assert!(text.ends_with("# A\n\nz\n") && told.is_empty(), "{text}");
    }
    // Subsections that are kept also keep their definitions.
    let (text, _) = made(
        "# A\n\nold\n\n[1]: a.md\n\n## B\n\n[x][1]\n",
        &section("A", SectionOp::Replace, "new"),
    );
    assert_eq!(text, "# A\n\nnew\n\n[1]: a.md\n\n## B\n\n[x][1]\n");
}

#[test]
fn definitions_stay_in_other_markup() {
    let before = "Guide\n=====\n\nRead plan_, [1]_ and |logo|.\n\nNotes\n=====\n\nOld own_.\n\n\
        .. _plan: plan.rst\n.. _own: own.rst\n.. [1] Since\n   then.\n.. |logo| image:: logo.png\n";
    let kept = ".. _plan: plan.rst\n\n.. [1] Since\n   then.\n.. |logo| image:: logo.png\n";
    let guide = "Guide\n=====\n\nRead plan_, [1]_ and |logo|.\n\n";
    let (text, told) = made_of(
        "a.rst",
        before,
        &section("Notes", SectionOp::Replace, "New."),
    );
    assert_eq!(text, format!("{guide}Notes\n=====\n\nNew.\n\n{kept}"));
    assert_eq!(
        told,
        [
            "the definitions of `plan_`, `[1]_`, `|logo|`, which are used elsewhere, stay in the file"
        ]
    );
    let (text, _) = made_of("a.rst", before, &section("Notes", SectionOp::Delete, ""));
    assert_eq!(text, format!("{guide}{kept}"));

    let before = "= A\n\n== B\n\n:url: b\n:own: c\n\nold {own}\n\n== C\n\n{url}\n";
    let (text, told) = made_of("a.adoc", before, &section("B", SectionOp::Replace, "new"));
    assert_eq!(text, "= A\n\n== B\n\nnew\n\n:url: b\n\n== C\n\n{url}\n");
    assert_eq!(
        told,
        ["the definition of `{url}`, which is used elsewhere, stays in the file"]
    );
    // Plain text has no definitions.
    let (text, told) = made_of(
        "a.md",
        "# A\n\n:url: b\n\n# B\n\n{url}\n",
        &section("A", SectionOp::Delete, ""),
    );
    assert_eq!((text.as_str(), told.len()), ("# B\n\n{url}\n", 0));
}
