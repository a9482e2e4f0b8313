//! Deep requests of `understand`: transitive callers, on trees in memory.

use docent_api::understanding::{
    Aspect, UnderstandAnswer, UnderstandDepth, UnderstandOptions, UseClass,
};
use docent_tools::{Docent, NO_UNDERSTAND_OPTIONS, ToolSettings};
use docent_tree::memory::MemoryDisk;

/// Returns the impact of the definition of that name in the first of these files.
fn impact(files: &[(&str, &str)], name: &str, depth: UnderstandDepth) -> UnderstandAnswer {
    let options = UnderstandOptions {
        symbol: Some(name.to_owned()),
        paths: Some(vec![files[0].0.to_owned()]),
        aspects: Some(vec![Aspect::Impact]),
        depth: Some(depth),
        ..NO_UNDERSTAND_OPTIONS
    };
    let disk = MemoryDisk::with_files(files);
    let mut docent = Docent::new(disk, ToolSettings::default());
    docent.understand(Some(options)).unwrap()
}

fn places(answer: &UnderstandAnswer) -> Vec<String> {
    let told = answer.impact.iter();
    told.map(|one| format!("{} {}:{}", one.distance, one.path, one.line))
        .collect()
}

/// Returns the uses of callers of `base`, and the sentence about them.
fn far(files: &[(&str, &str)]) -> (Vec<String>, String) {
    let mut answer = impact(files, "base", UnderstandDepth::Deep);
    answer.impact.retain(|one| one.distance > 1);
    (places(&answer), answer.breaks.unwrap_or_default())
}

#[test]
fn a_deep_look_goes_to_callers_of_callers() {
    let files = [
        (
            "a.py",
            "def base():\n    return 1\n\ndef one():\n    return base()\n",
        ),
        (
            "b.py",
            "from a import one\n\ndef two():\n    return one()\n\ndef three():\n    two()\n    one()\n",
        ),
        (
            "test_c.py",
            "from b import three\n\ndef test_it():\n    three()\n",
        ),
        ("d.py", "def one():\n    return one\n"),
    ];
    let told = |depth| places(&impact(&files, "base", depth));
    let direct = ["1 a.py:5"];
    assert_eq!(told(UnderstandDepth::Shallow), direct);
    assert_eq!(told(UnderstandDepth::Standard), direct);
    // Definitions of the same name elsewhere that are not imported mean something else.
    assert_eq!(
        told(UnderstandDepth::Deep),
        [
            "1 a.py:5",
            "2 b.py:1",
            "2 b.py:4",
            "2 b.py:8",
            "3 b.py:7",
            "3 test_c.py:1",
            "3 test_c.py:4",
        ]
    );
}

#[test]
fn callers_in_circles_end() {
    let text = "def base(n):\n    return base(n - 1)\n\n\
                def one():\n    one()\n    two()\n    base(1)\n\n\
                def two():\n    one()\n\n\
                base(2)\none()\n";
    let (told, sentence) = far(&[("a.py", text)]);
    assert_eq!(told, ["2 a.py:5", "2 a.py:10", "2 a.py:13", "3 a.py:6"]);
    assert!(!sentence.contains("ollowed"), "{sentence}");
}

#[test]
fn callers_that_are_methods_are_followed_by_their_type() {
    let files = [
        (
            "a.py",
            "def base():\n    pass\n\nclass Tool:\n    def run(self):\n        base()\n\n    def go(self):\n        self.run()\n",
        ),
        (
            "b.py",
            "from a import Tool\n\ndef main(it):\n    tool = Tool()\n    tool.run()\n    it.run()\n\ndef all():\n    main(1)\n",
        ),
    ];
    let (told, sentence) = far(&files);
    assert_eq!(told, ["2 a.py:9", "2 b.py:5", "3 b.py:9"]);
    let left = "Not followed: 1 line that may use a caller or mean something else.";
    assert!(sentence.ends_with(left), "{sentence}");
    let files = [
        ("src/a.rs", "pub fn base() {}\n"),
        (
            "src/b.rs",
            "use crate::a::base;\n\npub struct Tool;\n\nimpl Tool {\n    pub fn new() -> Self {\n        base();\n        Self\n    }\n}\n\npub struct Other;\n\nimpl Other {\n    pub fn new() -> Self {\n        Self\n    }\n}\n",
        ),
        (
            "src/c.rs",
            "use crate::b::{Other, Tool};\n\nfn run() {\n    Tool::new();\n    Other::new();\n}\n",
        ),
        ("src/lib.rs", "mod a;\nmod b;\nmod c;\n"),
        ("Cargo.toml", "[package]\nname = \"p\"\n"),
    ];
    assert_eq!(far(&files).0, ["2 src/c.rs:4"]);
}

