//! Workloads for outlines and imports of source code.

use docent_code::Language::{
    self, C, CSharp, Cpp, Java, JavaScript, Kotlin, Php, Python, Ruby, Rust, Shell, Swift,
};
use docent_code::imports::imports;
use docent_code::outline;

use crate::Case;

/// Bytes of the shorter and the longer text.
const BYTES: (usize, usize) = (60_000, 240_000);

pub fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for (language, lead, unit) in IMPORTS {
        cases.push(case(
            "imports",
            language,
            lead.to_owned(),
            unit,
            move |text| {
                imports(language, text);
            },
        ));
    }
    let blanks = "\n".repeat(BYTES.0);
    let far_above = [C, Java, Kotlin, Swift].map(|language| {
        let lead = format!("/* a */{blanks}");
        (language, lead, "class A {}\nint b;\n")
    });
    let outlines = OUTLINES.iter().flat_map(|(languages, lead, unit)| {
        let languages = languages.iter();
        languages.map(|language| (*language, (*lead).to_owned(), *unit))
    });
    for (language, lead, unit) in outlines.chain(far_above) {
        cases.push(case("outline", language, lead, unit, move |text| {
            let outline = outline(language, text);
            outline.preview(text.len());
            let mut by_lines = outline.by_lines();
            for line in 1..=outline.line_count {
                by_lines.at(line);
            }
        }));
    }
    cases
}

/// Returns a case with `lead` once, followed by `unit` repeated.
fn case(
    what: &str,
    language: Language,
    lead: String,
    unit: &'static str,
    work: impl Fn(&str) + Copy + 'static,
) -> Case {
    let name = format!("{what} of {}: {lead:.20?} {unit:?}", language.name());
    Case::new(name, BYTES, move |size| {
        let text = format!("{lead}{}", unit.repeat(size / unit.len()));
        move || work(&text)
    })
}

const IMPORTS: [(Language, &str, &str); 12] = [
    (Rust, "", "use a::{"),
    (Rust, "use a::{", "b::{c, d}, "),
    (Rust, "", "mod a { use b::c; "),
    (Rust, "", "#[cfg_attr("),
    (Rust, "", "a! { use b; "),
    (JavaScript, "", "require('a');"),
    (JavaScript, "", "/* require('a') */ "),
    (JavaScript, "", "import 'a';"),
    (Python, "", "from a import b, c\n"),
    (Java, "", "import a.b.c;"),
    (Java, "import a", ".b"),
    (C, "", "#include <a.h>\n"),
];

const OUTLINES: &[(&[Language], &str, &str)] = &[
    // Many imports on one line.
    (&[Python], "import a", ",a"),
    (&[Python], "from . import a", ", a"),
    (&[CSharp], "", "@"),
    (&[CSharp], "", "$"),
    (&[Ruby], "", "A = 1; "),
    (&[Ruby], "", "attr_reader :a; "),
    (&[Ruby], "", "alias a b; "),
    (&[Shell], "", "a;"),
    (&[Php], "<?php ", "#?><? "),
    (&[Java], "", "int a; "),
    (&[Rust], "", "fn f() {} "),
    (&[JavaScript], "", "function f() {} "),
    (&[Python], "", "a = 1; "),
    // Macros without a semicolon.
    (&[C, Cpp], "", "A(x)\n"),
    (&[C, Cpp], "", "A(x)\n#define B 1\n"),
    (&[C, Cpp], "", "A\n"),
    (&[C, Cpp], "", "A(x) "),
    (&[C, Cpp], "", "f(a, b) int "),
    // Unmatched closing brackets.
    (&[C, Cpp], "", "struct a ) "),
    (&[C, Cpp], "", "struct a < ) "),
    (&[C, Cpp], "", "struct a : b ) "),
    (&[C, Cpp], "", "template < ) "),
    (&[Java, Kotlin, Swift, CSharp], "", "class A ) "),
    (&[Java, Kotlin, Swift, CSharp], "", "class A < ) "),
    (&[Java, Kotlin, Swift, CSharp], "", "enum A { a ) "),
    // Nesting.
    (&[C], "", "extern \"C\" { "),
    (&[Java], "", "class A { "),
    (&[Kotlin], "", "fun a() { "),
    (&[Ruby], "", "class A\n"),
    (&[Ruby], "", "if a\ndef b\n"),
    (&[Python], "", "("),
    (&[JavaScript], "", "a("),
];
