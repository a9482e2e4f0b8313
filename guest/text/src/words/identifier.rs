//! Lone identifiers: a query that is a name from code is matched exactly.

pub use crate::words::lone_identifier::parse_lone;

use crate::matching::phrase::has_phrase;
use crate::words::lone_identifier::{is_joiner, strip_quotes_and_particle};

/// Returns the identifier that a query asks about: a lone one, or the only one among its words.
/// Returns `None` if the query contains quoted words.
///
/// Among other words, only an unmistakable identifier counts: `max_size`, `a::b`, `run()`; or, in a
/// query of at most four words, `maxSize`, because sentences contain names such as `JavaScript`.
pub fn find(query: &str) -> Option<&str> {
    if let Some(name) = parse_lone(query) {
        return Some(name);
    }
    if has_phrase(query) {
        return None;
    }
    let words = query.split_whitespace();
    let is_short = words.clone().count() <= SHORT_QUERY;
    let mut names = words.filter_map(|word| {
        let word = strip_quotes_and_particle(word.trim_matches(['?', '!', ',', ':']));
        let is_call = word.ends_with("()");
        let name = if is_call {
            name(word)?
        } else {
            parse_lone(word)?
        };
        let inner = name.trim_matches('_');
        let is_joined = inner.contains('_') || name.contains("::");
        let is_cased = !inner.contains(is_joiner);
        (is_call || is_joined || is_short && is_cased).then_some(name)
    });
    let name = names.next()?;
    // A query with two identifiers asks about the relation of both, or about neither; no single one
    // can be matched in its place.
    names.next().is_none().then_some(name)
}

/// Returns true if a query asks for the uses of a name rather than its definition: `who calls
/// parse_config`, `parse_config 사용`. Korean words are compared by their stems, because endings
/// follow them.
pub fn asks_for_uses(query: &str) -> bool {
    query.split_whitespace().any(|word| {
        let word = word
            .trim_matches(|c: char| !c.is_alphanumeric())
            .to_lowercase();
        USES.contains(&word.as_str()) || USES_IN_KOREAN.iter().any(|uses| word.starts_with(uses))
    })
}

/// English words that ask for uses.
const USES: [&str; 15] = [
    "call",
    "called",
    "caller",
    "callers",
    "calls",
    "reference",
    "referenced",
    "references",
    "usage",
    "usages",
    "use",
    "used",
    "user",
    "users",
    "uses",
];

/// Stems of Korean words that ask for uses.
const USES_IN_KOREAN: [&str; 5] = ["호출", "사용", "참조", "쓰이", "부르"];

/// Maximum words of a query that is about a name rather than a sentence that contains one.
const SHORT_QUERY: usize = 4;

/// Returns the name that a query consists of, including a plain word, or `None` if it has several
/// words.
pub fn name(query: &str) -> Option<&str> {
    let name = strip_quotes_and_particle(query);
    let name = name.strip_suffix("()").unwrap_or(name);
    let is_name = name.starts_with(|c: char| c.is_alphabetic() || matches!(c, '_' | '$'))
        && name.chars().all(|c| c.is_alphanumeric() || is_joiner(c));
    is_name.then_some(name)
}

/// Splits a qualified name into its names, outermost first: `Parser` and `next` of `Parser::next`.
pub fn names(qualified: &str) -> impl DoubleEndedIterator<Item = &str> {
    qualified
        .split(['.', ':', '#', '/'])
        .filter(|name| !name.is_empty())
}

/// Returns the last name of a qualified name: `next` of `Parser::next`.
pub fn last(qualified: &str) -> &str {
    names(qualified).next_back().unwrap_or(qualified)
}

/// Returns the parts of an identifier separated by spaces, omitting those of one character.
pub fn parts(identifier: &str) -> String {
    let mut spaced = String::new();
    let mut previous = ' ';
    for c in identifier.chars() {
        if previous.is_lowercase() && c.is_uppercase() {
            spaced.push(' ');
        }
        spaced.push(if c.is_alphanumeric() { c } else { ' ' });
        previous = c;
    }
    // A part of a single letter is omitted, because it would be found everywhere: `xAxis` is
    // `Axis`.
    let parts = spaced
        .split_whitespace()
        .filter(|part| part.chars().nth(1).is_some());
    parts.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_among_words() {
        for (query, expected) in [
            ("what calls overview()", Some("overview")),
            ("what calls overview()?", Some("overview")),
            (
                "the default of EXPLORE_CHARS_DEFAULT",
                Some("EXPLORE_CHARS_DEFAULT"),
            ),
            (
                "who calls prepareClientToWrite",
                Some("prepareClientToWrite"),
            ),
            ("how does one learn JavaScript on the web", None),
            ("max_size or min_size", None),
            ("a well-known file", None),
            ("who calls __deleteNode", Some("__deleteNode")),
            ("parseConfig", Some("parseConfig")),
            ("\"parseConfig\" default", Some("parseConfig")),
            ("\"calls parse_config\" twice", None),
            ("plain words", None),
            ("watch와 watchEffect의 차이", Some("watchEffect")),
            ("`overview()`를 호출하는 곳", Some("overview")),
            ("max_값", Some("max_값")),
        ] {
            assert_eq!(find(query), expected, "{query}");
        }
    }

    #[test]
    fn some_ask_for_uses() {
        for (query, expected) in [
            ("who calls overview()", true),
            ("Usages: parseConfig", true),
            ("parseConfig 호출하는 곳", true),
            ("default value of MAX_SIZE", false),
            ("userName field", false),
        ] {
            assert_eq!(asks_for_uses(query), expected, "{query}");
        }
    }

    #[test]
    fn lone_identifiers() {
        for query in [
            "MAX_SIZE",
            "maxSize",
            "os.path.join",
            "well-known",
            "`a::b`",
            "run_all()",
            "--max-size",
            "XMLHttpRequest",
        ] {
            assert!(parse_lone(query).is_some(), "{query}");
        }
        for query in [
            "size", "SIZE", "Size", "max size", "a_b c", "...", "-", "설정", "what?", "_private",
        ] {
            assert!(parse_lone(query).is_none(), "{query}");
        }
        assert_eq!(parse_lone("`a::b()`"), Some("a::b"));
        assert_eq!(parse_lone("parseConfig는"), Some("parseConfig"));
        assert_eq!(name("Flask를"), Some("Flask"));
        assert_eq!(name("설정을"), Some("설정을"));
    }

    #[test]
    fn its_parts() {
        assert_eq!(parts("os.path.joinAll"), "os path join All");
        assert_eq!(parts("a_MAX-size"), "MAX size");
    }
}