#[test]
fn callers_that_are_constructors_are_called_by_the_name_of_their_type() {
    let files = [
        (
            "a.py",
            "def base():\n    pass\n\nclass Tool:\n    def __init__(self):\n        base()\n",
        ),
        (
            "b.py",
            "from a import Tool\n\ndef made() -> Tool:\n    return Tool()\n\ndef last():\n    made()\n",
        ),
    ];
    assert_eq!(far(&files).0, ["2 b.py:4", "3 b.py:7"]);
    let files = [
        (
            "a.ts",
            "export function base() {}\nexport class Tool {\n  constructor() {\n    base();\n  }\n}\n",
        ),
        (
            "b.ts",
            "import { Tool } from './a';\n\nexport const made = (): Tool => {\n  return new Tool();\n};\n",
        ),
        ("c.ts", "import { made } from './b';\n\nmade();\n"),
    ];
    assert_eq!(far(&files).0, ["2 b.ts:4", "3 c.ts:1", "3 c.ts:3"]);
    let files = [
        (
            "p/A.java",
            "package p;\n\nclass A {\n    static void base() {}\n}\n",
        ),
        (
            "p/B.java",
            "package p;\n\nclass B {\n    B() {\n        A.base();\n    }\n}\n",
        ),
        (
            "p/C.java",
            "package p;\n\nclass C {\n    B held;\n\n    void run() {\n        new B();\n    }\n}\n",
        ),
    ];
    assert_eq!(far(&files).0, ["2 p/C.java:7"]);
}

#[test]
fn callers_of_one_name_are_told_apart() {
    let files = [
        ("a.py", "def base():\n    pass\n\ndef run():\n    base()\n"),
        ("b.py", "from a import base\n\ndef run():\n    base()\n"),
        ("c.py", "from b import run\n\ndef c():\n    run()\n"),
        ("d.py", "from a import run\n\ndef d():\n    run()\n"),
        ("e.py", "def run():\n    pass\n\ndef e():\n    run()\n"),
    ];
    let (told, sentence) = far(&files);
    assert_eq!(told, ["2 c.py:1", "2 c.py:4", "2 d.py:1", "2 d.py:4"]);
    // The call of the one in `e.py`.
    let left = "Not followed: 1 line that may use a caller or mean something else.";
    assert!(sentence.ends_with(left), "{sentence}");
}

#[test]
fn imports_of_others_are_no_uses() {
    let files = [
        ("a.py", "def base():\n    pass\n"),
        ("b.py", "import a\n\ndef base():\n    pass\n"),
        ("c.py", "from b import base\n\nbase()\n"),
        ("d.py", "from e import base\n\nbase()\n"),
        ("e.py", "from a import base\n"),
    ];
    let answer = impact(&files, "base", UnderstandDepth::Standard);
    let sure = answer.breaks.unwrap_or_default();
    let expected = "Renaming or deleting it would break up to 3 lines in 2 files, and perhaps 3 \
                    more in 2 files.";
    assert_eq!(sure, expected);
    // The name is that of a module, not of an import from it.
    let files = [
        (
            "base.py",
            "def base():\n    pass\n\ndef other():\n    pass\n",
        ),
        ("b.py", "from base import other\n"),
        ("c.py", "from base import (\n    base,\n)\n"),
        ("d.py", "import base\n\nbase.base()\n"),
        ("e.py", "from base import base\n"),
    ];
    let answer = impact(&files, "base", UnderstandDepth::Standard);
    let sure = answer.impact.iter();
    let sure = sure.filter(|one| one.class == Some(UseClass::Code));
    let sure: Vec<String> = sure
        .map(|one| format!("{}:{}", one.path, one.line))
        .collect();
    assert_eq!(sure, ["c.py:2", "d.py:3", "e.py:1"]);
    // An implementation of a type is not a definition of it.
    let files = [
        ("src/a.rs", "pub struct Gear;\n"),
        (
            "src/b.rs",
            "use crate::a::Gear;\n\nimpl Gear {\n    fn turn(one: Gear) {}\n}\n",
        ),
        ("src/lib.rs", "mod a;\nmod b;\n"),
        ("Cargo.toml", "[package]\nname = \"p\"\n"),
    ];
    let answer = impact(&files, "Gear", UnderstandDepth::Standard);
    let expected = "Renaming or deleting it would break up to 3 lines in 1 file.";
    assert_eq!(answer.breaks.as_deref(), Some(expected));
}
