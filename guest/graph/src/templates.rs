//! Files that a program includes or links to before the Markdown is parsed, and so also within
//! code: `{{#include a.rs}}` of mdBook, `--8<-- "a.md"` of Python-Markdown, `{% include a.html %}`
//! of Jekyll.

use std::ops::Range;

use docent_text::lines::{with_ends, without_end};
use memchr::{memchr_iter, memmem};

use crate::limits::DESTINATION_BYTES;
use crate::link::{Found, LinkKind};

/// Directives of mdBook that name a file: `playpen` is the old name of `playground`.
const BOOK: [&str; 4] = ["include", "rustdoc_include", "playground", "playpen"];

/// Core of the marker of snippets.
const SCISSORS: &str = "8<";

/// Returns the files that a Markdown text refers to in this way.
pub fn read(text: &str) -> Vec<Found> {
    let bytes = text.as_bytes();
    let (mut found, mut tags) = (Vec::new(), Vec::new());
    let mut behind = 0;
    for at in memchr_iter(b'{', bytes).filter(|at| at + 1 < bytes.len()) {
        match bytes[at + 1] {
            // The second and the third brace of `{{{` are not another pair.
            b'{' if at >= behind => {
                found.extend(book(text, at));
                behind = at + 2;
            }
            b'%' => tags.extend(liquid(text, at)),
            _ => {}
        }
    }
    found.append(&mut tags);
    if memmem::find(bytes, SCISSORS.as_bytes()).is_some() {
        snippets(text, &mut found);
    }
    found
}

/// Returns true if lines of plain words may name files in this text.
pub fn has_bare_paths(text: &str) -> bool {
    memmem::find(text.as_bytes(), SCISSORS.as_bytes()).is_some()
}

/// Returns the range of the first word of `text` from `at`, without the blanks before it.
fn word(text: &str, at: usize) -> Option<Range<usize>> {
    let rest = text.get(at..)?;
    let start = at + rest.len() - rest.trim_start().len();
    let line = &text[start..text.floor_char_boundary((start + DESTINATION_BYTES).min(text.len()))];
    let end = line.find(|c: char| c.is_whitespace() || c == '}' || c == '%');
    let range = start..start + end.unwrap_or(line.len());
    (!range.is_empty()).then_some(range)
}

/// Returns the file of `{{#include path:anchor}}`, whose `{{` is at `at`. A backslash before it
/// makes it text.
fn book(text: &str, at: usize) -> Option<Found> {
    let name = word(text, at + 2)?;
    let is_it = text[name.clone()]
        .strip_prefix('#')
        .is_some_and(|name| BOOK.contains(&name));
    if !is_it || text[..at].ends_with('\\') {
        return None;
    }
    let argument = word(text, name.end)?;
    let close = text[argument.end..].find("}}")?;
    let is_closed = !text[argument.end..argument.end + close].contains(['\n', '\r', '}']);
    // Text after a colon is a range of lines or the name of a part: `a.rs:3:7`, `a.rs:main`.
    let length = text[argument.clone()].find(':').unwrap_or(argument.len());
    let path = argument.start..argument.start + length;
    let span = at..argument.end + close + 2;
    let found = Found::new(text, LinkKind::Book, span, path)?;
    (is_closed && length > 0).then_some(found)
}

/// Returns the file of a Jekyll tag whose `{%` is at `at`. The target begins at the site unless
/// Jekyll resolves it from the document.
fn liquid(text: &str, at: usize) -> Option<Found> {
    let open = at + 2 + usize::from(text[at + 2..].starts_with('-'));
    let name = word(text, open)?;
    let above = match &text[name.clone()] {
        "include" | "include_cached" => "/_includes/",
        "include_relative" => "",
        "link" => "/",
        "post_url" => "/_posts/",
        _ => return None,
    };
    let written = word(text, name.end)?;
    let end = text[written.end..].lines().next()?;
    let close = end.find("%}")?;
    let quoted = &text[written.clone()];
    let path = quoted.trim_matches(['"', '\'']);
    let start = written.start + usize::from(quoted.len() > path.len());
    let destination = start..start + path.len();
    (!path.is_empty() && !path.starts_with('{')).then(|| Found {
        kind: LinkKind::Liquid,
        span: at..written.end + close + 2,
        destination: Some(destination),
        target: format!("{above}{path}"),
    })
}

