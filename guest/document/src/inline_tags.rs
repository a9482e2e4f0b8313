//! Inline tags of a document: `#tag`, outside code, headings and link destinations.

use std::ops::Range;

use docent_text::sort::sort_by_key;

use pulldown_cmark::{Event, Options, Parser, Tag};

/// Returns the tags of a Markdown text, without `#`, in order and with duplicates.
pub fn inline_tags(markdown: &str) -> Vec<&str> {
    let mut candidates = candidates(markdown).peekable();
    // Most texts have no tag, and need not be parsed: the search for `#` costs far less than a
    // parser, and runs for each document whose metadata is read.
    if candidates.peek().is_none() {
        return Vec::new();
    }
    let other = non_text_spans(markdown);
    let mut next = 0;
    candidates
        .filter(|tag| {
            while other.get(next).is_some_and(|span| span.end <= tag.start) {
                next += 1;
            }
            other.get(next).is_none_or(|span| tag.start < span.start)
        })
        .map(|tag| &markdown[tag.start + 1..tag.end])
        .collect()
}

/// Returns the positions of tag candidates: a `#` at the start of a word, followed by letters,
/// digits, `_`, `-` and `/`, not only digits.
fn candidates(text: &str) -> impl Iterator<Item = Range<usize>> {
    memchr::memchr_iter(b'#', text.as_bytes()).filter_map(|at| {
        let before = text[..at].chars().next_back();
        // A tag begins a word: `C#` and `page#part` are not tags; `(#tag)` is one. A tag of digits
        // alone is omitted, because `#12` is the number of an issue.
        if before
            .is_some_and(|c| !c.is_whitespace() && !matches!(c, '(' | '[' | ',' | ';' | '"' | '\''))
        {
            return None;
        }
        let rest = &text[at + 1..];
        let length = rest
            .find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '-' | '/')))
            .unwrap_or(rest.len());
        let tag = rest[..length].trim_end_matches(['-', '/']);
        let starts_well = tag.starts_with(|c: char| c.is_alphanumeric() || c == '_');
        (starts_well && !tag.bytes().all(|byte| byte.is_ascii_digit()))
            .then_some(at..at + 1 + tag.len())
    })
}

/// Returns the spans of code, headings, HTML and link destinations, ascending.
fn non_text_spans(markdown: &str) -> Vec<Range<usize>> {
    let mut spans: Vec<Range<usize>> = Vec::new();
    for (event, span) in Parser::new_ext(markdown, Options::ENABLE_TABLES).into_offset_iter() {
        let other = match event {
            Event::Code(_)
            | Event::Html(_)
            | Event::InlineHtml(_)
            | Event::Start(Tag::CodeBlock(_) | Tag::Heading { .. } | Tag::HtmlBlock) => span,
            Event::Start(Tag::Link { .. } | Tag::Image { .. }) => {
                // The destination begins at the last `](`: the text of a link may contain an image
                // with a destination of its own, as in `[![#1](a.png)](b.md#c)`.
                match markdown[span.clone()].rfind("](") {
                    Some(at) => span.start + at..span.end,
                    // A link such as `[a][b]` has its destination elsewhere.
                    None => continue,
                }
            }
            _ => continue,
        };
        spans.push(other);
    }
    sort_by_key(&mut spans, |span| span.start);
    // Spans that are nested in another are merged with it, such as code in a heading. The tags are
    // then compared in one pass over both lists, which requires spans that ascend and do not
    // overlap.
    let mut outer: Vec<Range<usize>> = Vec::with_capacity(spans.len());
    for span in spans {
        match outer.last_mut() {
            Some(last) if span.start < last.end => last.end = last.end.max(span.end),
            _ => outer.push(span),
        }
    }
    outer
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tag_syntax() {
        let text = "#start of a line, (#inside), #한글 #a/b-c_d. x#no # no #12 #1st\n\n\
            # Heading #no\n\n## #no\n\n`#no` and ```#no```\n\n```\n#no\n```\n\n    #no\n\n\
            [a](#no) [#yes](b.md) [c](d.md \" #no\") &#35; <a href=\" #no\">\n\nSetext #no\n===\n\n\
            - #item\n\n> #quote";
        assert_eq!(
            inline_tags(text),
            [
                "start", "inside", "한글", "a/b-c_d", "1st", "yes", "item", "quote"
            ]
        );
        assert!(inline_tags("none here").is_empty());
    }
}
