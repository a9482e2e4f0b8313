//! `explore` with an embedder: it affects the order of the documents, and nothing else.

use std::collections::BTreeSet;
use std::rc::Rc;

use docent_api::pillars::{
    Degradation, ExploreAnswer, ExploreLimits, ExploreOptions, IncludedKinds,
};
use docent_api::types::Error;
use docent_rank::embedder::Failure;
use docent_tools::{Docent, ToolSettings};
use docent_tree::memory::MemoryDisk;
use proptest::prelude::*;

use super::support::*;
use crate::semantic::{Hashing, Misbehaviour, disk, garage, many};

type Answer = Result<ExploreAnswer, Error>;

fn explore_semantic(disk: &MemoryDisk, embedder: &Rc<Hashing>, options: ExploreOptions) -> Answer {
    let embedder: Rc<Hashing> = Rc::clone(embedder);
    let mut docent = Docent::new(disk.clone(), ToolSettings::default()).with_embedder(embedder);
    docent.explore(Some(options))
}

fn first(disk: &MemoryDisk, embedder: &Rc<Hashing>, options: ExploreOptions) -> ExploreAnswer {
    explore_semantic(disk, embedder, options).unwrap_or_else(|error| panic!("{error:?}"))
}

fn few(text: &str) -> ExploreOptions {
    ExploreOptions {
        limits: Some(ExploreLimits {
            max_results: Some(3),
            ..LIMITS
        }),
        ..query(text)
    }
}

#[test]
fn what_means_the_same_comes_once_it_is_known() {
    let (disk, embedder) = (garage(), Rc::new(Hashing::default()));
    let answer = first(&disk, &embedder, query("repair car"));
    assert!(answer.reasons.is_empty(), "{:?}", answer.reasons);
    assert!(!files(&answer.data.docs).contains(&"c.md"));
    first(&disk, &embedder, query("workshop that stands"));
    let answer = first(&disk, &embedder, query("repair car"));
    let docs = &answer.data.docs;
    let third = docs.iter().find(|item| item.file_path == "c.md").unwrap();
    assert_eq!(third.why, ["near in meaning"]);
    assert!(text(third).contains("automobile"), "{third:?}");
    let scores: Vec<_> = docs.iter().filter_map(|item| item.score).collect();
    assert_eq!(scores.len(), docs.len());
    assert!(scores.is_sorted_by(|a, b| a >= b), "{scores:?}");
    // Of its matches, only those among the requested files.
    disk.write("docs", "sub/e.md", b"# E\n\nRepair nothing.\n");
    let inside = ExploreOptions {
        query: Some("repair car".to_owned()),
        ..paths(&["sub"])
    };
    let answer = first(&disk, &embedder, inside);
    assert_eq!(files(&answer.data.docs), ["sub/e.md"]);
}

#[test]
fn the_part_that_is_meant_is_shown() {
    let rest = "Of clocks, of bread and of the sea nothing is known here.\n\n".repeat(120);
    let meant_part = "Mend the automobile that stands still.\n";
    let yard = format!("# Workshop\n\n{rest}## Yard\n\n{meant_part}");
    let long = format!("# Workshop\n\n{rest}{meant_part}\n{rest}");
    let disk = disk(&[
        ("a.md", "# A\n\nSalt of the sea.\n"),
        ("yard.md", &yard),
        ("long.md", &long),
    ]);
    let embedder = Rc::new(Hashing::default());
    first(&disk, &embedder, query("stands still"));
    // No document contains this word.
    let answer = first(&disk, &embedder, query("any vehicle"));
    let [first, second] = &answer.data.docs[..] else {
        panic!("{answer:?}")
    };
    let mut found = [first, second].map(|item| (item.file_path.as_str(), text(item)));
    found.sort_unstable();
    assert_eq!(found.map(|(path, _)| path), ["long.md", "yard.md"]);
    for (path, text) in found {
        assert!(text.contains("Mend the automobile"), "{path}: {answer:?}");
    }
}

