//! Distinctions of the parsed languages and of the skeleton.

use docent_code::Language::{CSharp, Cpp, JavaScript, Python, Rust, TypeScript};
use docent_code::{Source, outline};

use crate::check;

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
    check(
        JavaScript,
        r#"
res.contentType =
res.type = function contentType(type) {
};
"#,
        "1-3  res.contentType = res.type = function contentType(type)",
    );
    check(
        JavaScript,
        "exports.a = exports.b = (x) => {};\n",
        "1  exports.a = exports.b = (x) =>",
    );
    check(
        Python,
        r#"
A, B = 1, 2
d = e = 5
"#,
        r#"
1  A, B = 1, 2
2  d = e = 5
"#,
    );
}

#[test]
fn script_exports_and_definitions_in_branches() {
    check(
        JavaScript,
        r#"
module.exports = {
  a: 1,
  b,
};
"#,
        "1-4  module.exports",
    );
    check(
        JavaScript,
        "module.exports = Foo;\n",
        "1  module.exports = Foo",
    );
    check(JavaScript, "export default Foo;\n", "1  export default Foo");
    check(
        JavaScript,
        r#"
if (a) {
  function b(c) {}
  const d = 1;
} else if (e) {
  x.f = function () {};
}
"#,
        r#"
2  function b(c)
5  x.f = function ()
"#,
    );
    check(
        JavaScript,
        r#"
try {
  function a() {}
} catch (e) {
  function b() {}
} finally {
  function c() {}
}
"#,
        r#"
2  function a()
4  function b()
6  function c()
"#,
    );
}

#[test]
fn each_of_several_variables_has_its_keyword() {
    check(
        TypeScript,
        r#"
/** One. */
export const one = 1,
  two = 2;
"#,
        r#"
1-2  export const one = 1  // One.
3  export const two = 2
"#,
    );
    check(
        TypeScript,
        r#"
export const a = {
  run() {},
} satisfies X;
const b = {
  stop: () => {},
} as const;
"#,
        r#"
1-3  export const a
2    run()
4-6  const b
5    stop: () =>
"#,
    );
}

#[test]
fn calls_of_macros_for_items_are_definitions() {
    check(
        Rust,
        r#"
bitflags! {
    /// Flag doc.
    #[derive(Debug)]
    pub struct Flags: u32 {
        const A = 1;
    }
}
"#,
        "1-7  bitflags! pub struct Flags: u32  // Flag doc.",
    );
    check(
        Rust,
        "lazy_static! { pub static ref X: u8 = 3; }\n",
        "1  lazy_static! pub static ref X: u8",
    );
    check(
        Rust,
        r#"
/// Many.
other::many! {
    a => b,
}
fn f() {}
"#,
        r#"
1-4  other::many!  // Many.
5  fn f()
"#,
    );
    check(
        Rust,
        r#"
empty! {}
empty!();
"#,
        "1  empty!",
    );
}

#[test]
fn rust_docs_at_any_position() {
    check(
        Rust,
        r#"
#[test]
/// Doc.
fn t() {}
"#,
        "1-3  fn t()  // Doc.",
    );
    check(
        Rust,
        r#"
#[doc = "Doc."]
fn t() {}
"#,
        "1-2  fn t()  // Doc.",
    );
    check(
        Rust,
        r#"
mod inl {
    //! Inner doc.
    fn a() {}
}
"#,
        r#"
1-4  mod inl  // Inner doc.
3    fn a()
"#,
    );
    check(
        Python,
        r#"
#: Doc.
a = 1
"#,
        "1-2  a = 1  // Doc.",
    );
}

#[test]
fn a_tuple_of_one_keeps_its_comma() {
    check(Rust, "fn f(x: (u8,)) {}\n", "1  fn f(x: (u8,))");
    check(
        Rust,
        r#"
fn f(
    x: u8,
    y: u8, // Last.
) {}
"#,
        "1-4  fn f(x: u8, y: u8)",
    );
    check(
        Python,
        "def f(bases=(object,)): pass\n",
        "1  def f(bases=(object,))",
    );
    check(Python, "f = lambda q: (q,)\n", "1  f = lambda q: (q,)");
    check(
        Python,
        "def f(a: tuple[int,]): pass\n",
        "1  def f(a: tuple[int,])",
    );
}

#[test]
fn exported_items_come_before_private_ones() {
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
    check(
        Cpp,
        &text,
        "1-3  template <...> inline auto format_to_n_long(It begin, int n) -> int",
    );
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
    check(
        TypeScript,
        r#"
import a from './u';

// More.
import { b } from './u';
function f() {}
import c from './v';
"#,
        r#"
1-4  imports ./u, ./v
5  function f()
"#,
    );
    check(
        Python,
        r#"
from . import a, b
from .c import d
"#,
        "1-2  imports .a, .b, .c",
    );
    check(
        Rust,
        r#"
use a;
#[cfg(unix)]
use b;
mod c;
use d;
"#,
        r#"
1-3  imports a, b, d
4  mod c
"#,
    );
}

