//! Anchors of headings: an explicit id after the text, else the slug.

use crate::limits::SLUG_CHARS;
use docent_text::lines::with_ends;

/// An explicit id after the text of a heading, which is not part of that text:
///
/// ```text
/// ## Usage {#how-to}
/// ## Usage {: .wide #how-to }
/// ## Usage {/*how-to*/}
/// ```
///
/// The first form is that of Pandoc and many site generators, the second that of attribute lists in
/// Python-Markdown, the third a comment of MDX.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExplicitId<'s> {
    /// The id.
    pub id: &'s str,
    /// End of the text before it, in bytes of the source.
    pub text_end: usize,
}

/// Returns the explicit id at the end of `source`, the source of a heading without its underline.
/// Returns `None` if there is none, or no text before it.
pub fn explicit_id(source: &str) -> Option<ExplicitId<'_>> {
    let text = without_closing(source);
    let open = text.rfind('{')?;
    let inside = text[open + 1..].strip_suffix('}')?;
    let id = match inside.trim().strip_prefix("/*") {
        Some(remark) => {
            let id = remark.strip_suffix("*/")?.trim().trim_start_matches('#');
            is_id(id).then_some(id)?
        }
        None => id_in_attributes(inside)?,
    };
    let before = &text[..open];
    // The braces must follow a blank and a text. `# {#each}` of a template language has no text
    // before them, and `a{#b}` no blank: both are shown as written.
    let is_apart = before.ends_with([' ', '\t']);
    let has_text = !before.trim_start_matches([' ', '\t', '#']).is_empty();
    (is_apart && has_text).then(|| ExplicitId {
        id,
        text_end: before.trim_end().len(),
    })
}

/// Returns the id among attributes between braces: `#id`, `: .class #id key=value`.
pub fn id_in_attributes(attributes: &str) -> Option<&str> {
    let attributes = attributes.trim_start().trim_start_matches(':');
    let is_attribute = |word: &str| word.starts_with(['#', '.']) || word.contains('=');
    let mut id = None;
    let mut is_quoted = false;
    let between = |c: char| {
        is_quoted ^= c == '"';
        c.is_whitespace() && !is_quoted
    };
    for word in attributes.split(between).filter(|word| !word.is_empty()) {
        if !is_attribute(word) {
            return None;
        }
        let named = || Some(word.strip_prefix("id=")?.trim_matches('"'));
        id = id.or_else(|| word.strip_prefix('#').or_else(named));
    }
    id.filter(|id| is_id(id))
}

fn is_id(id: &str) -> bool {
    let is_of_id = |c: char| !c.is_whitespace() && !"{}*/<>\"'`\\$()[]|".contains(c);
    !id.is_empty() && id.chars().all(is_of_id)
}

/// Strips the optional closing run of `#` of a heading line.
fn without_closing(source: &str) -> &str {
    let line = source.trim_end();
    let open = line.trim_end_matches('#');
    let is_closed = open.len() < line.len() && open.ends_with([' ', '\t']);
    if is_closed { open } else { line }.trim_end()
}

/// Returns the source of the heading at the start of `text`, the text of a section, without heading
/// markers and explicit id, or `None` if it cannot be determined.
pub fn heading_source(text: &str) -> Option<&str> {
    let mut lines = with_ends(text).map(str::trim);
    let first = lines.next()?;
    let text = first.trim_start_matches('#');
    let hashes = first.len() - text.len();
    let source = if (1..=6).contains(&hashes) && text.starts_with([' ', '\t']) {
        without_closing(text)
    } else {
        let rule = lines.next()?;
        let is_rule = |sign| !rule.is_empty() && rule.chars().all(|c| c == sign);
        // A first line that begins with `=` is a heading of AsciiDoc, `== Title`, and not a title
        // above a rule.
        let is_title = !first.starts_with('=') && (is_rule('=') || is_rule('-'));
        is_title.then_some(first)?
    };
    let end = explicit_id(source).map_or(source.len(), |id| id.text_end);
    let heading = source[..end].trim();
    (!heading.is_empty()).then_some(heading)
}

/// Returns the slug of a heading by GitHub's algorithm: lower case, `-` for each space, and only
/// letters, marks, decimal digits, connectors such as `_`, and `-`. `C++ & Rust: 1.0` becomes
/// `c--rust-10`, because each space counts.
pub fn slug(heading: &str) -> String {
    // The heading is converted as a whole, because the lower case of a letter may depend on those
    // around it: `Σ` is `ς` at the end of a word and `σ` elsewhere (Unicode, SpecialCasing.txt).
    let lower = heading.to_lowercase();
    let kept = |c: char| match c {
        ' ' | '-' => Some('-'),
        c if is_of_word(c) => Some(c),
        _ => None,
    };
    lower.chars().filter_map(kept).collect()
}

