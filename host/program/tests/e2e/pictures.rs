//! Pictures through the real program: shown to clients that ask for whole files.

use std::fs;
use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use crate::program::{Session, tree};

/// A red pixel.
const PIXEL: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";

fn pixel() -> Vec<u8> {
    STANDARD.decode(PIXEL).expect("base64")
}

fn session(directory: &Path, more: &[&str]) -> Session {
    let root = format!("docs={}", directory.display());
    Session::initialized("2025-11-25", &[&["--root", &root], more].concat())
}

/// Returns the kinds of the blocks of a result.
fn kinds(result: &Value) -> Vec<&str> {
    let blocks = result["content"].as_array().expect("content").iter();
    blocks.filter_map(|block| block["type"].as_str()).collect()
}

#[test]
fn a_client_gets_a_picture_as_a_picture() {
    let directory = tree(&[("guide.md", "# Guide\n\nThe wiring is in `plan.png`.\n")]);
    fs::write(directory.path().join("plan.png"), pixel()).expect("writes");
    let large = [pixel(), vec![0; 1 << 20]].concat();
    fs::write(directory.path().join("large.png"), large).expect("writes");
    let mut session = session(directory.path(), &[]);
    let mut explore = |arguments| session.call("explore", arguments);

    let paths = ["guide.md", "large.png", "plan.png"];
    let named = explore(json!({ "paths": paths }));
    assert_eq!(kinds(&named), ["text"], "{named}");
    let text = named["content"][0]["text"].as_str().expect("text");
    assert!(
        text.contains("PNG picture, 1 × 1 pixels, 70 bytes"),
        "{text}"
    );

    // The large one is only described.
    let whole = explore(json!({ "paths": paths, "view": "full" }));
    assert_eq!(kinds(&whole), ["text", "image"], "{whole}");
    let text = whole["content"][0]["text"].as_str().expect("text");
    assert!(text.contains("1048646 bytes"), "{text}");
    let picture = &whole["content"][1];
    assert_eq!(picture["mimeType"], "image/png");
    assert_eq!(picture["data"], PIXEL);

    // With `allowBinary` it comes once, and never as text.
    let whole = explore(json!({ "paths": ["plan.png"], "view": "full", "allowBinary": true }));
    assert_eq!(kinds(&whole), ["text", "image"], "{whole}");
    assert!(
        !whole["content"][0].to_string().contains("iVBOR"),
        "{whole}"
    );
}

#[test]
fn pictures_are_withheld_like_other_files() {
    let directory = tree(&[]);
    for name in ["id_rsa", "damaged.png"] {
        let cut = if name == "damaged.png" { 60 } else { 70 };
        fs::write(directory.path().join(name), &pixel()[..cut]).expect("writes");
    }
    let mut session = session(directory.path(), &[]);
    for name in ["id_rsa", "../plan.png", "damaged.png"] {
        let whole = session.call("explore", json!({ "paths": [name], "view": "full" }));
        assert_eq!(kinds(&whole), ["text"], "{whole}");
    }
}
