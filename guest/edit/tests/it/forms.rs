//! Tests of each form of edit, in one line where possible.

use docent_edit::diff::file_patch::Hunk;
use docent_edit::find_text::{PlaceChoice, TextQuery};
use docent_edit::insert::InsertPosition;
use docent_edit::plan::{Edit, LineRange};
use docent_edit::section::{SectionEdit, SectionOp};
use docent_edit::text_match::MatchKind;
use docent_edit::view::Blanks;
use docent_edit::warning::Warning;
use docent_text::content_hash::ContentHash;

use crate::support::{edited, planned};

fn text<'a>(old: &'a str, new: &'a str) -> Edit<'a> {
    Edit::Text(TextQuery::only(old), new)
}

fn check(before: &str, edit: &Edit<'_>, expected: Result<&str, &str>) {
    let found = edited(before, "a.md", edit);
    let expected = expected.map(str::to_owned).map_err(str::to_owned);
    assert_eq!(found, expected, "{before:?} {edit:?}");
}

#[test]
fn a_text_that_stands_once() {
    check("a b c", &text("b", "x"), Ok("a x c"));
    check("a b c", &text("b", ""), Ok("a  c"));
    check("a b c", &text("d", "x"), Err("edit-not-found"));
    check("a b b", &text("b", "x"), Err("edit-ambiguous"));
    check("aaa", &text("aa", "x"), Err("edit-ambiguous"));
    check("a", &text("", "x"), Err("invalid-request"));
    // No trimming, case folding or unescaping.
    check("a b", &text(" b ", "x"), Err("edit-not-found"));
    check("a b", &text("A b", "x"), Err("edit-not-found"));
    check("a\nb", &text("a\\nb", "x"), Err("edit-not-found"));
    check("a", &text("a", "\\n\\\"\\t"), Ok("\\n\\\"\\t"));
}

#[test]
fn a_text_that_was_copied_with_the_numbers_of_its_lines() {
    let before = "one\n\ttwo\nthree\none\n\ttwo\n";
    check(
        before,
        &text("2\t\ttwo\n3\tthree\n", "\tTWO\n"),
        Ok("one\n\tTWO\none\n\ttwo\n"),
    );
    // The numbers select between several places, and are removed from the new text too.
    check(
        before,
        &text("4\tone\n5\t\ttwo\n", "4\tone\n5\t\tTWO\n"),
        Ok("one\n\ttwo\nthree\none\n\tTWO\n"),
    );
    check(
        before,
        &text("3\tone\n4\t\ttwo\n", "x"),
        Err("edit-ambiguous"),
    );
    check(
        before,
        &text("2\t\ttwo\n4\tthree\n", "x"),
        Err("edit-not-found"),
    );
    check(
        "2\ta\n3\tb\n",
        &text("2\ta\n", "2\tc\n"),
        Ok("2\tc\n3\tb\n"),
    );
    let plan = planned(before.as_bytes(), "a.md", &[text("3\tthree", "x")]).unwrap();
    assert_eq!(plan.edits[0].matched, MatchKind::Numbers);
}

#[test]
fn equal_without_being_asked() {
    let matched = |before: &str, old: &str| {
        planned(before.as_bytes(), "a.md", &[text(old, "x")])
            .unwrap()
            .edits[0]
            .matched
    };
    assert_eq!(matched("a\nb", "a\nb"), MatchKind::Exact);
    assert_eq!(matched("a\r\nb", "a\nb"), MatchKind::LineEndings);
    assert_eq!(matched("a\nb", "a\r\nb"), MatchKind::LineEndings);
    assert_eq!(matched("caf\u{E9}", "cafe\u{301}"), MatchKind::Composed);
    assert_eq!(matched("\u{FEFF}a b", "\u{FEFF}a"), MatchKind::Exact);
    check(
        "cafe\u{301} au lait",
        &text("caf\u{E9}", "tea"),
        Ok("tea au lait"),
    );
    check(
        "1\r\n2\r\n3\r\n",
        &text("2\n3", "2\n2b\n3c"),
        Ok("1\r\n2\r\n2b\r\n3c\r\n"),
    );
    // A letter is one unit, composed or not: what is left of it would apply to another letter.
    check("cafe\u{301}", &text("cafe", "x"), Err("edit-not-found"));
    check("cafe\u{301} cafe", &text("cafe", "x"), Ok("cafe\u{301} x"));
    check("a\r\nb", &text("a\r", "x"), Ok("xb"));
}