#[test]
fn what_holds_the_question_literally_stays_where_words_have_it() {
    let mut named = vec![(
        "z.md".to_owned(),
        // The rest of the document is about something else.
        "# Z\n\nWe mend a red car here. Soup needs salt, clocks tell time, paper burns, boots keep \
         water out, bread rises slowly, letters arrive late and gardens want rain.\n"
            .to_owned(),
    )];
    for number in 0..30 {
        let text = format!("# Vehicle\n\nrepair automobile vehicle red mend {number}\n");
        named.push((format!("v{number}.md"), text));
    }
    // Among so many other documents, each of its words is distinctive.
    for number in 0..300 {
        let text = format!("# Other\n\nNothing of that {number}.\n");
        named.push((format!("n{number}.md"), text));
    }
    let named: Vec<_> = named
        .iter()
        .map(|(p, t)| (p.as_str(), t.as_str()))
        .collect();
    let disk = disk(&named);
    let embedder = Rc::new(Hashing::default());
    let answer = first(&disk, &embedder, query("mend a red car"));
    assert_eq!(files(&answer.data.docs)[0], "z.md");
}

#[test]
fn a_failure_is_the_answer_by_words_with_its_reason() {
    let disk = garage();
    let words = ask(&disk, query("repair car winter"));
    let misbehaviours = [
        Misbehaviour::Fails(Failure::Unavailable),
        Misbehaviour::FailsAtOnce(Failure::TooSlow),
        Misbehaviour::FailsLater(Failure::Refused),
        Misbehaviour::FailsLater(Failure::TooLong),
        Misbehaviour::Short,
        Misbehaviour::Long,
        Misbehaviour::Empty,
        Misbehaviour::Zeros,
    ];
    for misbehaviour in misbehaviours {
        let embedder = Rc::new(Hashing::default());
        embedder.misbehaviour.set(misbehaviour);
        let mut answer = first(&disk, &embedder, query("repair car winter"));
        assert_eq!(
            answer.reasons,
            [Degradation::SemanticUnavailable],
            "{misbehaviour:?}"
        );
        assert!(answer.degraded);
        (answer.degraded, answer.reasons) = (false, Vec::new());
        assert_eq!(answer, words, "{misbehaviour:?}");
    }
    // A user who has configured no embedder does not expect one.
    let embedder = Rc::new(Hashing::default());
    embedder
        .misbehaviour
        .set(Misbehaviour::FailsAtOnce(Failure::NoneConfigured));
    assert_eq!(first(&disk, &embedder, query("repair car winter")), words);
}

#[test]
fn identifiers_code_and_paths_ask_no_embedder() {
    let disk = disk(&[
        ("a.md", "# A\n\nCall parseConfig first.\n"),
        ("b.rs", "/// To parse a config.\nfn parseConfig() {}\n"),
    ]);
    let embedder = Rc::new(Hashing::default());
    let code = IncludedKinds {
        docs: Some(false),
        code: None,
        data: None,
        comments: None,
        logs: None,
    };
    for options in [
        query("parseConfig"),
        query("where is parseConfig used"),
        paths(&["a.md"]),
        ExploreOptions {
            include: Some(code),
            ..query("parse a config")
        },
    ] {
        let answer = first(&disk, &embedder, options.clone());
        assert_eq!(answer, ask(&disk, options));
    }
    // A model of weight 0 has no effect.
    embedder.weight.set(0.0);
    let answer = first(&disk, &embedder, query("parse a config"));
    assert_eq!(answer, ask(&disk, query("parse a config")));
    assert!(embedder.made.borrow().is_empty());
}

#[test]
fn no_place_that_it_names_is_believed_and_nothing_secret_is_sent() {
    let disk = disk(&[
        ("a.md", "# A\n\nRepair the car.\n"),
        (".ssh/a.md", "canary car\n"),
        ("dir/b.md", "# B\n\nRepair nothing.\n"),
        (".env", "CAR=canary\n"),
    ]);
    let embedder = Rc::new(Hashing::default());
    embedder.misbehaviour.set(Misbehaviour::NamesPlaces);
    let answer = first(&disk, &embedder, query("repair car"));
    assert_eq!(files(&answer.data.docs), ["a.md"]);
    assert!(!format!("{answer:?}").contains("canary"));
    let made = embedder.made.borrow();
    assert!(!made.is_empty() && made.iter().all(|text| !text.contains("canary")));
}

#[test]
fn time_that_runs_out_is_less_meaning_and_is_told() {
    let disk = many(60);
    let embedder = Rc::new(Hashing {
        takes: 400,
        ..Hashing::default()
    });
    let clock = Rc::clone(&embedder.clock);
    disk.set_clock(move || clock.get());
    let answer = first(&disk, &embedder, few("repair the car engine"));
    assert_eq!(answer.reasons, [Degradation::SemanticIncomplete]);
    assert!(answer.degraded);
}

