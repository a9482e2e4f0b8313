//! Where imports lead: a tree a case, with every edge that its files have.

use docent_code::imports::{ImportPath, imports};
use docent_code::{Language, Source};
use docent_graph::imports::{Imported, Resolver, is_manifest};
use docent_graph::names::Names;
use proptest::prelude::*;

/// Returns a line for each import: the file, the line, and where it leads, `~` where that is only
/// likely.
fn edges(files: &[(&str, &str)]) -> Vec<String> {
    let mut names = Names::default();
    for (path, _) in files {
        names.insert(path);
    }
    let manifests = files.iter().copied().filter(|(path, _)| is_manifest(path));
    let facts: Vec<(&str, Vec<ImportPath>)> = files
        .iter()
        .filter_map(|(path, text)| Some((*path, imports(Language::of_path(path)?, text))))
        .collect();
    let by_path = facts
        .iter()
        .map(|(path, imports)| (*path, imports.as_slice()));
    let resolver = Resolver::new(&names, manifests, by_path);
    let mut edges = Vec::new();
    for (path, imports) in &facts {
        for import in imports {
            let resolved = resolver.resolve(path, import);
            let to = match resolved.imported {
                Imported::Files(files) => files.join(" "),
                Imported::External => "external".to_owned(),
                Imported::Missing => "missing".to_owned(),
                Imported::Several(files) => format!("one of {}", files.join(" ")),
            };
            let sign = if resolved.known_by == Source::Parsed {
                ""
            } else {
                "~"
            };
            edges.push(format!("{path}:{}{sign} {to}", import.line));
        }
    }
    edges
}

#[track_caller]
fn check(files: &[(&str, &str)], expected: &[&str]) {
    let expected: Vec<String> = expected.iter().map(ToString::to_string).collect();
    let found = edges(files);
    assert!(
        found == expected,
        "expected {expected:#?}\nfound {found:#?}"
    );
}

const PACKAGE: &str = "[package]\nname = \"a-b\"\nedition = \"2024\"\n";

#[test]
fn modules_of_rust() {
    check(
        &[
            ("Cargo.toml", PACKAGE),
            (
                "src/lib.rs",
                "mod one;\nmod two;\nmod gone;\nmod three { mod inner; }\n",
            ),
            (
                "src/one.rs",
                "mod deep;\n#[path = \"odd.rs\"]\nmod placed;\n",
            ),
            ("src/one/deep.rs", ""),
            ("src/odd.rs", "mod beside;\n"),
            ("src/beside.rs", ""),
            (
                "src/two/mod.rs",
                "mod deep;\n#[cfg_attr(unix, path = \"u.rs\")]\nmod os;\n",
            ),
            ("src/two/deep.rs", ""),
            ("src/two/u.rs", ""),
            ("src/two/os.rs", ""),
            ("src/three/inner.rs", "include!(\"../../data.in\");\n"),
            ("data.in", ""),
            ("tests/t.rs", "mod common;\n"),
            ("tests/common/mod.rs", ""),
        ],
        &[
            "src/lib.rs:1 src/one.rs",
            "src/lib.rs:2 src/two/mod.rs",
            "src/lib.rs:3 missing",
            "src/lib.rs:4 src/three/inner.rs",
            "src/one.rs:1 src/one/deep.rs",
            "src/one.rs:3 src/odd.rs",
            "src/odd.rs:1 src/beside.rs",
            "src/two/mod.rs:1 src/two/deep.rs",
            "src/two/mod.rs:3 src/two/os.rs src/two/u.rs",
            "src/three/inner.rs:1 data.in",
            "tests/t.rs:1 tests/common/mod.rs",
        ],
    );
}

