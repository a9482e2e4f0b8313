use super::*;

const GUIDE: &str = "---\ntitle: T\n---\n# Guide\n\nIntro.\n\n\
     ## Cache\n\nKept.\n\n### Size\n\nBig.\n\n\
     ## 설정\n\n값.\n\n# Other\n\n## Cache\n\nElsewhere.\n";

const PROGRAM: &str = "use std::fmt;\n\n/// Keeps.\n\
     #[derive(Debug)]\npub struct Cache<T> {\n    size: T,\n}\n\n\
     impl<T> Cache<T> {\n    /// Returns.\n\
     \x20   pub fn new() -> Self {\n        Self::of()\n    }\n}\n\n\
     impl fmt::Display for Cache<u8> {\n    fn fmt(&self) {}\n}\n\nfn new() {}\n";

fn address(text: &str) -> PartAddress {
    match text.strip_prefix(':') {
        Some(lines) => PartAddress::Lines(lines.to_owned()),
        None => PartAddress::Name(text.to_owned()),
    }
}

/// Returns the first and last line of a part with its names, or the error.
fn find(name: &str, text: &str, part: &str) -> Result<(u32, u32, String), (ErrorCode, String)> {
    match resolve(
        name,
        name,
        text,
        &address(part),
        &mut TimeBudget::unlimited(),
    ) {
        Ok(found) => {
            let lines = LineNumbers::from_span(text, &found.span);
            let (first, last) = lines.map_or((0, 0), |lines| (lines.first, lines.last));
            Ok((first, last, found.names.join(" > ")))
        }
        Err(error) => Err((error.code, format!("{} | {}", error.message, error.hint))),
    }
}

fn check(name: &str, text: &str, cases: &[(&str, u32, u32, &str)]) {
    for &(part, first, last, names) in cases {
        let expected = Ok((first, last, names.to_owned()));
        assert_eq!(find(name, text, part), expected, "{part}");
    }
}

fn find_refused(name: &str, text: &str, part: &str) -> (ErrorCode, String) {
    match find(name, text, part) {
        Ok(found) => panic!("{part}: {found:?}"),
        Err(refused) => refused,
    }
}

#[test]
fn sections_by_slug_and_headings() {
    check(
        "a.md",
        GUIDE,
        &[
            ("cache", 8, 15, "Guide > Cache"),
            ("cache-1", 22, 24, "Other > Cache"),
            ("Guide > Cache", 8, 15, "Guide > Cache"),
            ("Guide/Cache", 8, 15, "Guide > Cache"),
            ("## Size", 12, 15, "Guide > Cache > Size"),
            ("Guide", 4, 19, "Guide"),
            ("설정", 16, 19, "Guide > 설정"),
            (
                "\u{1109}\u{1165}\u{11af}\u{110c}\u{1165}\u{11bc}",
                16,
                19,
                "Guide > 설정",
            ),
            ("%EC%84%A4%EC%A0%95", 16, 19, "Guide > 설정"),
            ("Guide%20%3E%20Cache", 8, 15, "Guide > Cache"),
            ("L8-L10", 8, 10, "Guide > Cache"),
        ],
    );
    let (code, message) = find_refused("a.md", GUIDE, "Cache");
    assert_eq!(code, ErrorCode::InvalidRequest);
    assert_eq!(
        message,
        "`a.md#Cache` names 2 sections; expected one of them | They are `a.md:8-15` (Guide > \
         Cache), `a.md:22-24` (Other > Cache)."
    );
    let (code, message) = find_refused("a.md", GUIDE, "Guide > Cahce");
    assert_eq!(code, ErrorCode::DocumentNotFound);
    assert_eq!(
        message,
        "`a.md#Guide > Cahce` is not there; expected one of the file's headings, or lines | The \
         nearest names are `Guide > Cache`, `Other > Cache`, `Guide`, `Guide > Cache > Size`, \
         `Guide > 설정`."
    );
    let (_, message) = find_refused("a.txt", "one\n", "100%");
    assert!(message.ends_with("The file has no headings; name lines, as in `a.txt:10-40`."));
}

#[test]
fn lines_of_any_file() {
    check(
        "a.md",
        GUIDE,
        &[
            (":8-10", 8, 10, "Guide > Cache"),
            (":24-99", 24, 24, "Other > Cache"),
        ],
    );
    check(
        "a.md",
        GUIDE,
        &[(":10-13", 10, 13, ""), (":24-", 24, 24, "Other > Cache")],
    );
    check(
        "a.json",
        "{\n\"a\": 1\n}\n",
        &[(":2", 2, 2, ""), ("L2", 2, 2, "")],
    );
    check(
        "a.rs",
        PROGRAM,
        &[(":12", 12, 12, "Cache<T> > new"), (":3-20", 3, 20, "")],
    );
    for part in [":0", ":5-2"] {
        let (code, message) = find_refused("a.md", GUIDE, part);
        assert_eq!(code, ErrorCode::InvalidRequest);
        assert!(
            message.starts_with(&format!("`a.md{part}` names no lines")),
            "{message}"
        );
    }
    for part in [":25-30", ":99999999999"] {
        let (_, message) = find_refused("a.md", GUIDE, part);
        assert!(
            message.contains("begins after the end; expected at most line 24"),
            "{message}"
        );
    }
    let (_, message) = find_refused("a.md", "", ":1");
    assert!(message.contains("expected at most line 0"), "{message}");
}

