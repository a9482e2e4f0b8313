//! Tests of references beyond CommonMark: those of MyST, mdBook, Python-Markdown, Jekyll and Hugo,
//! their resolution, and their rewrites.

use std::collections::BTreeMap;

use docent_document::format::Format;
use docent_graph::anchors::Anchors;
use docent_graph::document_links::document_links;
use docent_graph::link::Link;
use docent_graph::names::{Labels, Names};
use docent_graph::prose;
use docent_graph::read::links;
use docent_graph::resolve::{Resolution, resolve};
use docent_graph::rewrite::{Moves, apply_rewrites};
use docent_graph::sites::Sites;

type Tree<'t> = &'t [(&'t str, &'t str)];

fn names(tree: Tree<'_>) -> Names {
    let (mut names, mut sites, mut labels) =
        (Names::default(), Sites::default(), Labels::default());
    for (path, text) in tree {
        names.insert(path);
        sites.insert(path, text);
        if let Some(facts) = document_links(path, text) {
            labels.insert(path, &facts.labels);
        }
    }
    names.set_sites(sites);
    names.set_labels(labels);
    names
}

fn shown(link: &Link, from: &str, names: &Names) -> String {
    let end = match resolve(link, from, names) {
        Resolution::Found(place) => place.path,
        Resolution::Missing(_) => "missing".to_owned(),
        Resolution::Ambiguous(paths) => format!("several {}", paths.join(", ")),
        Resolution::All(paths) => format!("each {}", paths.join(", ")),
        Resolution::External => "external".to_owned(),
        Resolution::OutsideRoot => "outside".to_owned(),
        Resolution::Unknown => "unknown".to_owned(),
    };
    format!("{} {} -> {end}", link.line, link.target)
}

/// Checks the resolution of the links in the document `from`, one per line: its line, its target,
/// its resolution.
#[track_caller]
fn check(tree: Tree<'_>, from: &str, expected: &str) {
    let names = names(tree);
    let (_, text) = tree.iter().find(|(path, _)| *path == from).unwrap();
    let all = links(text, Format::from_name(from).unwrap());
    let found: Vec<String> = all.iter().map(|link| shown(link, from, &names)).collect();
    let expected: Vec<&str> = expected.lines().map(str::trim).collect();
    let expected: Vec<&str> = expected.into_iter().filter(|it| !it.is_empty()).collect();
    assert_eq!(found, expected, "{text}");
}

/// Checks the document `from` after a move of `old` to `new`, and the number of links that could
/// not be rewritten.
#[track_caller]
fn moved(tree: Tree<'_>, (old, new): (&str, &str), from: &str, expected: &str, stuck: usize) {
    let names = names(tree);
    let files = BTreeMap::from([(old.to_owned(), new.to_owned())]);
    let moves = Moves::new(names.clone(), names.after(&files), files, BTreeMap::new());
    let (_, text) = tree.iter().find(|(path, _)| *path == from).unwrap();
    let rewrites = moves.rewrites(text, &links(text, Format::from_name(from).unwrap()), from);
    assert_eq!(apply_rewrites(text, &rewrites.all), expected);
    assert_eq!(rewrites.stuck.len(), stuck, "{text}");
}

const ROLES: &str = "# A\n\nSee {doc}`b`, {doc}`B <sub/c>`, {std:doc}`/sub/c`, {doc}`gone`, {doc}`!b`.\n\n\
     {ref}`one` {ref}`Two\nlines <two>` {numref}`none` {any}`b` {any}`one` {any}`click.Group`\n\
     {download}`x.zip`, {func}`b`, `{doc}` `b`\n\n```\n{doc}`b`\n```\n\n    {doc}`b`\n";

#[test]
fn roles_of_myst() {
    let tree = [
        ("conf.py", ""),
        ("a.md", ROLES),
        ("b.md", "(one)=\n# One\n"),
        ("sub/c.rst", ".. _two:\n\nTwo\n===\n"),
        ("x.zip", ""),
    ];
    check(
        &tree,
        "a.md",
        "3 b -> b.md
         3 sub/c -> sub/c.rst
         3 /sub/c -> sub/c.rst
         3 gone -> missing
         5 one -> b.md
         6 two -> sub/c.rst
         6 none -> missing
         6 b -> b.md
         6 one -> b.md
         6 click.Group -> unknown
         7 x.zip -> x.zip",
    );
    // Labels that no settings describe may belong to another project.
    let others = [
        ("conf.py", "intersphinx_mapping = {}"),
        ("a.md", "{ref}`none`"),
    ];
    check(&others, "a.md", "1 none -> unknown");
}