#[test]
fn uses_of_rust() {
    check(
        &[
            ("Cargo.toml", PACKAGE),
            (
                "src/lib.rs",
                "pub mod a;\nmod b { pub mod c; use super::a::X; }\npub use a::Y;\n",
            ),
            (
                "src/a.rs",
                "use crate::b::c::Z;\nuse super::b::c;\nuse self::local;\nuse crate::W;\nuse std::fs;\n",
            ),
            (
                "src/b/c.rs",
                "use super::super::a;\nmod tests { use super::*; use super::super::d; }\n",
            ),
            (
                "src/main.rs",
                "mod m;\nuse a_b::a::X;\nuse crate::m::N;\nuse rand::Rng;\n",
            ),
            ("src/m.rs", "use crate::O;\n"),
        ],
        &[
            "src/lib.rs:1 src/a.rs",
            "src/lib.rs:2 src/b/c.rs",
            "src/lib.rs:2 src/a.rs",
            "src/lib.rs:3 src/a.rs",
            "src/a.rs:1 src/b/c.rs",
            "src/a.rs:2 src/b/c.rs",
            "src/a.rs:3 ",
            "src/a.rs:4 src/lib.rs",
            "src/a.rs:5 external",
            "src/b/c.rs:1 src/a.rs",
            "src/b/c.rs:2 ",
            "src/b/c.rs:2 src/lib.rs",
            "src/main.rs:1 src/m.rs",
            "src/main.rs:2 src/a.rs",
            "src/main.rs:3 src/m.rs",
            "src/main.rs:4 external",
            "src/m.rs:1 src/main.rs",
        ],
    );
}

#[test]
fn members_of_a_workspace_of_rust() {
    check(
        &[
            (
                "Cargo.toml",
                "[workspace]\nmembers = [\"*\"]\n[workspace.dependencies]\none-two = { path = \"one\" }\n\
                 [patch.crates-io]\npatched = { path = \"patched\" }\n",
            ),
            (
                "one/Cargo.toml",
                "[package]\nname = \"one-two\"\nedition = \"2021\"\n",
            ),
            ("one/src/lib.rs", "pub mod x;\n"),
            ("one/src/x.rs", ""),
            (
                "three/Cargo.toml",
                "[package]\nname = \"three\"\nedition.workspace = true\n[lib]\nname = \"drei\"\npath = \"l.rs\"\n\
                 [dependencies]\none-two.workspace = true\npatched = \"1\"\n\
                 [target.'cfg(unix)'.dev-dependencies]\nzwei = { package = \"one-two\", path = \"../one\" }\n",
            ),
            (
                "three/l.rs",
                "use one_two::x::A;\nuse zwei::x;\nuse patched::B;\nuse four::C;\nuse ::one_two;\n",
            ),
            ("three/build.rs", "use crate::x;\n"),
            ("three/examples/e.rs", "use drei::D;\nuse three::E;\n"),
            ("patched/Cargo.toml", "[package]\nname = \"patched\"\n"),
            ("patched/src/lib.rs", "mod p;\nuse p::Q;\n"),
            ("patched/src/p.rs", "use p::R;\nuse core::S;\n"),
            ("four/Cargo.toml", "[package]\nname = \"four\"\n"),
            ("four/src/lib.rs", ""),
        ],
        &[
            "one/src/lib.rs:1 one/src/x.rs",
            "three/l.rs:1 one/src/x.rs",
            "three/l.rs:2 one/src/x.rs",
            "three/l.rs:3 patched/src/lib.rs",
            "three/l.rs:4 external",
            "three/l.rs:5 one/src/lib.rs",
            "three/build.rs:1 ",
            "three/examples/e.rs:1 three/l.rs",
            "three/examples/e.rs:2 external",
            "patched/src/lib.rs:1 patched/src/p.rs",
            "patched/src/lib.rs:2 patched/src/p.rs",
            "patched/src/p.rs:1 ",
            "patched/src/p.rs:2 external",
        ],
    );
}

#[test]
fn rust_that_no_crate_declares() {
    check(
        &[
            ("Cargo.toml", PACKAGE),
            ("src/lib.rs", "mod a;\n"),
            ("src/a.rs", ""),
            ("src/left_out.rs", "use crate::a::B;\nuse super::C;\n"),
            ("script.rs", "mod helper;\n"),
            ("helper.rs", "use crate::D;\n"),
        ],
        &[
            "src/lib.rs:1 src/a.rs",
            "src/left_out.rs:1~ src/a.rs",
            "src/left_out.rs:2~ src/lib.rs",
            "script.rs:1 helper.rs",
            "helper.rs:1 script.rs",
        ],
    );
}

