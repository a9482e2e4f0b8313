//! The words of a query, located in the text of an answer.
//!
//! The component matches words by their stems, and an answer does not name the matched words. Here
//! a word is searched literally, ignoring case, and a Korean one without its particles as well:
//! enough to guide the eye, with no effect on results.

use std::ops::Range;

/// Minimum letters of a word that matches the beginning of a longer one: `install` in `installing`.
const LONG_WORD: usize = 4;

/// Stop words, which are marked only if the query has no other.
const COMMON: [&str; 36] = [
    "a",
    "an",
    "and",
    "are",
    "as",
    "at",
    "be",
    "by",
    "can",
    "do",
    "does",
    "for",
    "from",
    "how",
    "i",
    "in",
    "is",
    "it",
    "of",
    "on",
    "or",
    "that",
    "the",
    "this",
    "to",
    "what",
    "when",
    "where",
    "which",
    "who",
    "why",
    "with",
    "무엇",
    "어디",
    "어떻게",
    "언제",
];

/// Particles that are attached to Korean nouns, longest first.
const PARTICLES: [&str; 32] = [
    "에서는",
    "에서의",
    "으로는",
    "으로의",
    "으로서",
    "으로써",
    "입니다",
    "까지",
    "마다",
    "보다",
    "부터",
    "에게",
    "에는",
    "에서",
    "으로",
    "이나",
    "이란",
    "처럼",
    "가",
    "과",
    "는",
    "도",
    "로",
    "를",
    "만",
    "에",
    "와",
    "은",
    "을",
    "의",
    "이",
    "들",
];

/// Syllables that turn the preceding noun into a verb: `설치하는`, `설치됩니다`.
const VERBS: &str = "하되해돼한된할될함됨합됩했됐";

/// The words to mark in texts.
#[derive(Debug, Default)]
pub struct MarkedWords(Vec<Word>);

#[derive(Debug)]
struct Word {
    /// Letters in lower case.
    letters: Vec<char>,
    stands: Stands,
}

/// The required position of a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stands {
    /// Anywhere: in scripts without spaces, and for words with symbols.
    Anywhere,
    /// At the beginning of a word.
    First,
    /// As a whole word.
    Alone,
}

impl MarkedWords {
    /// Parses the words of a query.
    pub fn new(query: &str) -> Self {
        let given: Vec<&str> = query.split_whitespace().map(trim_word).collect();
        let telling = |word: &&str| !COMMON.contains(&word.to_lowercase().as_str());
        let mut words: Vec<&str> = given.iter().copied().filter(telling).collect();
        if words.is_empty() {
            words = given;
        }
        let mut found = Self::default();
        for word in words {
            let has_signs = !word.chars().all(char::is_alphanumeric);
            if has_signs {
                found.add(word, Stands::Anywhere);
            }
            for run in runs(word) {
                // The word `C++` is marked as it is written. Its letters alone are marked as
                // well only if there are two or more: a single `C` would be marked at every
                // other C.
                if !has_signs || run.chars().nth(1).is_some() {
                    found.add_run(run);
                }
            }
        }
        found
    }

    /// Returns the ranges of the words in a line, in order: the longest match at each position.
    pub fn hits(&self, line: &str) -> Vec<Range<usize>> {
        if self.0.is_empty() {
            return Vec::new();
        }
        let starts: Vec<usize> = line.char_indices().map(|(at, _)| at).collect();
        let letters: Vec<char> = line.chars().collect();
        let byte = |at: usize| starts.get(at).copied().unwrap_or(line.len());
        let mut hits = Vec::new();
        let mut at = 0;
        while at < letters.len() {
            let here = self.0.iter().filter(|word| word.is_at(&letters, at));
            match here.map(|word| word.letters.len()).max() {
                Some(length) => {
                    hits.push(byte(at)..byte(at + length));
                    at += length;
                }
                None => at += 1,
            }
        }
        hits
    }

    /// Adds letters of one script.
    fn add_run(&mut self, run: &str) {
        let length = run.chars().count();
        if !run.chars().any(has_no_spaces) {
            let stands = if length < LONG_WORD {
                Stands::Alone
            } else {
                Stands::First
            };
            return self.add(run, stands);
        }
        if length == 1 {
            return self.add(run, Stands::Alone);
        }
        self.add(run, Stands::Anywhere);
        if let Some(noun) = noun(run) {
            self.add(noun, Stands::Anywhere);
        }
    }

    fn add(&mut self, word: &str, stands: Stands) {
        let letters = word.chars().map(lower).collect();
        self.0.push(Word { letters, stands });
    }
}

impl Word {
    fn is_at(&self, text: &[char], at: usize) -> bool {
        let end = at + self.letters.len();
        let Some(here) = text.get(at..end) else {
            return false;
        };
        let same = || here.iter().zip(&self.letters).all(|(a, b)| lower(*a) == *b);
        match self.stands {
            Stands::Anywhere => same(),
            Stands::First => same() && is_border(text, at),
            Stands::Alone => same() && is_border(text, at) && is_border(text, end),
        }
    }
}

