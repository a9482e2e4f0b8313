//! Sections: a heading and the text below it up to the next heading.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::format::Format;
use crate::front_matter;
pub use crate::headings::anchor::slug;
use crate::headings::heading::Heading;
use crate::headings::{body_headings, text_headings};
use crate::limits::SECTIONS;
pub use crate::section::Section;
use docent_text::lines::with_ends;

/// Splits a document into sections, in order.
///
/// Text of a format without headings is split at blank lines, and so are captions of a short video.
pub fn sections(file_name: &str, text: &str) -> Vec<Section> {
    let format = Format::from_content(file_name, text).unwrap_or(Format::Plain);
    if format.is_markdown() {
        return markdown_sections(format, text);
    }
    match text_headings(format, text) {
        Some(headings) if format != Format::Captions || !headings.is_empty() => {
            from_headings(headings, 0..text.len())
        }
        _ => paragraphs(text),
    }
}

fn markdown_sections(format: Format, text: &str) -> Vec<Section> {
    let body = front_matter::length_in(format, text);
    let mut headings = body_headings(format, &text[body..]);
    for heading in &mut headings {
        heading.span = heading.span.start + body..heading.span.end + body;
    }
    from_headings(headings, body..text.len())
}

/// Returns the span of the section `index` with its subsections, up to the next heading of the same
/// or a higher level.
pub fn with_subsections(sections: &[Section], index: usize) -> Range<usize> {
    let Section { level, span, .. } = &sections[index];
    let after = sections[index + 1..]
        .iter()
        .take_while(|below| below.level > *level);
    span.start..after.last().map_or(span.end, |last| last.span.end)
}

fn from_headings(headings: Vec<Heading>, body: Range<usize>) -> Vec<Section> {
    let mut sections = Vec::with_capacity(headings.len() + 1);
    let first = headings
        .first()
        .map_or(body.end, |heading| heading.span.start);
    if first > body.start {
        sections.push(section_without_heading(body.start..first));
    }
    let ends: Vec<usize> = headings
        .iter()
        .skip(1)
        .map(|heading| heading.span.start)
        .chain([body.end])
        .collect();
    // The open headings, of ascending levels. A level may be skipped: `### C` directly below `# A`
    // has the path `A > C`. A heading closes those of its own level and of deeper ones, but not the
    // ones above it.
    let mut above: Vec<(u8, String)> = Vec::new();
    let mut slugs = Slugs::default();
    for (heading, end) in headings.into_iter().zip(ends) {
        above.truncate(
            above
                .iter()
                .position(|(level, _)| *level >= heading.level)
                .unwrap_or(above.len()),
        );
        above.push((heading.level, heading.text.clone()));
        sections.push(Section {
            level: heading.level,
            path: above.iter().map(|(_, text)| text.clone()).collect(),
            id: slugs.unique(heading.anchor),
            span: heading.span.start..end,
            heading: heading.text,
        });
    }
    sections
}

fn section_without_heading(span: Range<usize>) -> Section {
    Section {
        heading: String::new(),
        level: 0,
        path: Vec::new(),
        id: String::new(),
        span,
    }
}

/// A generator of unique slugs in a document, by GitHub's algorithm: the headings `Setup`, `Setup`,
/// `Setup` become
///
/// ```text
/// setup
/// setup-1
/// setup-2
/// ```
///
/// It maps the original slug of each heading to the last number appended to it: all numbers up to
/// that are taken, so that the generated slugs need not be stored.
#[derive(Debug, Default)]
pub struct Slugs(BTreeMap<String, u32>);

impl Slugs {
    /// Returns a slug for the next heading that differs from all earlier ones.
    pub fn unique(&mut self, slug: String) -> String {
        if !self.is_taken(&slug) {
            self.0.insert(slug.clone(), 0);
            return slug;
        }
        // A generated slug may equal that of a later heading: the headings `a`, `a`, `a-1` become
        // `a`, `a-1`, `a-1-1`. The search for a free number continues at the last one, because a
        // document may have thousands of equal headings, such as `Fixed` in a changelog.
        let mut number = self.0.get(&slug).copied().unwrap_or(0);
        let unique = loop {
            number += 1;
            let unique = format!("{slug}-{number}");
            if !self.0.contains_key(&unique) {
                break unique;
            }
        };
        self.0.insert(slug, number);
        unique
    }