#[test]
fn a_silent_embedder_leaves_the_search_its_time() {
    // Half of the time that a call has without a limit of its own.
    let embedder = Rc::new(Hashing {
        describes: 5_000,
        ..Hashing::default()
    });
    embedder
        .misbehaviour
        .set(Misbehaviour::FailsAtOnce(Failure::TooSlow));
    let disk = garage();
    let clock = Rc::clone(&embedder.clock);
    disk.set_clock(move || clock.get());
    let answer = first(&disk, &embedder, query("repair car"));
    let by_words = ask(&disk, query("repair car"));
    assert_eq!(files(&answer.data.docs), files(&by_words.data.docs));
    assert_eq!(answer.reasons, [Degradation::SemanticUnavailable]);
}

/// Returns the paths of all documents of a search, of all its pages.
fn all_pages(disk: &MemoryDisk, embedder: &Rc<Hashing>, options: &ExploreOptions) -> Vec<String> {
    let mut answer = first(disk, embedder, options.clone());
    let mut all: Vec<String> = Vec::new();
    for turn in 0..200 {
        let items = answer.data.docs.iter().filter(|item| !item.only_named);
        for item in items {
            all.push(item.file_path.clone());
            all.extend(item.also_in.iter().cloned());
        }
        let Some(cursor) = by_items(&answer) else {
            return all;
        };
        // Other queries in the meantime do not change a later page.
        if turn == 0 {
            first(disk, embedder, query("winter salt oil"));
        }
        let cursor = Some(cursor);
        answer = first(
            disk,
            embedder,
            ExploreOptions {
                cursor,
                ..options.clone()
            },
        );
    }
    panic!("no end");
}

#[test]
fn pages_go_on_by_words_or_begin_anew_when_the_embedder_goes() {
    let disk = many(40);
    let embedder = Rc::new(Hashing::default());
    let asked = few("repair the car engine");
    let next = ExploreOptions {
        cursor: by_items(&first(&disk, &embedder, asked.clone())),
        ..asked.clone()
    };
    embedder
        .misbehaviour
        .set(Misbehaviour::Fails(Failure::Unavailable));
    let anew = first(&disk, &embedder, next.clone());
    let reasons = [
        Degradation::SemanticUnavailable,
        Degradation::SourcesChanged,
    ];
    assert_eq!(anew.reasons, reasons);
    let words = first(&disk, &embedder, asked.clone());
    embedder.misbehaviour.set(Misbehaviour::None);
    assert!(first(&disk, &embedder, next).reasons.is_empty());
    // A lexical order continues on later pages, even if an embedder is available by then.
    let made = embedder.made.borrow().len();
    let next = ExploreOptions {
        cursor: by_items(&words),
        ..asked.clone()
    };
    let second = first(&disk, &embedder, next.clone());
    assert_eq!(second, ask(&disk, next));
    assert_eq!(embedder.made.borrow().len(), made);
}

#[test]
fn a_pack_goes_on_whatever_is_known_by_then() {
    let disk = many(40);
    let embedder = Rc::new(Hashing::default());
    let answer = first(&disk, &embedder, few("repair the car engine"));
    first(&disk, &embedder, query("winter salt oil"));
    let again = ExploreOptions {
        pack_id: Some(pack(&answer)),
        ..NONE
    };
    let again = first(&disk, &embedder, again);
    assert!(again.reasons.is_empty(), "{:?}", again.reasons);
    let again = files(&again.data.docs);
    let before = files(&answer.data.docs);
    assert!(!before.is_empty() && before.iter().all(|path| again.contains(path)));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn pages_lose_and_double_nothing(count in 1usize..60, keeps: bool, passages in 0usize..60) {
        let disk = many(count);
        let embedder = Rc::new(Hashing { passages, keeps, ..Hashing::default() });
        let asked = few("mend the engine of a vehicle");
        let all = all_pages(&disk, &embedder, &asked);
        let different: BTreeSet<&String> = all.iter().collect();
        prop_assert_eq!(different.len(), all.len(), "doubled");
        let none = Rc::new(Hashing::default());
        none.misbehaviour.set(Misbehaviour::FailsAtOnce(Failure::NoneConfigured));
        for path in all_pages(&disk, &none, &asked) {
            prop_assert!(different.contains(&path), "{}", path);
        }
    }
}
