//! Items of files of settings and data.

use docent_api::pillars::{ExploreOptions, IncludedKinds, ItemKind, View};
use docent_tree::memory::MemoryDisk;

use super::support::*;

const MANIFEST: &str = "[package]\nname = \"app\"\nrust-version = \"1.95\"\n\n[dependencies]\nserde = { version = \"1\" }\n";

#[test]
fn a_setting_is_shown_by_its_keys() {
    let disk = MemoryDisk::with_files(&[
        ("Cargo.toml", MANIFEST),
        ("Makefile", "build:\n\tcargo build --locked\n"),
        (".env", "RUST_VERSION=canary\n"),
        ("prod.tfstate", "{\"rust-version\": \"canary\"}\n"),
    ]);
    let found = ask(&disk, query("rust-version"));
    assert_eq!(files(&found.data.data), ["Cargo.toml"]);
    let item = &found.data.data[0];
    assert_eq!(item.kind, ItemKind::FilePreview);
    assert_eq!(text(item), "3: package.rust-version = \"1.95\"\n");
    assert_eq!(
        item.range.map(|range| (range.first, range.last)),
        Some((3, 3))
    );
    assert_eq!(item.why, ["1 entry"]);
    assert!(found.data.docs.is_empty() && found.data.code.is_empty());
    let found = ask(&disk, query("cargo build"));
    assert_eq!(
        text(&found.data.data[0]),
        "2: build = cargo build --locked\n1: build:\n"
    );
    let options = ExploreOptions {
        include: Some(IncludedKinds {
            docs: None,
            code: None,
            comments: None,
            logs: None,
            data: Some(false),
        }),
        ..query("rust-version")
    };
    assert!(ask(&disk, options).data.data.is_empty());
}

#[test]
fn a_preview_is_an_outline_of_keys() {
    let package = "{\n  \"name\": \"app\",\n  \"scripts\": {\n    \"test\": \"jest\"\n  }\n}\n";
    let disk = MemoryDisk::with_files(&[("package.json", package), ("empty.json", "\n")]);
    let preview = ExploreOptions {
        view: Some(View::Preview),
        ..paths(&["package.json", "empty.json"])
    };
    let found = ask(&disk, preview);
    assert_eq!(
        text(&found.data.data[0]).trim_end(),
        "2: name = \"app\"\n3: scripts:\n4:   test = \"jest\""
    );
    assert_eq!(files(&found.data.data), ["package.json", "empty.json"]);
}

#[test]
fn lock_files_count_less() {
    let entry = "[[package]]\nname = \"serde\"\nversion = \"1.0.228\"\n\n";
    let disk = MemoryDisk::with_files(&[
        ("Cargo.lock", &entry.repeat(5)),
        ("Cargo.toml", MANIFEST),
        ("app.min.js", "var lantern=1;lantern+=lantern;\n"),
        (
            "app.js",
            "var lantern = 1;\nvar other = 2;\nvar third = other;\n",
        ),
    ]);
    let found = ask(&disk, query("serde version"));
    assert_eq!(files(&found.data.data)[0], "Cargo.toml");
    let found = ask(&disk, query("lantern"));
    assert_eq!(files(&found.data.code)[0], "app.js");
}

#[test]
fn entries_far_behind_the_best_are_left_out() {
    let disk = MemoryDisk::with_files(&[(
        "a.json",
        "{\"unit tests run\": \"vitest\", \"build\": \"run it\", \"tests\": \"run units\"}\n",
    )]);
    let found = ask(&disk, query("how unit tests run vitest"));
    let text = text(&found.data.data[0]);
    assert!(text.contains("vitest") && !text.contains("build"), "{text}");
}

#[test]
fn what_stands_in_one_entry_answers_better_than_what_is_scattered() {
    let filler: String = (0..200)
        .map(|number| format!("key-{number} = {number}\n"))
        .collect();
    let settings = format!(
        "{filler}# The policy of eviction when memory is full.\npolicy = \"none\"\n{filler}"
    );
    let words = ["policy", "eviction", "memory", "full"];
    let scattered: String = (0..24)
        .map(|place| format!("{} = 1\n{}", words[place % 4], &filler[..700]))
        .collect();
    // More files than are reranked among documents, all with better counts.
    let names: Vec<String> = (0..30).map(|number| format!("b{number}.toml")).collect();
    let mut all: Vec<(&str, &str)> = vec![("a.toml", &settings)];
    all.extend(names.iter().map(|name| (name.as_str(), scattered.as_str())));
    let disk = MemoryDisk::with_files(&all);
    let found = ask(&disk, query("policy eviction memory full"));
    let first = found.data.data.iter().find(|item| item.rank == 1);
    assert_eq!(first.map(|item| item.file_path.as_str()), Some("a.toml"));
}
