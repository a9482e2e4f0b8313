//! The MCP endpoint: one message or, in revision 2025-03-26, a batch.

use std::sync::Arc;

use bytes::Bytes;
use http::header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, USER_AGENT};
use http::request::Parts;
use http::{Method, Request, StatusCode};
use http_body_util::{BodyExt as _, Full};
use rmcp::model::{ClientJsonRpcMessage, ClientRequest, JsonRpcMessage, RequestId};
use serde_json::Value;

use crate::serve::handler::Revocation;
use crate::serve::http::auth::access::Principal;
use crate::serve::http::reply::{self, Reply};
use crate::serve::http::routes::request::AuthenticatedRequest;
use crate::serve::http::scheduling::fair_queue::Rejected;
use crate::serve::http::state::ServerState;
use crate::serve::http::tenants::TenantService;
use crate::serve::message::{self, INVALID_REQUEST, Parsed, parse_message, refusal};

const PROTOCOL_VERSION: HeaderName = HeaderName::from_static("mcp-protocol-version");

/// Only revision with batches, and the assumed revision of a client that names none.
const WITH_BATCHES: &str = "2025-03-26";

/// Answers a message to the endpoint for all roots of the principal, or for `root` alone.
pub async fn answer(mut asked: AuthenticatedRequest<'_>, root: Option<&str>) -> Reply {
    let principal = Arc::clone(&asked.principal);
    let rights = match root {
        None => Some(principal.roots.clone()),
        Some(root) => principal.roots.alone(root),
    };
    // A root without a right appears not to exist, so the reply is that for an unknown path.
    let Some(rights) = rights else {
        return reply::not_found();
    };
    let service = match asked.service(&rights) {
        Ok(service) => service,
        Err(refused) => return *refused,
    };
    if asked.parts.method != Method::POST {
        return reply::not_allowed("POST");
    }
    let Some(form) = ResponseForm::from_headers(&asked.parts.headers) else {
        let problem = "the client accepts no answer; expected `Accept: application/json, \
                       text/event-stream`, or one of them";
        let refused = refusal(INVALID_REQUEST, problem, None);
        return reply::json(StatusCode::NOT_ACCEPTABLE, &refused);
    };
    let text = match asked.json_text().await {
        Ok(text) => text,
        Err(refused) => return refused,
    };
    let talk = Talk {
        state: asked.state,
        parts: attach_caller(asked.parts, &principal),
        principal,
        service,
        form,
    };
    let reply = match message::parse(&text) {
        Err(refusal) => reply::json(StatusCode::BAD_REQUEST, &refusal),
        Ok(Parsed::Batch(items)) => talk.batch(items).await,
        Ok(Parsed::One(item)) => talk.single(item).await,
    };
    match form {
        ResponseForm::Events => in_events(reply).await,
        ResponseForm::Json | ResponseForm::Either => reply,
    }
}

/// The form of answers that a client accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ResponseForm {
    /// JSON, or a stream of events if it requested progress.
    Either,
    /// JSON only.
    Json,
    /// Events only.
    Events,
}

impl ResponseForm {
    /// Parses the `Accept` headers; anything if there are none, and none if they exclude both
    /// forms. The protocol requires clients to name both; many name one, or `*/*`.
    fn from_headers(headers: &HeaderMap) -> Option<Self> {
        let (mut json, mut events) = (false, false);
        let mut says_nothing = true;
        for value in headers.get_all(ACCEPT) {
            for range in value.to_str().unwrap_or_default().split(',') {
                let mut parts = range.split(';').map(str::trim);
                let kind = parts.next().unwrap_or_default().to_ascii_lowercase();
                if kind.is_empty() {
                    continue;
                }
                says_nothing = false;
                let weight = parts.find_map(|part| {
                    let (name, weight) = part.split_once('=')?;
                    name.trim()
                        .eq_ignore_ascii_case("q")
                        .then_some(weight.trim())
                });
                let is_none = |weight: &str| weight.trim_matches(['0', '.']).is_empty();
                if weight.is_some_and(|it| it.starts_with('0') && is_none(it)) {
                    continue;
                }
                json |= matches!(&*kind, "application/json" | "application/*" | "*/*");
                events |= matches!(&*kind, "text/event-stream" | "text/*" | "*/*");
            }
        }
        if says_nothing {
            return Some(Self::Either);
        }
        match (json, events) {
            (true, true) => Some(Self::Either),
            (true, false) => Some(Self::Json),
            (false, true) => Some(Self::Events),
            (false, false) => None,
        }
    }
}

