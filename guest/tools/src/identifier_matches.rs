//! The search for an identifier: documents that hold it as it is written go before those that hold
//! it in another case, and either before what only holds its parts. Asked for `parseConfig`, nobody
//! wants the page that speaks of parsing and, elsewhere, of configuration.

use docent_rank::bm25::Query;
use docent_text::matching::finder::{Case, Finder};
use docent_text::words::identifier;

/// How an identifier is spelt in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spelling {
    /// As it is written in the query.
    Exact,
    /// In another case.
    OtherCase,
}

/// The documents that hold an identifier, collected one after the other.
#[derive(Debug)]
pub struct IdentifierMatches<T> {
    exact_finder: Finder,
    any_case_finder: Finder,
    /// Indices of the query's terms that are parts of the identifier.
    needed_terms: Vec<usize>,
    exact: Vec<T>,
    other_case: Vec<T>,
}

impl<T> IdentifierMatches<T> {
    /// Returns the matches of a query that is the lone identifier `name`, still without documents.
    pub fn new(name: &str, query: &Query) -> Self {
        let parts = Query::new(&identifier::parts(name));
        Self {
            exact_finder: Finder::new(name, Case::Sensitive),
            any_case_finder: Finder::new(name, Case::Ignored),
            // Its parts and not the whole: `a::b` is no term, and `parseConfig` is found in
            // `parseConfigFile`.
            needed_terms: (0..query.terms().len())
                .filter(|&index| parts.terms().contains(&query.terms()[index]))
                .collect(),
            exact: Vec::new(),
            other_case: Vec::new(),
        }
    }

    /// Whether a document that holds each of the query's terms so often can hold the identifier:
    /// only such ones need be read again.
    pub fn may_be_in(&self, counts: &[u32]) -> bool {
        self.needed_terms.iter().all(|&index| counts[index] > 0)
    }

    /// Returns how the identifier is spelt in a text; none where it is not there, or only in
    /// another case and an earlier document holds it as it is written.
    pub fn spelling_in(&self, text: &str) -> Option<Spelling> {
        if self.exact_finder.hits(text).next().is_some() {
            return Some(Spelling::Exact);
        }
        // The second look at the text is spared where its answer would change nothing.
        let is_other_case =
            self.exact.is_empty() && self.any_case_finder.hits(text).next().is_some();
        is_other_case.then_some(Spelling::OtherCase)
    }

    /// Adds a document that holds the identifier.
    pub fn push(&mut self, spelling: Spelling, document: T) {
        match spelling {
            Spelling::Exact => self.exact.push(document),
            Spelling::OtherCase => self.other_case.push(document),
        }
    }

    /// Returns the documents of the better spelling, in the order in which they were added; empty
    /// where none holds the identifier.
    pub fn into_best(self) -> Vec<T> {
        if self.exact.is_empty() {
            self.other_case
        } else {
            self.exact
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn best(texts: &[&'static str]) -> Vec<&'static str> {
        let mut matches = IdentifierMatches::new("parseConfig", &Query::new("parseConfig"));
        for text in texts {
            if let Some(spelling) = matches.spelling_in(text) {
                matches.push(spelling, *text);
            }
        }
        matches.into_best()
    }

    #[test]
    fn as_written_before_another_case_before_parts() {
        let (exact, other, parts) = ("a parseConfig b", "a parseconfig b", "parse the config");
        assert_eq!(best(&[other, parts, exact, other]), [exact]);
        assert_eq!(best(&[parts, other, other]), [other, other]);
        assert!(best(&[parts]).is_empty());
    }

    #[test]
    fn needs_each_part() {
        let query = Query::new("parseConfig");
        let matches = IdentifierMatches::<()>::new("parseConfig", &query);
        let terms = query.terms().len();
        assert!(matches.may_be_in(&vec![1; terms]));
        assert!(!matches.may_be_in(&vec![0; terms]));
    }
}
