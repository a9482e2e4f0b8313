//! Replies to HTTP requests.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use http::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderValue, RETRY_AFTER};
use http::{Response, StatusCode};
use http_body::{Body, Frame, SizeHint};
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt as _, Full};
use serde_json::Value;

use crate::serve::http::limits::TOO_OFTEN_WAIT;

/// A reply to a request.
pub type Reply = Response<BoxBody<Bytes, Infallible>>;

/// Creates a reply of one line of text.
pub fn text(status: StatusCode, text: &str) -> Reply {
    let mut line = text.to_owned();
    line.push('\n');
    bytes(status, "text/plain; charset=utf-8", line)
}

/// Creates a JSON reply.
pub fn json(status: StatusCode, value: &Value) -> Reply {
    bytes(status, "application/json", value.to_string())
}

/// Creates a JSON reply with an array of values, each given as its JSON text.
pub fn json_array(status: StatusCode, values: &[Bytes]) -> Reply {
    let mut array = vec![b'['];
    array.extend(values.join(&b","[..]));
    array.push(b']');
    bytes(status, "application/json", array)
}

/// Creates a reply of this content type.
pub fn bytes(status: StatusCode, kind: &'static str, content: impl Into<Bytes>) -> Reply {
    let mut reply = Response::new(Full::new(content.into()).boxed());
    *reply.status_mut() = status;
    let kind = HeaderValue::from_static(kind);
    reply.headers_mut().insert(CONTENT_TYPE, kind);
    reply
}

/// Creates the reply for an unknown path.
pub fn not_found() -> Reply {
    text(StatusCode::NOT_FOUND, "not found")
}

/// Creates the reply to a method that a path does not support.
pub fn not_allowed(methods: &'static str) -> Reply {
    let mut reply = text(StatusCode::METHOD_NOT_ALLOWED, "method not allowed");
    let methods = HeaderValue::from_static(methods);
    reply.headers_mut().insert(http::header::ALLOW, methods);
    reply
}

/// Adds the number of seconds after which a retry may succeed.
pub fn retry_after(mut reply: Reply, seconds: u64) -> Reply {
    let headers = reply.headers_mut();
    headers.insert(RETRY_AFTER, HeaderValue::from(seconds));
    reply
}

/// Closes the connection after this reply.
pub fn last(mut reply: Reply) -> Reply {
    let close = HeaderValue::from_static("close");
    reply.headers_mut().insert(http::header::CONNECTION, close);
    reply
}

/// Sets the headers of every reply: it must not be cached, or read as another type.
pub fn seal(mut reply: Reply) -> Reply {
    let headers = reply.headers_mut();
    let nosniff = HeaderValue::from_static("nosniff");
    headers.insert(http::header::X_CONTENT_TYPE_OPTIONS, nosniff);
    headers
        .entry(CACHE_CONTROL)
        .or_insert(HeaderValue::from_static("no-store"));
    reply
}

/// Keeps `held` until the reply is sent or abandoned.
pub fn hold_until_sent<T: Send + Sync + Unpin + 'static>(reply: Reply, held: T) -> Reply {
    reply.map(|body| BodyGuard { body, _held: held }.boxed())
}

/// A body that keeps a value alive.
struct BodyGuard<T> {
    body: BoxBody<Bytes, Infallible>,
    _held: T,
}

impl<T: Unpin> Body for BodyGuard<T> {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// Delays the reply that refuses too frequent calls, so that a client that ignores it gains
/// nothing, and takes no time from others.
pub async fn hold_back() {
    tokio::time::sleep(TOO_OFTEN_WAIT).await;
}
