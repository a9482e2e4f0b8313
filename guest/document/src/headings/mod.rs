//! Headings and names of documents, by the rules of their formats.

pub mod anchor;
mod captions;
mod emphasis;
pub mod heading;
pub(crate) mod man;
mod markdown;
mod mediawiki;
pub(crate) mod org;
pub mod rst_adoc;
mod tex;
mod tex_title;
mod textile;

use crate::format::Format;
use crate::front_matter;
use crate::headings::captions::{caption_headings, caption_title};
use crate::headings::heading::{Heading, one_line, parse_headings, with_headings};
use crate::headings::man::{man_headings, man_title};
use crate::headings::mediawiki::mediawiki_headings;
use crate::headings::org::{org_headings, org_title};
use crate::headings::rst_adoc::{adoc_headings, rst_headings};
use crate::headings::tex::{tex_headings, tex_title};
use crate::headings::textile::textile_headings;
use crate::limits::{HEADING_TRIES, SECTIONS};
use crate::mdx::Mdx;
use crate::section::Section;
use docent_text::lines::{with_ends, without_end};

/// Returns the headings of the beginning of `markdown`, in order; headings inside quotes and lists
/// belong to those, and are not included.
pub fn headings(markdown: &str) -> Vec<Heading> {
    let mut headings = markdown::headings(with_headings(markdown));
    headings.truncate(SECTIONS);
    headings
}

/// Returns the headings of the body, after the front matter, of a Markdown document of this format.
pub fn body_headings(format: Format, body: &str) -> Vec<Heading> {
    match format {
        Format::Mdx => mdx_headings(with_headings(body)),
        _ => headings(body),
    }
}

/// Returns the headings of a text that is not Markdown, in order, or `None` if texts of its format
/// have no headings.
pub fn text_headings(format: Format, text: &str) -> Option<Vec<Heading>> {
    Some(match format {
        Format::Rst => rst_headings(text),
        Format::Adoc => adoc_headings(text),
        Format::Org => org_headings(text),
        Format::Tex => tex_headings(text),
        Format::Textile => textile_headings(text),
        Format::Mediawiki => mediawiki_headings(text),
        Format::Man => man_headings(text),
        Format::Captions => caption_headings(text),
        Format::Markdown | Format::Mdx | Format::Converted => return None,
        Format::Plain | Format::Log => return None,
    })
}

/// Returns the text of the first level-1 heading in `markdown`.
///
/// The kind of a line depends on the text before it, so the document is parsed only up to the first
/// lines that could be such a heading.
fn first_title(markdown: &str) -> Option<String> {
    let mut end = 0;
    let mut tries = 0;
    for line in with_ends(markdown) {
        end += line.len();
        if !may_be_title(without_end(line)) {
            continue;
        }
        // Lines such as `# remark` in a code block are candidates too, and each try parses from the
        // start of the document. After some tries, parsing the whole once is cheaper than a further
        // try for each line of a long script.
        tries += 1;
        let upto = if tries > HEADING_TRIES {
            markdown
        } else {
            &markdown[..end]
        };
        let title = headings(upto)
            .into_iter()
            .find(|heading| heading.level == 1);
        if title.is_some() || tries > HEADING_TRIES {
            return title.map(|heading| heading.text);
        }
    }
    None
}

/// Returns the text of the heading of any level at the start of `markdown`, or `None` if other
/// content precedes it, except comments and anchors.
fn opening_heading(markdown: &str) -> Option<String> {
    let mut rest = markdown;
    loop {
        rest = rest.trim_start_matches(['\n', '\r']);
        rest = if rest.starts_with("<!--") {
            let (_, after) = rest.split_once("-->")?;
            after.trim_start_matches([' ', '\t'])
        } else if rest.starts_with("<a ") {
            // An empty anchor such as `<a id="old-heading"></a>` is a target of older links to a
            // renamed heading. It is not shown, so that the heading after it still opens the
            // document.
            let line = with_ends(rest).next()?;
            if !line.trim_end().ends_with("\"></a>") {
                return None;
            }
            &rest[line.len()..]
        } else {
            break;
        };
    }
    // Two lines are parsed, because the second may underline the first. More are not needed: a
    // heading that follows other content does not open the document.
    let end: usize = with_ends(rest).take(2).map(str::len).sum();
    let heading = parse_headings(&rest[..end]).into_iter().next()?;
    (heading.span.start == 0 && !heading.text.is_empty()).then_some(heading.text)
}

/// Returns true if a line can be a level-1 heading, or the underline of one.
fn may_be_title(line: &str) -> bool {
    let indented = line.trim_start_matches(' ');
    // A line that is indented by four blanks or more is code.
    if line.len() - indented.len() > 3 {
        return false;
    }
    match indented.strip_prefix('#') {
        Some(rest) => rest.is_empty() || rest.starts_with([' ', '\t']),
        None => indented.starts_with('=') && indented.trim_end().bytes().all(|byte| byte == b'='),
    }
}

