//! Tests of the eight ways in which models damage the text that they quote: no edit is made at a
//! wrong place, and the right one is shown first.

use docent_edit::error::Reason;
use docent_edit::find_text::TextQuery;
use docent_edit::plan::Edit;
use unicode_normalization::UnicodeNormalization;

use crate::support::{Random, planned};

/// Returns a text that resembles code with documentation, with lines that repeat as they do there.
fn corpus(random: &mut Random) -> Vec<String> {
    let nouns = [
        "value",
        "result",
        "entry",
        "설정",
        "caf\u{E9}",
        "index",
        "buffer",
        "name",
    ];
    let verbs = ["read", "write", "parse", "merge", "check", "find"];
    let mut lines = Vec::new();
    for part in 0..60 {
        let (noun, verb) = (random.pick(&nouns), random.pick(&verbs));
        lines.push(format!("## How to {verb} \"{noun}\" {part}"));
        lines.push(String::new());
        lines.push(format!("fn {verb}_{part}({noun}: &str) {{"));
        for _ in 0..random.below(8) + 2 {
            let (noun, verb) = (random.pick(&nouns), random.pick(&verbs));
            lines.push(match random.below(6) {
                0 => "    }".to_owned(),
                1 => String::new(),
                2 => format!("    if {noun}.is_empty() {{"),
                3 => format!("        return \"{noun}\";"),
                4 => format!("    let {noun} = {verb}({}, '{noun}');", random.below(50)),
                _ => format!(
                    "    // {verb} the {noun}, which is \"{verb}\" {}",
                    random.below(500)
                ),
            });
        }
        lines.push("}".to_owned());
        lines.push(String::new());
    }
    lines
}

/// Returns a text damaged in one of eight ways, and the file in which it is searched for.
fn spoil(
    way: usize,
    lines: &[String],
    first: usize,
    last: usize,
    random: &mut Random,
) -> (String, String) {
    let mut file = lines.join("\n") + "\n";
    let old = lines[first..=last].join("\n");
    let sent = match way {
        0 => old.replace("    ", "\t"),
        1 => {
            let damage: Vec<String> = lines.iter().map(|line| format!("{line}  ")).collect();
            file = damage.join("\n") + "\n";
            old
        }
        2 => {
            file = file
                .replace(", ", ",\u{A0}")
                .replace("the ", "the\u{A0}")
                .replace("to ", "to\u{A0}");
            old
        }
        3 => {
            file = file
                .replace(" \"", " \u{201C}")
                .replace('"', "\u{201D}")
                .replace('\'', "\u{2019}");
            old
        }
        4 => old.nfd().collect(),
        5 => old.replace('\n', "\r\n"),
        // As of an earlier commit: one line was different or missing.
        6 => {
            let mut before: Vec<String> = lines[first..=last].to_vec();
            let at = random.below(before.len());
            if random.below(2) == 0 {
                before[at] = format!("{} // was otherwise", before[at]);
            } else {
                before.insert(at, "    let older = 1;".to_owned());
            }
            before.join("\n")
        }
        // The block occurs twice.
        _ => {
            file.push_str(&old);
            file.push('\n');
            old
        }
    };
    (sent, file)
}

#[test]
fn never_a_wrong_edit_and_the_right_place_first() {
    let mut random = Random(5);
    let (mut misses, mut first_right, mut shown) = (0usize, 0usize, 0usize);
    let mut made = 0;
    for round in 0..1_600 {
        let way = round % 8;
        let lines = corpus(&mut random);
        let first = random.below(lines.len() - 8);
        let last = first + 1 + random.below(6);
        let (sent, file) = spoil(way, &lines, first, last, &mut random);
        let (from, to) = (first as u32 + 1, last as u32 + 1);
        match planned(
            file.as_bytes(),
            "a.rs",
            &[Edit::Text(TextQuery::only(&sent), "NEW")],
        ) {
            Ok(plan) => {
                // An edit that was made replaces exactly these lines, or the only place of the
                // exact text.
                let all: Vec<&str> = file.lines().collect();
                let mut lines = all.clone();
                lines.splice(first..=last, ["NEW"]);
                let is_lines = plan.text == lines.join("\n") + "\n";
                let is_text =
                    file.matches(&sent).count() == 1 && plan.text == file.replace(&sent, "NEW");
                assert!(is_lines || is_text, "{way} {sent:?}");
                made += 1;
            }
            Err(refused) => match &refused[0].reason {
                Reason::Ambiguous(spots) => {
                    assert!(spots.count > 1);
                    let is_there = spots.shown.iter().any(|spot| spot.line == from);
                    assert!(
                        is_there || spots.count > spots.shown.len(),
                        "{way} {sent:?}"
                    );
                }
                Reason::NotFound(miss) => {
                    misses += 1;
                    let near = |region: &docent_edit::near_miss::Region| {
                        region.first.abs_diff(from) <= 1 && region.last.abs_diff(to) <= 2
                    };
                    let is_first = miss.regions.first().is_some_and(near);
                    first_right += usize::from(is_first);
                    shown += usize::from(miss.regions.iter().any(near));
                    assert!(refused[0].explain("a.rs", &[]).chars().count() <= 2_000);
                }
                reason => panic!("{way} {sent:?} {reason:?}"),
            },
        }
    }
    assert!(misses > 500, "{misses}");
    assert!(
        100 * first_right >= 95 * misses,
        "{first_right} of {misses}, shown {shown}, made {made}"
    );
}
