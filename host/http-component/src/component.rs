//! The component's shell: it passes `wasi:http` requests to the gate and docent, and returns their
//! answers.

use std::env;
use std::io::{self, Read as _, Write as _};
use std::mem;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use wasi::http::types::{
    Fields, IncomingRequest, Method, OutgoingBody, OutgoingResponse, ResponseOutparam,
};

use crate::gate::{BODY_BYTES, Gate};
use crate::message;
use crate::offer::{Component, Offer, Refusal};
use crate::reply::{Head, Reply};

/// The bindings generated from `wit/`, with docent's exports as imports.
#[allow(
    missing_docs,
    unsafe_code,
    dead_code,
    clippy::all,
    clippy::pedantic,
    reason = "generated from wit/, where the documentation stands"
)]
mod bindings {
    include!(concat!(env!("OUT_DIR"), "/bindings.rs"));
}

/// The function that returns the roots, the default one first.
const CONFIG: &str = "get-config";

/// The component's exports.
struct Http;

mod export {
    use super::Http;

    wasi::http::proxy::export!(Http);
}

impl wasi::exports::http::incoming_handler::Guest for Http {
    fn handle(request: IncomingRequest, out: ResponseOutparam) {
        let reply = answered(&request).unwrap_or_else(|refused| refused);
        send(&reply, out);
    }
}

fn answered(request: &IncomingRequest) -> Result<Reply, Reply> {
    let variable = |name: &str| env::var(name).ok();
    let misconfigured = |problem: String| message::misconfigured(&problem);
    let gate = Gate::from_lookup(variable).map_err(misconfigured)?;
    let offer = Offer::from_lookup(variable).map_err(misconfigured)?;
    let head = head(request);
    gate.check(&head, request.authority().as_deref())?;
    let body = body(request)?;
    Ok(message::answer(&head, &body, &offer, &mut Imported))
}

fn head(request: &IncomingRequest) -> Head {
    let method = match request.method() {
        Method::Get => "GET".to_owned(),
        Method::Post => "POST".to_owned(),
        Method::Delete => "DELETE".to_owned(),
        Method::Other(name) => name,
        // No other method is served, whatever it is called.
        _ => String::new(),
    };
    let headers = request.headers().entries().into_iter();
    Head {
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
    // One more byte shows that it is too long.
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
    // If the engine rejects a header, the answer is sent without headers.
    let headers = Fields::from_list(&headers).unwrap_or_else(|_| Fields::new());
    let response = OutgoingResponse::new(headers);
    // If one of these fails, the client has gone and there is nothing left to do.
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

/// The component that is plugged into this one.
struct Imported;

impl Component for Imported {
    fn call(&mut self, function: &str, arguments: Map<String, Value>) -> Result<Value, Refusal> {
        call(function, arguments)
    }

    fn roots(&self) -> Vec<String> {
        // From the component's own configuration, which lists them.
        let config = call(CONFIG, Map::new()).unwrap_or_default();
        let roots = config["roots"].as_array().into_iter().flatten();
        let names = roots.filter_map(|root| root["name"].as_str());
        names.map(str::to_owned).collect()
    }
}

include!(concat!(env!("OUT_DIR"), "/calls.rs"));

/// Takes a required argument.
fn take<T: DeserializeOwned>(arguments: &mut Map<String, Value>, name: &str) -> Result<T, Refusal> {
    let value = arguments.remove(name).unwrap_or_default();
    serde_json::from_value(value).map_err(|error| Refusal::internal(format!("`{name}`: {error}")))
}

/// Takes the remaining arguments as a record of options; none if there are none left.
fn rest<T: DeserializeOwned>(arguments: Map<String, Value>) -> Result<Option<T>, Refusal> {
    if arguments.is_empty() {
        return Ok(None);
    }
    serde_json::from_value(Value::Object(arguments))
        .map(Some)
        .map_err(|error| Refusal::internal(error.to_string()))
}

fn outcome<T: Serialize>(
    result: Result<T, bindings::docent::docent::types::Error>,
) -> Result<Value, Refusal> {
    match result {
        Ok(answer) => serde_json::to_value(answer)
            .map(without_nulls)
            .map_err(|error| Refusal::internal(error.to_string())),
        Err(error) => Err(Refusal {
            code: serde_json::to_value(error.code)
                .ok()
                .and_then(|code| code.as_str().map(str::to_owned))
                .unwrap_or_default(),
            message: error.message,
            hint: error.hint,
        }),
    }
}

/// Returns an answer without null members.
fn without_nulls(value: Value) -> Value {
    match value {
        Value::Object(fields) => fields
            .into_iter()
            .filter(|(_, value)| !value.is_null())
            .map(|(name, value)| (name, without_nulls(value)))
            .collect::<Map<_, _>>()
            .into(),
        Value::Array(items) => items.into_iter().map(without_nulls).collect(),
        other => other,
    }
}
