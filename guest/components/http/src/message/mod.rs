//! MCP over stateless Streamable HTTP: one message per request, answered as JSON.

use docent_markdown::Renderer;
use docent_tool_catalog::{quote, table};
use docent_wrapper::Component;
use serde_json::{Map, Value, json};

use crate::offer::{Offer, roots};
use crate::reply::{Reply, RequestHead};

/// The protocol revisions that begin with a handshake, oldest first.
const WITH_HANDSHAKE: [&str; 4] = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];

/// The revision without a handshake, whose requests are self-contained.
const MODERN: &str = "2026-07-28";

/// The members of `_meta` in a request of [`MODERN`].
const META_VERSION: &str = "io.modelcontextprotocol/protocolVersion";
const META_CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";

const PARSE_ERROR: i64 = -32700;
const INVALID_REQUEST: i64 = -32600;
const METHOD_NOT_FOUND: i64 = -32601;
const INVALID_PARAMS: i64 = -32602;
const HEADER_MISMATCH: i64 = -32020;
const UNSUPPORTED_VERSION: i64 = -32022;

/// A protocol error.
struct Wrong {
    status: u16,
    code: i64,
    message: String,
    data: Option<Value>,
}

impl Wrong {
    fn new(status: u16, code: i64, message: impl Into<String>) -> Self {
        Self {
            status,
            code,
            message: message.into(),
            data: None,
        }
    }

    /// Returns the answer to the request `id`; null if the id is not known.
    fn reply(self, id: &Value) -> Reply {
        let mut error = json!({"code": self.code, "message": self.message});
        if let Some(data) = self.data {
            error["data"] = data;
        }
        let answer = json!({"jsonrpc": "2.0", "id": id, "error": error});
        Reply::json(self.status, &answer)
    }
}

/// The kind of protocol revision that a client uses.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Revision {
    /// One of [`WITH_HANDSHAKE`].
    WithHandshake,
    /// [`MODERN`].
    Modern,
}

/// A parsed request.
struct RpcRequest<'a> {
    method: &'a str,
    params: Map<String, Value>,
}

impl RpcRequest<'_> {
    fn meta(&self, name: &str) -> Option<&Value> {
        self.params.get("_meta")?.get(name)
    }

    fn text(&self, name: &str) -> Option<&str> {
        self.params.get(name).and_then(Value::as_str)
    }
}

/// Answers the message in `body`.
pub fn answer(
    head: &RequestHead,
    body: &[u8],
    offer: &Offer,
    component: &mut dyn Component,
) -> Reply {
    let message: Value = match serde_json::from_slice(body) {
        Ok(message) => message,
        // The errors include nesting that would overflow the stack, such as a million opening
        // brackets: serde_json limits the depth.
        Err(error) => {
            let problem = format!("parse error: {error}");
            return Wrong::new(400, PARSE_ERROR, problem).reply(&Value::Null);
        }
    };
    let id = message
        .get("id")
        .filter(|id| id.is_string() || id.is_number());
    let id = id.cloned().unwrap_or(Value::Null);
    let invalid = |problem: &str| Wrong::new(400, INVALID_REQUEST, problem).reply(&id);
    if message.is_array() {
        return invalid("a batch; expected one message");
    }
    if message["jsonrpc"] != "2.0" {
        return invalid("invalid request; expected a JSON-RPC 2.0 message");
    }
    let Some(method) = message["method"].as_str() else {
        // Responses of a client are ignored, because this server sends no requests.
        let is_answer = message.get("result").is_some() || message.get("error").is_some();
        return if is_answer {
            Reply::accept()
        } else {
            invalid("invalid request; expected a JSON-RPC 2.0 message")
        };
    };
    if message.get("id").is_none() {
        return Reply::accept();
    }
    if id.is_null() {
        return invalid("malformed `id`; expected a string or a number");
    }
    let params = match message.get("params") {
        None => Map::new(),
        Some(Value::Object(params)) => params.clone(),
        Some(_) => {
            let problem = "malformed `params`; expected an object";
            return Wrong::new(400, INVALID_PARAMS, problem).reply(&id);
        }
    };
    let request = RpcRequest { method, params };
    match respond(head, request, offer, component) {
        Ok(result) => Reply::json(200, &json!({"jsonrpc": "2.0", "id": id, "result": result})),
        Err(wrong) => wrong.reply(&id),
    }
}

fn respond(
    head: &RequestHead,
    mut request: RpcRequest<'_>,
    offer: &Offer,
    component: &mut dyn Component,
) -> Result<Value, Wrong> {
    let revision = revision(head, &request)?;
    let mut result = match (request.method, revision) {
        ("initialize", Revision::WithHandshake) => {
            let wanted = request.text("protocolVersion").unwrap_or_default();
            let mut known = WITH_HANDSHAKE.iter();
            let latest = WITH_HANDSHAKE[WITH_HANDSHAKE.len() - 1];
            let version = known.find(|known| **known == wanted).unwrap_or(&latest);
            json!({
                "protocolVersion": version,
                "capabilities": {"tools": {}},
                "serverInfo": server(),
                "instructions": offer.instructions(&Renderer::new(), &roots(component)),
            })
        }
        ("ping", Revision::WithHandshake) => json!({}),
        ("server/discover", Revision::Modern) => json!({
            "supportedVersions": versions(),
            "capabilities": {"tools": {}},
            "instructions": offer.instructions(&Renderer::new(), &roots(component)),
            "ttlMs": 0,
            "cacheScope": "private",
            "_meta": {"io.modelcontextprotocol/serverInfo": server()},
        }),
        ("tools/list", _) => {
            if request.params.contains_key("cursor") {
                let problem =
                    "unknown `cursor`; expected none, for all tools are on the first page";
                return Err(Wrong::new(200, INVALID_PARAMS, problem));
            }
            let mut result = json!({"tools": offer.descriptions()});
            if revision == Revision::Modern {
                result["ttlMs"] = 0.into();
                result["cacheScope"] = "private".into();
            }
            result
        }
        ("tools/call", _) => call(&mut request, offer, component)?,
        (method, _) => {
            let status = match revision {
                Revision::Modern => 404,
                Revision::WithHandshake => 200,
            };
            let problem = format!("unknown method `{}`", quote(method));
            return Err(Wrong::new(status, METHOD_NOT_FOUND, problem));
        }
    };
    if revision == Revision::Modern {
        result["resultType"] = "complete".into();
    }
    Ok(result)
}

