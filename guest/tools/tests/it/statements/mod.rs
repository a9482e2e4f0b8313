//! Claims of answers, compared with the truth: on random trees, by a reference that reads
//! everything, line by line, and knows nothing of indexes, budgets, pages and graphs.

use std::collections::{BTreeMap, BTreeSet};

use docent_api::pillars::{ExploreOptions, ExploreStatus};
use docent_api::search::{SearchDocumentsOptions, SearchMode};
use docent_api::sections::SmartSearchOptions;
use docent_api::understanding::{
    Aspect, Reference, ReferenceEnd, UnderstandLimits, UnderstandOptions, UseClass,
};
use docent_api::writing::Edit;
use docent_tools::{
    Docent, NO_CHANGE_OPTIONS, NO_EDIT, NO_EXPLORE_OPTIONS, NO_UNDERSTAND_OPTIONS, ToolSettings,
};
use docent_tree::memory::MemoryDisk;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::{RngAlgorithm, TestRng, TestRunner};

mod callers;
mod packages;
mod writes;

/// The definitions; each is a name, the suffix of another one, or nested in one.
const NAMES: [&str; 4] = ["gear", "Lever", "spin_gear", "crankShaft"];

/// Words that are not the name of a definition.
const WORDS: [&str; 4] = ["amber", "basalt", "cedar", "dune"];

/// Heads of definitions, up to the first letters of their names.
const HEADS: [&str; 3] = ["def test_", "def un", "class Un"];

/// Names of files read as they are, of all kinds: documents, code, data, unknown ones.
const PATHS: [&str; 16] = [
    "a.md",
    "docs/b.md",
    "docs/c.md",
    "d.txt",
    "e.rst",
    "src/f.py",
    "src/g.py",
    "src/test_h.py",
    "lib/i.py",
    "j.toml",
    "k.json",
    "README",
    "deploy/l.conf2",
    "m.html",
    "n.ini",
    "o.tex",
];

/// Names of files that are passed by, with why.
const UNSEEN: [(&str, Unseen); 5] = [
    (".p.md", Unseen::Hidden),
    (".q/r.md", Unseen::Hidden),
    ("s.key", Unseen::Sensitive),
    ("ignored/t.md", Unseen::Ignored),
    ("u.dat", Unseen::Binary),
];

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Unseen {
    Hidden,
    Sensitive,
    Ignored,
    Binary,
}

/// A tree, as the reference knows it.
#[derive(Clone, Debug, Default)]
struct World {
    /// Files that tools may read, by path.
    files: BTreeMap<&'static str, String>,
    unseen: BTreeSet<(&'static str, Unseen)>,
}

fn line() -> impl Strategy<Value = String> {
    let word = prop_oneof![select(&WORDS[..]), select(&NAMES[..])];
    let words = prop::collection::vec(word, 1..5);
    let form = (words, 0..8u8, select(&PATHS[..]), select(&HEADS[..]));
    form.prop_map(|(words, form, path, head)| match form {
        0 => format!("{}()", words[0]),
        1 => format!("x = y.{}(1)", words[0]),
        2 => format!("# {}", words.join(" ")),
        3 => format!("[{}](/{path})", words.join(" ")),
        4 => format!("see {path} or pre{}fix", words[0]),
        // A definition whose name ends with that of the one it uses.
        5 => format!("{head}{0}():\n    {0}()\n    {0}()", words[0]),
        _ => words.join(" "),
    })
}

fn world() -> impl Strategy<Value = World> {
    let text = prop::collection::vec(line(), 1..12);
    let files = prop::collection::btree_map(select(&PATHS[..]), text, 3..9);
    let unseen = prop::collection::btree_set(select(&UNSEEN[..]), 0..4);
    (files, unseen, select(&NAMES[..]), any::<bool>()).prop_map(|(files, unseen, name, imports)| {
        let mut files: BTreeMap<&str, String> = files
            .into_iter()
            .map(|(path, lines)| (path, lines.join("\n") + "\n"))
            .collect();
        let head = format!("def {name}(a):\n    return a\n\n");
        let body = files.remove("src/f.py").unwrap_or_default();
        files.insert("src/f.py", head + &body);
        if imports && let Some(text) = files.get_mut("src/g.py") {
            text.insert_str(0, &format!("from f import {name}\n"));
        }
        World { files, unseen }
    })
}

impl World {
    fn disk(&self) -> MemoryDisk {
        let disk = MemoryDisk::with_roots(&["docs"]);
        for (path, text) in &self.files {
            disk.write("docs", path, text.as_bytes());
        }
        for (path, why) in &self.unseen {
            match why {
                Unseen::Binary => disk.write("docs", path, b"amber\0basalt gear"),
                _ => disk.write("docs", path, b"amber basalt cedar dune gear Lever\n"),
            }
        }
        if self.count(Unseen::Ignored) > 0 {
            disk.write("docs", ".gitignore", b"ignored/\n");
        }
        disk.set_writable("docs");
        disk
    }

