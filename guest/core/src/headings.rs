//! Headings and names of documents, as CommonMark has them.

use std::ops::Range;

use pulldown_cmark::{BrokenLink, Event, HeadingLevel, Options, Parser, Tag, TagEnd};

use crate::extensions::extension;
use crate::front_matter;
use crate::limits::{HEADING_BYTES, HEADING_TRIES, NAME_CHARS, SECTIONS};
use crate::lines::{with_ends, without_end};
use crate::markup::{adoc_headings, rst_headings};
use crate::outline;

/// What Markdown is held to have beside what CommonMark says.
pub const OPTIONS: Options = Options::ENABLE_TABLES;

/// A heading of a Markdown document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Heading {
    /// 1 to 6.
    pub level: u8,
    /// Its plain text on one line.
    pub text: String,
    /// Where it stands, from the beginning of its first line.
    pub span: Range<usize>,
}

/// Returns the headings at the beginning of `markdown`, in order; those inside quotes and lists are
/// part of these.
pub fn headings(markdown: &str) -> Vec<Heading> {
    let mut headings = outline::headings(with_headings(markdown));
    headings.truncate(SECTIONS);
    headings
}

/// Returns the headings of `markdown`, in order, by parsing all of it.
pub fn parsed(markdown: &str) -> Vec<Heading> {
    parsed_with(markdown, &|_| false)
}