#[test]
fn several_places() {
    let wanted = |choice, expect_count| TextQuery {
        choice,
        expect_count,
        ..TextQuery::only("b")
    };
    let edit = |choice, expect_count| Edit::Text(wanted(choice, expect_count), "x");
    let before = "b\na\nb\na\nb\n";
    check(
        before,
        &edit(PlaceChoice::Nth(2), None),
        Ok("b\na\nx\na\nb\n"),
    );
    check(
        before,
        &edit(PlaceChoice::Nth(4), None),
        Err("invalid-request"),
    );
    check(
        before,
        &edit(PlaceChoice::Nth(0), None),
        Err("invalid-request"),
    );
    check(before, &edit(PlaceChoice::All, None), Ok("x\na\nx\na\nx\n"));
    check(
        before,
        &edit(PlaceChoice::All, Some(2)),
        Err("invalid-request"),
    );
    check(
        before,
        &edit(PlaceChoice::Only, Some(3)),
        Ok("x\na\nx\na\nx\n"),
    );
    check(
        before,
        &edit(PlaceChoice::NearLine(4), None),
        Err("edit-ambiguous"),
    );
    check(
        before,
        &edit(PlaceChoice::NearLine(9), None),
        Ok("b\na\nb\na\nx\n"),
    );
    check(
        before,
        &edit(PlaceChoice::NearLine(900), None),
        Err("edit-ambiguous"),
    );
    check("b", &edit(PlaceChoice::NearLine(900), None), Ok("x"));
    check(
        "b b",
        &edit(PlaceChoice::NearLine(1), None),
        Err("edit-ambiguous"),
    );
    check(
        "a",
        &edit(PlaceChoice::NearLine(1), None),
        Err("edit-not-found"),
    );
}

#[test]
fn where_it_is_asked_to_be() {
    let before = "# A\nx = 1\n# B\n\nx = 1\n## C\nx = 2\n";
    let within = |address, old| {
        Edit::Text(
            TextQuery {
                within: Some(address),
                ..TextQuery::only(old)
            },
            "y",
        )
    };
    check(
        before,
        &within("B", "x = 1"),
        Ok("# A\nx = 1\n# B\n\ny\n## C\nx = 2\n"),
    );
    check(before, &within("b", "x"), Err("edit-ambiguous"));
    check(before, &within("A", "x = 2"), Err("edit-not-found"));
    check(before, &within("Z", "x"), Err("section-not-found"));
    let beside = |behind, ahead| {
        Edit::Text(
            TextQuery {
                before: behind,
                after: ahead,
                ..TextQuery::only("x = 1")
            },
            "y",
        )
    };
    check(
        before,
        &beside(Some("# A"), None),
        Ok("# A\ny\n# B\n\nx = 1\n## C\nx = 2\n"),
    );
    check(
        before,
        &beside(None, Some("## C")),
        Ok("# A\nx = 1\n# B\n\ny\n## C\nx = 2\n"),
    );
    check(before, &beside(Some("# C"), None), Err("edit-not-found"));
    check(
        "a\r\nb a\r\nc",
        &Edit::Text(
            TextQuery {
                after: Some("\nc"),
                ..TextQuery::only("a")
            },
            "y",
        ),
        Ok("a\r\nb y\r\nc"),
    );
}

