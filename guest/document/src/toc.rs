//! Tables of contents: the headings of a document with what stands below each.

use crate::sections::Section;
use docent_text::lines::LineCounter;
use docent_text::patience::Pace;
use docent_text::tokens::estimate::estimate_within;

/// A heading in a table of contents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TocEntry {
    /// 1 to 6.
    pub level: u8,
    /// Its plain text.
    pub text: String,
    /// Its slug.
    pub anchor: String,
    /// Its line, 1-based.
    pub line: u32,
    /// Tokens of its section with all that stands below it, estimated.
    pub tokens: u32,
}

/// Returns the headings among `sections` of `text`, in order, each with its line and the tokens of
/// all that stands below it; none when the time is over.
pub fn entries_within<'t>(
    text: &'t str,
    sections: &'t [Section],
    pace: &mut Pace<'_>,
) -> Option<impl Iterator<Item = TocEntry> + use<'t>> {
    let mut lines = LineCounter::new(text);
    // What stands before the first heading stands below none; of plain text that is all.
    let first = sections.iter().position(|section| section.level > 0);
    let first = first.unwrap_or(sections.len());
    let mut own = vec![0; first];
    for section in &sections[first..] {
        own.push(estimate_within(&text[section.span.clone()], pace)?);
    }
    // What stands below a heading ends with the next one of its level or above: found backwards, so
    // that each is looked at once.
    let mut sums = vec![0u32; sections.len()];
    let mut ends: Vec<usize> = Vec::new();
    let mut upto = vec![0u32; sections.len() + 1];
    for index in (0..sections.len()).rev() {
        upto[index] = upto[index + 1].saturating_add(own[index]);
        while ends
            .last()
            .is_some_and(|&end| sections[end].level > sections[index].level)
        {
            ends.pop();
        }
        let end = ends.last().copied().unwrap_or(sections.len());
        sums[index] = upto[index] - upto[end];
        ends.push(index);
    }
    let headed = sections
        .iter()
        .zip(sums)
        .filter(|(section, _)| section.level > 0);
    Some(headed.map(move |(section, tokens)| TocEntry {
        level: section.level,
        text: section.heading.clone(),
        anchor: section.id.clone(),
        line: lines.line(section.span.start),
        tokens,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sections::sections;
    use docent_text::tokens::estimate::estimate;

    #[test]
    fn tokens_below_a_heading() {
        let text = "intro\n\n# A\n\none\n\n## B\n\ntwo three\n\n# C\n\nfour\n";
        let all = sections("x.md", text);
        let toc = entries_within(text, &all, &mut Pace::endless());
        let toc: Vec<TocEntry> = toc.into_iter().flatten().collect();
        let shown: Vec<(&str, u32, u32)> = toc
            .iter()
            .map(|entry| (entry.anchor.as_str(), entry.line, entry.tokens))
            .collect();
        let own = |index: usize| estimate(&text[all[index].span.clone()]);
        assert_eq!(
            shown,
            [
                ("a", 3, own(1) + own(2)),
                ("b", 7, own(2)),
                ("c", 11, own(3))
            ]
        );
    }
}
