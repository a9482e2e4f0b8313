//! Tests of the explanations of refused edits.

use docent_edit::diff::write::{DiffNames, unified_diff};
use docent_edit::error::{Reason, Stale};
use docent_edit::find_text::{PlaceChoice, TextQuery};
use docent_edit::plan::{Edit, RefusedEdit};
use docent_edit::section::{SectionEdit, SectionOp};
use docent_edit::warning::Warning;

use docent_text::content_hash::ContentHash;

use crate::support::planned;

fn said(text: &str, edit: Edit<'_>) -> String {
    let refused = planned(text.as_bytes(), "a.md", &[edit]).unwrap_err();
    refused[0].explain("docs/a.md", &[1, 2])
}

fn near_miss(text: &str, old: &str) -> String {
    said(text, Edit::Text(TextQuery::only(old), "something new"))
}

#[test]
fn a_miss_as_it_is_read() {
    let text = "# Guide\n\n## Install\n\nRun `npm\u{A0}ci` once.\nThen start.\n";
    let expected = "[EDIT_NOT_FOUND] edits[0] in docs/a.md: the text is not there\n\
        Nearest (lines 3 to 6; 3 of 3 lines match ignoring blanks and case; first difference in \
        line 5, column 9: the file has U+00A0 (no-break space), you sent a blank):\n\
        3| ## Install\n4| \n5| Run `npm\u{A0}ci` once.\n6| Then start.\n\
        Nothing was written; edits 1, 2 are fine.\n\
        Hint: Send `oldText` as it is in the file.";
    assert_eq!(
        near_miss(text, "## Install\n\nRun `npm ci` once.\nThen start.\n"),
        expected
    );
}

#[test]
fn the_first_difference_in_words() {
    for (text, old, expected) in [
        (
            "if a:\n\tb()\n",
            "if a:\n    b()",
            "line 2, column 1: the file is indented by 1 tab, you sent 4 blanks",
        ),
        (
            "  a = 1\n  b = 2\n",
            "    a = 1\n",
            "line 1, column 1: the file is indented by 2 blanks, you sent 4 blanks",
        ),
        (
            "a one\nb two  \nc\n",
            "a one\nb two\nc",
            "line 2, column 6: the file has 2 blanks at the end of the line, you sent no blank",
        ),
        (
            "a  one two\n",
            "a one two",
            "line 1, column 3: the file has 2 blanks, you sent 1 blank",
        ),
        (
            "say \u{201C}yes\u{201D} now\n",
            "say \"yes\" now",
            "column 5: the file has `\u{201C}` (U+201C, typographic quote), you sent `\"` (U+0022)",
        ),
        (
            "a \u{2014} b and more\n",
            "a - b and more",
            "column 3: the file has `\u{2014}` (U+2014, typographic dash), you sent `-` (U+002D)",
        ),
        (
            "The Install Guide\n",
            "The install Guide",
            "column 5: the file has `Install`, you sent `install`: another case",
        ),
        (
            "zero\u{200B}width here\n",
            "zerowidth here",
            "the file has U+200B (zero-width space), which takes no room, you sent none",
        ),
        (
            "one = 1\ntwo = 2\nthree = 3\n",
            "one = 1\nthree = 3",
            "line 2, column 1: the file has the line `two = 2`, which you did not send",
        ),
        (
            "one = 1\nthree = 3\n",
            "one = 1\ntwo = 2\nthree = 3",
            "you sent the line `two = 2`, which the file does not have there",
        ),
        (
            "the port is 8080 here\n",
            "the port is 9090 here",
            "line 1, column 13: the file has `8080 here`, you sent `9090 here`",
        ),
        (
            "a fine thing\n",
            "40| a fine thing\n",
            "without the line numbers before its lines it is",
        ),
        (
            "print(\"a\")\nexit()\n",
            "print(\\\"a\\\")\\nexit()",
            "with line breaks, tabs and quotes for the escapes",
        ),
        (
            "a\nsomething new\nb\n",
            "something old",
            "`newText` is already at line 2",
        ),
        (
            "caf\u{E9}\u{301} bar\n",
            "cafe bar",
            "line 1, column 4: the file has `\u{E9}\u{301} bar`, you sent `e bar`",
        ),
    ] {
        let said = near_miss(text, old);
        assert!(said.contains(expected), "{expected}\n{said}");
    }
}

