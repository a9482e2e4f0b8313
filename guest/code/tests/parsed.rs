//! What the parsed languages and the skeleton have to tell apart.

use docent_code::Language::{self, CSharp, Cpp, JavaScript, Python, Rust, TypeScript};
use docent_code::{Source, outline};

/// Whether the skeletons of these texts are these lines.
fn show(cases: &[(Language, &str, &str)]) {
    for (language, text, expected) in cases {
        let shown = outline(*language, text).skeleton(usize::MAX).text;
        assert_eq!(&shown, expected, "{text}");
    }
}

#[test]
fn attributes_one_after_the_other_do_not_nest() {
    for item in [
        "#[inline]\nfn f() {}\n",
        "#[cfg(feature = \"full\")]\n#[cfg_attr(docsrs, doc(cfg(feature = \"full\")))]\nimpl A for B {}\n",
        "#![warn(clippy::all)]\n",
        "#[a]\n#[b]\npub struct A { #[c] a: u8 }\n",
    ] {
        assert_eq!(
            outline(Rust, &item.repeat(700)).source,
            Source::Parsed,
            "{item}"
        );
    }
}

#[test]
fn chained_assignments_are_one_definition() {
    show(&[
        (
            JavaScript,
            "res.contentType =\nres.type = function contentType(type) {\n};\n",
            "1-3  res.contentType = res.type = function contentType(type)",
        ),
        (
            JavaScript,
            "exports.a = exports.b = (x) => {};\n",
            "1  exports.a = exports.b = (x) =>",
        ),
        (
            Python,
            "A, B = 1, 2\nd = e = 5\n",
            "1  A, B = 1, 2\n2  d = e = 5",
        ),
    ]);
}

#[test]
fn what_a_script_exports_and_defines_in_branches() {
    show(&[
        (
            JavaScript,
            "module.exports = {\n  a: 1,\n  b,\n};\n",
            "1-4  module.exports",
        ),
        (
            JavaScript,
            "module.exports = Foo;\n",
            "1  module.exports = Foo",
        ),
        (JavaScript, "export default Foo;\n", "1  export default Foo"),
        (
            JavaScript,
            "if (a) {\n  function b(c) {}\n  const d = 1;\n} else if (e) {\n  x.f = function () {};\n}\n",
            "2  function b(c)\n5  x.f = function ()",
        ),
        (
            JavaScript,
            "try {\n  function a() {}\n} catch (e) {\n  function b() {}\n} finally {\n  function c() {}\n}\n",
            "2  function a()\n4  function b()\n6  function c()",
        ),
    ]);
}

#[test]
fn each_of_several_variables_has_its_keyword() {
    show(&[
        (
            TypeScript,
            "/** One. */\nexport const one = 1,\n  two = 2;\n",
            "1-2  export const one = 1  // One.\n3  export const two = 2",
        ),
        (
            TypeScript,
            "export const a = {\n  run() {},\n} satisfies X;\nconst b = {\n  stop: () => {},\n} as const;\n",
            "1-3  export const a\n2    run()\n4-6  const b\n5    stop: () =>",
        ),
    ]);
}

#[test]
fn calls_of_macros_for_items_are_definitions() {
    show(&[
        (
            Rust,
            "bitflags! {\n    /// Flag doc.\n    #[derive(Debug)]\n    pub struct Flags: u32 {\n        const A = 1;\n    }\n}\n",
            "1-7  bitflags! pub struct Flags: u32  // Flag doc.",
        ),
        (
            Rust,
            "lazy_static! { pub static ref X: u8 = 3; }\n",
            "1  lazy_static! pub static ref X: u8",
        ),
        (
            Rust,
            "/// Many.\nother::many! {\n    a => b,\n}\nfn f() {}\n",
            "1-4  other::many!  // Many.\n5  fn f()",
        ),
        (Rust, "empty! {}\nempty!();\n", "1  empty!"),
    ]);
}

#[test]
fn docs_of_rust_wherever_they_stand() {
    show(&[
        (
            Rust,
            "#[test]\n/// Doc.\nfn t() {}\n",
            "1-3  fn t()  // Doc.",
        ),
        (
            Rust,
            "#[doc = \"Doc.\"]\nfn t() {}\n",
            "1-2  fn t()  // Doc.",
        ),
        (
            Rust,
            "mod inl {\n    //! Inner doc.\n    fn a() {}\n}\n",
            "1-4  mod inl  // Inner doc.\n3    fn a()",
        ),
        (Python, "#: Doc.\na = 1\n", "1-2  a = 1  // Doc."),
    ]);
}

