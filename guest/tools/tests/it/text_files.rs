//! Text files of any name are found; hidden and ignored files only if named or requested; and files
//! that were not searched are reported.

use docent_conformance::typed::call;
use docent_tools::{Docent, ToolSettings};
use docent_tree::memory::MemoryDisk;
use serde_json::{Value, json};

const CANARY: &str = "canary";

fn docent_of(disk: &MemoryDisk, cache_bytes: usize) -> Docent<MemoryDisk> {
    Docent::new(
        disk.clone(),
        ToolSettings {
            cache_bytes,
            ..ToolSettings::default()
        },
    )
}

/// Returns the answer of a tool, or its error.
fn ask(docent: &mut Docent<MemoryDisk>, tool: &str, args: Value) -> Value {
    let Value::Object(args) = args else {
        panic!("{args} is no record")
    };
    call(docent, tool, args).unwrap_or_else(|error| error)
}

fn tool(disk: &MemoryDisk, tool: &str, args: Value) -> Value {
    ask(&mut docent_of(disk, 0), tool, args)
}

/// Returns the paths of the items of a search, in the order in which they answer.
fn items(answer: &Value) -> Vec<&str> {
    let groups = ["docs", "code", "data"].map(|group| answer["data"][group].as_array());
    let mut items: Vec<&Value> = groups.into_iter().flatten().flatten().collect();
    items.sort_by_key(|item| item["rank"].as_u64());
    let paths = items.iter().map(|item| item["file_path"].as_str());
    paths.flatten().collect()
}

/// Returns the paths of the entries of a list.
fn paths<'a>(answer: &'a Value, list: &str) -> Vec<&'a str> {
    let entries = answer[list].as_array().into_iter().flatten();
    let paths = entries.filter_map(|entry| entry["path"].as_str());
    paths.map(|path| path.trim_start_matches('/')).collect()
}

/// Names that do not reveal the kind of the file, all of them of text files.
const UNKNOWN: [&str; 16] = [
    "LICENSE",
    "README",
    "a.awk",
    "a.css",
    "a.diff",
    "a.feature",
    "a.html",
    "a.j2",
    "a.jinja",
    "a.org",
    "a.patch",
    "a.svg",
    "a.tex",
    "app.zzz",
    "prod.env",
    "sub/NOTES",
];

fn tree_of_unknown() -> MemoryDisk {
    let files = UNKNOWN.map(|name| (name, "the quokka sleeps\n"));
    let disk = MemoryDisk::with_files(&files);
    disk.write("docs", "pic.png", b"\x89PNG\0quokka");
    disk.write("docs", "utf16.unknown", &utf16("a quokka in UTF-16\n"));
    disk
}

fn utf16(text: &str) -> Vec<u8> {
    let units = std::iter::once(0xFEFF).chain(text.encode_utf16());
    units.flat_map(u16::to_le_bytes).collect()
}

fn sorted(mut paths: Vec<&str>) -> Vec<&str> {
    paths.sort_unstable();
    paths
}

#[test]
fn every_search_finds_text_of_any_name() {
    let disk = tree_of_unknown();
    let mut expected = UNKNOWN.to_vec();
    expected.push("utf16.unknown");
    for cache in [0, 1 << 20] {
        let mut docent = docent_of(&disk, cache);
        for _ in 0..2 {
            let answer = ask(&mut docent, "search-documents", json!({"query": "quokka"}));
            assert_eq!(sorted(paths(&answer, "results")), expected);
            assert_eq!(answer["stats"]["skipped"]["count"], 0);
            let args = json!({"query": "quokka", "limit": 50});
            let answer = ask(&mut docent, "smart-search", args);
            assert_eq!(answer["documents_found"], 17);
            let args = json!({"content": "quokka"});
            let answer = ask(&mut docent, "context-search", args);
            assert_eq!(sorted(paths(&answer, "results")), expected);
            let args = json!({"query": "quokka", "limits": {"maxResults": 50}});
            let answer = ask(&mut docent, "explore", args);
            assert_eq!(answer["stats"]["docs"], 17, "{answer}");
            assert_eq!(answer["stats"]["skipped"]["count"], 0);
        }
    }
}

