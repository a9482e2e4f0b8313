//! Sections of a text, the ends of their headings, and the usual number of blank lines around
//! these.

use std::ops::Range;

use docent_document::format::Format;
use docent_document::front_matter;
use docent_document::headings::{body_headings, text_headings};
use docent_document::sections::{Section, sections};
use docent_text::lines::{with_ends, without_end};

/// The sections of a text.
#[derive(Clone, Debug)]
pub struct SectionOutline {
    /// Sections, in order.
    pub sections: Vec<Section>,
    /// End of each section's heading, after its line end; the start of a section without a heading.
    pub heading_ends: Vec<usize>,
}

/// The usual numbers of blank lines in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlankLineCounts {
    /// Number between a heading and the text below it.
    pub below_heading: usize,
    /// Number between a text and the next heading.
    pub above_heading: usize,
}

impl SectionOutline {
    /// Determines the sections of `text`, a file called `name`.
    pub fn new(name: &str, text: &str) -> Self {
        let sections = sections(name, text);
        let (headings, offset) = match Format::from_content(name, text) {
            Some(format) if format.is_markdown() => {
                let body = front_matter::length_in(format, text);
                (body_headings(format, &text[body..]), body)
            }
            format => {
                let headings = format.and_then(|format| text_headings(format, text));
                (headings.unwrap_or_default(), 0)
            }
        };
        let mut ends = headings
            .into_iter()
            .map(|heading| heading.span.end + offset);
        let end = |section: &Section| {
            let start = section.span.start;
            let end = if section.level == 0 {
                None
            } else {
                ends.next()
            };
            end.map_or(start, |end| line_end(text, start..section.span.end, end))
        };
        let heading_ends = sections.iter().map(end).collect();
        Self {
            sections,
            heading_ends,
        }
    }

    /// Returns the numbers of blank lines around most headings of `text`, at least one: in a file
    /// with two above each heading, a new heading gets two as well.
    pub fn habit(&self, text: &str) -> BlankLineCounts {
        let (mut below, mut above) = (Vec::new(), Vec::new());
        for (section, heading_end) in self.sections.iter().zip(&self.heading_ends) {
            if section.level == 0 {
                continue;
            }
            if let Some(core) = core(text, *heading_end..section.span.end) {
                below.push(blank_lines(&text[*heading_end..core.start]));
            }
            let before = &text[..section.span.start];
            let content = before.trim_end_matches(is_blank);
            if !content.is_empty() {
                above.push(blank_lines(&before[content.len()..]).saturating_sub(1));
            }
        }
        BlankLineCounts {
            below_heading: usual(&below).max(1),
            above_heading: usual(&above).max(1),
        }
    }
}

fn is_blank(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\n' | '\r')
}

/// Returns the end of the line that contains `end`, within the section. The span of a heading may
/// end before its line does, or between the CR and the LF of a line end, and an edit must not
/// separate these two.
fn line_end(text: &str, section: Range<usize>, end: usize) -> usize {
    let end = end.clamp(section.start, section.end);
    if end > section.start && text[..end].ends_with(['\n', '\r']) {
        let is_split = text[..end].ends_with('\r') && text[end..].starts_with('\n');
        return end + usize::from(is_split);
    }
    let rest = with_ends(&text[end..section.end])
        .next()
        .unwrap_or_default();
    end + rest.len()
}

/// Returns the part of `range`, which begins with a line, without the blank lines around it and
/// without its last line end; `None` if all its lines are blank.
pub fn core(text: &str, range: Range<usize>) -> Option<Range<usize>> {
    let mut start = range.start;
    let mut found: Option<Range<usize>> = None;
    for line in with_ends(&text[range]) {
        if !line.trim_matches(is_blank).is_empty() {
            let first = found.map_or(start, |found| found.start);
            found = Some(first..start + without_end(line).len());
        }
        start += line.len();
    }
    found
}

/// Returns the number of line ends in `text`.
pub fn blank_lines(text: &str) -> usize {
    docent_text::lines::count_ends(text.as_bytes())
}

