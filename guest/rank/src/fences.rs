//! The fences that an answer shows round a text.

use docent_text::tokens::estimate::estimate;

/// Backticks of a fence that a frame's constants have room for.
const SHORT_FENCE: usize = 4;

/// Backticks in a row from which on an answer's Markdown has fences of tildes, where these are
/// shorter.
const LONG_RUN: usize = 16;

/// Returns the tokens that the two fences round `text` take where they are not short.
pub fn fences(text: &str) -> u32 {
    if longest_run(text, b'`') < SHORT_FENCE {
        return 0;
    }
    estimate(&fence(text)).saturating_mul(2)
}

/// Returns the fence that an answer's Markdown has round `text`: longer than any run of its sign in
/// it, and of tildes where the runs of backticks are long.
pub fn fence(text: &str) -> String {
    let backticks = longest_run(text, b'`');
    let tildes = if backticks >= LONG_RUN {
        longest_run(text, b'~')
    } else {
        backticks
    };
    if tildes < backticks {
        "~".repeat(tildes.max(2) + 1)
    } else {
        "`".repeat(backticks.max(2) + 1)
    }
}

fn longest_run(text: &str, sign: u8) -> usize {
    let mut longest = 0;
    let mut rest = text.as_bytes();
    while let Some(at) = memchr::memchr(sign, rest) {
        let run = rest[at..].iter().take_while(|&&byte| byte == sign).count();
        longest = longest.max(run);
        rest = &rest[at + run..];
    }
    longest
}
