//! Literal queries: phrases, messages, identifiers in documents; and words without a match.

use docent_api::pillars::{ExploreAnswer, ExploreItem, ExploreLimits, ExploreOptions};
use docent_tree::memory::MemoryDisk;

use super::support::*;

/// Returns all items, the best first.
fn items(found: &ExploreAnswer) -> Vec<&ExploreItem> {
    let groups = [&found.data.docs, &found.data.code, &found.data.data];
    let mut items: Vec<&ExploreItem> = groups.into_iter().flatten().collect();
    items.sort_by_key(|item| item.rank);
    items
}

fn in_order(found: &ExploreAnswer) -> Vec<&str> {
    let items = items(found).into_iter();
    items.map(|item| item.file_path.as_str()).collect()
}

#[test]
fn words_between_quotes_are_a_phrase() {
    let disk = MemoryDisk::with_files(&[
        (
            "apart.md",
            "# Harbour\n\nThe harbour master keeps a log of the harbour, the master's log.\n",
        ),
        (
            "held.md",
            "# Notes\n\nFiller.\n\n# More\n\nThen the harbour\nmaster's rule ends. A harbour.\n",
        ),
        ("other.md", "The rule of a master: no harbour, no ends.\n"),
    ]);
    let found = ask(&disk, query("\"harbour master's rule\""));
    assert_eq!(in_order(&found), ["held.md"]);
    assert_eq!(found.data.docs[0].metadata.heading_path, ["More"]);
    assert_eq!(found.hint, None);
    // Without quotes all of them match the words.
    assert_eq!(
        in_order(&ask(&disk, query("harbour master's rule"))).len(),
        3
    );
    // Each phrase is required, and words beside phrases affect only the ranking.
    let both = ask(&disk, query("\"the harbour\" log \"a log\""));
    assert_eq!(in_order(&both), ["apart.md"]);
    let none = ask(&disk, query("\"rule of the harbour\""));
    assert_eq!(in_order(&none).len(), 3);
    assert_eq!(
        none.hint.as_deref(),
        Some("Nothing holds \"rule of the harbour\" as a whole; the results hold its words.")
    );
}

#[test]
fn a_phrase_is_looked_for_in_code_and_data_too() {
    let code = "fn read() {\n    fail(\"could not read the lamp\");\n}\n\nfn write() {\n    let lamp = 1;\n    // could not read\n}\n";
    let disk = MemoryDisk::with_files(&[
        ("a.rs", code),
        ("b.toml", "[text]\nerror = \"could not read the lamp\"\n"),
        ("c.md", "The lamp could not be read. Read what you could.\n"),
    ]);
    let found = ask(&disk, query("\"not read the lamp\""));
    let mut paths = in_order(&found);
    paths.sort_unstable();
    assert_eq!(paths, ["a.rs", "b.toml"]);
    assert_eq!(
        text(&found.data.code[0]),
        "fn read() {\n    fail(\"could not read the lamp\");\n}\n"
    );
}

#[test]
fn every_line_of_a_document_that_holds_an_identifier_is_shown() {
    let mut guide = "# Guide\n\nIntro.\n\n## First\n\nSet `max_lamps` to 3.\n\n".to_owned();
    for number in 0..4 {
        guide.push_str(&format!(
            "## Part {number}\n\nFiller of lamps.\n\nUse max_lamps in {number}.\n\n"
        ));
    }
    guide.push_str("## Other\n\nMAX_LAMPS and max_lamps_of are others.\n");
    let disk = MemoryDisk::with_files(&[("guide.md", &guide)]);
    let found = ask(&disk, query("max_lamps"));
    let shown = text(&found.data.docs[0]);
    for line in [7, 13, 19, 25, 31] {
        let held = guide.lines().nth(line - 1).unwrap_or_default();
        assert!(held.contains("max_lamps"), "{line} {held}");
        assert!(
            shown.contains(held) && (shown.contains(&format!("{line}: {held}")) || line == 7),
            "{line} {shown}"
        );
    }
    assert!(!shown.contains("others"), "{shown}");
    // Lines that do not fit are counted, and come with the cursor.
    let few = ExploreOptions {
        limits: Some(ExploreLimits {
            max_item_chars: Some(120),
            ..LIMITS
        }),
        ..query("max_lamps")
    };
    let cut = ask(&disk, few.clone());
    assert!(
        text(&cut.data.docs[0]).ends_with(" more lines\n"),
        "{cut:?}"
    );
    let rest = ExploreOptions {
        cursor: by_content(&cut),
        ..few
    };
    let rest = ask(&disk, rest);
    let all = format!("{}{}", text(&cut.data.docs[0]), text(&rest.data.docs[0]));
    for number in 0..4 {
        assert!(
            all.contains(&format!("Use max_lamps in {number}.")),
            "{all}"
        );
    }
}

