//! Property: any edit of any document is either made or refused with an explanation, and never
//! panics.

use docent_edit::diff::parse::parse;
use docent_edit::diff::write::{DiffNames, unified_diff};
use docent_edit::find_text::{PlaceChoice, TextQuery};
use docent_edit::insert::InsertPosition;
use docent_edit::plan::{Edit, plan};
use docent_edit::section::{SectionEdit, SectionOp};
use docent_edit::source::Source;
use docent_edit::view::Blanks;
use proptest::prelude::*;

use crate::support::Random;

/// Pieces of documents, which the test combines in ways that nobody writes.
const PIECES: &[&str] = &[
    "# One\n",
    "## Two\n\n",
    "# One\r\n",
    "#\n",
    "Under\n===\n",
    "Under\n---\n",
    "---\n",
    "---\nt: x\n---\n",
    "text [a][1] and[^n]\n",
    "[1]: c.md\n",
    "[^n]: note\n    more\n",
    "[^n]: ",
    "[x]: <b c> \"t\"\n",
    "> # quoted\n",
    "> [q]: d.md\n",
    "- item\n",
    "  - [l]: e.md\n",
    "```\n",
    "~~~ md\n",
    "    code\n",
    "<div>\n",
    "<!--",
    "-->\n",
    "|a|b|\n|-|-|\n",
    "\n",
    "\n\n",
    "\r",
    "\r\n",
    "\r\r\n",
    " ",
    "\t",
    "\u{FEFF}",
    "한글",
    "\u{1112}\u{1161}\u{11ab}",
    "e\u{301}",
    "\u{301}",
    "é",
    "\u{A0}",
    "\u{200B}",
    "\u{2028}",
    "𝄞",
    "a",
    "b ",
    "\\",
    "`",
    "[",
    "]",
    "]:",
    "[^",
    "!",
    "*",
    "0",
    "[[w]]",
    "{#id}",
    "$x$",
    "&amp;",
    "\u{FFFD}",
    ".. note::\n",
    "==== \n",
    "= Adoc\n",
    "@@",
    "+++ b\n",
];

/// Pieces of diffs.
const SIGNS: &[&str] = &[
    "\n@@ ... @@\n",
    "\n@@ -1 +1 @@\n",
    "\n*** End Patch\n",
    "\n```\n",
    "\n-",
    "\n+",
    "\n ",
];

const NAMES: &[&str] = &["a.md", "a.mdx", "a.txt", "a.rst", "a.adoc", "a.rs"];

fn document(random: &mut Random, most: usize) -> String {
    let count = random.below(most);
    (0..count).map(|_| *random.pick(PIECES)).collect()
}

/// Returns a part of a text, or something similar.
fn part(random: &mut Random, text: &str) -> String {
    let ends: Vec<usize> = text
        .char_indices()
        .map(|(at, _)| at)
        .chain([text.len()])
        .collect();
    let (one, other) = (*random.pick(&ends), *random.pick(&ends));
    let own = &text[one.min(other)..one.max(other)];
    match random.below(6) {
        0 => own.replace('\n', "\r"),
        1 => own.replace('\n', "\r\n"),
        2 => document(random, 4),
        3 => format!("{own}{}", random.pick(PIECES)),
        _ => own.to_owned(),
    }
}

fn wanted<'a>(random: &mut Random, text: &'a str, beside: &'a str) -> TextQuery<'a> {
    let mut wanted = TextQuery::only(text);
    match random.below(8) {
        0 => wanted.choice = PlaceChoice::All,
        1 => wanted.choice = PlaceChoice::Nth(random.below(4)),
        2 => wanted.choice = PlaceChoice::NearLine(random.below(12) as u32),
        3 => wanted.before = Some(beside),
        4 => wanted.after = Some(beside),
        5 => wanted.within = Some(beside),
        6 => wanted.expect_count = Some(random.below(3)),
        _ => {}
    }
    if random.below(3) == 0 {
        wanted.blanks = Blanks::Collapsed;
    }
    wanted
}