#[test]
fn what_no_name_tells_stands_behind_documents_and_code() {
    let disk = MemoryDisk::with_files(&[
        ("A", "quokka quokka quokka\n"),
        (
            "b.md",
            "# Animals\n\nThere is also the quokka, and much else to say of animals.\n",
        ),
        ("c.rs", "/// Feeds the quokka.\nfn feed() {}\n"),
        ("d.json", "{\"quokka\": 1}\n"),
    ]);
    let answer = tool(&disk, "explore", json!({"query": "quokka"}));
    let found = items(&answer);
    assert_eq!(found.len(), 4, "{answer}");
    assert_eq!(found[3], "A");
    let answer = tool(&disk, "search-documents", json!({"query": "quokka"}));
    assert_eq!(paths(&answer, "results"), ["b.md", "A"]);
    let answer = tool(&disk, "smart-search", json!({"query": "quokka"}));
    assert_eq!(paths(&answer, "documents"), ["b.md", "A"]);
    let answer = tool(&disk, "context-search", json!({"content": "quokka"}));
    assert_eq!(paths(&answer, "results"), ["b.md", "A"]);
}

#[test]
fn what_no_name_tells_changes_nothing_of_documents() {
    let documents = [
        ("a.md", "# One\n\nThe quokka eats leaves and grass.\n"),
        ("b.md", "# Two\n\nThe quokka sleeps in leaves and grass.\n"),
        ("c.md", "# Three\n\nLeaves for the quokka, and grass.\n"),
    ];
    let alone = MemoryDisk::with_files(&documents);
    let beside = MemoryDisk::with_files(&documents);
    for number in 0..20 {
        beside.write("docs", &format!("{number}"), b"leaves leaves grass\n");
    }
    let scores = |disk: &MemoryDisk| {
        let answer = tool(disk, "explore", json!({"query": "quokka leaves grass"}));
        let docs = answer["data"]["docs"].as_array().cloned();
        let known = docs.into_iter().flatten().filter(|item| {
            let path = item["file_path"].as_str().unwrap_or_default();
            path.ends_with(".md")
        });
        let known = known.map(|item| (item["file_path"].clone(), item["score"].clone()));
        known.collect::<Vec<_>>()
    };
    assert_eq!(scores(&alone), scores(&beside));
    assert_eq!(scores(&alone).len(), 3);
}

#[test]
fn an_identifier_is_found_in_text_of_any_name() {
    let disk = MemoryDisk::with_files(&[
        ("a.md", "# Guide\n\nParse the config.\n"),
        ("Justfile.local", "parse_config --all\n"),
    ]);
    let answer = tool(&disk, "explore", json!({"query": "parse_config"}));
    assert_eq!(items(&answer), ["Justfile.local"]);
    assert!(answer["hint"].is_null(), "{answer}");
}

#[test]
fn what_is_no_text_is_counted_where_nothing_is_found() {
    let disk = MemoryDisk::with_files(&[
        ("a.md", "nothing of it\n"),
        ("b.rs", "fn b() {}\n"),
        ("c.json", "{}\n"),
        ("d.log", "a line\n"),
        (".github/ci.yml", "on: push\n"),
        (".env", "KEY=1\n"),
        (".gitignore", "built/\n"),
        ("built/x.txt", "x\n"),
    ]);
    disk.write("docs", "pic.png", b"\x89PNG\0");
    let hint = |name: &str, args: Value| {
        let answer = tool(&disk, name, args);
        answer["hint"].as_str().unwrap_or_default().to_owned()
    };
    let args = json!({"query": "quokka"});
    let documents = "Not looked at: 2 hidden, 1 ignored, 1 that may hold secrets, 2 of code and data, 1 binary.";
    assert_eq!(hint("search-documents", args.clone()), documents);
    assert!(hint("smart-search", args.clone()).ends_with(documents));
    assert_eq!(
        hint("context-search", json!({"content": "quokka"})),
        documents
    );
    let explored = hint("explore", args);
    let left_out = "Not looked at: 2 hidden, 1 ignored, 1 that may hold secrets, 1 of kinds that \
                    `include` leaves out, 1 binary.";
    assert!(
        explored.starts_with("Nothing holds any of these words"),
        "{explored}"
    );
    assert!(explored.ends_with(left_out), "{explored}");
    let args = json!({"query": "quokka", "extensions": ["rs"]});
    let named =
        "Not looked at: 2 hidden, 1 ignored, 1 that may hold secrets, 4 with other extensions.";
    assert_eq!(hint("search-documents", args), named);
}

