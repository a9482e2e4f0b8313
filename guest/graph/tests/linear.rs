//! A text twice as large costs less than three times as much, whatever stands in it.
#![expect(clippy::disallowed_types, reason = "what is measured here is time")]

use std::time::{Duration, Instant};

use docent_document::format::Format;
use docent_graph::link::links;

/// As a try takes a millisecond or two, other work on the machine may outlast many.
const ATTEMPTS: usize = 1_000;

/// Bytes of the smaller text.
const SIZE: usize = 30_000;

fn cost(text: &str, format: Format) -> Duration {
    let start = Instant::now();
    assert!(links(text, format).len() <= text.len());
    start.elapsed()
}

#[track_caller]
fn check(piece: &str, format: Format) {
    let single = piece.repeat(SIZE / piece.len());
    let double = single.repeat(2);
    let (mut once, mut twice) = (Duration::MAX, Duration::MAX);
    // The least of many tries is what it costs on a machine that does nothing else.
    for _ in 0..ATTEMPTS {
        once = once.min(cost(&single, format));
        twice = twice.min(cost(&double, format));
        if twice < 3 * once {
            return;
        }
    }
    panic!("{piece:.20}: {once:?}, then {twice:?}");
}

#[test]
fn markdown() {
    for piece in [
        "[",
        "[[",
        "![",
        "![[",
        "[[a]]",
        "[a](b) ",
        "[a](",
        "](",
        "[a]: b\n",
        "[a\\",
        "(",
        "<a ",
        "<a href=b>",
        "<a href='",
        "<!--",
        "<script>",
        "&amp;",
        "[a](&amp;) ",
        "![a](b\\_c) ",
        "<p>\n<img src=a>\n\n",
        "[[a|",
        "> ",
    ] {
        check(piece, Format::Markdown);
    }
}

#[test]
fn other_markup() {
    for piece in [
        "`",
        "``",
        ":doc:`",
        ":doc:`a` ",
        "`a <b>`_ ",
        ".. image:: a\n",
        " a::\n",
    ] {
        check(piece, Format::Rst);
    }
    for piece in [
        "xref:",
        "xref:a[",
        "<<",
        "<<a,b>>",
        "image::",
        "include::a[]\n",
        "----\n",
    ] {
        check(piece, Format::Adoc);
    }
    check(&format!("{}[", "xref:".repeat(500)), Format::Adoc);
}
