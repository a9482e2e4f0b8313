//! Files in each language, each with its expected skeleton.
//!
//! With `BLESS=1` in the environment each skeleton is rewritten, to be reviewed by a person.

use std::path::PathBuf;

use docent_code::{Language, outline};

/// Returns the directory of the files.
pub fn directory() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cases"))
}

macro_rules! cases {
    ($($name:ident: $file:literal;)*) => {
        /// Every file that has a test.
        pub const FILES: &[&str] = &[$($file),*];

        $(
            #[test]
            fn $name() {
                case($file);
            }
        )*
    };
}

cases! {
    rust: "store.rs";
    javascript: "router.js";
    typescript: "client.ts";
    tsx: "panel.tsx";
    python: "scheduler.py";
    go: "queue.go";
    java: "Ledger.java";
    kotlin: "Catalog.kt";
    c: "ring.c";
    cpp: "matrix.cpp";
    csharp: "Orders.cs";
    swift: "Player.swift";
    ruby: "invoice.rb";
    php: "Mailer.php";
    shell: "deploy.sh";
    other: "rules.cmake";
}

fn case(file: &str) {
    let path = directory().join(file);
    let text = std::fs::read_to_string(path).expect("the case is there");
    let language = Language::from_path(file).expect("it is code");
    let outline = outline(language, &text);
    let skeleton = outline.skeleton(usize::MAX);
    let (language, source) = (language.name(), outline.source.name());
    let shown = format!("{language} {source}\n{}\n", skeleton.text);
    let path = directory().join(format!("{file}.skeleton"));
    if std::env::var_os("BLESS").is_some_and(|value| value == "1") {
        std::fs::write(&path, &shown).expect("the skeleton can be written");
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        shown == expected,
        "expected\n{expected}\nfound\n{shown}\n`BLESS=1` makes what was found what is expected"
    );
}
