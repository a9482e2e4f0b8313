//! Headings of reStructuredText and AsciiDoc, recognized line by line.

use crate::headings::heading::{Heading, with_headings};
use crate::limits::SECTIONS;
use docent_text::lines::{with_ends, without_end};

/// reStructuredText directives whose content is code.
pub const CODE_DIRECTIVES: [&str; 6] = [
    "code",
    "code-block",
    "sourcecode",
    "parsed-literal",
    "raw",
    "math",
];

/// The reStructuredText directive whose content is a grammar, which counts as code.
pub const GRAMMAR_DIRECTIVE: &str = "productionlist";

/// Returns the headings of an AsciiDoc text: one to six `=` and a title, outside delimited blocks.
pub fn adoc_headings(text: &str) -> Vec<Heading> {
    let text = with_headings(text);
    let mut headings = Vec::new();
    let mut block: Option<&str> = None;
    let mut start = 0;
    for line in with_ends(text) {
        let plain = without_end(line).trim_end();
        let is_delimiter = plain.len() >= 4
            && ["-", ".", "=", "*", "_", "+", "/"]
                .iter()
                .any(|sign| plain.trim_start_matches(sign).is_empty());
        // A block ends only with the delimiter that began it. Between `----` and `----` there are
        // no headings, and another delimiter such as `====` is text: an example of AsciiDoc in a
        // listing would otherwise end it.
        if is_delimiter {
            match block {
                Some(open) if open == plain => block = None,
                Some(_) => {}
                None => block = Some(plain),
            }
        } else if block.is_none() {
            let title = plain.trim_start_matches('=');
            // `== Title`
            let level = plain.len() - title.len();
            if (1..=6).contains(&level) && title.starts_with(' ') && !title.trim().is_empty() {
                let level = u8::try_from(level).unwrap_or(6);
                headings.push(Heading::new(level, title.trim(), start..start + line.len()));
            }
        }
        start += line.len();
    }
    headings.truncate(SECTIONS);
    headings
}

/// Returns the headings of a reStructuredText document: lines underlined, and optionally overlined,
/// by a run of one punctuation character that is at least as long. Each style is a level, in the
/// order of first appearance: below, `Guide` has level 1, `Setup` level 2 and `Usage` level 1.
///
/// ```text
/// Guide
/// =====
/// Setup
/// -----
/// Usage
/// =====
/// ```
pub fn rst_headings(text: &str) -> Vec<Heading> {
    let text = with_headings(text);
    let mut headings = Vec::new();
    let mut styles: Vec<(u8, bool)> = Vec::new();
    let mut start = 0;
    let lines: Vec<(usize, &str)> = with_ends(text)
        .map(|line| {
            let at = start;
            start += line.len();
            (at, line.trim_end())
        })
        .collect();
    let mut last_rule = None;
    for (i, pair) in lines.windows(2).enumerate() {
        let [(at, title), (_, rule)] = pair else {
            continue;
        };
        let Some(sign) = rule_sign(rule) else {
            continue;
        };
        let is_title = !title.trim().is_empty() && rule_sign(title).is_none();
        // A title is a line of text whose underline is at least as long.
        if !is_title || rule.chars().count() < title.chars().count() {
            continue;
        }
        // The underline of one title is not the overline of the next: two titles in a row, each
        // underlined, are two sections of one level.
        let overline = i
            .checked_sub(1)
            .filter(|above| last_rule != Some(*above))
            .map(|above| lines[above])
            .filter(|(_, above)| above == rule);
        // Only a title between two rules may be indented, to be centred. An indented line above a
        // single rule is a block quote, such as the last line of an example.
        if overline.is_none() && title.starts_with([' ', '\t']) {
            continue;
        }
        let style = (sign, overline.is_some());
        let level = styles
            .iter()
            .position(|other| *other == style)
            .unwrap_or_else(|| {
                styles.push(style);
                styles.len() - 1
            });
        last_rule = Some(i + 1);
        let start = overline.map_or(*at, |(above, _)| above);
        let end = lines.get(i + 2).map_or(text.len(), |l| l.0);
        // A document may use more styles than the six levels of answers. Deeper headings get level
        // 6.
        let level = u8::try_from(level + 1).unwrap_or(6).min(6);
        headings.push(Heading::new(level, title.trim(), start..end));
    }
    headings.truncate(SECTIONS);
    headings
}

/// Returns the punctuation character of a line that is a run of at least two.
fn rule_sign(line: &str) -> Option<u8> {
    let first = *line.as_bytes().first()?;
    let is_rule =
        line.len() >= 2 && first.is_ascii_punctuation() && line.bytes().all(|byte| byte == first);
    is_rule.then_some(first)
}
