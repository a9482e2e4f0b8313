//! Lone identifiers: a query that is a name from code is taken to mean that very name.

use crate::matching::phrase::has_quoted;

/// Returns the identifier that a query consists of, without what is put round it; none where it is
/// anything else, a plain word included.
pub fn lone(query: &str) -> Option<&str> {
    let name = bare(query);
    // As a call is written: `run_all()`.
    let name = name.strip_suffix("()").unwrap_or(name);
    let is_name = name.chars().any(char::is_alphabetic)
        && name.chars().all(|c| c.is_alphanumeric() || is_joiner(c));
    // `_private` and `--help` may be any word that was marked: what joins has to stand inside.
    let inner = name.trim_matches(is_joiner);
    let is_joined = inner.contains(is_joiner);
    // `maxSize`; not `Size` or `SIZE`, which begin a sentence or stress a word.
    let has_case = inner
        .chars()
        .zip(inner.chars().skip(1))
        .any(|(a, b)| a.is_lowercase() && b.is_uppercase());
    (is_name && (is_joined || has_case)).then_some(name)
}

/// Returns the identifier that a query asks about: a lone one, or the only one among its words; none
/// where words between quotes are asked for.
///
/// Among words only what can be nothing else is one: `max_size`, `a::b`, `run()`; or in a query of
/// at most four words `maxSize`, for sentences hold names such as `JavaScript`.
pub fn named(query: &str) -> Option<&str> {
    if let Some(name) = lone(query) {
        return Some(name);
    }
    if has_quoted(query) {
        return None;
    }
    let words = query.split_whitespace();
    let is_short = words.clone().count() <= SHORT_QUERY;
    let mut names = words.filter_map(|word| {
        let word = bare(word.trim_matches(['?', '!', ',', ':']));
        let is_call = word.ends_with("()");
        let name = if is_call { name(word)? } else { lone(word)? };
        let inner = name.trim_matches('_');
        let is_joined = inner.contains('_') || name.contains("::");
        let is_cased = !inner.contains(is_joiner);
        (is_call || is_joined || is_short && is_cased).then_some(name)
    });
    let name = names.next()?;
    // Of two nobody can say which is meant.
    names.next().is_none().then_some(name)
}

/// Whether a query asks where a name is used, rather than what it is.
pub fn asks_for_uses(query: &str) -> bool {
    query.split_whitespace().any(|word| {
        let word = word
            .trim_matches(|c: char| !c.is_alphanumeric())
            .to_lowercase();
        USES.contains(&word.as_str()) || USES_IN_KOREAN.iter().any(|uses| word.starts_with(uses))
    })
}

/// Words for it.
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

/// How Korean words for it begin.
const USES_IN_KOREAN: [&str; 5] = ["호출", "사용", "참조", "쓰이", "부르"];

/// Words of a query that is more likely about a name than a sentence that holds one.
const SHORT_QUERY: usize = 4;

/// Returns the name that a query consists of, a plain word included; none where it is of several
/// words.
pub fn name(query: &str) -> Option<&str> {
    let name = bare(query);
    let name = name.strip_suffix("()").unwrap_or(name);
    let is_name = name.starts_with(|c: char| c.is_alphabetic() || matches!(c, '_' | '$'))
        && name.chars().all(|c| c.is_alphanumeric() || is_joiner(c));
    is_name.then_some(name)
}

/// Returns the names of a qualified name, outermost first: `Parser` and `next` of `Parser::next`.
pub fn names(qualified: &str) -> impl DoubleEndedIterator<Item = &str> {
    qualified
        .split(['.', ':', '#', '/'])
        .filter(|name| !name.is_empty())
}

/// Returns the last name of a qualified name: `next` of `Parser::next`.
pub fn last(qualified: &str) -> &str {
    names(qualified).next_back().unwrap_or(qualified)
}

/// Returns an identifier's parts with spaces between them, those of one character left out.
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
    // A letter alone would be found everywhere.
    let parts = spaced
        .split_whitespace()
        .filter(|part| part.chars().nth(1).is_some());
    parts.collect::<Vec<_>>().join(" ")
}

/// Returns a word without the quotes round it and without the particle of Korean behind it, which
/// is attached to a name in other letters: `parseConfig` of `parseConfig를`, and of `'parseConfig'의`.
fn bare(word: &str) -> &str {
    let is_quote = |c| matches!(c, '`' | '"' | '\'');
    let word = word.trim_matches(is_quote);
    let name = word.trim_end_matches(|c| matches!(c, '가'..='힣'));
    let is_attached = |c: char| c.is_ascii_alphanumeric() || c == ')' || is_quote(c);
    // `max_값` is a name of its own.
    if name.ends_with(is_attached) {
        name.trim_matches(is_quote)
    } else {
        word
    }
}

fn is_joiner(c: char) -> bool {
    matches!(c, '_' | '-' | '.' | ':' | '/' | '$' | '#' | '@')
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
            assert_eq!(named(query), expected, "{query}");
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
    fn what_is_one() {
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
            assert!(lone(query).is_some(), "{query}");
        }
        for query in [
            "size", "SIZE", "Size", "max size", "a_b c", "...", "-", "설정", "what?", "_private",
        ] {
            assert!(lone(query).is_none(), "{query}");
        }
        assert_eq!(lone("`a::b()`"), Some("a::b"));
        assert_eq!(lone("parseConfig는"), Some("parseConfig"));
        assert_eq!(name("Flask를"), Some("Flask"));
        assert_eq!(name("설정을"), Some("설정을"));
    }

    #[test]
    fn its_parts() {
        assert_eq!(parts("os.path.joinAll"), "os path join All");
        assert_eq!(parts("a_MAX-size"), "MAX size");
    }
}
