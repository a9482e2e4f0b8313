//! Workloads for links in texts of any content, and for links in trees of every shape.

use std::collections::BTreeMap;

use docent_document::format::Format;
use docent_graph::document_links::document_links;
use docent_graph::link::links;
use docent_graph::names::Names;
use docent_graph::resolve::{Resolution, resolve};
use docent_graph::rewrite::Moves;
use docent_graph::sites::Sites;

use crate::Case;

/// Bytes of the smaller and the larger text.
const BYTES: (usize, usize) = (30_000, 60_000);

const MARKDOWN: [&str; 37] = [
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
    "[[a]](",
    "[[a]](b) ",
    "# a\n",
    "## a {#b}\n",
    "{ #a }",
    "{",
    "{#a\n",
    "text ^a\n",
    "```\n^a\n```\n",
    "<h1>a</h1>\n\n",
    "<h1>",
    "<h1",
    "</h",
    "[^1]: a\n",
    "import x.md\n",
];

const RST: [&str; 16] = [
    "`",
    "``",
    ":doc:`",
    ":doc:`a` ",
    "`a <b>`_ ",
    ".. image:: a\n",
    " a::\n",
    "aa\n==\n",
    ".. _a:\n",
    ".. _`a",
    ".. |a| image:: b\n   :target: c\n",
    ":ref:`a <b>` ",
    ":ref:`a\n",
    "`<",
    "_`a` ",
    ".. toctree::\n\n   a\n",
];

const ADOC: [&str; 16] = [
    "xref:",
    "xref:a[",
    "<<",
    "<<a,b>>",
    "image::",
    "include::a[]\n",
    "----\n",
    "== a\n",
    "[[a]]",
    "[[a",
    "[#a]",
    "[",
    "anchor:a",
    "id=",
    ":imagesdir: a\nimage::b[]\n",
    "<<a>> ",
];

pub fn cases() -> Vec<Case> {
    let named = [
        ("a.md", MARKDOWN.as_slice()),
        ("a.rst", &RST),
        ("a.adoc", &ADOC),
    ];
    let mut cases = Vec::new();
    for (path, pieces) in named {
        cases.extend(pieces.iter().map(|piece| text(path, (*piece).to_owned())));
    }
    cases.push(text("a.adoc", format!("{}[", "xref:".repeat(500))));
    cases.push(Case::new("files of one name", (500, 1_000), |count| {
        let text = "[[README]] [[d7/readme]]\n".repeat(count);
        move || {
            let names = names_that_are_equal(count);
            for link in links(&text, Format::Markdown) {
                let end = resolve(&link, "a.md", &names);
                assert!(matches!(
                    end,
                    Resolution::Ambiguous(_) | Resolution::Found(_)
                ));
            }
        }
    }));
    cases.push(Case::new("links and moves", (300, 600), |count| {
        let moves = moves(1_000);
        let text = "[x](d7/README.md#y) [[d8/readme]] <img src=d9/z>\n".repeat(count);
        let all = links(&text, Format::Markdown);
        move || {
            let rewrites = moves.rewrites(&text, &all, "a.md");
            assert_eq!(rewrites.all.len(), 2 * count);
        }
    }));
    cases.push(Case::new("sites and a deep path", (100, 200), |count| {
        let mut sites = Sites::default();
        for index in 0..5_000 {
            sites.insert(&format!("s{index}/mkdocs.yml"), "docs_dir: d\n");
        }
        let deep = "x/".repeat(60) + "a.md";
        let mut names = names_that_are_equal(10);
        names.insert(&deep);
        names.set_sites(sites);
        let text = "[x](/y.md) [z](../w.md)\n".repeat(count);
        move || {
            for link in links(&text, Format::Markdown) {
                assert!(resolve(&link, &deep, &names).place().is_some());
            }
        }
    }));
    cases
}

/// Returns a case of a text that repeats one piece.
fn text(path: &'static str, piece: String) -> Case {
    Case::new(
        format!("links of {path}: {piece:.20?}"),
        BYTES,
        move |size| {
            let text = piece.repeat(size / piece.len());
            move || assert!(document_links(path, &text).unwrap().links.len() <= text.len())
        },
    )
}

/// Returns the names of a tree in which `count` files have the same name.
fn names_that_are_equal(count: usize) -> Names {
    let mut names = Names::default();
    for index in 0..count {
        names.insert(&format!("d{index}/README.md"));
    }
    names
}

/// Returns moves of `count` files, and of a directory.
fn moves(count: usize) -> Moves {
    let names = names_that_are_equal(2_000);
    let files = (0..count).map(|index| (format!("d{index}/README.md"), format!("e{index}.md")));
    let files: BTreeMap<String, String> = files.collect();
    let directories = BTreeMap::from([("d9".to_owned(), "e/f".to_owned())]);
    Moves::new(names.clone(), names.after(&files), files, BTreeMap::new())
        .with_directories(directories)
}
