//! Properties of every text: nothing panics or overflows, symbols nest, budgets are kept.

use docent_code::{Language, Lines, Outline, Source, Symbol, outline};
use proptest::prelude::*;

fn check_nesting(symbols: &[Symbol], outer: Lines) {
    for symbol in symbols {
        let lines = symbol.lines;
        assert!(lines.first <= lines.last, "{symbol:?}");
        assert!(
            outer.first <= lines.first && lines.last <= outer.last,
            "{symbol:?} in {outer:?}"
        );
        assert!(!symbol.signature.contains(['\n', '\r']), "{symbol:?}");
        assert!(symbol.signature.chars().count() <= 600);
        check_nesting(&symbol.children, lines);
    }
}

/// Returns the rows of skeletons without comments, sorted.
fn rows<'a>(rows: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let is_number = |letter: char| letter.is_ascii_digit() || letter == '-';
    let without = rows.map(|row| row.split("  // ").next().unwrap_or(row).trim_end());
    // A comment without its row leaves a number, and so does a row without a signature.
    let is_bare = |row: &&str| row.trim_start_matches(is_number).is_empty();
    let mut rows: Vec<&str> = without.filter(|row| !is_bare(row)).collect();
    rows.sort_unstable();
    rows
}

fn check_laws(language: Language, text: &str) -> Outline {
    let outline = outline(language, text);
    let last = outline.line_count;
    check_nesting(&outline.symbols, Lines { first: 1, last });
    for import in &outline.imports {
        assert!(1 <= import.lines.first && import.lines.last <= last);
    }
    for line in (1..=last).step_by((last as usize / 50).max(1)) {
        let enclosing = outline.find_enclosing(line);
        assert!(enclosing.iter().all(|symbol| symbol.lines.contains(line)));
        let expected = outline
            .symbols
            .iter()
            .any(|symbol| symbol.lines.contains(line));
        assert_eq!(expected, !enclosing.is_empty());
    }
    for budget in [0, 1, 30, 80, 200, 1000, 5000] {
        let skeleton = outline.skeleton(budget);
        assert!(
            skeleton.text.chars().count() <= budget,
            "{budget}: {}",
            skeleton.text
        );
        assert!(skeleton.shown <= skeleton.symbols);
    }
    let all = outline.skeleton(usize::MAX);
    assert_eq!(all.rest, "");
    for budget in [0, 80, 1000] {
        // Everything omitted is in the rest, and nothing is in both.
        let skeleton = outline.skeleton(budget);
        let shown = skeleton.text.lines();
        let shown = shown.filter(|line| !line.starts_with("... left out: "));
        assert_eq!(
            rows(shown.chain(skeleton.rest.lines())),
            rows(all.text.lines())
        );
    }
    let preview = outline.preview(text.len());
    assert!(preview.text.len() <= (text.len() / 2).max(text.len() / 10));
    outline
}

/// Returns real sources of this repository and those of the cases, at least one for each language.
fn sources() -> Vec<(Language, String)> {
    let cases = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cases");
    let mut paths: Vec<_> = std::fs::read_dir(cases)
        .expect("the cases are there")
        .map(|entry| entry.expect("it can be listed").path())
        .filter(|path| {
            path.extension()
                .is_some_and(|extension| extension != "skeleton")
        })
        .collect();
    paths.sort();
    paths
        .iter()
        .filter_map(|path| {
            let language = Language::from_path(path.to_str()?)?;
            Some((language, std::fs::read_to_string(path).ok()?))
        })
        .collect()
}

fn languages() -> impl Strategy<Value = Language> {
    prop::sample::select(Language::ALL.to_vec())
}

/// Generates pieces that are meaningful to lexers and parsers.
fn pieces() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "fn ",
        "class ",
        "def ",
        "func ",
        "function ",
        "struct ",
        "enum ",
        "impl ",
        "interface ",
        "namespace ",
        "typedef ",
        "const ",
        "var ",
        "val ",
        "type ",
        "import ",
        "use ",
        "end\n",
        "if ",
        "else ",
        "do ",
        "case ",
        "extension ",
        "operator",
        "template ",
        "public: ",
        "x",
        "y ",
        "이름",
        "A ",
        "1.5",
        "\"",
        "'",
        "`",
        "\"\"\"",
        "'''",
        "/*",
        "*/",
        "//",
        "#",
        "#if ",
        "#else\n",
        "#endif\n",
        "#define ",
        "{",
        "}",
        "(",
        ")",
        "[",
        "]",
        "<",
        ">",
        "=",
        "=>",
        "->",
        ":",
        "::",
        ";",
        ",",
        ".",
        "~",
        "@",
        "$",
        "${",
        "#{",
        "\\(",
        "\\",
        "/",
        "%w[",
        "<<~X\n",
        "<<<X\n",
        "X\n",
        "<?php ",
        "?>",
        "r#\"",
        "R\"(",
        "$\"",
        "@\"",
        "\n",
        "\r\n",
        "\r",
        "\t",
        "    ",
        "\u{feff}",
        "\u{a0}",
        "=begin\n",
        "__END__",
        "*",
        "&",
        "!",
        "?",
        "|",
        "-",
        "+",
    ]);
    prop::collection::vec(piece, 0..60).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn any_text(language in languages(), text in any::<String>()) {
        check_laws(language, &text);
    }

    #[test]
    fn any_pieces(language in languages(), text in pieces()) {
        check_laws(language, &text);
    }

    #[test]
    fn mutated_sources(
        choice in any::<prop::sample::Index>(),
        from in any::<prop::sample::Index>(),
        length in 0usize..200,
        piece in pieces(),
    ) {
        let sources = sources();
        let (language, text) = choice.get(&sources);
        let start = text.floor_char_boundary(from.index(text.len()));
        let end = text.floor_char_boundary((start + length).min(text.len()));
        let mutated = format!("{}{piece}{}", &text[..start], &text[end..]);
        check_laws(*language, &mutated);
        check_laws(*language, &text[..start]);
    }
}

