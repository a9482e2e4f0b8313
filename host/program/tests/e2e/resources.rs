//! Documents as resources: listed, read, and completed, over stdin and stdout.

use std::fs;

use serde_json::{Value, json};

use crate::program::{Session, tree};

const MODERN: &str = "2026-07-28";
const NOT_FOUND: i64 = -32002;
const INVALID_PARAMS: i64 = -32602;
const TEMPLATE: &str = "docent://{root}/{+path}";

fn root(name: &str, directory: &tempfile::TempDir) -> String {
    format!("{name}={}", directory.path().display())
}

fn modern(mut params: Value) -> Value {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": MODERN,
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    params
}

fn uris(answer: &Value) -> Vec<&str> {
    let listed = answer["result"]["resources"].as_array();
    let listed = listed.unwrap_or_else(|| panic!("{answer}"));
    listed
        .iter()
        .map(|it| it["uri"].as_str().unwrap())
        .collect()
}

#[track_caller]
fn values(session: &mut Session, argument: &str, value: &str, context: Value) -> Vec<String> {
    let answer = session.request(
        "completion/complete",
        json!({
            "ref": {"type": "ref/resource", "uri": TEMPLATE},
            "argument": {"name": argument, "value": value},
            "context": {"arguments": context},
        }),
    );
    let values = &answer["result"]["completion"]["values"];
    serde_json::from_value(values.clone()).unwrap_or_else(|_| panic!("{answer}"))
}

#[test]
fn documents_are_resources_in_every_revision() {
    let directory = tree(&[
        ("guide/set up.md", "# Setup\n\nlantern\n"),
        ("image.png", "x"),
    ]);
    let uri = "docent://docs/guide/set%20up.md";
    for version in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] {
        let mut session = Session::start(&["--root", &root("docs", &directory)]);
        let begun = session.initialize(version);
        assert_eq!(begun["result"]["protocolVersion"], version, "{begun}");
        let capabilities = &begun["result"]["capabilities"];
        assert_eq!(capabilities["resources"], json!({}), "{version}");
        assert_eq!(capabilities["completions"], json!({}), "{version}");
        let listed = session.request("resources/list", json!({}));
        assert_eq!(uris(&listed), [uri]);
        let listed = &listed["result"]["resources"][0];
        assert_eq!(listed["name"], "guide/set up.md");
        assert_eq!(listed["mimeType"], "text/markdown");
        assert_eq!(listed["size"], 17);
        let tells_time = listed["annotations"]["lastModified"].is_string();
        assert_eq!(tells_time, version >= "2025-06-18", "{version}: {listed}");
        let templates = session.request("resources/templates/list", json!({}));
        let template = &templates["result"]["resourceTemplates"][0];
        assert_eq!(template["uriTemplate"], TEMPLATE);
        let read = session.request("resources/read", json!({"uri": uri}));
        assert_eq!(
            read["result"],
            json!({"contents": [
                {"uri": uri, "mimeType": "text/markdown", "text": "# Setup\n\nlantern\n"},
            ]})
        );
        let missing = json!({"uri": "docent://docs/none.md"});
        let missing = session.request("resources/read", missing);
        assert_eq!(missing["error"]["code"], NOT_FOUND, "{missing}");
    }

    let mut session = Session::start(&["--root", &root("docs", &directory)]);
    for (method, params) in [
        ("resources/list", json!({})),
        ("resources/templates/list", json!({})),
        ("resources/read", json!({"uri": uri})),
        (
            "completion/complete",
            json!({
                "ref": {"type": "ref/resource", "uri": TEMPLATE},
                "argument": {"name": "root", "value": ""},
            }),
        ),
    ] {
        let answer = session.request(method, modern(params));
        assert_eq!(answer["result"]["resultType"], "complete", "{answer}");
    }
    let missing = modern(json!({"uri": "docent://docs/none.md"}));
    let missing = session.request("resources/read", missing);
    assert_eq!(missing["error"]["code"], INVALID_PARAMS, "{missing}");
    assert_eq!(missing["error"]["data"]["uri"], "docent://docs/none.md");
}

