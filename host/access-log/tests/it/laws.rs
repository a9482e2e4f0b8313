//! Laws of every log: it can be continued, survives being cut off, and proves its entries, even
//! when others were withheld.

use std::fs;
use std::io::Write as _;

use docent_access_log::entry::{LogEntry, Repaired};
use docent_access_log::proof::{ProofError, prove_ambient};
use docent_access_log::verify::Verdict;
use docent_access_log::withhold::{drop_ambient, erase_ambient};
use docent_access_log::{Hash, LogError, StoreError, lines_ambient};

use crate::log::{TestLog, begin, call, leaf, outcome};

fn entries(place: &TestLog) -> Vec<Option<LogEntry>> {
    let lines = lines_ambient(&place.directory(), |_| true).unwrap();
    lines.into_iter().map(|line| line.entry).collect()
}

#[test]
fn a_log_goes_on_where_it_ended() {
    let place = TestLog::written(3);
    let log = place.open();
    assert_eq!(log.size(), 6);
    assert_eq!(log.append(call(7)).unwrap(), 6);
    drop(log);
    // A call that was begun and has not ended.
    let log = place.open();
    log.seal().unwrap();
    let report = place.report();
    assert_eq!(report.verdict, Verdict::Intact);
    assert_eq!((report.entries, report.cut_off), (8, 1));
    assert_eq!(entries(&place)[6], Some(call(7)));
}

#[test]
fn one_program_writes_at_a_time() {
    let place = TestLog::new();
    let log = place.open();
    let second = place.open_once(Vec::new());
    assert!(matches!(second, Err(LogError::Store(StoreError::Busy(_)))));
    let erased = erase_ambient(&place.directory(), |_| true);
    assert!(matches!(erased, Err(StoreError::Busy(_))), "{erased:?}");
    drop(log);
    place.open();
}

#[test]
fn what_was_half_written_is_taken_out_and_told() {
    let place = TestLog::written(3);
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
        let repaired = LogEntry::Repaired(Repaired { bytes: cut as u64 });
        assert!(matches!(told[5], Some(LogEntry::Start(_))));
        assert_eq!(told[6..], [Some(repaired), Some(call(9))]);
        assert_eq!(place.report().verdict, Verdict::Intact, "{cut}");
    }
}

#[test]
fn a_log_of_another_key_is_not_gone_on_with() {
    let place = TestLog::written(3);
    fs::remove_file(place.key()).unwrap();
    let opened = place.try_open(Vec::new());
    assert!(matches!(opened, Err(LogError::OtherKey(_))));
}

#[cfg(unix)]
#[test]
fn nobody_but_its_owner_can_read_it() {
    use std::os::unix::fs::PermissionsExt as _;

    let place = TestLog::written(3);
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
    let place = TestLog::new();
    let log = place.open();
    assert!(log.is_writable());
    fs::remove_file(place.segment()).unwrap();
    assert!(!log.is_writable());
    assert!(matches!(log.append(call(1)), Err(LogError::Io(_))));
}