#[test]
fn definitions_by_name() {
    check(
        "a.rs",
        PROGRAM,
        &[
            ("Cache", 3, 7, "Cache"),
            ("cache", 3, 7, "Cache"),
            ("Cache.new", 10, 13, "Cache<T> > new"),
            ("Cache::new()", 10, 13, "Cache<T> > new"),
            ("Cache<T>/new", 10, 13, "Cache<T> > new"),
            ("Cache<T> > new", 10, 13, "Cache<T> > new"),
            ("Cache > fmt", 17, 17, "Cache<u8> > fmt"),
            ("fmt", 17, 17, "Cache<u8> > fmt"),
            ("new", 20, 20, "new"),
            ("fn fmt", 17, 17, "Cache<u8> > fmt"),
            ("impl fmt::Display for Cache", 16, 18, "Cache<u8>"),
            ("impl<T> Cache<T>", 9, 14, "Cache<T>"),
            ("Cache.size", 6, 6, "Cache > size"),
            ("L3-L4", 3, 4, "Cache"),
        ],
    );
    let (code, message) = find_refused("a.rs", PROGRAM, "impl Cache");
    assert_eq!(code, ErrorCode::InvalidRequest);
    assert_eq!(
        message,
        "`a.rs#impl Cache` names 2 definitions; expected one of them | They are `a.rs:9-14` \
         (impl<T> Cache<T>), `a.rs:16-18` (impl fmt::Display for Cache<u8>)."
    );
    let (code, message) = find_refused("a.rs", PROGRAM, "Cache.nwe");
    assert_eq!(code, ErrorCode::DocumentNotFound);
    assert!(message.contains("The nearest names are `"), "{message}");
    let (_, message) = find_refused("a.json", "{}\n", "a");
    assert!(message.ends_with("The file has no keys; name lines, as in `a.json:10-40`."));
}

#[test]
fn forms_of_one_definition_come_together() {
    let python = "@overload\ndef run(a: int): ...\n\n@overload\ndef run(a: str): ...\n\n\
        def run(a):\n    return a\n\nclass A:\n    @property\n    def size(self):\n        return 1\n\n\
        \x20   @size.setter\n    def size(self, size):\n        pass\n\nclass B:\n    def run(self):\n        pass\n";
    check(
        "a.py",
        python,
        &[("run", 1, 8, "run"), ("A.size", 11, 17, "A > size")],
    );
    let apart = "def run():\n    return 1\n\ndef other():\n    pass\n\ndef run():\n    return 2\n";
    let (code, message) = find_refused("a.py", apart, "run");
    assert_eq!(code, ErrorCode::InvalidRequest);
    assert!(
        message.starts_with("`a.py#run` names 2 definitions"),
        "{message}"
    );
}

#[test]
fn definitions_of_other_languages() {
    let python = "class Flask:\n    @property\n\
        \x20   def run(self):\n        # why\n        return 1\n\n\
        \x20   class Inner:\n        def run(self):\n            pass\n";
    check(
        "a.py",
        python,
        &[
            ("Flask.run", 2, 5, "Flask > run"),
            ("Flask.Inner.run", 8, 9, "Flask > Inner > run"),
            ("Inner.run", 8, 9, "Flask > Inner > run"),
            ("class Flask", 1, 9, "Flask"),
        ],
    );
    let java = "class Foo {\n  Foo() {\n  }\n  int a() {\n    return 1;\n  }\n}\n";
    check(
        "A.java",
        java,
        &[("Foo", 1, 7, "Foo"), ("Foo.a", 4, 6, "Foo > a")],
    );
    let cpp = "struct A {\n  A operator/(int b) {\n    return *this;\n  }\n};\n\
        int A::size() {\n  return 1;\n}\n";
    check(
        "a.cpp",
        cpp,
        &[
            ("A::operator/", 2, 4, "A > operator/"),
            ("A.size", 6, 8, "A::size"),
        ],
    );
    let cargo = "[package]\nname = \"a\"\n\n[dependencies]\nserde = \"1\"\nlog = \"2\"\n";
    let lines = |wanted| {
        let (first, last, _) = find("Cargo.toml", cargo, wanted).unwrap_or_default();
        (first, last)
    };
    assert_eq!(lines("dependencies"), (4, 6));
    assert_eq!(lines("dependencies.serde"), (5, 5));
    assert_eq!(lines("nowhere"), (0, 0));
    let makefile = "all: build\n\techo all\n\nbuild: a.c\n\tcc a.c\n";
    let (first, last, _) = find("Makefile", makefile, "build").unwrap_or_default();
    assert_eq!((first, last), (4, 5));
}

#[test]
fn ten_thousand_of_one_name() {
    let program = "def run():\n    pass\n";
    check(
        "a.py",
        &program.repeat(10_000),
        &[("run", 1, 20_000, "run")],
    );
    let program = format!("{program}def other():\n    pass\n").repeat(10_000);
    let (code, message) = find_refused("a.py", &program, "run");
    assert_eq!(code, ErrorCode::InvalidRequest);
    assert!(message.contains("names 10000 definitions"), "{message}");
    assert!(
        message.ends_with("(function run) and 9992 more."),
        "{message}"
    );
    let guide = "# Setup\n\nx\n\n".repeat(10_000);
    let (_, message) = find_refused("a.md", &guide, "Setup");
    // The lower-case name is the id of the first of them; this one is a heading.
    assert!(message.contains("names 10000 sections"), "{message}");
    check("a.md", &guide, &[("setup-9999", 39_997, 40_000, "Setup")]);
    let (code, _) = find_refused("a.md", &guide, "Nowhere");
    assert_eq!(code, ErrorCode::DocumentNotFound);
}

#[test]
fn percent_signs() {
    for (text, expected) in [
        ("a%20b", Some("a b")),
        ("%EC%84%A4", Some("설")),
        ("100%", None),
        ("%zz", None),
        ("%FF", None),
        ("%", None),
        ("%가", None),
        ("plain", None),
    ] {
        assert_eq!(decode_percent(text).as_deref(), expected, "{text}");
    }
}
