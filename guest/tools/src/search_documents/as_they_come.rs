//! Pages without a budget: all hits in the order of the search, which is that of their paths.

use docent_api::search::{SearchMode, SearchResult};

use super::hits;
use super::request::SearchRequest;
use super::scan::{HitSink, ScanAmount};
use crate::limits::{DOCUMENTS_PER_ANSWER, HITS_PER_ANSWER};
use docent_text::matching::finder::Finder;
use docent_text::width::Widths;
use docent_tree::path::RelPathRef;

/// A page in the making.
pub struct HitsAsTheyCome<'a> {
    request: &'a SearchRequest,
    finder: &'a Finder,
    /// In the order of their paths.
    pub results: Vec<SearchResult>,
    hits_listed: u32,
}

impl<'a> HitsAsTheyCome<'a> {
    /// Returns an empty page.
    pub fn new(request: &'a SearchRequest, finder: &'a Finder) -> Self {
        Self {
            request,
            finder,
            results: Vec::new(),
            hits_listed: 0,
        }
    }
}

impl HitSink for HitsAsTheyCome<'_> {
    type Hits = SearchResult;

    fn search(
        &self,
        path: RelPathRef<'_>,
        name: &str,
        text: &str,
        widths: Widths,
    ) -> Option<SearchResult> {
        hits::result(path.as_str(), name, text, widths, self.finder, self.request)
    }

    fn take(&mut self, result: SearchResult) -> bool {
        let hits = match self.request.mode {
            SearchMode::TitlesOnly => 0,
            _ => result.match_count.min(self.request.settings.max_results),
        };
        // The next page begins with this document: a cursor points between documents, never
        // into one.
        if self.hits_listed + hits > HITS_PER_ANSWER {
            return false;
        }
        self.hits_listed += hits;
        self.results.push(result);
        true
    }

    fn is_full(&self, amount: ScanAmount) -> bool {
        let limit = self.request.settings.limit;
        amount.documents >= DOCUMENTS_PER_ANSWER
            || self.hits_listed >= HITS_PER_ANSWER
            || limit.is_some_and(|limit| self.results.len() >= limit as usize)
    }
}
