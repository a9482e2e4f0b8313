//! The arguments shared by all tools that answer questions: the query in words, and the token
//! budget.

use docent_api::types::{Error, ErrorCode};

use crate::limits::{QUESTION_CHARS, TOKENS, TOKENS_DEFAULT};
use docent_rank::passages::Question;
use docent_tree::error::{check_range, refuse};

/// Returns the token budget of a request.
///
/// # Errors
/// `invalid-request` if it is outside its range.
pub fn token_budget(max_tokens: Option<u32>) -> Result<u32, Error> {
    token_budget_or(max_tokens, TOKENS_DEFAULT)
}

/// Returns the token budget of a request, or `default` if it has none.
///
/// # Errors
/// `invalid-request` if it is outside its range.
pub fn token_budget_or(max_tokens: Option<u32>, default: u32) -> Result<u32, Error> {
    Ok(check_range("maxTokens", max_tokens, TOKENS)?.unwrap_or(default))
}

/// Returns the query, trimmed.
///
/// # Errors
/// `invalid-query` when it is empty or too long.
pub fn question_text(query: &str) -> Result<&str, Error> {
    let query = query.trim();
    let length = query.chars().count();
    if (1..=QUESTION_CHARS).contains(&length) {
        return Ok(query);
    }
    Err(refuse(
        ErrorCode::InvalidQuery,
        format!("`query` has {length} characters after trimming; expected 1 to {QUESTION_CHARS}"),
        "Ask in some words that the text may use.",
    ))
}

/// Refuses a query without anything to search for.
///
/// # Errors
/// `query-too-short`.
pub fn refuse_wordless(query: &str, question: &Question) -> Result<(), Error> {
    if !question.query.is_empty() {
        return Ok(());
    }
    Err(refuse(
        ErrorCode::QueryTooShort,
        format!("`query` is `{query}`; expected at least one word or symbol"),
        "Ask in words; search for the exact text to find punctuation.",
    ))
}