/// Adds the files of `--8<-- "path"`, and those on the lines between two `--8<--`.
fn snippets(text: &str, found: &mut Vec<Found>) {
    let (mut start, mut is_list) = (0, false);
    for line in with_ends(text) {
        let plain = without_end(line).trim_end();
        let inner = plain.trim_start();
        let at = start + plain.len() - inner.len();
        start += line.len();
        let behind = marker_length(inner).map(|length| (at + length, &inner[length..]));
        match behind {
            Some((_, "")) => is_list = !is_list,
            Some((from, rest)) if !is_list => {
                let quoted = rest.trim_start();
                let from = from + rest.len() - quoted.len();
                let inside = ['"', '\''].iter().find_map(|quote| {
                    let inside = quoted.strip_prefix(*quote)?.strip_suffix(*quote)?;
                    (rest.len() > quoted.len()).then_some(inside)
                });
                found.extend(inside.and_then(|path| snippet(text, from + 1, path)));
            }
            None if is_list && !inner.is_empty() && !inner.starts_with(';') => {
                found.extend(snippet(text, at, inner));
            }
            _ => {}
        }
    }
}

/// Returns the length of a marker like `--8<--` at the beginning of a line.
fn marker_length(line: &str) -> Option<usize> {
    let inside = line.trim_start_matches('-');
    let behind = inside.strip_prefix(SCISSORS)?;
    let rest = behind.trim_start_matches('-');
    let has_dashes = inside.len() < line.len() && rest.len() < behind.len();
    has_dashes.then_some(line.len() - rest.len())
}

fn snippet(text: &str, at: usize, path: &str) -> Option<Found> {
    if path.contains("://") || path.len() > DESTINATION_BYTES {
        return None;
    }
    // The text after a colon is a range of lines, or the name of a part.
    let length = path.find(':').unwrap_or(path.len());
    let found = Found::new(
        text,
        LinkKind::Snippet,
        at..at + path.len(),
        at..at + length,
    )?;
    (length > 0).then_some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn links(text: &str) -> Vec<(LinkKind, String)> {
        let mut all = read(text);
        all.sort_by_key(|link| link.span.start);
        all.into_iter()
            .map(|link| (link.kind, link.target))
            .collect()
    }

    #[test]
    fn files_of_books() {
        let text = "```rust\n{{#include a.rs:2:10}}\n{{ #rustdoc_include ../b/c.rs:here }}\n```\n\
                    {{#playground d.rs editable}} \\{{#include no.rs}} {{#title No}} {{#include}}\n\
                    {{#include e.md\n}}\n{{#if a.md}}";
        let expected = ["a.rs", "../b/c.rs", "d.rs"];
        let expected = expected.map(|path| (LinkKind::Book, path.to_owned()));
        assert_eq!(links(text), expected);
    }

    #[test]
    fn snippets_of_python_markdown() {
        let text = "--8<-- \"a.md\"\n  -8<- 'b.md:part'\n;--8<-- \"no.md\"\n--8<-- [start:x]\n\
                    --8<--\nc/d.md:1:3\n; no.md\n\ne.md\n--8<--\nf.md\n--8<-- \"https://x.y/z.md\"\n\
                    --8<--\"no.md\"\n";
        let expected = ["a.md", "b.md", "c/d.md", "e.md"];
        let expected = expected.map(|path| (LinkKind::Snippet, path.to_owned()));
        assert_eq!(links(text), expected);
    }

    #[test]
    fn tags_of_jekyll() {
        let text = "{% include a.html x=\"1\" %} {%- include_relative b.md -%} [c]({% link c/d.md %})\n\
                    {% post_url 2020-01-01-e %} {% include {{ page.f }} %} {% includes g %} {% link h.md\n";
        let expected = [
            "/_includes/a.html",
            "b.md",
            "/c/d.md",
            "/_posts/2020-01-01-e",
        ];
        let expected = expected.map(|path| (LinkKind::Liquid, path.to_owned()));
        assert_eq!(links(text), expected);
    }
}
