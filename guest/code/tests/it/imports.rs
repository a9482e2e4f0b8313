//! Imports as data: tables of texts, and properties of every text.

use docent_code::imports::{ImportPath, ImportedName, InlineModule, imports};
use docent_code::{Language, Source, outline, read};
use proptest::prelude::*;

fn modules(within: &[InlineModule]) -> String {
    let names = within.iter().map(|inner| match &inner.path {
        Some(path) => format!(" in {}={path}", inner.name),
        None => format!(" in {}", inner.name),
    });
    names.collect()
}

/// Formats an import on one line: `3 use crate::a`, with `~` if it is not parsed.
fn format_import(import: &ImportPath) -> String {
    let what = match &import.target {
        ImportedName::RustModule {
            name,
            within,
            paths,
            is_placed,
        } => {
            let sign = if *is_placed { "=" } else { "?" };
            let paths: String = paths.iter().map(|path| format!(" {sign}{path}")).collect();
            format!("mod {name}{paths}{}", modules(within))
        }
        ImportedName::RustUse { path, within } => {
            format!("use {}{}", path.join("::"), modules(within))
        }
        ImportedName::Specifier(specifier) | ImportedName::Required(specifier) => specifier.clone(),
        ImportedName::Python {
            level,
            module,
            names,
        } => format!(
            "{}{} [{}]",
            ".".repeat(*level as usize),
            module.join("."),
            names.join(" ")
        ),
        ImportedName::GoPackage(path) => path.clone(),
        ImportedName::JvmPackage(name) => format!("package {name}"),
        ImportedName::Jvm { path, is_star } => {
            format!("{}{}", path.join("."), if *is_star { ".*" } else { "" })
        }
        ImportedName::Include { path, is_quoted } if *is_quoted => format!("\"{path}\""),
        ImportedName::Include { path, .. } => format!("<{path}>"),
        ImportedName::File(path) => format!("file {path}"),
    };
    let sign = if import.known_by == Source::Parsed {
        ""
    } else {
        "~"
    };
    format!("{}{sign} {what}", import.line)
}

fn check(language: Language, text: &str, expected: &[&str]) {
    let found: Vec<String> = imports(language, text).iter().map(format_import).collect();
    assert_eq!(found, expected, "{text}");
    let read = read(language, text, |_| ());
    assert_eq!(read.imports, imports(read.outline.language, text), "{text}");
    assert_eq!(read.outline, outline(language, text), "{text}");
}

#[test]
fn trees_of_use() {
    check(
        Language::Rust,
        "use a::b;\npub use crate::{\n  c,\n  d::{self, E as F, r#type},\n  g::*,\n};\n\
         use ::h::i; extern crate j as k;\nuse super::super::l;\npub(in crate::m) use self::n;\n",
        &[
            "1 use a::b",
            "3 use crate::c",
            "4 use crate::d",
            "4 use crate::d::E",
            "4 use crate::d::type",
            "5 use crate::g",
            "7 use ::h::i",
            "7 use j",
            "8 use super::super::l",
            "9 use self::n",
        ],
    );
}

#[test]
fn modules_of_rust() {
    check(
        Language::Rust,
        "mod a;\n#[path = \"x/b.rs\"]\npub(crate) mod b;\n\
         #[cfg_attr(unix, path = \"unix.rs\")]\n#[cfg_attr(windows, path = \"windows.rs\")]\nmod c;\n\
         mod d {\n  mod e;\n  #[path = \"f\"] mod f { mod g; use super::H; }\n}\nmod r#type;\n\
         cfg_if! { if #[cfg(unix)] { mod i; } }\n\
         macro_rules! j { ($a:ident) => { mod k; use $crate::l; } }\nmod m;\n",
        &[
            "1 mod a",
            "3 mod b =x/b.rs",
            "6 mod c ?unix.rs ?windows.rs",
            "8 mod e in d",
            "9 mod g in d in f=f",
            "9 use super::H in d in f=f",
            "11 mod type",
            "12~ mod i",
            "14 mod m",
        ],
    );
}

#[test]
fn rust_paths_through_local_names() {
    check(
        Language::Rust,
        "mod a { pub struct B; }\nuse a::B;\nuse std::fs;\nuse fs::File;\nenum Kind { One }\n\
         fn f() { use Kind::*; use Unknown::*; use crate::g; }\n",
        &[
            "2 use self::a::B",
            "3 use std::fs",
            "4 use std::fs::File",
            "6 use self::Kind",
            "6 use crate::g",
        ],
    );
}