#[test]
fn a_long_head_is_cut_whatever_is_added_to_it() {
    let long = "word ".repeat(300);
    for (language, text) in [
        (
            Language::C,
            format!("typedef struct {long}{{ int a; }} name;\n"),
        ),
        (Language::Cpp, format!("enum {long}{{ A }} name;\n")),
        (
            Language::JavaScript,
            format!("describe(\"{long}\", () => {{ const a = 1; }});\n"),
        ),
        (
            Language::TypeScript,
            format!("const f = ({long}) => {{ return 1; }};\n"),
        ),
        (
            Language::Rust,
            format!("impl {} {{ fn a() {{}} }}\n", "A<".repeat(400)),
        ),
        (Language::Shell, format!("# a\n{long}\n")),
        (Language::Other, format!("# a\n{long}\n")),
    ] {
        check_laws(language, &text);
    }
}

#[test]
fn ends_of_lines_do_not_matter() {
    for (language, text) in sources() {
        let plain = outline(language, &text);
        let windows = check_laws(language, &text.replace('\n', "\r\n"));
        let names = |outline: &Outline| -> Vec<(String, Lines)> {
            let symbols = outline.symbols.iter();
            symbols
                .map(|symbol| (symbol.name.clone(), symbol.lines))
                .collect()
        };
        assert_eq!(names(&plain), names(&windows), "{}", language.name());
        check_laws(language, &text.replace('\n', "\r"));
        check_laws(language, &format!("\u{feff}{text}"));
        check_laws(language, text.trim_end());
    }
}

#[test]
fn nothing_overflows_the_stack() {
    let units = [
        ("(", ")"),
        ("[", "]"),
        ("{", "}"),
        ("{ a: ", "}"),
        ("f(", ")"),
        ("!", ""),
        ("-", ""),
        ("not ", ""),
        ("a.", "a"),
        ("a + ", "a"),
        ("a = ", "a"),
        ("a ? b : ", "c"),
        ("x => ", "x"),
        ("lambda: ", "x"),
        ("if (a) ", ";"),
        ("if a {} else ", "{}"),
        ("if (a) {} else ", "{}"),
        ("`${", "}`"),
        ("f'{", "}'"),
        ("<a>", "</a>"),
        ("A<", ">"),
        ("class A { ", " }"),
        ("mod a { ", " }"),
        ("namespace a { ", " }"),
        ("function f() { ", " }"),
        ("a: ", "b"),
        ("new ", "A"),
        ("&", "a"),
        ("*", "a"),
        ("await ", "a"),
        ("a ** ", "a"),
        ("do ", ";"),
        ("\"#{", "}\""),
        ("class A\n", "end\n"),
        ("template <", ">"),
        ("#if A\n{\n", "#endif\n"),
        ("/*", "*/"),
        ("<<A ", ""),
        ("a()()", ""),
        ("type A = ", "b"),
        ("=> ", ""),
        ("typeof ", "a"),
        ("\n", ""),
        ("for (;;) ", ";"),
        ("a\n?b:", "c"),
        ("{}\n", ""),
        ("a[0]", ""),
        ("a\n.b", ""),
        ("-#[a]", "a"),
        ("#[a]\n", ""),
        ("- #[a]\n#[b]\n", "a"),
        ("readonly\n", "a"),
        ("unique\n", "a"),
        ("#![a]\n", ""),
    ];
    for language in Language::ALL {
        for (open, close) in units {
            let is_parsed = matches!(
                language,
                Language::Rust | Language::JavaScript | Language::TypeScript | Language::Python
            );
            let leads: &[(&str, usize)] = if is_parsed {
                &[
                    ("", 100_000),
                    ("x = ", 5_000),
                    ("const X: u8 = ", 5_000),
                    ("type X = ", 5_000),
                ]
            } else {
                &[("", 20_000)]
            };
            for (lead, depth) in leads {
                let text = format!("{lead}{}{}", open.repeat(*depth), close.repeat(*depth));
                let text = if language == Language::Php {
                    format!("<?php {text}")
                } else {
                    text
                };
                outline(language, &text);
                outline(language, &text[..text.len() / 2]);
            }
        }
    }
    // Just below the depth above which nothing is parsed.
    for language in [
        Language::Rust,
        Language::JavaScript,
        Language::TypeScript,
        Language::Python,
    ] {
        for (open, close) in units {
            for depth in [10, 20, 30, 45, 60, 75, 90, 99] {
                for lead in ["", "x = ", "const X: u8 = ", "type X = "] {
                    outline(
                        language,
                        &format!("{lead}{}a{}", open.repeat(depth), close.repeat(depth)),
                    );
                }
            }
        }
    }
    let indented: String = (0..2_000)
        .map(|depth| format!("{}if a:\n", " ".repeat(depth)))
        .collect();
    outline(Language::Python, &indented);
    let classes: String = (0..500)
        .map(|depth| format!("{}class A:\n", " ".repeat(depth)))
        .collect();
    check_laws(Language::Python, &classes);
}

