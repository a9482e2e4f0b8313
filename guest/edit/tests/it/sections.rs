//! Edits of sections, in one line where that is possible.

use docent_edit::plan::Edit;
use docent_edit::section::{Op, SectionEdit};

use crate::support::edited;

fn check(before: &str, edit: &Edit<'_>, expected: Result<&str, &str>) {
    let found = edited(before, "a.md", edit);
    let expected = expected.map(str::to_owned).map_err(str::to_owned);
    assert_eq!(found, expected, "{before:?} {edit:?}");
}

fn section<'a>(address: &'a str, op: Op, content: &'a str) -> Edit<'a> {
    Edit::Section(SectionEdit {
        address,
        op,
        content,
        include_subsections: false,
    })
}

fn whole<'a>(address: &'a str, op: Op, content: &'a str) -> Edit<'a> {
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
            section("A", Op::Replace, "x\n"),
            Ok("# A\n\nx\n\n## B\n\ntwo\n\n# C\n"),
        ),
        (
            section("A", Op::Replace, "# A\n\nx"),
            Ok("# A\n\nx\n\n## B\n\ntwo\n\n# C\n"),
        ),
        (
            section("A", Op::Replace, ""),
            Ok("# A\n\n## B\n\ntwo\n\n# C\n"),
        ),
        (whole("A", Op::Replace, "x"), Ok("# A\n\nx\n\n# C\n")),
        (
            section("A > B", Op::Replace, "x"),
            Ok("# A\n\none\n\n## B\n\nx\n\n# C\n"),
        ),
        (
            section("C", Op::Replace, "x"),
            Ok("# A\n\none\n\n## B\n\ntwo\n\n# C\n\nx\n"),
        ),
        (section("A", Op::Replace, "## A\nx"), Err("invalid-request")),
        (section("A", Op::Replace, "# Z\nx"), Err("invalid-request")),
        (
            section("A", Op::Replace, "x\n\n## B\n\ny"),
            Err("invalid-request"),
        ),
        (
            whole("A", Op::Replace, "x\n\n## B\n\ny"),
            Ok("# A\n\nx\n\n## B\n\ny\n\n# C\n"),
        ),
        (section("A", Op::Replace, "```\nx"), Err("invalid-request")),
        (section("Z", Op::Replace, "x"), Err("section-not-found")),
    ] {
        check(before, &edit, expected);
    }
    check(
        "# A\n# B\n",
        &section("A", Op::Replace, "x"),
        Ok("# A\n\nx\n\n# B\n"),
    );
    check(
        "# A\none\n# B\n",
        &section("A", Op::Replace, "x"),
        Ok("# A\nx\n# B\n"),
    );
    check(
        "# A\n## S\n# B\n## S\n",
        &section("S", Op::Append, "x"),
        Err("section-ambiguous"),
    );
    check("# A", &section("A", Op::Replace, "x"), Ok("# A\n\nx"));
    let plain = edited("a\n", "a.txt", &section("a", Op::Replace, "x"));
    assert_eq!(plain.unwrap_err(), "invalid-request");
}

#[test]
fn a_section_gets_more_text() {
    let before = "# A\n\none\n\n## B\n\ntwo\n\n\n# C\r\n";
    for (edit, expected) in [
        (
            section("A", Op::Append, "x"),
            "# A\n\none\n\nx\n\n## B\n\ntwo\n\n\n# C\r\n",
        ),
        (
            whole("A", Op::Append, "x\n"),
            "# A\n\none\n\n## B\n\ntwo\n\nx\n\n\n# C\r\n",
        ),
        (
            section("A", Op::Prepend, "x\n\n"),
            "# A\n\nx\n\none\n\n## B\n\ntwo\n\n\n# C\r\n",
        ),
        (
            section("A", Op::Prepend, "# A\n\nx"),
            "# A\n\nx\n\none\n\n## B\n\ntwo\n\n\n# C\r\n",
        ),
        (
            section("C", Op::Append, "x"),
            "# A\n\none\n\n## B\n\ntwo\n\n\n# C\r\n\nx\n",
        ),
        (
            section("B", Op::InsertBefore, "## X\n\nx"),
            "# A\n\none\n\n## X\n\nx\n\n## B\n\ntwo\n\n\n# C\r\n",
        ),
        (
            section("A", Op::InsertAfter, "# X"),
            "# A\n\none\n\n## B\n\ntwo\n\n# X\n\n\n# C\r\n",
        ),
        (
            section("C", Op::InsertAfter, "# X"),
            "# A\n\none\n\n## B\n\ntwo\n\n\n# C\r\n\n# X\n",
        ),
        (
            section("A", Op::InsertBefore, "x"),
            "x\n\n# A\n\none\n\n## B\n\ntwo\n\n\n# C\r\n",
        ),
    ] {
        check(before, &edit, Ok(expected));
    }
    check(
        "# A\none\n# B\n",
        &section("A", Op::Append, "x"),
        Ok("# A\none\n\nx\n\n# B\n"),
    );
    check(
        "# A\none\n# B\n",
        &section("B", Op::InsertBefore, "x"),
        Ok("# A\none\n\nx\n\n# B\n"),
    );
    check(
        "# A\none\n# B\n",
        &section("A", Op::InsertAfter, "x"),
        Ok("# A\none\n\nx\n\n# B\n"),
    );
    check(
        "# A\n\n```\none",
        &section("A", Op::Append, "x"),
        Err("invalid-request"),
    );
    check(
        "# A\n",
        &section("A", Op::Append, "\n \n"),
        Err("invalid-request"),
    );
    let two = "# A\n\none\n\n\n# B\n\ntwo\n\n\n# C\n\nthree\n";
    check(
        two,
        &section("C", Op::InsertBefore, "# X"),
        Ok("# A\n\none\n\n\n# B\n\ntwo\n\n\n# X\n\n\n# C\n\nthree\n"),
    );
}

#[test]
fn a_section_goes() {
    let before = "# A\n\none\n\n## B\n\ntwo\n\n# C\n\nend";
    check(
        before,
        &section("A", Op::Delete, ""),
        Err("invalid-request"),
    );
    check(before, &whole("A", Op::Delete, ""), Ok("# C\n\nend"));
    check(
        before,
        &section("B", Op::Delete, ""),
        Ok("# A\n\none\n\n# C\n\nend"),
    );
    check(
        before,
        &section("C", Op::Delete, ""),
        Ok("# A\n\none\n\n## B\n\ntwo"),
    );
    check("# A\nx\n", &section("A", Op::Delete, ""), Ok(""));
    check(
        "---\na: b\n---\n# A\nx\n",
        &section("A", Op::Delete, ""),
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
        check(before, &section("A", Op::Rename, new), expected);
    }
    for (before, expected) in [
        ("A\n==\n\nx\n", "New one\n=======\n\nx\n"),
        (
            "===\n A\n===\n\nx\n",
            "=========\n New one\n=========\n\nx\n",
        ),
    ] {
        assert_eq!(
            edited(before, "a.rst", &section("A", Op::Rename, "New one")).unwrap(),
            expected
        );
    }
    let adoc = edited("== A\n\nx\n", "a.adoc", &section("A", Op::Rename, "New"));
    assert_eq!(adoc.unwrap(), "== New\n\nx\n");
}