#[test]
fn rust_comments_and_strings_have_no_imports() {
    check(
        Language::Rust,
        "// use a::b;\n/* mod c; */\n/// use d;\nconst E: &str = \"use f;\";\n\
         fn g() -> impl Sized + use<'_> { r#\"mod h;\"# }\n",
        &[],
    );
}

#[test]
fn files_that_rust_includes() {
    check(
        Language::Rust,
        "#![doc = include_str!(\"../README.md\")]\ninclude!(concat!(env!(\"OUT_DIR\"), \"/a.rs\"));\n\
         fn f() { vec![include_bytes!(\"b.bin\",)] }\n",
        &["1 file ../README.md", "3 file b.bin"],
    );
}

#[test]
fn specifiers() {
    check(
        Language::TypeScript,
        "/// <reference path=\"./a.d.ts\" />\nimport b, {\n  c,\n} from './b';\nimport 'd';\n\
         import type { E } from \"./e.js\";\nexport * from './f';\nexport { g } from './g';\n\
         import h = require('./h');\ntype I = import('./i').I;\n\
         async function j() { await import('./j'); await import(`./k`); import(`./${j}`); }\n\
         const l = require('./l'); a.require('./m'); require(n); f(...require('./o'));\n\
         // import './p'\nconst q = \"import './q'\", r = `require('./r')`;\n",
        &[
            "1 file ./a.d.ts",
            "4 ./b",
            "5 d",
            "6 ./e.js",
            "7 ./f",
            "8 ./g",
            "9 ./h",
            "10 ./i",
            "11 ./j",
            "11 ./k",
            "12 ./l",
            "12 ./o",
        ],
    );
    check(
        Language::JavaScript,
        "const a = <p>import b from './c' and don't require('./d')</p>, b = <p></p>;\nrequire('./e');\n",
        &["2~ ./e"],
    );
    check(
        Language::JavaScript,
        "const a = '</p>'; // </p>\nrequire('./b');\n",
        &["2 ./b"],
    );
}

#[test]
fn a_script_that_no_parser_takes() {
    check(
        Language::JavaScript,
        "import a from './a';\nexport * from \"./b\";\nconst c = require('./c') ?? ;;; ) }\n\
         import('./d'\n",
        &["1~ ./a", "2~ ./b", "3~ ./c"],
    );
}

#[test]
fn scripts_of_components() {
    check(
        Language::Other,
        "<script setup lang=\"ts\">\nimport a from './a'\ntype B = import('./b').B\n</script>\n\
         <template>\n  <p>import './c'</p>\n</template>\n<script>\nimport './d';\n</script>\n\
         <style>\n@import './e';\n</style>\n<script src=\"./f\"></script>\nimport './g'\n",
        &["2 ./a", "3 ./b", "9 ./d"],
    );
    check(
        Language::Other,
        "<p>\r\r</p>\r\n<script>\r\nimport './a'\r\n</script>",
        &["5 ./a"],
    );
}

#[test]
fn statements_of_python() {
    check(
        Language::Python,
        "import a.b as c, d\nfrom . import e, f\nfrom ..g.h import (\n  I,\n  J as K,\n)\nfrom l import *\n\
         def m():\n  import n\ntry:\n  import o\nexcept ImportError:\n  from p import q\n\
         class R:\n  import s\nif TYPE_CHECKING:\n  import t\n\
         # import u\nv = 'import w'\n'''\nimport x\n'''\n",
        &[
            "1 a.b []",
            "1 d []",
            "2 . [e f]",
            "3 ..g.h [I J]",
            "7 l [*]",
            "9 n []",
            "11 o []",
            "13 p [q]",
            "15 s []",
            "17 t []",
        ],
    );
}

#[test]
fn packages_of_go() {
    check(
        Language::Go,
        "package a\n\nimport \"b/c\"\nimport (\n\t\"d\" // import \"e\"\n\tf \"g/h\"\n\t_ `i`\n)\n\
         import . \"j\"\nfunc k() { import \"l\" }\n",
        &["3~ b/c", "5~ d", "6~ g/h", "7~ i", "9~ j"],
    );
}

#[test]
fn packages_of_the_jvm() {
    check(
        Language::Java,
        "/* import a.b; */\npackage c.d;\nimport e.F;\nimport static g.H.i;\nimport j.k.*;\n\
         public class L { String m = \"import n.O;\"; }\n",
        &["2~ package c.d", "3~ e.F", "4~ g.H.i", "5~ j.k.*"],
    );
    check(
        Language::Kotlin,
        "@file:JvmName(\"A\")\npackage b.`in`\n\nimport c.D as E\nimport f.*\nimport g.h\nfun i() {}\n",
        &["2~ package b.in", "4~ c.D", "5~ f.*", "6~ g.h"],
    );
}