    fn docent(&self) -> Docent<MemoryDisk> {
        Docent::new(self.disk(), ToolSettings::default())
    }

    fn count(&self, why: Unseen) -> usize {
        self.unseen
            .iter()
            .filter(|(_, other)| *other == why)
            .count()
    }

    /// Returns whether a file is searched as a document: all but code and data.
    fn is_document(path: &str) -> bool {
        let mut others = [".py", ".toml", ".json", ".ini"].iter();
        !others.any(|end| path.ends_with(end))
    }

    fn documents(&self) -> impl Iterator<Item = (&&str, &String)> {
        self.files
            .iter()
            .filter(|(path, _)| Self::is_document(path))
    }

    /// The lines that contain a word as a whole word, by path and number.
    fn lines_with(&self, word: &str) -> BTreeSet<(String, u32)> {
        let mut found = BTreeSet::new();
        for (path, text) in &self.files {
            for (number, line) in (1u32..).zip(text.lines()) {
                if is_held(line, word) {
                    found.insert(((*path).to_owned(), number));
                }
            }
        }
        found
    }
}

fn is_held(line: &str, word: &str) -> bool {
    let mut words = line.split(|c: char| !c.is_alphanumeric() && c != '_');
    words.any(|own| own == word)
}

/// Checks a law on `cases` trees, the same ones each time.
fn check<S: Strategy>(
    cases: u32,
    strategy: S,
    law: impl Fn(S::Value) -> Result<(), TestCaseError>,
) {
    let config = ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::with_cases(cases)
    };
    let rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let mut runner = TestRunner::new_with_rng(config, rng);
    if let Err(error) = runner.run(&strategy, law) {
        panic!("{error}");
    }
}

/// Returns the first number after `before` in a sentence.
fn number_behind(sentence: &str, before: &str) -> Option<usize> {
    let rest = sentence.split(before).nth(1)?;
    let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
    digits.parse().ok()
}

#[test]
fn a_search_says_what_it_does_not_show() {
    let request = (
        world(),
        select(&WORDS[..]),
        select(&[0u32, 100, 150, 400, 4000][..]),
        1..4u32,
        any::<bool>(),
    );
    check(
        200,
        request,
        |(world, word, max_tokens, max_results, is_whole)| {
            let mode = if is_whole {
                SearchMode::FullContext
            } else {
                SearchMode::Snippets
            };
            let mut docent = world.docent();
            let mut cursor = None;
            let mut listed = BTreeSet::new();
            loop {
                let options = SearchDocumentsOptions {
                    root: None,
                    path: None,
                    case_sensitive: None,
                    context_chars: None,
                    max_results: Some(max_results),
                    limit: None,
                    mode: Some(mode),
                    extensions: None,
                    cursor,
                    max_tokens: Some(max_tokens),
                    timeout_ms: None,
                };
                let answer = docent
                    .search_documents(word.to_owned(), Some(options))
                    .unwrap();
                let is_everything = answer.results.iter().all(|result| {
                    let shown = result.matches.iter();
                    let shown =
                        shown.map(|one| one.section.as_ref().map_or(1, |section| section.hits));
                    shown.sum::<u32>() >= result.match_count
                });
                let has_more = answer.next_cursor.is_some();
                prop_assert_eq!(answer.truncated, has_more || !is_everything, "{:?}", answer);
                prop_assert!(!answer.truncated || has_more || answer.hint.is_some());
                for result in &answer.results {
                    let text = &world.files[result.path.trim_start_matches('/')];
                    prop_assert_eq!(result.match_count as usize, text.matches(word).count());
                    listed.insert(result.path.trim_start_matches('/').to_owned());
                }
                if answer.total_matches == 0 {
                    let hint = answer.hint.clone().unwrap_or_default();
                    for (why, what) in [
                        (Unseen::Sensitive, "that may hold secrets"),
                        (Unseen::Ignored, "ignored"),
                        (Unseen::Binary, "binary"),
                    ] {
                        let count = world.count(why);
                        prop_assert_eq!(hint.contains(what), count > 0, "{}", hint);
                    }
                }
                cursor = answer.next_cursor;
                if cursor.is_none() {
                    break;
                }
            }
            let holding = world.documents().filter(|(_, text)| text.contains(word));
            let holding: BTreeSet<String> = holding.map(|(path, _)| (*path).to_owned()).collect();
            prop_assert_eq!(listed, holding);
            Ok(())
        },
    );
}

