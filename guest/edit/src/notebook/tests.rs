//! Markdown that a reader did not make as it should: no edit panics, and none changes another text
//! than the one that is shown.

use proptest::prelude::*;

use super::*;
use crate::find_text::TextQuery;

const FILE: &str = "{\"cells\": [{\"cell_type\": \"markdown\", \"source\": [\"a\\n\", \"b\"]}, \
                    {\"cell_type\": \"code\", \"source\": \"c\\nd\"}, \
                    {\"cell_type\": \"code\", \"source\": \"a\\nb\"}], \"nbformat\": 4}\n";

fn changed(markdown: &str, old: &str, new: &str) -> Result<String, Reason> {
    let source = Source::from_text(FILE);
    let edits = [(0, Edit::Text(TextQuery::only(old), new))];
    match plan_notebook(&source, "a.ipynb", markdown, &edits) {
        Ok(plan) => Ok(plan.text),
        Err(mut refused) => Err(refused.remove(0).reason),
    }
}

#[test]
fn a_source_is_only_taken_for_one_where_it_is_equal() {
    let shown = "<!-- cell=1 -->\na\nb\n\n``` cell=2\nc\nd\n```\n";
    let after = FILE.replace("c\\nd", "x\\nd");
    assert_eq!(changed(shown, "c", "x"), Ok(after.clone()));
    // The mark of another cell, and no end of the line.
    for markdown in [
        "``` cell=1\nc\nd\n```\n",
        "``` cell=3\nc\nd\n```\n",
        "``` cell=2\nc\ndd\n```\n",
        "``` cell=2\n\nc\nd\n```\n",
        "``` cell=2\nc\nd",
    ] {
        let refused = changed(markdown, "c\nd", "x");
        assert!(
            matches!(refused, Err(Reason::NotFound(_))),
            "{markdown}: {refused:?}"
        );
    }
    // The second mark is in the first cell, whose text is another one than in the file.
    let twice = "<!-- cell=1 -->\n``` cell=2\nc\nd\n```\n\n``` cell=2\nc\nd\n```\n";
    assert!(changed(twice, "c", "x").is_err());
    let adjacent = "<!-- cell=1 -->\na\nb\n``` cell=2\nc\nd\n```\n";
    assert!(changed(adjacent, "c", "x").is_err());
}

#[test]
fn equal_cells_are_told_apart_by_their_lines() {
    let shown = "<!-- cell=1 -->\na\nb\n\n``` cell=3\na\nb\n```\n";
    let source = Source::from_text(FILE);
    let query = TextQuery {
        choice: crate::find_text::PlaceChoice::NearLine(7),
        ..TextQuery::only("b")
    };
    let edits = [(0, Edit::Text(query, "x"))];
    let plan = plan_notebook(&source, "a.ipynb", shown, &edits).expect("it fits");
    assert_eq!(plan.text, FILE.replace("\"a\\nb\"", "\"a\\nx\""));
    assert!(matches!(
        changed(shown, "b", "x"),
        Err(Reason::Ambiguous(_))
    ));
}

proptest! {
    #[test]
    fn no_markdown_makes_another_change(
        lines in prop::collection::vec(
            prop::sample::select(vec![
                "<!-- cell=1 -->", "<!-- cell=2 -->", "``` cell=2", "``` cell=3", "```", "a", "b",
                "c", "d", "", "````output", "````", "가",
            ]),
            0..14,
        ),
        old in prop::sample::select(vec!["a", "b", "c", "c\nd", "a\nb", "b\n", "\n", "```"]),
        new in prop::sample::select(vec!["", "x", "x\ny", "\"", "\n"]),
    ) {
        if let Ok(text) = changed(&lines.join("\n"), old, new) {
            prop_assert!(is_notebook(&text), "{text}");
        }
    }
}
