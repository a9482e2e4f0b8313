//! Tests of the format of a journal, and of what a crash leaves of one.

use super::*;
use crate::record::{Action, Conflict, Malformed, OperationOrigin, Record, RecordedChange};

fn record() -> Record {
    let hash = |text: &str| ContentHash::new(text.as_bytes());
    let entry = |action| RecordedChange {
        action,
        lines: LineCounts {
            added: 3,
            removed: 1,
        },
    };
    Record {
        id: 42,
        time_ms: NOW,
        tool: "change".to_owned(),
        note: "two lines\nand a\ttab, a \\ and a \r".to_owned(),
        origin: OperationOrigin::Undo(41),
        entries: vec![
            entry(Action::Set {
                path: path("한글/a\nb.md"),
                old: hash("a"),
                new: hash("b"),
            }),
            entry(Action::New {
                path: path("n.md"),
                new: hash("n"),
            }),
            entry(Action::Delete {
                path: path("g.md"),
                old: hash("g"),
            }),
            entry(Action::Move {
                path: path("m.md"),
                to: path("d/m.md"),
                old: hash("m"),
                new: hash("m"),
            }),
        ],
        made: vec![path("d")],
        removed: vec![path("e/f"), path("e")],
        conflicts: vec![Conflict {
            entry: 1,
            found: None,
            kept: vec![hash("n"), hash("o")],
        }],
    }
}

#[test]
fn written_and_read_back() {
    let record = record();
    assert_eq!(Record::decode(&record.encode()), Ok(record));
}

#[test]
fn a_backslash_in_a_name_stays_one() {
    let mut odd = record();
    let mut name = RelPath::default();
    name.push("a\\b.md");
    odd.made = vec![name];
    assert_eq!(Record::decode(&odd.encode()), Ok(odd));
}

#[test]
fn every_beginning_is_torn() {
    let whole = record().encode();
    for end in 0..whole.len() {
        assert_eq!(
            Record::decode(&whole[..end]),
            Err(Malformed::Torn),
            "{end} bytes"
        );
    }
}

#[test]
fn zeros_from_any_byte_on_are_torn() {
    let whole = record().encode();
    for end in 0..whole.len() {
        let mut bytes = whole.clone();
        bytes[end..].fill(0);
        assert_eq!(
            Record::decode(&bytes),
            Err(Malformed::Torn),
            "zeros from {end} on"
        );
    }
}

#[test]
fn every_other_byte_is_noticed() {
    let whole = record().encode();
    for at in 0..whole.len() {
        let mut bytes = whole.clone();
        bytes[at] ^= 0x01;
        assert!(Record::decode(&bytes).is_err(), "byte {at}");
    }
    let longer = [whole.as_slice(), b"id\t7\n"].concat();
    assert_eq!(Record::decode(&longer), Err(Malformed::Damaged));
}

#[test]
fn a_later_format_is_told_from_damage() {
    let text = String::from_utf8(record().encode()).expect("a record is text");
    let later = text.replacen("operation 1", "operation 2", 1);
    assert_eq!(Record::decode(later.as_bytes()), Err(Malformed::Version));
}

#[test]
fn paths_that_lead_elsewhere_are_damage() {
    for at in ["../x", "a//b", "", "a/./b"] {
        let body = format!("id\t1\ntime\t2\nmade\t{at}\n");
        let hash = ContentHash::new(body.as_bytes());
        let text = format!("docent operation 1\t{}\t{hash}\n{body}", body.len());
        assert_eq!(
            Record::decode(text.as_bytes()),
            Err(Malformed::Damaged),
            "{at}"
        );
    }
}