/// Returns the headings of `markdown`, in order, where further labels of links are defined
/// elsewhere.
pub fn parsed_with(markdown: &str, is_defined: &dyn Fn(&str) -> bool) -> Vec<Heading> {
    let mut headings = Vec::new();
    let mut depth = 0usize;
    let mut open: Option<Heading> = None;
    let elsewhere =
        |link: BrokenLink<'_>| is_defined(&link.reference).then(|| ("".into(), "".into()));
    let parser = Parser::new_with_broken_link_callback(markdown, OPTIONS, Some(elsewhere));
    for (event, span) in parser.into_offset_iter() {
        match (event, &mut open) {
            (Event::Start(Tag::Heading { level, .. }), _) if depth == 0 => {
                let start = markdown[..span.start]
                    .rfind(['\n', '\r'])
                    .map_or(0, |at| at + 1);
                open = Some(Heading {
                    level: level_number(level),
                    text: String::new(),
                    span: start..span.end,
                });
            }
            (Event::End(TagEnd::Heading(_)), Some(heading)) => {
                heading.text = one_line(&heading.text);
                headings.extend(open.take());
            }
            (Event::Text(text) | Event::Code(text), Some(heading)) => heading.text.push_str(&text),
            (Event::SoftBreak | Event::HardBreak, Some(heading)) => heading.text.push(' '),
            (Event::Start(tag), None) if is_container(&tag) => depth += 1,
            (Event::End(tag), None) if is_container_end(tag) => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    headings
}

/// Returns `text` on one line, cut to what an answer shows of a name.
pub fn one_line(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(NAME_CHARS) {
        Some((end, _)) => format!("{}...", &line[..end]),
        None => line,
    }
}

/// Returns the beginning of `text` in which headings are looked for, in whole lines.
pub fn with_headings(text: &str) -> &str {
    if text.len() <= HEADING_BYTES {
        return text;
    }
    let beginning = &text[..text.floor_char_boundary(HEADING_BYTES)];
    beginning
        .rfind('\n')
        .map_or(beginning, |end| &beginning[..=end])
}

fn is_container(tag: &Tag<'_>) -> bool {
    matches!(tag, Tag::BlockQuote(_) | Tag::List(_) | Tag::Item)
}

fn is_container_end(tag: TagEnd) -> bool {
    matches!(tag, TagEnd::BlockQuote(_) | TagEnd::List(_) | TagEnd::Item)
}

fn level_number(level: HeadingLevel) -> u8 {
    match level {
        HeadingLevel::H1 => 1,
        HeadingLevel::H2 => 2,
        HeadingLevel::H3 => 3,
        HeadingLevel::H4 => 4,
        HeadingLevel::H5 => 5,
        HeadingLevel::H6 => 6,
    }
}

/// Returns the text of the first heading of level 1 in `markdown`; none where there is none or it
/// is empty.
///
/// What a line is, is decided by what stands before it: so the document is parsed only up to the
/// first lines that could be such a heading.
fn first_title(markdown: &str) -> Option<String> {
    let mut end = 0;
    let mut tries = 0;
    for line in with_ends(markdown) {
        end += line.len();
        if !may_be_title(without_end(line)) {
            continue;
        }
        tries += 1;
        let upto = if tries > HEADING_TRIES {
            markdown
        } else {
            &markdown[..end]
        };
        let found = headings(upto)
            .into_iter()
            .find(|heading| heading.level == 1);
        if found.is_some() || tries > HEADING_TRIES {
            return found
                .map(|heading| heading.text)
                .filter(|text| !text.is_empty());
        }
    }
    None
}

/// Whether a line can be a heading of level 1, or the rule below one.
fn may_be_title(line: &str) -> bool {
    let indented = line.trim_start_matches(' ');
    if line.len() - indented.len() > 3 {
        return false;
    }
    match indented.strip_prefix('#') {
        Some(rest) => rest.is_empty() || rest.starts_with([' ', '\t']),
        None => indented.starts_with('=') && indented.trim_end().bytes().all(|byte| byte == b'='),
    }
}

/// Whether documents of this name have headings, and so may have a title.
pub fn has_headings(file_name: &str) -> bool {
    let extension = extension(file_name).unwrap_or_default();
    front_matter::is_markdown(file_name)
        || extension.eq_ignore_ascii_case("rst")
        || extension.eq_ignore_ascii_case("adoc")
}

/// Returns a document's own title: of its front matter, else its first heading of level 1.
pub fn title(file_name: &str, text: &str) -> Option<String> {
    if front_matter::is_markdown(file_name) {
        let (front, body) = text.split_at(front_matter::length(text));
        let title = front_matter::title(front).map(|title| one_line(&title));
        return title.or_else(|| first_title(with_headings(body)));
    }
    let all = match extension(file_name)?.to_ascii_lowercase().as_str() {
        "rst" => rst_headings(text),
        "adoc" => adoc_headings(text),
        _ => return None,
    };
    all.into_iter()
        .find(|heading| heading.level == 1)
        .map(|heading| heading.text)
}

/// Returns a document's name: its title, else its file name without extension.
pub fn name(file_name: &str, text: &str) -> String {
    title(file_name, text).unwrap_or_else(|| {
        let stem = file_name
            .rsplit_once('.')
            .map_or(file_name, |(stem, _)| stem);
        if stem.is_empty() { file_name } else { stem }.to_owned()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(markdown: &str) -> Vec<(u8, String)> {
        headings(markdown)
            .into_iter()
            .map(|heading| (heading.level, heading.text))
            .collect()
    }

    #[test]
    fn what_commonmark_calls_a_heading() {
        let text = "# One `code` *em*\n\n```\n# no\n```\n<div>\n# no\n</div>\n\nTwo\nlines\n===\n\n    # no\n\n> # no\n\n- # no\n\n## Three ##\n#no\n";
        let expected = [(1, "One code em"), (1, "Two lines"), (2, "Three")];
        assert_eq!(
            all(text),
            expected.map(|(level, text)| (level, text.to_owned()))
        );
    }

    #[test]
    fn spans_begin_with_their_line() {
        let text = "x\n\n  # A\n";
        assert_eq!(headings(text)[0].span.start, 3);
    }

    macro_rules! names {
        ($($name:ident: $file:expr, $text:expr => $expected:expr;)*) => {$(
            #[test]
            fn $name() {
                assert_eq!(name($file, $text), $expected);
            }
        )*};
    }

    names! {
        front_matter_first: "a.md", "---\ntitle: T\n---\n# H\n" => "T";
        first_heading: "a.md", "intro\n\n## sub\n# H\n# I\n" => "H";
        setext: "a.md", "Title\n=====\n" => "Title";
        not_in_code: "a.md", "```sh\n# no\n# no\n# no\n# no\n```\n\n# Yes\n" => "Yes";
        not_in_code_only: "a.md", "```sh\n# no\n" => "a";
        file_name: "guide.v2.md", "text" => "guide.v2";
        plain_text: "notes.txt", "# comment\n" => "notes";
        empty_heading: "a.md", "#\n" => "a";
        no_extension: "README", "" => "README";
        restructured_text: "a.rst", "Title\n=====\n" => "Title";
        asciidoc: "a.adoc", ":toc:\n= Title\n" => "Title";
    }
}
