//! Bodies of requests, which are read in full or refused.

use bytes::Bytes;
use http::StatusCode;
use http::header::CONTENT_TYPE;
use http::request::Parts;
use http_body_util::{BodyExt as _, LengthLimitError, Limited};
use hyper::body::{Body as _, Incoming};

use crate::serve::http::limits::{BODY_BYTES, BODY_TIME};
use crate::serve::http::reply::{self, Reply};
use crate::serve::message::{PARSE_ERROR, refusal};

/// Reads the JSON text of a request.
///
/// # Errors
/// Returns the reply that refuses it.
pub async fn json_text(parts: &Parts, body: Incoming) -> Result<Bytes, Reply> {
    // A form or script of another site can send a request with `text/plain` and two other types
    // without asking first. For `application/json` a browser sends a preflight request, which
    // is refused here, so such a page cannot call a tool even if the server is open to
    // everybody.
    if !is_json(parts) {
        return Err(reply::text(
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            "expected `Content-Type: application/json`",
        ));
    }
    whole(body).await
}

/// Returns true if all `Content-Type` headers name JSON: some clients send two, or parameters.
fn is_json(parts: &Parts) -> bool {
    let values = parts.headers.get_all(CONTENT_TYPE).iter();
    let mut kinds = values.flat_map(|it| it.to_str().unwrap_or_default().split(','));
    let is_json = |kind: &str| {
        let essence = kind.split(';').next().unwrap_or_default();
        essence.trim().eq_ignore_ascii_case("application/json")
    };
    kinds.next().is_some_and(is_json) && kinds.all(is_json)
}

async fn whole(body: Incoming) -> Result<Bytes, Reply> {
    // A declared length is refused before the body arrives, so that a client does not send 1
    // GiB in vain.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_is_json_however_often_it_is_said() {
        let is_json = |values: &[&str]| {
            let mut request = http::Request::new(()).into_parts().0;
            for value in values {
                request.headers.append(CONTENT_TYPE, value.parse().unwrap());
            }
            super::is_json(&request)
        };
        for values in [
            &["application/json"][..],
            &["Application/JSON; charset=utf-8"],
            &["application/json", "application/json;charset=UTF-8"],
            &["application/json, application/json"],
        ] {
            assert!(is_json(values), "{values:?}");
        }
        // A page of another site can send these without a preflight request.
        for values in [
            &[][..],
            &["text/plain"],
            &["text/plain", "application/json"],
            &["application/json", "text/plain"],
            &["application/json, text/plain"],
            &["application/jsonp"],
            &[""],
        ] {
            assert!(!is_json(values), "{values:?}");
        }
    }
}
