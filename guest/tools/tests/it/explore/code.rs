//! Items of code.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use docent_api::pillars::{
    Degradation, ExploreAnswer, ExploreItem, ExploreLimits, ExploreOptions, IncludedKinds,
    ItemKind, View,
};
use docent_tree::memory::MemoryDisk;

use super::support::*;

#[test]
fn a_preview_leaves_comments_out_where_they_are_not_asked_for() {
    let body = "    pass\n".repeat(60);
    let text_of_file =
        format!("# Of a lantern.\ndef plain():\n{body}def other():\n    'Of a harbour.'\n");
    let disk = MemoryDisk::with_files(&[("a.py", &text_of_file)]);
    let preview = |comments| {
        let kinds = IncludedKinds {
            docs: None,
            code: None,
            comments: Some(comments),
            logs: None,
            data: None,
        };
        let options = ExploreOptions {
            include: Some(kinds),
            view: Some(View::Preview),
            ..paths(&["a.py"])
        };
        text(&ask(&disk, options).data.code[0]).to_owned()
    };
    assert_eq!(
        preview(true),
        "1-62  def plain()  // Of a lantern.\n63-64  def other()  // Of a harbour."
    );
    assert_eq!(preview(false), "1-62  def plain()\n63-64  def other()");
    // The string of a definition is a comment of Python.
    let options = ExploreOptions {
        include: Some(IncludedKinds {
            docs: None,
            code: None,
            comments: Some(false),
            logs: None,
            data: None,
        }),
        ..query("harbour")
    };
    assert!(ask(&disk, options).data.code.is_empty());
}

#[test]
fn a_hit_in_a_signature_is_shown_once() {
    for (file, program, expected) in [
        (
            "a.rs",
            "const HARBOUR_SIZE: u32 = 1;\n",
            "const HARBOUR_SIZE: u32 = 1;\n",
        ),
        (
            "a.rs",
            "fn harbour_size() {\n}\n",
            "fn harbour_size() {\n}\n",
        ),
        (
            "a.ts",
            "export type HarbourSize = number;\n",
            "export type HarbourSize = number;\n",
        ),
    ] {
        let disk = MemoryDisk::with_files(&[(file, program)]);
        let found = ask(&disk, query("harbour size")).data.code;
        assert_eq!(text(&found[0]), expected);
    }
}

#[test]
fn the_time_ends_the_look_for_definitions() {
    let functions = |count: usize| -> String {
        (0..count)
            .map(|number| format!("def lantern_{number}():\n    pass\n\n"))
            .collect()
    };
    let disk = MemoryDisk::with_files(&[("a.py", &functions(40_000))]);
    let options = ExploreOptions {
        limits: Some(ExploreLimits {
            timeout_ms: Some(1_000),
            ..LIMITS
        }),
        ..query("lantern")
    };
    // In time it is the definition of the first hit.
    let found = ask(&disk, options.clone());
    assert_eq!(found.data.code[0].kind, ItemKind::Symbol);
    assert!(!found.reasons.contains(&Degradation::Timeout));
    // The clock advances each time it is consulted, in smaller steps the later the time ends, so at
    // some step the time ends in the middle of the definitions.
    let previews: Vec<_> = (6..=40)
        .step_by(4)
        .map(|divisor| {
            let mut now = 0;
            disk.set_clock(move || {
                now += 1_000 / divisor;
                now
            });
            ask(&disk, options.clone())
        })
        .filter(|found| {
            found
                .data
                .code
                .iter()
                .any(|item| item.kind == ItemKind::FilePreview)
        })
        .collect();
    assert!(!previews.is_empty());
    for found in previews {
        assert!(found.reasons.contains(&Degradation::Timeout));
        let first = text(&found.data.code[0]);
        assert!(first.starts_with("1: def lantern_0():\n4: def lantern_1():\n"));
    }
}

/// Returns the files that come with their texts, best first.
fn in_order(found: &ExploreAnswer) -> Vec<&str> {
    let mut items: Vec<&ExploreItem> = [&found.data.docs, &found.data.code, &found.data.data]
        .into_iter()
        .flatten()
        .collect();
    items.sort_by_key(|item| item.rank);
    let with_text = items.into_iter().filter(|item| !item.only_named);
    with_text.map(|item| item.file_path.as_str()).collect()
}

