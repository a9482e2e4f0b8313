//! Tests of damaged and hostile presentations in binary records, and of those that are encrypted or
//! older.

use docent_extract::fixtures::{
    Ppt, PptSlide, container, named, ppt_atom, ppt_container, ppt_file, ppt_numbers, ppt_reference,
    ppt_save, ppt_text,
};
use docent_extract::{Beyond, Failure, Format, Limits, extract};

use crate::ppt::{LIMITS, read, slide, text_of, words};

/// First line of the text of a damaged file.
const DAMAGED: &str = "Damaged: parts of this document could not be read.\n\n";

#[test]
fn the_last_saving_counts() {
    let old = Ppt::new(&[slide(&[words("old")]), slide(&[words("kept")])]);
    let new = Ppt::new(&[slide(&[words("new")])]);
    let mut stream = Vec::new();
    let first = ppt_save(&mut stream, &old.parts(), 0);
    let changed: Vec<(u32, Vec<u8>)> = new
        .parts()
        .into_iter()
        .filter(|(id, _)| *id == 10)
        .collect();
    let last = ppt_save(&mut stream, &changed, first);
    let expected = "## Slide 1\n\nnew\n\n## Slide 2\n\nkept\n";
    assert_eq!(read(ppt_file(&stream, last)).as_deref(), Ok(expected));
    // Without the stream of the user the last saving is found as well.
    let damaged = format!("{DAMAGED}{expected}");
    assert_eq!(read(ppt_file(&stream, 7)).as_ref(), Ok(&damaged));
    let file = container(&[("PowerPoint Document", &stream)]);
    assert_eq!(read(file), Ok(damaged));
}

#[test]
fn slides_are_in_the_order_of_their_list() {
    let deck = Ppt::new(&[slide(&[words("a")]), slide(&[words("b")])]);
    let mut parts = deck.parts();
    parts.reverse();
    let mut stream = Vec::new();
    let last = ppt_save(&mut stream, &parts, 0);
    let expected = "## Slide 1\n\na\n\n## Slide 2\n\nb\n";
    assert_eq!(read(ppt_file(&stream, last)).as_deref(), Ok(expected));
}

#[test]
fn slides_without_a_directory_are_in_the_order_of_the_stream() {
    let first = PptSlide {
        outline: [ppt_text(0, "A"), ppt_text(1, "b")].concat(),
        shapes: [ppt_reference(13, 0), ppt_reference(14, 1)].concat(),
        notes: words("note"),
        ..PptSlide::default()
    };
    let deck = Ppt::new(&[first, slide(&[words("c")])]);
    let parts = deck.parts();
    let all: Vec<u8> = parts.iter().flat_map(|(_, part)| part.clone()).collect();
    let text = read(ppt_file(&all, 0)).expect("it can be read");
    assert_eq!(
        text,
        format!("{DAMAGED}### Notes\n\nnote\n\n## Slide 1: A\n\n- b\n\n## Slide 2\n\nc\n")
    );
    // One slide is lost: its texts in the list are left.
    let some = parts.iter().filter(|(id, _)| *id != 10);
    let some: Vec<u8> = some.flat_map(|(_, part)| part.clone()).collect();
    let text = read(ppt_file(&some, 0)).expect("it can be read");
    assert!(text.contains("## Slide 2: A\n\n- b\n"), "{text}");
    let mut stream = Vec::new();
    let some: Vec<(u32, Vec<u8>)> = parts.into_iter().filter(|(id, _)| *id != 10).collect();
    let last = ppt_save(&mut stream, &some, 0);
    let text = read(ppt_file(&stream, last));
    let expected = format!("{DAMAGED}## Slide 1: A\n\n- b\n\n## Slide 2\n\nc\n");
    assert_eq!(text, Ok(expected));
}

#[test]
fn other_presentations_say_what_they_are() {
    let mut stream = Vec::new();
    let last = ppt_save(&mut stream, &Ppt::new(&[slide(&[words("a")])]).parts(), 0);
    let user = |mark: u32| ppt_atom(4086, 0, &ppt_numbers(&[20, mark, last, 0]));
    let (plain, encrypted) = (user(0xE391_C05F), user(0xF3D1_C4DF));
    let document = ("PowerPoint Document", stream.as_slice());
    for (streams, expected) in [
        (
            vec![document, ("Current User", &encrypted)],
            Failure::Encrypted,
        ),
        (
            vec![
                document,
                ("Current User", &plain),
                ("EncryptedSummary", b"x"),
            ],
            Failure::Encrypted,
        ),
        (
            vec![document, ("PersistentStorage Directory", b"x")],
            Failure::Unsupported("a PowerPoint 95 presentation"),
        ),
        (vec![("Current User", &plain)], Failure::Malformed),
        (vec![("PowerPoint Document", b"")], Failure::Malformed),
    ] {
        assert_eq!(read(container(&streams)), Err(expected));
    }
    // PowerPoint 95 can open the root of this one.
    let file = container(&[
        ("PersistentStorage Directory", b"x"),
        ("PowerPoint Document", b"x"),
        ("PP97_DUALSTORAGE/PowerPoint Document", &stream),
        ("PP97_DUALSTORAGE/Current User", &plain),
    ]);
    assert_eq!(read(file).as_deref(), Ok("## Slide 1\n\na\n"));
}

