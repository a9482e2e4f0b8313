//! Tests of texts designed to be expensive: with quadratic cost they would not end. Comparisons are
//! counted in the tests of `search` and `diff::script`.

use docent_edit::find_text::{PlaceChoice, TextQuery};
use docent_edit::plan::Edit;
use docent_edit::view::Blanks;

use crate::support::{Random, planned};

fn check(text: &str, wanted: TextQuery<'_>, new: &str) -> String {
    let said = match planned(text.as_bytes(), "a.md", &[Edit::Text(wanted, new)]) {
        Ok(plan) => plan.edits[0].places.len().to_string(),
        Err(refused) => refused[0].explain("a.md", &[]),
    };
    assert!(said.chars().count() <= 2_000, "{said}");
    said
}

#[test]
fn one_line_of_two_megabytes() {
    let line = "abc, def; ".repeat(200_000);
    let far = format!("{line}the needle is here; {line}");
    let said = check(&far, TextQuery::only("the needle was here"), "x");
    assert!(said.contains("the needle is here"), "{said}");
    check(&line, TextQuery::only(&line[3..1_000_000]), "x");
    check(
        &line,
        TextQuery {
            choice: PlaceChoice::All,
            ..TextQuery::only("abc")
        },
        "x",
    );
    check(
        &"a".repeat(2_000_000),
        TextQuery::only(&"a".repeat(1_000_000)),
        "b",
    );
    check(
        &"a".repeat(2_000_000),
        TextQuery::only(&format!("{}b", "a".repeat(1_000_000))),
        "b",
    );
}

#[test]
fn two_hundred_thousand_equal_lines() {
    let text = "a line that is equal to all others\n".repeat(200_000);
    let some = "a line that is equal to all others\n".repeat(100_000);
    check(&text, TextQuery::only(&some), "x");
    check(&text, TextQuery::only(&format!("{some}b")), "x");
    check(
        &text,
        TextQuery {
            choice: PlaceChoice::All,
            ..TextQuery::only("line")
        },
        "x\ny",
    );
    check(
        &text,
        TextQuery {
            blanks: Blanks::Collapsed,
            ..TextQuery::only("a  line that")
        },
        "x",
    );
    let said = check(
        &text,
        TextQuery {
            choice: PlaceChoice::All,
            ..TextQuery::only(&text)
        },
        &some,
    );
    assert_eq!(said, "1");
}

#[test]
fn long_runs() {
    let blanks = format!("a{}b\n", " \t".repeat(500_000)).repeat(2);
    check(
        &blanks,
        TextQuery {
            blanks: Blanks::Collapsed,
            ..TextQuery::only("a  b")
        },
        "x",
    );
    check(&blanks, TextQuery::only("a  b"), "x");
    let marks = format!("e{}", "\u{301}".repeat(500_000));
    check(&marks, TextQuery::only("e\u{301}"), "x");
    check(&"\r".repeat(1_000_000), TextQuery::only("\n\n"), "x");
    check(
        &"\n".repeat(500_000),
        TextQuery {
            choice: PlaceChoice::All,
            ..TextQuery::only("\n\n")
        },
        "\n",
    );
    check(
        &"# a\n".repeat(100_000),
        TextQuery {
            within: Some("a-7"),
            ..TextQuery::only("a")
        },
        "x",
    );
    let before = TextQuery {
        before: Some("a"),
        choice: PlaceChoice::All,
        ..TextQuery::only("a")
    };
    check(&"a".repeat(100_000), before, "x");
}

#[test]
fn random_words_that_are_all_rare_or_all_frequent() {
    let mut random = Random(3);
    let mut words = |most: usize| {
        let line = |random: &mut Random| {
            (0..8)
                .map(|_| format!("w{} ", random.below(most)))
                .collect::<String>()
        };
        (0..20_000)
            .map(|_| line(&mut random) + "\n")
            .collect::<String>()
    };
    for most in [2, 200, 1_000_000] {
        let (text, other) = (words(most), words(most));
        check(&text, TextQuery::only(&other), "x");
        check(&text, TextQuery::only(&other[..400]), "x");
    }
}

#[test]
fn a_miss_in_ten_thousand_lines() {
    let line = |n: usize| {
        format!(
            "    let value_{n} = compute({n}, other_{}); // of {n}\n",
            n / 7
        )
    };
    let text: String = (0..10_000).map(line).collect();
    let sent = line(5_000).replace("compute", "computed") + &line(5_001).replace("    ", "\t");
    let said = check(&text, TextQuery::only(&sent), "x");
    assert!(said.contains("lines 5001 to 5002"), "{said}");
}
