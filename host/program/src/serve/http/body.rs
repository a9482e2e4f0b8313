//! The bodies of requests, read whole or refused.

use bytes::Bytes;
use http::StatusCode;
use http::header::CONTENT_TYPE;
use http::request::Parts;
use http_body_util::{BodyExt as _, LengthLimitError, Limited};
use hyper::body::{Body as _, Incoming};

use super::limits::{BODY_BYTES, BODY_TIME};
use super::reply::{self, Reply};
use crate::serve::message::{PARSE_ERROR, refusal};

/// Returns the JSON text that a request brings.
///
/// # Errors
/// The answer that refuses it.
pub async fn json_text(parts: &Parts, body: Incoming) -> Result<Bytes, Reply> {
    // Another type could be sent by a page of another site without being asked.
    if !is_json(parts) {
        return Err(reply::text(
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            "expected `Content-Type: application/json`",
        ));
    }
    whole(body).await
}

fn is_json(parts: &Parts) -> bool {
    let mut types = parts.headers.get_all(CONTENT_TYPE).iter();
    let kind = types.next().and_then(|kind| kind.to_str().ok());
    let essence = kind.and_then(|kind| kind.split(';').next());
    types.next().is_none()
        && essence.is_some_and(|it| it.trim().eq_ignore_ascii_case("application/json"))
}

async fn whole(body: Incoming) -> Result<Bytes, Reply> {
    // Before it is sent, where its length is told.
    if body.size_hint().lower() > BODY_BYTES as u64 {
        return Err(too_large());
    }
    let read = Limited::new(body, BODY_BYTES).collect();
    match tokio::time::timeout(BODY_TIME, read).await {
        Ok(Ok(body)) => Ok(body.to_bytes()),
        Ok(Err(error)) if error.is::<LengthLimitError>() => Err(too_large()),
        Ok(Err(_)) => {
            let answer = refusal(PARSE_ERROR, "the body cannot be read", None);
            Err(reply::json(StatusCode::BAD_REQUEST, &answer))
        }
        Err(_) => Err(reply::text(
            StatusCode::REQUEST_TIMEOUT,
            &format!("the body took over {} s", BODY_TIME.as_secs()),
        )),
    }
}

fn too_large() -> Reply {
    let problem = format!("the body is too large; expected at most {BODY_BYTES} bytes");
    reply::text(StatusCode::PAYLOAD_TOO_LARGE, &problem)
}
