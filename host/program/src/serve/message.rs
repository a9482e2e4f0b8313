//! Parsing and validation of client messages.

use rmcp::model::ClientJsonRpcMessage;
use serde_json::{Value, json};

/// Maximum JSON values in one text: those of a full batch. Each takes a hundred times as much
/// memory as the two bytes of its text.
const TEXT_VALUES: usize = 20_000;

/// Maximum messages in one batch. Clients that batch at all send a handful.
pub const BATCH_MESSAGES: usize = 1000;

pub const PARSE_ERROR: i64 = -32700;
pub const INVALID_REQUEST: i64 = -32600;
pub const INVALID_PARAMS: i64 = -32602;

/// The messages of a text.
#[derive(Debug, PartialEq)]
pub enum Parsed {
    /// One message.
    One(Value),
    /// A batch: each message, or the error reply that refuses it.
    Batch(Vec<Result<Value, Value>>),
}

/// Parses the messages in `text`, in the form that rmcp reads. If a key is repeated, its last value
/// counts.
///
/// # Errors
/// Returns the error reply. It has the id of the request if only another part of it is malformed,
/// such as half of a surrogate pair, so that its caller does not wait.
pub fn parse(text: &[u8]) -> Result<Parsed, Value> {
    // A text shorter than the limit cannot contain so many values, and nearly all texts are
    // short, so only long ones are counted. The limit protects the memory: a body of 256 KiB
    // that consists of `[0,0,0,…]` would take a hundred times its size.
    if text.len() > TEXT_VALUES && values(text) > TEXT_VALUES {
        let message = format!("too many values; expected at most {TEXT_VALUES} in one message");
        return Err(refusal(INVALID_REQUEST, &message, id_of(text)));
    }
    let refused = match one(text) {
        Ok(Value::Array(items)) => {
            let items = items.into_iter().map(|item| Ok(usual(item)));
            return Ok(Parsed::Batch(items.collect()));
        }
        Ok(message) => return Ok(Parsed::One(usual(message))),
        Err(refused) => refused,
    };
    // The batch as a whole cannot be parsed. Its messages are split at the commas outside of
    // strings and brackets and parsed one by one, so a malformed message does not affect the
    // others: `[{"id":1,…},{"id":2,"method":"\ud800"}]` has one answer and one error.
    let items = parts(text, b'[', b']').unwrap_or_default();
    let items: Vec<_> = items.into_iter().map(|item| one(item).map(usual)).collect();
    let is_answerable = |item: &Result<Value, Value>| match item {
        Ok(_) => true,
        Err(refused) => !refused["id"].is_null(),
    };
    if items.iter().any(is_answerable) {
        Ok(Parsed::Batch(items))
    } else {
        Err(refused)
    }
}

/// Parses the value in `text`.
fn one(text: &[u8]) -> Result<Value, Value> {
    // serde_json limits nesting to 128 levels. A text that would overflow the stack, such as a
    // hundred thousand `[`, is a parse error as well.
    serde_json::from_slice(text)
        .map_err(|error| refusal(PARSE_ERROR, &format!("parse error: {error}"), id_of(text)))
}

/// Returns the id of a request whose other parts are malformed.
fn id_of(text: &[u8]) -> Option<Value> {
    let members = parts(text, b'{', b'}')?;
    let mut ids = members.into_iter().rev().filter_map(|member| {
        let value = member.trim_ascii().strip_prefix(b"\"id\"")?;
        let value = value.trim_ascii().strip_prefix(b":")?;
        serde_json::from_slice(value).ok()
    });
    ids.next()
        .filter(|id: &Value| id.is_string() || id.is_number())
}