#[test]
fn the_list_has_pages_that_put_together_are_the_whole_newest_first() {
    let files: Vec<_> = (0..120)
        .map(|n| (format!("d{}/{n}.md", n % 3), n))
        .collect();
    let one = tree(&[]);
    for (path, n) in &files {
        let path = one.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        let file = fs::File::create(path).unwrap();
        let time = std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_000_000 + n);
        file.set_modified(time).unwrap();
    }
    let two = tree(&[("b.MD", "b\n"), (".hidden.md", "x\n"), ("c.bin", "x")]);
    let roots = [root("one", &one), root("둘", &two)];
    let arguments = ["--root", &roots[0], "--root", &roots[1]];
    let mut session = Session::initialized("2025-11-25", &arguments);
    let (mut all, mut cursor, mut pages) = (Vec::new(), None, 0);
    loop {
        let params = cursor.map_or(json!({}), |cursor: String| json!({"cursor": cursor}));
        let page = session.request("resources/list", params);
        let listed = uris(&page);
        assert!(listed.len() <= 50, "{page}");
        all.extend(listed.into_iter().map(str::to_owned));
        pages += 1;
        match page["result"]["nextCursor"].as_str() {
            Some(next) => cursor = Some(next.to_owned()),
            None => break,
        }
    }
    let newest_first = files.iter().rev();
    let mut expected: Vec<_> = newest_first
        .map(|(path, _)| format!("docent://one/{path}"))
        .collect();
    expected.push("docent://%EB%91%98/b.MD".to_owned());
    assert_eq!((all, pages), (expected, 3));

    let found = json!({"root": "one", "limit": 1});
    let foreign = session.text("find_files", found);
    let foreign = foreign.split('"').rfind(|part| part.len() > 40).unwrap();
    let long = format!("one:{}", "x".repeat(100_000));
    let of_one = format!("one:{foreign}");
    for cursor in ["", "x", "one:x", "three:", ":", foreign, &of_one, &long] {
        let refused = session.request("resources/list", json!({"cursor": cursor}));
        assert_eq!(
            refused["error"]["code"], INVALID_PARAMS,
            "{cursor}: {refused}"
        );
    }
}

#[test]
fn what_cannot_be_had_looks_as_if_it_were_not_there() {
    let directory = tree(&[
        ("a.md", "# A\n\ncanary-a\n\n# B\n"),
        (".env", "canary-env"),
        ("id_rsa", "canary-key"),
        ("nul.md", "canary-\0-nul"),
        ("d/b.md", "b\n"),
    ]);
    let outside = tree(&[("c.md", "canary-outside")]);
    let mut session = Session::initialized("2025-11-25", &["--root", &root("docs", &directory)]);
    let long = format!("docent://docs/{}", "x/".repeat(50_000));
    let absolute = format!("docent://docs/{}/c.md", outside.path().display());
    let file = format!("file://{}/a.md", directory.path().display());
    let mut messages = Vec::new();
    for uri in [
        "",
        "docent://docs",
        "docent://docs/",
        "docent://docs/d",
        "docent://docs/none.md",
        "docent://docs/.env",
        "docent://docs/id_rsa",
        "docent://docs/nul.md",
        "docent://docs/a.md#A",
        "docent://docs/a.md%23a",
        "docent://docs/a.md:1-2",
        "docent://docs/../a.md",
        "docent://docs/%2e%2e/a.md",
        "docent://docs/%2e%2e%2fa.md",
        "docent://docs/d%2fb.md",
        "docent://docs/d%5cb.md",
        "docent://docs/d/../a.md",
        "docent://docs/a.md%0a",
        "docent://docs/a.md%00",
        "docent://docs/%ff",
        "docent://other/a.md",
        "docent://DOCS/a.md",
        "https://docs/a.md",
        &file,
        &absolute,
        &long,
    ] {
        let answer = session.request("resources/read", json!({"uri": uri}));
        assert_eq!(answer["error"]["code"], NOT_FOUND, "{uri}: {answer}");
        assert!(!answer.to_string().contains("canary"), "{answer}");
        messages.push(answer["error"]["message"].clone());
    }
    messages.dedup();
    assert_eq!(messages.len(), 1, "{messages:?}");
    let malformed = session.request("resources/read", json!({"uri": 5}));
    assert_eq!(malformed["error"]["code"], INVALID_PARAMS, "{malformed}");
    let read = session.request("resources/read", json!({"uri": "docent://docs/a.md"}));
    assert!(read.to_string().contains("canary-a"), "{read}");
    let listed = session.request("resources/list", json!({}));
    assert!(!listed.to_string().contains("id_rsa"), "{listed}");
}

#[test]
fn a_long_document_is_cut_and_says_how_to_go_on() {
    let line = "one two three four five six seven eight nine ten\n";
    let directory = tree(&[("long.md", &line.repeat(10_000))]);
    let mut session = Session::initialized("2025-11-25", &["--root", &root("docs", &directory)]);
    let read = session.request("resources/read", json!({"uri": "docent://docs/long.md"}));
    let contents = read["result"]["contents"].as_array().unwrap();
    let text = contents[0]["text"].as_str().unwrap();
    assert!(text.len() < line.len() * 10_000);
    let note = contents[1]["text"].as_str().unwrap();
    let (told, arguments) = note.split_once(" Continue with `read_document` ").unwrap();
    let shown = text.lines().count();
    assert_eq!(told, format!("Cut after line {shown} of 10000."));
    let arguments: Value = serde_json::from_str(arguments.trim_end_matches('.')).unwrap();
    assert_eq!(arguments["lines"], format!("{}-10000", shown + 1));
    let rest = session.text("read_document", arguments);
    assert!(rest.contains(line.trim_end()), "{rest}");
}

