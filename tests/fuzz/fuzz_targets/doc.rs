//! Documents of Word in binary form: reading any file, and any streams, ends with Markdown within
//! the limit, or with an error.
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

fn write_seeds() {
    let document = Doc::default()
        .paragraph(1, "One")
        .with(&sprm(0x460B, &[2, 0]), "item")
        .row(&["a", "b"], &[10, 20])
        .text_box(7, "box")
        .footnote("note")
        .field("HYPERLINK \"a\"", "link")
        .end('\r', 0, &[]);
    let (stream, tables) = document.streams();
    let mut streams = vec![1];
    streams.extend((stream.len() as u16).to_le_bytes());
    streams.extend(stream);
    streams.extend(tables);
    let old = word_6(0x412, 0, &[(b"a\xB0\xA2\r", &[92, 0], Some((1, &[13, 10])))]);
    let whole = [named("minutes.doc"), old].map(|file| [vec![0], file].concat());
    seeds::write(whole.into_iter().chain([streams]));
}

/// Returns a file: the data itself, or one with the data as its streams.
fn file(data: &[u8]) -> Vec<u8> {
    match data {
        [0, file @ ..] => file.to_vec(),
        [_, low, high, streams @ ..] => {
            let length = usize::from(u16::from_le_bytes([*low, *high]));
            let (stream, tables) = streams.split_at(length.min(streams.len()));
            container(&[
                ("WordDocument", stream),
                ("1Table", tables),
                ("Data", tables),
            ])
        }
        _ => Vec::new(),
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
