//! Misbehaving readers of documents. The content of the document selects the deed: a word, followed
//! by a colon and the word's argument if it has one.
#![cfg(target_family = "wasm")]
#![deny(dead_code)]

use std::hint::black_box;
use std::sync::atomic::{AtomicU32, Ordering};

mod bindings {
    wit_bindgen::generate!({
        path: "../../wit",
        world: "extractor",
    });
}

use bindings::exports::docent::docent::extract::{Failure, Format, Guest, Limits, UnknownGlyphs};
use docent_test_deeds::ReaderDeed;

struct Readers;

bindings::export!(Readers with_types_in bindings);

/// Number of documents that this instance has read.
static READ: AtomicU32 = AtomicU32::new(0);

impl Guest for Readers {
    fn extract(_: Format, content: Vec<u8>, limits: Limits) -> Result<String, Failure> {
        let read = READ.fetch_add(1, Ordering::Relaxed) + 1;
        let content = String::from_utf8_lossy(&content).into_owned();
        let Some(deed) = ReaderDeed::from_word(&content) else {
            return Ok(format!("# {content}\n"));
        };
        match deed {
            ReaderDeed::Count => Ok(format!("read {read}")),
            ReaderDeed::Loop => loop {
                black_box(read);
            },
            ReaderDeed::Panic => panic!("quietly"),
            ReaderDeed::Exit => std::process::exit(0),
            ReaderDeed::Recurse => Ok(recurse(1).to_string()),
            ReaderDeed::Allocate => {
                let mut hoard: Vec<Vec<u8>> = Vec::new();
                loop {
                    hoard.push(black_box(vec![1; 1 << 20]));
                }
            }
            ReaderDeed::TooMuch => Ok("x".repeat(limits.text_bytes as usize + 1)),
            ReaderDeed::Look => {
                let root = std::fs::read_dir("/").map(Iterator::count);
                let variables = std::env::vars_os().count();
                let arguments = std::env::args_os().count();
                Ok(format!("{} {variables} {arguments}", root.is_ok()))
            }
            ReaderDeed::Malformed => Err(Failure::Malformed),
            ReaderDeed::Encrypted => Err(Failure::Encrypted),
            ReaderDeed::TooLarge => Err(Failure::TooLarge),
            ReaderDeed::NoText => Err(Failure::NoText),
            ReaderDeed::UnknownGlyphs => Err(Failure::UnknownGlyphs(UnknownGlyphs {
                glyphs: 2,
                pages: 1,
            })),
            ReaderDeed::TooSlow => Err(Failure::TooSlow),
            ReaderDeed::Broken => Err(Failure::Broken),
        }
    }
}

#[expect(unconditional_recursion, reason = "that is the deed")]
fn recurse(depth: u64) -> u64 {
    let room = black_box([depth; 64]);
    recurse(depth + 1) + black_box(room)[0]
}