#[test]
fn includes() {
    check(
        Language::C,
        "#include \"a/b.h\" // c\n# include <d.h>\n#include E\n/* #include \"f.h\" */\n\
         #include_next <g.h>\nconst char *h = \"#include\";\n",
        &["1~ \"a/b.h\"", "2~ <d.h>", "5~ <g.h>"],
    );
}

#[test]
fn other_languages_have_no_imports() {
    check(Language::Ruby, "require 'a'\n", &[]);
    check(Language::Other, "import a\n", &[]);
}

/// Returns the source files of this crate, which syn reads as the compiler does.
fn own_sources() -> Vec<String> {
    let mut texts = Vec::new();
    let mut folders = vec![std::path::PathBuf::from(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/src"
    ))];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("it can be listed") {
            let path = entry.expect("it can be listed").path();
            if path.is_dir() {
                folders.push(path);
            } else {
                texts.push(std::fs::read_to_string(path).expect("it is text"));
            }
        }
    }
    texts
}

fn leaves(tree: &syn::UseTree, before: &[String], found: &mut Vec<String>) {
    let with = |name: &syn::Ident| [before, &[name.to_string()]].concat();
    match tree {
        syn::UseTree::Path(path) => leaves(&path.tree, &with(&path.ident), found),
        syn::UseTree::Group(group) => {
            for tree in &group.items {
                leaves(tree, before, found);
            }
        }
        syn::UseTree::Name(name) if name.ident != "self" => {
            found.push(with(&name.ident).join("::"));
        }
        syn::UseTree::Rename(name) if name.ident != "self" => {
            found.push(with(&name.ident).join("::"));
        }
        _ => found.push(before.join("::")),
    }
}

fn uses(items: &[syn::Item], found: &mut Vec<String>) {
    for item in items {
        match item {
            syn::Item::Use(item) => leaves(&item.tree, &[], found),
            syn::Item::Mod(item) => {
                if let Some((_, items)) = &item.content {
                    uses(items, found);
                }
            }
            _ => {}
        }
    }
}

#[test]
fn trees_of_use_are_those_of_syn() {
    let mut count = 0;
    for text in own_sources() {
        let mut expected = Vec::new();
        uses(
            &syn::parse_file(&text).expect("it is Rust").items,
            &mut expected,
        );
        let found = imports(Language::Rust, &text);
        let found: Vec<String> = found
            .iter()
            .filter_map(|import| match &import.target {
                ImportedName::RustUse { path, .. } => Some(path.join("::")),
                _ => None,
            })
            .collect();
        for path in &expected {
            let is_there = found.iter().any(|other| {
                // A path that begins with a name of this file says so, and a short name its whole
                // path.
                other == path || other.ends_with(&format!("::{path}")) || path.contains("K")
            });
            assert!(is_there, "{path}: {found:?}");
        }
        count += expected.len();
    }
    assert!(count > 300, "{count}");
}

fn any_language() -> impl Strategy<Value = Language> {
    prop::sample::select(Language::ALL.to_vec())
}

proptest! {
    #[test]
    fn nothing_panics(language in any_language(), text in any::<String>()) {
        imports(language, &text);
    }

    #[test]
    fn pieces_of_imports_in_any_order(
        language in any_language(),
        pieces in prop::collection::vec(prop::sample::select(vec![
            "use ", "mod ", "a", "r#b", "::", "{", "}", ",", ";", "*", " as ", "self", "super",
            "crate", "#[path = \"c\"]", "#[cfg_attr(d, path = \"e\")]", "macro_rules! f", "import ",
            "from ", ".", "'g'", "\"h\"", "`i`", "(", ")", "require", "export ", "=", "\n", "\n  ",
            "#include ", "<j.h>", "package ", "static ", "include_str!", "//", "/*", "*/", "\\",
            "설", "extern crate ", "enum ", "def k():", "/// <reference path=\"l\"/>",
        ]), 0..60),
    ) {
        let text = pieces.concat();
        let found = imports(language, &text);
        let lines = text.split(['\n', '\r']).count() as u32;
        assert!(found.is_sorted_by_key(|import| import.line));
        assert!(found.iter().all(|import| 1 <= import.line && import.line <= lines));
        let read = read(language, &text, |_| ());
        assert_eq!(read.outline, outline(language, &text));
        assert_eq!(read.imports, imports(read.outline.language, &text));
    }
}