fn tree_with_hidden() -> MemoryDisk {
    let disk = MemoryDisk::with_files(&[
        ("a.md", "# A\n\nThe quokka.\n"),
        (".github/workflows/ci.yml", "name: quokka\n"),
        (".claude/notes.md", "# Notes\n\nA quokka note.\n"),
        (".editorconfig", "root = quokka\n"),
        (".gitignore", "built/\n*.tmp\n"),
        ("built/out.txt", "built quokka\n"),
        ("x.tmp", "quokka\n"),
        (".env", "QUOKKA=canary\n"),
        (".ssh/config.md", "quokka canary\n"),
        (".git/config", "quokka canary\n"),
        (".git/hooks/notes.md", "quokka canary\n"),
        ("built/id_rsa", "quokka canary\n"),
        (".github/.npmrc", "quokka canary\n"),
        (".github/key.pem", "quokka canary\n"),
    ]);
    disk.set_writable("docs");
    disk.grant_state();
    disk
}

#[test]
fn hidden_and_ignored_files_are_found_where_they_are_wanted() {
    let disk = tree_with_hidden();
    let found = |hidden: bool, ignored: bool| {
        let args = json!({
            "query": "quokka",
            "includeHidden": hidden,
            "includeIgnored": ignored,
            "limits": {"maxResults": 50},
        });
        let answer = tool(&disk, "explore", args);
        assert!(!answer.to_string().contains(CANARY), "{answer}");
        let mut found: Vec<String> = items(&answer).into_iter().map(str::to_owned).collect();
        found.sort();
        found
    };
    assert_eq!(found(false, false), ["a.md"]);
    let hidden = [
        ".claude/notes.md",
        ".editorconfig",
        ".github/workflows/ci.yml",
        "a.md",
    ];
    assert_eq!(found(true, false), hidden);
    assert_eq!(found(false, true), ["a.md", "built/out.txt", "x.tmp"]);
    assert_eq!(found(true, true).len(), 6);
}

#[test]
fn a_pack_knows_what_is_included() {
    let disk = tree_with_hidden();
    let args = json!({"query": "quokka", "includeHidden": true, "limits": {"maxChars": 60}});
    let answer = tool(&disk, "explore", args);
    let pack = &answer["pack"]["pack_id"];
    let again = json!({"packId": pack, "limits": {"maxChars": 4000}});
    assert_eq!(items(&tool(&disk, "explore", again)).len(), 4);
    let other = json!({"packId": pack, "includeHidden": false});
    assert_eq!(tool(&disk, "explore", other)["code"], "InvalidRequest");
}