    fn is_taken(&self, slug: &str) -> bool {
        self.0.contains_key(slug) || self.is_made_up(slug)
    }

    /// Returns true if it is the slug of an earlier heading followed by a number that is taken.
    fn is_made_up(&self, slug: &str) -> bool {
        let Some((before, digits)) = slug.rsplit_once('-') else {
            return false;
        };
        // Only a number in canonical notation can have been generated: `a-01` and `a-0` are slugs
        // of their own. A test compares this with an implementation that stores every slug.
        let is_number = matches!(digits.as_bytes(), [b'1'..=b'9', rest @ ..] if rest.iter().all(u8::is_ascii_digit));
        let number = digits.parse::<u32>().ok().filter(|_| is_number);
        let last = self.0.get(before);
        number.is_some_and(|number| last.is_some_and(|last| number <= *last))
    }
}

/// Splits at blank lines, which belong to the paragraph before them.
fn paragraphs(text: &str) -> Vec<Section> {
    let mut sections: Vec<Section> = Vec::new();
    let (mut start, mut end, mut was_blank) = (0, 0, false);
    for line in with_ends(text) {
        let is_blank = line.trim().is_empty();
        if was_blank && !is_blank && sections.len() < SECTIONS {
            sections.push(section_without_heading(start..end));
            start = end;
        }
        was_blank = is_blank;
        end += line.len();
    }
    if end > start {
        sections.push(section_without_heading(start..end));
    }
    sections
}

#[cfg(test)]
mod tests {
    use docent_test_texts::commonmark::{Example, examples};
    use proptest::prelude::*;

    use super::*;

    fn outline(name: &str, text: &str) -> Vec<(u8, String, String)> {
        sections(name, text)
            .into_iter()
            .map(|s| (s.level, s.path.join("/"), text[s.span].to_owned()))
            .collect()
    }

    fn entry(level: u8, path: &str, text: &str) -> (u8, String, String) {
        (level, path.to_owned(), text.to_owned())
    }

    #[test]
    fn markdown() {
        let text = "---\na: b\n---\nintro\n# A\none\n## B\ntwo\n### C\n# D\nend";
        assert_eq!(
            outline("x.md", text),
            [
                entry(0, "", "intro\n"),
                entry(1, "A", "# A\none\n"),
                entry(2, "A/B", "## B\ntwo\n"),
                entry(3, "A/B/C", "### C\n"),
                entry(1, "D", "# D\nend"),
            ]
        );
        assert_eq!(
            outline("x.md", "{\"a\": \"# no\"}\n# A\n"),
            [entry(1, "A", "# A\n")]
        );
        let all = sections("x.md", text);
        assert_eq!(
            &text[with_subsections(&all, 1)],
            "# A\none\n## B\ntwo\n### C\n"
        );
        assert_eq!(&text[with_subsections(&all, 4)], "# D\nend");
    }

    #[test]
    fn restructured_text() {
        let text = "=====\nTitle\n=====\n\nintro\n\nPart\n----\nx\n\nDeep\n~~~~\n\nNext\n----\n\na table\n\n== ==\n1  2\n== ==\n";
        let levels: Vec<(u8, String)> = sections("x.rst", text)
            .into_iter()
            .map(|s| (s.level, s.heading))
            .collect();
        let expected = [(1, "Title"), (2, "Part"), (3, "Deep"), (2, "Next")];
        assert_eq!(
            levels,
            expected.map(|(level, heading)| (level, heading.to_owned()))
        );
    }

