//! Headings and sections: sections tile the text after its front matter, and the headings of
//! Markdown are those that its parser finds.
#![no_main]

use docent_document::headings::heading::parse_headings;
use docent_document::headings::{self, headings as found};
use docent_document::sections::{sections, with_subsections};
use docent_document::{front_matter, parts};
use docent_fuzz::seeds;
use libfuzzer_sys::fuzz_target;

/// Maximum bytes of a text whose headings are compared with the parser's, so that a heading in
/// every line does not make too many.
const COMPARED_BYTES: usize = 4096;

const NAMES: [&str; 10] = [
    "x.md",
    "x.rst",
    "x.adoc",
    "x.txt",
    "x.org",
    "x.tex",
    "x.textile",
    "x.wiki",
    "x.1",
    "x.vtt",
];

fn write_seeds() {
    let texts = [
        "---\ntitle: x\n---\nlead\n# One\n\ntext\n## Two #\n\n    # code\n\n```\n# code\n```\nThree\n===\n",
        "Title\n=====\n\ntext\n\nSub\n---\n\n.. code::\n\n   x\n\n****\nOver\n****\n",
        "= Title\n\n== One\n\n----\n== code\n----\n\n=== Two\n",
        "- # in a list\n> # in a quote\n\n<div>\n# html\n</div>\n\n[a]: /b\n# [a]\n",
        "one\ntwo\n\nthree\r\n\r\nfour",
        "#+TITLE: T\n* TODO [#A] One :a:b:\n#+begin_src\n* no\n#+end_src\n** [[a][*Two*]]\n",
        "\\title{T}\n\\section*{One \\emph{x}}\n\\begin{verbatim}\n\\section{no}\n\\end{verbatim}\n% \\part{x}\n",
        "h1(#a). One *x*\n\nbc.. no\nh2. no\n\np. x\nh2. \"Two\":/b\n<pre>\nh1. no\n</pre>\n",
        "== One ==\n<nowiki>\n== no ==\n</nowiki>\n=== [[a|''Two'']] ===\n<!--\n= no =\n",
        ".TH X 1\n.SH \"ONE\"\n.SS\n\\fBTwo\\fP \\- x\n.de A\n.SH no\n..\n",
        "WEBVTT - T\n\n1\n00:00:01.000 --> 00:00:02.000\na\n\n00:20:00,000 --> 00:20:01,000\nb\n",
    ];
    let seeds = (0u8..)
        .zip(NAMES)
        .flat_map(|(index, _)| texts.map(|text| [&[index], text.as_bytes()].concat()));
    seeds::write(seeds);
}

fuzz_target!(init: write_seeds(), |data: &[u8]| {
    let Some((first, text)) = data.split_first() else {
        return;
    };
    let Ok(text) = std::str::from_utf8(text) else {
        return;
    };
    let name = NAMES[usize::from(*first) % NAMES.len()];
    let all = sections(name, text);
    let mut end = if name == "x.md" { front_matter::length(text) } else { 0 };
    for (index, section) in all.iter().enumerate() {
        assert_eq!(section.span.start, end, "{section:?}");
        assert!(section.span.end > end, "{section:?}");
        assert!(text.is_char_boundary(section.span.end), "{section:?}");
        assert!(section.level <= 6, "{section:?}");
        assert!(!section.heading.contains(['\n', '\r']), "{section:?}");
        assert_eq!(section.path.last().cloned().unwrap_or_default(), section.heading);
        let whole = with_subsections(&all, index);
        assert!(whole.start == section.span.start && whole.end >= section.span.end);
        end = section.span.end;
    }
    assert_eq!(end, text.len());
    let title = headings::name(name, text);
    assert!(!title.is_empty());
    assert_eq!(headings::name_with_sections(name, text, &all), title);
    for unit in [parts::Unit::Tokens, parts::Unit::Bytes] {
        let mut end = 0;
        for part in parts::parts(text, unit, 20, 40) {
            assert_eq!(part.start, end);
            assert!(part.end > end && text.is_char_boundary(part.end));
            end = part.end;
        }
        assert_eq!(end, text.len());
    }
    // In some places the parser takes a lone carriage return for a letter.
    if name == "x.md" && text.len() < COMPARED_BYTES {
        let fed = text.replace("\r\n", "\n").replace('\r', "\n");
        assert_eq!(found(&fed), parse_headings(&fed));
    }
});