#[test]
fn directives_of_myst() {
    let text = "```{include} ../CHANGES.md\n```\n\n~~~ {literalinclude} x.py\n:language: python\n~~~\n\n\
                :::{figure} p.png\n:name: fig-one\nThe {doc}`b` [c](c.md).\n:::\n\n\
                ````{note}\nText [b](b.md).\n\n```{tip} Of {doc}`c`\nMore [d](gone.md)\n```\n````\n\n\
                ```{eval-rst}\n.. include:: c.md\n\n:doc:`b`\n```\n\n```{code-block} python\n[no](no.md)\n```\n\n\
                ```{csv-table} Title\n---\nfile: t.csv\n---\n```\n";
    let tree = [
        ("CHANGES.md", ""),
        ("d/a.md", text),
        ("d/b.md", ""),
        ("d/c.md", ""),
        ("d/x.py", ""),
        ("d/p.png", ""),
    ];
    check(
        &tree,
        "d/a.md",
        "1 ../CHANGES.md -> CHANGES.md
         4 x.py -> d/x.py
         8 p.png -> d/p.png
         10 b -> d/b.md
         10 c.md -> d/c.md
         14 b.md -> d/b.md
         16 c -> d/c.md
         17 gone.md -> missing
         22 c.md -> d/c.md
         24 b -> d/b.md
         33 t.csv -> missing",
    );
    let anchors = Anchors::from_text(
        "a.md",
        "(My_label)=\n```{image} p.png\n:name: the-image\n```\n",
    );
    assert!(
        anchors.accepts("my-label") && anchors.accepts("the-image") && !anchors.accepts("other")
    );
    // The anchors of reStructuredText documents there are unknown.
    let objects = "```{eval-rst}\n.. autoclass:: A\n```\n";
    assert!(Anchors::from_text("a.md", objects).accepts("other"));
}

