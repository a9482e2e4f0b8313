//! Tests of tampering: every change of a log is detected, and the first wrong entry named.

use std::fs;

use docent_access_log::anchor::{Anchor, notes};
use docent_access_log::proof::{ProofError, prove_ambient};
use docent_access_log::verify::{Verdict, Witnesses};
use docent_access_log::{Hash, Log, LogError, StoreError};

use crate::log::{TestLog, begin, call, leaf, outcome, verify_log};

fn tampered(place: &TestLog) -> u64 {
    match place.report().verdict {
        Verdict::Tampered { entry, .. } => entry,
        other => panic!("{other:?}"),
    }
}

/// Appends this number of calls.
fn add(log: &Log, calls: usize) {
    for number in 0..calls {
        log.append(call(number)).unwrap();
    }
}

#[test]
fn a_log_that_nobody_touched_is_intact() {
    let report = TestLog::written(1100).report();
    assert_eq!(report.verdict, Verdict::Intact);
    assert_eq!(
        (report.entries, report.signed, report.anchored),
        (1102, 1102, 0)
    );
    assert_eq!(
        (report.cut_off, report.clock_steps, report.withheld),
        (0, 0, 0)
    );
    assert!(report.checkpoints >= 2, "{report:?}");
}

#[test]
fn a_log_that_is_not_there_is_no_clean_one() {
    let place = TestLog::new();
    let missing =
        docent_access_log::verify::verify_ambient(&place.directory(), &Witnesses::default());
    assert!(matches!(missing, Err(StoreError::Missing(_))));
    let log = place.open();
    drop(log);
    fs::remove_file(place.directory().join("verifier")).unwrap();
    let report = verify_log(&place.directory(), &Witnesses::default());
    assert!(matches!(report.verdict, Verdict::Unknown(_)), "{report:?}");
}

#[test]
fn no_bit_of_an_entry_can_be_changed() {
    let place = TestLog::written(3);
    let whole = fs::read(place.segment()).unwrap();
    let mut entry = 0;
    for at in 0..whole.len() {
        for bit in [0, 5] {
            let mut changed = whole.clone();
            changed[at] ^= 1 << bit;
            fs::write(place.segment(), &changed).unwrap();
            let bad = tampered(&place);
            // A removed line break joins the line with the next.
            assert!(bad <= entry + 1, "byte {at}: {bad}, not {entry}");
        }
        entry += u64::from(whole[at] == b'\n');
    }
    fs::write(place.segment(), whole).unwrap();
    assert_eq!(place.report().verdict, Verdict::Intact);
}

#[test]
fn no_bit_of_a_checkpoint_can_be_changed() {
    let place = TestLog::written(3);
    let path = place.directory().join("checkpoints.jsonl");
    let whole = fs::read(&path).unwrap();
    // The note does not contain its time of signing.
    let note = whole.windows(6).position(|it| it == b"\"note\"").unwrap();
    for at in note..whole.len() {
        let mut changed = whole.clone();
        changed[at] ^= 1;
        fs::write(&path, &changed).unwrap();
        let verdict = place.report().verdict;
        assert_ne!(verdict, Verdict::Intact, "byte {at}");
    }
}

#[test]
fn entries_cannot_be_removed_swapped_or_doubled() {
    let place = TestLog::written(8);
    let lines = place.lines();
    for at in 0..lines.len() {
        let mut removed = lines.clone();
        removed.remove(at);
        place.set_lines(&removed);
        assert_eq!(tampered(&place), at as u64, "removed");
        let mut doubled = lines.clone();
        doubled.insert(at, lines[at].clone());
        place.set_lines(&doubled);
        assert_eq!(tampered(&place), at as u64 + 1, "doubled");
        if at + 1 < lines.len() {
            let mut swapped = lines.clone();
            swapped.swap(at, at + 1);
            place.set_lines(&swapped);
            assert_eq!(tampered(&place), at as u64, "swapped");
        }
    }
    // New numbers do not help: the hashes are still those of other lines.
    let mut removed = lines.clone();
    removed.remove(4);
    removed[4] = removed[4].replacen("\"seq\":5", "\"seq\":4", 1);
    place.set_lines(&removed);
    assert_eq!(tampered(&place), 3);
}

