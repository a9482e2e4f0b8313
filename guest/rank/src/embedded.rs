//! What of a document is embedded: its passages, cut the same whatever is asked, and the text that
//! stands for each.

use std::ops::Range;

use crate::limits::{
    EMBEDDED_BYTES, EMBEDDED_CODE_BYTES, EMBEDDED_HEADING_BYTES, EMBEDDED_MOST_TOKENS,
    EMBEDDED_TOKENS,
};
use crate::passages::{ScoredDocument, Scorer};
use docent_document::parts::parts;
use docent_document::sections::Section;
use docent_text::lines::with_ends;
use docent_text::patience::Pace;

/// A passage of a document: some short sections, a section, or a part of a long one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Passage {
    /// The section that it begins in.
    pub section: usize,
    /// Bytes of the document.
    pub span: Range<usize>,
}

/// Returns the passages of a document of these sections, in order. Together they are the sections.
pub fn passages(text: &str, sections: &[Section]) -> Vec<Passage> {
    let mut passages: Vec<Passage> = Vec::new();
    // Whether the last one is made of short sections, to which the next may be added.
    let mut is_open = false;
    for (index, section) in sections.iter().enumerate() {
        let span = section.span.clone();
        if span.len() > EMBEDDED_BYTES {
            let own = parts(&text[span.clone()], EMBEDDED_TOKENS, EMBEDDED_MOST_TOKENS);
            passages.extend(own.into_iter().map(|part| Passage {
                section: index,
                span: span.start + part.start..span.start + part.end,
            }));
            is_open = false;
            continue;
        }
        match passages.last_mut() {
            Some(last) if is_open && span.end - last.span.start <= EMBEDDED_BYTES => {
                last.span.end = span.end;
            }
            _ => passages.push(Passage {
                section: index,
                span,
            }),
        }
        is_open = true;
    }
    passages
}

/// Returns the text that stands for a passage of the document `title`: what it is about, the
/// headings above it, and itself with the beginnings of its blocks of code, `most` bytes at most.
pub fn embedded(
    title: &str,
    text: &str,
    sections: &[Section],
    passage: &Passage,
    most: usize,
) -> String {
    let path = sections
        .get(passage.section)
        .map_or(&[][..], |section| &section.path);
    let mut out = String::new();
    let title = (path.first().map(String::as_str) != Some(title)).then_some(title);
    for heading in title.into_iter().chain(path.iter().map(String::as_str)) {
        if !out.is_empty() {
            out.push_str(" > ");
        }
        out.push_str(heading);
    }
    out.truncate(out.floor_char_boundary(EMBEDDED_HEADING_BYTES));
    out.push_str("\n\n");
    out.push_str(&with_short_code(text[passage.span.clone()].trim()));
    out.truncate(out.floor_char_boundary(most));
    out
}

/// Returns a text with the beginnings of its fenced blocks of code.
fn with_short_code(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    // The sign of the fence, and the bytes of the block so far.
    let mut block: Option<(char, usize)> = None;
    for line in with_ends(text) {
        let fence = fence_of(line);
        match &mut block {
            None => {
                block = fence.map(|sign| (sign, 0));
                out.push_str(line);
            }
            Some((sign, _)) if fence == Some(*sign) => {
                block = None;
                out.push_str(line);
            }
            Some((_, bytes)) => {
                if *bytes + line.len() <= EMBEDDED_CODE_BYTES {
                    out.push_str(line);
                }
                *bytes += line.len();
            }
        }
    }
    out
}

fn fence_of(line: &str) -> Option<char> {
    let line = line.trim_start();
    ['`', '~']
        .into_iter()
        .find(|sign| line.chars().take_while(|c| c == sign).count() >= 3)
}

impl ScoredDocument<'_> {
    /// Returns which of its passages answers best by words: of those of its best section. Where no
    /// section holds anything, the first one; none where it has no text.
    pub fn best_passage(
        &self,
        passages: &[Passage],
        scorer: &Scorer<'_>,
        pace: &mut Pace<'_>,
    ) -> Option<usize> {
        let section = self.best_section(scorer, pace).map_or(0, |best| best.item);
        let section = self.sections().get(section)?;
        let overlaps = |passage: &Passage| {
            passage.span.start < section.span.end && section.span.start < passage.span.end
        };
        let mut best: Option<(f64, usize)> = None;
        for (index, passage) in passages.iter().enumerate().filter(|(_, one)| overlaps(one)) {
            let score = scorer.score(&self.text()[passage.span.clone()], &section.path);
            if best.is_none_or(|(greatest, _)| score > greatest) {
                best = Some((score, index));
            }
            if pace.is_over_after(passage.span.len()) {
                break;
            }
        }
        best.map(|(_, index)| index)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use docent_document::sections::sections;

    #[test]
    fn passages_tile_the_sections_and_are_of_a_length() {
        let long = "A sentence of some words stands here. ".repeat(200);
        let short = "## A\n\nshort\n\n".repeat(150);
        for text in [
            format!("# T\n\n{long}\n\n## B\n\n{short}"),
            format!("---\ntitle: x\n---\n{short}{}", long.replace(". ", ".\n\n")),
            "가나다 라마바\n\n".repeat(300),
            "word".repeat(3000),
            String::new(),
        ] {
            let all = sections("a.md", &text);
            let passages = passages(&text, &all);
            let mut end = all.first().map_or(0, |section| section.span.start);
            for passage in &passages {
                assert_eq!(passage.span.start, end);
                end = passage.span.end;
                assert!(all[passage.section].span.contains(&passage.span.start));
                assert!(passage.span.len() <= 2 * EMBEDDED_BYTES, "{passage:?}");
            }
            assert_eq!(end, text.len());
            let least = text.len() / (2 * EMBEDDED_BYTES);
            assert!(passages.len() >= least && passages.len() <= 4 * least + 4);
        }
    }

    #[test]
    fn a_text_says_what_it_is_about_and_little_code() {
        let code = "let x = 1;\n".repeat(40);
        let text = format!("# Guide\n\n## Setup\n\nDo this.\n\n```rust\n{code}```\n\nThen that.\n");
        let all = sections("a.md", &text);
        let cut = passages(&text, &all);
        let of = |title, most| embedded(title, &text, &all, &cut[0], most);
        let whole = of("Guide", 4000);
        assert!(whole.starts_with("Guide\n\n# Guide"), "{whole}");
        assert!(
            whole.contains("let x") && whole.ends_with("Then that."),
            "{whole}"
        );
        assert!(whole.len() < 400, "{}", whole.len());
        assert!(of("Other", 4000).starts_with("Other > Guide\n\n"));
        assert_eq!(of("Guide", 20), whole[..20]);
        assert!(of(&"제목".repeat(100), 4000).len() < 700);
    }
}
