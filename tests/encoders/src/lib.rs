//! A misbehaving encoder. The text that it embeds is the word of its deed. While it loads its
//! model, the word is in the model's `config.json`.
#![cfg(target_family = "wasm")]
#![deny(dead_code)]

use std::cell::RefCell;
use std::hint::black_box;

mod bindings {
    wit_bindgen::generate!({
        path: "../../wit",
        world: "encoding",
    });
}

use bindings::exports::docent::docent::encoder::{Guest, Role, Settings};
use docent_test_deeds::EncoderDeed;

struct Encoder;

bindings::export!(Encoder with_types_in bindings);

/// Dimensions of its vectors.
const DIMENSIONS: usize = 4;

thread_local! {
    /// Previous text of this instance.
    static LAST: RefCell<String> = const { RefCell::new(String::new()) };
}

impl Guest for Encoder {
    fn begin(config: Vec<u8>, _: Vec<u8>, _: u64, _: Settings) -> Result<(), String> {
        vector(&String::from_utf8_lossy(&config)).map(drop)
    }

    fn add_weights(_: Vec<u8>) -> Result<(), String> {
        Ok(())
    }

    fn finish() -> Result<u32, String> {
        Ok(DIMENSIONS as u32)
    }

    fn encode(_: Role, text: String) -> Result<Vec<i8>, String> {
        vector(&text)
    }
}

fn vector(text: &str) -> Result<Vec<i8>, String> {
    let last = LAST.replace(text.to_owned());
    let Some(deed) = EncoderDeed::from_word(text) else {
        return Ok(vec![1; DIMENSIONS]);
    };
    match deed {
        EncoderDeed::Loop => loop {
            black_box(text);
        },
        EncoderDeed::Panic => panic!("quietly"),
        EncoderDeed::Allocate => {
            let mut hoard: Vec<Vec<u8>> = Vec::new();
            loop {
                hoard.push(black_box(vec![1; 1 << 20]));
            }
        }
        EncoderDeed::Refuse => Err("as it was told".to_owned()),
        EncoderDeed::TooShort => Ok(vec![1; DIMENSIONS - 1]),
        EncoderDeed::TooLong => Ok(vec![1; 1 << 20]),
        EncoderDeed::Recall => Ok(vec![(last.len() + 1) as i8; DIMENSIONS]),
        EncoderDeed::Look => {
            let sees = [
                std::fs::read_dir("/").is_ok(),
                std::fs::read("/model.safetensors").is_ok(),
                std::env::vars_os().next().is_some(),
                std::env::args_os().next().is_some(),
            ];
            Ok(sees.map(|seen| if seen { 2 } else { 1 }).to_vec())
        }
    }
}