#[test]
fn a_tail_cannot_be_cut_off_nor_another_be_put_there() {
    let place = TestLog::written(8);
    let lines = place.lines();
    place.set_lines(&lines[..6]);
    assert_eq!(tampered(&place), 6);
    // Nor does the program continue a log with missing entries.
    assert!(matches!(
        place.try_open(Vec::new()),
        Err(LogError::Broken(6))
    ));
    // Somebody with the key writes another tail, with correct numbers and hashes.
    let other = TestLog::new();
    fs::copy(place.key(), other.key()).unwrap();
    let log = other.open();
    add(&log, 12);
    log.seal().unwrap();
    fs::copy(other.segment(), place.segment()).unwrap();
    assert_eq!(
        tampered(&place),
        0,
        "an earlier checkpoint has other entries"
    );
}

#[test]
fn an_anchor_finds_out_who_has_the_key() {
    let place = TestLog::new();
    let anchor = place.home.path().join("anchor");
    let log = place.try_open(vec![Anchor::File(anchor.clone())]).unwrap();
    add(&log, 5);
    log.seal().unwrap();
    drop(log);
    let witnesses = Witnesses {
        key: Some(place.verifier()),
        anchored: notes(&fs::read_to_string(&anchor).unwrap()),
    };
    let report = verify_log(&place.directory(), &witnesses);
    assert_eq!((report.verdict, report.anchored), (Verdict::Intact, 6));
    // The whole log is rewritten with the same key.
    let other = TestLog::new();
    fs::copy(place.key(), other.key()).unwrap();
    let log = other.open();
    add(&log, 9);
    log.seal().unwrap();
    drop(log);
    assert_eq!(
        other.report().verdict,
        Verdict::Intact,
        "the key alone is no proof"
    );
    let report = verify_log(&other.directory(), &witnesses);
    let found = matches!(report.verdict, Verdict::Tampered { entry: 0, .. });
    assert!(found, "{report:?}");
    // With another key it is another log.
    let other = TestLog::written(9);
    let report = verify_log(&other.directory(), &witnesses);
    assert!(
        matches!(report.verdict, Verdict::Tampered { .. }),
        "{report:?}"
    );
}

#[test]
fn a_log_that_is_kept_elsewhere_is_not_intact_by_its_own_word() {
    let place = TestLog::new();
    let anchor = Anchor::File(place.home.path().join("anchor"));
    place.try_open(vec![anchor]).unwrap().seal().unwrap();
    let report = place.report();
    assert!(matches!(report.verdict, Verdict::Unknown(_)), "{report:?}");
}

#[test]
fn a_segment_cannot_be_missing() {
    let place = TestLog::written(8);
    fs::remove_file(place.segment()).unwrap();
    assert_eq!(tampered(&place), 0);
    // A later checkpoint is needed to detect a shortened log.
    let path = place.directory().join("checkpoints.jsonl");
    fs::remove_file(path).unwrap();
    assert_eq!(place.report().entries, 0);
}

/// Returns a line that could follow the last one of a log, as written by somebody without the key.
fn forged(place: &TestLog, kind: &str) -> String {
    let lines = place.lines();
    let last = lines.last().unwrap();
    let mut line: serde_json::Value = serde_json::from_str(match kind {
        "call" => &lines[1],
        "start" => &lines[0],
        _ => last,
    })
    .unwrap();
    line["seq"] = lines.len().into();
    line["prev"] = leaf(last).to_string().into();
    match kind {
        "call" => line["who"] = "ben".into(),
        "start" => {
            line["found"] = serde_json::json!({"entries": lines.len(), "signed": lines.len()})
        }
        _ => line["kind"] = kind.into(),
    }
    line.to_string()
}

