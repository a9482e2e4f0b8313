//! Symbols of a query: signs that are matched literally although they are not words, such as `?`,
//! `&&`, `..=`, `C++`, `#[derive]`, `--all`. Term matching finds none of them.

use crate::matching::finder::{Case, Finder};
use crate::words::importance::{Importance, each_query_word};
use crate::words::scripts::Script;

/// Maximum symbols of one query; further ones are ignored.
const MOST_SYMBOLS: usize = 8;

/// A symbol matched literally, in any case.
#[derive(Debug)]
pub struct LiteralSymbol {
    text: String,
    finder: Finder,
}

impl PartialEq for LiteralSymbol {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Eq for LiteralSymbol {}

/// A symbol as written in a query.
struct WrittenSymbol<'q> {
    text: &'q str,
    /// True if it is in backticks, which only literal text is.
    is_marked: bool,
}

impl LiteralSymbol {
    /// Returns the distinct symbols of a query. Punctuation at the end of a sentence or between
    /// words is not a symbol, unless it is in backticks or the whole query: `what does ..= do?` has
    /// the symbol `..=`, and `?` alone has itself.
    pub fn parse_all(query: &str) -> Vec<Self> {
        let tokens: Vec<&str> = query.split_whitespace().collect();
        let mut symbols: Vec<Self> = Vec::new();
        for (at, token) in tokens.iter().enumerate() {
            let written = WrittenSymbol::new(token);
            let name = if written.text.contains(char::is_alphanumeric) {
                written.trimmed_to_word()
            } else if tokens.len() == 1 {
                written.is_alone().then_some(written.text)
            } else {
                let may_end = at + 1 == tokens.len() && is_question(query);
                written.is_among_words(may_end).then_some(written.text)
            };
            if let Some(name) = name
                && symbols.len() < MOST_SYMBOLS
                && symbols.iter().all(|symbol| symbol.text != name)
            {
                symbols.push(Self {
                    text: name.to_owned(),
                    finder: Finder::new(name, Case::Ignored),
                });
            }
        }
        symbols
    }

    /// Counts the occurrences in a text, except those within a longer symbol: `=` is not found in
    /// `==` or `<=`, `-a` not in `--all`, and `?` not at the end of a sentence.
    pub fn count_in(&self, text: &str) -> u32 {
        let hits = self.finder.hits(text);
        hits.fold(0, |count, hit| {
            let before = text[..hit.start].chars().next_back();
            let after = text[hit.end..].chars().next();
            count + u32::from(self.is_itself(before.unwrap_or('\n'), after.unwrap_or('\n')))
        })
    }

    /// Returns true if it is not part of a longer symbol between these characters.
    fn is_itself(&self, before: char, after: char) -> bool {
        let (Some(first), Some(last)) = (self.text.chars().next(), self.text.chars().next_back())
        else {
            return false;
        };
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let begins = if is_word(first) {
            !is_word(before)
        } else {
            before != first && !(first == '=' && "<>!+-*/:".contains(before))
        };
        let ends = if is_word(last) {
            // A Korean particle follows a symbol without a space, as in `--all을`, and does not make
            // it a longer one.
            let continues = is_word(after) && Script::from_char(after) != Script::Hangul;
            !(continues || first == '-' && after == '-')
        } else {
            after != last && after != '='
        };
        let ends_sentence = matches!(self.text.as_str(), "?" | "!" | "." | "," | ":" | ";")
            && before.is_alphanumeric()
            && (after.is_whitespace() || "\"'”’)*_".contains(after));
        begins && ends && !ends_sentence
    }
}

/// Returns true if a sign at the end of a query ends a question: the query has a question word, or
/// is as long as a sentence. `how does it work ?` ends with one, while in `rust ?` the sign is the
/// operator that the query asks about.
fn is_question(query: &str) -> bool {
    let (mut words, mut asks) = (0, false);
    each_query_word(query, |_, importance| {
        words += 1;
        asks |= importance == Importance::Asks;
    });
    asks || words > 2
}

impl<'q> WrittenSymbol<'q> {
    fn new(token: &'q str) -> Self {
        if let Some((_, marked)) = token.split_once('`')
            && let Some((text, _)) = marked.split_once('`')
            && !text.is_empty()
        {
            let is_marked = true;
            return Self { text, is_marked };
        }
        Self {
            text: token.trim_matches(['`', '"', '\'', '“', '”', '‘', '’']),
            is_marked: false,
        }
    }

