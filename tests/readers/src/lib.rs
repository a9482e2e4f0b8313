//! Readers of documents that misbehave. What they do is the content of the document: a word, and
//! after a colon what the word needs.
#![cfg(target_family = "wasm")]

use std::hint::black_box;
use std::sync::atomic::{AtomicU32, Ordering};

mod bindings {
    wit_bindgen::generate!({
        path: "../../wit",
        world: "extractor",
    });
}

use bindings::exports::docent::docent::extract::{Failure, Format, Guest, Limits};

struct Readers;

bindings::export!(Readers with_types_in bindings);

/// Documents that this instance has read.
static READ: AtomicU32 = AtomicU32::new(0);

impl Guest for Readers {
    fn extract(_: Format, content: Vec<u8>, limits: Limits) -> Result<String, Failure> {
        let read = READ.fetch_add(1, Ordering::Relaxed) + 1;
        let content = String::from_utf8_lossy(&content).into_owned();
        match content.as_str() {
            "count" => Ok(format!("read {read}")),
            "loop" => loop {
                black_box(read);
            },
            "panic" => panic!("quietly"),
            "exit" => std::process::exit(0),
            "recurse" => Ok(recurse(1).to_string()),
            "allocate" => {
                let mut hoard: Vec<Vec<u8>> = Vec::new();
                loop {
                    hoard.push(black_box(vec![1; 1 << 20]));
                }
            }
            "too much" => Ok("x".repeat(limits.text_bytes as usize + 1)),
            "look" => {
                let root = std::fs::read_dir("/").map(Iterator::count);
                let variables = std::env::vars_os().count();
                let arguments = std::env::args_os().count();
                Ok(format!("{} {variables} {arguments}", root.is_ok()))
            }
            "malformed" => Err(Failure::Malformed),
            "encrypted" => Err(Failure::Encrypted),
            "too large" => Err(Failure::TooLarge),
            "no text" => Err(Failure::NoText),
            "too slow" => Err(Failure::TooSlow),
            "broken" => Err(Failure::Broken),
            other => Ok(format!("# {other}\n")),
        }
    }
}

#[expect(unconditional_recursion, reason = "that is the deed")]
fn recurse(depth: u64) -> u64 {
    let room = black_box([depth; 64]);
    recurse(depth + 1) + black_box(room)[0]
}
