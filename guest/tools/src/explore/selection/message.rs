//! Messages in code: a query may consist of the words that a program prints. The code that prints
//! them ranks above documents that contain the same words in other places.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use docent_rank::bm25::Bm25Query;
use docent_text::matching::phrase::Phrase;
use docent_text::sort::sort_by;

use crate::explore::request::deadline::CallPhase;
use crate::explore::request::group::Group;
use crate::explore::selection::candidate::{Candidate, Candidates, MatchQuality, compare};
use crate::lexical::identifier_matches::IdentifierMatches;
use crate::limits::{MESSAGE_FILES, MESSAGE_WORDS};

/// The words of a query that may be those of a message: the longest run of words without the values
/// that a program fills in.
pub struct Message<'q>(IdentifierMatches<'q, ()>);

impl<'q> Message<'q> {
    /// Returns the words that may be a message, or `None` if a query has fewer than three
    /// consecutive words, or if half of its words are filled in.
    pub fn parse(text: &str, query: &'q Bm25Query) -> Option<Self> {
        let phrase = Phrase::new(&words(text)?)?;
        let is_words = !query.is_symbols();
        is_words.then(|| Self(IdentifierMatches::for_phrases(vec![phrase], query)))
    }

    /// Puts the files that contain it before all others, if any file of code or data does; only the
    /// best files of each group are checked. `counts` returns the number of occurrences of the
    /// query's terms in each visited file of a group.
    pub fn put_first<'a>(
        &self,
        candidates: &mut Candidates,
        counts: impl Fn(Group) -> BTreeMap<&'a str, &'a [u32]>,
        read: &mut impl FnMut(&str, CallPhase, &mut dyn FnMut(&str)) -> ControlFlow<()>,
    ) {
        let code = self.mark(&mut candidates.code, &counts(Group::Code), read);
        let data = self.mark(&mut candidates.data, &counts(Group::Data), read);
        if code || data {
            self.mark(&mut candidates.docs, &counts(Group::Docs), read);
        }
    }

    /// Marks the first candidates of a group that contain it, puts them first, and returns true if
    /// there are any.
    fn mark(
        &self,
        group: &mut [Candidate],
        counts: &BTreeMap<&str, &[u32]>,
        read: &mut impl FnMut(&str, CallPhase, &mut dyn FnMut(&str)) -> ControlFlow<()>,
    ) -> bool {
        let may_hold = |candidate: &Candidate| {
            let counts = counts.get(candidate.path.as_str());
            candidate.match_kind == MatchQuality::Words
                && candidate.part.is_none()
                && counts.is_some_and(|counts| self.0.may_be_in(counts))
        };
        let mut is_held = false;
        let possible = group.iter_mut().filter(|candidate| may_hold(candidate));
        for candidate in possible.take(MESSAGE_FILES) {
            let mut holds = false;
            let flow = read(&candidate.path, CallPhase::Scan, &mut |text: &str| {
                holds = self.0.spelling_in(text).is_some();
            });
            if holds {
                candidate.match_kind = MatchQuality::Message;
                is_held = true;
            }
            if flow.is_break() {
                break;
            }
        }
        if is_held {
            // The sort is stable: candidates of one kind keep their order.
            sort_by(group, compare);
        }
        is_held
    }
}

/// Returns the words of a query that may be a message.
fn words(text: &str) -> Option<String> {
    let all: Vec<&str> = text.split_whitespace().collect();
    let filled_in = all.iter().filter(|word| is_filled_in(word)).count();
    let runs = all.split(|word| is_filled_in(word));
    let mut longest: &[&str] = &[];
    for run in runs {
        // Of runs with equal length the first is taken.
        if run.len() > longest.len() {
            longest = run;
        }
    }
    let is_long = longest.len() >= MESSAGE_WORDS && filled_in * 2 < all.len();
    let words = longest.join(" ");
    let words = words.trim_end_matches(ENDS_OF_SENTENCES);
    is_long.then(|| words.to_owned())
}

/// Punctuation that ends a sentence or a part of one.
const ENDS_OF_SENTENCES: [char; 6] = ['.', '?', '!', ':', ',', ';'];

/// Returns whether a word of a message is likely filled in by the program: a number, a path, a
/// quoted name.
fn is_filled_in(word: &str) -> bool {
    let inner = word.trim_end_matches(ENDS_OF_SENTENCES);
    let is_quoted = inner.starts_with(['`', '\'', '"']);
    is_quoted || inner.contains(|c: char| c.is_ascii_digit() || matches!(c, '/' | '\\' | '.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_of_a_message() {
        for (text, expected) in [
            ("could not open the file", Some("could not open the file")),
            (
                "could not open `a.md`: no such file.",
                Some("could not open"),
            ),
            (
                "error 17: cursor is of another request",
                Some("cursor is of another request"),
            ),
            (
                "파일을 찾을 수 없습니다: a.md",
                Some("파일을 찾을 수 없습니다"),
            ),
            ("it is `a` or 7", None),
            ("cache size", None),
            ("it can't be written", Some("it can't be written")),
            ("a `b` `c` `d` `e` f g h", None),
        ] {
            assert_eq!(words(text).as_deref(), expected, "{text}");
        }
    }
}