    /// Returns the symbol if it contains a word, without closing brackets, so that `#[derive]` is
    /// found in `#[derive(Debug)]`. Returns `None` if it is only words: terms find those, and in
    /// all of their forms, which a literal search does not.
    fn trimmed_to_word(&self) -> Option<&'q str> {
        let mut text = self.text;
        if !self.is_marked {
            text = text.trim_start_matches(['(', '"']);
            // A Korean particle is removed: `C++를` asks about `C++`.
            let without_particle =
                text.trim_end_matches(|c| Script::from_char(c) == Script::Hangul);
            if !without_particle.is_empty() {
                text = without_particle;
            }
            text = text.trim_end_matches(['.', ',', ';', ':', '!', '?']);
        }
        text = text.trim_end_matches([')', ']', '}', '>']);
        text = text.trim_end_matches(['(', '[', '{', '<']);
        let is_flag = text.starts_with('-') && !text.ends_with('-');
        let has_sign = text.contains(|c: char| c.is_ascii() && "#$%&*+<=>@^|~\\[{".contains(c));
        let joins = text.contains("..") || text.contains("::");
        let has_word = text.contains(char::is_alphanumeric);
        (has_word && (is_flag || has_sign || joins)).then_some(text)
    }

    /// Returns true if it is a symbol when it is the whole query.
    fn is_alone(&self) -> bool {
        let is_sign = !self.text.is_empty() && self.text.chars().all(|c| c.is_ascii_punctuation());
        is_sign && !matches!(self.text, "." | "," | "'" | "\"")
    }

    /// Returns true if it is a symbol among words; `may_end` is true if the query is a question
    /// that ends here.
    fn is_among_words(&self, may_end: bool) -> bool {
        if !self.is_alone() {
            return false;
        }
        let ends = may_end && self.text.chars().all(|c| matches!(c, '?' | '!' | '.'));
        let is_between = self.text.len() == 1 && "-;:/()[]{}_~".contains(self.text);
        self.is_marked || !(ends || is_between)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(query: &str) -> Vec<String> {
        let symbols = LiteralSymbol::parse_all(query);
        symbols.into_iter().map(|symbol| symbol.text).collect()
    }

    #[test]
    fn symbols_of_queries() {
        for (query, expected) in [
            ("?", &["?"][..]),
            ("? operator", &["?"]),
            ("the `?` operator", &["?"]),
            ("`?`를 쓰는 법", &["?"]),
            ("operator ?", &["?"]),
            ("&&", &["&&"]),
            ("-> and =>", &["->", "=>"]),
            ("..= ranges", &["..="]),
            ("C++", &["C++"]),
            ("C++를 빌드", &["C++"]),
            ("templates in C++, C#", &["C++", "C#"]),
            ("#[derive] macro", &["#[derive"]),
            ("--all", &["--all"]),
            ("cargo test --all?", &["--all"]),
            ("Box<T>", &["Box<T"]),
            ("+ or format!", &["+"]),
            ("&& &&", &["&&"]),
        ] {
            assert_eq!(names(query), expected, "{query}");
        }
    }

    #[test]
    fn punctuation_is_none() {
        for query in [
            "what is ownership?",
            "what is ownership ?",
            "캐시란 무엇인가요?",
            "Hello, World!",
            "a - b",
            "well-known",
            "and/or",
            "(see below)",
            "run()",
            "etc.",
            ",",
            "…",
            "",
        ] {
            assert!(names(query).is_empty(), "{query}: {:?}", names(query));
        }
    }

    #[test]
    fn it_is_not_part_of_a_longer_one() {
        for (query, text, count) in [
            ("?", "Really? Yes. `?` and foo()?; a ?? b", 2),
            ("&", "a && b, &c", 1),
            ("..", "0..=3, 0..3, a...b", 1),
            ("..=", "0..=3, 0..3", 1),
            ("C++", "c++ and C++11, objc++", 2),
            ("--all", "--all, --all-features --allow", 1),
            ("#[derive]", "#[derive(Debug)] #[derived]", 1),
            ("->", "fn a() -> b, --> c", 1),
            ("C#", "C#에서", 1),
        ] {
            let symbols = LiteralSymbol::parse_all(query);
            assert_eq!(symbols[0].count_in(text), count, "{query}");
        }
    }
}