/// Returns true if a word may begin or end before the character `at`: between letters and other
/// characters, letters of two scripts, or `retry` and `Delay`.
fn is_border(text: &[char], at: usize) -> bool {
    let (Some(before), Some(after)) = (at.checked_sub(1).and_then(|at| text.get(at)), text.get(at))
    else {
        return true;
    };
    !(before.is_alphanumeric() && after.is_alphanumeric())
        || has_no_spaces(*before) != has_no_spaces(*after)
        || (before.is_lowercase() && after.is_uppercase())
}

/// Returns the runs of letters and digits in a word, each of one script, without particles of a
/// foreign word, as in `API를`.
fn runs(word: &str) -> Vec<&str> {
    let mut runs = Vec::new();
    for part in word.split(|c: char| !c.is_alphanumeric()) {
        let mut rest = part;
        while let Some(first) = rest.chars().next() {
            let of_this = |c: char| has_no_spaces(c) == has_no_spaces(first);
            let end = rest.find(|c| !of_this(c)).unwrap_or(rest.len());
            let (run, behind) = rest.split_at(end);
            let is_attached = run.len() < part.len() && PARTICLES.contains(&run);
            if !is_attached {
                runs.push(run);
            }
            rest = behind;
        }
    }
    runs
}

/// Returns the noun of a Korean word, if at least two syllables remain.
fn noun(word: &str) -> Option<&str> {
    let syllables = || word.char_indices().skip(2);
    if let Some((verb, _)) = syllables().find(|(_, syllable)| VERBS.contains(*syllable)) {
        return Some(&word[..verb]);
    }
    let noun = PARTICLES.iter().find_map(|end| word.strip_suffix(end))?;
    // The plural precedes another particle: `파일들을`.
    let noun = noun.strip_suffix('들').unwrap_or(noun);
    (noun.chars().count() > 1).then_some(noun)
}

/// Trims punctuation from a word; returns a word of symbols alone unchanged.
fn trim_word(word: &str) -> &str {
    let is_of_sentence = |c: char| "\"'`?!.,:;()“”‘’".contains(c);
    let trimmed = word.trim_matches(is_of_sentence);
    if trimmed.is_empty() { word } else { trimmed }
}

/// Returns true for a letter of a script without spaces between words, or with attached particles.
fn has_no_spaces(c: char) -> bool {
    // Kana, Han and Hangul, from the first letter of each.
    matches!(c, '\u{1100}'..='\u{11ff}' | '\u{3040}'..='\u{9fff}' | '\u{ac00}'..='\u{d7ff}'
        | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}

/// Returns a letter in lower case; one that would become several is unchanged.
fn lower(c: char) -> char {
    let mut lower = c.to_lowercase();
    match (lower.next(), lower.next()) {
        (Some(one), None) => one,
        _ => c,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(query: &str, line: &str, expected: &[&str]) {
        let hits = MarkedWords::new(query).hits(line);
        let hits: Vec<&str> = hits.into_iter().map(|hit| &line[hit]).collect();
        assert_eq!(hits, expected, "`{query}` in `{line}`");
    }

    #[test]
    fn words_are_found_whatever_their_case() {
        check(
            "Cache size",
            "the CACHE's size: size_of",
            &["CACHE", "size", "size"],
        );
        check("install", "Reinstall, installing", &["install"]);
        check("log", "login log Log", &["log", "Log"]);
        check(
            "delay",
            "retryDelay retry_delay redelay",
            &["Delay", "delay"],
        );
        check("straße", "STRASSE Straße", &["Straße"]);
        check("", "anything", &[]);
    }

    #[test]
    fn words_that_only_ask_are_marked_where_there_is_nothing_else() {
        check("how to install?", "how to install", &["install"]);
        check("how to", "how to install", &["how", "to"]);
    }

    #[test]
    fn signs_are_found_as_they_are_written() {
        check("--all", "pass --all or all", &["--all", "all"]);
        check("C++", "C, c++ and C", &["c++"]);
        check("?", "why? so", &["?"]);
        check("parse_config()", "parse_config(x)", &["parse_config"]);
        check("limit_20", "a limit_20, a limit", &["limit_20", "limit"]);
    }

    #[test]
    fn korean_words_are_found_without_what_is_attached() {
        check(
            "캐시의 크기는",
            "메모리캐시를 키우면 크기도 큽니다",
            &["캐시", "크기"],
        );
        check(
            "설치하는 방법",
            "설치합니다. 재설치 방법은",
            &["설치", "설치", "방법"],
        );
        check("값", "값 값을 기댓값", &["값"]);
        check("API를", "api를 쓰다", &["api"]);
        check("파일들을", "파일이 많다", &["파일"]);
        check("어떻게 설정하나요", "어떻게 설정은", &["설정"]);
        check("도로", "도움말, 도로", &["도로"]);
        check("検索", "全文検索の", &["検索"]);
    }
}
