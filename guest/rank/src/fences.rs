//! The fences that an answer puts round a text, and what they cost.

use docent_text::tokens::estimate::estimate;

/// Returns the tokens that the two fences round `text` take where they are not short: they are
/// longer than any run of their sign in it, and of tildes where the runs of backticks are long.
pub(crate) fn fences(text: &str) -> u32 {
    let backticks = longest_run(text, b'`');
    if backticks < SHORT_FENCE {
        return 0;
    }
    let tildes = if backticks >= LONG_RUN {
        longest_run(text, b'~')
    } else {
        backticks
    };
    let fence = if tildes < backticks {
        "~".repeat(tildes.max(2) + 1)
    } else {
        "`".repeat(backticks + 1)
    };
    estimate(&fence).saturating_mul(2)
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

/// Backticks of a fence that [`crate::limits::SECTION_FRAME_TOKENS`] has room for.
const SHORT_FENCE: usize = 4;

/// Backticks in a row from which on an answer's Markdown has fences of tildes, where these are
/// shorter.
const LONG_RUN: usize = 16;
