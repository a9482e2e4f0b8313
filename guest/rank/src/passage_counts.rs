//! Counts of a query's terms in the passages of a long document, and the best passages by score.

use std::ops::Range;
use std::rc::Rc;

use crate::bm25::Ranking;
use crate::statistics::Statistics;
use crate::statistics::spread::{ABOVE, FIRST};
use docent_text::saturating::saturating_u32;

/// The counts of the passages that contain a term of the query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PassageCounts {
    /// A row for each passage: start, end, length in words, and the count of each term in quarters,
    /// including title and path. One allocation, because this is made for each long document.
    rows: Rc<[u32]>,
    /// Numbers of a row.
    width: usize,
}

/// Numbers of a row before the counts.
const EXTENT: usize = 3;

/// A set of passages of one document, by number.
#[derive(Default)]
struct PassageSet([u64; 4]);

impl PassageSet {
    fn add(&mut self, passage: u8) {
        self.0[usize::from(passage / 64)] |= 1 << (passage % 64);
    }

    fn len(&self) -> usize {
        self.0.iter().map(|bits| bits.count_ones() as usize).sum()
    }

    /// Returns the number of elements smaller than `passage`.
    fn place(&self, passage: u8) -> usize {
        let (word, bit) = (usize::from(passage / 64), passage % 64);
        let before = self.0[..word].iter().map(|bits| bits.count_ones());
        let beside = (self.0[word] & ((1 << bit) - 1)).count_ones();
        (before.sum::<u32>() + beside) as usize
    }

    /// Returns the elements in ascending order.
    fn numbers(&self) -> impl Iterator<Item = usize> {
        (0..).zip(self.0).flat_map(|(word, bits)| {
            let next = |left: &u64| Some(left & (left - 1)).filter(|left| *left > 0);
            let left = std::iter::successors(Some(bits).filter(|bits| *bits > 0), next);
            left.map(move |left| word * 64 + left.trailing_zeros() as usize)
        })
    }
}

/// A passage of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PassageExtent {
    /// Byte range in the document.
    pub span: Range<usize>,
    /// Length in words, as ranking counts them.
    pub words: u32,
}

/// A passage with its score.
#[derive(Clone, Debug, PartialEq)]
pub struct ScoredPassage {
    /// Extent of the passage.
    pub extent: PassageExtent,
    /// Score, 0 to 1.
    pub score: f64,
}

impl PassageCounts {
    /// Collects the counts of the terms at these indices of the statistics. Returns `None` if the
    /// document has only one passage, or if no passage contains any of them.
    pub fn new(statistics: &Statistics, places: &[Option<usize>]) -> Option<Self> {
        let spread = statistics.spread().filter(|_| !places.is_empty())?;
        let terms = || {
            (0..)
                .zip(places)
                .filter_map(|(term, at)| Some((term, (*at)?)))
        };
        // Only those with a term are visited: in a long document they are few.
        let mut held = PassageSet::default();
        for (_, at) in terms() {
            let passages = spread.terms.occurrences(at).iter().map(|held| held.passage);
            // Title and path are above each passage and add weight to it, but do not make it
            // match. For the query `tar`, all passages of `tar.md` would otherwise match, and
            // each would have a row. If no passage has a term of its own, the first one stands
            // for the document.
            passages
                .filter(|passage| *passage != ABOVE)
                .for_each(|passage| held.add(passage));
        }
        if held.len() == 0 {
            held.add(FIRST);
        }
        let width = EXTENT + places.len();
        let mut rows: Rc<[u32]> = std::iter::repeat_n(0, held.len() * width).collect();
        // The buffer is not shared yet.
        let filled = Rc::get_mut(&mut rows)?;
        for (row, number) in filled.chunks_exact_mut(width).zip(held.numbers()) {
            row[..EXTENT].copy_from_slice(&spread.extent(number));
        }
        for (term, at) in terms() {
            let column = EXTENT + term;
            for occurrences in spread.terms.occurrences(at) {
                let count = occurrences.count.number();
                if occurrences.passage == ABOVE {
                    let column = filled.iter_mut().skip(column).step_by(width);
                    column.for_each(|own| *own += count);
                } else {
                    filled[held.place(occurrences.passage) * width + column] += count;
                }
            }
        }
        Some(Self { rows, width })
    }

    /// Returns the mean length in words of the passages that contain a term.
    pub fn mean_words(&self) -> u32 {
        let words: u32 = self.rows().map(|(extent, _)| extent[2]).sum();
        words / saturating_u32(self.rows.len() / self.width).max(1)
    }

    /// Returns the score of the best passage.
    pub fn best_score(&self, ranking: &Ranking) -> f64 {
        let scores = self
            .rows()
            .map(|(extent, row)| ranking.score(extent[2], row));
        scores.fold(0.0, f64::max)
    }

    /// Returns the `most` best passages, best first, the earlier among equals.
    pub fn best(&self, ranking: &Ranking, most: usize) -> Vec<ScoredPassage> {
        let mut best: Vec<ScoredPassage> = Vec::with_capacity(most + 1);
        for (extent, row) in self.rows() {
            let score = ranking.score(extent[2], row);
            let at = best.partition_point(|other| other.score >= score);
            if at < most {
                let extent = PassageExtent::from_row(extent);
                best.insert(at, ScoredPassage { extent, score });
                best.truncate(most);
            }
        }
        best
    }

