//! Code fences around a text in an answer.

use docent_text::tokens::estimate::estimate;

/// Maximum backticks of a fence that the constants of a frame have room for.
const SHORT_FENCE: usize = 4;

/// Minimum run of backticks for which an answer's Markdown uses tildes, if those are shorter.
const LONG_RUN: usize = 16;

/// Returns the tokens of the two fences around `text` beyond those of short fences.
pub fn fences(text: &str) -> u32 {
    if longest_run(text, b'`') < SHORT_FENCE {
        return 0;
    }
    estimate(&fence(text)).saturating_mul(2)
}

/// Returns the fence around `text` in an answer's Markdown: longer than any run of its sign in the
/// text, and of tildes if the runs of backticks are long.
pub fn fence(text: &str) -> String {
    // A fence is longer than any run of its sign in the text, or the text could end it. A text
    // with a run of ten thousand backticks would need two longer fences, which cost more of the
    // budget than the text. So tildes are used for such a text, whose runs are usually short.
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
