//! A text four times as long takes not much more than four times as long, whatever stands in it.
#![expect(clippy::disallowed_types, reason = "what is measured here is time")]

use std::time::{Duration, Instant};

use docent_code::Language::{
    self, C, CSharp, Cpp, Java, JavaScript, Kotlin, Php, Python, Ruby, Rust, Shell, Swift,
};
use docent_code::imports::imports;
use docent_code::outline;

/// Bytes of the shorter text.
const SHORT: usize = 60_000;

/// How much longer the other one is, and how much longer it may take: quadratic time is the square.
const STEP: usize = 4;
const MOST: u32 = 9;

/// Less than this is no measure.
const FLOOR: Duration = Duration::from_millis(40);

const ATTEMPTS: usize = 10;

fn cost(work: impl Fn(&str), text: &str) -> Duration {
    let start = Instant::now();
    work(text);
    start.elapsed()
}

fn outline_and_look(language: Language, text: &str) {
    let outline = outline(language, text);
    outline.preview(text.len());
    let mut by_lines = outline.by_lines();
    for line in 1..=outline.line_count {
        by_lines.at(line);
    }
}

/// Checks what stands once, `lead`, and what stands behind it again and again.
fn check(language: Language, lead: &str, unit: &str) {
    check_time(language, lead, unit, |text| {
        outline_and_look(language, text)
    });
}

fn check_time(language: Language, lead: &str, unit: &str, work: impl Fn(&str)) {
    let text = |size: usize| format!("{lead}{}", unit.repeat(size / unit.len()));
    let (short, long) = (text(SHORT), text(SHORT * STEP));
    let (mut once, mut more) = (Duration::MAX, Duration::MAX);
    // The least of several tries is what it costs on a machine that does nothing else.
    for _ in 0..ATTEMPTS {
        more = more.min(cost(&work, &long));
        if more < FLOOR {
            return;
        }
        once = once.min(cost(&work, &short));
        if more < MOST * once {
            return;
        }
    }
    panic!("{}: {once:?}, then {more:?} for {unit:?}", language.name());
}

#[test]
fn imports_as_data() {
    for (language, lead, unit) in [
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
    ] {
        check_time(language, lead, unit, |text| {
            imports(language, text);
        });
    }
}

#[test]
fn one_line() {
    check(Python, "import a", ",a");
    check(Python, "from . import a", ", a");
    check(CSharp, "", "@");
    check(CSharp, "", "$");
    check(Ruby, "", "A = 1; ");
    check(Ruby, "", "attr_reader :a; ");
    check(Ruby, "", "alias a b; ");
    check(Shell, "", "a;");
    check(Php, "<?php ", "#?><? ");
    check(Java, "", "int a; ");
    check(Rust, "", "fn f() {} ");
    check(JavaScript, "", "function f() {} ");
    check(Python, "", "a = 1; ");
}

#[test]
fn macros_without_a_semicolon() {
    for language in [C, Cpp] {
        check(language, "", "A(x)\n");
        check(language, "", "A(x)\n#define B 1\n");
        check(language, "", "A\n");
        check(language, "", "A(x) ");
        check(language, "", "f(a, b) int ");
    }
}

#[test]
fn brackets_that_close_nothing() {
    for language in [C, Cpp] {
        check(language, "", "struct a ) ");
        check(language, "", "struct a < ) ");
        check(language, "", "struct a : b ) ");
        check(language, "", "template < ) ");
    }
    for language in [Java, Kotlin, Swift, CSharp] {
        check(language, "", "class A ) ");
        check(language, "", "class A < ) ");
        check(language, "", "enum A { a ) ");
    }
}

#[test]
fn a_comment_far_above() {
    let blanks = "\n".repeat(SHORT);
    for language in [C, Java, Kotlin, Swift] {
        check(
            language,
            &format!("/* a */{blanks}"),
            "class A {}\nint b;\n",
        );
    }
}

#[test]
fn what_nests() {
    check(C, "", "extern \"C\" { ");
    check(Java, "", "class A { ");
    check(Kotlin, "", "fun a() { ");
    check(Ruby, "", "class A\n");
    check(Ruby, "", "if a\ndef b\n");
    check(Python, "", "(");
    check(JavaScript, "", "a(");
}
