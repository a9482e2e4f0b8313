//! How many tokens a text costs a model, estimated.
//!
//! The text is split much as the o200k_base tokenizer splits it, into words, numbers, runs of
//! punctuation and of white space, and each run costs what its kind and length cost on average.
//! The weights were fitted by least squares of the relative error on some 2 500 pieces of 3 kB:
//! English prose and Markdown, README files, Rust, Korean prose and Markdown. They were then raised
//! by 2 %, and the one for letters beyond the twelfth, which the fit left at 0, was set by hand.
//!
//! With these weights, on the pieces that they were fitted on, the total of each kind is off by
//! -2 to +4 %, a piece by 2 to 6 % on average, and 95 of 100 pieces by at most 6 to 14 %. A refit on
//! every other piece does as well on the rest. A single piece can be counted low: 1 to 5 of 100 by
//! more than 5 %, 19 of 100 among very short Korean command pages, the worst by 28 %. Japanese,
//! Chinese, Cyrillic and emoji rest on a few made-up sentences only.

/// Thousandths of a token.
mod weight {
    pub const WORD: u64 = 925;
    /// Each letter of a word beyond the fifth, up to the eighth.
    pub const LETTER_BEYOND_5: u64 = 96;
    /// Each letter beyond the eighth.
    pub const LETTER_BEYOND_8: u64 = 277;
    /// Each three digits begun.
    pub const DIGITS: u64 = 1573;
    pub const PUNCTUATION: u64 = 657;
    pub const FURTHER_PUNCTUATION: u64 = 281;
    pub const LINE_BREAKS: u64 = 1223;
    /// Spaces, more than one.
    pub const SPACES: u64 = 208;
    pub const HANGUL_WORD: u64 = 1918;
    pub const SYLLABLE: u64 = 77;
    pub const KANA: u64 = 613;
    pub const IDEOGRAPH: u64 = 547;
    /// A letter of another script.
    pub const LETTER: u64 = 227;
    /// Any other character, emoji included.
    pub const SYMBOL: u64 = 1238;
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Lower,
    Upper,
    Digit,
    Punctuation,
    LineBreak,
    Space,
    Hangul,
    Kana,
    Ideograph,
    /// A Latin letter with a diacritic: it costs nothing beside the words that it separates.
    Latin,
    Letter,
    Symbol,
}

fn kind(c: char) -> Kind {
    match c {
        'a'..='z' => Kind::Lower,
        'A'..='Z' => Kind::Upper,
        '0'..='9' => Kind::Digit,
        '\n' | '\r' => Kind::LineBreak,
        '!'..='~' => Kind::Punctuation,
        '가'..='힣' => Kind::Hangul,
        '\u{3040}'..='\u{30FF}' => Kind::Kana,
        '\u{3400}'..='\u{9FFF}' => Kind::Ideograph,
        c if c.is_whitespace() || c.is_ascii() => Kind::Space,
        c if c.is_alphabetic() && c < '\u{250}' => Kind::Latin,
        c if c.is_alphabetic() => Kind::Letter,
        _ => Kind::Symbol,
    }
}

/// Returns the number of tokens of `text`, estimated: deterministic, the same everywhere, at least
/// 1 unless the text is empty.
pub fn estimate(text: &str) -> u32 {
    let mut thousandths = 0;
    let mut kinds = text.chars().map(kind).peekable();
    while let Some(first) = kinds.next() {
        let mut run = |also: &[Kind]| {
            let mut length = 0;
            while kinds.next_if(|next| also.contains(next)).is_some() {
                length += 1;
            }
            length
        };
        thousandths += match first {
            Kind::Lower => word(1 + run(&[Kind::Lower])),
            Kind::Upper => word(1 + run(&[Kind::Upper]) + run(&[Kind::Lower])),
            Kind::Digit => weight::DIGITS * (1 + run(&[Kind::Digit])).div_ceil(3),
            Kind::Punctuation => {
                weight::PUNCTUATION + weight::FURTHER_PUNCTUATION * run(&[Kind::Punctuation])
            }
            Kind::LineBreak => {
                run(&[Kind::LineBreak]);
                weight::LINE_BREAKS
            }
            Kind::Space => weight::SPACES * u64::from(run(&[Kind::Space]) > 0),
            Kind::Hangul => weight::HANGUL_WORD + weight::SYLLABLE * (1 + run(&[Kind::Hangul])),
            Kind::Kana => weight::KANA,
            Kind::Ideograph => weight::IDEOGRAPH,
            Kind::Latin => 0,
            Kind::Letter => weight::LETTER,
            Kind::Symbol => weight::SYMBOL,
        };
    }
    let tokens = thousandths.div_ceil(1000).max(u64::from(!text.is_empty()));
    u32::try_from(tokens).unwrap_or(u32::MAX)
}