#[test]
fn every_entry_is_proved_without_the_log() {
    let place = TestLog::written(20);
    for seq in 0..22 {
        let proof = prove_ambient(&place.directory(), seq).unwrap();
        proof.verify(&place.verifier()).unwrap();
        let text = serde_json::to_string(&proof).unwrap();
        assert_eq!(
            serde_json::from_str::<docent_access_log::proof::Proof>(&text).unwrap(),
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
        assert!(proof.verify(&TestLog::written(1).verifier()).is_err());
    }
    let missing = prove_ambient(&place.directory(), 22);
    assert!(matches!(missing, Err(ProofError::Missing(22))));
    let log = place.open();
    log.append(call(1)).unwrap();
    let unsigned = prove_ambient(&place.directory(), 23);
    assert!(matches!(unsigned, Err(ProofError::Unsigned(23))));
}

#[test]
fn what_was_taken_out_is_counted_and_the_rest_verifies() {
    let place = TestLog::written(20);
    let is_meant = |line: &docent_access_log::StoredLine| match &line.entry {
        Some(LogEntry::Call(call)) => {
            call.files.has("메모/7.md") || call.files.has("notes/메모/9.md")
        }
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
    // The log is continued, and the replacement of an entry cannot be changed either.
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
    let place = TestLog::written(20);
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
    assert_eq!(log.size(), 23);
    log.seal().unwrap();
    drop(log);
    assert_eq!(place.report().verdict, Verdict::Intact);
    // The program was killed before it had removed the file.
    place.set_lines(&lines[..15]);
    assert_eq!(place.report().verdict, Verdict::Intact);
    drop(place.open());
}

#[test]
fn both_entries_of_a_call_are_taken_out() {
    let place = TestLog::new();
    let log = place.open();
    let begun = log.begin(begin(7)).unwrap();
    log.finish(outcome(begun, 7)).unwrap();
    log.begin(begin(8)).unwrap();
    log.append(LogEntry::Stop {}).unwrap();
    log.seal().unwrap();
    drop(log);
    let is_meant = |line: &docent_access_log::StoredLine| match &line.entry {
        Some(LogEntry::Call(call)) => call.files.has("메모/7.md"),
        Some(LogEntry::Begin(begin)) => begin.names("notes/메모/8.md"),
        _ => false,
    };
    assert_eq!(erase_ambient(&place.directory(), is_meant).unwrap(), 3);
    let text = fs::read_to_string(place.segment()).unwrap();
    assert!(!text.contains("메모"), "{text}");
    assert_eq!(place.report().verdict, Verdict::Intact);
}

/// Holds for logs written before starts were signed: the lines of a log, and its checkpoint.
#[test]
fn logs_of_the_first_form_verify_and_are_gone_on_with() {
    let place = TestLog::new();
    drop(place.open());
    let key = docent_access_log::key::Signer::read_ambient(&place.key()).unwrap();
    let mut lines = Vec::<String>::new();
    let mut checkpoints = Vec::new();
    let mut tree = Vec::new();
    let mut add = |entry: serde_json::Value| {
        let mut line = serde_json::json!({"seq": lines.len(), "time": "2026-11-23T09:14:02.118Z",
            "prev": lines.last().map(|last| leaf(last).to_string()),
            "salt": "AAAAAAAAAAAAAAAAAAAAAA=="});
        for (name, value) in entry.as_object().unwrap() {
            line[name] = value.clone();
        }
        lines.push(line.to_string());
        tree.push(leaf(lines.last().unwrap()));
    };
    let start = serde_json::json!({"kind": "start", "version": "0.1.0", "roots": {"a": "read-only"},
        "component": Hash::digest(b"c").to_string(), "exact": false, "anchors": [], "key": "k"});
    add(start.clone());
    add(serde_json::json!({"kind": "stop"}));
    add(serde_json::json!({"kind": "repaired", "bytes": 3}));
    add(start);
    let root = node(node(tree[0], tree[1]), node(tree[2], tree[3]));
    let checkpoint = docent_access_log::checkpoint::Checkpoint {
        origin: key.verifier().name().to_owned(),
        size: 4,
        root,
    };
    checkpoints
        .push(serde_json::json!({"time": "x", "note": checkpoint.to_note(&key)}).to_string());
    place.set_lines(&lines);
    let path = place.directory().join("checkpoints.jsonl");
    fs::write(path, format!("{}\n", checkpoints.join("\n"))).unwrap();
    let report = place.report();
    assert_eq!((report.verdict, report.unsigned), (Verdict::Intact, 0));
    let log = place.open();
    log.append(LogEntry::Stop {}).unwrap();
    log.seal().unwrap();
    let report = place.report();
    assert_eq!((report.verdict, report.unsigned), (Verdict::Intact, 0));
    assert_eq!(report.entries, 6);
}

fn node(left: Hash, right: Hash) -> Hash {
    let hex = |hash: Hash| {
        let text = hash.to_string();
        let bytes = text.as_bytes().chunks(2);
        bytes
            .map(|two| u8::from_str_radix(std::str::from_utf8(two).unwrap(), 16).unwrap())
            .collect::<Vec<u8>>()
    };
    Hash::digest(&[vec![1], hex(left), hex(right)].concat())
}

/// A directory on a disk of a given size, which only the superuser can mount.
#[cfg(target_os = "linux")]
struct Disk(tempfile::TempDir);

#[cfg(target_os = "linux")]
impl Disk {
    fn mount(kilobytes: u64) -> Option<Self> {
        let directory = tempfile::tempdir().unwrap();
        let mounted = std::process::Command::new("mount")
            .args(["-t", "tmpfs", "-o", &format!("size={kilobytes}k"), "tmpfs"])
            .arg(directory.path())
            .stderr(std::process::Stdio::null())
            .status();
        mounted
            .is_ok_and(|it| it.success())
            .then_some(Self(directory))
    }

    /// Fills the disk except for `left` kilobytes.
    fn fill(&self, left: usize) {
        let path = self.0.path().join("fill");
        let mut file = fs::File::create(&path).unwrap();
        while file.write_all(&[0; 1024]).is_ok() {}
        let length = file.metadata().unwrap().len();
        file.set_len(length.saturating_sub(left as u64 * 1024))
            .unwrap();
    }
}

#[cfg(target_os = "linux")]
impl Drop for Disk {
    fn drop(&mut self) {
        let _ = std::process::Command::new("umount")
            .arg(self.0.path())
            .status();
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_told_and_what_was_begun_has_room_for_its_end() {
    let Some(disk) = Disk::mount(1024) else {
        return;
    };
    let key = disk.0.path().join("key");
    let directory = disk.0.path().join("log");
    let log =
        docent_access_log::Log::open_ambient(&directory, &key, Vec::new(), crate::log::program());
    let log = log.unwrap();
    let begun = log.begin(begin(1)).unwrap();
    disk.fill(0);
    // Other entries do not use the space reserved for it.
    let mut others = 0;
    while log.append(call(2)).is_ok() {
        others += 1;
        assert!(others < 10_000, "the disk is full");
    }
    assert!(!log.is_writable());
    assert!(log.begin(begin(3)).is_err());
    log.finish(outcome(begun, 1)).unwrap();
    assert!(log.is_writable());
    while log.append(call(2)).is_ok() {}
    fs::remove_file(disk.0.path().join("fill")).unwrap();
    let again = log.begin(begin(4)).unwrap();
    assert!(log.is_writable());
    log.finish(outcome(again, 4)).unwrap();
    log.append(LogEntry::Stop {}).unwrap();
    log.seal().unwrap();
    let verifier =
        docent_access_log::key::Verifier::read_ambient(&directory.join("verifier")).unwrap();
    let witnesses = docent_access_log::verify::Witnesses {
        key: Some(verifier),
        ..Default::default()
    };
    let report = docent_access_log::verify::verify_ambient(&directory, &witnesses).unwrap();
    assert_eq!(report.verdict, Verdict::Intact);
    assert_eq!((report.unfinished, report.unsigned), (vec![], 0));
}
