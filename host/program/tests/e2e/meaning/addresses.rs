//! Addresses of embedders: the allowed ones, their notation, and the data that they receive.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use super::encrypted::Front;
use super::endpoint::{Deed, Server, nobody};
use super::{QUERY, garage};
use crate::http::server::Server as Http;
use crate::program::{docent, ran};

#[test]
fn a_key_is_sent_and_no_other_machine_is_named() {
    let (directory, server) = (garage(), Server::start(Deed::Answers));
    let config = directory.path().join("docent.toml");
    fs::write(directory.path().join("key"), "canary-key\n").unwrap();
    let port = server.port;
    let text = format!(
        "roots = [{{ path = \"docs\" }}]\n[embedder]\nurl = \"http://localhost:{port}/v1\"\n\
         model = \"fake\"\nkey-file = \"key\"\nquery-prefix = \"query: \"\n"
    );
    fs::write(&config, &text).unwrap();
    let call = [
        "call",
        "smart_search",
        "query=repair the car",
        "--config",
        "docent.toml",
    ];
    let (code, _, errors) = ran(directory.path(), &call);
    assert_eq!((code, errors.as_str()), (0, ""));
    let heads = server.heads();
    let authorized = |head: &String| head.contains("\r\nAuthorization: Bearer canary-key");
    assert!(
        !heads.is_empty() && heads.iter().all(authorized),
        "{heads:?}"
    );
    assert!(server.texts().contains(&"query: repair the car".to_owned()));
    let (_, report, _) = ran(directory.path(), &["doctor", "--config", "docent.toml"]);
    assert!(
        report.contains(&format!("sent to http://localhost:{port}/v1\n")),
        "{report}"
    );
    assert!(!report.contains("canary-key"));
    fs::write(&config, text.replace("localhost", "example.com")).unwrap();
    let (code, _, errors) = ran(directory.path(), &call);
    assert_eq!(code, 2);
    assert!(errors.contains("it is not of this machine"), "{errors}");
}

#[test]
fn an_endpoint_that_is_not_there_is_named_before_the_first_question() {
    let directory = garage();
    let flag = nobody();
    let address = flag.trim_end_matches("#fake");
    let doctor = ["doctor", "--root", "docs", "--embedder", &flag];
    let (code, output, errors) = ran(directory.path(), &doctor);
    assert_eq!((code, errors.as_str()), (1, ""));
    assert!(
        output.contains("  problem: it cannot be reached\n"),
        "{output}"
    );
    let root = format!("docs={}", directory.path().join("docs").display());
    let server = Http::start(&["--root", &root, "--embedder", &flag, "--no-state"]);
    server.wait_for(
        &format!("no semantic search with {address}: it cannot be reached"),
        1,
    );
    // A reachable one is asked for its model, and receives no text of a person.
    let endpoint = Server::start(Deed::Answers);
    let flag = endpoint.flag();
    let doctor = ["doctor", "--root", "docs", "--embedder", &flag];
    let (code, output, _) = ran(directory.path(), &doctor);
    assert_eq!(code, 0, "{output}");
    assert_eq!(endpoint.texts(), ["What is this?"]);
}

#[test]
fn an_encrypted_endpoint_is_asked_where_its_certificate_is_trusted() {
    let (directory, server) = (garage(), Server::start(Deed::Answers));
    let front = Front::start(server.port, "localhost", directory.path());
    let other = Front::start(server.port, "other.example", directory.path());
    let ask = |front: &Front, trusted: &Path| -> Value {
        let output = docent()
            .current_dir(directory.path())
            .args(["call", "smart_search", &format!("query={QUERY}")])
            .args(["--root", "docs", "--json", "--embedder", &front.flag()])
            .env("SSL_CERT_FILE", trusted)
            .output()
            .unwrap();
        serde_json::from_slice(&output.stdout).unwrap()
    };
    let answer = ask(&front, &front.certificate);
    assert_eq!(answer["modelInfo"], "fake", "{answer}");
    assert!(server.texts().contains(&QUERY.to_owned()));
    // An untrusted endpoint, or one whose certificate has another name, receives nothing.
    let before = server.texts().len();
    for (front, trusted) in [(&front, &other), (&other, &other)] {
        let answer = ask(front, &trusted.certificate);
        assert_eq!(
            answer["reasons"],
            json!(["the embedder cannot be reached"]),
            "{answer}"
        );
        let output = docent()
            .current_dir(directory.path())
            .args(["doctor", "--root", "docs", "--embedder", &front.flag()])
            .env("SSL_CERT_FILE", &trusted.certificate)
            .output()
            .unwrap();
        let report = String::from_utf8(output.stdout).unwrap();
        assert!(
            report.contains("problem: it cannot be trusted: "),
            "{report}"
        );
    }
    assert_eq!(server.texts().len(), before);
}

#[test]
fn another_machine_is_named_as_one() {
    let directory = garage();
    let config = "[embedder]\nurl = \"https://embedder.invalid/v1\"\nmodel = \"m\"\n\
                  allow-remote = true\n[[roots]]\npath = \"docs\"\n";
    fs::write(directory.path().join("docent.toml"), config).unwrap();
    let (_, report, _) = ran(directory.path(), &["doctor", "--config", "docent.toml"]);
    let line = "m: queries and passages of documents are sent to https://embedder.invalid/v1, \
                another machine\n  problem: it cannot be reached\n";
    assert!(report.contains(line), "{report}");
    fs::write(
        directory.path().join("docent.toml"),
        config.replace("allow-remote = true\n", ""),
    )
    .unwrap();
    let (code, _, errors) = ran(directory.path(), &["mcp", "--config", "docent.toml"]);
    assert_eq!(code, 2, "{errors}");
    assert!(errors.contains("it is not of this machine"), "{errors}");
}
