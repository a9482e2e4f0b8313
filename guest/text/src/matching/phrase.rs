//! Words that stand together in a text, in order, with whatever blanks and line ends between them:
//! what a query puts between quotes, or the message of an error.

use std::ops::Range;

use crate::matching::finder::{Case, Finder};
use crate::words::identifier;

/// Phrases that are looked for in one query; further ones are words as any others.
const MOST_PHRASES: usize = 4;

/// Words that stand together, in any case.
#[derive(Debug)]
pub struct Phrase {
    text: String,
    /// One for each of its words, in order; at least one.
    words: Vec<Finder>,
}

impl Phrase {
    /// Returns the phrase of these words; none without a letter or digit.
    pub fn new(text: &str) -> Option<Self> {
        let words = text.split_whitespace();
        let finders: Vec<Finder> = words.map(|word| Finder::new(word, Case::Ignored)).collect();
        text.contains(char::is_alphanumeric).then(|| Self {
            text: text.split_whitespace().collect::<Vec<_>>().join(" "),
            words: finders,
        })
    }

    /// Returns the phrases that a query puts between double quotes, in order.
    pub fn all_of(query: &str) -> Vec<Self> {
        let phrases = quoted(query).filter_map(Self::new);
        phrases.take(MOST_PHRASES).collect()
    }

    /// Returns its words with single blanks between them.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns whether a text holds it.
    pub fn is_in(&self, text: &str) -> bool {
        self.hits(text).next().is_some()
    }

    /// Returns where it stands in a text as whole words, in order.
    pub fn hits<'a>(&'a self, text: &'a str) -> impl Iterator<Item = Range<usize>> + 'a {
        let first = self.words[0].hits(text);
        first.filter_map(move |hit| {
            let end = self.end_behind(text, hit.end)?;
            let hit = hit.start..end;
            is_whole(text, &hit).then_some(hit)
        })
    }

    /// Returns where the phrase ends whose first word ends at `end`; none where other words follow.
    fn end_behind(&self, text: &str, mut end: usize) -> Option<usize> {
        for word in &self.words[1..] {
            let rest = &text[end..];
            let blank = rest.len() - rest.trim_start().len();
            let start = end + blank;
            // As long as the word can be in any normal form: what lies further on is not next to it.
            let most = start + word.canonical().len() * LONGEST_CHAR;
            let window = &text[start..text.floor_char_boundary(most)];
            let hit = word.hits(window).next().filter(|hit| hit.start == 0)?;
            if blank == 0 {
                return None;
            }
            end = start + hit.end;
        }
        Some(end)
    }
}

/// Returns whether a query puts words between double quotes.
pub fn has_quoted(query: &str) -> bool {
    quoted(query).any(|text| text.contains(char::is_alphanumeric))
}

/// Returns what a query puts between double quotes; not a name from code alone, which is meant letter
/// by letter without them.
fn quoted(query: &str) -> impl Iterator<Item = &str> {
    let mut rest = query;
    let texts = std::iter::from_fn(move || {
        let (opening, inside) = split_char(&rest[rest.find(is_opening)?..]);
        let closing = if opening == '"' { '"' } else { '”' };
        let end = inside.find(closing)?;
        rest = &inside[end + closing.len_utf8()..];
        Some(&inside[..end])
    });
    texts.filter(|text| identifier::lone(text).is_none())
}

/// Returns what stands behind a double quote that begins a word and is never closed; none where a
/// query has none.
pub fn open_quote(query: &str) -> Option<&str> {
    let mut rest = query;
    while let Some(at) = rest.find(is_opening) {
        let begins_word = rest[..at]
            .chars()
            .next_back()
            .is_none_or(char::is_whitespace);
        let (opening, inside) = split_char(&rest[at..]);
        let closing = if opening == '"' { '"' } else { '”' };
        match inside.find(closing) {
            Some(end) => rest = &inside[end + closing.len_utf8()..],
            None if begins_word => return Some(inside).filter(|inside| !inside.is_empty()),
            None => rest = inside,
        }
    }
    None
}

/// Bytes of the longest way to write one character of a canonical form.
const LONGEST_CHAR: usize = 12;

/// Returns whether the text at `span` begins and ends at the bounds of words. A syllable of Hangul
/// behind it is a particle.
fn is_whole(text: &str, span: &Range<usize>) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let inside = &text[span.clone()];
    let goes_on = text[span.end..].starts_with(|c| is_part(c) && !matches!(c, '가'..='힣'));
    let began = text[..span.start].ends_with(is_part);
    let is_part_of_word =
        goes_on && inside.ends_with(is_part) || began && inside.starts_with(is_part);
    !is_part_of_word
}

fn is_opening(c: char) -> bool {
    matches!(c, '"' | '“')
}

/// Returns the first character of a text that has one, and what follows.
fn split_char(text: &str) -> (char, &str) {
    let mut chars = text.chars();
    let first = chars.next().unwrap_or_default();
    (first, chars.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stands_between_quotes() {
        for (query, expected) in [
            (r#""could not open" file"#, &["could not open"][..]),
            (r#"a "b  c" d "e""#, &["b c", "e"]),
            ("“열 수 없습니다”", &["열 수 없습니다"]),
            (r#"an "open end"#, &[]),
            (r#""" and "--""#, &[]),
            (r#""parseConfig" of "it""#, &["it"]),
            ("plain words", &[]),
        ] {
            let phrases = Phrase::all_of(query);
            let texts: Vec<&str> = phrases.iter().map(Phrase::text).collect();
            assert_eq!(texts, expected, "{query}");
        }
    }

    #[test]
    fn words_stand_together_whatever_is_blank_between_them() {
        for (phrase, text, expected) in [
            ("could not open", "It Could not\n    open it.", true),
            ("could not open", "could not be open", false),
            ("could not open", "could not opening", false),
            ("could not open", "xcould not open", false),
            ("could not", "couldnot", false),
            ("파일을 열", "파일을 열었다", true),
            ("파일을 열", "한파일을 열", false),
            ("caf\u{e9} bar", "cafe\u{301} bar", true),
            ("`x` is", "(`x` is)", true),
            ("one", "none one", true),
        ] {
            let is_in = Phrase::new(phrase).is_some_and(|phrase| phrase.is_in(text));
            assert_eq!(is_in, expected, "{phrase} in {text}");
        }
        let phrase = Phrase::new("a b").unwrap();
        assert_eq!(phrase.hits("a b a  b").collect::<Vec<_>>(), [0..3, 4..8]);
    }
}