#[test]
fn a_name_that_is_defined_leaves_out_what_holds_its_parts() {
    let disk = MemoryDisk::with_files(&[
        ("a.rs", "fn parse_config() {\n}\n"),
        ("b.md", "To parse a config.\n"),
        ("c.json", "{\"parse\": \"config\"}\n"),
    ]);
    let found = ask(&disk, query("parse_config"));
    assert_eq!(in_order(&found), ["a.rs"]);
    assert!(found.data.docs.is_empty() && found.data.data.is_empty());
}

#[test]
fn a_longer_name_is_no_use_of_a_name() {
    let disk = MemoryDisk::with_files(&[
        ("a.ts", "export function createCache() {\n}\n"),
        ("b.ts", "createCacheExpression()\ncreateCache()\n"),
        ("c.ts", "createCacheExpression()\n"),
    ]);
    let found = ask(&disk, query("createCache"));
    assert_eq!(in_order(&found), ["a.ts", "b.ts"]);
    assert_eq!(text(&found.data.code[1]), "2: createCache()\n");
    // If no other file contains it, a longer name is better than nothing.
    let found = ask(&disk, query("createCacheExpress"));
    assert_eq!(found.data.code.len(), 2);
}

#[test]
fn the_best_place_of_a_name_among_words_comes_first() {
    let filler = "Much is said here of other things.\n\n".repeat(80);
    let guide = format!(
        "# Guide\n\n{filler}| Name | Default |\n| --- | --- |\n| `MAX_SIZE` | 64 |\n\n{filler}"
    );
    let uses: String = (0..12)
        .map(|number| format!("set({number}, MAX_SIZE)\n"))
        .collect();
    let disk = MemoryDisk::with_files(&[
        (
            "a.js",
            &format!("{uses}// the default of MAX_SIZE stands in the guide\n"),
        ),
        ("guide.md", &guide),
        ("other.md", "What is a default? A value.\n"),
    ]);
    let found = ask(&disk, query("default value of MAX_SIZE"));
    let code = text(&found.data.code[0]);
    assert!(code.contains("13: // the default of"), "{code}");
    assert!(code.ends_with("... 8 more lines\n"), "{code}");
    // Documents without the name only share the other words of the query.
    let docs: Vec<&str> = found
        .data
        .docs
        .iter()
        .map(|item| item.file_path.as_str())
        .collect();
    assert_eq!(docs, ["guide.md"]);
    let guide = text(&found.data.docs[0]);
    assert!(
        guide.contains("| `MAX_SIZE` | 64 |") && guide.len() <= 800,
        "{guide}"
    );
    // A query for uses gets all of them.
    let found = ask(&disk, query("where is MAX_SIZE used"));
    assert_eq!(text(&found.data.code[0]).lines().count(), 13);
}

#[test]
fn what_holds_the_words_in_one_place_comes_before_what_holds_them_all_over() {
    let filler: String = (0..60)
        .map(|number| format!("int unrelated_{number}(void) {{\n    return {number};\n}}\n\n"))
        .collect();
    let scattered = format!(
        "/* The lantern. */\n{filler}/* A harbour at night. */\n{filler}/* It is lit again. */\n{filler}"
    );
    let together = format!(
        "{filler}{filler}/* Lit the lantern of the harbour. */\nvoid kindle(void) {{\n    go();\n}}\n\n{filler}"
    );
    let disk = MemoryDisk::with_files(&[("a.c", &scattered), ("b.c", &together)]);
    let found = ask(&disk, query("lit lantern harbour"));
    assert_eq!(in_order(&found)[0], "b.c");
    let code = &found.data.code;
    let first = code.iter().find(|item| item.rank == 1);
    assert_eq!(first.map(|item| item.title.as_str()), Some("kindle"));
}

#[test]
fn a_heading_or_a_file_that_is_asked_for_is_the_answer() {
    let disk = MemoryDisk::with_files(&[
        (
            "a.md",
            "# A\n\n## Validating references\n\nThey are validated.\n",
        ),
        (
            "b.md",
            "# Validating\n\nValidating references and references to validate.\n",
        ),
        ("package.json", "{\"scripts\": {\"test\": \"run tests\"}}\n"),
        ("c.md", "# Tests\n\nHow the tests of a package are run.\n"),
    ]);
    let found = ask(&disk, query("validating references"));
    assert_eq!(in_order(&found), ["a.md"]);
    assert_eq!(found.data.docs.len(), 2, "the other one is named");
    let found = ask(&disk, query("how are tests run package.json"));
    assert_eq!(in_order(&found), ["package.json"]);
    let found = ask(&disk, query("how are tests run"));
    assert_eq!(in_order(&found)[0], "c.md");
}