#[test]
fn omitted_imports_are_noted() {
    let text = format!("import a from '{}';\nfunction f() {{}}\n", "a".repeat(100));
    let shown = outline(JavaScript, &text).skeleton(80).text;
    assert_eq!(shown, "2  function f()\n... left out: imports");
}

#[test]
fn decorators_stand_before_what_they_decorate() {
    check(
        Python,
        r#"
@app.route("/", methods=["GET"])
@login_required
def index():
    pass
class A:
    @property
    def b(self): return 1
"#,
        r#"
1-4  @app.route("/", methods=["GET"]) @login_required def index()
5-7  class A
6-7    @property def b(self)
"#,
    );
    check(
        TypeScript,
        r#"
@Component({
  selector: 'a',
})
export class A {
  @Input() name: string
  constructor(@Inject() a: B) {}
}
"#,
        r#"
1-7  @Component({ selector: 'a', }) export class A
5    @Input() name: string
6    constructor(@Inject() a: B)
"#,
    );
}

#[test]
fn a_blank_line_does_not_part_a_comment_for_tools() {
    check(
        JavaScript,
        r#"
/** About the file. */

function first() {}

/**
 * Sends x.
 */

function send() {}

/** Section. */

/** Stops. */
function stop() {}

/*** Banner ***/

function other() {}
"#,
        r#"
3  function first()
5-9  function send()  // Sends x.
13-14  function stop()  // Stops.
18  function other()
"#,
    );
}

#[test]
fn members_that_are_named_by_strings_do_not_nest() {
    let members: String = (0..200)
        .map(|number| format!("  'aria-{number}'?: boolean | 'mixed'\n"))
        .collect();
    let text = format!("interface A\n  extends B<string | number>,\n    C {{\n{members}}}\n");
    assert_eq!(outline(TypeScript, &text).source, Source::Parsed);
    // A text that is scanned all the same ends where it ends.
    let nested = "(".repeat(200);
    let text = format!(
        "export interface A\n  extends B<string | number>,\n    C<a> {{\n  d: e\n}}\nf({nested});\n"
    );
    let outline = outline(TypeScript, &text);
    assert_eq!(outline.source, Source::Heuristic);
    assert_eq!(outline.symbols[0].lines.last, 5);
}

#[test]
fn much_text_in_many_brackets_is_not_parsed() {
    for (levels, expected) in [(5, Source::Parsed), (60, Source::Heuristic)] {
        let (open, close) = ("[".repeat(levels), "]".repeat(levels));
        let text = format!("const a = {open}{}{close};\n", "b, ".repeat(20_000));
        assert_eq!(outline(JavaScript, &text).source, expected, "{levels}");
    }
}

#[test]
fn comments_can_be_left_out_of_an_outline() {
    let text =
        "# One.\ndef f():\n    pass\nclass A:\n    'Two.'\n    def g(self):\n        'Three.'\n";
    let outline = outline(Python, text).without_comments();
    let shown = outline.skeleton(usize::MAX).text;
    assert_eq!(shown, "1-3  def f()\n4-7  class A\n6-7    def g(self)");
}

#[test]
fn comments_and_bodies_move_nothing_of_rust() {
    check(
        Rust,
        "\u{feff}//! 파일\n/// 하나\npub/*a*/fn/**/a/* 둘 */(b: u8 /* c */)/*d*/{ /* e */ b(); }// f\n\
         #[g]// h\n/// 셋\nstruct/**/I {\n    /// 넷\n    j: u8, // k\n    /* l */ m: u8\n}\n\
         mod n {\n    //! Of n.\n    fn o() { p(); }\n}\nuse/* q */r::s;\n",
        r#"
15  imports /* q */r::s
2-3  pub fn a (b: u8)  // 하나
4-10  struct I  // 셋
7-8    j: u8  // 넷
9    m: u8  // l
11-14  mod n  // Of n.
13    fn o()
"#,
    );
    // The content of a body need not be Rust, and a comment may contain the end of one.
    let text = "fn a() { let let = }}; /* } */ ( }\nfn b() {}\n";
    assert_eq!(outline(Rust, text).source, Source::Heuristic);
    let text = "fn a() { let let = ; /* } */ // }\n}\nfn b() {}\n";
    let read = outline(Rust, text);
    let lines = read
        .symbols
        .iter()
        .map(|it| (it.name.as_str(), it.lines.first, it.lines.last));
    assert_eq!(read.source, Source::Parsed);
    assert_eq!(lines.collect::<Vec<_>>(), [("a", 1, 2), ("b", 3, 3)]);
}