#[test]
fn lengths_may_be_any_number() {
    let mut stream = Vec::new();
    let last = ppt_save(&mut stream, &Ppt::new(&[slide(&[words("a")])]).parts(), 0);
    for at in 0..stream.len() - 3 {
        for number in [0, 1, 0x7FFF_FFFF, 0xFFFF_FFFF] {
            let mut changed = stream.clone();
            changed[at..at + 4].copy_from_slice(&u32::to_le_bytes(number));
            let _ = read(ppt_file(&changed, last));
        }
    }
}

#[test]
fn groups_may_be_nested_without_end() {
    let mut shapes = Vec::new();
    for depth in 0..100_000u32 {
        shapes.extend([0xF, 0, 3, 0xF0]);
        shapes.extend((8 * (100_000 - depth)).to_le_bytes());
    }
    let shapes = [shapes, words("deep")].concat();
    assert_eq!(text_of(&[slide(&[shapes])]), "## Slide 1\n\ndeep\n");
}

#[test]
fn savings_in_a_circle_end() {
    let mut stream = Vec::new();
    let parts = Ppt::new(&[slide(&[words("a")])]).parts();
    let first = ppt_save(&mut stream, &parts, 0);
    let last = ppt_save(&mut stream, &[], first);
    let at = first as usize + 16;
    stream[at..at + 4].copy_from_slice(&last.to_le_bytes());
    assert!(read(ppt_file(&stream, first)).is_ok_and(|text| text.contains("\na\n")));
}

#[test]
fn one_slide_listed_often_is_read_once() {
    let mut stream = Vec::new();
    let mut parts = Ppt::new(&[]).parts();
    let entry = ppt_atom(1011, 0, &ppt_numbers(&[10, 0, 0, 256, 0]));
    let list = ppt_container(4080, 0, &entry.repeat(100_000));
    parts[0].1 = ppt_container(1000, 0, &list);
    parts.push((10, Ppt::new(&[slide(&[words("a")])]).parts()[2].1.clone()));
    let last = ppt_save(&mut stream, &parts, 0);
    assert_eq!(
        read(ppt_file(&stream, last)).as_deref(),
        Ok("## Slide 1\n\na\n")
    );
}

#[test]
fn parts_that_overlap_are_not_read_without_end() {
    // A slide whose content is a thousand slides, each of which contains those after it.
    let mut stream = Vec::new();
    let mut entries = Vec::new();
    let length = 1000 * 24 * 100;
    let mut directory = Vec::new();
    for id in 0..1000u32 {
        directory.extend(ppt_numbers(&[(10 + id) | (1 << 20), stream.len() as u32]));
        entries.extend(ppt_atom(
            1011,
            0,
            &ppt_numbers(&[10 + id, 0, 0, 256 + id, 0]),
        ));
        stream.extend([0xF, 0, 0xEE, 3]);
        stream.extend((length as u32).to_le_bytes());
    }
    stream.resize(length, 0);
    let document = ppt_container(1000, 0, &ppt_container(4080, 0, &entries));
    directory.extend(ppt_numbers(&[1 | 1 << 20, stream.len() as u32]));
    stream.extend(document);
    let offset = stream.len() as u32;
    stream.extend(ppt_atom(6002, 0, &directory));
    let last = stream.len() as u32;
    stream.extend(ppt_atom(4085, 0, &ppt_numbers(&[0, 0, 0, offset, 1, 0, 0])));
    assert_eq!(read(ppt_file(&stream, last)), Err(Failure::Malformed));
}

#[test]
fn a_long_text_ends_early() {
    let file = Ppt::new(&[slide(&[words(&"word ".repeat(500_000))])]).file();
    assert_eq!(read(file.clone()), Err(Failure::TooLarge));
    let limits = Limits {
        text_bytes: 1000,
        beyond: Beyond::LeaveOut,
        ..LIMITS
    };
    let text = extract(Format::Ppt, file, &limits).expect("it can be read");
    assert!(text.len() <= 1000);
}

#[test]
fn files_that_are_cut() {
    let whole = named("talk.ppt");
    let text = read(whole.clone());
    for length in 0..whole.len() {
        let read = read(whole[..length].to_vec());
        // The end of a container says which sectors are free.
        if read != text
            && let Ok(text) = read
        {
            assert!(text.starts_with(DAMAGED), "{length}: {text}");
        }
    }
}