#[test]
fn blanks_do_not_count_where_that_is_asked_for() {
    let edit = |old, new| {
        Edit::Text(
            TextQuery {
                blanks: Blanks::Collapsed,
                ..TextQuery::only(old)
            },
            new,
        )
    };
    let before = "if a:\n\tb(1,  2)  \n\tc()\n";
    check(
        before,
        &edit(
            "    b(1, 2)\n    c()",
            "    b(1, 2)\n    if d:\n        c()",
        ),
        Ok("if a:\n\tb(1,  2)  \n\tif d:\n\t\tc()\n"),
    );
    check(before, &edit("b(1,2)", "x"), Err("edit-not-found"));
    check(before, &edit("if a:\nb(1, 2)", "x"), Err("invalid-request"));
    check(
        before,
        &edit("  b(1, 2)\n   c()", "  d()"),
        Err("invalid-request"),
    );
    check("foobar", &edit("foo ", "x"), Err("edit-not-found"));
    check("foo\t bar", &edit("foo bar", "x"), Ok("x"));
    check("a  b\na b\n", &edit("a b", "x"), Ok("a  b\nx\n"));
    check("a  b\na   b\n", &edit("a b", "x"), Err("edit-ambiguous"));
    check(
        "  a\n    b\n",
        &edit("a\n  b", "a\n  c"),
        Ok("  a\n    c\n"),
    );
}

#[test]
fn text_is_added() {
    let line = ContentHash::new(b"b\n").short();
    for (before, at, expected) in [
        ("a\n", InsertPosition::Start, "x\na\n"),
        (
            "---\nt: 1\n---\na\n",
            InsertPosition::Start,
            "---\nt: 1\n---\nx\na\n",
        ),
        ("", InsertPosition::Start, "x"),
        ("a\n", InsertPosition::End, "a\nx\n"),
        ("a", InsertPosition::End, "a\nx"),
        ("a\r\nb", InsertPosition::End, "a\r\nb\r\nx"),
        (
            "a\nb\nc\n",
            InsertPosition::BeforeLine(2, &line),
            "a\nx\nb\nc\n",
        ),
        (
            "a\nb\nc\n",
            InsertPosition::AfterLine(2, &line),
            "a\nb\nx\nc\n",
        ),
        (
            "a b c",
            InsertPosition::BeforeText(TextQuery::only("b")),
            "a xb c",
        ),
        (
            "a b c",
            InsertPosition::AfterText(TextQuery::only("b")),
            "a bx c",
        ),
    ] {
        check(before, &Edit::Insert(at, "x"), Ok(expected));
    }
    check(
        "a\n",
        &Edit::Insert(InsertPosition::End, "x\n\n"),
        Ok("a\nx\n\n"),
    );
    check("a", &Edit::Insert(InsertPosition::End, "x\n"), Ok("a\nx"));
    check(
        "a\nb\nc\n",
        &Edit::Insert(InsertPosition::AfterLine(1, &line), "x"),
        Err("conflict"),
    );
    check(
        "a\nb\nc\n",
        &Edit::Insert(InsertPosition::AfterLine(4, &line), "x"),
        Err("invalid-request"),
    );
    let script = edited(
        "#!/bin/sh\na\n",
        "a.sh",
        &Edit::Insert(InsertPosition::Start, "x"),
    );
    assert_eq!(script.unwrap(), "#!/bin/sh\nx\na\n");
}