#[test]
fn a_long_section_shows_one_place_and_lists_the_others() {
    let mut log = String::new();
    for number in 1..=400 {
        let what = if number % 100 == 50 {
            "lamp_state broke"
        } else {
            "all is well"
        };
        log.push_str(&format!("{number:04} the watch says {what}\n"));
    }
    let disk = MemoryDisk::with_files(&[("watch.txt", &log)]);
    let found = ask(&disk, query("lamp_state"));
    let item = &found.data.docs[0];
    let shown = text(item);
    assert!(shown.contains("0049 the watch says all is well\n0050 the watch says lamp_state"));
    for number in [150, 250, 350] {
        let line = format!("{number}: {number:04} the watch says lamp_state broke\n");
        assert!(shown.contains(&line), "{shown}");
    }
    assert!(shown.len() <= 2_400);
    // Quoted lines occur in the file under the numbers shown.
    let first = &item.numbered[0];
    let lines: Vec<&str> = shown.lines().skip(first.at as usize - 1).collect();
    for (at, line) in lines.iter().take(first.count as usize).enumerate() {
        assert_eq!(log.lines().nth(first.number as usize - 1 + at), Some(*line));
    }
}

#[test]
fn sections_that_answer_as_well_come_together() {
    let filler =
        |word: &str| format!("{word} stone and grass and nothing else of note. ").repeat(4);
    let guide = format!(
        "# Guide\n\n{}\n\n## One\n\nThe lantern oil burns.\n\n## Two\n\n{}\n\n## Three\n\nLantern oil is sold.\n\n## Four\n\n{}\n",
        filler("A"),
        filler("B"),
        filler("C"),
    );
    let disk = MemoryDisk::with_files(&[("guide.md", &guide), ("b.md", "A lantern.\n")]);
    let found = ask(&disk, query("lantern oil"));
    let item = &found.data.docs[0];
    let shown = text(item);
    assert!(
        shown.contains("The lantern oil burns.") && shown.contains("Lantern oil is sold."),
        "{shown}"
    );
    assert!(!shown.contains("grass"), "{shown}");
    let lines: Vec<&str> = shown.lines().collect();
    for numbered in &item.numbered {
        for index in 0..numbered.count {
            let own = lines[(numbered.at + index) as usize - 1];
            let line = guide.lines().nth((numbered.number + index) as usize - 1);
            assert_eq!(line, Some(own));
        }
    }
    assert!(
        shown.contains("\n... 13-15:\n") || shown.contains("\n... 5-7:\n"),
        "{shown}"
    );
}

#[test]
fn the_message_in_code_comes_before_documents_with_its_words_apart() {
    let doc = "# Open files\n\nA file could be open. Open files: file, open, lock, could, not.\n";
    let words = "Could not open? Open the lock; open the file. File, lock.\n".repeat(4);
    let steps: String = (0..300)
        .map(|number| format!("fn step_{number}() {{\n    turn(the_wheel);\n}}\n"))
        .collect();
    let open = "fn open() {\n    fail(format!(\"could not open lock file {path}: {error}\"));\n}\n";
    let code = format!("{steps}{open}{steps}");
    let disk = MemoryDisk::with_files(&[
        ("a.md", doc),
        ("b.md", &words),
        ("src/store.rs", &code),
        // Next to short files it is a long one, so its words have little weight.
        ("src/a.rs", "fn a() {}\n"),
        ("src/b.rs", "fn b() {}\n"),
        ("src/c.rs", "fn c() {}\n"),
    ]);
    for asked in [
        "could not open lock file",
        "could not open lock file `/run/x.lock`: Permission denied",
    ] {
        let found = ask(&disk, query(asked));
        assert_eq!(in_order(&found)[0], "src/store.rs", "{asked}");
        assert!(in_order(&found).contains(&"a.md"), "{asked}");
    }
    // The same words in another order are not a message.
    let apart = ask(&disk, query("file lock open not could"));
    assert_eq!(in_order(&apart)[0], "b.md");
}

#[test]
fn words_that_nothing_holds_are_named() {
    let disk = tree();
    let hint = |text: &str| ask(&disk, query(text)).hint;
    let first =
        |text: &str| hint(text).map(|hint| hint.split(". ").next().unwrap_or_default().to_owned());
    assert_eq!(
        first("cache zebra").as_deref(),
        Some("Nothing holds `zebra`")
    );
    assert_eq!(
        first("the zebra of the cache, and a quagga").as_deref(),
        Some("Nothing holds `zebra` or `quagga`")
    );
    assert_eq!(hint("how is the cache size"), None);
}
