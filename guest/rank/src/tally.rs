//! Term counts of a long text by line, so that its parts need not be counted again.
//!
//! The counts of a part of whole lines are the sums of those of its lines, unless it begins within
//! a code block: read alone, its lines would be text. Such a part is not tallied, and its words are
//! counted again.

use std::ops::Range;

use crate::bm25::Bm25Query;
use crate::statistics::{self, each_weighted_span, weight};
use docent_text::lines::with_ends;
use docent_text::time_budget::TimeBudget;
use docent_text::words::terms::{Form, each_term};

/// The term counts of the lines of a text.
pub struct Tally {
    /// Lines that may contain terms, in order.
    lines: Vec<Line>,
    /// Occurrences in order.
    hits: Vec<Hit>,
    /// Bytes of the text.
    end: usize,
    /// Total weight of all terms.
    weights: u32,
}

struct Line {
    start: usize,
    /// Total weight of all terms before it.
    before: u32,
    /// True if it is within a code block that begins before it.
    is_inside: bool,
}

struct Hit {
    /// Start of its line.
    line: usize,
    term: usize,
    weight: u32,
}

impl Tally {
    /// Tallies `text`, until the time budget is spent.
    pub fn new(query: &Bm25Query, text: &str, time_budget: &mut TimeBudget<'_>) -> Self {
        let mut tally = Self {
            lines: Vec::new(),
            hits: Vec::new(),
            end: text.len(),
            weights: 0,
        };
        each_weighted_span(text, |stretch, weight| {
            let mut start = stretch.start;
            for line in with_ends(&text[stretch.clone()]) {
                if time_budget.is_over_after(line.len()) {
                    return;
                }
                tally.lines.push(Line {
                    start,
                    before: tally.weights,
                    is_inside: weight == weight::CODE && start > stretch.start,
                });
                tally.add_symbols(query, line, start);
                each_term(line, query.initials(), |term| {
                    tally.weights += weight * statistics::word_tenths(term.form);
                    if let Some(term) = query.place(term) {
                        tally.hits.push(Hit {
                            line: start,
                            term,
                            weight,
                        });
                    }
                });
                start += line.len();
            }
        });
        tally
    }

    fn add_symbols(&mut self, query: &Bm25Query, line: &str, start: usize) {
        if query.is_symbols() {
            let mut counts = vec![0; query.count_len()];
            query.count_symbols(line, weight::BODY, &mut counts);
            let held = counts
                .into_iter()
                .enumerate()
                .filter(|(_, count)| *count > 0);
            self.hits.extend(held.map(|(term, weight)| Hit {
                line: start,
                term,
                weight,
            }));
        }
    }

    /// Adds the counts of the lines in `span` to `counts`, and returns their length in words.
    /// Returns `None` if they are not known, because `span` does not consist of whole lines of
    /// `text`, or begins in a code block.
    pub fn count(&self, text: &str, span: Range<usize>, counts: &mut [u32]) -> Option<u32> {
        let ends_line = text[..span.end].ends_with(['\n', '\r']);
        if span.end < self.end && !ends_line {
            return None;
        }
        let line = |at: usize| self.lines.partition_point(|line| line.start < at);
        let first = self.lines.get(line(span.start))?;
        if first.start != span.start || first.is_inside {
            return None;
        }
        let last = self.lines.get(line(span.end));
        // Prefix sums: the length of any run of lines is one subtraction.
        let weights = last.map_or(self.weights, |last| last.before) - first.before;
        let begin = self.hits.partition_point(|hit| hit.line < span.start);
        for hit in self.hits[begin..]
            .iter()
            .take_while(|hit| hit.line < span.end)
        {
            counts[hit.term] = counts[hit.term].saturating_add(hit.weight);
        }
        Some(weights / (weight::BODY * statistics::word_tenths(Form::Word)))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn parts_hold_what_they_hold_alone(
            pieces in proptest::collection::vec(proptest::sample::select(&[
                "port ", "max_size ", "설정을 ", "words ", "# port", "\n", "\n", "\r\n", "\r", "```", "~~~~\n",
                "\n```\n", "\n````rs\n", "> ", "e\u{301} ", "`port`\n",
            ][..]), 0..40),
            cuts in (0usize..200, 0usize..200),
            query in proptest::sample::select(&["port size 설정 é", "```"][..]),
        ) {
            let text = pieces.concat();
            let query = Bm25Query::new(query);
            let tally = Tally::new(&query, &text, &mut TimeBudget::unlimited());
            let cut = |at: usize| text.floor_char_boundary(at.min(text.len()));
            let (start, end) = (cut(cuts.0.min(cuts.1)), cut(cuts.0.max(cuts.1)));
            for span in [start..end, 0..end, 0..text.len()] {
                let mut told = vec![0; query.count_len()];
                if let Some(length) = tally.count(&text, span.clone(), &mut told) {
                    let mut counts = vec![0; query.count_len()];
                    prop_assert_eq!(length, query.count_text(&text[span], &mut counts, &mut TimeBudget::unlimited()));
                    prop_assert_eq!(told, counts);
                }
            }
            let first = text.split_inclusive('\n').next().unwrap_or_default();
            let mut counts = vec![0; query.count_len()];
            let is_told = tally.count(&text, 0..first.len(), &mut counts).is_some();
            prop_assert!(is_told || text.is_empty(), "{:?}", text);
        }
    }
}
