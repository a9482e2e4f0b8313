//! Search for an identifier: documents that contain it as written rank above those that contain it
//! in another case, and both above those that contain only its parts. A search for `parseConfig` is
//! not meant for a page about parsing that mentions configuration elsewhere. The same applies to a
//! symbol that contains a word, such as `C++` or `--all`, and to quoted words.

use std::ops::Range;

use docent_rank::bm25::Bm25Query;
use docent_text::matching::finder::{Case, Finder};
use docent_text::matching::phrase::Phrase;
use docent_text::words::identifier;
use docent_text::words::symbols::LiteralSymbol;

/// Spelling of an identifier in a text, best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Spelling {
    /// As written in the query, as a whole word.
    Exact,
    /// As written, within longer names: `parseConfig` in `parseConfigFile`.
    Inside,
    /// In another case.
    OtherCase,
}

/// The documents that contain an identifier, collected one after the other.
#[derive(Debug)]
pub struct IdentifierMatches<'q, T> {
    sought: Sought<'q>,
    /// Indices of the query's terms that every document with the identifier contains: its parts, or
    /// its words if these are not divided, as in `parseconfig`.
    needed_terms: [Vec<usize>; 2],
    exact: Vec<T>,
    inside: Vec<T>,
    other_case: Vec<T>,
}

/// Literal text to search for.
#[derive(Debug)]
#[expect(
    clippy::large_enum_variant,
    reason = "a search has one of it, which is never moved about"
)]
enum Sought<'q> {
    Identifier {
        exact: Finder,
        any_case: Finder,
    },
    Symbol(&'q LiteralSymbol),
    /// All of them.
    Phrases(Vec<Phrase>),
}

impl<'q, T> IdentifierMatches<'q, T> {
    /// Returns the matches of the query in `text`, still without documents, or `None` unless it is
    /// a single identifier or symbol that contains words, or has quoted phrases.
    pub fn for_query(text: &str, query: &'q Bm25Query) -> Option<Self> {
        if let Some(name) = identifier::parse_lone(text) {
            return Some(Self::new(name, query));
        }
        let phrases = Phrase::parse_all(text);
        if !phrases.is_empty() {
            return Some(Self::for_phrases(phrases, query));
        }
        let is_lone = !text.contains(char::is_whitespace);
        let symbol = query.symbols().first();
        symbol
            .filter(|_| is_lone && !query.is_symbols())
            .map(|symbol| Self {
                sought: Sought::Symbol(symbol),
                needed_terms: [Vec::new(), Vec::new()],
                exact: Vec::new(),
                inside: Vec::new(),
                other_case: Vec::new(),
            })
    }

    /// Returns the matches of the query's phrases, each of which a document must contain.
    pub fn for_phrases(phrases: Vec<Phrase>, query: &Bm25Query) -> Self {
        // In scripts other than Latin a word may be part of a longer one, as in Korean with its
        // particles, and then is not a term by itself. Only ASCII words are required as terms.
        let words = phrases.iter().flat_map(|phrase| phrase.text().split(' '));
        let words: Vec<&str> = words.filter(|word| word.is_ascii()).collect();
        let terms = Bm25Query::new(&words.join(" "));
        let is_one = |index: &usize| terms.terms().contains(&query.terms()[*index]);
        let needed: Vec<usize> = (0..query.terms().len()).filter(is_one).collect();
        Self {
            sought: Sought::Phrases(phrases),
            needed_terms: [needed.clone(), needed],
            exact: Vec::new(),
            inside: Vec::new(),
            other_case: Vec::new(),
        }
    }

    /// Returns the matches of the identifier `name`, about which a query asks.
    pub fn new(name: &str, query: &Bm25Query) -> Self {
        let parts = Bm25Query::new(&identifier::parts(name));
        let words = Bm25Query::new(&name.to_lowercase());
        let among = |terms: &Bm25Query| -> Vec<usize> {
            let is_one = |index: &usize| terms.terms().contains(&query.terms()[*index]);
            (0..query.terms().len()).filter(is_one).collect()
        };
        let has_words = words
            .terms()
            .iter()
            .all(|term| query.place(*term).is_some());
        Self {
            sought: Sought::Identifier {
                exact: Finder::new(name, Case::Sensitive),
                any_case: Finder::new(name, Case::Ignored),
            },
            // The parts are required and not the whole: `a::b` is not a term, and `parseConfig`
            // also occurs in `parseConfigFile`. This filter only has to be complete; the text
            // decides.
            needed_terms: if has_words {
                [among(&parts), among(&words)]
            } else {
                [among(&parts), among(&parts)]
            },
            exact: Vec::new(),
            inside: Vec::new(),
            other_case: Vec::new(),
        }
    }

    /// Returns true if a document with these counts of the query's terms may contain the
    /// identifier; only such documents need to be read again.
    pub fn may_be_in(&self, counts: &[u32]) -> bool {
        let mut needed = self.needed_terms.iter();
        needed.any(|terms| terms.iter().all(|&index| counts[index] > 0))
    }

    /// Returns the spelling of the identifier in a text, or `None` if it does not occur, or only in
    /// a worse spelling than in an earlier document.
    pub fn spelling_in(&self, text: &str) -> Option<Spelling> {
        let (exact, any_case) = match &self.sought {
            Sought::Identifier { exact, any_case } => (exact, any_case),
            Sought::Symbol(symbol) => {
                return (symbol.count_in(text) > 0).then_some(Spelling::Exact);
            }
            Sought::Phrases(phrases) => {
                let holds_all = phrases.iter().all(|phrase| phrase.occurs_in(text));
                return holds_all.then_some(Spelling::Exact);
            }
        };
        let mut hits = exact.hits(text).peekable();
        let is_inside = hits.peek().is_some();
        if hits.any(|hit| is_whole(text, &hit)) {
            return Some(Spelling::Exact);
        }
        if is_inside {
            return self.exact.is_empty().then_some(Spelling::Inside);
        }
        // A text is searched a second time, without regard to case, only if the result matters:
        // as soon as one document has the exact spelling, other spellings are not shown.
        let is_first = self.exact.is_empty() && self.inside.is_empty();
        let is_other_case = is_first && any_case.hits(text).next().is_some();
        is_other_case.then_some(Spelling::OtherCase)
    }