#[test]
fn ten_megabytes_on_one_line() {
    for language in Language::ALL {
        for unit in [
            "a", "a ", "\"", "/", "/[", "<<A", "R\"(", "'", "%w", "`", "=", "f(a);", "// ",
        ] {
            outline(language, &unit.repeat(300_000 / unit.len()));
        }
    }
    outline(Language::JavaScript, &"var a=1;".repeat(10_000_000 / 8));
}

#[test]
fn parsers_are_used_where_there_are_some() {
    for (language, text) in sources() {
        let expected = match language {
            Language::Rust | Language::JavaScript | Language::TypeScript | Language::Python => {
                Source::Parsed
            }
            Language::Other => Source::Text,
            _ => Source::Heuristic,
        };
        assert_eq!(
            outline(language, &text).source,
            expected,
            "{}",
            language.name()
        );
    }
}

#[test]
fn a_long_file_is_shown_in_a_tenth() {
    for (language, text) in sources() {
        let times = 2_200 / text.lines().count() + 1;
        let long = text.repeat(times);
        let outline = outline(language, &long);
        let preview = outline.preview(long.len());
        assert!(preview.text.len() * 10 <= long.len(), "{}", language.name());
        assert!(preview.shown > 0, "{}", language.name());
    }
}

#[test]
fn a_broken_file_gives_its_readable_parts() {
    for (language, text, expected) in [
        (Language::Rust, "fn a() {}\nfn b( {}\nfn c() {}\n", "c"),
        (
            Language::JavaScript,
            "function a() {}\nfunction ( {\nfunction c() {}\n",
            "a",
        ),
        (
            Language::TypeScript,
            "interface A { x: number }\nlet = = ;\nclass C {}\n",
            "A",
        ),
        (
            Language::Python,
            "def a():\n    pass\ndef b(:\n    x = (\ndef c():\n    pass\n",
            "a",
        ),
        (Language::Go, "func a() {\nfunc c() {\n}\n", "c"),
        (Language::Java, "class A { void a() { \nvoid c() {}\n", "c"),
    ] {
        let outline = check_laws(language, text);
        let names = format!("{:?}", outline.symbols);
        assert!(
            names.contains(&format!("name: {expected:?}")),
            "{}: {names}",
            language.name()
        );
    }
}

#[test]
fn a_header_of_cpp_is_read_as_such() {
    let text = "extern \"C\" {\nint f(void);\n}\nnamespace a {\nclass B { int x; };\n}\n";
    let outline = check_laws(Language::C, text);
    assert_eq!(outline.language, Language::Cpp);
    let names: Vec<&str> = outline
        .find_enclosing(5)
        .iter()
        .map(|symbol| symbol.name.as_str())
        .collect();
    assert_eq!(names, ["a", "B", "x"]);
    let header =
        "#ifdef __cplusplus\nextern \"C\" {\n#endif\nint f(void);\n#ifdef __cplusplus\n}\n#endif\n";
    let outline = check_laws(Language::C, header);
    assert_eq!((outline.language, outline.symbols.len()), (Language::C, 1));
}

#[test]
fn a_script_in_braces_shows_its_functions() {
    let outline = check_laws(Language::Shell, "{ # whole\n\nf() {\n  :\n}\n\n}\n");
    assert_eq!(outline.symbols[0].name, "f");
}

#[test]
fn an_attribute_of_the_file_is_no_command() {
    let outline = check_laws(Language::Rust, "#![cfg(unix)]\nfn f() {}\n");
    assert_eq!(outline.source, Source::Parsed);
    let outline = check_laws(Language::Rust, "#!/usr/bin/env cargo\nfn f() {}\n");
    assert_eq!(outline.source, Source::Parsed);
}