#[test]
fn documents_of_a_question_are_all_reached() {
    let request = (
        world(),
        select(&WORDS[..]),
        prop_oneof![100..260u32, Just(2000u32)],
        1..4u32,
    );
    check(200, request, |(world, word, max_tokens, limit)| {
        let mut docent = world.docent();
        let mut cursor = None;
        let mut named = BTreeSet::new();
        let (mut shown, mut same) = (String::new(), BTreeSet::new());
        let mut pieces: Vec<(String, String)> = Vec::new();
        loop {
            let options = SmartSearchOptions {
                root: None,
                path: None,
                mode: None,
                max_tokens: Some(max_tokens),
                limit: Some(limit),
                relevance: None,
                cursor,
            };
            let answer = docent.smart_search(word.to_owned(), Some(options)).unwrap();
            let holding = world
                .documents()
                .filter(|(_, text)| is_held(text, word))
                .count();
            if answer.documents_found == 0 {
                prop_assert_eq!(holding, 0);
                break;
            }
            named.extend(answer.documents.iter().map(|one| one.path.clone()));
            for document in &answer.documents {
                let texts = document.sections.iter().map(|section| &section.content);
                pieces.extend(texts.map(|text| (document.path.clone(), text.clone())));
            }
            for section in answer.documents.iter().flat_map(|one| &one.sections) {
                shown.push_str(&section.content);
                shown.push('\n');
                same.extend(section.also_in.iter().cloned());
            }
            cursor = answer.next_cursor;
            if cursor.is_some() {
                continue;
            }
            // Lines that no page shows are left out, and that is reported.
            if answer.hint.is_none() {
                prop_assert_eq!(named.len(), answer.documents_found as usize);
                let lines: BTreeSet<&str> = shown.lines().collect();
                for (path, text) in world.documents() {
                    let is_same = same.iter().any(|place| place.starts_with(path));
                    // A heading without text below it is not an answer.
                    let held = text.lines().filter(|line| !line.starts_with('#'));
                    let mut held = held.filter(|line| is_held(line, word));
                    // A part may end within a line longer than the room of a page.
                    let is_in_part = |line: &str| {
                        let own = pieces.iter().filter(|(one, _)| one == path);
                        let mut parts = own.flat_map(|(_, text)| text.lines());
                        parts.any(|part| is_held(part, word) && line.contains(part.trim()))
                    };
                    let is_shown =
                        is_same || held.all(|line| lines.contains(line) || is_in_part(line));
                    prop_assert!(is_shown, "{} {:?}", path, shown);
                }
            }
            break;
        }
        Ok(())
    });
}

#[test]
fn nothing_holds_what_nothing_holds() {
    let word = prop_oneof![select(&WORDS[..]), select(&NAMES[..])];
    check(200, (world(), word), |(world, word)| {
        let options = ExploreOptions {
            query: Some(word.to_owned()),
            ..NO_EXPLORE_OPTIONS
        };
        let answer = world.docent().explore(Some(options)).unwrap();
        let hint = answer.hint.clone().unwrap_or_default();
        let is_there = world.files.values().any(|text| is_held(text, word));
        let says_nothing = hint.starts_with("Nothing holds") && !hint.contains("in this case");
        prop_assert!(!(says_nothing && is_there), "{}", hint);
        if is_there {
            prop_assert_eq!(answer.status, ExploreStatus::Ok);
        } else if answer.status == ExploreStatus::NoResults {
            for (why, what) in [
                (Unseen::Sensitive, "that may hold secrets"),
                (Unseen::Ignored, "ignored"),
                (Unseen::Binary, "binary"),
            ] {
                let count = world.count(why);
                let told = format!(" {count} {what}");
                prop_assert_eq!(hint.contains(&told), count > 0, "{} {}", hint, told);
            }
        }
        Ok(())
    });
}

