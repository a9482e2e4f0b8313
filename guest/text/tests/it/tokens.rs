//! The token estimate compared with o200k_base itself, on real text.

use docent_test_texts::registry;
use docent_text::tokens::estimate::estimate as estimate_tokens;
use docent_text::tokens::vocabulary::{StringHash, fingerprints};
use tiktoken_rs::CoreBPE;

use super::korean;

/// Ranks of o200k_base; what follows are special tokens.
const O200K_TOKENS: u32 = 199_998;

fn table() -> CoreBPE {
    tiktoken_rs::o200k_base().expect("the table is part of the crate")
}

/// Checks that the whole is counted within 3 % and no piece of about 3 kB more than 5 % low.
fn check(kind: &str, text: &str) {
    assert!(text.len() >= 100_000, "{kind}: {} bytes", text.len());
    let table = table();
    let (mut exact, mut estimated) = (0, 0);
    let mut rest = &text[..text.floor_char_boundary(400_000)];
    while !rest.is_empty() {
        let (piece, after) = rest.split_at(rest.floor_char_boundary(3000));
        let tokens = table.encode_ordinary(piece).len();
        let estimate = estimate_tokens(piece) as usize;
        assert!(
            estimate * 100 >= tokens * 95,
            "{kind}: {estimate} for {tokens}: {piece}"
        );
        exact += tokens;
        estimated += estimate;
        rest = after;
    }
    let percent = estimated as f64 / exact as f64 * 100.0;
    assert!((100.0..=103.0).contains(&percent), "{kind}: {percent} %");
}

#[test]
fn runs_of_one_sign_are_not_counted_low() {
    let table = table();
    for sign in ["`", "~", "-", "=", "*", "#", "_", "."] {
        for length in 1..300 {
            let run = sign.repeat(length);
            let tokens = table.encode_ordinary(&run).len();
            let estimate = estimate_tokens(&run) as usize;
            assert!(
                estimate * 100 >= tokens * 95,
                "{length} of {sign}: {estimate} for {tokens}"
            );
        }
    }
}

#[test]
fn markdown_with_code() {
    let readmes = registry::packages()
        .into_iter()
        .filter_map(|(_, path)| registry::read(&path.join("README.md")));
    check("Markdown", &readmes.collect::<Vec<_>>().concat());
}

#[test]
fn english_prose() {
    let mut prose = String::new();
    for (_, path) in registry::packages() {
        let source = registry::read(&path.join("src/lib.rs")).unwrap_or_default();
        let mut is_code = false;
        for line in source.lines() {
            let Some(text) = line.trim_start().strip_prefix("//!") else {
                continue;
            };
            if text.trim_start().starts_with("```") {
                is_code = !is_code;
            } else if !is_code {
                prose.push_str(text.strip_prefix(' ').unwrap_or(text));
                prose.push('\n');
            }
        }
    }
    check("English", &prose);
}

#[test]
fn korean_prose() {
    check("Korean", &korean::prose(200_000));
}

#[test]
fn korean_markdown() {
    check("Korean Markdown", &korean::manual(200_000));
}

#[test]
fn the_filter_is_that_of_the_table() {
    let table = table();
    let tokens: Vec<Vec<u8>> = (0..O200K_TOKENS)
        .filter_map(|rank| table._decode_native_and_split(vec![rank]).next())
        .collect();
    assert_eq!(tokens.len(), O200K_TOKENS as usize);
    let made = fingerprints(tokens.iter().map(Vec::as_slice));
    assert_eq!(
        made.as_deref(),
        Some(&include_bytes!("../../src/tokens/vocabulary.bin")[..]),
        "run the example `vocabulary`"
    );
    assert!(tokens.iter().all(|token| StringHash::new(token).is_token()));
    let strangers =
        (0..100_000).filter(|n| StringHash::new(format!("no-token-{n}").as_bytes()).is_token());
    let taken = strangers.count();
    assert!(
        (200..600).contains(&taken),
        "{taken} of 100 000 were taken for tokens"
    );
}
