//! Documents of Word in binary form: reading any file, any streams, and any sequence of runs ends
//! with Markdown within the limit, or with an error.
#![no_main]

use docent_extract::fixtures::{Doc, container, named, sprm, word_6};
use docent_extract::{Beyond, Format, Limits, extract};
use docent_fuzz::{markdown, seeds};
use libfuzzer_sys::fuzz_target;

const LIMITS: Limits = Limits {
    text_bytes: 1 << 18,
    unpacked_bytes: 1 << 20,
    beyond: Beyond::LeaveOut,
};

/// Maximum runs that are made of the data; each takes pages of its own.
const RUNS: usize = 256;

/// Texts of runs.
const TEXTS: [&str; 12] = [
    "word", "# a", "| b", "1. c", " ", "\x0B", "\x13", "\x14", "\x15", "\x01", "\x05", "\x0C",
];

/// Marks that end paragraphs and cells.
const MARKS: [char; 3] = ['\r', '\x07', '\x0C'];

/// Properties of characters.
const CHARACTERS: [u16; 8] = [
    0x0800, 0x0806, 0x083C, 0x2A48, 0x4A30, 0x4A4F, 0x6A03, 0x6A09,
];

/// Properties of paragraphs.
const PARAGRAPHS: [u16; 12] = [
    0x2416, 0x2417, 0x244B, 0x244C, 0x6649, 0x260A, 0x460B, 0x2640, 0x4600, 0x6646, 0x25FF, 0x664A,
];

fn write_seeds() {
    let old = word_6(
        0x412,
        0,
        &[(b"a\xB0\xA2\r", &[92, 0], Some((1, &[13, 10])))],
    );
    let (stream, tables) = Doc::default().paragraph(1, "One").streams();
    let mut streams = vec![1];
    streams.extend((stream.len() as u16).to_le_bytes());
    streams.extend([stream, tables].concat());
    let runs = [
        2, 0, 1, 0, 0, 3, 0, 9, 20, 1, 0, 2, 1, 2, 0, 6, 2, 4, 0, 0, 0, 5, 7, 0, 0, 6, 0, 0, 0, 8,
        130, 1, 0,
    ];
    let whole = [named("minutes.doc"), old].map(|file| [vec![0], file].concat());
    seeds::write(whole.into_iter().chain([streams, runs.to_vec()]));
}

/// Returns a file: the data itself, one with the data as its streams, or one with runs made of it.
fn file(data: &[u8]) -> Vec<u8> {
    match data {
        [0, file @ ..] => file.to_vec(),
        [1, low, high, streams @ ..] => {
            let length = usize::from(u16::from_le_bytes([*low, *high]));
            let (stream, tables) = streams.split_at(length.min(streams.len()));
            container(&[
                ("WordDocument", stream),
                ("1Table", tables),
                ("Data", tables),
            ])
        }
        [_, runs @ ..] => {
            let runs = runs.chunks_exact(4).take(RUNS);
            runs.fold(Doc::default().data(data), with_run).file()
        }
        [] => Vec::new(),
    }
}

/// Adds to a document what four bytes say.
fn with_run(document: Doc, bytes: &[u8]) -> Doc {
    let [kind, first, second, third] = [0, 1, 2, 3].map(|index| bytes[index]);
    let pick = usize::from(first);
    let property = |codes: &[u16]| {
        let code = codes[pick % codes.len()];
        let length = match code >> 13 {
            0 | 1 => 1,
            3 => 4,
            _ => 2,
        };
        sprm(code, &[second, third, 0, 0][..length])
    };
    match kind % 10 {
        0 => document.paragraph((first % 8).into(), TEXTS[usize::from(second) % TEXTS.len()]),
        1 => document.run("word", &property(&CHARACTERS)),
        2 => document.end(
            MARKS[usize::from(third) % MARKS.len()],
            (second % 8).into(),
            &property(&PARAGRAPHS),
        ),
        3 => document.row(&["a", "|"], &[i16::from(first) - 9, i16::from(second)]),
        4 => document.run(TEXTS[pick % TEXTS.len()], &[]),
        5 => document.text_box(first.into(), "box"),
        6 => document.footnote("note"),
        7 => document.boxed(first.into(), "box"),
        8 => document.changed(u16::from_le_bytes([first & !1, second]), &[]),
        _ => document.field("HYPERLINK \"a\"", TEXTS[pick % TEXTS.len()]),
    }
}

fuzz_target!(init: write_seeds(), |data: &[u8]| {
    let Ok(text) = extract(Format::Doc, file(data), &LIMITS) else {
        return;
    };
    assert!(text.len() <= LIMITS.text_bytes);
    // Code is that of the styles of programs, in fences, which is no structure of other texts.
    if text.len() < LIMITS.text_bytes - 1024 && !text.contains("```") {
        markdown::check(&text);
    }
});
