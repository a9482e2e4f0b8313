//! Tests of random edits against a simple model of them.

use docent_edit::find_text::{PlaceChoice, TextQuery};
use docent_edit::plan::Edit;
use proptest::prelude::*;

use docent_document::sections::sections;
use docent_edit::diff::file_patch::Hunk;
use docent_edit::insert::InsertPosition;
use docent_edit::section::{SectionEdit, SectionOp};
use docent_edit::source::Source;
use docent_edit::view::Blanks;
use docent_text::content_hash::ContentHash;

use crate::support::planned;

/// Returns all starts of `old`, including overlapping ones.
fn starts(text: &str, old: &str) -> Vec<usize> {
    let boundaries = (0..text.len()).filter(|at| text.is_char_boundary(*at));
    boundaries
        .filter(|at| text[*at..].starts_with(old))
        .collect()
}

/// Holds for an edit that adds at the end of its range, and another, given first, that adds at the
/// beginning of the adjacent one.
#[test]
fn neighbours_that_add_where_they_meet() {
    let text = "1\nab\n\n\n\nab";
    let edits = [
        Edit::Text(TextQuery::only("\n\nab"), "A\n\n"),
        Edit::Text(TextQuery::only("ab\n\n"), "\nA"),
    ];
    let plan = planned(text.as_bytes(), "a.txt", &edits).unwrap();
    assert_eq!(plan.text, "1\n\nAA\n\n");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 10_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn one_replacement(text in "[ab\n]{0,24}", old in "[ab\n]{1,4}", new in "[abc\n]{0,5}") {
        let places = starts(&text, &old);
        let edit = Edit::Text(TextQuery::only(&old), &new);
        let found = planned(text.as_bytes(), "a.txt", &[edit]);
        match places.as_slice() {
            [at] => {
                let expected = format!("{}{new}{}", &text[..*at], &text[at + old.len()..]);
                let plan = found.unwrap();
                prop_assert_eq!(&plan.text, &expected);
                prop_assert_eq!(plan.changed, text != expected);
            }
            [] => prop_assert_eq!(found.unwrap_err()[0].reason.code(), "edit-not-found"),
            _ => prop_assert_eq!(found.unwrap_err()[0].reason.code(), "edit-ambiguous"),
        }
    }

    #[test]
    fn all_places_at_once(text in "[ab한\n]{0,24}", old in "[ab한\n]{1,3}", new in "[abc\n]{0,5}") {
        let wanted = TextQuery { choice: PlaceChoice::All, ..TextQuery::only(&old) };
        let found = planned(text.as_bytes(), "a.txt", &[Edit::Text(wanted, &new)]);
        match found {
            Ok(plan) => prop_assert_eq!(plan.text, text.replace(&old, &new)),
            Err(_) => prop_assert!(!text.contains(&old)),
        }
    }

    #[test]
    fn several_edits_of_one_text(
        text in "[a-z\n]{0,60}",
        cuts in proptest::collection::vec((0usize..60, 1usize..6, "[A-Z\n]{0,4}"), 1..5),
    ) {
        // Texts that occur once: the model applies them from the end.
        let mut edits: Vec<(usize, &str, &str)> = Vec::new();
        for (start, length, new) in &cuts {
            let Some(old) = text.get(*start..(start + length).min(text.len())) else { continue };
            if !old.is_empty() && starts(&text, old).len() == 1 {
                edits.push((*start, old, new));
            }
        }
        let all: Vec<Edit<'_>> = edits.iter().map(|(_, old, new)| Edit::Text(TextQuery::only(old), new)).collect();
        let found = planned(text.as_bytes(), "a.txt", &all);
        edits.sort_unstable();
        let overlap = edits.windows(2).any(|pair| pair[0].0 + pair[0].1.len() > pair[1].0);
        prop_assert_eq!(found.is_err(), overlap);
        if let Ok(plan) = found {
            let mut expected = text.clone();
            for (start, old, new) in edits.iter().rev() {
                expected.replace_range(*start..start + old.len(), new);
            }
            prop_assert_eq!(plan.text, expected);
        }
    }
}

const PIECES: [&str; 34] = [
    "# A\n",
    "## B\n",
    "# A\r\n",
    "### C ###\n",
    "B\n===\n",
    "x\n---\n",
    "a",
    "b c",
    " ",
    "\t",
    "\n",
    "\r\n",
    "\r",
    "\n\n",
    "```\n",
    "~~~\n",
    "<!--",
    "-->",
    "- a\n",
    "> # A\n",
    "---\na: b\n---\n",
    "#!/bin/sh\n",
    "e\u{301}",
    "é",
    "\u{FEFF}",
    "\u{A0}",
    "한",
    "{#id}",
    "== D\n",
    "====\n",
    "----\n",
    "    code\n",
    "\\n",
    "1| a\n",
];

