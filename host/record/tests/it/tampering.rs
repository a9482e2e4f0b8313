//! Whatever is done to a log is found out, and the first entry named that is not what was written.

use std::fs;

use docent_record::anchor::{Anchor, notes};
use docent_record::verify::{Verdict, Witnesses};
use docent_record::{Log, LogError, StoreError};

use crate::log::{Place, call, start, verified};

fn tampered(place: &Place) -> u64 {
    match place.report().verdict {
        Verdict::Tampered { entry, .. } => entry,
        other => panic!("{other:?}"),
    }
}

/// Adds so many calls.
fn add(log: &Log, calls: usize) {
    for number in 0..calls {
        log.append(call(number)).unwrap();
    }
}

#[test]
fn a_log_that_nobody_touched_is_intact() {
    let report = Place::written(1100).report();
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
    let place = Place::new();
    let missing = docent_record::verify::verify_ambient(&place.directory(), &Witnesses::default());
    assert!(matches!(missing, Err(StoreError::Missing(_))));
    let log = place.open();
    drop(log);
    fs::remove_file(place.directory().join("verifier")).unwrap();
    let report = verified(&place.directory(), &Witnesses::default());
    assert!(matches!(report.verdict, Verdict::Unknown(_)), "{report:?}");
}

#[test]
fn no_bit_of_an_entry_can_be_changed() {
    let place = Place::written(3);
    let whole = fs::read(place.segment()).unwrap();
    let mut entry = 0;
    for at in 0..whole.len() {
        for bit in [0, 5] {
            let mut changed = whole.clone();
            changed[at] ^= 1 << bit;
            fs::write(place.segment(), &changed).unwrap();
            let bad = tampered(&place);
            // A line break that is gone joins the entry behind.
            assert!(bad <= entry + 1, "byte {at}: {bad}, not {entry}");
        }
        entry += u64::from(whole[at] == b'\n');
    }
    fs::write(place.segment(), whole).unwrap();
    assert_eq!(place.report().verdict, Verdict::Intact);
}

#[test]
fn no_bit_of_a_checkpoint_can_be_changed() {
    let place = Place::written(3);
    let path = place.directory().join("checkpoints.jsonl");
    let whole = fs::read(&path).unwrap();
    // When it was signed, it does not say itself.
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
    let place = Place::written(8);
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
    // With other numbers, the hashes are still those of others.
    let mut removed = lines.clone();
    removed.remove(4);
    removed[4] = removed[4].replacen("\"seq\":5", "\"seq\":4", 1);
    place.set_lines(&removed);
    assert_eq!(tampered(&place), 3);
}

#[test]
fn a_tail_cannot_be_cut_off_nor_another_be_put_there() {
    let place = Place::written(8);
    let lines = place.lines();
    place.set_lines(&lines[..6]);
    assert_eq!(tampered(&place), 6);
    // Nor does the program go on where something is missing.
    let opened = Log::open_ambient(&place.directory(), &place.key(), Vec::new());
    assert!(matches!(opened, Err(LogError::Broken(6))));
    // Somebody with the key writes another tail, with numbers and hashes as they are to be.
    let other = Place::new();
    fs::copy(place.key(), other.key()).unwrap();
    let log = other.open();
    log.append(start()).unwrap();
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
    let place = Place::new();
    let anchor = place.home.path().join("anchor");
    let anchors = vec![Anchor::File(anchor.clone())];
    let log = Log::open_ambient(&place.directory(), &place.key(), anchors).unwrap();
    add(&log, 5);
    log.seal().unwrap();
    drop(log);
    let witnesses = Witnesses {
        key: Some(place.verifier()),
        anchored: notes(&fs::read_to_string(&anchor).unwrap()),
    };
    let report = verified(&place.directory(), &witnesses);
    assert_eq!((report.verdict, report.anchored), (Verdict::Intact, 5));
    // All of it written anew, with the same key.
    let other = Place::new();
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
    let report = verified(&other.directory(), &witnesses);
    let found = matches!(report.verdict, Verdict::Tampered { entry: 0, .. });
    assert!(found, "{report:?}");
    // With another key, it is another log.
    let other = Place::written(9);
    let report = verified(&other.directory(), &witnesses);
    assert!(
        matches!(report.verdict, Verdict::Tampered { .. }),
        "{report:?}"
    );
}

#[test]
fn a_log_that_is_kept_elsewhere_is_not_intact_by_its_own_word() {
    let place = Place::new();
    let log = place.open();
    let docent_record::entry::Entry::Start(mut entry) = start() else {
        unreachable!("it is a start");
    };
    entry.anchors = vec!["file:/mnt/a".to_owned()];
    log.append(docent_record::entry::Entry::Start(entry))
        .unwrap();
    log.seal().unwrap();
    let report = place.report();
    assert!(matches!(report.verdict, Verdict::Unknown(_)), "{report:?}");
}

#[test]
fn a_segment_cannot_be_missing() {
    let place = Place::written(8);
    fs::remove_file(place.segment()).unwrap();
    assert_eq!(tampered(&place), 0);
    // A later checkpoint is kept from being taken for an earlier one.
    let path = place.directory().join("checkpoints.jsonl");
    fs::remove_file(path).unwrap();
    assert_eq!(place.report().entries, 0);
}
