//! Messages as clients send them, understood or refused.

use rmcp::model::ClientJsonRpcMessage;
use serde_json::{Value, json};

/// The most values that one text may hold: those of a full batch. Each takes a hundred times as much
/// memory as the two bytes that it is written in.
const TEXT_VALUES: usize = 20_000;

/// The most messages in one batch. Clients that batch at all send a handful.
pub const BATCH_MESSAGES: usize = 1000;

pub const PARSE_ERROR: i64 = -32700;
pub const INVALID_REQUEST: i64 = -32600;
pub const INVALID_PARAMS: i64 = -32602;

/// Returns the JSON in `text`.
///
/// # Errors
/// The answer that refuses it.
pub fn parsed(text: &[u8]) -> Result<Value, Value> {
    // Short texts cannot hold so many, and nearly all are short.
    if text.len() > TEXT_VALUES && values(text) > TEXT_VALUES {
        let message = format!("too many values; expected at most {TEXT_VALUES} in one message");
        return Err(refusal(INVALID_REQUEST, &message, None));
    }
    // Nesting that would overflow the stack is a parse error as well: serde_json bounds it.
    serde_json::from_slice(text)
        .map_err(|error| refusal(PARSE_ERROR, &format!("parse error: {error}"), None))
}

/// Looks whether a batch may have so many messages.
///
/// # Errors
/// The answer that refuses it: JSON-RPC answers an empty batch with one error, not with a list.
pub fn batch_of(messages: usize) -> Result<(), Value> {
    if (1..=BATCH_MESSAGES).contains(&messages) {
        return Ok(());
    }
    let problem = format!("a batch of {messages} messages; expected 1 to {BATCH_MESSAGES}");
    Err(refusal(INVALID_REQUEST, &problem, None))
}

/// Returns the most values that a text of JSON can hold: one more than it has commas and brackets
/// outside of its strings.
fn values(text: &[u8]) -> usize {
    let (mut values, mut is_string, mut is_escaped) = (1, false, false);
    for byte in text {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' if is_string => is_escaped = true,
            b'"' => is_string = !is_string,
            b',' | b'[' | b'{' if !is_string => values += 1,
            _ => {}
        }
    }
    values
}

/// Returns the message in `item`, none for a notification that is not understood and so ignored,
/// or the answer that refuses it.
pub fn understood(item: Value) -> Result<Option<ClientJsonRpcMessage>, Value> {
    // MCP, unlike JSON-RPC, has no `id` of null.
    let id = item
        .get("id")
        .filter(|id| id.is_string() || id.is_number())
        .cloned();
    let is_notification =
        item.get("method").is_some_and(Value::is_string) && item.get("id").is_none();
    // Only what has an id can be answered.
    if id.is_some()
        && let Some(problem) = malformed_parameters(&item)
    {
        return Err(refusal(INVALID_PARAMS, problem, id));
    }
    match serde_json::from_value(item) {
        Ok(message) => Ok(Some(message)),
        // JSON-RPC has no answer to a notification, not even to a wrong one.
        Err(_) if is_notification => Ok(None),
        Err(_) => Err(refusal(
            INVALID_REQUEST,
            "invalid request; expected a JSON-RPC 2.0 message",
            id,
        )),
    }
}

/// Returns what is wrong with parameters that rmcp would take for absent.
fn malformed_parameters(request: &Value) -> Option<&'static str> {
    let params = request.get("params")?;
    if !params.is_object() {
        return Some("malformed `params`; expected an object");
    }
    let is_list = request["method"]
        .as_str()
        .is_some_and(|method| method.ends_with("/list"));
    let cursor = params.get("cursor").filter(|cursor| !cursor.is_string());
    (is_list && cursor.is_some()).then_some("malformed `cursor`; expected a string")
}

/// Returns the answer that refuses a message.
pub fn refusal(code: i64, message: &str, id: Option<Value>) -> Value {
    // JSON-RPC wants an `id` of null where it could not be told.
    json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message}})
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_counted_outside_of_strings() {
        for (line, expected) in [
            ("5", 1),
            ("[]", 2),
            ("[1,2,{\"a\":3}]", 5),
            (r#"{"a":"[,{","b\",":",\\","c":[]}"#, 5),
        ] {
            assert_eq!(values(line.as_bytes()), expected, "{line}");
        }
    }

    #[test]
    fn what_is_no_message_is_refused_with_its_id() {
        let refused = |item: Value| understood(item).unwrap_err();
        assert_eq!(refused(json!({"id": 7}))["id"], 7);
        assert_eq!(refused(json!({"id": "a", "method": 5}))["id"], "a");
        assert_eq!(
            refused(json!({"id": null, "method": "ping", "jsonrpc": "2.0"}))["id"],
            Value::Null
        );
        assert_eq!(refused(json!(5))["error"]["code"], INVALID_REQUEST);
        for params in [json!([]), json!("x"), json!({"cursor": 5})] {
            let request =
                json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": params});
            assert_eq!(refused(request)["error"]["code"], INVALID_PARAMS);
        }
        assert!(
            understood(json!({"method": "notifications/cancelled"}))
                .unwrap()
                .is_none()
        );
        assert!(
            understood(json!({"jsonrpc": "2.0", "id": 1, "method": "x"}))
                .unwrap()
                .is_some()
        );
    }
}
