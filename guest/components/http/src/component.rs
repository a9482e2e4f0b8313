//! The component's shell: it passes `wasi:http` requests to the gate and docent, and returns their
//! answers.

use std::env;
use std::io::{self, Read as _, Write as _};

use docent_wrapper::Imported;
use wasi::http::types::{
    Fields, IncomingRequest, Method, OutgoingBody, OutgoingResponse, ResponseOutparam,
};

use crate::gate::{BODY_BYTES, Gate};
use crate::message;
use crate::offer::Offer;
use crate::reply::{Reply, RequestHead};

/// The component's exports.
struct Http;

mod export {
    use super::Http;

    wasi::http::proxy::export!(Http);
}

impl wasi::exports::http::incoming_handler::Guest for Http {
    fn handle(request: IncomingRequest, out: ResponseOutparam) {
        let reply = answer(&request).unwrap_or_else(|refused| refused);
        send(&reply, out);
    }
}

fn answer(request: &IncomingRequest) -> Result<Reply, Reply> {
    let variable = |name: &str| env::var(name).ok();
    let misconfigured = |problem: String| message::misconfiguration_reply(&problem);
    let gate = Gate::from_lookup(variable).map_err(misconfigured)?;
    let offer = Offer::from_lookup(variable).map_err(misconfigured)?;
    let head = head(request);
    gate.check(&head, request.authority().as_deref())?;
    let body = body(request)?;
    Ok(message::answer(&head, &body, &offer, &mut Imported))
}

fn head(request: &IncomingRequest) -> RequestHead {
    let method = match request.method() {
        Method::Get => "GET".to_owned(),
        Method::Post => "POST".to_owned(),
        Method::Delete => "DELETE".to_owned(),
        Method::Other(name) => name,
        // No other method is served, so an empty name is enough for the answer 405.
        _ => String::new(),
    };
    let headers = request.headers().entries().into_iter();
    RequestHead {
        method,
        target: request.path_with_query().unwrap_or_default(),
        headers: headers
            .map(|(name, value)| {
                let value = String::from_utf8_lossy(&value).into_owned();
                (name.to_ascii_lowercase(), value)
            })
            .collect(),
    }
}

/// Returns the body of a request, if it is within the limit.
fn body(request: &IncomingRequest) -> Result<Vec<u8>, Reply> {
    let broken = || Reply::text(400, "the body could not be read");
    let incoming = request.consume().map_err(|()| broken())?;
    let stream = incoming.stream().map_err(|()| broken())?;
    let mut body = Vec::new();
    // One byte more than the limit is read: it shows that the body is too long, without reading
    // the rest of a body that may be endless. A length in the headers is a claim of the client
    // and is not relied on.
    let limit = BODY_BYTES as u64 + 1;
    stream
        .take(limit)
        .read_to_end(&mut body)
        .map_err(|_| broken())?;
    if body.len() > BODY_BYTES {
        return Err(Reply::text(
            413,
            "the body is too long; expected at most 256 KiB",
        ));
    }
    Ok(body)
}

fn send(reply: &Reply, out: ResponseOutparam) {
    let length = reply.body.len().to_string();
    let headers = [
        ("content-type", reply.content_type),
        ("content-length", Some(length.as_str())),
        ("cache-control", Some("no-store")),
        ("x-content-type-options", Some("nosniff")),
    ];
    let own = reply.header.into_iter();
    let headers: Vec<_> = headers
        .into_iter()
        .filter_map(|(name, value)| Some((name, value?)))
        .chain(own)
        .map(|(name, value)| (name.to_owned(), value.as_bytes().to_owned()))
        .collect();
    // An engine may reject a header that it sets itself. The answer is then sent without
    // headers, since a client can still read its body.
    let headers = Fields::from_list(&headers).unwrap_or_else(|_| Fields::new());
    let response = OutgoingResponse::new(headers);
    // If one of these calls fails, the client has gone, and there is nobody left to report it
    // to.
    let _ = response.set_status_code(reply.status);
    let body = response.body();
    ResponseOutparam::set(out, Ok(response));
    let Ok(body) = body else { return };
    let Ok(mut stream) = body.write() else { return };
    let written = stream
        .write_all(&reply.body)
        .and_then(|()| io::Write::flush(&mut stream));
    drop(stream);
    if written.is_ok() {
        let _ = OutgoingBody::finish(body, None);
    }
}
