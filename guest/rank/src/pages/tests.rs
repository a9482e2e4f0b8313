use proptest::prelude::*;

use super::*;
use crate::bm25::Collection;
use crate::passages::Question;
use docent_text::tokens::estimate::estimate;

/// Pages documents with these scores for the query `alpha beta`, within a budget in tokens.
fn pages(texts: &[(String, f64)], budget: u32, scope: PageScope) -> Vec<Page> {
    let question = Question::new("alpha beta", None);
    let documents: Vec<ScoredDocument<'_>> = texts
        .iter()
        .map(|(text, _)| ScoredDocument::new("a.md", text, &question))
        .collect();
    let mut collection = Collection::default();
    for document in &documents {
        document.add_to(&mut collection);
    }
    let scorer = question.scorer(&collection, collection.mean_length());
    let paged = documents
        .iter()
        .zip(texts)
        .map(|(document, (_, score))| PagedDocument {
            document,
            score: *score,
            heading: 5,
            path: 3,
            named: 4,
        });
    let mut pages = Pages::new(paged.collect(), &scorer, scope);
    let mut made = Vec::new();
    loop {
        let page = pages.page(budget, budget - 10, budget, false);
        let is_last = !page.has_more || page.passages.is_empty();
        made.push(page);
        if is_last {
            return made;
        }
    }
}

fn text(parts: &[(&str, usize)]) -> String {
    let sections = parts.iter().enumerate();
    let section = |(number, (word, times)): (usize, &(&str, usize))| {
        let body: String = (0..*times)
            .map(|at| format!("{word}, {number} {at}. "))
            .collect();
        format!("## S{number}\n\n{body}\n\n")
    };
    sections.map(section).collect()
}

fn first_lines(page: &Page) -> Vec<(usize, u32)> {
    let places = page.passages.iter();
    places.map(|one| (one.document, one.first_line)).collect()
}

#[test]
fn a_document_far_after_comes_on_a_later_page() {
    let texts = [
        (text(&[("alpha beta", 3)]), 0.9),
        (text(&[("beta alpha", 4)]), 0.5),
    ];
    let near = pages(&texts, 1000, PageScope::Near);
    assert_eq!(
        near.iter().map(first_lines).collect::<Vec<_>>(),
        [[(0, 1)], [(1, 1)]]
    );
    let all = pages(&texts, 1000, PageScope::All);
    assert_eq!(
        all.iter().map(first_lines).collect::<Vec<_>>(),
        [[(0, 1), (1, 1)]]
    );
}

#[test]
fn duplicates_are_given_once() {
    let same = text(&[("alpha beta", 9)]);
    let texts = [(same.clone(), 0.9), (same.clone(), 0.9), (same, 0.8)];
    let made = pages(&texts, 1000, PageScope::Near);
    assert_eq!(made.len(), 1);
    assert_eq!(first_lines(&made[0]), [(0, 1)]);
    let documents: Vec<usize> = made[0].passages[0]
        .same
        .iter()
        .map(|place| place.document)
        .collect();
    assert_eq!(documents, [1, 2]);
}

#[test]
fn a_heading_without_text_comes_where_nothing_else_does() {
    let below = "# Alpha\n\n## Beta\n\ntext\n".to_owned();
    assert_eq!(
        first_lines(&pages(&[(below, 1.0)], 1000, PageScope::All)[0]),
        [(0, 3)]
    );
    let alone = "# Alpha\n".to_owned();
    assert_eq!(
        first_lines(&pages(&[(alone, 1.0)], 1000, PageScope::All)[0]),
        [(0, 1)]
    );
}

#[test]
fn parts_of_one_section_are_not_the_same() {
    let long = format!(
        "# A\n\n{}",
        "Filler alpha words stand here in a row.\n\n".repeat(60)
    );
    let made = pages(&[(long.clone(), 1.0)], 200, PageScope::Near);
    let given: String = made
        .iter()
        .flat_map(|page| &page.passages)
        .map(|passage| passage.content.as_str())
        .collect();
    assert_eq!(given.len(), long.len());
}

fn document() -> impl Strategy<Value = (String, f64)> {
    let words = proptest::sample::select(
        &[
            "# Alpha\n\n",
            "## Beta `x`\n\n",
            "alpha ",
            "beta, ",
            "다른 말 ",
            "word ",
            "\n\n",
            "```\n",
            "- item\n",
        ][..],
    );
    let text = proptest::collection::vec(words, 1..200).prop_map(|words| words.concat());
    (text, 0.1f64..1.0)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn pages_put_together_are_the_whole(
        texts in proptest::collection::vec(document(), 1..4),
        budget in 60u32..600,
        is_near: bool,
    ) {
        let scope = if is_near { PageScope::Near } else { PageScope::All };
        let mut texts = texts;
        texts.sort_by(|a, b| b.1.total_cmp(&a.1));
        let paged = pages(&texts, budget, scope);
        let whole = pages(&texts, 1_000_000, PageScope::All);
        prop_assert_eq!(whole.len(), 1);
        let mut spans: Vec<(usize, usize, u32)> = Vec::new();
        for page in &paged {
            // Each document reserves 4, which are not part of this budget.
            let most = budget + 4 * texts.len() as u32;
            prop_assert!(page.used <= most, "{} of {}", page.used, budget);
            for one in &page.passages {
                prop_assert!(texts[one.document].0.contains(&one.content));
                // Of a section in parts, only the relevant ones are given.
                let place = (one.document, one.position as usize, one.part.map_or(0, |part| part.number));
                prop_assert!(!spans.contains(&place), "{place:?} twice");
                spans.push(place);
            }
        }
        // A heading may take all of a small budget.
        let has_room = paged.last().is_some_and(|page| !page.has_more);
        for one in &whole[0].passages {
            let place = |(document, position, _): &(usize, usize, u32)| (*document, *position);
            let is_given = spans.iter().any(|span| place(span) == (one.document, one.position as usize));
            let is_same = paged.iter().flat_map(|page| &page.passages).any(|other| {
                Shingles::new(body(&other.heading, &other.content))
                    .is_near(&Shingles::new(body(&one.heading, &one.content)))
            });
            prop_assert!(is_given || is_same || !has_room, "{} {}", one.document, one.first_line);
        }
    }

    #[test]
    fn the_charge_equals_the_output((text, _) in document(), budget in 60u32..2000) {
        for page in pages(&[(text.clone(), 1.0)], budget, PageScope::All) {
            let mut shown = String::new();
            for one in &page.passages {
                let lines = (one.first_line, one.last_line);
                let body = body(&one.heading, &one.content);
                shown.push_str(&format!("\n{}\n", heading_line(lines, &one.heading_path, one.part)));
                if !body.is_empty() {
                    let fence = crate::fences::fence(body);
                    shown.push_str(&format!("\n{fence}\n{body}\n{fence}\n"));
                }
            }
            prop_assert!(estimate(&shown) <= page.used, "{}: {shown}", page.used);
            // Only a few tokens are reserved in vain: those of the document's heading, of each
            // passage, and of places with the same text.
            let same: usize = page.passages.iter().map(|one| 40 * one.same.len()).sum();
            let slack = 10 + 8 * page.passages.len() + same + page.used as usize / 20;
            prop_assert!(page.used as usize <= estimate(&shown) as usize + slack, "{}: {shown}", page.used);
        }
    }
}