#[test]
fn behind_a_signed_stop_nobody_adds_anything() {
    for kind in ["call", "start", "stop", "withheld"] {
        let place = TestLog::written(4);
        let mut lines = place.lines();
        lines.push(match kind {
            "withheld" => format!(r#"{{"seq":6,"withheld":"{}"}}"#, Hash::digest(b"x")),
            _ => forged(&place, kind),
        });
        place.set_lines(&lines);
        assert_eq!(tampered(&place), 6, "{kind}");
        // Nor does a later start sign it.
        let opened = place.try_open(Vec::new());
        assert!(matches!(opened, Err(LogError::Broken(6))), "{kind}");
    }
}

#[test]
fn what_a_start_finds_unsigned_stays_so() {
    let place = TestLog::written(4);
    let log = place.open();
    add(&log, 2);
    drop(log);
    let report = place.report();
    assert_eq!((report.verdict, report.unsigned), (Verdict::Intact, 3));
    // The program was killed, and somebody adds a line before it starts again.
    let mut lines = place.lines();
    lines.push(forged(&place, "call"));
    place.set_lines(&lines);
    let report = place.report();
    assert_eq!((report.signed, report.unsigned), (6, 4));
    let log = place.open();
    add(&log, 3);
    assert_eq!(place.report().unsigned, 8);
    log.seal().unwrap();
    drop(log);
    let report = place.report();
    assert_eq!(report.verdict, Verdict::Intact);
    assert_eq!(
        (report.entries, report.signed, report.unsigned),
        (14, 14, 4)
    );
    for seq in 6..10 {
        let proof = prove_ambient(&place.directory(), seq);
        assert!(
            matches!(proof, Err(ProofError::Found(_))),
            "{seq}: {proof:?}"
        );
    }
    prove_ambient(&place.directory(), 10)
        .unwrap()
        .verify(&place.verifier())
        .unwrap();
    // The claim of the start cannot be changed: its line has a signature of its own.
    let log = place.open();
    drop(log);
    let whole = place.lines();
    let start = whole.last().unwrap();
    assert!(
        start.contains(r#""found":{"entries":14,"signed":14}"#),
        "{start}"
    );
    for (from, to) in [
        (r#""signed":14"#, r#""signed":12"#),
        ("read-only", "read-onlx"),
        (r#""signature":"#, r#""signaturf":"#),
    ] {
        let mut lines = whole.clone();
        *lines.last_mut().unwrap() = start.replacen(from, to, 1);
        place.set_lines(&lines);
        assert_eq!(tampered(&place), 14, "{to}");
    }
}

#[test]
fn what_was_signed_is_not_changed_before_a_tail() {
    let place = TestLog::written(4);
    let log = place.open();
    add(&log, 1);
    drop(log);
    // Each line after the changed one is rewritten, so that it has the hash of the one before.
    let mut lines = place.lines();
    lines[2] = lines[2].replacen("ann", "ben", 1);
    for at in 3..lines.len() {
        let mut line: serde_json::Value = serde_json::from_str(&lines[at]).unwrap();
        line["prev"] = leaf(&lines[at - 1]).to_string().into();
        lines[at] = line.to_string();
    }
    place.set_lines(&lines);
    assert!(matches!(
        place.try_open(Vec::new()),
        Err(LogError::Broken(_))
    ));
}

#[test]
fn an_anchor_of_another_log_is_a_mismatch() {
    let notes_of = |place: &TestLog| {
        let anchor = place.home.path().join("anchor");
        let log = place.try_open(vec![Anchor::File(anchor.clone())]).unwrap();
        add(&log, 2);
        log.seal().unwrap();
        notes(&fs::read_to_string(anchor).unwrap())
    };
    let (one, other) = (TestLog::new(), TestLog::new());
    let (own, foreign) = (notes_of(&one), notes_of(&other));
    let report = |anchored: Vec<String>| {
        let key = Some(one.verifier());
        verify_log(&one.directory(), &Witnesses { key, anchored })
    };
    assert_eq!(report(own.clone()).verdict, Verdict::Intact);
    // Also together with its own checkpoints: a log that replaced this one may have added to the
    // file.
    for anchored in [foreign.clone(), [own, foreign].concat()] {
        let verdict = report(anchored).verdict;
        let Verdict::Tampered { entry: 0, why } = &verdict else {
            panic!("{verdict:?}");
        };
        assert!(why.contains(other.verifier().name()), "{why}");
    }
}

#[test]
fn a_call_that_was_begun_and_not_ended_is_told() {
    let place = TestLog::new();
    let log = place.open();
    let first = log.begin(begin(1)).unwrap();
    let second = log.begin(begin(2)).unwrap();
    log.finish(outcome(first, 1)).unwrap();
    drop(log);
    let log = place.open();
    log.append(docent_access_log::entry::LogEntry::Stop {})
        .unwrap();
    log.seal().unwrap();
    // No late entry can follow a stop.
    assert!(log.append(call(3)).is_err());
    let report = place.report();
    assert_eq!(report.verdict, Verdict::Intact);
    assert_eq!((report.unfinished, report.cut_off), (vec![second], 1));
}