#[test]
fn a_path_that_names_a_hidden_file_leads_to_it() {
    let disk = tree_with_hidden();
    let ci = ".github/workflows/ci.yml";
    let read = tool(&disk, "read-document", json!({"path": ci}));
    assert_eq!(read["text"], "name: quokka\n");
    for (paths, expected) in [
        (json!([ci]), vec![ci]),
        (json!([".github"]), vec![".github", ci]),
        (json!([".claude"]), vec![".claude", ".claude/notes.md"]),
    ] {
        let answer = tool(&disk, "explore", json!({"paths": paths}));
        assert_eq!(items(&answer), expected, "{answer}");
        let answer = tool(&disk, "explore", json!({"paths": paths, "query": "quokka"}));
        assert_eq!(items(&answer), expected[expected.len() - 1..], "{answer}");
    }
    let args = json!({"paths": [".github"], "pattern": "quokka"});
    let answer = tool(&disk, "explore", args);
    assert_eq!(answer["matches"]["lines"], 1);
    let args = json!({"query": "quokka", "path": ".claude"});
    let answer = tool(&disk, "search-documents", args);
    assert_eq!(paths(&answer, "results"), [".claude/notes.md"]);
    let answer = tool(&disk, "find-files", json!({"path": ".github"}));
    assert_eq!(sorted(paths(&answer, "matches")), [".github/key.pem", ci]);
}

#[test]
fn hidden_directories_and_files_are_edited_and_moved() {
    let disk = tree_with_hidden();
    let ci = ".github/workflows/ci.yml";
    let change = |edits: Value| tool(&disk, "change", json!({"edits": edits, "dryRun": false}));
    let edited = change(json!([{"path": ci, "oldText": "quokka", "newText": "ci"}]));
    assert_eq!(edited["applied"], true, "{edited}");
    let moved = change(json!([{"path": ".github", "move": ".forge"}]));
    assert_eq!(moved["applied"], true, "{moved}");
    let read = tool(
        &disk,
        "read-document",
        json!({"path": ".forge/workflows/ci.yml"}),
    );
    assert_eq!(read["text"], "name: ci\n");
    let refused = change(json!([{"path": ".git", "move": ".got"}]));
    assert_eq!(refused["code"], "InvalidPath", "{refused}");
    let refused = change(json!([{"path": "built/out.txt", "oldText": "built", "newText": "x"}]));
    let message = refused["message"].as_str().unwrap_or_default();
    assert!(message.contains("left out by ignore rules"), "{refused}");
}

#[test]
fn an_entry_that_the_settings_exclude_is_refused_as_an_absent_one() {
    let disk = tree_with_hidden();
    disk.write("docs", "shut/plan.md", b"a plan\n");
    let exclude = vec!["shut/".to_owned()];
    let settings = ToolSettings {
        exclude,
        ..ToolSettings::default()
    };
    let mut docent = Docent::new(disk, settings);
    let mut refused = |tool: &str, args: Value| ask(&mut docent, tool, args);
    for (tool, args) in [
        ("read-document", json!({"path": "PATH"})),
        ("explore", json!({"paths": ["PATH"]})),
        ("explore", json!({"paths": ["PATH"], "query": "plan"})),
        (
            "change",
            json!({"edits": [{"path": "PATH", "oldText": "a", "newText": "b"}]}),
        ),
        (
            "change",
            json!({"edits": [{"path": "PATH", "move": "b.md"}]}),
        ),
        ("delete-document", json!({"path": "PATH"})),
    ] {
        let about = |path: &str| args.to_string().replace("PATH", path);
        let mut answer = |path: &str| {
            let args = serde_json::from_str(&about(path)).unwrap();
            let answer = refused(tool, args).to_string().replace(path, "PATH");
            let mut answer: Value = serde_json::from_str(&answer).unwrap();
            // The times and ids of an answer tell nothing of its files.
            for changing in ["pack", "stats"] {
                answer.as_object_mut().unwrap().remove(changing);
            }
            answer
        };
        let absent = answer("gone/plan.md");
        assert!(absent.to_string().contains("DocumentNotFound"), "{absent}");
        assert_eq!(answer("shut/plan.md"), absent, "{tool} {args}");
    }
}