/// Attaches the caller to the head of a request.
fn attach_caller(mut parts: Parts, principal: &Principal) -> Parts {
    let client = parts.headers.get(USER_AGENT);
    let client = client.and_then(|client| client.to_str().ok());
    let caller = principal.caller(client);
    parts.extensions.insert(caller);
    parts.extensions.insert(Revocation(principal.ended.clone()));
    // rmcp refuses a request whose headers do not name both types. What the client accepts was
    // read above, and the answer is converted to it afterwards.
    let both = HeaderValue::from_static("application/json, text/event-stream");
    let json = HeaderValue::from_static("application/json");
    parts.headers.insert(ACCEPT, both);
    parts.headers.insert(CONTENT_TYPE, json);
    parts
}

/// A request, and the service that answers it.
struct Talk<'a> {
    state: &'a ServerState,
    parts: Parts,
    principal: Arc<Principal>,
    service: Arc<TenantService>,
    form: ResponseForm,
}

impl Talk<'_> {
    /// Answers one message.
    async fn single(&self, mut item: Value) -> Reply {
        if self.form == ResponseForm::Json {
            without_progress(&mut item);
        }
        let text = Bytes::from(item.to_string());
        match parse_message(item) {
            Err(refusal) => reply::json(StatusCode::BAD_REQUEST, &refusal),
            Ok(None) => accept(),
            Ok(Some(message)) => self.answer_message(&message, text).await,
        }
    }

    /// Answers the messages one after the other, and returns all answers together: a batch occupies
    /// no more of the server than one call at a time.
    async fn batch(&self, items: Vec<Result<Value, Value>>) -> Reply {
        let version = self.parts.headers.get(PROTOCOL_VERSION);
        if version.is_some_and(|version| version != WITH_BATCHES) {
            let problem = "a batch; expected one message, as in every revision but 2025-03-26";
            let answer = refusal(INVALID_REQUEST, problem, None);
            return reply::json(StatusCode::BAD_REQUEST, &answer);
        }
        if let Err(refusal) = message::batch_of(items.len()) {
            return reply::json(StatusCode::BAD_REQUEST, &refusal);
        }
        let (mut answers, mut is_too_often) = (Vec::<Bytes>::new(), false);
        for item in items {
            let mut text = Bytes::new();
            let item = item.map(|mut item| {
                without_progress(&mut item);
                text = Bytes::from(item.to_string());
                item
            });
            let message = match item.and_then(parse_message) {
                Ok(None) => continue,
                Ok(Some(message)) => message,
                Err(refusal) => {
                    answers.push(refusal.to_string().into());
                    continue;
                }
            };
            let reply = self.answer_message(&message, text).await;
            is_too_often |= reply.status() == StatusCode::TOO_MANY_REQUESTS;
            if reply.status() == StatusCode::ACCEPTED {
                continue;
            }
            if !is_json(&reply) {
                // An answer that is not JSON concerns the whole request, such as a refusal of
                // its protocol revision, and replaces the answers to all messages.
                return reply;
            }
            // An answer of a batch is sent as it was serialized: it may have megabytes, and a
            // parsed value takes many times the memory of its text.
            let Ok(body) = reply.into_body().collect().await;
            answers.push(body.to_bytes());
        }
        if is_too_often {
            // The delay is applied once for all messages: a batch may hold a thousand, and its
            // client would wait for nearly a minute.
            reply::hold_back().await;
        }
        if answers.is_empty() {
            return accept();
        }
        reply::json_array(StatusCode::OK, &answers)
    }

    async fn answer_message(&self, message: &ClientJsonRpcMessage, text: Bytes) -> Reply {
        let permit = match call(message) {
            None => None,
            Some(id) => match self.state.permit(&self.principal).await {
                Ok(permit) => Some(permit),
                Err(reason) => return no_turn(reason, id),
            },
        };
        let request = Request::from_parts(self.parts.clone(), Full::new(text));
        let reply = self.service.mcp(request).await;
        // The permit and the service are held until the reply has been sent. With a stream of
        // events, `mcp` returns long before the call ends: the call still runs then and counts
        // for the limits of its token, and its service must not be closed as unused.
        reply::hold_until_sent(in_json(reply).await, (permit, Arc::clone(&self.service)))
    }
}

