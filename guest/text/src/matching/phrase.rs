//! Phrases: consecutive words of a text, separated by any blanks and line ends, as a query puts
//! between quotes or as in the message of an error.

use std::ops::Range;

use crate::matching::finder::{Case, Finder};
use crate::words::lone_identifier::parse_lone;

/// Maximum phrases of one query; further ones are searched for as plain words.
const MOST_PHRASES: usize = 4;

/// Consecutive words, in any case.
#[derive(Debug)]
pub struct Phrase {
    text: String,
    /// One finder for each word, in order; at least one.
    words: Vec<Finder>,
}

impl Phrase {
    /// Creates a phrase of the words of `text`. Returns `None` if it has no letter or digit.
    pub fn new(text: &str) -> Option<Self> {
        let words = text.split_whitespace();
        let finders: Vec<Finder> = words.map(|word| Finder::new(word, Case::Ignored)).collect();
        text.contains(char::is_alphanumeric).then(|| Self {
            text: text.split_whitespace().collect::<Vec<_>>().join(" "),
            words: finders,
        })
    }

    /// Returns the phrases between double quotes in a query, in order.
    pub fn parse_all(query: &str) -> Vec<Self> {
        let phrases = quoted_texts(query).filter_map(Self::new);
        phrases.take(MOST_PHRASES).collect()
    }

    /// Returns the words, separated by single blanks.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns true if a text contains the phrase.
    pub fn occurs_in(&self, text: &str) -> bool {
        self.hits(text).next().is_some()
    }

    /// Returns the occurrences of the phrase as whole words, in order.
    pub fn hits<'a>(&'a self, text: &'a str) -> impl Iterator<Item = Range<usize>> + 'a {
        let first = self.words[0].hits(text);
        first.filter_map(move |hit| {
            let end = self.end_after(text, hit.end)?;
            let hit = hit.start..end;
            is_whole(text, &hit).then_some(hit)
        })
    }

    /// Returns the end of the phrase whose first word ends at `end`, or `None` if other words
    /// follow.
    fn end_after(&self, text: &str, mut end: usize) -> Option<usize> {
        for word in &self.words[1..] {
            let rest = &text[end..];
            let blank = rest.len() - rest.trim_start().len();
            let start = end + blank;
            // The word is only searched for in a window: it may occur in any normal form, with at
            // most this number of bytes, and a hit further on is not adjacent. Without the window,
            // each first word would search the rest of the text.
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

/// Returns true if a query contains a phrase between double quotes.
pub fn has_phrase(query: &str) -> bool {
    quoted_texts(query).any(|text| text.contains(char::is_alphanumeric))
}

/// Returns the texts between double quotes in a query, except lone identifiers, which are matched
/// exactly without quotes.
fn quoted_texts(query: &str) -> impl Iterator<Item = &str> {
    let mut rest = query;
    let texts = std::iter::from_fn(move || {
        let (opening, inside) = split_char(&rest[rest.find(is_opening)?..]);
        let closing = if opening == '"' { '"' } else { '”' };
        let end = inside.find(closing)?;
        rest = &inside[end + closing.len_utf8()..];
        Some(&inside[..end])
    });
    texts.filter(|text| parse_lone(text).is_none())
}

/// Returns the text after a double quote that begins a word and is never closed, or `None` if there
/// is no such quote.
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

/// Maximum bytes of a spelling of one character of a canonical form, with room to spare: a
/// character has at most four bytes in UTF-8.
const LONGEST_CHAR: usize = 12;

/// Returns true if `span` begins and ends at word boundaries. A Hangul syllable after it is a
/// particle: the phrase `설정 파일` is found in `설정 파일을`. A boundary is only required beside a letter
/// or digit of the phrase itself.
fn is_whole(text: &str, span: &Range<usize>) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let inside = &text[span.clone()];
    let continues = text[span.end..].starts_with(|c| is_part(c) && !matches!(c, '가'..='힣'));
    let began = text[..span.start].ends_with(is_part);
    let is_part_of_word =
        continues && inside.ends_with(is_part) || began && inside.starts_with(is_part);
    !is_part_of_word
}

fn is_opening(c: char) -> bool {
    matches!(c, '"' | '“')
}

/// Splits off the first character, or U+0000 if the text is empty.
fn split_char(text: &str) -> (char, &str) {
    let mut chars = text.chars();
    let first = chars.next().unwrap_or_default();
    (first, chars.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phrases_between_quotes() {
        for (query, expected) in [
            (r#""could not open" file"#, &["could not open"][..]),
            (r#"a "b  c" d "e""#, &["b c", "e"]),
            ("“열 수 없습니다”", &["열 수 없습니다"]),
            (r#"an "open end"#, &[]),
            (r#""" and "--""#, &[]),
            (r#""parseConfig" of "it""#, &["it"]),
            ("plain words", &[]),
        ] {
            let phrases = Phrase::parse_all(query);
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
            let is_in = Phrase::new(phrase).is_some_and(|phrase| phrase.occurs_in(text));
            assert_eq!(is_in, expected, "{phrase} in {text}");
        }
        let phrase = Phrase::new("a b").unwrap();
        assert_eq!(phrase.hits("a b a  b").collect::<Vec<_>>(), [0..3, 4..8]);
    }
}
