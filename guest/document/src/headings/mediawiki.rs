//! Headings of MediaWiki.

use std::ops::Range;

use memchr::{memchr_iter, memmem};

use crate::headings::heading::{Heading, with_headings};
use crate::limits::{SECTIONS, TITLE_BYTES};
use docent_text::lines::{with_ends, without_end};

/// Elements in which no line is a heading, with the tags that end them.
const LITERAL: [(&str, &str); 7] = [
    ("<!--", "-->"),
    ("<nowiki", "</nowiki>"),
    ("<pre", "</pre>"),
    ("<syntaxhighlight", "</syntaxhighlight>"),
    ("<source", "</source>"),
    ("<math", "</math>"),
    ("<gallery", "</gallery>"),
];

/// Entities that titles use.
const ENTITIES: [(&str, &str); 10] = [
    ("&nbsp;", " "),
    ("&amp;", "&"),
    ("&lt;", "<"),
    ("&gt;", ">"),
    ("&quot;", "\""),
    ("&ndash;", "–"),
    ("&mdash;", "—"),
    ("&hellip;", "…"),
    ("&rarr;", "→"),
    ("&larr;", "←"),
];

/// Returns the headings of a MediaWiki text: a title between one to six `=` on each side, outside
/// comments and literal elements.
pub fn mediawiki_headings(text: &str) -> Vec<Heading> {
    let text = with_headings(text);
    let mut literal = literal_spans(text).into_iter().peekable();
    let mut headings = Vec::new();
    let mut start = 0;
    for line in with_ends(text) {
        while literal.next_if(|span| span.end <= start).is_some() {}
        let is_literal = literal.peek().is_some_and(|span| span.start < start);
        if !is_literal && let Some((level, title)) = heading(without_end(line)) {
            headings.push(Heading::new(level, &title, start..start + line.len()));
        }
        start += line.len();
    }
    headings.truncate(SECTIONS);
    headings
}

/// Returns level and title of a line such as `== Title ==`, which a comment may follow.
fn heading(line: &str) -> Option<(u8, String)> {
    if !line.starts_with('=') {
        return None;
    }
    let mut line = line.trim_end();
    while let Some(open) = line
        .strip_suffix("-->")
        .and_then(|before| before.rfind("<!--"))
    {
        line = line[..open].trim_end();
    }
    let count = |bytes: &mut dyn Iterator<Item = u8>| bytes.take_while(|b| *b == b'=').count();
    let opening = count(&mut line.bytes());
    let closing = count(&mut line.bytes().rev());
    // The shorter side gives the level, and further signs belong to the title. Of `===` one sign on
    // each side is markup.
    let level = opening
        .min(closing)
        .min(6)
        .min(line.len().saturating_sub(1) / 2);
    let inside = line.get(level..line.len() - level)?.trim();
    let level = u8::try_from(level).ok().filter(|level| *level > 0)?;
    let title = plain_title(inside);
    (!title.is_empty()).then_some((level, title))
}

/// Returns the spans of comments and literal elements, in order.
fn literal_spans(text: &str) -> Vec<Range<usize>> {
    let bytes = text.as_bytes();
    let mut spans: Vec<Range<usize>> = Vec::new();
    // The elements whose end was searched for in vain: no later one has an end either.
    let mut endless = [false; LITERAL.len()];
    let mut end = 0;
    for at in memchr_iter(b'<', bytes) {
        if at < end {
            continue;
        }
        let found = LITERAL
            .iter()
            .position(|(begin, _)| is_tag(&bytes[at..], begin));
        let Some(index) = found.filter(|index| !endless[*index]) else {
            continue;
        };
        let (begin, close) = LITERAL[index];
        let after = at + begin.len();
        if index > 0 {
            // `<nowiki/>` has no content.
            let tag = memchr::memchr(b'>', &bytes[after..]).map(|at| after + at);
            if tag.is_some_and(|tag| bytes[tag - 1] == b'/') {
                continue;
            }
        }
        match memmem::find(&bytes[after..], close.as_bytes()) {
            Some(length) => {
                end = after + length + close.len();
                spans.push(at..end);
            }
            // A comment without an end reaches to the end of the text; another element is text.
            None if index == 0 => {
                spans.push(at..bytes.len());
                break;
            }
            None => endless[index] = true,
        }
    }
    spans
}