    #[test]
    fn an_underline_is_not_the_overline_of_the_next_title() {
        let text = "One\n===\nTwo\n===\n\nx\n\n---\nSub\n---\nEnd\n---\n";
        let found: Vec<(u8, &str)> = sections("x.rst", text)
            .into_iter()
            .map(|section| (section.level, &text[section.span]))
            .collect();
        let expected = [
            (1, "One\n===\n"),
            (1, "Two\n===\n\nx\n\n"),
            (2, "---\nSub\n---\n"),
            (3, "End\n---\n"),
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn asciidoc() {
        let text = "= Doc\n\n== One\nx\n----\n== code\n----\n=== Two\n====\nbox\n====\n";
        let levels: Vec<(u8, String)> = sections("x.adoc", text)
            .into_iter()
            .map(|s| (s.level, s.heading))
            .collect();
        let expected = [(1, "Doc"), (2, "One"), (3, "Two")];
        assert_eq!(
            levels,
            expected.map(|(level, heading)| (level, heading.to_owned()))
        );
    }

    #[test]
    fn plain_text_by_blank_lines() {
        assert_eq!(
            outline("x.txt", "\na\nb\n\n\nc\r\n\r\nd"),
            [
                entry(0, "", "\n"),
                entry(0, "", "a\nb\n\n\n"),
                entry(0, "", "c\r\n\r\n"),
                entry(0, "", "d")
            ]
        );
    }

    #[test]
    fn slugs_are_unique() {
        let ids: Vec<String> = sections("x.md", "# A b!\n# a B\n# A-b-1\n# 설정 (옵션)\n# a b\n")
            .into_iter()
            .map(|s| s.id)
            .collect();
        assert_eq!(ids, ["a-b", "a-b-1", "a-b-1-1", "설정-옵션", "a-b-2"]);
    }

    #[test]
    fn the_examples_of_commonmark() {
        for Example { markdown, html } in examples() {
            for text in [
                markdown.clone(),
                markdown.replace('\n', "\r\n"),
                markdown.replace('\n', "\r"),
                markdown.trim_end_matches('\n').to_owned(),
            ] {
                let all = sections("x.md", &text);
                let joined: String = all.iter().map(|s| &text[s.span.clone()]).collect();
                let body = front_matter::length(&text);
                assert_eq!(joined, text[body..], "{text:?}");
            }
            // A heading in a list or quote is part of it.
            let is_inside = html.contains("<li>") || html.contains("<blockquote>");
            if is_inside || front_matter::length(&markdown) > 0 {
                continue;
            }
            let expected = (1..=6).map(|level| html.matches(&format!("<h{level}>")).count());
            let all = sections("x.md", &markdown);
            let headings = all.iter().filter(|section| section.level > 0).count();
            assert_eq!(headings, expected.sum::<usize>(), "{markdown:?}");
        }
    }

    /// Reference implementation of GitHub's unique slugs, which stores all of them.
    fn unique_among_all(all: &mut BTreeMap<String, u32>, slug: &str) -> String {
        let mut unique = slug.to_owned();
        while all.contains_key(&unique) {
            let times = all.entry(slug.to_owned()).or_default();
            *times += 1;
            unique = format!("{slug}-{times}");
        }
        all.insert(unique.clone(), 0);
        unique
    }

    proptest! {
        #[test]
        fn slugs_are_those_of_who_keeps_all(
            slugs in proptest::collection::vec("a?(-(0|1|2|3|01|10|[+]1|4294967296)){0,3}|", 0..60),
        ) {
            let (mut own, mut all) = (Slugs::default(), BTreeMap::new());
            for slug in slugs {
                let expected = unique_among_all(&mut all, &slug);
                prop_assert_eq!(own.unique(slug), expected);
            }
        }

        #[test]
        fn sections_tile_the_document(
            name in proptest::sample::select(&[
                "x.md", "x.rst", "x.adoc", "x.txt", "x.org", "x.tex", "x.textile", "x.wiki", "x.man", "x.srt",
            ][..]),
            pieces in proptest::collection::vec(proptest::sample::select(
                &["# ", "## ", "===", "---", "= ", "== ", "a", "한", "\n", "\r\n", "\n\n", "```", "> ", "- ", "    ", "~~~~", "* ", "#+begin_src", "#+end_src", "\\section", "{", "}", "%", "[", "]", "\\", "h1. ", "<!--", "-->", ".SH ", "\"", "00:10:00,0 --> 00:10:01,0"][..]
            ), 0..40),
        ) {
            let text = pieces.concat();
            let mut end = if crate::format::is_markdown(name) { front_matter::length(&text) } else { 0 };
            for section in sections(name, &text) {
                prop_assert_eq!(section.span.start, end);
                prop_assert!(section.span.end > end);
                end = section.span.end;
            }
            prop_assert_eq!(end, text.len());
        }
    }
}
