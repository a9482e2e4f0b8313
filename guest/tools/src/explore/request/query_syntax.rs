//! Syntax of other search languages in a query: excluded words, operators, fields, wildcards. A
//! query consists of words, so they have no effect, and the answer says so.

use docent_text::matching::phrase::open_quote;

/// Field names that other search languages accept before a colon.
const FIELDS: [&str; 14] = [
    "author",
    "ext",
    "extension",
    "file",
    "filename",
    "in",
    "lang",
    "language",
    "path",
    "repo",
    "tag",
    "tags",
    "title",
    "type",
];

/// Minimum number of letters after a `-` for an excluded word: `-v` and `-rf` are options that
/// somebody searches for.
const LEAST_EXCLUDED: usize = 3;

/// Maximum number of notes in an answer.
const MOST_NOTES: usize = 3;

/// Returns notes about query syntax that had no effect, a sentence each, or `None` if there is
/// none.
pub fn unused_syntax(query: &str) -> Option<String> {
    let words: Vec<&str> = query.split_whitespace().collect();
    if words.len() < 2 && !query.contains('"') {
        return None;
    }
    let open = open_quote(query).map(|rest| {
        let word = rest.split_whitespace().next().unwrap_or_default();
        format!("The quote before `{word}` is not closed: its words were searched apart.")
    });
    let has_lower = query.contains(char::is_lowercase);
    let notes = words.iter().filter_map(|word| note(word, has_lower));
    let notes: Vec<String> = open.into_iter().chain(notes).take(MOST_NOTES).collect();
    (!notes.is_empty()).then(|| notes.join(" "))
}

fn note(word: &str, has_lower: bool) -> Option<String> {
    let is_word = |text: &str| text.chars().all(char::is_alphanumeric);
    if let Some(excluded) = word.strip_prefix('-')
        && is_word(excluded)
        && excluded.chars().count() >= LEAST_EXCLUDED
    {
        return Some(format!("`{word}` excludes nothing: a query is words."));
    }
    if has_lower && matches!(word, "AND" | "OR" | "NOT") {
        return Some(format!("`{word}` is not an operator, but a word."));
    }
    if let Some((field, value)) = word.split_once(':')
        && FIELDS.contains(&field)
        && !value.is_empty()
        && !value.starts_with(':')
    {
        return Some(format!(
            "`{word}` narrows nothing: name directories or files in `paths`."
        ));
    }
    let stem = word.strip_suffix('*')?;
    (!stem.is_empty() && is_word(stem))
        .then(|| format!("`{word}` is not a wildcard: `pattern` takes regular expressions."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs_without_effect_are_told() {
        for (query, told) in [
            ("timeout -gateway", "`-gateway` excludes nothing"),
            ("타임아웃 -게이트웨이", "`-게이트웨이` excludes nothing"),
            ("cache OR store", "`OR` is not an operator"),
            ("cache path:src", "`path:src` narrows nothing"),
            ("config time*", "`time*` is not a wildcard"),
            ("the \"slow bank", "The quote before `slow` is not closed"),
            ("the “slow bank", "The quote before `slow` is not closed"),
        ] {
            let note = unused_syntax(query).unwrap_or_default();
            assert!(note.starts_with(told), "{query}: {note}");
        }
        let many = unused_syntax("-one two -three -four -five -seven").unwrap_or_default();
        assert_eq!(many.matches("excludes").count(), MOST_NOTES);
    }

    #[test]
    fn what_has_an_effect_is_not_told() {
        for query in [
            "timeout gateway",
            "rm -rf",
            "git commit --all -v",
            "-gateway",
            "INSERT OR REPLACE",
            "std::path::Path new",
            "note: this is so",
            "a \"quoted phrase\" here",
            "pointer *p",
            "3.5\" disk",
            "x-ray check",
        ] {
            assert_eq!(unused_syntax(query), None, "{query}");
        }
    }
}