/// Returns the id of a request that runs the component; none for other messages.
fn call(message: &ClientJsonRpcMessage) -> Option<&RequestId> {
    match message {
        JsonRpcMessage::Request(request) => {
            let is_call = matches!(
                request.request,
                ClientRequest::CallToolRequest(_)
                    | ClientRequest::ListResourcesRequest(_)
                    | ClientRequest::ReadResourceRequest(_)
                    | ClientRequest::CompleteRequest(_)
            );
            is_call.then_some(&request.id)
        }
        _ => None,
    }
}

fn no_turn(reason: Rejected, id: &RequestId) -> Reply {
    let (status, problem, seconds) = match reason {
        Rejected::RateLimited(seconds) => (
            StatusCode::TOO_MANY_REQUESTS,
            "too many calls with this token; try again later",
            seconds,
        ),
        Rejected::Busy(seconds) => (
            StatusCode::SERVICE_UNAVAILABLE,
            "too many calls are waiting; try again in a moment",
            seconds,
        ),
    };
    // Neither JSON-RPC nor MCP defines a code for this case, so the HTTP status is used.
    let code = i64::from(status.as_u16());
    let answer = refusal(code, problem, serde_json::to_value(id).ok());
    reply::retry_after(reply::json(status, &answer), seconds)
}

/// Removes the progress token of a message: the answer to a batch has no place for progress.
fn without_progress(item: &mut Value) {
    let meta = item.pointer_mut("/params/_meta");
    if let Some(meta) = meta.and_then(Value::as_object_mut) {
        meta.shift_remove("progressToken");
    }
}

fn accept() -> Reply {
    let mut reply = reply::bytes(StatusCode::ACCEPTED, "text/plain", Bytes::new());
    reply.headers_mut().remove(CONTENT_TYPE);
    reply
}

fn is_json(reply: &Reply) -> bool {
    let kind = reply.headers().get(CONTENT_TYPE);
    kind.is_some_and(|kind| kind.as_bytes().starts_with(b"application/json"))
}

/// Converts an answer to a stream of one event, for clients that accept nothing else.
async fn in_events(reply: Reply) -> Reply {
    if reply.status() != StatusCode::OK || !is_json(&reply) {
        return reply;
    }
    let Ok(body) = reply.into_body().collect().await;
    // An event ends at a blank line and each of its lines needs a prefix. Compact JSON contains
    // no line breaks, so one `data:` line suffices.
    let body = body.to_bytes();
    let event = [&b"event: message\ndata: "[..], &body[..], b"\n\n"].concat();
    reply::bytes(StatusCode::OK, "text/event-stream", event)
}

/// Converts a plain-text refusal of rmcp to a JSON-RPC error: clients take a 400 with another body
/// for a server of an older revision.
async fn in_json(reply: Reply) -> Reply {
    let statuses = [StatusCode::BAD_REQUEST, StatusCode::UNSUPPORTED_MEDIA_TYPE];
    if !statuses.contains(&reply.status()) || is_json(&reply) {
        return reply;
    }
    let Ok(body) = reply.into_body().collect().await;
    let problem = String::from_utf8_lossy(&body.to_bytes()).into_owned();
    let problem = problem.strip_prefix("Bad Request: ").unwrap_or(&problem);
    reply::json(
        StatusCode::BAD_REQUEST,
        &refusal(INVALID_REQUEST, problem, None),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_client_says_in_which_form_it_takes_answers() {
        let form = |values: &[&str]| {
            let mut headers = HeaderMap::new();
            for value in values {
                headers.append(ACCEPT, value.parse().unwrap());
            }
            ResponseForm::from_headers(&headers)
        };
        for (values, expected) in [
            (&[][..], Some(ResponseForm::Either)),
            (&[""], Some(ResponseForm::Either)),
            (&["*/*"], Some(ResponseForm::Either)),
            (
                &["application/json, text/event-stream"],
                Some(ResponseForm::Either),
            ),
            (
                &["text/event-stream", "Application/JSON;q=0.5"],
                Some(ResponseForm::Either),
            ),
            (&["text/html, */*;q=0.8"], Some(ResponseForm::Either)),
            (&["application/json"], Some(ResponseForm::Json)),
            (&["application/*;version=1"], Some(ResponseForm::Json)),
            (&["text/event-stream"], Some(ResponseForm::Events)),
            (
                &["text/event-stream, application/json; Q=0"],
                Some(ResponseForm::Events),
            ),
            (&["text/html"], None),
            (&["*/*;q=0.0"], None),
        ] {
            assert_eq!(form(values), expected, "{values:?}");
        }
    }
}
