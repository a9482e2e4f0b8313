//! One-sentence descriptions of documents, taken from their first paragraph.

use crate::format::Format;
use crate::front_matter;
use crate::headings::heading::one_line;
use crate::limits::{ABOUT_BYTES, ABOUT_CHARS, ABOUT_LEAST_BYTES};
use docent_text::sentences;

/// Prefixes of lines that are not prose: headings, images, badges, tables, HTML, code, directives,
/// lists and rules. Without them, the description of a typical README would be its logo or a row of
/// badges.
const NO_PROSE: [&str; 16] = [
    "#", "![", "[!", "|", "<", "```", "~~~", "..", ":", "import ", "---", "===", "***", "[[", "- ",
    "* ",
];

/// Returns the first sentence of the first paragraph of prose, on one line, or `None` if the
/// beginning of the document has none. Of the following text it is `Reads documents.`:
///
/// ```text
/// # docent
/// [![build](badge.svg)](ci)
///
/// Reads **documents**. Runs anywhere. ```
pub fn about(file_name: &str, text: &str) -> Option<String> {
    let format = Format::from_content(file_name, text)?;
    let body = match format {
        Format::Markdown | Format::Mdx => front_matter::length(text),
        _ => 0,
    };
    let end = text.floor_char_boundary(body.saturating_add(ABOUT_BYTES).min(text.len()));
    let mut paragraph = String::new();
    let mut is_code = false;
    let mut before = "";
    for line in text[body..end].lines() {
        // The marker of a block quote is removed: a quote at the beginning is usually the author's
        // own summary.
        let plain = line.trim().trim_start_matches("> ").trim();
        if plain.starts_with("```") || plain.starts_with("~~~") {
            is_code = !is_code;
        }
        let is_marked =
            NO_PROSE.iter().any(|sign| plain.starts_with(sign)) || is_markup(format, plain);
        let is_block = is_code || is_marked || line.starts_with("    ") || is_definition(plain);
        let is_prose = !is_block && plain.chars().any(char::is_alphanumeric);
        let is_underline =
            plain.len() > 2 && plain.bytes().all(|b| matches!(b, b'=' | b'-' | b'~'));
        if is_underline && paragraph == before {
            // The line before is the whole paragraph, and this one underlines it: both were a
            // heading (setext in CommonMark, or a title of reStructuredText). A longer paragraph
            // before a rule is kept.
            paragraph.clear();
            continue;
        }
        if is_prose {
            if !paragraph.is_empty() {
                paragraph.push(' ');
            }
            paragraph.push_str(plain);
            before = plain;
        } else if !paragraph.is_empty() {
            break;
        }
    }
    let sentence = first_sentence(&strip_markdown(&one_line(&paragraph)));
    (!sentence.is_empty()).then_some(sentence)
}

/// Returns true if a line of this format is markup and not prose.
fn is_markup(format: Format, line: &str) -> bool {
    let is_digit = |c: char| c.is_ascii_digit();
    match format {
        Format::Adoc => line.starts_with('='),
        Format::Org => line.starts_with("**"),
        Format::Tex => line.starts_with(['\\', '%', '{', '}']),
        Format::Textile => {
            let rest = line
                .trim_start_matches(['h', 'b', 'c', 'p', 'r', 'e'])
                .trim_start_matches(is_digit);
            rest.len() < line.len() && rest.starts_with(['.', '('])
        }
        Format::Mediawiki => line.starts_with(['=', '{', '}', '!', '\'', '*', '_']),
        Format::Man => line.starts_with(['.', '\'']),
        Format::Captions => {
            line.contains("-->")
                || line.starts_with("WEBVTT")
                || line.chars().all(|c| c.is_ascii_digit())
        }
        _ => false,
    }
}

/// Returns true if a line is a link reference or footnote definition: `[label]: a.md`. Such lines
/// are often at the start of a document, and a reader never sees them. A line that begins with a
/// link, such as `[a](b.md) or [c]: text`, is prose.
fn is_definition(line: &str) -> bool {
    line.starts_with('[')
        && line
            .find("]:")
            .is_some_and(|end| !line[..end].contains("]("))
}

