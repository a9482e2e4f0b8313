//! `smart_search` and `explore` with an embedder on loopback, which answers correctly or
//! misbehaves.

mod addresses;
mod background;
mod encrypted;
mod endpoint;
mod vectors;

use std::path::Path;

use serde_json::{Value, json};
use tempfile::TempDir;

use endpoint::{Deed, Server, nobody};

use crate::program::{ran, tree};

fn garage() -> TempDir {
    tree(&[
        (
            "docs/a.md",
            "# Garage\n\nHow to repair a car that does not start in winter.\n",
        ),
        (
            "docs/b.md",
            "# Notes\n\nRepair of clocks and of many other things.\n",
        ),
        (
            "docs/c.md",
            "# Workshop\n\nOne automobile stands still in a workshop.\n",
        ),
        ("docs/.ssh/d.md", "canary: repair the car\n"),
        ("docs/credentials", "canary: repair the car\n"),
    ])
}

/// Runs a query in a process of its own.
fn ask(directory: &Path, embedder: &str, query: &str, mode: &str) -> Value {
    let (query, mode) = (format!("query={query}"), format!("mode={mode}"));
    let call = [
        "call",
        "smart_search",
        &query,
        &mode,
        "--root",
        "docs",
        "--embedder",
        embedder,
        "--json",
    ];
    let (code, output, errors) = ran(directory, &call);
    assert_eq!((code, errors.as_str()), (0, ""));
    serde_json::from_str(&output).unwrap()
}

const QUERY: &str = "repair the car";

#[test]
fn meaning_joins_words() {
    for deed in [Deed::Answers, Deed::AnswersInChunks, Deed::AnswersOne] {
        let (directory, server) = (garage(), Server::start(deed));
        let answer = ask(directory.path(), &server.flag(), QUERY, "auto");
        assert_eq!(answer["mode"], "semantic", "{deed:?}: {answer}");
        assert_eq!(answer["modelInfo"], "fake");
        // A command embeds nothing after its answer, and reports the missing vectors.
        let lacking = "3 documents not embedded yet, so results that share no word with the question \
                       may be missing";
        assert_eq!(answer["reasons"], json!([lacking]), "{answer}");
        assert_eq!(answer["degraded"], true, "{answer}");
        assert_eq!(answer["documents"][0]["path"], "a.md");
        let texts = server.texts();
        assert!(texts.contains(&QUERY.to_owned()), "{texts:?}");
        assert!(
            texts
                .iter()
                .any(|text| text.contains("does not start in winter"))
        );
        assert!(
            texts.iter().all(|text| !text.contains("canary")),
            "{texts:?}"
        );
        let heads = server.heads();
        assert!(
            heads
                .iter()
                .all(|head| head.starts_with("POST /v1/embeddings HTTP/1.1\r\n"))
        );
        assert!(heads.iter().all(|head| !head.contains("Authorization")));
    }
}

#[test]
fn whatever_an_endpoint_does_words_answer() {
    let elsewhere = Server::start(Deed::Answers);
    let unreachable = nobody();
    let directory = garage();
    let words = ask(directory.path(), "none", QUERY, "keyword");
    let told = |embedder: &str, reason: &str| {
        let answer = ask(directory.path(), embedder, QUERY, "auto");
        assert_eq!(answer["reasons"], json!([reason]), "{answer}");
        assert_eq!(answer["degraded"], true);
        assert!(answer.get("modelInfo").is_none_or(Value::is_null));
        for key in ["mode", "documents", "documentsFound"] {
            assert_eq!(answer[key], words[key], "{reason}");
        }
    };
    told(&unreachable, "the embedder cannot be reached");
    told("none", "no embedder is configured");
    for (deed, reason) in [
        (Deed::SaysNothing, "the embedder took too long"),
        (Deed::Dribbles, "the embedder took too long"),
        (Deed::OtherLength, "the embedder's answer is invalid"),
        (Deed::OneTooFew, "the embedder's answer is invalid"),
        (Deed::NotANumber, "the embedder's answer is invalid"),
        (Deed::Huge, "the embedder's answer is invalid"),
        (Deed::Endless, "the embedder's answer is invalid"),
        (Deed::NotJson, "the embedder's answer is invalid"),
        (Deed::Base64, "the embedder's answer is invalid"),
        (Deed::TooMany, "the embedder refuses"),
        (Deed::ClosesEarly, "the embedder cannot be reached"),
        (Deed::ClosesAtOnce, "the embedder cannot be reached"),
        (Deed::Redirects(elsewhere.port), "the embedder refuses"),
    ] {
        let server = Server::start(deed);
        told(&server.flag(), reason);
        assert!(server.texts().len() >= 2, "{deed:?}");
    }
    assert_eq!(elsewhere.texts(), [""; 0]);
}

#[test]
fn markdown_says_what_an_answer_went_by() {
    let (directory, server) = (garage(), Server::start(Deed::Answers));
    let unreachable = nobody();
    let answered = |embedder: &str| {
        let query = format!("query={QUERY}");
        let call = ["call", "smart_search", &query, "--root", "docs"];
        let (code, output, errors) = ran(
            directory.path(),
            &[&call[..], &["--embedder", embedder]].concat(),
        );
        assert_eq!((code, errors.as_str()), (0, ""));
        output
    };
    let words = answered("none");
    assert!(!words.contains("Meaning by") && !words.contains("Less than asked"));
    let both = answered(&server.flag());
    let said = "\n\nMeaning by fake. Less than asked: 3 documents not embedded yet, so results that \
                share no word with the question may be missing.\n";
    assert!(both.contains(said), "{both}");
    let failed = answered(&unreachable);
    let reason = "\n\nLess than asked: the embedder cannot be reached.\n";
    assert_eq!(failed.replace(reason, "\n"), words);
    assert_ne!(failed, words);
}

#[test]
fn explore_goes_by_meaning_too() {
    let (directory, server) = (garage(), Server::start(Deed::Answers));
    let explored = |embedder: &str, query: &str, more: &[&str]| {
        let query = format!("query={query}");
        let call = ["call", "explore", &query, "--root", "docs", "--state", "s"];
        let call = [&call[..], &["--embedder", embedder], more].concat();
        let (code, output, errors) = ran(directory.path(), &call);
        assert_eq!((code, errors.as_str()), (0, ""));
        output
    };
    let words = explored("none", QUERY, &[]);
    assert!(!words.contains("c.md"), "{words}");
    explored(&server.flag(), "what stands still", &[]);
    let both = explored(&server.flag(), QUERY, &["--json"]);
    let both: Value = serde_json::from_str(&both).unwrap();
    let docs = both["data"]["docs"].as_array().unwrap();
    let near = docs.iter().find(|item| item["filePath"] == "c.md").unwrap();
    assert_eq!(near["why"], json!(["near in meaning"]), "{near}");
    assert_eq!(docs[0]["filePath"], "a.md");
    assert!(server.texts().iter().all(|text| !text.contains("canary")));
    let unreachable = nobody();
    let failed = explored(&unreachable, QUERY, &[]);
    let reason = "\n\nLexical results only: the embedder gave no answer.\n";
    assert_eq!(failed.replace(reason, "\n"), words);
    assert_ne!(failed, words);
}
