//! `manage` with an embedder: vectors made in advance, and the report about them.

use std::cell::RefCell;
use std::rc::Rc;

use docent_api::sections::{SmartMode, SmartSearchOptions};
use docent_api::types::{Error, ErrorCode};
use docent_api::writing::{ManageAnswer, ManageCommand, ManageOptions, VectorsMade};
use docent_rank::embedder::Failure;
use docent_tools::{Docent, ToolSettings};
use docent_tree::memory::MemoryDisk;
use proptest::prelude::*;

use crate::semantic::{Hashing, Misbehaviour, disk, garage, many};

const NONE: ManageOptions = ManageOptions {
    target: None,
    limit: None,
    cursor: None,
    root: None,
};

fn docent(disk: &MemoryDisk, embedder: &Rc<Hashing>) -> Docent<MemoryDisk> {
    let embedder: Rc<Hashing> = Rc::clone(embedder);
    Docent::new(disk.clone(), ToolSettings::default()).with_embedder(embedder)
}

fn managed(
    disk: &MemoryDisk,
    embedder: &Rc<Hashing>,
    command: ManageCommand,
    options: ManageOptions,
) -> Result<ManageAnswer, Error> {
    docent(disk, embedder).manage(command, Some(options))
}

/// Makes vectors with repeated calls, and returns the total made, and the number of calls.
fn all(disk: &MemoryDisk, embedder: &Rc<Hashing>, target: Option<&str>) -> (VectorsMade, usize) {
    let mut sum = VectorsMade {
        documents: 0,
        passages: 0,
        made: 0,
        left_out: 0,
    };
    let mut cursor = None;
    for call in 1..1000 {
        let options = ManageOptions {
            target: target.map(str::to_owned),
            cursor,
            ..NONE
        };
        let answer = managed(disk, embedder, ManageCommand::Reindex, options).unwrap();
        let made = answer.vectors.unwrap();
        assert_eq!(answer.model.as_deref(), Some("hashing"));
        sum.documents += made.documents;
        sum.passages += made.passages;
        sum.made += made.made;
        sum.left_out += made.left_out;
        cursor = answer.next_cursor;
        if cursor.is_none() {
            return (sum, call);
        }
    }
    panic!("no end");
}

fn known(disk: &MemoryDisk, embedder: &Rc<Hashing>) -> u32 {
    let status = managed(disk, embedder, ManageCommand::Status, NONE).unwrap();
    assert_eq!(status.model.as_deref(), Some("hashing"));
    status.roots[0].vectors.unwrap()
}

#[test]
fn everything_is_known_before_the_first_question() {
    let (disk, embedder) = (garage(), Rc::new(Hashing::default()));
    assert_eq!(known(&disk, &embedder), 0);
    let (made, calls) = all(&disk, &embedder, None);
    assert_eq!((made.documents, made.made, calls), (4, made.passages, 1));
    assert_eq!(known(&disk, &embedder), made.passages);
    // No document contains these words.
    let options = SmartSearchOptions {
        root: None,
        path: None,
        mode: Some(SmartMode::Auto),
        max_tokens: None,
        limit: None,
        relevance: None,
        cursor: None,
    };
    let answer = docent(&disk, &embedder)
        .smart_search("vehicle".to_owned(), Some(options))
        .unwrap();
    let paths: Vec<_> = answer.documents.iter().map(|one| &*one.path).collect();
    assert!(paths.contains(&"c.md"), "{paths:?}");
    assert!(!answer.degraded, "{:?}", answer.reasons);
    // No vector is made twice, and those of changed documents are made again.
    let (again, _) = all(&disk, &embedder, None);
    assert_eq!((again.documents, again.made), (4, 0));
    disk.write("docs", "d.md", b"# Cooking\n\nBread needs flour.\n");
    let (changed, _) = all(&disk, &embedder, None);
    assert_eq!((changed.passages, changed.made), (made.passages, 1));
    let rebuilt = managed(&disk, &embedder, ManageCommand::Rebuild, NONE).unwrap();
    assert_eq!(rebuilt.vectors.unwrap().made, 0);
    assert!(rebuilt.message.unwrap().contains("none is out of date"));
}

#[test]
fn only_a_target_is_made_and_nothing_secret() {
    let disk = disk(&[
        ("a.md", "# A\n\nOne.\n"),
        ("b/c.md", "# C\n\nTwo.\n"),
        ("b/d.md", "# D\n\nThree.\n"),
        (".ssh/a.md", "canary\n"),
        ("b/.env", "KEY=canary\n"),
    ]);
    let embedder = Rc::new(Hashing::default());
    assert_eq!(all(&disk, &embedder, Some("b/c.md")).0.documents, 1);
    assert_eq!(embedder.made.borrow().len(), 1);
    assert_eq!(all(&disk, &embedder, Some("b")).0.documents, 2);
    assert_eq!(embedder.made.borrow().len(), 2);
    all(&disk, &embedder, None);
    let made = embedder.made.borrow();
    assert_eq!(made.len(), 3);
    assert!(made.iter().all(|text| !text.contains("canary")));
    for target in [".ssh", ".ssh/a.md", "b/.env", "no", "../a.md"] {
        let options = ManageOptions {
            target: Some(target.to_owned()),
            ..NONE
        };
        managed(&disk, &embedder, ManageCommand::Reindex, options).unwrap_err();
    }
}