#[test]
fn lines_by_their_numbers() {
    let before = "a\nb\r\nc\nd";
    let file = ContentHash::new(before.as_bytes());
    let lines = ContentHash::new(b"b\r\nc\n").short();
    check(
        before,
        &Edit::Lines((2, 3), &file.short(), "x"),
        Ok("a\nx\r\nd"),
    );
    check(
        before,
        &Edit::Lines((2, 3), &lines, "x\ny\n"),
        Ok("a\nx\r\ny\nd"),
    );
    check(
        before,
        &Edit::Lines((2, 3), &file.to_string(), ""),
        Ok("a\nd"),
    );
    check(
        before,
        &Edit::Lines((4, 4), &file.short(), "x\n"),
        Ok("a\nb\r\nc\nx"),
    );
    check(before, &Edit::Lines((2, 4), &lines, "x"), Err("conflict"));
    check(
        before,
        &Edit::Lines((2, 5), &lines, "x"),
        Err("invalid-request"),
    );
    check(
        before,
        &Edit::Lines((0, 1), &lines, "x"),
        Err("invalid-request"),
    );
    check(
        before,
        &Edit::Lines((3, 2), &lines, "x"),
        Err("invalid-request"),
    );
}

#[test]
fn edits_refer_to_the_text_before() {
    let before = "a\nb\nc\nd\n";
    let edits = [
        text("a", "b"),
        text("b", "c\nc"),
        Edit::Insert(InsertPosition::End, "e"),
    ];
    let plan = planned(before.as_bytes(), "a.md", &edits).unwrap();
    assert_eq!(plan.text, "b\nc\nc\nc\nd\ne\n");
    assert_eq!(plan.bytes, plan.text.as_bytes());
    let lines = |first, last| LineRange { first, last };
    assert_eq!(plan.edits[0].places, [(lines(1, 1), lines(1, 1))]);
    assert_eq!(plan.edits[1].places, [(lines(2, 2), lines(2, 3))]);
    assert_eq!(plan.edits[2].places, [(lines(5, 4), lines(6, 6))]);
    let order = [
        Edit::Insert(InsertPosition::Start, "1"),
        Edit::Insert(InsertPosition::Start, "2"),
        text("a", "x"),
    ];
    let plan = planned(before.as_bytes(), "a.md", &order).unwrap();
    assert_eq!(plan.text, "1\n2\nx\nb\nc\nd\n");
}

#[test]
fn edits_that_overlap_are_refused() {
    let before = "a\nb\nc\nd\n";
    let refused = planned(
        before.as_bytes(),
        "a.md",
        &[text("c\nd", "x"), text("b\nc", "y")],
    );
    let refused = refused.unwrap_err();
    assert_eq!(refused.len(), 1);
    let said = refused[0].explain("a.md", &[]);
    assert!(
        said.contains("edits[1]") && said.contains("lines 2 to 3"),
        "{said}"
    );
    assert!(said.contains("edits[0] changes lines 3 to 4"), "{said}");
    // Adjacent is not overlapping.
    let plan = planned(
        before.as_bytes(),
        "a.md",
        &[text("a\n", "x\n"), text("b\n", "y\n")],
    );
    assert_eq!(plan.unwrap().text, "x\ny\nc\nd\n");
    let inside = [
        text("a\nb", "x"),
        Edit::Insert(InsertPosition::AfterText(TextQuery::only("a")), "y"),
    ];
    assert_eq!(
        planned(before.as_bytes(), "a.md", &inside)
            .unwrap_err()
            .len(),
        1
    );
    let around = [text("a\nb\nc\nd", "x"), text("b", "y"), text("d", "z")];
    assert_eq!(
        planned(before.as_bytes(), "a.md", &around)
            .unwrap_err()
            .len(),
        2
    );
}

#[test]
fn nothing_changes_and_much_goes_away() {
    let plan = planned(b"a\r\nb\r\n", "a.md", &[text("a\nb", "a\nb")]).unwrap();
    assert!(!plan.changed);
    assert_eq!(plan.bytes, b"a\r\nb\r\n");
    let long: String = (0..300).map(|line| format!("line {line}\n")).collect();
    let hash = ContentHash::new(long.as_bytes()).short();
    let warned = |last| {
        let edit = Edit::Lines((1, last), &hash, "x");
        planned(long.as_bytes(), "a.md", &[edit]).unwrap().warnings
    };
    assert_eq!(warned(150), []);
    assert_eq!(
        warned(151),
        [Warning::MostGoesAway {
            removed: 151,
            of: 300
        }]
    );
}