/// Returns the title of a document: that of its front matter, else its first level-1 heading, else
/// the heading at its start.
pub fn title(file_name: &str, text: &str) -> Option<String> {
    title_with(file_name, text, |format, body| {
        let Some(headings) = text_headings(format, body) else {
            return match format {
                Format::Mdx => first_title(&Mdx::new(with_headings(body)).markdown),
                _ => first_title(with_headings(body)),
            };
        };
        let mut headings = headings.into_iter();
        let top = headings.find(|heading| heading.level == 1);
        top.map(|heading| heading.text)
    })
}

/// Returns the title of a document; `top` returns the first level-1 heading of the body.
fn title_with(
    file_name: &str,
    text: &str,
    top: impl FnOnce(Format, &str) -> Option<String>,
) -> Option<String> {
    match Format::from_content(file_name, text)? {
        format @ (Format::Markdown | Format::Mdx | Format::Converted) => {
            let (front, body) = text.split_at(front_matter::length_in(format, text));
            let title = front_matter::title(front).map(|title| one_line(&title));
            let title = title.or_else(|| top(format, body).filter(|heading| !heading.is_empty()));
            // Text extracted from a binary document may begin with the heading of its first page or
            // sheet, which is not the title of the document.
            let may_open = matches!(format, Format::Markdown | Format::Mdx);
            title.or_else(|| may_open.then(|| opening_heading(body)).flatten())
        }
        format @ (Format::Rst | Format::Adoc) => top(format, text),
        format @ (Format::Textile | Format::Mediawiki) => top(format, text),
        Format::Org => org_title(text).or_else(|| top(Format::Org, text)),
        Format::Tex => tex_title(text).or_else(|| top(Format::Tex, text)),
        // `NAME` is the first heading of each manual page.
        Format::Man => man_title(text),
        // Headings of captions are times.
        Format::Captions => caption_title(text),
        Format::Plain | Format::Log => None,
    }
}

/// Returns the name of a document: its title, else its file name without extension.
pub fn name(file_name: &str, text: &str) -> String {
    title(file_name, text).unwrap_or_else(|| stem(file_name))
}

/// Returns the name of a document whose sections are known already.
pub fn name_with_sections(file_name: &str, text: &str, sections: &[Section]) -> String {
    let title = title_with(file_name, text, |_, _| {
        let top = sections.iter().find(|section| section.level == 1);
        top.map(|section| section.heading.clone())
    });
    title.unwrap_or_else(|| stem(file_name))
}

fn stem(file_name: &str) -> String {
    let stem = file_name
        .rsplit_once('.')
        .map_or(file_name, |(stem, _)| stem);
    if stem.is_empty() { file_name } else { stem }.to_owned()
}