    /// Returns the rows: extent and counts of each passage.
    fn rows(&self) -> impl Iterator<Item = (&[u32], &[u32])> {
        let rows = self.rows.chunks_exact(self.width);
        rows.map(|row| row.split_at(EXTENT))
    }
}

impl PassageExtent {
    fn from_row(extent: &[u32]) -> Self {
        Self {
            span: extent[0] as usize..extent[1] as usize,
            words: extent[2],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bm25::{Bm25Query, Collection};
    use crate::statistics::weight;
    use crate::term_counts::TermCounts;

    /// Generates some paragraphs below each of `sections` headings.
    fn manual(sections: usize) -> String {
        let section = |number: usize| {
            let words = "The gate is open while the server waits for the next one. ".repeat(20);
            format!("## Part {number}\n\n{words}\n\n{words}\n\n")
        };
        "# Manual\n\n".to_owned() + &(0..sections).map(section).collect::<String>()
    }

    fn count_terms(path: &str, text: &str, query: &Bm25Query) -> TermCounts {
        TermCounts::new(&Statistics::new(path, text), query)
    }

    #[test]
    fn a_rare_word_weighs_as_much_in_a_long_document_as_in_a_note() {
        let query = Bm25Query::new("port quiescence");
        let sentence = "Quiescence begins when the last port has been shut.\n";
        let manual =
            manual(80).replacen("## Part 40\n\n", &format!("## Part 40\n\n{sentence}\n"), 1);
        let (_, section) = manual.split_once("## Part 40\n\n").unwrap_or_default();
        let (section, _) = section.split_once("## Part 41").unwrap_or_default();
        let note = format!("# Note\n\n{section}");
        let about = |number: usize| format!("# Port {number}\n\nA port, and another port.\n");
        let mut documents = vec![
            count_terms("manual.md", &manual, &query),
            count_terms("note.md", &note, &query),
        ];
        documents.extend((0..300).map(|number| count_terms("port.md", &about(number), &query)));
        let mut collection = Collection::default();
        documents
            .iter()
            .for_each(|document| collection.add(document.length, &document.counts));
        let ranking = collection.rank(&query, collection.mean_length());
        let scores: Vec<f64> = documents
            .iter()
            .map(|one| ranking.document_score(one))
            .collect();
        assert!(
            scores[2..].iter().all(|other| scores[0] > *other),
            "{scores:?}"
        );
        assert!(scores[0] > scores[1] / 2.0, "{scores:?}");
        // By its whole length it would score next to nothing.
        let whole = ranking.score(documents[0].length, &documents[0].counts);
        assert!(whole < scores[0] / 4.0, "{whole}, {scores:?}");

        let passages = documents[0].passages.as_ref().expect("it has several");
        let best = passages.best(&ranking, 3);
        let span = best[0].extent.span.clone();
        assert!(manual[span.clone()].contains("Quiescence") && span.len() < 8 << 10);
        // No other passage contains a term of the query.
        assert_eq!(best.len(), 1);
    }

    #[test]
    fn a_word_of_every_passage_of_one_document_is_rare() {
        let query = Bm25Query::new("gate open");
        let mut collection = Collection::default();
        let notes = ["# Note\n\nThe shop is open.\n"; 9];
        for text in notes.into_iter().chain([manual(30).as_str()]) {
            let document = count_terms("a.md", text, &query);
            collection.add(document.length, &document.counts);
        }
        let frequencies = [0, 1].map(|term| collection.document_frequency(term));
        assert_eq!((collection.texts(), frequencies), (10, [1, 10]));
    }

    #[test]
    fn only_passages_that_hold_a_term_are_kept() {
        let query = Bm25Query::new("quiescence manual ends");
        let text = manual(200)
            .replacen("## Part 70\n", "## Quiescence\n", 1)
            .replacen("## Part 150\n", "## Quiescence ends\n", 1);
        let passages = count_terms("guide.md", &text, &query).passages;
        let passages = passages.expect("it has several");
        let told: Vec<(bool, &[u32])> = passages
            .rows()
            .map(|(extent, row)| {
                let span = PassageExtent::from_row(extent).span;
                (text[span].contains("Quiescence"), row)
            })
            .collect();
        let (heading, title) = (weight::HEADING, weight::TITLE);
        // The first one, which has the title as its heading, and those of the two sections.
        let rows = [
            (false, [0, title + heading, 0]),
            (true, [heading, title, 0]),
            (true, [heading, title, heading]),
        ];
        assert_eq!(
            told,
            rows.each_ref()
                .map(|(is_one, row)| (*is_one, row.as_slice()))
        );
    }

    #[test]
    fn a_title_stands_above_each_passage_and_is_no_hit_in_it() {
        let query = Bm25Query::new("manual absent");
        let document = count_terms("guide.md", &manual(30), &query);
        let passages = document.passages.expect("it has several");
        assert_eq!(passages.rows().count(), 1);
    }

    #[test]
    fn a_short_document_is_one_text() {
        let query = Bm25Query::new("port");
        let document = count_terms("a.md", "the port is open\n", &query);
        assert!(document.passages.is_none());
    }
}
