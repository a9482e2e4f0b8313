//! Texts, whatever stands in them, and links into trees of every shape.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use docent_document::format::Format;
use docent_graph::facts::link_facts;
use docent_graph::lead::{Lead, lead};
use docent_graph::limits::{CANDIDATES, LINKS};
use docent_graph::link::links;
use docent_graph::names::Names;
use docent_graph::rewrite::Moves;
use docent_graph::sites::Sites;

use super::is_linear;

/// Bytes of the smaller text.
const SIZE: usize = 30_000;

fn cost(text: &str, format: Format) -> Duration {
    let name = match format {
        Format::Rst => "a.rst",
        Format::Adoc => "a.adoc",
        _ => "a.md",
    };
    let start = Instant::now();
    assert!(link_facts(name, text).unwrap().links.len() <= text.len());
    start.elapsed()
}

#[track_caller]
fn check(piece: &str, format: Format) {
    let single = piece.repeat(SIZE / piece.len());
    let double = single.repeat(2);
    is_linear(piece, || cost(&single, format), || cost(&double, format));
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
        "aa\n==\n",
        ".. _a:\n",
        ".. _`a",
        ".. |a| image:: b\n   :target: c\n",
        ":ref:`a <b>` ",
        ":ref:`a\n",
        "`<",
        "_`a` ",
        ".. toctree::\n\n   a\n",
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
        "== a\n",
        "[[a]]",
        "[[a",
        "[#a]",
        "[",
        "anchor:a",
        "id=",
        ":imagesdir: a\nimage::b[]\n",
        "<<a>> ",
    ] {
        check(piece, Format::Adoc);
    }
    check(&format!("{}[", "xref:".repeat(500)), Format::Adoc);
}

/// Returns the names of a tree in which so many files have one name.
fn of_one_name(count: usize) -> Names {
    let mut names = Names::default();
    for index in 0..count {
        names.insert(&format!("d{index}/README.md"));
    }
    names
}

#[test]
fn many_files_of_one_name() {
    let cost = |count: usize| {
        let start = Instant::now();
        let names = of_one_name(count);
        for link in links(
            &"[[README]] [[d7/readme]]\n".repeat(count),
            Format::Markdown,
        ) {
            assert!(matches!(
                lead(&link, "a.md", &names),
                Lead::Several(_) | Lead::There(_)
            ));
        }
        start.elapsed()
    };
    is_linear("one name", || cost(500), || cost(1000));
    let names = of_one_name(10_000);
    let all = links("[[readme]] [[d77/README]]", Format::Markdown);
    let Lead::Several(paths) = lead(&all[0], "a.md", &names) else {
        panic!("one of many is not chosen");
    };
    assert_eq!(paths.len(), CANDIDATES);
    assert_eq!(
        lead(&all[1], "a.md", &names).place().unwrap().path,
        "d77/README.md"
    );
}

#[test]
fn many_links_and_many_moves() {
    let names = of_one_name(2_000);
    let moves = |count: usize| {
        let files = (0..count).map(|index| (format!("d{index}/README.md"), format!("e{index}.md")));
        let files: BTreeMap<String, String> = files.collect();
        let directories = BTreeMap::from([("d9".to_owned(), "e/f".to_owned())]);
        Moves::new(names.clone(), names.after(&files), files, BTreeMap::new())
            .with_directories(directories)
    };
    let moves = moves(1_000);
    let text = |count: usize| "[x](d7/README.md#y) [[d8/readme]] <img src=d9/z>\n".repeat(count);
    let cost = |text: &str| {
        let all = links(text, Format::Markdown);
        let start = Instant::now();
        let rewrites = moves.rewrites(text, &all, "a.md");
        assert_eq!(rewrites.all.len(), 2 * text.lines().count());
        start.elapsed()
    };
    let (single, double) = (text(300), text(600));
    is_linear("moves", || cost(&single), || cost(&double));
}

#[test]
fn bombs_of_links_stay_small() {
    let many = "[a](b)\n".repeat(LINKS + 1_000);
    assert_eq!(link_facts("a.md", &many).unwrap().links.len(), LINKS);
    // A reference is not multiplied by its uses.
    let uses = format!("[a]: {}\n\n{}", "x".repeat(100_000), "[a] ".repeat(20_000));
    let of_definition = link_facts("a.md", &uses).unwrap();
    assert!(
        of_definition.bytes() < 40 * uses.len(),
        "{}",
        of_definition.bytes()
    );
    // Nor are attributes by what they are part of.
    let long = "y".repeat(100_000);
    let adoc = format!(
        ":imagesdir: {long}\n:idprefix: {long}\n:idseparator: {long}\n\n{}",
        "== a b c\n\nimage::z[]\n\n".repeat(2_000)
    );
    let of_attributes = link_facts("a.adoc", &adoc).unwrap();
    assert!(
        of_attributes.bytes() < 4 * adoc.len(),
        "{}",
        of_attributes.bytes()
    );
}

#[test]
fn what_includes_itself_is_not_followed() {
    let mut names = Names::default();
    for (path, text) in [
        ("a.adoc", "include::b.adoc[]\n"),
        ("b.adoc", "include::a.adoc[]\n"),
    ] {
        names.insert(path);
        let facts = link_facts(path, text).unwrap();
        assert_eq!(facts.links.len(), 1);
        // What it holds by way of others is not known, and nothing in it is called broken.
        assert!(facts.anchors.has("anything"));
    }
    let link = &links("include::b.adoc[]", Format::Adoc)[0];
    assert_eq!(lead(link, "a.adoc", &names).place().unwrap().path, "b.adoc");
}

#[test]
fn many_sites_and_deep_paths() {
    let mut sites = Sites::default();
    for index in 0..5_000 {
        sites.insert(&format!("s{index}/mkdocs.yml"), "docs_dir: d\n");
    }
    let deep = "x/".repeat(60) + "a.md";
    let mut names = of_one_name(10);
    names.insert(&deep);
    names.set_sites(sites);
    let cost = |count: usize| {
        let start = Instant::now();
        for link in links(&"[x](/y.md) [z](../w.md)\n".repeat(count), Format::Markdown) {
            assert!(lead(&link, &deep, &names).place().is_some());
        }
        start.elapsed()
    };
    is_linear("sites", || cost(100), || cost(200));
}