#[test]
fn nothing_is_like_it() {
    let said = near_miss(&"alpha beta\n".repeat(13), "gamma");
    assert!(said.contains("is not there\nNothing was written"), "{said}");
    // A short file is shown as a whole.
    let short = near_miss("alpha beta\n\n", "gamma");
    let shown = "is not there\nThe file (lines 1 to 2):\n1| alpha beta\n2| \nNothing was written";
    assert!(short.contains(shown), "{short}");
    assert!(said.contains("Nothing in the file is like it"), "{said}");
    near_miss("", "gamma");
}

#[test]
fn several_places_as_they_are_read() {
    let text = "# Intro\nport\n# Usage\n## CLI\nx\nport\n";
    let expected = "[EDIT_AMBIGUOUS] edits[0] in docs/a.md: the text is at 2 places:\n\
        line 2 (§ Intro) after `# Intro`\nline 6 (§ Usage > CLI) after `x`\n\
        Nothing was written; edits 1, 2 are fine.\n\
        Hint: Add a neighbouring line to `oldText`, or send `line` with the one that is meant, \
        such as 6, or `occurrence` with 1 to 2 or `all`.";
    assert_eq!(near_miss(text, "port"), expected);
    let blank = near_miss("port\n\nport\n", "port");
    assert!(blank.contains("\nline 3 after an empty line\n"), "{blank}");
    let many = near_miss(&"port\n".repeat(500), "port");
    assert!(many.contains("and 480 more"), "{many}");
    let long = format!("{}\nport\n", "x".repeat(1_000)).repeat(50);
    assert!(near_miss(&long, "port").chars().count() <= 2_000);
    let nth = TextQuery {
        choice: PlaceChoice::Nth(3),
        ..TextQuery::only("port")
    };
    let said = said(text, Edit::Text(nth, "x"));
    assert!(
        said.contains("`occurrence` is 3, and the text is at 2 places"),
        "{said}"
    );
}

#[test]
fn warnings_as_they_are_read() {
    let most = Warning::MostGoesAway {
        removed: 201,
        of: 300,
    };
    assert_eq!(most.message(), "201 of the 300 lines of the file go away");
    assert!(
        Warning::EncodingUncertain("EUC-KR")
            .message()
            .contains("in EUC-KR is left")
    );
}

#[test]
fn stale_lines_and_unknown_sections() {
    let stale = said("a\nb\n", Edit::Lines((2, 2), "000000000000", "x"));
    assert!(
        stale.contains("`hash` is `000000000000`") && stale.contains("Now:\n2| b"),
        "{stale}"
    );
    let short = said("a\nb\n", Edit::Lines((2, 2), "0000000", "x"));
    assert!(
        short.contains("expected the first 12 digits or more"),
        "{short}"
    );
    let section = |address| SectionEdit {
        address,
        op: SectionOp::Replace,
        content: "x",
        include_subsections: false,
    };
    let text = "# Guide\n## Setup\n# Other\n## Setup\n";
    let none = said(text, Edit::Section(section("Set up")));
    assert!(
        none.contains("no section is called `Set up`; there are:\n`"),
        "{none}"
    );
    let two = said("# A\n## Set\n# B\n## Set\n", Edit::Section(section("Set!")));
    assert!(
        two.contains(
            "`Set!` names 2 sections:\n`set` (A > Set, line 2)\n`set-1` (B > Set, line 4)"
        ),
        "{two}"
    );
}

#[test]
fn a_text_that_other_edits_would_make() {
    let edits = [
        Edit::Text(TextQuery::only("one"), "two"),
        Edit::Text(TextQuery::only("two"), "three"),
    ];
    let refused = planned(b"one\n", "a.md", &edits).unwrap_err();
    let said = refused[0].explain("a.md", &[0]);
    assert!(
        said.starts_with("[EDIT_NOT_FOUND] edits[1] in a.md"),
        "{said}"
    );
    assert!(
        said.contains("other edits of this call would make it"),
        "{said}"
    );
    assert!(
        said.contains("Nothing was written; edits[0] is fine."),
        "{said}"
    );
}