/// Returns all references to a definition, page after page, and the sentence about what would
/// break.
fn uses_of(docent: &mut Docent<MemoryDisk>, name: &str) -> (Vec<Reference>, Option<String>) {
    let (mut all, mut breaks, mut cursor) = (Vec::new(), None, None);
    loop {
        let options = UnderstandOptions {
            symbol: Some(name.to_owned()),
            paths: Some(vec!["src/f.py".to_owned()]),
            aspects: Some(vec![Aspect::Impact]),
            limits: Some(UnderstandLimits {
                max_chars: Some(1500),
                max_files: None,
                timeout_ms: None,
            }),
            cursor,
            ..NO_UNDERSTAND_OPTIONS
        };
        let answer = docent.understand(Some(options)).unwrap();
        all.extend(answer.impact);
        breaks = breaks.or(answer.breaks);
        cursor = answer.next_cursor;
        if cursor.is_none() {
            return (all, breaks);
        }
    }
}

#[test]
fn uses_are_all_lines_that_hold_the_name() {
    check(250, world(), |world| {
        let own = &world.files["src/f.py"];
        let name = own["def ".len()..].split('(').next().unwrap_or_default();
        // Another definition of the file may have the same name: then it is not the requested one.
        prop_assume!(own.matches(&format!("def {name}(")).count() == 1);
        let (found, breaks) = uses_of(&mut world.docent(), name);
        let told: BTreeSet<(String, u32)> = found
            .iter()
            .map(|one| (one.path.clone(), one.line))
            .collect();
        prop_assert_eq!(told.len(), found.len());
        let mut expected = world.lines_with(name);
        expected.remove(&("src/f.py".to_owned(), 1));
        prop_assert_eq!(&told, &expected, "{}", name);
        let of = |classes: &[UseClass]| {
            let kept = found
                .iter()
                .filter(|one| one.class.is_some_and(|it| classes.contains(&it)));
            kept.count()
        };
        let uses = of(&[UseClass::Code, UseClass::ReExport, UseClass::Test]);
        let may_be = of(&[UseClass::MayBe]);
        let sentence = breaks.unwrap_or_default();
        if uses > 0 {
            prop_assert_eq!(
                number_behind(&sentence, "up to "),
                Some(uses),
                "{}",
                sentence
            );
        }
        if uses > 0 && may_be > 0 {
            prop_assert_eq!(
                number_behind(&sentence, "perhaps "),
                Some(may_be),
                "{}",
                sentence
            );
        }
        // No line of code that calls it is beyond the bound.
        let calls = expected.iter().filter(|(path, line)| {
            let text = &world.files[path.as_str()];
            let line = text.lines().nth(*line as usize - 1).unwrap_or_default();
            path.ends_with(".py") && line == format!("{name}()")
        });
        prop_assert!(calls.count() <= uses + may_be, "{}", sentence);
        // A call in the file of the definition, or in one that imports it, is not a guess.
        for one in &found {
            let text = &world.files[one.path.as_str()];
            let is_import = |line: &str| line == format!("from f import {name}");
            let is_near = one.path == "src/f.py" || text.lines().next().is_some_and(is_import);
            let line = text.lines().nth(one.line as usize - 1).unwrap_or_default();
            if is_near && line.trim() == format!("{name}()") {
                prop_assert_eq!(one.class, Some(UseClass::Code), "{:?}", one);
            }
        }
        // A use on a value of unknown type must not be reported as certain.
        for one in found
            .iter()
            .filter(|one| one.text.contains(&format!("y.{name}(")))
        {
            let is_told = matches!(one.class, Some(UseClass::MayBe | UseClass::Text));
            prop_assert!(is_told, "{:?}", one);
        }
        Ok(())
    });
}

