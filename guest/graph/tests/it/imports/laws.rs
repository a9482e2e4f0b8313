//! Laws of the imports in every tree.

use proptest::prelude::*;

use super::edges;

const PATHS: [&str; 30] = [
    "Cargo.toml",
    "a/Cargo.toml",
    "package.json",
    "a/package.json",
    "tsconfig.json",
    "a/tsconfig.json",
    "a/tsconfig.b.json",
    "go.mod",
    "a/go.mod",
    "go.work",
    "pyproject.toml",
    "a/setup.cfg",
    "pnpm-workspace.yaml",
    "src/lib.rs",
    "src/main.rs",
    "src/a.rs",
    "src/a/mod.rs",
    "a/src/lib.rs",
    "a/b.ts",
    "a/index.js",
    "b.js",
    "a/__init__.py",
    "a/b.py",
    "b.py",
    "a.go",
    "a/a.go",
    "A.java",
    "a/A.kt",
    "a.c",
    "a/a.h",
];

const PIECES: [&str; 60] = [
    "\n",
    " ",
    "mod a;",
    "mod b { mod c; }",
    "use crate::a::B;",
    "use super::super::c;",
    "use self::a;",
    "use a::b;",
    "#[path = \"../a.rs\"]",
    "#[path = \"a.rs\"]",
    "import './a';",
    "import '../../a';",
    "import 'a/b';",
    "import '#a';",
    "require('@a/b');",
    "import a.b",
    "from . import a",
    "from .... import b",
    "from a.b import *",
    "package a;",
    "package a",
    "import a.A;",
    "import a.*;",
    "import \"a/b\"",
    "#include \"a.h\"",
    "#include <a/a.h>",
    "[package]\n",
    "[workspace]\n",
    "[dependencies]\n",
    "[lib]\n",
    "name = \"a\"",
    "name = 'b'",
    "path = \"..\"",
    "path = \"a\"",
    "path = \"../../a\"",
    "a = { path = \"a\" }",
    "a.workspace = true",
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "\"extends\": \"./tsconfig.b.json\"",
    "\"extends\": \"./tsconfig\"",
    "\"compilerOptions\": {\"paths\": {\"*\": [\"*\"]}}",
    "\"baseUrl\": \"..\"",
    "\"name\": \"a\"",
    "\"workspaces\": [\"**\"]",
    "\"exports\": {\".\": \"./b.js\", \"./*\": \"./*\"}",
    "\"imports\": {\"#*\": \"./*\"}",
    "\"main\": \"..\"",
    "packages:\n- '**'\n",
    "module a",
    "use ./a",
    "replace a => ../a",
    "package_dir =\n    = a\n",
    "\"\\u0000\"",
    "설",
    "\"references\": [{\"path\": \".\"}]",
];

proptest! {
    #[test]
    fn nothing_is_made_up(
        files in prop::collection::btree_map(
            prop::sample::select(PATHS.to_vec()),
            prop::collection::vec(prop::sample::select(PIECES.to_vec()), 0..12),
            0..16,
        ),
    ) {
        let files: Vec<(&str, String)> =
            files.into_iter().map(|(path, pieces)| (path, pieces.concat())).collect();
        let files: Vec<(&str, &str)> =
            files.iter().map(|(path, text)| (*path, text.as_str())).collect();
        for edge in edges(&files) {
            let (from, to) = edge.split_once(' ').unwrap_or((&edge, ""));
            let from = from.split(':').next().unwrap_or_default();
            let targets = to.strip_prefix("one of ").unwrap_or(to);
            for target in targets.split(' ').filter(|to| !matches!(*to, "" | "external" | "missing")) {
                prop_assert!(files.iter().any(|(path, _)| *path == target), "{edge}");
                prop_assert!(target != from || targets != to, "{edge}");
            }
        }
    }

    #[test]
    fn no_text_is_too_odd(
        path in prop::sample::select(PATHS.to_vec()),
        text in any::<String>(),
    ) {
        edges(&[(path, &text), ("a/b.ts", "import 'a';"), ("src/lib.rs", "use a::b; mod a;")]);
    }
}