/// Splits the text between these brackets at its commas; none if the text is not enclosed in such
/// brackets, or is truncated.
fn parts(text: &[u8], open: u8, close: u8) -> Option<Vec<&[u8]>> {
    let inner = text.trim_ascii().strip_prefix(&[open])?;
    let inner = inner.strip_suffix(&[close])?;
    let (mut parts, mut start, mut depth) = (Vec::new(), 0, 0_usize);
    let (mut is_string, mut is_escaped) = (false, false);
    for (at, byte) in inner.iter().enumerate() {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' if is_string => is_escaped = true,
            b'"' => is_string = !is_string,
            _ if is_string => {}
            b'[' | b'{' => depth += 1,
            b']' | b'}' => depth = depth.checked_sub(1)?,
            b',' if depth == 0 => {
                parts.push(&inner[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&inner[start..]);
    (depth == 0 && !is_string).then_some(parts)
}

/// Checks the number of messages in a batch.
///
/// # Errors
/// Returns the error reply: JSON-RPC answers an empty batch with a single error, not with a list.
pub fn batch_of(messages: usize) -> Result<(), Value> {
    if (1..=BATCH_MESSAGES).contains(&messages) {
        return Ok(());
    }
    let problem = format!("a batch of {messages} messages; expected 1 to {BATCH_MESSAGES}");
    Err(refusal(INVALID_REQUEST, &problem, None))
}

/// Returns an upper bound of the number of values in a JSON text: the commas and brackets outside
/// of strings, plus one.
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

/// Parses the message in `item`; none for a malformed notification, which is ignored.
///
/// # Errors
/// Returns the error reply to any other malformed message.
pub fn parse_message(item: Value) -> Result<Option<ClientJsonRpcMessage>, Value> {
    // MCP, unlike JSON-RPC, does not permit an `id` of null, and fractions or objects are no
    // ids in either.
    let id = item
        .get("id")
        .filter(|id| id.is_string() || id.is_number())
        .cloned();
    let is_notification =
        item.get("method").is_some_and(Value::is_string) && item.get("id").is_none();
    // Only a message with an id can be answered, so only those are checked for parameters that
    // rmcp would silently treat as absent.
    if id.is_some()
        && let Some(problem) = malformed_parameters(&item)
    {
        return Err(refusal(INVALID_PARAMS, problem, id));
    }
    match serde_json::from_value(item) {
        Ok(message) => Ok(Some(message)),
        // JSON-RPC forbids an answer to a notification, even to a malformed one.
        Err(_) if is_notification => Ok(None),
        Err(_) => Err(refusal(
            INVALID_REQUEST,
            "invalid request; expected a JSON-RPC 2.0 message",
            id,
        )),
    }
}

/// Normalizes a message for rmcp: null parameters are removed, and arguments of a tool that are the
/// text of a JSON object become that object.
fn usual(mut item: Value) -> Value {
    let Some(message) = item.as_object_mut() else {
        return item;
    };
    if message.get("params").is_some_and(Value::is_null) {
        message.shift_remove("params");
    }
    let is_call = message.get("method").is_some_and(|it| it == "tools/call");
    let arguments = message
        .get_mut("params")
        .filter(|_| is_call)
        .and_then(|params| params.get_mut("arguments"));
    if let Some(arguments) = arguments
        && let Some(text) = arguments.as_str()
    {
        let meant = match text.trim() {
            "" => Some(Value::Null),
            text => serde_json::from_str(text).ok().filter(Value::is_object),
        };
        if let Some(meant) = meant {
            *arguments = meant;
        }
    }
    item
}

/// Returns the fault in parameters that rmcp would treat as absent.
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

/// Creates the error reply to a message.
pub fn refusal(code: i64, message: &str, id: Option<Value>) -> Value {
    // JSON-RPC requires an `id` of null if it is unknown.
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
    fn what_cannot_be_read_is_answered_with_its_id() {
        let refused = |text: &str| parse(text.as_bytes()).unwrap_err();
        let half = r#""params":{"name":"x","arguments":{"a":[1,{"b":"\udc00, {\""}]}}"#;
        for (text, id) in [
            (format!(r#"{{"id":7,{half}}}"#), json!(7)),
            (format!(r#" {{{half} , "id" : "a\"b" }} "#), json!("a\"b")),
            (r#"{"id":8,"params":{"a":1e999}}"#.to_owned(), json!(8)),
            (
                format!(
                    r#"{{"id":9,"params":{}{}}}"#,
                    "[".repeat(200),
                    "]".repeat(200)
                ),
                json!(9),
            ),
            // The id is null, or truncated.
            (format!(r#"{{"id":null,{half}}}"#), Value::Null),
            (format!(r#"{{"id":1,"params":{{"id":2,{half}"#), Value::Null),
            (r#"{"a":{"id":3},"b":"\ud800"}"#.to_owned(), Value::Null),
            ("nonsense".to_owned(), Value::Null),
        ] {
            let answer = refused(&text);
            assert_eq!(answer["id"], id, "{text}");
            assert_eq!(answer["error"]["code"], PARSE_ERROR, "{text}");
        }
        let mut bytes = br#"{"id":4,"params":"?"}"#.to_vec();
        bytes[18] = 0xff;
        assert_eq!(parse(&bytes).unwrap_err()["id"], 4);
    }

    #[test]
    fn one_message_of_a_batch_that_cannot_be_read_takes_no_other_with_it() {
        let text = br#"[{"id":1,"x":"\ud83d"}, {"id":2,"x":"[,]"}]"#;
        let Ok(Parsed::Batch(items)) = parse(text) else {
            panic!("it is a batch");
        };
        assert_eq!(items[0].as_ref().unwrap_err()["id"], 1);
        assert_eq!(items[1], Ok(json!({"id": 2, "x": "[,]"})));
        let Ok(Parsed::Batch(alone)) = parse(br#"[{"id":1,"x":"\ud83d"}]"#) else {
            panic!("it is a batch");
        };
        assert_eq!(alone[0].as_ref().unwrap_err()["id"], 1);
        assert!(parse(br#"[{"id":1"#).is_err() && parse(b"[1,]x").is_err());
        assert_eq!(parse(b"[]"), Ok(Parsed::Batch(Vec::new())));
    }

    #[test]
    fn the_last_of_two_equal_keys_counts() {
        let parsed = parse(br#"{"id":1,"method":"ping","method":"tools/list"}"#);
        let expected = json!({"id": 1, "method": "tools/list"});
        assert_eq!(parsed, Ok(Parsed::One(expected)));
    }

    #[test]
    fn parameters_of_null_are_none_and_arguments_may_be_text() {
        let of_call = |params: Value| {
            let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
            usual(call).get("params").cloned()
        };
        assert_eq!(of_call(Value::Null), None);
        for (given, meant) in [
            (json!("{\"query\": \"a\"}"), json!({"query": "a"})),
            (json!(" "), Value::Null),
            (json!("[1]"), json!("[1]")),
            (json!({"query": "{}"}), json!({"query": "{}"})),
        ] {
            let params = of_call(json!({"name": "explore", "arguments": given}));
            assert_eq!(params.unwrap()["arguments"], meant);
        }
    }

    #[test]
    fn what_is_no_message_is_refused_with_its_id() {
        let refused = |item: Value| parse_message(item).unwrap_err();
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
            parse_message(json!({"method": "notifications/cancelled"}))
                .unwrap()
                .is_none()
        );
        assert!(
            parse_message(json!({"jsonrpc": "2.0", "id": 1, "method": "x"}))
                .unwrap()
                .is_some()
        );
    }
}
