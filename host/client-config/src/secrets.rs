//! Masking of secrets in displayed lines: configuration files contain tokens of other servers.

/// Words in the names of keys whose values are secrets.
const WORDS: [&str; 7] = [
    "authorization",
    "cookie",
    "credential",
    "key",
    "password",
    "secret",
    "token",
];

/// Replacement of a secret.
const MASK: &str = "…";

/// Masks the strings of a line of JSON or TOML that belong to keys such as `Authorization` and
/// `API_KEY`, with `…`. A secret under another name, such as an argument of a program, is not
/// recognized.
pub fn mask_secrets(line: &str) -> String {
    let mut masked = String::with_capacity(line.len());
    let mut name = "";
    let mut state = QuoteState::Open;
    let mut rest = line;
    while let Some(first) = rest.chars().next() {
        let length = token_length(rest, first);
        let (token, left) = rest.split_at(length);
        rest = left;
        let is_string = matches!(first, '"' | '\'');
        // Only the text between the quotes is replaced, so that the line remains valid JSON or
        // TOML. In the state `Secret` all strings are masked until a comma or a bracket ends
        // the value; an array, as in `"tokens": ["a", "b"]`, ends only at its bracket.
        if is_string && state != QuoteState::Open {
            masked.extend([&token[..1], MASK, &token[..1]]);
            continue;
        }
        masked.push_str(token);
        match first {
            ':' | '=' if is_secret(name) => state = QuoteState::Secret,
            '[' if state == QuoteState::Secret => state = QuoteState::Secrets,
            ',' if state == QuoteState::Secrets => {}
            ',' | '{' | '}' | ']' => state = QuoteState::Open,
            _ if is_string || is_bare(first) => name = token,
            _ => {}
        }
    }
    masked
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum QuoteState {
    /// Strings are shown.
    Open,
    /// The value of a key that names a secret.
    Secret,
    /// An array that is the value of a key that names a secret.
    Secrets,
}

fn is_secret(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    WORDS.iter().any(|word| name.contains(word))
}

fn is_bare(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '-')
}

/// Returns the length of the token at the start of a text: a string, a bare word, or one character.
/// An unterminated string takes the rest of the line.
fn token_length(text: &str, first: char) -> usize {
    if matches!(first, '"' | '\'') {
        let mut is_escaped = false;
        for (at, c) in text.char_indices().skip(1) {
            match c {
                _ if is_escaped => is_escaped = false,
                '\\' if first == '"' => is_escaped = true,
                c if c == first => return at + 1,
                _ => {}
            }
        }
        return text.len();
    }
    if is_bare(first) {
        return text.find(|c| !is_bare(c)).unwrap_or(text.len());
    }
    first.len_utf8()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_secret_keys_are_masked() {
        for (line, expected) in [
            (r#"  "API_KEY": "abc","#, r#"  "API_KEY": "…","#),
            (
                r#""headers": { "Authorization": "Bearer \"x", "Accept": "y" }"#,
                r#""headers": { "Authorization": "…", "Accept": "y" }"#,
            ),
            (
                r#"{"a":{"env":{"DB_PASSWORD":"p"},"command":"npx"}}"#,
                r#"{"a":{"env":{"DB_PASSWORD":"…"},"command":"npx"}}"#,
            ),
            ("github_token = 'abc' # mine", "github_token = '…' # mine"),
            (
                r#""tokens": ["a", "b"], "x": "y""#,
                r#""tokens": ["…", "…"], "x": "y""#,
            ),
            (r#""token": "ends never"#, r#""token": "…""#),
            (
                r#""url": "https://example.org""#,
                r#""url": "https://example.org""#,
            ),
            (r#""args": ["-y", "가"],"#, r#""args": ["-y", "가"],"#),
            ("# a note: it's fine", "# a note: it's fine"),
        ] {
            assert_eq!(mask_secrets(line), expected);
        }
    }
}
