//! Content words of a comment's first sentence, without code and without the words of the name that
//! it documents. They paraphrase the name without a model.

/// Maximum words of a query.
const MOST: usize = 8;

/// Number of initial letters that related words share.
const KIN: usize = 5;

/// Stop words.
const SMALL: &str = "a an and any are as at be been but by can could do does each for from has \
    have if in into is it its may more must no not of on only or other our out over own shall \
    should so some such than that the their them then there these they this those to too under \
    until up upon use used uses using was we were what when where whether which while who will \
    with without would you your";

/// Returns the first sentence of a comment, as one line.
pub fn sentence(comment: &[String]) -> String {
    let is_tag = |line: &&str| {
        ["@", "..", ":param"]
            .iter()
            .any(|tag| line.starts_with(tag))
    };
    let lines = comment.iter().map(|line| line.trim());
    let text: Vec<&str> = lines
        .skip_while(|line| line.is_empty())
        .take_while(|line| !line.is_empty() && !is_tag(line))
        .collect();
    let text = text.join(" ");
    let mut ends = text.match_indices(['.', '!', '?']).map(|(at, _)| at);
    let end = ends.find(|at| {
        text[at + 1..]
            .chars()
            .next()
            .is_none_or(char::is_whitespace)
    });
    text[..end.unwrap_or(text.len())].to_owned()
}

/// Returns the content words of `sentence` that are not related to `name`, as a query.
pub fn question(sentence: &str, name: &str) -> Vec<String> {
    let pairs = [('`', '`'), ('{', '}'), ('<', '>'), ('[', ']')];
    let text = pairs
        .into_iter()
        .fold(sentence.to_owned(), |text, (open, close)| {
            without(&text, open, close)
        });
    let own = parts(name);
    let mut words: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        let word = word.trim_matches([',', '.', ';', '!', '?', '(', ')', '"', '\'', '*']);
        let word = word.trim_end_matches(':');
        if !is_word(word) {
            continue;
        }
        let word = word.to_lowercase();
        let is_small = SMALL.split_whitespace().any(|small| small == word);
        if !is_small && !words.contains(&word) && !is_kin(&word, &own, name) {
            words.push(word);
        }
    }
    words.truncate(MOST);
    words
}

/// Returns a text without the parts between two delimiters.
fn without(text: &str, open: char, close: char) -> String {
    let mut kept = String::new();
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once(open)
        && let Some((_, after)) = behind.split_once(close)
    {
        kept.push_str(before);
        kept.push(' ');
        rest = after;
    }
    kept + rest
}

/// Returns true if a word consists of letters, lower case except for the first, possibly with
/// hyphens.
fn is_word(word: &str) -> bool {
    let is_small = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_lowercase());
    let mut parts = word.split('-');
    let first = parts.next().unwrap_or_default();
    word.len() > 2
        && first.starts_with(|c: char| c.is_ascii_alphabetic())
        && is_small(&first[1..])
        && parts.all(is_small)
}

/// Returns true if a name contains a word, or the word begins with a part of the name.
fn is_kin(word: &str, own: &[String], name: &str) -> bool {
    let of_own = |part: &String| part.len() > 2 && word.starts_with(&part[..part.len().min(KIN)]);
    name.to_lowercase().contains(word) || own.iter().any(of_own)
}

/// Splits a name into words: `HTTPServer_name` into `http`, `server`, `name`.
fn parts(name: &str) -> Vec<String> {
    let mut parts: Vec<String> = Vec::new();
    let letters: Vec<char> = name.chars().collect();
    let is_capital = |at: usize| letters.get(at).is_some_and(char::is_ascii_uppercase);
    let is_small = |at: usize| letters.get(at).is_some_and(char::is_ascii_lowercase);
    for (at, letter) in letters.iter().enumerate() {
        let begins = match at.checked_sub(1) {
            None => true,
            Some(before) if is_capital(at) => !is_capital(before) || is_small(at + 1),
            Some(before) => !is_capital(before) && !is_small(before),
        };
        if !letter.is_ascii_alphabetic() {
            continue;
        }
        match parts.last_mut() {
            Some(part) if !begins => part.push(letter.to_ascii_lowercase()),
            _ => parts.push(letter.to_ascii_lowercase().to_string()),
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Vec<String> {
        text.lines().map(str::to_owned).collect()
    }

    #[test]
    fn a_sentence_ends_with_its_stop_or_paragraph() {
        assert_eq!(
            sentence(&lines("\nSays v1.2 of\nit. More.")),
            "Says v1.2 of it"
        );
        assert_eq!(sentence(&lines("Says it\n\nMore.")), "Says it");
        assert_eq!(sentence(&lines("Says it\n@param a")), "Says it");
        assert_eq!(sentence(&[]), "");
    }

    #[test]
    fn a_question_has_neither_code_nor_the_words_of_the_name() {
        let asked = |sentence, name| question(sentence, name).join(" ");
        assert_eq!(
            asked(
                "Returns the cookies of a [Request] that were parsed from headers",
                "parseCookie"
            ),
            "returns headers"
        );
        assert_eq!(
            asked(
                "Dispatches requests: see :meth:`run` and `x`, for well-known hosts",
                "f"
            ),
            "dispatches requests see well-known hosts"
        );
        assert_eq!(asked("HTTP/2 frames {@link Frame} go", "x"), "frames");
    }

    #[test]
    fn names_have_parts() {
        assert_eq!(
            parts("HTTPServer_nameOf2nd"),
            ["http", "server", "name", "of", "nd"]
        );
        assert_eq!(parts("_lazy_sha1"), ["lazy", "sha"]);
    }
}