#[test]
fn what_a_file_cannot_hold_is_refused() {
    check("a", &text("a", "x\0"), Err("invalid-request"));
    let line = "A line of text that is long enough to be known for one in ASCII.\n";
    let damaged = [line.as_bytes(), b"caf\xE9 here\n"].concat();
    let plan = planned(&damaged, "a.md", &[text("here", "there")]).unwrap();
    assert_eq!(plan.bytes, [line.as_bytes(), b"caf\xE9 there\n"].concat());
    let refused = planned(
        &damaged,
        "a.md",
        &[text("caf\u{FFFD} here", "caf\u{FFFD} x")],
    );
    assert!(refused.is_err());
    // The first half of a syllable would combine with inserted text.
    let line = encoding_rs::EUC_KR
        .encode("문서를 검색하고 설정을 바꿉니다.\n")
        .0;
    let half = [&line[..], b"\x8C at the end\n", &line].concat();
    let plan = planned(&half, "a.md", &[text("the end", "an end")]).unwrap();
    assert_eq!(plan.bytes, [&line[..], b"\x8C at an end\n", &line].concat());
    assert!(plan.warnings.is_empty());
    for new in ["what", "x"] {
        let refused = planned(&half, "a.md", &[text(" at", new)]).unwrap_err();
        assert!(
            refused[0].reason.message().contains("line 2"),
            "{refused:?}"
        );
    }
    let korean = encoding_rs::EUC_KR.encode("한글 a").0.into_owned();
    let plan = planned(&korean, "a.md", &[text("한글 a", "가 b")]).unwrap();
    assert_eq!(plan.bytes, encoding_rs::EUC_KR.encode("가 b").0.as_ref());
    assert_eq!(plan.warnings, [Warning::EncodingUncertain("EUC-KR")]);
}

#[test]
fn every_line_ending_that_is_sent_is_one() {
    let hash = |text: &str| ContentHash::new(text.as_bytes()).short();
    for end in ["\n", "\r\n", "\r"] {
        let file = |text: &str| text.replace('\n', end);
        let before = file("# One\n\none\ntwo\nthree\n");
        let own = hash(&before);
        for sent in ["\n", "\r\n", "\r"] {
            let send = |text: &str| text.replace('\n', sent);
            let (old, new, more) = (send("one\ntwo"), send("ONE\nTWO\nMORE"), send("x\ny\n"));
            let hunk = Hunk {
                old: send("one\ntwo\n"),
                new: send("ONE\nTWO\nMORE\n"),
                ..Hunk::default()
            };
            let hunks = [hunk];
            let section = SectionEdit {
                address: "One",
                op: SectionOp::Append,
                content: &more,
                include_subsections: false,
            };
            for (edit, expected) in [
                (text(&old, &new), "# One\n\nONE\nTWO\nMORE\nthree\n"),
                (
                    Edit::Insert(InsertPosition::End, &more),
                    "# One\n\none\ntwo\nthree\nx\ny\n",
                ),
                (
                    Edit::Insert(InsertPosition::AfterText(TextQuery::only("two")), &more),
                    "# One\n\none\ntwox\ny\n\nthree\n",
                ),
                (
                    Edit::Lines((3, 4), &own, &new),
                    "# One\n\nONE\nTWO\nMORE\nthree\n",
                ),
                (Edit::Section(section), "# One\n\none\ntwo\nthree\n\nx\ny\n"),
                (Edit::Hunks(&hunks), "# One\n\nONE\nTWO\nMORE\nthree\n"),
            ] {
                check(&before, &edit, Ok(&file(expected)));
            }
        }
    }
    // Replaced lines keep their endings, in order.
    check(
        "a\rb\nc\r\n",
        &text("a\nb\rc", "A\rB\r\nC\nD"),
        Ok("A\rB\nC\nD\r\n"),
    );
}