fn is_of_word(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_alphanumeric() || c == '_';
    }
    c.is_alphabetic()
        // Combining marks are kept: a letter in decomposed form, `e` and U+0301, would otherwise
        // lose its accent, and the slug would differ from the one in links.
        || unicode_normalization::char::is_combining_mark(c)
        || is_connector(c)
        || is_decimal_digit(c)
}

/// Returns true if `c` is connector punctuation.
fn is_connector(c: char) -> bool {
    matches!(
        c,
        '_' | '\u{203F}' | '\u{2040}' | '\u{2054}' | '\u{FE33}' | '\u{FE34}' | '\u{FE4D}'
            ..='\u{FE4F}' | '\u{FF3F}'
    )
}

/// Returns true if `c` is a decimal digit of some script; `½` and `①` are not.
fn is_decimal_digit(c: char) -> bool {
    // `char::is_numeric` includes all numbers, such as `½` and `①`. Those that may continue an
    // identifier are decimal digits and numbers that are letters, such as `Ⅳ`, except for the
    // digits of Ethiopic and one of New Tai Lue, which Unicode lists as exceptions
    // (`Other_ID_Continue`).
    let is_other = matches!(c, '\u{1369}'..='\u{1371}' | '\u{19DA}');
    c.is_numeric() && unicode_ident::is_xid_continue(c) && !is_other
}

/// Returns the slug of the plain text of a heading, truncated if long.
pub fn text_slug(text: &str) -> String {
    let end = text.char_indices().nth(SLUG_CHARS);
    slug(&text[..end.map_or(text.len(), |(end, _)| end)])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_after_headings() {
        for (source, expected) in [
            ("## 사용법 {/*usage*/}", Some(("usage", "## 사용법"))),
            ("## Usage {/* #usage */} ", Some(("usage", "## Usage"))),
            ("## Usage {#how-to}", Some(("how-to", "## Usage"))),
            (
                "## Usage {#how_to .wide} ##\n",
                Some(("how_to", "## Usage")),
            ),
            ("Usage\t{#a.b}", Some(("a.b", "Usage"))),
            ("## Usage { #how-to }", Some(("how-to", "## Usage"))),
            (
                "## Usage {: .wide #how-to data-x=\"y z\" }",
                Some(("how-to", "## Usage")),
            ),
            ("## 1.2 { id=\"v1.2\" }", Some(("v1.2", "## 1.2"))),
            ("## Usage { .wide }", None),
            ("## Usage { wide #how-to }", None),
            ("## {#each}", None),
            ("## a{#b}", None),
            ("## `x {#b}`", None),
            ("## Length ${#name}", None),
            ("## Remark {/* two words */}", None),
            ("## Empty {#}", None),
            ("## Object {a}", None),
            ("## {#a} b", None),
        ] {
            let found = explicit_id(source).map(|found| (found.id, &source[..found.text_end]));
            assert_eq!(found, expected, "{source}");
        }
    }

    #[test]
    fn headings_as_they_are_written() {
        for (text, expected) in [
            (
                "# One *emph* `code` [link](x) #\ntext\n",
                Some("One *emph* `code` [link](x)"),
            ),
            ("  ## Usage {#id}\r\n", Some("Usage")),
            ("Two *words*\n===\n", Some("Two *words*")),
            ("Two *words*\r===\rtext", Some("Two *words*")),
            ("== Adoc\n----\ncode\n", None),
            ("=====\nTitle\n=====\n", None),
            ("Two\nlines\n===\n", None),
            ("#\n", None),
        ] {
            assert_eq!(heading_source(text), expected, "{text}");
        }
    }

    #[test]
    fn slugs() {
        for (heading, expected) in [
            ("One  two", "one--two"),
            ("A & b", "a--b"),
            ("설정 (옵션)", "설정-옵션"),
            ("snake_case-ÉTÉ", "snake_case-été"),
            ("② 절 ¾ x³", "-절--x"),
            ("a⁀b_c", "a⁀b_c"),
            ("٣ Ⅷ ⓐ", "٣-ⅷ-ⓐ"),
            ("⚙️ 👩‍💻 Dev", "\u{FE0F}--dev"),
            ("Ο ΔΡΟΜΟΣ", "ο-δρομος"),
            ("a\tb\u{A0}c\nd", "abcd"),
        ] {
            assert_eq!(text_slug(heading), expected);
        }
    }
}