#[test]
fn a_long_definition_returns_the_place_that_answers() {
    let steps: String = (0..120)
        .map(|number| format!("    step_{number}();\n"))
        .collect();
    let program = format!(
        "void run(void) {{\n    wind();\n{steps}    /* Light the lantern of the harbour. */\n    kindle();\n{steps}    harbour();\n}}\n"
    );
    let disk = MemoryDisk::with_files(&[("a.c", &program)]);
    let found = ask(&disk, query("light lantern harbour"));
    let text = text(&found.data.code[0]);
    assert!(text.starts_with("void run(void)\n... "), "{text}");
    let place = "    /* Light the lantern of the harbour. */\n    kindle();\n    step_0();\n";
    assert!(text.contains(place) && text.len() < 1_400, "{text}");
}

#[test]
fn a_long_definition_is_never_shown_without_its_head() {
    let steps: String = (0..200)
        .map(|number| format!("    step_{number}()\n"))
        .collect();
    let class = format!(
        "class Watch:\n    \"\"\"Keeps the harbour.\"\"\"\n\n    def run(self, hours):\n        \"\"\"Runs the watch.\n\n        All night.\n        \"\"\"\n{}        light_lantern_of_harbour()\n",
        steps.replace("    step", "        step"),
    );
    let disk = MemoryDisk::with_files(&[("a.py", &class)]);
    let found = ask(&disk, query("light lantern harbour"));
    let shown = text(&found.data.code[0]);
    let head = "class Watch\n  def run(self, hours)\n    Runs the watch.\n... ";
    assert!(shown.starts_with(head), "{shown}");
    assert!(
        shown.contains("        light_lantern_of_harbour()\n"),
        "{shown}"
    );
    // A definition that matches at its beginning is shown from its beginning.
    let found = ask(&disk, query("runs all night watch"));
    let shown = text(&found.data.code[0]);
    let head = "class Watch\n... 4-";
    assert!(
        !shown.contains("Runs the watch.\n... ") || shown.starts_with(head),
        "{shown}"
    );
    assert!(shown.contains("    def run(self, hours):\n"), "{shown}");
}

#[test]
fn a_qualified_name_is_its_definition_and_the_uses_of_its_own_name() {
    let body = "        self.step(1)\n".repeat(300);
    let program = format!(
        "class LanternKeeper:\n    \"\"\"Keeps a lantern.\"\"\"\n\n    def tend_light(self):\n        \
         \"\"\"Tends it.\"\"\"\n{body}\n    def step(self, lantern):\n        self.tend_light()\n\n\
         keeper = LanternKeeper()\n"
    );
    let disk = MemoryDisk::with_files(&[("a.py", &program)]);
    let found = ask(&disk, query("LanternKeeper.tend_light")).data.code;
    let shown = text(&found[0]);
    let head = "class LanternKeeper\n    def tend_light(self):\n        \"\"\"Tends it.\"\"\"\n        \
                self.step(1)\n";
    assert!(shown.starts_with(head), "{shown}");
    assert!(shown.contains("308 step: self.tend_light()\n"), "{shown}");
    // A line with only a part of the name is not a use of it.
    assert!(!shown.contains("keeper ="), "{shown}");
    assert!(!shown.contains("def step"), "{shown}");
}

#[test]
fn code_in_one_line_returns_the_text_around_the_hit() {
    let steps = "step();".repeat(2_000);
    let program = format!("void run(void) {{ {steps} lantern(harbour); {steps} }}\n");
    let disk = MemoryDisk::with_files(&[("a.c", &program)]);
    let found = ask(&disk, query("lantern harbour"));
    let text = text(&found.data.code[0]);
    assert!(
        text.contains("lantern(harbour)") && text.len() < 1_400,
        "{text}"
    );
}

#[test]
fn a_name_that_nothing_holds_is_said_to_be_absent() {
    let disk = MemoryDisk::with_files(&[
        (
            "a.c",
            "/* Frees memory if needed. */\nvoid evict(void) {\n    call();\n}\n",
        ),
        (
            "b.md",
            "# Memory\n\nIt is freed if needed, see `free_memory`.\n",
        ),
    ]);
    let hint = |text| ask(&disk, query(text)).hint.unwrap_or_default();
    for absent in [
        "who calls freeMemoryIfNeeded",
        "freeMemoryIfNeeded",
        "what is free_memory_now",
    ] {
        assert!(
            hint(absent).starts_with("Nothing holds `free"),
            "{absent}: {}",
            hint(absent)
        );
    }
    // It occurs in a document, or the query does not ask for a name.
    for present in [
        "who calls free_memory",
        "free_memory",
        "free memory",
        "evict",
    ] {
        assert_eq!(hint(present), "", "{present}");
    }
    let other_case = hint("Free_Memory");
    assert!(other_case.starts_with("Nothing holds `Free_Memory` in this case;"));
}