#[test]
fn relative_modules_of_ecmascript() {
    check(
        &[
            (
                "a/main.ts",
                "import './x';\nimport './y.js';\nimport '.';\nimport '..';\nimport './d';\n\
                 import './s.svg?raw';\nimport './gone';\nimport '../../out';\nimport './z/';\n\
                 import './data';\nimport '/abs';\nimport 'node:fs';\nimport './both';\n",
            ),
            ("a/x.tsx", ""),
            ("a/y.ts", ""),
            ("a/index.ts", ""),
            (
                "index.js",
                "require('./a/both');\nrequire('./a/data.json');\n",
            ),
            ("a/d/package.json", "{\"main\": \"./lib/d\"}"),
            ("a/d/lib/d.js", ""),
            ("a/s.svg", ""),
            ("a/z.ts", ""),
            ("a/z/index.mts", ""),
            ("a/data.json", ""),
            ("a/both.ts", ""),
            ("a/both.js", ""),
            (
                "a/App.vue",
                "<script>\nimport './x'\nimport './Part.vue'\n</script>\n",
            ),
            ("a/Part.vue", ""),
        ],
        &[
            "a/main.ts:1 a/x.tsx",
            "a/main.ts:2 a/y.ts",
            "a/main.ts:3 a/index.ts",
            "a/main.ts:4 index.js",
            "a/main.ts:5 a/d/lib/d.js",
            "a/main.ts:6 a/s.svg",
            "a/main.ts:7 missing",
            "a/main.ts:8 external",
            "a/main.ts:9 a/z/index.mts",
            "a/main.ts:10 a/data.json",
            "a/main.ts:11 external",
            "a/main.ts:12 external",
            "a/main.ts:13 a/both.ts",
            "index.js:1 a/both.js",
            "index.js:2 a/data.json",
            "a/App.vue:2 a/x.tsx",
            "a/App.vue:3 a/Part.vue",
        ],
    );
}

#[test]
fn names_that_a_configuration_gives() {
    check(
        &[
            (
                "tsconfig.base.json",
                "{ // what all share\n \"extends\": \"./tsconfig.json\",\n \"compilerOptions\": {\n\
                 \"baseUrl\": \".\",\n \"paths\": { \"@/*\": [\"gone/*\", \"src/*\"], \"one\": [\"src/uno.ts\"], }, }, }",
            ),
            ("tsconfig.json", "{\"extends\": \"./tsconfig.base\"}"),
            (
                "src/main.ts",
                "import '@/a';\nimport 'one';\nimport 'src/a';\nimport 'two';\nimport '@/b';\n",
            ),
            ("src/a.ts", ""),
            ("src/uno.ts", ""),
            (
                "app/tsconfig.json",
                "{\"files\": [], \"references\": [{\"path\": \"./tsconfig.app.json\"}]}",
            ),
            (
                "app/tsconfig.app.json",
                "{\"compilerOptions\": {\"paths\": {\"~/*\": [\"${configDir}/lib/*\"]}}}",
            ),
            ("app/main.ts", "import '~/x';\nimport '@/a';\n"),
            ("app/lib/x.ts", ""),
            (
                "js/jsconfig.json",
                "{\"compilerOptions\": {\"baseUrl\": \"./deep\"}}",
            ),
            ("js/main.js", "import 'y';\n"),
            ("js/deep/y/index.js", ""),
        ],
        &[
            "src/main.ts:1 src/a.ts",
            "src/main.ts:2 src/uno.ts",
            "src/main.ts:3 src/a.ts",
            "src/main.ts:4 external",
            "src/main.ts:5 external",
            "app/main.ts:1 app/lib/x.ts",
            "app/main.ts:2 external",
            "js/main.js:1 js/deep/y/index.js",
        ],
    );
}