/// Returns the most frequent number, or 1 if there is none.
fn usual(counts: &[usize]) -> usize {
    let mut sorted = counts.to_vec();
    sorted.sort_unstable();
    let runs = sorted.chunk_by(|a, b| a == b);
    // The smaller of equally frequent numbers, since `max_by_key` returns the last maximum of the
    // reversed runs. In a short file each number may occur once.
    runs.rev()
        .max_by_key(|run| run.len())
        .and_then(|run| run.first())
        .copied()
        .unwrap_or(1)
}

/// Returns true if `text` leaves a block open that would swallow a heading after it: a fence, a
/// comment, an AsciiDoc listing. A heading is appended and searched for, so that the parser itself
/// decides: a fence within a list item, for example, ends with the item and leaves nothing open.
pub fn leaves_open(name: &str, text: &str) -> bool {
    let Some(format) = Format::from_name(name) else {
        return false;
    };
    let heading = match format {
        Format::Markdown | Format::Mdx | Format::Converted => "# end\n",
        Format::Adoc => "== end\n",
        Format::Org => "* end\n",
        Format::Tex => "\\section{end}\n",
        Format::Textile => "h1. end\n",
        Format::Mediawiki => "= end =\n",
        Format::Rst | Format::Man | Format::Captions | Format::Plain | Format::Log => return false,
    };
    let question = format!("{text}\n\n{heading}");
    let end = question.len() - heading.len();
    let found =
        text_headings(format, &question).unwrap_or_else(|| body_headings(format, &question));
    found.last().is_none_or(|last| last.span.start != end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_headings_end() {
        for (name, text, expected) in [
            (
                "a.md",
                "---\na: b\n---\nx\n# A\r\n\r\ny\n## B",
                &[20, 28][..],
            ),
            ("a.md", "A\n===\nx\n\nB\nc\n---\n", &[6, 17]),
            ("a.md", "# A\r# B\r", &[4, 8]),
            ("a.rst", "====\nTit\n====\n\nx\n", &[14]),
            ("a.adoc", "= A\n\n== B\nx\n", &[4, 10]),
            ("a.org", "x\n* A\ny\n", &[6]),
            ("a.tex", "\\section{A\n b}\\label{c}\nx\n", &[24]),
            ("a.1", ".TH A 1\n.SH\nB\nx\n", &[14]),
        ] {
            let outline = SectionOutline::new(name, text);
            let headed = outline.sections.iter().zip(&outline.heading_ends);
            let headed = headed.filter(|(section, _)| section.level > 0);
            let ends: Vec<usize> = headed.map(|(_, end)| *end).collect();
            assert_eq!(ends, expected, "{text:?}");
        }
    }

    #[test]
    fn blank_lines_of_a_file() {
        let habit = |text: &str| SectionOutline::new("a.md", text).habit(text);
        let two = "# A\nx\n\n\n## B\ny\n\n\n## C\nz\n\n## D\n";
        assert_eq!(
            habit(two),
            BlankLineCounts {
                below_heading: 1,
                above_heading: 2
            }
        );
        let wide = "# A\n\n\nx\n## B\n\n\ny\n";
        assert_eq!(
            habit(wide),
            BlankLineCounts {
                below_heading: 2,
                above_heading: 1
            }
        );
    }

    #[test]
    fn what_swallows_a_heading() {
        for (text, expected) in [
            ("a\n```\nb", true),
            ("```\nb\n```", false),
            ("<!-- a", true),
            ("- a\n\n  ```\n  b", false),
            ("~~~\n```\n", true),
            ("", false),
        ] {
            assert_eq!(leaves_open("a.md", text), expected, "{text:?}");
        }
        assert!(leaves_open("a.adoc", "----\na"));
        assert!(!leaves_open("a.rst", "::"));
        assert!(leaves_open("a.wiki", "<!-- a"));
        assert!(leaves_open("a.textile", "<pre>\na"));
        assert!(!leaves_open("a.org", "a"));
        assert!(!leaves_open("a.tex", "a {"));
    }
}
