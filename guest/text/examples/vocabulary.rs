//! Writes the filter of `src/tokens/vocabulary.rs` to standard output: `cargo run -p docent-text
//! --example vocabulary > guest/text/src/tokens/vocabulary.bin`.
#![expect(
    clippy::disallowed_methods,
    reason = "a tool for the build writes what it made"
)]

use std::io::Write as _;

use docent_text::tokens::vocabulary::fingerprints;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let table = tiktoken_rs::o200k_base()?;
    let tokens = (0..O200K_TOKENS).map(|rank| table._decode_native_and_split(vec![rank]).next());
    let tokens: Option<Vec<Vec<u8>>> = tokens.collect();
    let tokens = tokens.ok_or("a rank without a token")?;
    let bytes = fingerprints(tokens.iter().map(Vec::as_slice)).ok_or("two tokens collide")?;
    std::io::stdout().write_all(&bytes)?;
    Ok(())
}

/// Ranks of o200k_base; what follows are special tokens.
const O200K_TOKENS: u32 = 199_998;
