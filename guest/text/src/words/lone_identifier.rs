//! A query that is one identifier.

/// Returns the identifier that a query consists of, without surrounding quotes or markup:
/// `max_size` of `` `max_size()` ``. Returns `None` for anything else, including a plain word,
/// which is matched by its stem and not letter by letter.
pub fn parse_lone(query: &str) -> Option<&str> {
    let name = strip_quotes_and_particle(query);
    // A call has parentheses, as in `run_all()`, which are not part of the name.
    let name = name.strip_suffix("()").unwrap_or(name);
    let is_name = name.chars().any(char::is_alphabetic)
        && name.chars().all(|c| c.is_alphanumeric() || is_joiner(c));
    // The joining sign must be inside the name: `_private` and `--help` may be any marked word, and
    // `end.` is the end of a sentence.
    let inner = name.trim_matches(is_joiner);
    let is_joined = inner.contains(is_joiner);
    // A capital after a small letter marks an identifier, as in `maxSize`. `Size` may begin a
    // sentence, and `SIZE` may be emphasis, so that neither is one.
    let has_case = inner
        .chars()
        .zip(inner.chars().skip(1))
        .any(|(a, b)| a.is_lowercase() && b.is_uppercase());
    (is_name && (is_joined || has_case)).then_some(name)
}

pub(super) fn is_joiner(c: char) -> bool {
    matches!(c, '_' | '-' | '.' | ':' | '/' | '$' | '#' | '@')
}

/// Strips the quotes around a word and a Korean particle attached to a name in another script:
/// `parseConfig` of `parseConfig를`, and of `'parseConfig'의`.
pub(super) fn strip_quotes_and_particle(word: &str) -> &str {
    let is_quote = |c| matches!(c, '`' | '"' | '\'');
    let word = word.trim_matches(is_quote);
    let name = word.trim_end_matches(|c| matches!(c, '가'..='힣'));
    let is_attached = |c: char| c.is_ascii_alphanumeric() || c == ')' || is_quote(c);
    // Hangul is a particle only after a name in another script. In `max_값` it follows the joining
    // sign, and is a part of the name.
    if name.ends_with(is_attached) {
        name.trim_matches(is_quote)
    } else {
        word
    }
}