#[test]
fn broken_links_are_those_that_lead_nowhere() {
    check(150, world(), |world| {
        let mut docent = world.docent();
        let whole = docent.understand(None).unwrap();
        let mut broken = BTreeSet::new();
        for (path, text) in world.documents().filter(|(path, _)| path.ends_with(".md")) {
            for (number, line) in (1u32..).zip(text.lines()) {
                let target = line
                    .split("](/")
                    .nth(1)
                    .map(|rest| rest.trim_end_matches(')'));
                if line.starts_with('[') && target.is_some_and(|it| !world.files.contains_key(it)) {
                    broken.insert(((*path).to_owned(), number));
                }
            }
        }
        let counts = whole.stats.references.unwrap();
        prop_assert_eq!(counts.broken as usize, broken.len());
        for (path, _) in world.documents() {
            let options = |aspects: &[Aspect]| UnderstandOptions {
                paths: Some(vec![(*path).to_owned()]),
                aspects: Some(aspects.to_vec()),
                ..NO_UNDERSTAND_OPTIONS
            };
            // Files that were not searched are not counted.
            let alone = docent
                .understand(Some(options(&[Aspect::Summary])))
                .unwrap();
            let counts = alone.stats.references;
            prop_assert!(counts.is_none_or(|it| it.broken as usize == broken.len()));
            let needs = docent
                .understand(Some(options(&[Aspect::Dependencies])))
                .unwrap();
            if needs.left_out.is_empty() {
                let told = needs.dependencies.iter();
                let told = told.filter(|one| one.end == ReferenceEnd::NoFile).count();
                let own = broken.iter().filter(|(other, _)| other == path).count();
                prop_assert_eq!(told, own, "{}", path);
            }
        }
        Ok(())
    });
}

#[test]
fn a_definition_that_is_renamed_tells_who_names_it() {
    check(150, world(), |world| {
        let own = &world.files["src/f.py"];
        let name = own["def ".len()..].split('(').next().unwrap_or_default();
        prop_assume!(own.matches(&format!("def {name}(")).count() == 1);
        let edit = Edit {
            path: Some("src/f.py".to_owned()),
            old_text: Some(format!("def {name}(a)")),
            new_text: Some("def other(a)".to_owned()),
            ..NO_EDIT
        };
        let answer = world.docent().change(vec![edit], Some(NO_CHANGE_OPTIONS));
        let mut expected = world.lines_with(name);
        expected.retain(|(path, number)| {
            let text = &world.files[path.as_str()];
            let line = text.lines().nth(*number as usize - 1).unwrap_or_default();
            let is_definition = path == "src/f.py" && *number == 1;
            path.ends_with(".py") && !line.starts_with('#') && !is_definition
        });
        let told = answer.unwrap().code.map(|code| code.uses);
        let more = told.as_ref().map_or(0, |told| told.more as usize);
        let told = told.into_iter().flat_map(|told| told.links);
        let told: BTreeSet<_> = told.map(|one| (one.path, one.line)).collect();
        prop_assert_eq!(told.len() + more, expected.len(), "{}", name);
        prop_assert!(told.is_subset(&expected), "{:?} {:?}", told, expected);
        Ok(())
    });
}

#[test]
fn a_move_tells_who_imports_and_where_the_old_path_stands() {
    check(100, world(), |world| {
        let edit = Edit {
            path: Some("src/f.py".to_owned()),
            move_: Some("src/moved.py".to_owned()),
            ..NO_EDIT
        };
        let answer = world.docent().change(vec![edit], Some(NO_CHANGE_OPTIONS));
        let code = answer.unwrap().code;
        let told =
            |list: fn(&docent_api::writing::CodeImpact) -> &docent_api::writing::LinkList| {
                let places = code.as_ref().map(|code| list(code).links.iter());
                let places = places.into_iter().flatten();
                places
                    .map(|one| (one.path.clone(), one.line))
                    .collect::<BTreeSet<_>>()
            };
        let mut imports = BTreeSet::new();
        let mut mentions = BTreeSet::new();
        for (path, text) in world.files.iter().filter(|(path, _)| **path != "src/f.py") {
            for (number, line) in (1u32..).zip(text.lines()) {
                if line.starts_with("from f import ") && path.starts_with("src/") {
                    imports.insert(((*path).to_owned(), number));
                }
                if line.contains("src/f.py") && !line.contains("](/") {
                    mentions.insert(((*path).to_owned(), number));
                }
            }
        }
        prop_assert_eq!(told(|code| &code.imports), imports);
        let found = told(|code| &code.mentions);
        let is_all = code.as_ref().is_none_or(|code| code.mentions.more == 0);
        prop_assert!(
            !is_all || mentions.is_subset(&found),
            "{:?} {:?}",
            mentions,
            found
        );
        for (path, line) in found {
            let text = &world.files[path.as_str()];
            prop_assert!(
                text.lines()
                    .nth(line as usize - 1)
                    .unwrap_or_default()
                    .contains("f.py")
            );
        }
        Ok(())
    });
}