#[test]
fn packages_of_ecmascript() {
    check(
        &[
            (
                "package.json",
                "{\"workspaces\": [\"packages/*\", \"!packages/out\"]}",
            ),
            (
                "packages/a/package.json",
                "{\"name\": \"@w/a\", \"exports\": {\".\": {\"types\": \"./dist/index.d.ts\", \"default\": \"./dist/index.js\"},\n\
                 \"./deep/*\": \"./src/deep/*.ts\", \"./shut/*\": null},\n \"imports\": {\"#in/*\": \"./src/in/*.ts\", \"#lib\": \"library\"}}",
            ),
            (
                "packages/a/src/index.ts",
                "import '#in/x';\nimport '#no';\nimport '@w/a/deep/y';\nimport '#lib';\n",
            ),
            ("packages/a/src/in/x.ts", ""),
            ("packages/a/src/deep/y.ts", ""),
            ("packages/a/src/shut/z.ts", ""),
            (
                "packages/b/package.json",
                "{\"name\": \"b\", \"main\": \"b.js\", \"dependencies\": {\"l\": \"file:../../l\"}}",
            ),
            (
                "packages/b/b.ts",
                "import '@w/a';\nimport '@w/a/deep/y';\nimport '@w/a/shut/z';\nimport '@w/a/src/index';\n\
                 import 'out';\nimport 'react';\nimport 'l';\nimport 'b';\nimport 'b/extra';\n",
            ),
            ("packages/b/extra.ts", ""),
            ("packages/out/package.json", "{\"name\": \"out\"}"),
            ("packages/out/index.js", "require('b');\n"),
            ("l/package.json", "{\"name\": \"other\"}"),
            ("l/index.js", "require('other');\n"),
        ],
        &[
            "packages/a/src/index.ts:1 packages/a/src/in/x.ts",
            "packages/a/src/index.ts:2 missing",
            "packages/a/src/index.ts:3 packages/a/src/deep/y.ts",
            "packages/a/src/index.ts:4 external",
            "packages/b/b.ts:1~ packages/a/src/index.ts",
            "packages/b/b.ts:2 packages/a/src/deep/y.ts",
            "packages/b/b.ts:3 missing",
            "packages/b/b.ts:4 missing",
            "packages/b/b.ts:5 external",
            "packages/b/b.ts:6 external",
            "packages/b/b.ts:7 l/index.js",
            "packages/b/b.ts:8 ",
            "packages/b/b.ts:9 packages/b/extra.ts",
            "packages/out/index.js:1 packages/b/b.ts",
            "l/index.js:1 external",
        ],
    );
}

#[test]
fn a_script_runs_what_others_only_see_the_types_of() {
    let package = "{\"name\": \"p\", \"exports\": {\".\": {\"types\": \"./p.d.ts\", \"default\": \"./p.js\"}}}";
    check(
        &[
            ("package.json", "{\"workspaces\": [\"p\", \"q\"]}"),
            ("p/package.json", package),
            ("p/p.js", ""),
            ("p/p.d.ts", ""),
            (
                "q/package.json",
                "{\"name\": \"q\", \"types\": \"q.d.ts\", \"main\": \"q.js\"}",
            ),
            ("q/q.js", ""),
            ("q/q.d.ts", ""),
            ("a.js", "import 'p';\nimport 'q';\n"),
            ("a.ts", "import 'p';\nimport 'q';\n"),
        ],
        &[
            "a.js:1 p/p.js",
            "a.js:2 q/q.js",
            "a.ts:1 p/p.d.ts",
            "a.ts:2 q/q.d.ts",
        ],
    );
}

