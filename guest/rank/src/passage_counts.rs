//! What the passages of a long document hold of a query, and what the best of them are worth.

use std::ops::Range;

use crate::bm25::Ranking;
use crate::statistics::Statistics;
use docent_text::saturating::saturating_u32;
use docent_text::words::terms::Term;

/// What the passages of a document hold of a query: those that hold a term of it.
#[derive(Debug, PartialEq, Eq)]
pub struct PassageCounts {
    passages: Box<[PassageExtent]>,
    /// Of each passage, what each term counts, in quarters, title and path included.
    counts: Box<[u32]>,
    /// Of each term, how many passages hold it; one where it stands in the title or path alone.
    frequencies: Box<[u32]>,
}

/// A passage of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PassageExtent {
    /// Bytes of the document.
    pub span: Range<usize>,
    /// Its length in words, as ranking counts them.
    pub words: u32,
}

/// A passage that answers.
#[derive(Clone, Debug, PartialEq)]
pub struct BestPassage<'a> {
    /// Where it stands.
    pub extent: &'a PassageExtent,
    /// How well it answers, 0 to 1.
    pub score: f64,
}

impl PassageCounts {
    /// Returns what the passages of a document hold of some terms; none where the document is one
    /// passage, or holds none of them.
    pub fn of(statistics: &Statistics, terms: &[Term]) -> Option<Self> {
        let table = statistics.passage_table(terms)?;
        let width = terms.len();
        let mut frequencies = vec![0; width];
        let mut passages = Vec::new();
        let mut counts = Vec::new();
        let (above, rows) = table.counts.split_at(width);
        for (row, extent) in rows.chunks_exact(width).zip(table.extents) {
            for (frequency, count) in frequencies.iter_mut().zip(row) {
                *frequency += u32::from(*count > 0);
            }
            // The title's words stand above each passage; that alone makes none of them answer.
            if row.iter().any(|count| *count > 0) {
                counts.extend(row.iter().zip(above).map(|(own, above)| own + above));
                passages.push(extent);
            }
        }
        if passages.is_empty() {
            counts.extend(above);
            passages.push(statistics.first_passage()?);
        }
        for (frequency, above) in frequencies.iter_mut().zip(above) {
            *frequency = (*frequency).max(u32::from(*above > 0));
        }
        Some(Self {
            passages: passages.into(),
            counts: counts.into(),
            frequencies: frequencies.into(),
        })
    }

    /// Returns how many passages hold each term.
    pub fn frequencies(&self) -> &[u32] {
        &self.frequencies
    }

    /// Returns the length in words of those that hold a term, in the mean.
    pub fn mean_words(&self) -> u32 {
        let words: u32 = self.passages.iter().map(|passage| passage.words).sum();
        words / saturating_u32(self.passages.len()).max(1)
    }

    /// Returns the score of the best of them.
    pub fn best_score(&self, ranking: &Ranking) -> f64 {
        let scores = self
            .rows()
            .map(|(row, extent)| ranking.score(extent.words, row));
        scores.fold(0.0, f64::max)
    }

    /// Returns so many of the passages that answer best, best first, the first of equals.
    pub fn best(&self, ranking: &Ranking, most: usize) -> Vec<BestPassage<'_>> {
        let mut best: Vec<BestPassage<'_>> = Vec::with_capacity(most + 1);
        for (row, extent) in self.rows() {
            let score = ranking.score(extent.words, row);
            let at = best.partition_point(|other| other.score >= score);
            if at < most {
                best.insert(at, BestPassage { extent, score });
                best.truncate(most);
            }
        }
        best
    }

    /// Returns the passages with what each term counts there.
    fn rows(&self) -> impl Iterator<Item = (&[u32], &PassageExtent)> {
        let rows = self.counts.chunks_exact(self.frequencies.len());
        rows.zip(&self.passages)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bm25::{Collection, Query};
    use crate::term_counts::TermCounts;

    /// Some paragraphs below each of so many headings.
    fn manual(sections: usize) -> String {
        let section = |number: usize| {
            let words = "The gate is open while the server waits for the next one. ".repeat(20);
            format!("## Part {number}\n\n{words}\n\n{words}\n\n")
        };
        "# Manual\n\n".to_owned() + &(0..sections).map(section).collect::<String>()
    }

    fn held(path: &str, text: &str, query: &Query) -> TermCounts {
        TermCounts::new(&Statistics::new(path, text), query)
    }

    #[test]
    fn a_rare_word_weighs_as_much_in_a_long_document_as_in_a_note() {
        let query = Query::new("port quiescence");
        let sentence = "Quiescence begins when the last port has been shut.\n";
        let manual =
            manual(80).replacen("## Part 40\n\n", &format!("## Part 40\n\n{sentence}\n"), 1);
        let (_, section) = manual.split_once("## Part 40\n\n").unwrap_or_default();
        let (section, _) = section.split_once("## Part 41").unwrap_or_default();
        let note = format!("# Note\n\n{section}");
        let about = |number: usize| format!("# Port {number}\n\nA port, and another port.\n");
        let mut documents = vec![
            held("manual.md", &manual, &query),
            held("note.md", &note, &query),
        ];
        documents.extend((0..30).map(|number| held("port.md", &about(number), &query)));
        let mut collection = Collection::default();
        documents
            .iter()
            .for_each(|document| collection.add_document(document));
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
        // By its whole length it would stand behind each of them.
        let whole = ranking.score(documents[0].length, &documents[0].counts);
        assert!(whole < scores[2]);

        let passages = documents[0].passages.as_ref().expect("it has several");
        let best = passages.best(&ranking, 3);
        let span = best[0].extent.span.clone();
        assert!(manual[span.clone()].contains("Quiescence") && span.len() < 8 << 10);
        assert_eq!(passages.frequencies()[1], 1);
        // No other passage holds a term of the query.
        assert_eq!(best.len(), 1);
    }

    #[test]
    fn a_title_stands_above_each_passage_and_is_no_hit_in_it() {
        let query = Query::new("manual absent");
        let document = held("guide.md", &manual(30), &query);
        let passages = document.passages.expect("it has several");
        assert_eq!(passages.frequencies(), [1, 0]);
        assert_eq!(passages.passages.len(), 1);
    }

    #[test]
    fn a_short_document_is_one_text() {
        let query = Query::new("port");
        let document = held("a.md", "the port is open\n", &query);
        assert!(document.passages.is_none());
        assert_eq!(document.texts, (1, document.length));
    }
}
