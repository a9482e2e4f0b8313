//! Replies in the format of the page.

use http::StatusCode;
use serde_json::{Value, json};

use crate::serve::http::reply::{self, Reply};

/// Creates a refusal in the format of the page.
pub fn refusal(status: StatusCode, code: &str, message: &str, hint: &str) -> Reply {
    let error = json!({"error": {"code": code, "message": message, "hint": hint}});
    reply::json(status, &error)
}

/// Runs a long computation on a blocking thread, where it delays no other request, and replies with
/// its JSON.
pub async fn aside(work: impl FnOnce() -> Value + Send + 'static) -> Reply {
    aside_as_it_is(move || reply::json(StatusCode::OK, &work())).await
}

/// Runs a long computation on a blocking thread, and sends its reply unchanged.
pub async fn aside_as_it_is(work: impl FnOnce() -> Reply + Send + 'static) -> Reply {
    tokio::task::spawn_blocking(work).await.unwrap_or_else(|_| {
        refusal(
            StatusCode::INTERNAL_SERVER_ERROR,
            "internal-error",
            "the answer could not be created",
            "",
        )
    })
}