#[test]
fn modules_of_python() {
    check(
        &[
            ("pyproject.toml", "[project]\nname = 'p'\n"),
            (
                "src/p/__init__.py",
                "from . import a\nfrom .sub import thing, deep\nfrom .gone import x\n",
            ),
            (
                "src/p/a.py",
                "import p.sub.deep\nfrom p import a, name\nfrom p.sub import *\nimport os\nimport p.lost\n\
                 from ... import far\nfrom .... import out\nfrom p.space import inner\nfrom p.space import none\n",
            ),
            (
                "src/p/sub/__init__.py",
                "from .. import a\nfrom ..sub import deep\n",
            ),
            ("src/p/sub/deep.py", ""),
            ("src/p/space/inner.py", ""),
            (
                "tests/test_a.py",
                "import helper\nfrom p import a\nimport tests.helper\nimport docs\n",
            ),
            ("tests/helper.py", ""),
            ("docs/conf.txt", ""),
            ("other/setup.cfg", "[options]\npackage_dir =\n    = lib\n"),
            ("other/lib/q/__init__.pyi", ""),
            ("other/use.py", "import q\n"),
            ("use.py", "import q\n"),
        ],
        &[
            "src/p/__init__.py:1 src/p/a.py",
            "src/p/__init__.py:2 src/p/sub/__init__.py src/p/sub/deep.py",
            "src/p/__init__.py:3 missing",
            "src/p/a.py:1 src/p/sub/deep.py",
            "src/p/a.py:2 src/p/__init__.py",
            "src/p/a.py:3 src/p/sub/__init__.py",
            "src/p/a.py:4 external",
            "src/p/a.py:5 missing",
            "src/p/a.py:6 missing",
            "src/p/a.py:7 external",
            "src/p/a.py:8 src/p/space/inner.py",
            "src/p/a.py:9 missing",
            "src/p/sub/__init__.py:1 src/p/a.py",
            "src/p/sub/__init__.py:2 src/p/sub/deep.py",
            "tests/test_a.py:1~ tests/helper.py",
            "tests/test_a.py:2 src/p/a.py",
            "tests/test_a.py:3 tests/helper.py",
            "tests/test_a.py:4 external",
            "other/use.py:1 other/lib/q/__init__.pyi",
            "use.py:1~ other/lib/q/__init__.pyi",
        ],
    );
}

#[test]
fn modules_that_python_brings_along() {
    check(
        &[
            ("types.py", ""),
            ("platform/x.py", ""),
            (
                "main.py",
                "import types\nimport platform\nimport platform.x\nimport queue\n",
            ),
            ("deep/main.py", "import logging\nimport json.tool\n"),
            ("deep/logging.py", ""),
            ("other/pyproject.toml", ""),
            ("other/src/json/__init__.py", ""),
        ],
        &[
            "main.py:1~ types.py",
            "main.py:2 external",
            "main.py:3 external",
            "main.py:4 external",
            "deep/main.py:1 external",
            "deep/main.py:2 external",
        ],
    );
}

#[test]
fn packages_of_go() {
    check(
        &[
            (
                "go.mod",
                "module example.org/a // b\n\nrequire (\n\texample.org/c v1.0.0\n)\n\
                 replace (\n\texample.org/c v1.0.0 => ./third/c\n)\n",
            ),
            (
                "main.go",
                "package main\nimport (\n\"example.org/a/p\"\n\"example.org/c/q\"\n\"fmt\"\n\
                 \"example.org/a/gone\"\n\"example.org/d\"\n\"v.org/x\"\n\"example.org/e\"\n)\n",
            ),
            ("p/one.go", "package p\nimport \"example.org/a\"\n"),
            ("p/two.go", "package p\n"),
            ("p/one_test.go", "package p\n"),
            ("third/c/go.mod", "module example.org/c\n"),
            ("third/c/q/q.go", "package q\n"),
            ("d/go.mod", "module example.org/d\n"),
            ("d/d.go", "package d\n"),
            ("vendor/v.org/x/x.go", "package x\n"),
            ("testdata/go.mod", "module fmt\n"),
            ("testdata/f.go", "package fmt\n"),
        ],
        &[
            "main.go:3~ p/one.go p/two.go",
            "main.go:4~ third/c/q/q.go",
            "main.go:5~ external",
            "main.go:6~ missing",
            "main.go:7~ d/d.go",
            "main.go:8~ vendor/v.org/x/x.go",
            "main.go:9~ external",
            "p/one.go:2~ main.go",
        ],
    );
}

