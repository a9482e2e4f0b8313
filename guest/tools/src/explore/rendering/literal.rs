//! The literal part of a query: an identifier, or quoted words. Every line that contains it is a
//! match.

use std::ops::Range;

use crate::lexical::identifier_matches::is_whole;
use docent_text::lines::with_ends;
use docent_text::matching::finder::{Case, Finder};
use docent_text::matching::phrase::Phrase;
use docent_text::sort::sort_by_key;
use docent_text::words::identifier;

/// A literal text to search for.
pub enum Literal {
    /// An identifier: as written, else in another case.
    Name(Box<[Finder; 2]>),
    /// Any of these phrases.
    Phrases(Vec<Phrase>),
}

/// A line that contains the literal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LiteralLine {
    /// Its number, from 1.
    pub number: u32,
    /// Byte range of the line in the text, including its end.
    pub span: Range<usize>,
}

impl Literal {
    /// Returns the literal of a query, either phrases or a name, or `None` if it has only words.
    pub fn parse(query: &str) -> Option<Self> {
        let phrases = Phrase::parse_all(query);
        if !phrases.is_empty() {
            return Some(Self::Phrases(phrases));
        }
        let used = || identifier::find(query).filter(|_| identifier::asks_for_uses(query));
        let name = identifier::parse_lone(query).or_else(used)?;
        let finder = |case| Finder::new(name, case);
        let finders = [Case::Sensitive, Case::Ignored].map(finder);
        Some(Self::Name(Box::new(finders)))
    }

    /// Returns its matches in a text, in order: a name as a whole word is preferred to longer
    /// names, and its exact spelling to another case.
    fn spans(&self, text: &str) -> Vec<Range<usize>> {
        match self {
            Self::Name(finders) => {
                for finder in finders.iter() {
                    let all: Vec<Range<usize>> = finder.hits(text).collect();
                    let whole = all.iter().filter(|span| is_whole(text, span));
                    let whole: Vec<Range<usize>> = whole.cloned().collect();
                    if !all.is_empty() {
                        return if whole.is_empty() { all } else { whole };
                    }
                }
                Vec::new()
            }
            Self::Phrases(phrases) => {
                let mut spans: Vec<Range<usize>> = phrases
                    .iter()
                    .flat_map(|phrase| phrase.hits(text))
                    .collect();
                sort_by_key(&mut spans, |span| span.start);
                spans
            }
        }
    }

    /// Returns the lines in which a match begins, in order.
    pub fn lines(&self, text: &str) -> Vec<LiteralLine> {
        let mut spans = self.spans(text).into_iter().peekable();
        let mut lines = Vec::new();
        let mut start = 0;
        for (number, line) in (1..).zip(with_ends(text)) {
            let end = start + line.len();
            let mut is_held = false;
            while spans.next_if(|span| span.start < end).is_some() {
                is_held = true;
            }
            if is_held {
                lines.push(LiteralLine {
                    number,
                    span: start..end,
                });
            }
            // After the last match the loop ends: the rest of the text, which may be long, has
            // no further line to report.
            if spans.peek().is_none() {
                break;
            }
            start = end;
        }
        lines
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(query: &str, text: &str) -> Option<Vec<u32>> {
        let lines = Literal::parse(query)?.lines(text);
        Some(lines.iter().map(|line| line.number).collect())
    }

    #[test]
    fn lines_that_hold_it() {
        let text = "parse_all\nparse_all_of and parse_all\nPARSE_ALL\nwhat\nfollows parse\nall\n";
        for (query, expected) in [
            ("parse_all", Some(&[1, 2][..])),
            ("who calls parse_all", Some(&[1, 2])),
            ("Parse_All", Some(&[1, 2, 3])),
            ("parse_all_", Some(&[2])),
            ("\"what follows\" words", Some(&[4])),
            ("\"parse all\"", Some(&[5])),
            ("\"parse_all\"", Some(&[1, 2])),
            ("\"no such\"", Some(&[])),
            ("the default of parse_all", None),
            ("plain words", None),
        ] {
            assert_eq!(numbers(query, text).as_deref(), expected, "{query}");
        }
    }
}