#[test]
fn a_named_entry_is_called_what_it_is() {
    let disk = tree_with_hidden();
    for (path, code, said) in [
        (
            "built/out.txt",
            "InvalidPath",
            "ignore files exclude `built`",
        ),
        ("x.tmp", "InvalidPath", "ignore files exclude `x.tmp`"),
        (".env", "Sensitive", "of a sensitive kind"),
        (".ssh/config.md", "Sensitive", "of a sensitive kind"),
        (".git/config", "InvalidPath", "belongs to version control"),
        (".git", "InvalidPath", "belongs to version control"),
        ("absent.md", "DocumentNotFound", "is not there"),
        (".absent.md", "DocumentNotFound", "is not there"),
    ] {
        for (name, args) in [
            ("read-document", json!({"path": path})),
            ("explore", json!({"paths": [path]})),
            ("explore", json!({"paths": [path], "query": "quokka"})),
            ("search-documents", json!({"path": path, "query": "quokka"})),
        ] {
            let answer = tool(&disk, name, args);
            let error = answer["blocked"].get(0).unwrap_or(&answer);
            assert_eq!(error["code"], code, "{name} {path}: {answer}");
            let message = error["message"].as_str().unwrap_or_default();
            assert!(message.contains(said), "{name} {path}: {answer}");
            assert!(!answer.to_string().contains(CANARY), "{answer}");
        }
    }
    let args = json!({"paths": ["built/out.txt"], "includeIgnored": true});
    assert_eq!(items(&tool(&disk, "explore", args)), ["built/out.txt"]);
    let args = json!({"paths": ["built"], "includeIgnored": true});
    let answer = tool(&disk, "explore", args);
    assert_eq!(items(&answer), ["built", "built/out.txt"], "{answer}");
}

#[test]
fn what_the_person_leaves_out_is_not_told() {
    let disk = tree_with_hidden();
    let settings = ToolSettings::from_lookup(|name| {
        (name == "DOCENT_EXCLUDE").then(|| "a.md\n.claude/\n".to_owned())
    });
    let mut docent = Docent::new(disk, settings);
    for path in ["a.md", ".claude/notes.md", ".claude"] {
        let args = json!({"paths": [path], "includeHidden": true, "includeIgnored": true});
        let answer = ask(&mut docent, "explore", args);
        assert_eq!(answer["code"], "DocumentNotFound", "{path}: {answer}");
        let answer = ask(
            &mut docent,
            "find-files",
            json!({"path": path, "includeIgnored": true}),
        );
        assert_eq!(answer["code"], "DocumentNotFound", "{path}: {answer}");
    }
}

#[test]
fn find_files_lists_what_is_ignored_where_that_is_wanted() {
    let disk = tree_with_hidden();
    let found = |args: Value| {
        let answer = tool(&disk, "find-files", args);
        let found = sorted(paths(&answer, "matches"));
        found.into_iter().map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(found(json!({})), ["a.md"]);
    let ignored = found(json!({"includeIgnored": true}));
    assert_eq!(ignored, ["a.md", "built/id_rsa", "built/out.txt", "x.tmp"]);
    let below = found(json!({"path": "built", "includeIgnored": true}));
    assert_eq!(below, ["built/id_rsa", "built/out.txt"]);
    let answer = tool(&disk, "find-files", json!({"path": "built"}));
    assert_eq!(answer["code"], "InvalidPath", "{answer}");
}

#[test]
fn a_tree_of_documents_is_opened_no_more_often() {
    let files: Vec<(String, &str)> = (0..50)
        .map(|number| (format!("{number}.md"), "some words\n"))
        .collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (&**path, *text)).collect();
    let disk = MemoryDisk::with_files(&files);
    let opens = |disk: &MemoryDisk| {
        disk.take_opens();
        tool(
            disk,
            "search-documents",
            json!({"query": "quokka", "maxTokens": 0}),
        );
        disk.take_opens()
    };
    let alone = opens(&disk);
    disk.write("docs", "LICENSE", b"some words\n");
    disk.write("docs", "pic.png", b"\x89PNG\0");
    // A short text of an unknown name is read once, and so is a binary.
    assert_eq!(opens(&disk), alone + 2);
}