/// Returns the name of an existing section, or of none.
fn address(random: &mut Random, text: &str) -> String {
    let headings: Vec<&str> = text.lines().filter(|line| line.starts_with('#')).collect();
    match headings.is_empty() || random.below(4) == 0 {
        true => part(random, text),
        false => random
            .pick(&headings)
            .trim_start_matches('#')
            .trim()
            .to_owned(),
    }
}

/// Applies edits, and formats every explanation.
fn try_out(name: &str, text: &str, edits: &[(usize, Edit<'_>)]) {
    let Ok(source) = Source::decode(text.as_bytes()) else {
        return;
    };
    match plan(&source, name, edits) {
        Ok(plan) => {
            assert_eq!(plan.changed, plan.text != source.text());
            assert_eq!(plan.bytes, source.with_mark(&plan.text).as_bytes());
            let _ = plan.difference(&source, DiffNames::Same(name));
            plan.warnings.iter().for_each(|warning| {
                assert!(!warning.message().is_empty());
            });
        }
        Err(refused) => {
            assert!(!refused.is_empty());
            for one in refused {
                assert!(!one.explain(name, &[]).is_empty());
            }
        }
    }
}

const OPS: &[SectionOp] = &[
    SectionOp::Replace,
    SectionOp::Append,
    SectionOp::Prepend,
    SectionOp::InsertBefore,
    SectionOp::InsertAfter,
    SectionOp::Delete,
    SectionOp::Rename,
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_edit_is_made_or_refused(seed in 1u64..u64::MAX) {
        let mut random = Random(seed);
        let text = document(&mut random, 24);
        let name = *random.pick(NAMES);
        let (old, new, beside) = (part(&mut random, &text), part(&mut random, &text), part(&mut random, &text));
        let section = address(&mut random, &text);
        let hash = match Source::decode(text.as_bytes()) {
            Ok(source) => source.hash().short(),
            Err(_) => return Ok(()),
        };
        let (first, last) = (random.below(6) as u32, random.below(8) as u32);
        let content = document(&mut random, 5);
        let mut edits = vec![
            Edit::Text(wanted(&mut random, &old, &beside), &new),
            Edit::Insert(InsertPosition::AfterText(wanted(&mut random, &old, &beside)), &new),
            Edit::Insert(InsertPosition::Start, &new),
            Edit::Insert(InsertPosition::End, &new),
            Edit::Insert(InsertPosition::BeforeLine(first, &hash), &new),
            Edit::Lines((first, last), &hash, &new),
        ];
        for op in OPS {
            edits.push(Edit::Section(SectionEdit {
                address: &section,
                op: *op,
                content: &content,
                include_subsections: random.below(2) == 0,
            }));
        }
        for edit in &edits {
            try_out(name, &text, &[(0, edit.clone())]);
        }
        let (one, other) = (random.pick(&edits).clone(), random.pick(&edits).clone());
        try_out(name, &text, &[(0, one), (1, other)]);
    }

    #[test]
    fn any_patch_is_applied_or_refused(seed in 1u64..u64::MAX) {
        let mut random = Random(seed);
        let text = document(&mut random, 24);
        let mut after = part(&mut random, &text);
        let piece: &str = random.pick::<&str>(PIECES);
        after.insert_str(0, piece);
        let mut diff = unified_diff(DiffNames::Same("a.md"), &text, &after);
        for _ in 0..random.below(4) {
            let at = diff.floor_char_boundary(random.below(diff.len() + 1));
            let piece: &str = match random.below(2) {
                0 => random.pick::<&str>(PIECES),
                _ => random.pick::<&str>(SIGNS),
            };
            match random.below(3) {
                0 => diff.truncate(at),
                _ => diff.insert_str(at, piece),
            }
        }
        if let Ok(files) = parse(&diff) {
            for (index, file) in files.iter().enumerate() {
                try_out("a.md", &text, &[(index, Edit::Hunks(&file.hunks))]);
            }
        }
    }
}
