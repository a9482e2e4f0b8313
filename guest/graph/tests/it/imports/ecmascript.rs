//! Tests of JavaScript and TypeScript imports.

use super::check;

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
fn conditions_of_a_package_by_who_asks() {
    let package = "{\"name\": \"q\", \"exports\": {\
                   \".\": {\"worker\": {\"require\": \"./w.cjs\", \"default\": \"./m.js\"},\
                            \"default\": {\"require\": \"./n.cjs\", \"default\": \"./m.js\"}},\
                   \"./one\": {\"types\": \"./one.d.ts\", \"import\": \"./one.mjs\", \"require\": \"./one.cjs\"},\
                   \"./two\": {\"deno\": \"./d.js\", \"default\": \"./m.js\"}}}";
    check(
        &[
            ("package.json", package),
            ("w.cjs", ""),
            ("m.js", ""),
            ("n.cjs", ""),
            ("d.js", ""),
            ("one.d.ts", ""),
            ("one.mjs", ""),
            ("one.cjs", ""),
            ("a.mjs", "import 'q';\nimport 'q/one';\nimport 'q/two';\n"),
            (
                "b.cjs",
                "require('q');\nrequire('q/one');\nimport('q/one');\n",
            ),
            ("c.ts", "import a from 'q/one';\nimport b = require('q');\n"),
        ],
        &[
            "a.mjs:1 m.js",
            "a.mjs:2 one.mjs",
            "a.mjs:3 one of d.js m.js",
            "b.cjs:1 one of n.cjs w.cjs",
            "b.cjs:2 one.cjs",
            "b.cjs:3 one.mjs",
            "c.ts:1 one.d.ts",
            "c.ts:2 one of n.cjs w.cjs",
        ],
    );
}