/// Strips the Markdown of a line: `**bold**` becomes `bold`, `[text](a.md)` becomes `text`. The
/// markers are removed by hand and not by a parser, because the line may be the beginning of a
/// construct that ends beyond the description. Code is kept with its backticks.
fn strip_markdown(line: &str) -> String {
    let mut text = String::new();
    let mut rest = line;
    while let Some(at) = rest.find(['*', '[', '`']) {
        text.push_str(&rest[..at]);
        rest = &rest[at..];
        let after = &rest[1..];
        match rest.as_bytes()[0] {
            b'`' => {
                let end = after.find('`').map_or(rest.len(), |end| end + 2);
                text.push_str(&rest[..end]);
                rest = &rest[end..];
            }
            b'[' => match (after.find("]("), after.find(')')) {
                (Some(middle), Some(end)) if middle < end => {
                    text.push_str(after[..middle].trim_start_matches('!').trim_matches('*'));
                    rest = &after[end + 1..];
                }
                _ => {
                    text.push('[');
                    rest = after;
                }
            },
            _ => rest = after.trim_start_matches('*'),
        }
    }
    text.push_str(rest);
    text
}

/// Returns the first sentence of a text on one line, truncated to [`ABOUT_CHARS`] characters.
pub fn first_sentence(text: &str) -> String {
    let text = text.trim();
    // A word or two, such as `Note.`, say nothing alone, so that a short sentence is joined with
    // the next one. Only the part that can be shown is searched: a character has at most four
    // bytes.
    let window = &text[..text.floor_char_boundary((4 * ABOUT_CHARS).min(text.len()))];
    let end = sentences::first_sentence_end(window, ABOUT_LEAST_BYTES);
    let sentence = text[..end.unwrap_or(text.len())].trim();
    match sentence.char_indices().nth(ABOUT_CHARS) {
        Some((cut, _)) => format!("{}...", sentence[..cut].trim_end()),
        None => sentence.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_sentences_of_prose() {
        for (name, text, expected) in [
            (
                "a.md",
                "---\ntitle: T\n---\n# Title\n\n[![CI](x.svg)](y)\n\nReads `v1.2`\nof it. More.\n",
                Some("Reads `v1.2` of it."),
            ),
            (
                "a.md",
                "Title\n=====\n\n설정을 바꾼다. 끝\n",
                Some("설정을 바꾼다."),
            ),
            (
                "a.md",
                "```sh\nnot this\n```\n\nBut this\n",
                Some("But this"),
            ),
            (
                "a.rst",
                ".. note:: no\n\nTitle\n-----\n\nWhat it is.\n",
                Some("What it is."),
            ),
            (
                "a.adoc",
                "= Title\n:toc:\n\nWhat it is!\n",
                Some("What it is!"),
            ),
            (
                "a.md",
                "[x]: https://a.b\n**Note.** See [the `[guide]`](b.md) *now*. More.\n",
                Some("Note. See the `[guide]` now."),
            ),
            (
                "a.md",
                "# T\n\n> Quoted first.\n\n- item\n",
                Some("Quoted first."),
            ),
            (
                "a.md",
                "- item\n- item\n\nText behind it.\n",
                Some("Text behind it."),
            ),
            (
                "a.md",
                "# T\n\nAsks `why? When!` of it, e.g. Now. More.\n",
                Some("Asks `why? When!` of it, e.g. Now."),
            ),
            ("a.md", "# Only\n\n<p align=\"center\">\n", None),
            ("a.md", "", None),
        ] {
            assert_eq!(about(name, text).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn long_sentences_end() {
        let long = "가".repeat(ABOUT_CHARS + 1);
        assert_eq!(first_sentence(&long).chars().count(), ABOUT_CHARS + 3);
    }
}
