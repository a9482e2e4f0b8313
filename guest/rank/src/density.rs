//! The density score: the density of the query's words in a section.
//!
//! `0.5 · keyword-density + 0.3 · heading-match + 0.2 · code-match`, where keyword-density is
//! occurrences ÷ words of the section, times 10, at most 1, and the matches are the shares of the
//! query's words in the heading path and in the code.

use unicode_normalization::UnicodeNormalization as _;
use unicode_segmentation::UnicodeSegmentation as _;

use docent_text::fold::fold;
use docent_text::width::usual_width;
use docent_text::words::korean;

/// The distinct words of a query, folded, Korean ones stemmed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoldedWords(Vec<String>);

impl FoldedWords {
    /// Parses the words of `text`.
    pub fn new(text: &str) -> Self {
        let mut words: Vec<String> = Vec::new();
        for word in fold_text(text).unicode_words() {
            // `설정을` and `설정은` are the same word with two particles, as are `API를` and `API는`.
            let word = without_particles(word);
            if !words.iter().any(|other| other == word) {
                words.push(word.to_owned());
            }
        }
        Self(words)
    }

    /// Returns the density score, 0 to 1, of a section with this text (including its heading),
    /// heading path and code.
    pub fn score(&self, text: &str, heading_path: &[String], code: &str) -> f64 {
        let (mut occurrences, mut words) = (0u32, 0u32);
        for word in fold_text(text).unicode_words() {
            words += 1;
            occurrences += u32::from(self.0.iter().any(|own| is_found(own, word)));
        }
        let density = (f64::from(occurrences) / f64::from(words.max(1)) * 10.0).min(1.0);
        0.5 * density + 0.3 * self.share(&heading_path.join("\n")) + 0.2 * self.share(code)
    }

    /// Returns true if one of the words occurs in `text`.
    pub fn occur_in(&self, text: &str) -> bool {
        let folded = fold_text(text);
        let mut words = folded.unicode_words();
        words.any(|word| self.0.iter().any(|own| is_found(own, word)))
    }

    /// Returns the share of the words that occur in `text`; 0 if there are no words.
    fn share(&self, text: &str) -> f64 {
        let folded = fold_text(text);
        // The text may be long and the query is short, so the text is read once.
        let mut presence = vec![false; self.0.len()];
        for word in folded.unicode_words() {
            for (own, is_present) in self.0.iter().zip(&mut presence) {
                *is_present |= is_found(own, word);
            }
        }
        let present = presence.iter().filter(|is_present| **is_present).count();
        if present == 0 {
            return 0.0;
        }
        present as f64 / self.0.len() as f64
    }
}

/// Returns true if a word of the query matches a word of the text: equal except for particles, or
/// for Korean contained in it.
fn is_found(own: &str, word: &str) -> bool {
    if own == word {
        return true;
    }
    // Only Korean is attached to other words.
    if !word.contains(is_hangul) {
        return false;
    }
    // Particles and other words are attached to a Korean word: `환경설정` contains `설정`.
    if own.chars().all(is_hangul) {
        return word.contains(own);
    }
    own == without_particles(word) || foreign_prefix(word) == own
}

/// Strips the Korean endings and particles of a word. A noun of one syllable keeps a particle of
/// one syllable, which may be part of the noun.
fn without_particles(word: &str) -> &str {
    let foreign = foreign_prefix(word);
    let korean = &word[foreign.len()..];
    if korean.is_empty() || !korean.chars().all(is_hangul) {
        return word;
    }
    if foreign.is_empty() {
        let is_short = korean.chars().nth(2).is_none();
        let noun = korean::short_noun(korean).filter(|_| !is_short);
        return noun.unwrap_or_else(|| korean::without_ending(korean));
    }
    if korean::is_particles(korean) {
        return foreign;
    }
    let noun = korean::short_noun(korean).unwrap_or_else(|| korean::without_ending(korean));
    &word[..foreign.len() + noun.len()]
}

/// Returns the part of a word before its first Korean syllable.
fn foreign_prefix(word: &str) -> &str {
    &word[..word.find(is_hangul).unwrap_or(word.len())]
}

fn is_hangul(c: char) -> bool {
    ('가'..='힣').contains(&c)
}

fn fold_text(text: &str) -> String {
    text.chars().map(usual_width).nfc().map(fold).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn score(query: &str, text: &str, path: &[&str], code: &str) -> f64 {
        let path: Vec<String> = path.iter().map(|&heading| heading.to_owned()).collect();
        (FoldedWords::new(query).score(text, &path, code) * 1e6).round() / 1e6
    }

    #[test]
    fn golden() {
        for (query, text, path, code, expected) in [
            // 2 of 20 words: density 1; both words in the heading path; none in code.
            (
                "server port",
                "The server listens on a port that it reads from a file of its own when it starts up again.",
                &["Guide", "Server port"][..],
                "",
                0.5 + 0.3,
            ),
            // 1 of 40 words: density 0.25; half of the words in the heading; all in code.
            (
                "alpha beta",
                &format!("alpha {}", "word ".repeat(39)),
                &["Beta"],
                "let alpha = BETA;",
                0.5 * 0.25 + 0.3 * 0.5 + 0.2,
            ),
            // 3 of 5 words: density is at most 1.
            ("x", "x X x y y", &[], "", 0.5),
            (
                "설정",
                "설정을 바꾸고 설정은 그대로 둔다",
                &["환경설정"],
                "",
                0.5 + 0.3,
            ),
            ("absent", "nothing here", &["Nowhere"], "none", 0.0),
            ("", "text", &["text"], "text", 0.0),
        ] {
            let difference = score(query, text, path, code) - expected;
            assert!(difference.abs() < 1e-6, "{query}: {difference}");
        }
    }

    #[test]
    fn words_are_whole_and_counted_once() {
        assert_eq!(FoldedWords::new("The the THE").0, ["the"]);
        assert_eq!(FoldedWords::new("설정을 설정은").0, ["설정"]);
        assert_eq!(
            FoldedWords::new("React는 react를 값으로 3개를 3개 API키를").0,
            ["react", "값", "3개", "api키"]
        );
        for (query, text) in [
            ("React", "여기 React는 문장"),
            ("API를", "이 API"),
            ("React를", "React에서는"),
            ("값으로", "값"),
            ("값", "값으로"),
            ("3개", "3개를"),
            ("React", "React컴포넌트"),
        ] {
            assert!(score(query, text, &[], "") > 0.0, "{query}: {text}");
        }
        assert_eq!(score("React", "Reactor는 Preact를", &[], ""), 0.0);
        assert_eq!(
            score("port", "ports reported", &["Export"], "port_number"),
            0.0
        );
    }
}
