//! A request in valid form.

use docent_api::search::{SearchDocumentsOptions, SearchMode, SearchSettings};
use docent_api::types::{Error, ErrorCode};

use crate::limits::{
    CONTEXT_CHARS, CONTEXT_CHARS_DEFAULT, MAX_RESULTS, MAX_RESULTS_DEFAULT, QUERY_CHARS,
    SEARCH_LIMIT, SEARCH_TIMEOUT_MS, SEARCH_TIMEOUT_MS_DEFAULT, SEARCH_TOKENS_DEFAULT,
};
use crate::paging::cursor::Fingerprint;
use crate::question::token_budget_or;
use docent_corpus::extensions::Extensions;
use docent_text::matching::finder::Case;
use docent_tree::error::{check_range, refuse};
use docent_tree::path::RelPath;

/// A request in valid form.
pub struct SearchRequest {
    /// Trimmed.
    pub query: String,
    pub case: Case,
    pub mode: SearchMode,
    pub settings: SearchSettings,
    pub extensions: Extensions,
    /// Token budget of the answer, or `None` to list documents in the order in which they are
    /// found.
    pub budget: Option<u32>,
    pub timeout_ms: u32,
}

pub const NO_OPTIONS: SearchDocumentsOptions = SearchDocumentsOptions {
    root: None,
    path: None,
    case_sensitive: None,
    context_chars: None,
    max_results: None,
    limit: None,
    mode: None,
    extensions: None,
    cursor: None,
    max_tokens: None,
    timeout_ms: None,
};

impl SearchRequest {
    /// Validates a request.
    ///
    /// # Errors
    /// `invalid-query`, or `invalid-request` for a number that is out of range and not clamped.
    pub fn parse(query: &str, options: &SearchDocumentsOptions) -> Result<Self, Error> {
        let query = query.trim();
        let length = query.chars().count();
        if !(1..=QUERY_CHARS).contains(&length) {
            return Err(refuse(
                ErrorCode::InvalidQuery,
                format!(
                    "`query` has {length} characters after trimming; expected 1 to {QUERY_CHARS}"
                ),
                "Search for a word or a phrase as it is in the text.",
            ));
        }
        let clamped = |value: Option<u32>, default: u32, (least, most): (u32, u32)| {
            value.unwrap_or(default).clamp(least, most)
        };
        let budget = match options.max_tokens {
            Some(0) => None,
            tokens => Some(token_budget_or(tokens, SEARCH_TOKENS_DEFAULT)?),
        };
        let timeout_ms = check_range("timeoutMs", options.timeout_ms, SEARCH_TIMEOUT_MS)?
            .unwrap_or(SEARCH_TIMEOUT_MS_DEFAULT);
        Ok(Self {
            query: query.to_owned(),
            case: match options.case_sensitive {
                Some(true) => Case::Sensitive,
                _ => Case::Ignored,
            },
            mode: options.mode.unwrap_or(SearchMode::Snippets),
            // Clamped and not refused: the answer reports the numbers used.
            settings: SearchSettings {
                context_chars: clamped(options.context_chars, CONTEXT_CHARS_DEFAULT, CONTEXT_CHARS),
                max_results: clamped(options.max_results, MAX_RESULTS_DEFAULT, MAX_RESULTS),
                limit: options
                    .limit
                    .map(|limit| limit.clamp(SEARCH_LIMIT.0, SEARCH_LIMIT.1)),
            },
            extensions: Extensions::parse(options.extensions.as_deref())?,
            budget,
            timeout_ms,
        })
    }

    /// Returns the fingerprint of everything that determines the hits and their order.
    pub fn fingerprint(&self, root: &str, path: &RelPath) -> Fingerprint {
        let case = match self.case {
            Case::Sensitive => "sensitive",
            Case::Ignored => "ignored",
        };
        Fingerprint::new("search-documents")
            .with(root)
            .with(path.as_str())
            .with(&self.query)
            .with(case)
            .with(&self.extensions.as_slice().join("."))
            .with_optional((!self.extensions.is_explicit()).then_some("unknown"))
    }
}