#[test]
fn a_stale_file_with_what_changed() {
    let now = ContentHash::new(b"a\nB\n");
    let since = unified_diff(DiffNames::Same("a.md"), "a\nb\n", "a\nB\n");
    let reason = Reason::Stale(Box::new(Stale::for_file("123456789abc", now, Some(since))));
    let said = RefusedEdit { index: 3, reason }.explain("a.md", &[]);
    let expected = format!(
        "[CONFLICT] edits[3] in a.md: `hash` is `123456789abc`, and the file is `{}`: it changed \
         since it was read\nWhat changed:\ndiff --git a/a.md b/a.md\n--- a/a.md\n+++ b/a.md\n\
         @@ -1,2 +1,2 @@\n a\n-b\n+B\nNothing was written.\nHint: Base the edit on this text, \
         and send its hash.",
        now.short()
    );
    assert_eq!(said, expected);
}

#[test]
fn a_hunk_says_which_one_it_is() {
    let files =
        docent_edit::diff::parse::parse("@@ -1 +1 @@\n-a\n+b\n@@ -9 +9 @@\n-nine\n+x\n").unwrap();
    let said = said("a\n9\nnine lives\n", Edit::Hunks(&files[0].hunks));
    assert!(
        said.contains("hunk 2: the text is there, and not as whole lines"),
        "{said}"
    );
}

#[test]
fn what_is_shown_is_what_the_hint_speaks_of() {
    let decorated = "x = 0\n\n\n@cached(size=3)\ndef load():\n    pass\n";
    let told = near_miss(decorated, "\n\n\n@cached(size=3)\n\n");
    assert!(
        told.contains("line 5, column 1: you sent an empty line, which the file does not have"),
        "{told}"
    );
    assert!(
        told.ends_with("Hint: Send `oldText` as it is in the file."),
        "{told}"
    );
    let told = near_miss(
        "one 1\ntwo 2\nthree 3\n\nlast\n",
        "one 1\ntwo 2\nthree 3\nlast\n",
    );
    assert!(
        told.contains("the file has an empty line, which you did not send"),
        "{told}"
    );
    // A complete line is not the beginning of another one.
    let told = near_miss("first\nsecond thing\n", "first\nsecond\n");
    assert!(
        told.contains("line 2, column 7: the file has ` thing`, you sent nothing more"),
        "{told}"
    );
}

#[test]
fn a_part_of_what_stands_there_is_not_what_was_made() {
    let before = "use crate::alpha::*;\nuse crate::beta_and_more::*;\nuse crate::gamma::*;\n";
    let told = said(
        before,
        Edit::Text(
            TextQuery::only("use crate::alpha::;\nuse crate::beta_and_more::;"),
            "use crate::alpha::*;",
        ),
    );
    assert!(!told.contains("already"), "{told}");
    // An edit that was made already is reported as such.
    let told = said(
        "retries = 5\nwait = 2\n",
        Edit::Text(TextQuery::only("retries = 3"), "retries = 5"),
    );
    assert!(told.contains("`newText` is already at line 1"), "{told}");
}

#[test]
fn letters_that_look_the_same_are_told_by_their_numbers() {
    for (file, sent, expected) in [
        (
            "import untar\n",
            "import unt\u{430}r",
            "the file has `a` (U+0061), you sent `\u{430}` (U+0430)",
        ),
        (
            "first of all\nx = \u{39f}mega\n",
            "first of all\nx = Omega",
            "the file has `\u{39f}` (U+039F), you sent `O` (U+004F)",
        ),
        (
            "go to \u{ff21}1 now\n",
            "go to A1 now",
            "(U+FF21), you sent `A` (U+0041)",
        ),
    ] {
        let told = near_miss(file, sent);
        assert!(told.contains(expected), "{told}");
    }
}
