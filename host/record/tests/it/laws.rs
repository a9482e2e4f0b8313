//! What holds of every log: it goes on where it ended, survives being cut off, and proves its
//! entries, also when others were taken out.

use std::fs;
use std::io::Write as _;

use docent_record::entry::{Entry, Repaired};
use docent_record::proof::{ProofError, prove_ambient};
use docent_record::verify::Verdict;
use docent_record::withhold::{drop_ambient, erase_ambient};
use docent_record::{Log, LogError, StoreError, lines_ambient};

use crate::log::{Place, call, start};

fn entries(place: &Place) -> Vec<Option<Entry>> {
    let lines = lines_ambient(&place.directory(), |_| true).unwrap();
    lines.into_iter().map(|line| line.entry).collect()
}

#[test]
fn a_log_goes_on_where_it_ended() {
    let place = Place::written(3);
    let log = place.open();
    assert_eq!(log.size(), 5);
    assert_eq!(log.append(start()).unwrap(), 5);
    assert_eq!(log.append(call(7)).unwrap(), 6);
    drop(log);
    // Begun and not ended.
    let log = place.open();
    log.append(start()).unwrap();
    log.seal().unwrap();
    let report = place.report();
    assert_eq!(report.verdict, Verdict::Intact);
    assert_eq!((report.entries, report.cut_off), (8, 1));
    assert_eq!(entries(&place)[6], Some(call(7)));
}

#[test]
fn one_program_writes_at_a_time() {
    let place = Place::new();
    let log = place.open();
    let second = Log::open_ambient(&place.directory(), &place.key(), Vec::new());
    assert!(matches!(second, Err(LogError::Store(StoreError::Busy(_)))));
    let erased = erase_ambient(&place.directory(), |_| true);
    assert!(matches!(erased, Err(StoreError::Busy(_))), "{erased:?}");
    drop(log);
    place.open();
}

#[test]
fn what_was_half_written_is_taken_out_and_told() {
    let place = Place::written(3);
    let whole = fs::read(place.segment()).unwrap();
    let last = place.lines().pop().unwrap();
    for cut in 1..last.len() {
        let mut torn = whole.clone();
        torn.extend(&last.as_bytes()[..cut]);
        fs::write(place.segment(), &torn).unwrap();
        assert_eq!(place.report().verdict, Verdict::Intact, "{cut}");
        let log = place.open();
        log.append(call(9)).unwrap();
        drop(log);
        let told = entries(&place);
        let repaired = Entry::Repaired(Repaired { bytes: cut as u64 });
        assert_eq!(told[5..], [Some(repaired), Some(call(9))]);
        assert_eq!(place.report().verdict, Verdict::Intact, "{cut}");
    }
}

#[test]
fn a_log_of_another_key_is_not_gone_on_with() {
    let place = Place::written(3);
    fs::remove_file(place.key()).unwrap();
    let opened = Log::open_ambient(&place.directory(), &place.key(), Vec::new());
    assert!(matches!(opened, Err(LogError::OtherKey(_))));
}

#[cfg(unix)]
#[test]
fn nobody_but_its_owner_can_read_it() {
    use std::os::unix::fs::PermissionsExt as _;

    let place = Place::written(3);
    let mode = |path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(place.directory()), 0o700);
    assert_eq!(mode(place.key()), 0o600);
    for entry in fs::read_dir(place.directory()).unwrap() {
        let path = entry.unwrap().path();
        assert_eq!(mode(path.clone()), 0o600, "{}", path.display());
    }
}

#[cfg(unix)]
#[test]
fn a_file_that_was_removed_takes_no_entry() {
    let place = Place::new();
    let log = place.open();
    log.append(start()).unwrap();
    assert!(log.can_append());
    fs::remove_file(place.segment()).unwrap();
    assert!(!log.can_append());
    assert!(matches!(log.append(call(1)), Err(LogError::Io(_))));
}

