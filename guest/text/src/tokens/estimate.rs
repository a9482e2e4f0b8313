//! Estimates of the number of tokens that a text costs a model.
//!
//! The text is split as the o200k_base tokenizer splits it, into words, numbers, runs of
//! punctuation and of white space; a piece that is not itself a token is split further (`piece`).
//! The tokenizer merges pairs in another order, so that it sometimes needs more parts: hence a
//! small surcharge.
//!
//! On 6 MB of English and Korean prose, Markdown with code, and Rust, each kind as a whole is
//! estimated 1 to 2 % high, and a piece of 3 kB between 2.3 % low and 8.7 % high.

use crate::limits::SLICE_BYTES;
use crate::lines::slices;
use crate::time_budget::TimeBudget;
use crate::tokens::counter::TokenCounter;
pub use crate::tokens::piece::tokens_from_parts;
use crate::tokens::piece::{SURCHARGE, parts_of};
use crate::tokens::split::first_length;
use crate::tokens::vocabulary::StringHash;

/// Minimum bytes of a text whose pieces are worth caching.
const COUNTER_BYTES: usize = 2048;

/// Estimates the number of tokens of `text`: deterministic, equal on every platform, and at least 1
/// unless the text is empty.
pub fn estimate(text: &str) -> u32 {
    tokens_from_parts(count_parts(text))
}

/// Estimates a text that may be long, or returns `None` if the time budget is spent first.
pub fn estimate_within(text: &str, time_budget: &mut TimeBudget<'_>) -> Option<u32> {
    let mut counter = TokenCounter::new(text);
    let (mut parts, mut start) = (0, 0);
    // A slice ends with a line or before a blank. Pieces end with their line, and a blank belongs
    // to the next word, so that no piece spans two slices and the counts of the slices add up.
    for slice in slices(text, SLICE_BYTES) {
        if time_budget.is_over() {
            return None;
        }
        parts += counter.parts(start..start + slice.len());
        start += slice.len();
        time_budget.is_over_after(slice.len());
    }
    Some(tokens_from_parts(parts))
}

/// Returns the number of parts of `text`, before the surcharge.
pub fn count_parts(text: &str) -> u64 {
    if text.len() >= COUNTER_BYTES {
        return TokenCounter::new(text).parts(0..text.len());
    }
    count_pieces(text)
}

/// Counts the parts piece by piece, without a cache.
pub(crate) fn count_pieces(text: &str) -> u64 {
    let mut parts = 0;
    let mut rest = text;
    while !rest.is_empty() {
        let (length, more) = first_piece(rest);
        parts += more;
        rest = &rest[length..];
    }
    parts
}

/// A growing text and its estimate; only its end is counted again.
#[derive(Debug, Default)]
pub struct GrowingText {
    text: String,
    /// Progress before each of the last pieces, which later text may still change; earliest first.
    unsettled: [CountProgress; UNSETTLED],
}

/// Counting progress in a text.
#[derive(Clone, Copy, Debug, Default)]
struct CountProgress {
    /// Offset of the next piece.
    offset: usize,
    /// Parts of all earlier pieces.
    parts: u64,
}

/// Pieces at the end of a text that may change when it grows: two of white space, or a word and the
/// start of its contraction.
const UNSETTLED: usize = 2;

impl GrowingText {
    /// Returns the text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Appends to the text.
    pub fn push(&mut self, more: &str) {
        self.text.push_str(more);
        // The last pieces are counted again, since the new text may continue them: `don` and `'`
        // followed by `t` are `don't`, one piece. All earlier pieces are final, so that a text that
        // grows line by line is counted in linear time.
        let mut progress = self.unsettled[0];
        self.unsettled = [progress; UNSETTLED];
        while progress.offset < self.text.len() {
            self.unsettled.rotate_left(1);
            self.unsettled[UNSETTLED - 1] = progress;
            let (length, more) = first_piece(&self.text[progress.offset..]);
            progress.offset += length;
            progress.parts += more;
        }
    }

