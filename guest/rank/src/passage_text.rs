//! Embedded passages: the split of a document, independent of any query, and the text that is
//! embedded for each passage.

use std::ops::Range;

use crate::bm25::Collection;
use crate::limits::{
    EMBEDDED_BYTES, EMBEDDED_CODE_BYTES, EMBEDDED_HEADING_BYTES, EMBEDDED_MOST_BYTES,
};
use crate::passages::{Counts, Question, Scorer};
use docent_document::parts::{Unit, parts};
use docent_document::sections::Section;
use docent_text::digest::combine;
use docent_text::lines::with_ends;
use docent_text::time_budget::TimeBudget;

/// Version of the split; incremented on changes of the split or of the embedded text other than of
/// the limits.
const SPLIT_VERSION: u64 = 1;

/// A passage of a document: some short sections, a section, or a part of a long one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EmbeddedPassage {
    /// Index of the section in which it begins.
    pub section: usize,
    /// Byte range in the document.
    pub span: Range<usize>,
}

/// Returns a digest of the way documents are split and embedded texts are composed; it changes if
/// either changes.
pub fn split_fingerprint() -> u64 {
    let limits = [
        EMBEDDED_BYTES.into(),
        EMBEDDED_MOST_BYTES.into(),
        EMBEDDED_CODE_BYTES as u64,
        EMBEDDED_HEADING_BYTES as u64,
    ];
    limits.into_iter().fold(SPLIT_VERSION, combine)
}

/// Splits a document with these sections into passages, in order, which tile the sections.
pub fn passages(text: &str, sections: &[Section]) -> Vec<EmbeddedPassage> {
    let mut passages: Vec<EmbeddedPassage> = Vec::new();
    // True if the last passage consists of short sections, to which the next may be added.
    let mut is_open = false;
    for (index, section) in sections.iter().enumerate() {
        let span = section.span.clone();
        if span.len() > EMBEDDED_BYTES as usize {
            let own = parts(
                &text[span.clone()],
                Unit::Bytes,
                EMBEDDED_BYTES,
                EMBEDDED_MOST_BYTES,
            );
            passages.extend(own.into_iter().map(|part| EmbeddedPassage {
                section: index,
                span: span.start + part.start..span.start + part.end,
            }));
            is_open = false;
            continue;
        }
        match passages.last_mut() {
            Some(last) if is_open && span.end - last.span.start <= EMBEDDED_BYTES as usize => {
                last.span.end = span.end;
            }
            _ => passages.push(EmbeddedPassage {
                section: index,
                span,
            }),
        }
        is_open = true;
    }
    passages
}

/// Returns the embedded text of a passage of the document `title`: the title, the headings above
/// it, and its text with each code block truncated, at most `most` bytes.
pub fn passage_text(
    title: &str,
    text: &str,
    sections: &[Section],
    passage: &EmbeddedPassage,
    most: usize,
) -> String {
    let path = path_of(sections, passage);
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

/// Truncates the fenced code blocks of a text.
fn with_short_code(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    // Sign of the fence, and bytes of the block so far.
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

/// Returns the index of the lexically best passage of a document, within the statistics of
/// `collection`; the first one if none matches, or `None` if there are no passages.
pub fn best_passage(
    text: &str,
    sections: &[Section],
    passages: &[EmbeddedPassage],
    question: &Question,
    collection: &Collection,
) -> Option<usize> {
    let of = |passage: &EmbeddedPassage| (&text[passage.span.clone()], path_of(sections, passage));
    let count = |passage: &EmbeddedPassage| {
        let (text, path) = of(passage);
        Counts::from_text(&question.query, text, path, &mut TimeBudget::unlimited())
    };
    let counts: Vec<Counts> = passages.iter().map(count).collect();
    let mut own = Collection::default();
    for counts in &counts {
        own.add(counts.length, &counts.terms);
    }
    let scorer = question.scorer(collection, own.mean_length());
    let scores = passages.iter().zip(&counts);
    let scores = scores.map(|(passage, counts)| match &scorer {
        Scorer::Ranked(_, ranking) => counts.score(ranking),
        Scorer::Density(_) => {
            let (text, path) = of(passage);
            scorer.score(text, path)
        }
    });
    // In reverse: the first among equals is wanted, and `max_by` returns the last.
    let scores: Vec<f64> = scores.collect();
    let scores = scores.into_iter().enumerate().rev();
    let best = scores.max_by(|(_, a), (_, b)| a.total_cmp(b));
    best.map(|(index, _)| index)
}

/// Returns the headings above a passage.
fn path_of<'s>(sections: &'s [Section], passage: &EmbeddedPassage) -> &'s [String] {
    let section = sections.get(passage.section);
    section.map_or(&[], |section| &section.path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::passages::Relevance;
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
                assert!(
                    passage.span.len() <= EMBEDDED_MOST_BYTES as usize,
                    "{passage:?}"
                );
            }
            assert_eq!(end, text.len());
            let least = text.len() / EMBEDDED_MOST_BYTES as usize;
            assert!(passages.len() >= least && passages.len() <= 4 * least + 4);
        }
    }

    #[test]
    fn a_text_says_what_it_is_about_and_little_code() {
        let code = "let x = 1;\n".repeat(40);
        let text = format!("# Guide\n\n## Setup\n\nDo this.\n\n```rust\n{code}```\n\nThen that.\n");
        let all = sections("a.md", &text);
        let cut = passages(&text, &all);
        let of = |title, most| passage_text(title, &text, &all, &cut[0], most);
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

    #[test]
    fn the_best_passage_holds_most_of_the_question() {
        let filler = "Plain words that say nothing of it stand here. ".repeat(30);
        let text = format!(
            "# Notes\n\n{filler}\n\n## Engines\n\nA car.\n\n{filler}\n\n## Repair\n\nRepair the \
             car in winter: {filler}\n\n## Repair again\n\nRepair the car in winter: {filler}\n"
        );
        let all = sections("a.md", &text);
        let cut = passages(&text, &all);
        for relevance in [None, Some(Relevance::Density)] {
            let question = Question::new("repair car winter", relevance);
            let best = |cut: &[EmbeddedPassage]| {
                let collection = Collection::default();
                best_passage(&text, &all, cut, &question, &collection)
            };
            let found = &cut[best(&cut).unwrap()];
            let found = &text[found.span.clone()];
            // Of two equally good passages, it is the first.
            assert!(found.contains("## Repair\n"), "{relevance:?}: {found}");
            // Nothing in the first one matches: it is taken if there is no other.
            assert_eq!(best(&cut[..1]), Some(0));
            assert_eq!(best(&[]), None);
        }
    }
}