/// Returns the headings of an MDX text without its front matter, in order.
pub(crate) fn mdx_headings(text: &str) -> Vec<Heading> {
    let mdx = Mdx::new(text);
    let mut headings = headings(&mdx.markdown);
    for heading in &mut headings {
        // The conversion of MDX moves line ends to outdent a line, so that the span of a heading
        // may begin and end beside its lines. The span is extended to whole lines of the document,
        // by the line ends of the original text.
        let start = text[..heading.span.start].rfind(['\n', '\r']);
        let start = start.map_or(0, |end| end + 1);
        let shown = text[start..heading.span.end].trim_end().len();
        let after = docent_text::lines::with_ends(&text[start + shown..]).next();
        heading.span = start..start + shown + after.map_or(0, str::len);
    }
    headings
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::sections::sections;

    fn all(markdown: &str) -> Vec<(u8, String)> {
        headings(markdown)
            .into_iter()
            .map(|heading| (heading.level, heading.text))
            .collect()
    }

    #[test]
    fn names_on_one_line() {
        for (text, expected) in [
            ("", ""),
            ("a", "a"),
            ("a b 설정", "a b 설정"),
            ("a  b", "a b"),
            (" a", "a"),
            ("a ", "a"),
            ("a\tb", "a b"),
            ("a\u{a0}b", "a b"),
            ("a\nb\n", "a b"),
            (" ", ""),
        ] {
            assert_eq!(one_line(text), expected, "{text:?}");
        }
        let long = "가".repeat(1_000);
        assert!(one_line(&long).ends_with("가..."));
    }

    #[test]
    fn commonmark_headings() {
        let text = "# One `code` *em*\n\n```\n# no\n```\n<div>\n# no\n</div>\n\nTwo\nlines\n===\n\n    # no\n\n> # no\n\n- # no\n\n## Three ##\n#no\n";
        let expected = [(1, "One code em"), (1, "Two lines"), (2, "Three")];
        assert_eq!(
            all(text),
            expected.map(|(level, text)| (level, text.to_owned()))
        );
    }

    #[test]
    fn ids_after_headings_are_not_text() {
        let text = "# 사용법 {/*usage*/}\n\n## The *end* {#the_end} ##\n\nTwo\nlines {#two}\n---\n\n## A  b\n\n## a &amp; `b` {#c}\n";
        let found: Vec<(String, String)> = headings(text)
            .into_iter()
            .map(|heading| (heading.text, heading.anchor))
            .collect();
        let expected = [
            ("사용법", "usage"),
            ("The end", "the_end"),
            ("Two lines", "two"),
            ("A b", "a--b"),
            ("a & b", "c"),
        ];
        assert_eq!(
            found,
            expected.map(|(text, anchor)| (text.to_owned(), anchor.to_owned()))
        );
    }

    #[test]
    fn spans_begin_with_their_line() {
        let text = "x\n\n  # A\n";
        assert_eq!(headings(text)[0].span.start, 3);
    }

    proptest! {
        #[test]
        fn a_name_of_sections_is_that_of_the_text(
            lines in proptest::collection::vec(proptest::sample::select(
                &["# A", "#", "## B", "===", "---", "text", "", "```", "> # Q", "title: T", "= C", "    # D", "<!-- x -->", "* E", "#+TITLE: F", "\\section{G}", "\\title{H}", "h1. I", "= J =", ".SH K", ".TH L 1"][..]
            ), 0..12),
            file in proptest::sample::select(&["a.md", "a.rst", "a.adoc", "a.txt", "a.docx", "a", "a.org", "a.tex", "a.textile", "a.wiki", "a.1", "a.vtt"][..]),
        ) {
            let text = lines.join("\n");
            let sections = sections(file, &text);
            prop_assert_eq!(name_with_sections(file, &text, &sections), name(file, &text), "{}", text);
        }
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
        json_front_matter: "a.md", "{\n \"title\": \"T\"\n}\n\n# H\n" => "T";
        json_without_title: "a.md", "{\"draft\": true}\n# H\n" => "H";
        no_title_in_front_matter: "a.md", "---\ntitle: ~\n---\n# H\n" => "H";
        first_heading: "a.md", "intro\n\n## sub\n# H\n# I\n" => "H";
        begins_lower: "a.md", "\n## The `Drop` *Trait*\n\ntext\n\n## More\n" => "The Drop Trait";
        begins_lower_with_rule: "a.md", "Title\n-----\ntext\n" => "Title";
        begins_with_remarks: "a.md", "<!-- old\nheadings -->\n\n<a id=\"x\"></a>\n\n## Closures\n" => "Closures";
        begins_with_text: "a.md", "text\n\n## More\n" => "a";
        begins_with_a_picture: "a.md", "<p>\n<img>\n</p>\n\n## Features\n" => "a";
        level_one_before_the_beginning: "a.md", "## Part\n\n# H\n" => "H";
        a_sheet: "a.xlsx", "## Sheet1\n" => "a";
        setext: "a.md", "Title\n=====\n" => "Title";
        not_in_code: "a.md", "```sh\n# no\n# no\n# no\n# no\n```\n\n# Yes\n" => "Yes";
        not_in_code_only: "a.md", "```sh\n# no\n" => "a";
        file_name: "guide.v2.md", "text" => "guide.v2";
        plain_text: "notes.txt", "# comment\n" => "notes";
        empty_heading: "a.md", "#\n" => "a";
        no_extension: "README", "" => "README";
        restructured_text: "a.rst", "Title\n=====\n" => "Title";
        org_keyword: "a.org", "* A\n#+TITLE: no\n" => "A";
        org_title_first: "a.org", "#+TITLE: 회의\n* A\n" => "회의";
        latex: "a.tex", "\\title{T}\n\\section{A}\n" => "T";
        latex_section: "a.tex", "\\section{A}\n" => "A";
        textile: "a.textile", "h2. B\n\nh1. A\n" => "A";
        mediawiki: "a.wiki", "= A =\n" => "A";
        mediawiki_article: "서울.wiki", "== A ==\n" => "서울";
        manual_page: "ls.1", ".TH LS 1\n.SH NAME\n" => "LS(1)";
        manual_page_without_title: "ls.1", ".SH NAME\n" => "ls";
        captions: "a.vtt", "WEBVTT\n\n10:00.000 --> 10:01.000\na\n" => "a";
        asciidoc: "a.adoc", ":toc:\n= Title\n" => "Title";
    }
}