#[test]
fn a_tuple_of_one_keeps_its_comma() {
    show(&[
        (Rust, "fn f(x: (u8,)) {}\n", "1  fn f(x: (u8,))"),
        (
            Rust,
            "fn f(\n    x: u8,\n    y: u8, // Last.\n) {}\n",
            "1-4  fn f(x: u8, y: u8)",
        ),
        (
            Python,
            "def f(bases=(object,)): pass\n",
            "1  def f(bases=(object,))",
        ),
        (Python, "f = lambda q: (q,)\n", "1  f = lambda q: (q,)"),
        (
            Python,
            "def f(a: tuple[int,]): pass\n",
            "1  def f(a: tuple[int,])",
        ),
    ]);
}

#[test]
fn what_is_exported_comes_before_what_is_private() {
    let text = "export const createSlice = build();\ntype One = { a: string };\ntype Two = { b: number };\n";
    let skeleton = outline(TypeScript, text).skeleton(80);
    assert!(
        skeleton.text.starts_with("1  export const createSlice"),
        "{}",
        skeleton.text
    );
    assert!(skeleton.shown < 3);
}

#[test]
fn the_first_sentence_of_a_comment() {
    for (language, comment, item, expected) in [
        (
            Rust,
            "/// One, e.g. this. Two.",
            "fn f() {}",
            "One, e.g. this.",
        ),
        (
            Rust,
            "/// A vs. B, cf. C, etc. or (i.e. D). Two.",
            "fn f() {}",
            "A vs. B, cf. C, etc. or (i.e. D).",
        ),
        (
            Rust,
            "/// One, e.g.\n/// this. Two.",
            "fn f() {}",
            "One, e.g. this.",
        ),
        (
            Rust,
            "/// Builder of `Json. { ... }` factory. Two.",
            "fn f() {}",
            "Builder of `Json. { ... }` factory.",
        ),
        (Rust, "/// It` is. Two.", "fn f() {}", "It` is."),
        (
            JavaScript,
            "/**\n * Runs it\n * @param a the a\n */",
            "function f() {}",
            "Runs it",
        ),
        (JavaScript, "/** @return list<a> */", "function f() {}", ""),
        (Cpp, "/** @brief Foo. */", "int f() { return 1; }", "Foo."),
        (
            CSharp,
            "/// <summary>Gets <see cref=\"X.Y\"/> of <c>a</c>.</summary>",
            "class A {}",
            "Gets X.Y of a.",
        ),
        (
            CSharp,
            "/// <summary>\n/// If 1 < 2.\n/// </summary>\n/// <param name=\"x\">X.</param>",
            "class A {}",
            "If 1 < 2.",
        ),
    ] {
        let text = format!("{comment}\n{item}\n");
        let shown = outline(language, &text).skeleton(usize::MAX).text;
        let found = shown.split_once("  // ").map_or("", |(_, doc)| doc);
        assert_eq!(found, expected, "{text}");
    }
}

#[test]
fn a_long_list_before_a_name_does_not_hide_it() {
    let long = "typename Parameter, ".repeat(10);
    let text = format!(
        "template <{long}typename B>\ninline auto format_to_n_long(It begin, int n) -> int {{\n}}\n"
    );
    show(&[(
        Cpp,
        &text,
        "1-3  template <...> inline auto format_to_n_long(It begin, int n) -> int",
    )]);
    let bounds = "Bounds<Other>, ".repeat(12);
    let text = format!("type f<{bounds}> = Long;\n");
    let shown = outline(TypeScript, &text).skeleton(usize::MAX).text;
    assert!(
        shown.starts_with("1  type f<Bounds<Other>, Bounds"),
        "{shown}"
    );
}

#[test]
fn imports_are_named_once_for_the_lines_of_the_first() {
    show(&[
        (
            TypeScript,
            "import a from './u';\n\n// More.\nimport { b } from './u';\nfunction f() {}\nimport c from './v';\n",
            "1-4  imports ./u, ./v\n5  function f()",
        ),
        (
            Python,
            "from . import a, b\nfrom .c import d\n",
            "1-2  imports .a, .b, .c",
        ),
        (
            Rust,
            "use a;\n#[cfg(unix)]\nuse b;\nmod c;\nuse d;\n",
            "1-3  imports a, b, d\n4  mod c",
        ),
    ]);
}

#[test]
fn imports_that_are_left_out_are_told() {
    let text = format!("import a from '{}';\nfunction f() {{}}\n", "a".repeat(100));
    let shown = outline(JavaScript, &text).skeleton(80).text;
    assert_eq!(shown, "2  function f()\n... left out: imports");
}