    /// Adds a document that contains the identifier.
    pub fn push(&mut self, spelling: Spelling, document: T) {
        match spelling {
            Spelling::Exact => self.exact.push(document),
            Spelling::Inside => self.inside.push(document),
            Spelling::OtherCase => self.other_case.push(document),
        }
    }

    /// Returns the best spelling found and its documents in the order in which they were added, or
    /// `None` if no document contains the identifier.
    pub fn into_best(self) -> Option<(Spelling, Vec<T>)> {
        let spellings = [
            (Spelling::Exact, self.exact),
            (Spelling::Inside, self.inside),
            (Spelling::OtherCase, self.other_case),
        ];
        let mut held = spellings.into_iter();
        held.find(|(_, texts)| !texts.is_empty())
    }
}

/// Returns true if the text at `span` is not part of a longer name.
pub fn is_whole(text: &str, span: &Range<usize>) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    // A syllable of Hangul after the name is a particle, as in `parseConfig는`, and not a part
    // of it.
    let is_name = |c: char| is_part(c) && !matches!(c, '가'..='힣');
    let (before, behind) = (&text[..span.start], &text[span.end..]);
    // A match that begins or ends with punctuation, such as `--all`, is delimited by that.
    let is_open = |c: Option<char>| c.is_some_and(is_part);
    let name = &text[span.clone()];
    let continues = is_open(name.chars().next_back()) && behind.starts_with(is_name);
    let began = is_open(name.chars().next()) && before.ends_with(is_name);
    !continues && !began
}

#[cfg(test)]
mod tests {
    use super::*;

    fn best(texts: &[&'static str]) -> Vec<&'static str> {
        let query = Bm25Query::new("parseConfig");
        let mut matches = IdentifierMatches::new("parseConfig", &query);
        for text in texts {
            if let Some(spelling) = matches.spelling_in(text) {
                matches.push(spelling, *text);
            }
        }
        matches
            .into_best()
            .map_or_else(Vec::new, |(_, texts)| texts)
    }

    #[test]
    fn as_written_before_another_case_before_parts() {
        let (exact, other, parts) = ("a parseConfig b", "a parseconfig b", "parse the config");
        assert_eq!(best(&[other, parts, exact, other]), [exact]);
        assert_eq!(best(&[parts, other, other]), [other, other]);
        let longer = "a parseConfigFile b";
        assert_eq!(best(&[longer, exact, other]), [exact]);
        assert_eq!(best(&[other, longer]), [longer]);
        assert_eq!(best(&["x.parseConfig는", longer]), ["x.parseConfig는"]);
        assert!(best(&[parts]).is_empty());
    }

    #[test]
    fn a_symbol_with_words_in_it_is_one() {
        for (text, is_one) in [
            ("C++", true),
            ("--all", true),
            ("`#[derive]`", true),
            ("parseConfig", true),
            ("&&", false),
            ("word", false),
            ("C++ templates", false),
        ] {
            let query = Bm25Query::new(text);
            let matches = IdentifierMatches::<'_, ()>::for_query(text, &query);
            assert_eq!(matches.is_some(), is_one, "{text}");
        }
        let query = Bm25Query::new("C++");
        let matches = IdentifierMatches::<'_, ()>::for_query("C++", &query);
        let spelling = |text| {
            matches
                .as_ref()
                .and_then(|matches| matches.spelling_in(text))
        };
        assert_eq!(spelling("in C++."), Some(Spelling::Exact));
        assert_eq!(spelling("in C."), None);
    }

    #[test]
    fn a_phrase_is_held_as_it_is_quoted() {
        let query = Bm25Query::new(r#""not open" "a file" words"#);
        let matches =
            IdentifierMatches::<'_, ()>::for_query(r#""not open" "a file" words"#, &query);
        let spelling = |text| {
            let matches = matches.as_ref();
            matches.and_then(|matches| matches.spelling_in(text))
        };
        assert_eq!(spelling("could not\nopen a file"), Some(Spelling::Exact));
        assert_eq!(spelling("not open the file"), None);
        let mut counts = vec![0; query.terms().len()];
        query.count_plain("a file is not open", 1, &mut counts);
        assert_eq!(
            matches.map(|matches| matches.may_be_in(&counts)),
            Some(true)
        );
        let lone = IdentifierMatches::<'_, ()>::for_query(r#""parseConfig""#, &query);
        assert_eq!(
            lone.and_then(|lone| lone.spelling_in("not open a file")),
            None
        );
    }

    #[test]
    fn needs_each_part() {
        let query = Bm25Query::new("parseConfig");
        let matches = IdentifierMatches::<'_, ()>::new("parseConfig", &query);
        let terms = query.terms().len();
        assert!(matches.may_be_in(&vec![1; terms]));
        assert!(!matches.may_be_in(&vec![0; terms]));
        for (text, may_be) in [
            ("parseConfigFile", true),
            ("parseconfig", true),
            ("parse it", false),
        ] {
            let mut counts = vec![0; terms];
            query.count_plain(text, 1, &mut counts);
            assert_eq!(matches.may_be_in(&counts), may_be, "{text}");
        }
    }
}