#[test]
fn tables_of_contents_of_myst() {
    let toc = "```{toctree}\n:maxdepth: 2\n:glob:\n\nb\nTitle <sub/c>\nhttps://e.org\nself\nsub/*\nnone/*\n```\n\n\
               :::{toctree}\n---\nmaxdepth: 1\n---\n/b.md\n*\n:::\n";
    let tree = [
        ("docs/conf.py", ""),
        ("docs/index.md", toc),
        ("docs/b.md", ""),
        ("docs/sub/c.md", ""),
        ("docs/sub/d.rst", ""),
        ("docs/sub/e.txt", ""),
        ("docs/sub/f/g.md", ""),
    ];
    check(
        &tree,
        "docs/index.md",
        "5 b -> docs/b.md
         6 sub/c -> docs/sub/c.md
         7 https://e.org -> external
         9 sub/* -> each docs/sub/c.md, docs/sub/d.rst
         10 none/* -> missing
         17 /b.md -> docs/b.md",
    );
    let rst = [
        (
            "a.rst",
            ".. toctree::\n   :glob:\n\n   b*\n   [c]\n\n.. toctree::\n\n   d*\n",
        ),
        ("b.rst", ""),
        ("b2.md", ""),
        ("c.rst", ""),
    ];
    check(
        &rst,
        "a.rst",
        "4 b* -> each b.rst, b2.md\n5 [c] -> each c.rst",
    );
}

#[test]
fn links_of_myst_to_labels() {
    let text = "(own)=\n# A\n[](label) [x](#label) [y](#own) [z](project:b.md) [w](none)\n";
    let tree = [("a.md", text), ("b.md", "(label)=\n# B\n"), ("conf.py", "")];
    check(
        &tree,
        "a.md",
        "3 label -> b.md
         3 #label -> b.md
         3 #own -> a.md
         3 project:b.md -> b.md
         3 none -> missing",
    );
    // Without Sphinx a text is plain CommonMark.
    let plain = [
        ("a.md", "[](label) [x](#label)"),
        ("b.md", "(label)=\n# B\n"),
    ];
    check(&plain, "a.md", "1 label -> missing\n1 #label -> a.md");
}

#[test]
fn files_of_books() {
    let text = "```rust\n{{#rustdoc_include ../code/a.rs:here}}\n```\n{{#include gone.rs}} \\{{#include b.rs}}\n";
    let tree = [
        ("book.toml", "[book]\n"),
        ("code/a.rs", ""),
        ("src/c.md", text),
        ("README.md", "```\n{{#include file.rs}}\n```\n"),
    ];
    check(
        &tree,
        "src/c.md",
        "2 ../code/a.rs -> code/a.rs
         4 gone.rs -> missing",
    );
    // It does not belong to the book.
    check(&tree, "README.md", "2 file.rs -> unknown");
}

#[test]
fn snippets_lie_where_the_settings_do() {
    let tree = [
        ("w/mkdocs.yml", ""),
        ("w/docs/a.md", "--8<-- \"inc/b.md\"\n--8<-- \"c.md\"\n"),
        ("w/inc/b.md", ""),
        ("w/docs/c.md", ""),
    ];
    check(
        &tree,
        "w/docs/a.md",
        "1 inc/b.md -> w/inc/b.md\n2 c.md -> unknown",
    );
}

#[test]
fn tags_of_jekyll_and_hugo() {
    let tree = [
        ("_config.yml", ""),
        (
            "a/b.md",
            "{% include n.html %} {% include_relative c.md %} {% link a/c.md %} {% link d.md %}\n",
        ),
        ("_includes/n.html", ""),
        ("a/c.md", ""),
    ];
    check(
        &tree,
        "a/b.md",
        "1 /_includes/n.html -> _includes/n.html
         1 c.md -> a/c.md
         1 /a/c.md -> a/c.md
         1 /d.md -> unknown",
    );
    let tree = [
        ("a/b.md", "{{< ref \"c\" >}} {{< relref \"d\" >}}\n"),
        ("a/c.md", ""),
    ];
    check(&tree, "a/b.md", "1 c -> a/c.md\n1 d -> unknown");
}

#[test]
fn references_of_myst_and_books_follow_moves() {
    let text =
        "{doc}`b` {doc}`B <b>` {doc}`/b`\n\n```{toctree}\nb\nc\n```\n\n```{include} b.md\n```\n";
    let tree = [("conf.py", ""), ("a.md", text), ("b.md", ""), ("c.md", "")];
    moved(
        &tree,
        ("b.md", "d/e.md"),
        "a.md",
        "{doc}`d/e` {doc}`B <d/e>` {doc}`/d/e`\n\n```{toctree}\nd/e\nc\n```\n\n```{include} d/e.md\n```\n",
        0,
    );
    moved(
        &tree,
        ("a.md", "d/a.md"),
        "a.md",
        "{doc}`../b` {doc}`B <../b>` {doc}`/b`\n\n```{toctree}\n../b\n../c\n```\n\n```{include} ../b.md\n```\n",
        0,
    );
    let tree = [
        ("book.toml", ""),
        ("code/a.rs", ""),
        (
            "src/c.md",
            "```\n{{#include ../code/a.rs:3:}}\n```\n{{#playground ../code/a.rs editable}}\n",
        ),
    ];
    moved(
        &tree,
        ("code/a.rs", "code/b.rs"),
        "src/c.md",
        "```\n{{#include ../code/b.rs:3:}}\n```\n{{#playground ../code/b.rs editable}}\n",
        0,
    );
    // A colon would begin the name of a part.
    let (_, text) = tree[2];
    moved(&tree, ("code/a.rs", "code/b:c.rs"), "src/c.md", text, 2);
    moved(
        &[
            ("mkdocs.yml", ""),
            ("docs/a.md", "--8<-- \"b.md\"\n"),
            ("b.md", ""),
        ],
        ("b.md", "c.md"),
        "docs/a.md",
        "--8<-- \"b.md\"\n",
        1,
    );
}

#[test]
fn a_line_of_a_table_of_contents_is_no_prose() {
    for (before, after) in [
        ("```{toctree}\n\nb\nc\n```\n", "```{toctree}\n\nb\nd\n```\n"),
        ("--8<--\n\nb\nc\n--8<--\n", "--8<--\n\nb\nd\n--8<--\n"),
    ] {
        assert!(
            !prose::is_all_that_changes("a.md", before, after),
            "{before}"
        );
    }
}