#[cfg(unix)]
#[test]
fn names_with_line_breaks_and_escapes_lead_back() {
    let names = ["two\nlines.md", "100%25 #?.md", "가 나.md"];
    let directory = tree(&names.map(|name| (name, name)));
    let mut session = Session::initialized("2025-11-25", &["--root", &root("docs", &directory)]);
    let listed = session.request("resources/list", json!({}));
    let mut texts = Vec::new();
    for resource in listed["result"]["resources"].as_array().unwrap() {
        assert!(!resource["name"].as_str().unwrap().contains('\n'));
        let read = session.request("resources/read", json!({"uri": resource["uri"]}));
        let text = &read["result"]["contents"][0]["text"];
        texts.push(text.as_str().unwrap_or_else(|| panic!("{read}")).to_owned());
    }
    texts.sort_unstable();
    assert_eq!(texts, ["100%25 #?.md", "two\nlines.md", "가 나.md"]);
}

#[test]
fn roots_and_paths_are_completed() {
    let mut files = vec![
        ("guide/setup.md".to_owned(), "x"),
        ("guide/Server.txt".to_owned(), "x"),
        ("guide/deep/a.md".to_owned(), "x"),
        ("guide/binary.bin".to_owned(), "x"),
        ("glossary.md".to_owned(), "x"),
        (".hidden/a.md".to_owned(), "x"),
        ("\u{1112}\u{1161}\u{11ab}글.md".to_owned(), "x"),
    ];
    files.extend((0..130).map(|n| (format!("many/{n:03}.md"), "x")));
    let files: Vec<_> = files.iter().map(|(path, text)| (&**path, *text)).collect();
    let (one, two) = (tree(&files), tree(&[("only.md", "x")]));
    let roots = [root("docs", &one), root("drafts", &two)];
    let arguments = ["--root", &roots[0], "--root", &roots[1]];
    let mut session = Session::initialized("2025-11-25", &arguments);
    let none = || json!({});
    assert_eq!(
        values(&mut session, "root", "d", none()),
        ["docs", "drafts"]
    );
    assert_eq!(values(&mut session, "root", "dr", none()), ["drafts"]);
    assert_eq!(
        values(&mut session, "path", "g", none()),
        ["glossary.md", "guide/"]
    );
    let begun = values(&mut session, "path", "guide/s", none());
    assert_eq!(begun, ["guide/Server.txt", "guide/setup.md"]);
    let all = values(&mut session, "path", "guide/", none());
    assert_eq!(all, ["guide/Server.txt", "guide/deep/", "guide/setup.md"]);
    let decomposed = "\u{1112}\u{1161}\u{11ab}글.md";
    for typed in ["한", "\u{1112}\u{1161}\u{11ab}", "하"] {
        assert_eq!(values(&mut session, "path", typed, none()), [decomposed]);
    }
    let of_two = json!({"root": "drafts"});
    assert_eq!(values(&mut session, "path", "", of_two), ["only.md"]);
    let long = "x/".repeat(10_000);
    for path in [
        "none/",
        "../",
        "/",
        ".hidden/",
        "many/x",
        "%",
        "guide/../",
        &long,
    ] {
        let found = values(&mut session, "path", path, none());
        assert!(found.is_empty(), "{path}: {found:?}");
    }
    let other = json!({"root": "other"});
    assert!(values(&mut session, "path", "", other).is_empty());

    let complete = |reference: Value, name: &str| json!({"ref": reference, "argument": {"name": name, "value": "many/"}});
    let of_template = json!({"type": "ref/resource", "uri": TEMPLATE});
    let many = session.request("completion/complete", complete(of_template.clone(), "path"));
    let completion = &many["result"]["completion"];
    assert_eq!(completion["values"].as_array().unwrap().len(), 100);
    assert_eq!(completion["total"], 130);
    assert_eq!(completion["hasMore"], true);
    let unknown = json!({"type": "ref/resource", "uri": "file:///{path}"});
    for request in [
        complete(of_template, "page"),
        complete(unknown, "path"),
        json!({}),
    ] {
        let refused = session.request("completion/complete", request);
        assert_eq!(refused["error"]["code"], INVALID_PARAMS, "{refused}");
    }
    let prompt = json!({"type": "ref/prompt", "name": "none"});
    let nothing = session.request("completion/complete", complete(prompt, "x"));
    assert_eq!(nothing["result"]["completion"]["values"], json!([]));
}

#[test]
fn resources_come_in_batches_and_whatever_tools_are_on_offer() {
    let directory = tree(&[("a.md", "fox\n")]);
    let arguments = [
        "--root",
        &root("docs", &directory),
        "--tools",
        "search_documents",
    ];
    let mut session = Session::initialized("2025-03-26", &arguments);
    let request = |id: u64, method: &str, params: Value| json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
    let batch = json!([
        request(91, "resources/list", json!({})),
        request(92, "resources/read", json!({"uri": "docent://docs/a.md"})),
        request(93, "resources/read", json!({"uri": "docent://docs/b.md"})),
    ]);
    session.write(&batch.to_string());
    let mut answers = session.message();
    let answers = answers.as_array_mut().unwrap();
    answers.sort_by_key(|answer| answer["id"].as_u64());
    assert_eq!(uris(&answers[0]), ["docent://docs/a.md"]);
    assert_eq!(answers[1]["result"]["contents"][0]["text"], "fox\n");
    assert_eq!(answers[2]["error"]["code"], NOT_FOUND);
}