fn pieces(most: usize) -> impl Strategy<Value = String> {
    let piece = proptest::sample::select(&PIECES[..]);
    proptest::collection::vec(piece, 0..most).prop_map(|pieces| pieces.concat())
}

/// Returns the headings of a document with their levels.
fn headings(name: &str, text: &str) -> Vec<(u8, String)> {
    let all = sections(name, text)
        .into_iter()
        .filter(|section| section.level > 0);
    all.map(|section| (section.level, section.heading))
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 20_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_edit_fails_otherwise_than_by_a_reason(
        text in pieces(20), old in pieces(4), new in pieces(5), choice in 0usize..4, at in 0u32..6, name in 0usize..4,
    ) {
        let name = ["a.md", "a.rst", "a.adoc", "a.txt"][name];
        let hash = ContentHash::new(text.as_bytes()).short();
        let choice = [PlaceChoice::Only, PlaceChoice::Nth(1), PlaceChoice::All, PlaceChoice::NearLine(at)][choice];
        let wanted = |blanks| TextQuery { choice, blanks, ..TextQuery::only(&old) };
        let beside = TextQuery { before: Some(&new), ..wanted(Blanks::Collapsed) };
        let hunk = Hunk { old: old.clone(), new: new.clone(), line: Some(at), ..Hunk::default() };
        let section = |op, include_subsections| Edit::Section(SectionEdit {
            address: "A", op, content: &new, include_subsections,
        });
        let edits = [
            Edit::Text(wanted(Blanks::Exact), &new),
            Edit::Text(wanted(Blanks::Collapsed), &new),
            Edit::Text(beside, &old),
            Edit::Insert(InsertPosition::Start, &new),
            Edit::Insert(InsertPosition::End, &new),
            Edit::Insert(InsertPosition::AfterLine(at, &hash), &new),
            Edit::Insert(InsertPosition::BeforeText(wanted(Blanks::Collapsed)), &new),
            Edit::Lines((at, at + 1), &hash, &new),
            Edit::Hunks(std::slice::from_ref(&hunk)),
            section(SectionOp::Replace, false), section(SectionOp::Replace, true), section(SectionOp::Append, true),
            section(SectionOp::InsertBefore, false), section(SectionOp::Delete, true), section(SectionOp::Rename, false),
        ];
        let mut all = edits.to_vec();
        for edit in &edits {
            match planned(text.as_bytes(), name, std::slice::from_ref(edit)) {
                Ok(plan) => {
                    let again = Source::decode(&plan.bytes).unwrap();
                    // A mark that comes to be first belongs to the file.
                    let is_read = again.text() == plan.text || plan.text.starts_with('\u{FEFF}');
                    prop_assert!(is_read, "{edit:?}");
                    prop_assert_eq!(plan.changed, plan.bytes != text.as_bytes());
                }
                Err(refused) => {
                    all.retain(|other| other != edit);
                    prop_assert!(refused[0].explain("a", &[1]).chars().count() <= 2_000);
                }
            }
        }
        let _ = planned(text.as_bytes(), name, &all);
    }

    #[test]
    fn other_headings_stay(before in pieces(12), behind in pieces(12), content in pieces(5), op in 0usize..6) {
        let before = before.trim_start_matches('\u{FEFF}');
        let text = format!("{before}\n\n# Z\n{behind}");
        let op = [SectionOp::Replace, SectionOp::Append, SectionOp::Prepend, SectionOp::InsertBefore, SectionOp::InsertAfter, SectionOp::Rename][op];
        let edit = SectionEdit { address: "Z", op, content: &content, include_subsections: false };
        if let Ok(plan) = planned(text.as_bytes(), "a.md", &[Edit::Section(edit)]) {
            let old = headings("a.md", &text);
            let new = headings("a.md", &plan.text);
            // All other headings are still there, in their order.
            let mut rest = new.iter();
            let mut others = old.iter().filter(|(_, heading)| heading != "Z");
            let is_there = others.all(|old| rest.any(|new| new == old));
            prop_assert!(is_there, "{text:?} {op:?} {:?}", plan.text);
            if op != SectionOp::Rename {
                prop_assert!(new.iter().any(|(level, heading)| *level == 1 && heading == "Z"), "{text:?} {:?}", plan.text);
            }
        }
    }
}