fn word(letters: u64) -> u64 {
    weight::WORD
        + weight::LETTER_BEYOND_5 * (letters.min(8).saturating_sub(5))
        + weight::LETTER_BEYOND_8 * letters.saturating_sub(8)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Samples and what o200k_base makes of them.
    const SAMPLES: [(&str, u32); 4] = [(ENGLISH, 147), (MARKDOWN, 184), (KOREAN, 164), (MIXED, 80)];

    const ENGLISH: &str = "A document tool has one job: to bring the sentence that answers a \
        question in front of the reader, and nothing else. Most of what stands in a manual is of no \
        use at the moment in which somebody opens it. The reader skims the headings, guesses which \
        of them is the right one, scrolls, and reads three paragraphs before the one that matters. \
        A model does the same, only that every paragraph costs money and pushes something else out \
        of its memory. It is therefore worth a good deal of effort to find the right section, to \
        say how long it is before it is read, and to stop when the budget has been used. None of \
        this helps, of course, when the answer was never written down.";

    const MARKDOWN: &str = "## Configuration\n\nThe server reads `config.toml` from the directory \
        it was started in:\n\n```toml\n[server]\nhost = \"127.0.0.1\"\nport = 8080\nworkers = 4\n\n\
        [log]\nlevel = \"info\"   # or \"debug\"\nfile = \"/var/log/server.log\"\n```\n\n| option | \
        default | meaning |\n|---|---|---|\n| `host` | `127.0.0.1` | address to listen on |\n| \
        `port` | `8080` | TCP port |\n\n- [ ] Restart with `systemctl restart server`.\n- [x] See \
        [the guide](guide/start.md#first-steps).\n\n```rust\nfn main() -> Result<(), Error> {\n    \
        let config = Config::from_file(\"config.toml\")?;\n    Server::new(config).run()\n}\n```\n";

    const KOREAN: &str = "문서 도구가 할 일은 하나입니다. 질문에 답하는 문장을 읽는 사람 앞에 가져다 \
        놓는 것입니다. 설명서에 적힌 내용의 대부분은 그것을 여는 순간에는 쓸모가 없습니다. 사용자는 \
        제목을 훑어보고, 어느 것이 맞는지 짐작하고, 화면을 내리고, 필요한 문단에 이르기 전에 세 문단을 \
        더 읽습니다. 모델도 똑같이 하지만, 문단마다 비용이 들고 기억에서 다른 것을 밀어냅니다. 그래서 \
        알맞은 절을 찾고, 읽기 전에 길이를 알려 주고, 예산을 다 썼을 때 멈추는 것이 중요합니다. 물론 \
        답이 어디에도 적혀 있지 않다면 아무 소용이 없습니다.";

    const MIXED: &str = "## 설치\n\n먼저 `cargo install docent`를 실행한 다음 설정 파일을 만듭니다.\n\n\
        ```bash\nmkdir -p ~/.config/docent\ndocent search \"검색어\" ./docs --limit 10\n```\n\n> \
        **참고**: Windows에서는 `%APPDATA%` 아래에 저장됩니다. 버전 1.2.3 이상이 필요합니다.\n";

    #[test]
    fn near_the_tokenizer() {
        for (text, tokens) in SAMPLES {
            let estimated = estimate(text);
            assert!(
                estimated * 10 >= tokens * 9 && estimated * 10 <= tokens * 11,
                "{text}"
            );
        }
    }

    #[test]
    fn of_nothing_and_of_little() {
        assert_eq!(estimate(""), 0);
        for text in [" ", "\u{0}", "é", "a"] {
            assert_eq!(estimate(text), 1, "{text:?}");
        }
    }

    #[test]
    fn more_text_costs_no_less() {
        let text = format!("{ENGLISH}{MARKDOWN}{KOREAN}");
        let costs: Vec<u32> = text
            .char_indices()
            .map(|(at, _)| estimate(&text[..at]))
            .collect();
        assert!(costs.is_sorted());
    }
}