#[test]
fn a_name_in_another_case_is_found_and_said_to_be_so() {
    let body = |name: &str| format!("fn {name}(text: &str) {{\n    split(text);\n}}\n");
    let capitals = body("parseConfig");
    let small = body("parseconfig");
    let uses = "fn main() {\n    parseConfig(\"a\");\n}\n";
    let page = "# Notes\n\nparseconfig parseconfig parseconfig: see there.\n";
    for (asked, files, expected, said) in [
        (
            "parseconfig",
            &[("z.rs", &capitals[..]), ("a.rs", uses), ("b.md", page)][..],
            "z.rs",
            "Nothing defines `parseconfig` in this case; the first result does in another.",
        ),
        (
            "parseConfig",
            &[("z.rs", &small), ("b.md", page)],
            "z.rs",
            "Nothing holds `parseConfig` in this case; the results hold it in another.",
        ),
        (
            "parseconfig",
            &[("z.rs", &small), ("a.rs", &capitals)],
            "z.rs",
            "",
        ),
        (
            "parseConfig",
            &[("a.rs", &small), ("z.rs", &capitals)],
            "z.rs",
            "",
        ),
        // A plain word is more often about its subject than about a type of that name.
        ("config", &[("z.rs", "struct Config;\n")], "z.rs", ""),
    ] {
        let found = ask(&MemoryDisk::with_files(files), query(asked));
        assert_eq!(in_order(&found).first(), Some(&expected), "{asked}");
        assert_eq!(found.hint.unwrap_or_default(), said, "{asked}");
        let code = &found.data.code[0];
        assert!(
            files.iter().any(|(_, whole)| text(code) == *whole),
            "{}",
            text(code)
        );
    }
}

#[test]
fn a_section_called_by_a_name_comes_whole_and_a_mention_in_its_place() {
    let lines = "It says some more about what is meant, line after line.\n\n".repeat(30);
    let page = |heading: &str| format!("# {heading}\n\nAsk lampLight then.\n\n{lines}");
    let about = page("The lampLight");
    let mention = page("Other");
    let code = "fn lampLight() {}\n";
    for (whole, is_whole) in [(&about, true), (&mention, false)] {
        let disk = MemoryDisk::with_files(&[("a.md", whole), ("z.rs", code)]);
        let found = ask(&disk, query("lampLight 설명 보기"));
        let shown = found.data.docs.first().map(text);
        assert_eq!(shown == Some(whole.as_str()), is_whole, "{shown:?}");
    }
}

#[test]
fn tests_stand_back_where_they_are_not_asked_for() {
    let program = "/* Evicts keys by policy. */\nvoid evict(void) {\n    go();\n}\n";
    let disk = MemoryDisk::with_files(&[
        ("src/evict.c", program),
        (
            "lib/test/evict.c",
            &program.replace("evict(", "evict_tested("),
        ),
    ]);
    assert_eq!(
        in_order(&ask(&disk, query("evicts keys policy")))[0],
        "src/evict.c"
    );
    let asked = ask(&disk, query("test evicts keys policy"));
    assert_eq!(in_order(&asked)[0], "lib/test/evict.c");
}

#[test]
fn each_candidate_is_read_once_for_all_stages_of_a_search() {
    let calls = "from lamp import parse_lamp\nparse_lamp()\n";
    let mut files = vec![("lamp.py".to_owned(), "def parse_lamp():\n    pass\n")];
    files.extend((0..9).map(|number| (format!("pkg/use_{number}.py"), calls)));
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (&**path, *text)).collect();
    let disk = MemoryDisk::with_files(&files);
    let opened = Rc::new(RefCell::new(BTreeMap::<String, usize>::new()));
    let counts = Rc::clone(&opened);
    disk.on_open(move |_, path| *counts.borrow_mut().entry(path.to_owned()).or_default() += 1);
    let answer = ask(&disk, query("where is parse_lamp called"));
    assert_eq!(answer.data.code[0].file_path, "lamp.py");
    let opened = opened.borrow();
    let files: Vec<_> = opened
        .iter()
        .filter(|(path, _)| path.ends_with(".py"))
        .collect();
    assert_eq!(files.len(), 10, "{opened:?}");
    // Once to count its words, and once to rank and show it.
    assert!(files.iter().all(|(_, times)| **times <= 2), "{opened:?}");
}