#[test]
fn every_entry_is_proved_without_the_log() {
    let place = Place::written(20);
    for seq in 0..22 {
        let proof = prove_ambient(&place.directory(), seq).unwrap();
        proof.verify(&place.verifier()).unwrap();
        let text = serde_json::to_string(&proof).unwrap();
        assert_eq!(
            serde_json::from_str::<docent_record::proof::Proof>(&text).unwrap(),
            proof
        );
        let mut other = proof.clone();
        other.line = other.line.replacen("ann", "ben", 1);
        assert_eq!(
            other.verify(&place.verifier()).is_err(),
            other.line != proof.line
        );
        let mut other = proof.clone();
        other.seq += 1;
        assert!(other.verify(&place.verifier()).is_err());
        assert!(proof.verify(&Place::written(1).verifier()).is_err());
    }
    let missing = prove_ambient(&place.directory(), 22);
    assert!(matches!(missing, Err(ProofError::Missing(22))));
    let log = place.open();
    log.append(call(1)).unwrap();
    let unsigned = prove_ambient(&place.directory(), 22);
    assert!(matches!(unsigned, Err(ProofError::Unsigned(22))));
}

#[test]
fn what_was_taken_out_is_counted_and_the_rest_verifies() {
    let place = Place::written(20);
    let is_meant = |line: &docent_record::Line| match &line.entry {
        Some(Entry::Call(call)) => call.files.has("메모/7.md") || call.files.has("notes/메모/9.md"),
        _ => false,
    };
    assert_eq!(erase_ambient(&place.directory(), is_meant).unwrap(), 2);
    let text = fs::read_to_string(place.segment()).unwrap();
    assert!(!text.contains("메모/7.md") && text.contains("메모/8.md"));
    let report = place.report();
    assert_eq!((report.verdict, report.withheld), (Verdict::Intact, 2));
    let proof = prove_ambient(&place.directory(), 8);
    assert!(matches!(proof, Err(ProofError::Withheld(8))));
    prove_ambient(&place.directory(), 9)
        .unwrap()
        .verify(&place.verifier())
        .unwrap();
    // It is gone on with, and what stands for an entry cannot be changed either.
    let log = place.open();
    log.append(call(30)).unwrap();
    log.seal().unwrap();
    drop(log);
    assert_eq!(place.report().verdict, Verdict::Intact);
    let changed = fs::read_to_string(place.segment()).unwrap();
    let at = changed.find("withheld\":\"").unwrap() + 11;
    let mut bytes = changed.into_bytes();
    bytes[at] = if bytes[at] == b'0' { b'1' } else { b'0' };
    fs::write(place.segment(), bytes).unwrap();
    assert!(matches!(place.report().verdict, Verdict::Tampered { .. }));
}

#[test]
fn old_segments_are_dropped_and_the_rest_verifies() {
    let place = Place::written(20);
    // As if the segment had been full.
    let mut second = fs::File::create(place.directory().join("000002.jsonl")).unwrap();
    let lines = place.lines();
    place.set_lines(&lines[..15]);
    for line in &lines[15..] {
        writeln!(second, "{line}").unwrap();
    }
    assert_eq!(place.report().verdict, Verdict::Intact);
    assert_eq!(drop_ambient(&place.directory(), "2000").unwrap(), 0);
    assert_eq!(drop_ambient(&place.directory(), "9999").unwrap(), 15);
    assert!(!place.segment().exists());
    let report = place.report();
    assert_eq!(report.verdict, Verdict::Intact);
    assert_eq!((report.entries, report.dropped), (22, 15));
    prove_ambient(&place.directory(), 17)
        .unwrap()
        .verify(&place.verifier())
        .unwrap();
    let log = place.open();
    assert_eq!(log.append(start()).unwrap(), 22);
    log.seal().unwrap();
    drop(log);
    assert_eq!(place.report().verdict, Verdict::Intact);
    // The program was ended before it had removed the file.
    place.set_lines(&lines[..15]);
    assert_eq!(place.report().verdict, Verdict::Intact);
    drop(place.open());
}