/// Returns true if a text begins with this tag, in any case, and its name ends there.
fn is_tag(text: &[u8], begin: &str) -> bool {
    let head = text.get(..begin.len());
    let is_name = head.is_some_and(|head| head.eq_ignore_ascii_case(begin.as_bytes()));
    let next = text.get(begin.len());
    is_name && (begin == "<!--" || next.is_some_and(|next| !next.is_ascii_alphanumeric()))
}

/// Returns a title without the markup of emphasis, links, elements and templates.
fn plain_title(title: &str) -> String {
    let title = &title[..title.floor_char_boundary(TITLE_BYTES)];
    let mut text = String::new();
    let mut rest = title;
    while let Some(at) = rest.find(['[', '<', '\'', '{', '&']) {
        text.push_str(&rest[..at]);
        rest = &rest[at..];
        match inline(rest) {
            Some((words, length)) => {
                text.push_str(words);
                rest = &rest[length..];
            }
            None => {
                text.push_str(&rest[..1]);
                rest = &rest[1..];
            }
        }
    }
    text.push_str(rest);
    let text = text.trim();
    // A title that consists of templates only is shown as written.
    if text.is_empty() { title } else { text }.to_owned()
}

/// Returns the words of the markup at the start of `rest`, and its length.
fn inline(rest: &str) -> Option<(&str, usize)> {
    if let Some(link) = rest.strip_prefix("[[") {
        let (inside, _) = link.split_once("]]")?;
        let words = inside.rsplit_once('|').map_or(inside, |(_, words)| words);
        return Some((words.trim_start_matches(':'), inside.len() + 4));
    }
    if let Some(link) = rest.strip_prefix('[') {
        let (inside, _) = link.split_once(']')?;
        let (target, words) = inside.split_once(' ').unwrap_or((inside, inside));
        return target.contains("//").then_some((words, inside.len() + 2));
    }
    if rest.starts_with("{{") {
        return Some(("", rest.find("}}")? + 2));
    }
    if rest.starts_with("''") {
        return Some(("", rest.bytes().take_while(|byte| *byte == b'\'').count()));
    }
    if let Some((name, sign)) = ENTITIES.iter().find(|(name, _)| rest.starts_with(name)) {
        return Some((sign, name.len()));
    }
    let tag = rest.strip_prefix('<')?;
    if tag.starts_with("!--") {
        return Some(("", rest.find("-->")? + 3));
    }
    let end = rest.find('>')? + 1;
    let is_note = tag.starts_with("ref") && !rest[..end].ends_with("/>");
    if is_note && let Some(close) = rest.find("</ref>") {
        return Some(("", close + "</ref>".len()));
    }
    let is_tag = tag.starts_with(|c: char| c.is_ascii_alphabetic() || c == '/');
    is_tag.then_some(("", end))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::headings::heading::levels_and_texts;

    fn all(text: &str) -> Vec<(u8, String)> {
        levels_and_texts(mediawiki_headings(text))
    }

    #[test]
    fn titles() {
        for (line, level, title) in [
            ("= 개요 =", 1, "개요"),
            ("==Set '''up'''==  ", 2, "Set up"),
            ("=== [[설정|값]] and [[Main]] ===", 3, "값 and Main"),
            ("== [https://a.b the site] [1] ==", 2, "the site [1]"),
            ("== A<ref>no</ref> <small>b</small><br/> ==", 2, "A b"),
            (
                "== {{flag|KR}} Korea &amp; Japan == <!-- c -->",
                2,
                "Korea & Japan",
            ),
            ("=={{-ko-}}==", 2, "{{-ko-}}"),
            ("==== uneven ==", 2, "== uneven"),
            ("===", 1, "="),
            ("======= deep =======", 6, "= deep ="),
            ("== it's ==", 2, "it's"),
        ] {
            assert_eq!(all(line), [(level, title.to_owned())], "{line}");
        }
        for line in [
            "== open",
            " == x ==",
            "x == y ==",
            "==",
            "=",
            "== ==",
            "== x == y",
        ] {
            assert!(all(line).is_empty(), "{line} {:?}", all(line));
        }
    }

    #[test]
    fn not_within_literal_text() {
        let text = "== A ==\n<nowiki>\n== no ==\n</nowiki>\n<nowiki/>\n== B ==\n<pre class=\"x\">\n== no ==\n</pre>\n<!--\n== no ==\n--><PRE>\n== C ==\n<preface>\n== D ==\n<!--\n== no ==\n";
        let expected = [(2, "A"), (2, "B"), (2, "C"), (2, "D")];
        assert_eq!(all(text), expected.map(|(l, t)| (l, t.to_owned())));
    }
}
