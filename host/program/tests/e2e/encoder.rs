//! The embedder as a model in a directory: here one of random weights, whose vectors are computed
//! like those of any other model.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::http::server::Server as Http;
use crate::program::{ran, tree};

fn tiny() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../guest/embed/tests/tiny")
}

/// Returns a copy of the model, which tests may corrupt, in a directory with documents.
fn with_model() -> TempDir {
    let directory = tree(&[
        ("docs/a.md", "# Pets\n\nThe cat sat on a mat.\n"),
        ("docs/b.md", "# Walks\n\nA dog can run and walk.\n"),
    ]);
    let model = directory.path().join("tiny");
    fs::create_dir(&model).unwrap();
    for name in ["config.json", "tokenizer.json", "model.safetensors"] {
        fs::copy(tiny().join(name), model.join(name)).unwrap();
    }
    directory
}

fn spoil(directory: &TempDir, name: &str, from: &str, to: &str) {
    let path = directory.path().join("tiny").join(name);
    let text = fs::read_to_string(&path).unwrap();
    assert!(text.contains(from));
    fs::write(path, text.replace(from, to)).unwrap();
}

/// Runs a query in a process of its own. Returns the answer and stderr.
fn ask(directory: &TempDir, mode: &str) -> (Value, String) {
    let mode = format!("mode={mode}");
    let call = ["call", "smart_search", "query=the cat", &mode, "--json"];
    let flags = ["--root", "docs", "--state", "state", "--embedder", "tiny"];
    let (code, output, errors) = ran(directory.path(), &[&call[..], &flags].concat());
    assert_eq!(code, 0, "{errors}");
    (serde_json::from_str(&output).unwrap(), errors)
}

#[test]
fn a_directory_tells_what_texts_mean() {
    let directory = with_model();
    let (first, errors) = ask(&directory, "semantic");
    assert_eq!(errors, "");
    assert_eq!(first["modelInfo"], "tiny");
    let paths = |answer: &Value| -> Vec<Value> {
        let documents = answer["documents"].as_array().unwrap();
        documents.iter().map(|one| one["path"].clone()).collect()
    };
    assert!(paths(&first).contains(&json!("a.md")), "{first}");
    // The second answer uses stored vectors, none of which a server created.
    let (second, _) = ask(&directory, "semantic");
    assert_eq!(paths(&second), paths(&first));
    let embed = ["embed", "--root", "docs", "--state", "state"];
    let flags = ["--embedder", "tiny"];
    let (code, output, errors) = ran(directory.path(), &[&embed[..], &flags].concat());
    assert_eq!((code, errors.as_str()), (0, ""));
    assert!(output.contains("docs"), "{output}");
}

#[test]
fn a_model_that_cannot_be_used_costs_its_meaning_and_is_named() {
    for (name, from, to, says) in [
        (
            "config.json",
            "\"bert\"",
            "\"gpt2\"",
            "`config.json`: `model_type` is `gpt2`",
        ),
        ("tokenizer.json", "{", "", "`tokenizer.json`: "),
    ] {
        let directory = with_model();
        spoil(&directory, name, from, to);
        let (answer, errors) = ask(&directory, "auto");
        assert_eq!(answer["documents"][0]["path"], "a.md", "{answer}");
        assert!(answer["modelInfo"].is_null(), "{answer}");
        assert!(
            errors.starts_with("docent: no semantic search with tiny: ") && errors.contains(says),
            "{errors}"
        );
        let flags = ["doctor", "--root", "docs", "--embedder", "tiny"];
        let (code, output, errors) = ran(directory.path(), &flags);
        assert_eq!((code, errors.as_str()), (1, ""));
        assert!(output.contains(&format!("problem: {says}")), "{output}");
    }
}

#[test]
fn a_model_that_is_not_there_is_said_before_anything_else() {
    let directory = with_model();
    fs::remove_file(directory.path().join("tiny/model.safetensors")).unwrap();
    for command in [
        &["mcp", "--root", "docs"][..],
        &["call", "smart_search", "query=cat", "--root", "docs"],
    ] {
        let command = [command, &["--embedder", "tiny"]].concat();
        let (code, output, errors) = ran(directory.path(), &command);
        assert_eq!((code, output.as_str()), (2, ""), "{errors}");
        assert!(
            errors.contains("`tiny/model.safetensors` cannot be read"),
            "{errors}"
        );
    }
}

#[test]
fn a_server_says_at_its_start_that_a_model_cannot_be_used() {
    let directory = with_model();
    spoil(&directory, "config.json", "\"bert\"", "\"gpt2\"");
    let (root, model) = (
        format!("docs={}", directory.path().join("docs").display()),
        directory.path().join("tiny").display().to_string(),
    );
    let server = Http::start(&["--root", &root, "--embedder", &model, "--no-state"]);
    server.wait_for("`model_type` is `gpt2`", 1);
    server.wait_for("in a sandbox of its own", 1);
}