#[test]
fn a_slow_embedder_goes_on_where_it_stopped() {
    // A first document that alone takes several calls.
    let paragraph = "Of clocks, of bread and of the sea nothing is known here.\n\n";
    let long: String = (0..60)
        .map(|n| format!("## Part {n}\n\n{}", paragraph.repeat(6)))
        .collect();
    let disk = many(30);
    disk.write("docs", "0.md", long.as_bytes());
    let embedder = Rc::new(Hashing {
        takes: 1000,
        ..Hashing::default()
    });
    let clock = Rc::clone(&embedder.clock);
    disk.set_clock(move || clock.get());
    let first = managed(&disk, &embedder, ManageCommand::Reindex, NONE).unwrap();
    let first = first.vectors.unwrap();
    assert_eq!((first.documents, first.made), (0, 10));
    let (made, calls) = all(&disk, &embedder, None);
    assert!(calls > 3, "{calls}");
    assert_eq!((made.documents, made.left_out), (31, 0));
    assert_eq!(made.made + first.made, made.passages);
    assert_eq!(embedder.made.borrow().len(), made.passages as usize);
}

#[test]
fn an_embedder_that_fails_is_named_and_one_that_refuses_leaves_out() {
    let disk = garage();
    for (misbehaviour, reason) in [
        (
            Misbehaviour::Fails(Failure::Unavailable),
            "cannot be reached",
        ),
        (Misbehaviour::FailsAtOnce(Failure::TooSlow), "took too long"),
        (
            Misbehaviour::FailsLater(Failure::Broken),
            "answer is invalid",
        ),
        (Misbehaviour::Short, "answer is invalid"),
    ] {
        let embedder = Rc::new(Hashing::default());
        embedder.misbehaviour.set(misbehaviour);
        let error = managed(&disk, &embedder, ManageCommand::Reindex, NONE).unwrap_err();
        assert_eq!(
            error.code,
            ErrorCode::SemanticSearchUnavailable,
            "{misbehaviour:?}"
        );
        assert!(
            error.message.contains(reason),
            "{misbehaviour:?}: {error:?}"
        );
    }
    let embedder = Rc::new(Hashing::default());
    embedder.misbehaviour.set(Misbehaviour::Zeros);
    let (made, _) = all(&disk, &embedder, None);
    assert_eq!((made.documents, made.made), (4, 0));
    assert_eq!(made.left_out, made.passages);
}

#[test]
fn a_cursor_belongs_to_its_target() {
    let disk = many(60);
    let embedder = Rc::new(Hashing {
        takes: 400,
        ..Hashing::default()
    });
    let clock = Rc::clone(&embedder.clock);
    disk.set_clock(move || clock.get());
    let answer = managed(&disk, &embedder, ManageCommand::Reindex, NONE).unwrap();
    let foreign = ManageOptions {
        target: Some("d1.md".to_owned()),
        cursor: answer.next_cursor,
        ..NONE
    };
    let error = managed(&disk, &embedder, ManageCommand::Reindex, foreign).unwrap_err();
    assert_eq!(error.code, ErrorCode::InvalidCursor);
}

#[test]
fn what_is_left_of_a_question_goes_to_what_is_not_known_and_the_rest_is_counted() {
    let disk = many(30);
    let embedder = Rc::new(Hashing {
        counts: Some(RefCell::default()),
        ..Hashing::default()
    });
    let newest = |most: usize| {
        let options = ManageOptions {
            cursor: Some(format!("newest:{most}")),
            ..NONE
        };
        let answer = managed(&disk, &embedder, ManageCommand::Reindex, options).unwrap();
        assert_eq!(answer.next_cursor, None);
        answer.vectors.unwrap()
    };
    let reasons = || {
        let answer = docent(&disk, &embedder).smart_search("vehicle".to_owned(), None);
        let answer = answer.unwrap();
        assert_eq!(answer.degraded, !answer.reasons.is_empty());
        answer.reasons
    };
    let lacking =
        "not embedded yet, so results that share no word with the question may be missing";
    assert_eq!(reasons(), [format!("30 documents {lacking}")]);
    let first = newest(5);
    assert_eq!((first.documents, first.made), (30, 5));
    let (every, left) = (first.passages, first.passages - 5);
    assert_eq!(reasons(), [format!("{left} of {every} passages {lacking}")]);
    assert_eq!(embedder.made.borrow().len(), 5 + 2);
    // Known documents are skipped.
    let second = newest(1000);
    assert_eq!(second.made, left);
    assert!(reasons().is_empty());
    assert_eq!((newest(1000).documents, newest(0).documents), (0, 0));
    disk.write("docs", "d00/f0.md", b"# Other\n\nSomething else.\n");
    assert_eq!(reasons(), [format!("1 document {lacking}")]);
    let made = embedder.made.borrow().len();
    let changed = newest(1000);
    assert_eq!((changed.documents, changed.made), (1, 1));
    assert!(embedder.made.borrow()[made].contains("Something else"));
    assert!(reasons().is_empty());
    // `reindex` of all counts as well.
    disk.write("docs", "d01/new.md", b"# New\n\nThing.\n");
    assert_eq!(reasons().len(), 1);
    all(&disk, &embedder, None);
    assert!(reasons().is_empty());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn every_passage_is_made_once_however_slow(count in 1usize..40, takes in 0u64..50_000) {
        let disk = many(count);
        let embedder = Rc::new(Hashing { takes, gives_up: true, ..Hashing::default() });
        let clock = Rc::clone(&embedder.clock);
        disk.set_clock(move || clock.get());
        let (made, _) = all(&disk, &embedder, None);
        prop_assert_eq!(made.documents as usize, count);
        prop_assert_eq!(made.made, known(&disk, &embedder));
        prop_assert_eq!(made.made as usize, embedder.made.borrow().len());
    }
}
