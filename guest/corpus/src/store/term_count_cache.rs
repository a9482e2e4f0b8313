//! Cached term counts of the last ranked query, so that a repeated query need not look its terms up
//! in each document.

use crate::store::ids::ContentVersion;
use docent_rank::bm25::Bm25Query;
use docent_rank::term_counts::TermCounts;
use docent_text::words::terms::Term;

/// The term counts of documents for one query.
#[derive(Debug, Default)]
pub struct TermCountCache {
    query: Vec<Term>,
    /// For each document, the version of its content and its counts.
    documents: Vec<Option<(ContentVersion, TermCounts)>>,
}

impl TermCountCache {
    /// Selects the query; the counts of another are dropped.
    pub fn select(&mut self, query: &Bm25Query) {
        if self.query != query.terms() {
            self.query = query.terms().to_vec();
            // The counts are in the order of the query's terms. Under another query they would be
            // taken for the counts of other terms.
            self.documents.clear();
        }
    }

    /// Returns the counts of this version of a document, if cached.
    pub fn get(&self, document: usize, version: ContentVersion) -> Option<&TermCounts> {
        let (of, counts) = self.documents.get(document)?.as_ref()?;
        (*of == version).then_some(counts)
    }

    /// Stores the counts of this version of a document.
    pub fn set(&mut self, document: usize, version: ContentVersion, counts: &TermCounts) {
        if self.documents.len() <= document {
            self.documents.resize(document + 1, None);
        }
        self.documents[document] = Some((version, counts.clone()));
    }
}

#[cfg(test)]
mod tests {
    use docent_rank::statistics::Statistics;

    use std::num::NonZeroU64;

    use super::*;

    fn version(number: u64) -> ContentVersion {
        ContentVersion(NonZeroU64::MIN.saturating_add(number))
    }

    #[test]
    fn counts_are_cached_for_one_query_and_version() {
        let statistics = Statistics::new("a.md", "the port is open\n");
        let (port, door) = (Bm25Query::new("port is"), Bm25Query::new("door"));
        let counts = TermCounts::new(&statistics, &port);
        assert_eq!(*counts.counts, [4, 4]);
        assert!(TermCounts::new(&statistics, &door).counts.is_empty());
        let mut cache = TermCountCache::default();
        cache.select(&port);
        cache.set(2, version(7), &counts);
        cache.select(&port);
        assert_eq!(cache.get(2, version(7)), Some(&counts));
        assert!(
            cache.get(2, version(8)).is_none()
                && cache.get(1, version(7)).is_none()
                && cache.get(3, version(7)).is_none()
        );
        cache.select(&door);
        cache.select(&port);
        assert!(cache.get(2, version(7)).is_none());
    }
}
