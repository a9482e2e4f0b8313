use docent_wrapper::WrapperRefusal;

use super::*;

/// A component that answers with its own arguments, over one root.
struct Echo;

impl Component for Echo {
    fn call(
        &mut self,
        function: &str,
        arguments: Map<String, Value>,
    ) -> Result<Value, WrapperRefusal> {
        if function == "get-config" {
            return Ok(json!({"roots": [{"name": "docs"}]}));
        }
        if arguments.get("query").is_some_and(|query| query == "bad") {
            return Err(WrapperRefusal {
                code: "invalid-path".to_owned(),
                message: "bad".to_owned(),
                hint: "Do better.".to_owned(),
            });
        }
        Ok(json!({"function": function, "arguments": arguments}))
    }
}

fn head(headers: &[(&str, &str)]) -> RequestHead {
    let headers = headers.iter();
    RequestHead {
        headers: headers
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect(),
        ..RequestHead::default()
    }
}

fn asked(headers: &[(&str, &str)], message: &Value) -> (u16, Value) {
    let offer = Offer::from_lookup(|_| None).unwrap();
    let reply = answer(
        &head(headers),
        message.to_string().as_bytes(),
        &offer,
        &mut Echo,
    );
    let body = serde_json::from_slice(&reply.body).unwrap_or_default();
    (reply.status, body)
}

fn request(method: &str, params: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": 7, "method": method, "params": params})
}

fn modern(method: &str, mut params: Value) -> Value {
    params["_meta"] = json!({META_VERSION: MODERN, META_CAPABILITIES: {}});
    request(method, params)
}

#[track_caller]
fn refuses(headers: &[(&str, &str)], message: &Value, status: u16, code: i64) {
    let (told, body) = asked(headers, message);
    assert_eq!(
        (told, body["error"]["code"].as_i64()),
        (status, Some(code)),
        "{body}"
    );
}

#[test]
fn a_handshake_takes_the_revision_of_the_client_or_the_latest() {
    for (wanted, given) in [("2025-03-26", "2025-03-26"), ("1999-01-01", "2025-11-25")] {
        let (status, body) = asked(
            &[],
            &request("initialize", json!({"protocolVersion": wanted})),
        );
        assert_eq!((status, &body["id"]), (200, &json!(7)));
        assert_eq!(body["result"]["protocolVersion"], given);
        let told = body["result"]["instructions"].as_str().unwrap();
        assert!(told.contains("- docs (read-only, default)"), "{told}");
    }
    assert_eq!(
        asked(&[], &request("ping", json!({}))).1["result"],
        json!({})
    );
}

#[test]
fn what_wants_no_answer_gets_none() {
    for message in [
        json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        json!({"jsonrpc": "2.0", "id": 1, "result": {}}),
    ] {
        assert_eq!(asked(&[], &message), (202, Value::Null));
    }
}

#[test]
fn tools_are_listed_and_called() {
    let (_, body) = asked(&[], &request("tools/list", json!({})));
    let names = body["result"]["tools"].as_array().unwrap().iter();
    let names: Vec<_> = names.map(|tool| tool["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["explore", "understand", "find_files"]);
    assert!(body["result"].get("resultType").is_none());

    let call = |arguments: Value| {
        let (status, body) = asked(
            &[("mcp-protocol-version", "2025-06-18")],
            &request(
                "tools/call",
                json!({"name": "explore", "arguments": arguments}),
            ),
        );
        assert_eq!(status, 200);
        let text = body["result"]["content"][0]["text"]
            .as_str()
            .unwrap()
            .to_owned();
        (text, body["result"]["isError"].as_bool().unwrap())
    };
    assert!(!call(json!({"query": "a"})).1);
    let (text, is_error) = call(json!({"quer": "a"}));
    assert!(
        is_error && text.starts_with("[invalid-request] unknown argument `quer`"),
        "{text}"
    );
    let (text, is_error) = call(json!({"query": "bad"}));
    assert!(is_error);
    assert_eq!(text, "[ERR_MCP_101] invalid-path: bad\nDo better.");
}

#[test]
fn a_request_of_the_modern_revision_says_all_of_itself() {
    let version = ("mcp-protocol-version", MODERN);
    let list = modern("tools/list", json!({}));
    let (status, body) = asked(&[version, ("mcp-method", "tools/list")], &list);
    assert_eq!(
        (status, &body["result"]["resultType"]),
        (200, &json!("complete"))
    );
    assert_eq!(body["result"]["ttlMs"], 0);

    let discover = modern("server/discover", json!({}));
    let (_, body) = asked(&[version, ("mcp-method", "server/discover")], &discover);
    assert_eq!(body["result"]["supportedVersions"], json!(versions()));

    refuses(&[version], &list, 400, HEADER_MISMATCH);
    refuses(&[("mcp-method", "tools/list")], &list, 400, HEADER_MISMATCH);
    refuses(
        &[version, ("mcp-method", "tools/call")],
        &list,
        400,
        HEADER_MISMATCH,
    );
    let call = modern("tools/call", json!({"name": "explore"}));
    let method = ("mcp-method", "tools/call");
    refuses(&[version, method], &call, 400, HEADER_MISMATCH);
    refuses(
        &[version, method, ("mcp-name", "x")],
        &call,
        400,
        HEADER_MISMATCH,
    );
    assert_eq!(
        asked(&[version, method, ("mcp-name", "explore")], &call).0,
        200
    );

    let silent = request("tools/list", json!({}));
    refuses(
        &[version, ("mcp-method", "tools/list")],
        &silent,
        400,
        INVALID_PARAMS,
    );
    refuses(
        &[("mcp-protocol-version", "2027-01-01")],
        &silent,
        400,
        UNSUPPORTED_VERSION,
    );
    for removed in ["initialize", "ping"] {
        let message = modern(removed, json!({}));
        refuses(
            &[version, ("mcp-method", removed)],
            &message,
            404,
            METHOD_NOT_FOUND,
        );
    }
}

#[test]
fn what_is_not_understood_is_refused() {
    for (message, status, code) in [
        (json!([request("ping", json!({}))]), 400, INVALID_REQUEST),
        (json!({"id": 1, "method": "ping"}), 400, INVALID_REQUEST),
        (json!({"jsonrpc": "2.0", "id": 1}), 400, INVALID_REQUEST),
        (
            json!({"jsonrpc": "2.0", "id": null, "method": "ping"}),
            400,
            INVALID_REQUEST,
        ),
        (json!("ping"), 400, INVALID_REQUEST),
        (request("ping", json!([])), 400, INVALID_PARAMS),
        (
            request("tools/list", json!({"cursor": "x"})),
            200,
            INVALID_PARAMS,
        ),
        (
            request("tools/call", json!({"name": "change"})),
            200,
            INVALID_PARAMS,
        ),
        (request("tools/call", json!({})), 200, INVALID_PARAMS),
        (
            request("tools/call", json!({"name": "explore", "arguments": 5})),
            200,
            INVALID_PARAMS,
        ),
        (request("resources/list", json!({})), 200, METHOD_NOT_FOUND),
        (request("server/discover", json!({})), 200, METHOD_NOT_FOUND),
    ] {
        refuses(&[], &message, status, code);
    }
    let offer = Offer::from_lookup(|_| None).unwrap();
    for text in ["{", "", &"[".repeat(100_000)] {
        let reply = answer(&head(&[]), text.as_bytes(), &offer, &mut Echo);
        let body: Value = serde_json::from_slice(&reply.body).unwrap();
        assert_eq!(
            (reply.status, &body["error"]["code"]),
            (400, &json!(PARSE_ERROR))
        );
    }
}
