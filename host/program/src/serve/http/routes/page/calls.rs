//! The recent calls: a list, and one with its answer.

use std::sync::Arc;

use http::StatusCode;

use super::response::{aside, refusal};
use crate::serve::http::call_report;
use crate::serve::http::reply::Reply;
use crate::serve::http::routes::request::AuthenticatedRequest;

/// Parses the number of a call in a path.
pub fn id(text: &str) -> Option<u64> {
    let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|_| is_number)
}

/// Replies with the calls after the one that the query names.
pub async fn list(asked: &AuthenticatedRequest<'_>) -> Reply {
    let query = asked.parts.uri.query().unwrap_or_default();
    let mut pairs = query.split('&').filter_map(|pair| pair.split_once('='));
    let after = pairs
        .find(|(name, _)| *name == "after")
        .and_then(|(_, text)| id(text));
    let calls = Arc::clone(&asked.state.calls);
    let visibility = asked.visibility();
    aside(move || calls.after(after.unwrap_or(0), visibility)).await
}

/// Replies with the full record of one call.
pub async fn one(asked: &AuthenticatedRequest<'_>, id: u64) -> Reply {
    let calls = Arc::clone(&asked.state.calls);
    let Some(record) = calls.one(id, asked.visibility()) else {
        let problem = "this call is not kept";
        return refusal(StatusCode::NOT_FOUND, "not-found", problem, "");
    };
    aside(move || {
        let mut told = calls.describe(&record);
        let (structured, text) = calls.sent_answer(&record);
        let mut sent = call_report::measure_text(&text);
        sent["text"] = text.into();
        told["sent"] = sent;
        if let Some(structured) = structured {
            told["structured"] = structured;
        }
        if let Err(refused) = &record.answer {
            told["error"] = refused.error.clone();
        }
        told
    })
    .await
}