    /// Returns the same as [`estimate`] of the text.
    pub fn estimate(&self) -> u32 {
        let CountProgress { offset, parts } = self.unsettled[0];
        tokens_from_parts(parts + self::count_parts(&self.text[offset..]))
    }
}

/// Returns the charge for some parts of a whole: [`tokens_from_parts`] rounded up, so that the sum
/// of all charges is never less than the estimate of the whole. An answer composed of charged
/// pieces then stays within its budget.
pub fn charge(parts: u64) -> u32 {
    u32::try_from(parts + (parts * SURCHARGE).div_ceil(1000)).unwrap_or(u32::MAX)
}

/// Returns the length and the number of parts of the first piece of `text`, which must not be
/// empty.
pub fn first_piece(text: &str) -> (usize, u64) {
    let length = first_length(text);
    let piece = &text.as_bytes()[..length];
    (length, parts_of(piece, StringHash::new(piece)))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use unicode_normalization::UnicodeNormalization as _;

    use super::*;
    use crate::lines::with_ends;
    use crate::tokens::split::{common_piece, piece_length};

    /// Samples and their token counts by o200k_base.
    const SAMPLES: [(&str, u32); 4] = [(ENGLISH, 147), (MARKDOWN, 184), (KOREAN, 164), (MIXED, 80)];

    const ENGLISH: &str = "A document tool has one job: to bring the sentence that answers a \
        question in front of the reader, and nothing else. Most of what stands in a manual is of \
        no use at the moment in which somebody opens it. The reader skims the headings, guesses \
        which of them is the right one, scrolls, and reads three paragraphs before the one that \
        matters. A model does the same, only that every paragraph costs money and pushes \
        something else out of its memory. It is therefore worth a good deal of effort to find the \
        right section, to say how long it is before it is read, and to stop when the budget has \
        been used. None of this helps, of course, when the answer was never written down.";

    const MARKDOWN: &str = "## Configuration\n\nThe server reads `config.toml` from the directory \
        it was started in:\n\n```toml\n[server]\nhost = \"127.0.0.1\"\nport = 8080\nworkers = \
        4\n\n[log]\nlevel = \"info\"   # or \"debug\"\nfile = \"/var/log/server.log\"\n```\n\n| \
        option | default | meaning |\n|---|---|---|\n| `host` | `127.0.0.1` | address to listen \
        on |\n| `port` | `8080` | TCP port |\n\n- [ ] Restart with `systemctl restart server`.\n- \
        [x] See [the guide](guide/start.md#first-steps).\n\n```rust\nfn main() -> Result<(), \
        Error> {\n    let config = Config::from_file(\"config.toml\")?;\n    \
        Server::new(config).run()\n}\n```\n";

    const KOREAN: &str = "문서 도구가 할 일은 하나입니다. 질문에 답하는 문장을 읽는 사람 앞에 가져다 \
        놓는 것입니다. 설명서에 적힌 내용의 대부분은 그것을 여는 순간에는 쓸모가 없습니다. 사용자는 \
        제목을 훑어보고, 어느 것이 맞는지 짐작하고, 화면을 내리고, 필요한 문단에 이르기 전에 세 문단을 \
        더 읽습니다. 모델도 똑같이 하지만, 문단마다 비용이 들고 기억에서 다른 것을 밀어냅니다. 그래서 \
        알맞은 절을 찾고, 읽기 전에 길이를 알려 주고, 예산을 다 썼을 때 멈추는 것이 중요합니다. 물론 \
        답이 어디에도 적혀 있지 않다면 아무 소용이 없습니다.";

    const MIXED: &str = "## 설치\n\n먼저 `cargo install docent`를 실행한 다음 설정 파일을 만듭니다.\n\n\
        ```bash\nmkdir -p ~/.config/docent\ndocent search \"검색어\" ./docs --limit 10\n```\n\n> \
        **참고**: Windows에서는 `%APPDATA%` 아래에 저장됩니다. 버전 1.2.3 이상이 필요합니다.\n";

    const THAI: &str = "ประเทศไทย มีชื่ออย่างเป็นทางการว่า ราชอาณาจักรไทย \
        เป็นรัฐชาติอันตั้งอยู่ในภูมิภาคเอเชียตะวันออกเฉียงใต้ เดิมมีชื่อว่า สยาม \
        รัฐบาลประกาศเปลี่ยนชื่อเป็นประเทศไทยตั้งแต่ พ.ศ. 2482";

    const CHINESE: &str = "中华人民共和国，简称中国，是一个位于东亚的社会主义国家，首都为北京市。中国领土东至\
        黑龙江省佳木斯市抚远市的黑瞎子岛中部，西至新疆维吾尔自治区。";

    const JAPANESE: &str = "日本国は、東アジアに位置し、日本列島および南西諸島、伊豆諸島、小笠原諸島などからなる\
        民主制国家である。首都は東京都。気候は四季の変化に富み、国土の多くは山地である。";

    #[test]
    fn near_the_tokenizer() {
        for (text, tokens) in SAMPLES {
            let estimated = estimate(text);
            assert!(
                estimated >= tokens && estimated * 100 <= tokens * 104,
                "{estimated} for {tokens}: {text}"
            );
        }
    }

    /// Texts in scripts with short tokens, and their token counts by o200k_base.
    #[test]
    fn scripts_with_short_tokens_near_the_tokenizer() {
        let decomposed: String = KOREAN.nfd().collect();
        for (text, tokens) in [
            (decomposed.as_str(), 1635),
            (THAI, 65),
            (CHINESE, 52),
            (JAPANESE, 72),
            (&"👨‍👩‍👧‍👦👩‍👩‍👦🧑🏽‍💻".repeat(20), 540),
            (&"😀😁😂🤣😃😄😅😆😉😊😋😎😍".repeat(10), 190),
        ] {
            let estimated = estimate(text);
            assert!(
                estimated * 100 >= tokens * 97 && estimated * 100 <= tokens * 106,
                "{estimated} for {tokens}: {text}"
            );
        }
    }

    #[test]
    fn estimates_of_empty_and_short_texts() {
        assert_eq!(estimate(""), 0);
        for text in [" ", "\u{0}", "é", "a"] {
            assert_eq!(estimate(text), 1, "{text:?}");
        }
    }

    #[test]
    fn more_lines_cost_no_less() {
        let text = format!("{ENGLISH}{MARKDOWN}{KOREAN}");
        let ends = with_ends(&text).scan(0, |end, line| {
            *end += line.len();
            Some(*end)
        });
        let costs: Vec<u32> = ends.map(|end| estimate(&text[..end])).collect();
        assert!(costs.is_sorted());
    }

    proptest! {
        #[test]
        fn every_piece_is_a_step(text in "(\\PC|[ \t\n\r'/a-zA-Z0-9가힣é\u{301}\u{a0}]){0,60}") {
            let mut rest = text.as_str();
            while !rest.is_empty() {
                let length = piece_length(rest);
                prop_assert!(length > 0);
                rest = &rest[length..];
            }
            let mut rest = text.as_str();
            while !rest.is_empty() {
                let length = piece_length(rest);
                if let Some(common) = common_piece(rest.as_bytes()) {
                    prop_assert_eq!(common, length, "{:?}", rest);
                }
                rest = &rest[length..];
            }
            prop_assert!(estimate(&text) as usize <= text.len() + text.len() / 50 + 1);
        }

        #[test]
        fn a_growing_text_costs_what_it_costs_whole(
            pushes in proptest::collection::vec(
                "([a-zA-Z]{1,3}|n't|'l|l|'|[ \n]{1,3}|[0-9]{1,2}|[`,)/한é]){0,4}",
                0..12,
            ),
        ) {
            let (mut growing, mut whole) = (GrowingText::default(), String::new());
            for more in pushes {
                growing.push(&more);
                whole.push_str(&more);
                prop_assert_eq!(growing.text(), whole.as_str());
                prop_assert_eq!(growing.estimate(), estimate(&whole), "{:?}", whole);
            }
        }
    }
}
