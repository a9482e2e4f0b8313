//! Files of each language, with the skeleton that a reader would write for them beside them.

use docent_code::{Language, outline};

macro_rules! cases {
    ($($name:ident: $file:literal;)*) => {$(
        #[test]
        fn $name() {
            let text = include_str!(concat!("cases/", $file));
            let expected = include_str!(concat!("cases/", $file, ".skeleton"));
            let language = Language::of_path($file).expect("it is code");
            let outline = outline(language, text);
            let shown = format!(
                "{} {}\n{}\n",
                language.name(),
                outline.source.name(),
                outline.skeleton(usize::MAX).text
            );
            assert!(shown == expected, "expected\n{expected}\nfound\n{shown}");
        }
    )*};
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
    other: "Makefile";
}
