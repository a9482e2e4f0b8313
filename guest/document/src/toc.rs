//! Tables of contents: the headings of a document with the token counts of their sections.

use crate::section::Section;
use docent_text::lines::LineCounter;
use docent_text::time_budget::TimeBudget;
use docent_text::tokens::estimate::estimate_within;

/// A heading in a table of contents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TocEntry {
    /// Level, 1 to 6.
    pub level: u8,
    /// Plain text.
    pub text: String,
    /// Slug.
    pub anchor: String,
    /// Line, 1-based.
    pub line: u32,
    /// Estimated tokens of its section including subsections.
    pub tokens: u32,
}

/// Returns an entry for each heading among the `sections` of `text`, in order, or `None` if the
/// time budget is spent first.
pub fn entries_within<'t>(
    text: &'t str,
    sections: &'t [Section],
    time_budget: &mut TimeBudget<'_>,
) -> Option<impl Iterator<Item = TocEntry> + use<'t>> {
    let mut lines = LineCounter::new(text);
    // The text before the first heading belongs to no entry, so that its tokens are not counted.
    // Plain text has no headings at all, and is not tokenized.
    let first = sections.iter().position(|section| section.level > 0);
    let first = first.unwrap_or(sections.len());
    let mut own = vec![0; first];
    for section in &sections[first..] {
        own.push(estimate_within(&text[section.span.clone()], time_budget)?);
    }
    // The content of a heading ends at the next heading of its level or above. The sums are built
    // from the end, where `upto` of that heading is already known, so that each section is visited
    // once; summed for each heading, a deep outline would take quadratic time.
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
        let toc = entries_within(text, &all, &mut TimeBudget::unlimited());
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
