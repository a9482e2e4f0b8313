//! The answers of the component to a search.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::terminal::skipped::Skipped;

/// Name of the component's function.
pub const FUNCTION: &str = "search-documents";

/// Maximum documents on one page.
pub const PAGE: u32 = 1000;

/// Maximum hits on one page.
const PAGE_HITS: usize = 500;

/// One page of an answer of the component.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AnswerPage {
    pub next_cursor: Option<String>,
    pub results: Vec<HitDocument>,
    pub settings: SearchSettings,
    pub stats: SearchStats,
}

impl AnswerPage {
    /// Appends another page.
    pub fn append(&mut self, other: Self) {
        self.results.extend(other.results);
        let (stats, more) = (&mut self.stats, other.stats);
        stats.documents_searched += more.documents_searched;
        stats.bytes_searched += more.bytes_searched;
        stats.elapsed_ms += more.elapsed_ms;
        stats.skipped.count += more.skipped.count;
        stats.skipped.entries.extend(more.skipped.entries);
    }

    /// Returns true if it is as large as a page of the component may be.
    pub fn is_full(&self) -> bool {
        let hits: usize = self
            .results
            .iter()
            .map(|document| document.matches.len())
            .sum();
        hits >= PAGE_HITS || self.stats.documents_searched >= u64::from(PAGE)
    }

    /// Sorts its documents in the order of a page: most hits first, then by path.
    pub fn into_sorted(mut self) -> Self {
        self.results.sort_by(|a, b| {
            b.match_count
                .cmp(&a.match_count)
                .then_with(|| a.path.cmp(&b.path))
        });
        self
    }
}

/// The settings in effect for a page.
#[derive(Clone, Copy, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SearchSettings {
    pub context_chars: u32,
    pub max_results: u32,
}

/// A document with hits.
#[derive(Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct HitDocument {
    pub path: String,
    pub name: String,
    pub match_count: u64,
    pub matches: Vec<SearchHit>,
}

/// A hit, or a section with hits.
#[derive(Deserialize, Serialize)]
pub struct SearchHit {
    pub line: u64,
    pub excerpt: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub section: Option<Value>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SearchStats {
    pub documents_searched: u64,
    pub bytes_searched: u64,
    pub elapsed_ms: u64,
    pub skipped: Skipped,
}

/// The totals of all pages of a search.
#[derive(Default)]
pub struct SearchSummary {
    pub matches: u64,
    pub hidden_matches: u64,
    pub documents: u64,
    pub stats: SearchStats,
    /// True if `--limit` ended the search before the last document.
    pub is_cut: bool,
    /// Settings in effect for the numbers on the command line; none before the first page.
    pub settings: Option<SearchSettings>,
}