fn server() -> Value {
    json!({"name": "docent", "title": "docent", "version": env!("CARGO_PKG_VERSION")})
}

fn versions() -> Vec<&'static str> {
    WITH_HANDSHAKE.into_iter().chain([MODERN]).collect()
}

/// Returns the protocol revision of a request, by its body and its header.
fn revision(head: &RequestHead, request: &RpcRequest<'_>) -> Result<Revision, Wrong> {
    let told = head.header("mcp-protocol-version");
    let own = request.meta(META_VERSION).and_then(Value::as_str);
    let unsupported = |version: &str| Wrong {
        data: Some(json!({"supported": versions(), "requested": version})),
        ..Wrong::new(
            400,
            UNSUPPORTED_VERSION,
            format!("unsupported revision `{}`", quote(version)),
        )
    };
    if let Some(version) = own
        && !versions().contains(&version)
    {
        return Err(unsupported(version));
    }
    match (told, own) {
        (None, None) => return Ok(Revision::WithHandshake),
        (Some(told), None) if WITH_HANDSHAKE.contains(&told) => return Ok(Revision::WithHandshake),
        (Some(told), None) if told != MODERN => return Err(unsupported(told)),
        _ => {}
    }
    let missing = |name: &str| {
        Wrong::new(
            400,
            HEADER_MISMATCH,
            format!("missing required `{name}` header"),
        )
    };
    let told = told.ok_or_else(|| missing("MCP-Protocol-Version"))?;
    let differs = |name: &str, told: &str, own: &str| {
        let (told, own) = (quote(told), quote(own));
        let problem = format!("header `{name}` is `{told}`; expected `{own}`, as in the body");
        Wrong::new(400, HEADER_MISMATCH, problem)
    };
    let is_told = own.is_some()
        && request
            .meta(META_CAPABILITIES)
            .is_some_and(Value::is_object);
    let Some(own) = own.filter(|_| is_told) else {
        let problem = format!("`_meta` lacks `{META_VERSION}` or `{META_CAPABILITIES}`");
        return Err(Wrong::new(400, INVALID_PARAMS, problem));
    };
    if told != own {
        return Err(differs("MCP-Protocol-Version", told, own));
    }
    if own != MODERN {
        return Ok(Revision::WithHandshake);
    }
    // The headers repeat parts of the body, so that a proxy can route or refuse a request
    // without parsing it. They have to agree with the body: a request with `Mcp-Name:
    // find_files` that calls another tool would pass a proxy that allows `find_files` only.
    let named = head
        .header("mcp-method")
        .ok_or_else(|| missing("Mcp-Method"))?;
    if named != request.method {
        return Err(differs("Mcp-Method", named, request.method));
    }
    if request.method == "tools/call" {
        let named = head.header("mcp-name").ok_or_else(|| missing("Mcp-Name"))?;
        let tool = request.text("name").unwrap_or_default();
        if named != tool {
            return Err(differs("Mcp-Name", named, tool));
        }
    }
    Ok(Revision::Modern)
}

fn call(
    request: &mut RpcRequest<'_>,
    offer: &Offer,
    component: &mut dyn Component,
) -> Result<Value, Wrong> {
    let malformed = |name: &str| {
        let problem = format!("malformed parameters of `tools/call`; expected `{name}`");
        Wrong::new(200, INVALID_PARAMS, problem)
    };
    let arguments = match request.params.remove("arguments") {
        None => Map::new(),
        Some(Value::Object(arguments)) => arguments,
        Some(_) => return Err(malformed("arguments")),
    };
    let name = request.text("name").ok_or_else(|| malformed("name"))?;
    let tool = offer
        .find(name)
        .map_err(|problem| Wrong::new(200, INVALID_PARAMS, problem))?;
    // Wrong arguments are a result of the tool and not a protocol error. A client shows results
    // to the model, which can correct its arguments and repeat the call; errors of the protocol
    // often end at the client.
    let (text, is_error) = match docent_wrapper::answer(tool, arguments, component) {
        Ok(text) => (text, false),
        Err(text) => (text, true),
    };
    Ok(json!({"content": [{"type": "text", "text": text}], "isError": is_error}))
}

/// Returns the answer if docent's configuration is invalid.
pub fn misconfiguration_reply(problem: &str) -> Reply {
    Reply::text(
        500,
        &format!("{}: {problem}", table().label("internal-error")),
    )
}

#[cfg(test)]
mod tests;