#[test]
fn packages_of_the_jvm() {
    check(
        &[
            (
                "src/a/b/Main.java",
                "package a.b;\nimport a.c.Thing;\nimport static a.c.Thing.make;\nimport a.c.Thing.Inner;\n\
                 import a.c.*;\nimport java.util.List;\nimport a.c.Gone;\nimport a.c.lib.Other;\n\
                 import a.k.Loose;\nimport a.k.helper;\nimport a.Same;\n",
            ),
            ("src/a/c/Thing.java", "package a.c;\n"),
            ("src/a/c/More.java", "package a.c;\n"),
            ("kt/loose.kt", "package a.k\n\nclass Loose\n"),
            (
                "kt/more.kt",
                "package a.k\n\nimport a.k.own\nimport a.z.alone\nfun helper() {}\n",
            ),
            ("z/z.kt", "package a.z\n\nimport a.z.alone\n"),
            ("x/Same.java", "package a;\n"),
            ("y/Same.java", "package a;\n"),
        ],
        &[
            "src/a/b/Main.java:1~ ",
            "src/a/b/Main.java:2~ src/a/c/Thing.java",
            "src/a/b/Main.java:3~ src/a/c/Thing.java",
            "src/a/b/Main.java:4~ src/a/c/Thing.java",
            "src/a/b/Main.java:5~ src/a/c/More.java src/a/c/Thing.java",
            "src/a/b/Main.java:6~ external",
            "src/a/b/Main.java:7~ missing",
            "src/a/b/Main.java:8~ external",
            "src/a/b/Main.java:9~ one of kt/loose.kt kt/more.kt",
            "src/a/b/Main.java:10~ one of kt/loose.kt kt/more.kt",
            "src/a/b/Main.java:11~ one of x/Same.java y/Same.java",
            "src/a/c/Thing.java:1~ ",
            "src/a/c/More.java:1~ ",
            "kt/loose.kt:1~ ",
            "kt/more.kt:1~ ",
            "kt/more.kt:3~ one of kt/loose.kt kt/more.kt",
            "kt/more.kt:4~ z/z.kt",
            "z/z.kt:1~ ",
            "z/z.kt:3~ ",
            "x/Same.java:1~ ",
            "y/Same.java:1~ ",
        ],
    );
}

#[test]
fn headers() {
    check(
        &[
            (
                "src/a.c",
                "#include \"a.h\"\n#include \"pub.h\"\n#include <pub.h>\n#include <string.h>\n\
                 #include \"deep.h\"\n#include \"two.h\"\n#include <fmt/core.h>\n#include \"gone.h\"\n\
                 #include <sys/types.h>\n#include \"lib/one.h\"\n",
            ),
            ("src/a.h", ""),
            ("include/pub.h", ""),
            ("x/compat/string.h", ""),
            ("x/compat/sys/types.h", ""),
            ("x/y/deep.h", ""),
            ("x/two.h", ""),
            ("y/two.h", ""),
            ("third/fmt/core.h", ""),
            ("z/lib/one.h", ""),
            ("z/notlib/one.h", ""),
        ],
        &[
            "src/a.c:1~ src/a.h",
            "src/a.c:2~ include/pub.h",
            "src/a.c:3~ include/pub.h",
            "src/a.c:4~ external",
            "src/a.c:5~ x/y/deep.h",
            "src/a.c:6~ one of x/two.h y/two.h",
            "src/a.c:7~ third/fmt/core.h",
            "src/a.c:8~ missing",
            "src/a.c:9~ external",
            "src/a.c:10~ z/lib/one.h",
        ],
    );
}

#[test]
fn names_of_manifests() {
    for (path, expected) in [
        ("Cargo.toml", true),
        ("a/tsconfig.build.json", true),
        ("jsconfig.json", true),
        ("go.work", true),
        ("a/pnpm-workspace.yaml", true),
        ("setup.cfg", true),
        ("setup.py", false),
        ("package-lock.json", false),
        ("tsconfig", false),
    ] {
        assert_eq!(is_manifest(path), expected, "{path}");
    }
}

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
