//! Tests of the resolution of links: by sites, labels and blocks, and those that only a program can
//! resolve.

use docent_document::format::Format;
use docent_graph::document_links::document_links;
use docent_graph::names::{Labels, Names};
use docent_graph::read::links;
use docent_graph::resolve::{Resolution, resolve};
use docent_graph::sites::Sites;

/// Returns the names of a tree, with its sites and labels.
fn names(tree: &[(&str, &str)]) -> Names {
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

/// Returns the resolution of the only link in `text` from the document `from`, and whether it is
/// broken.
fn told(tree: &[(&str, &str)], from: &str, text: &str) -> String {
    let names = names(tree);
    let all = links(text, Format::from_name(from).unwrap());
    let [link] = &all[..] else {
        panic!("{text}: {all:?}");
    };
    let lead = resolve(link, from, &names);
    let there = lead.place().map(|place| place.path.as_str());
    let target = tree.iter().find(|(path, _)| Some(*path) == there);
    let facts = target.and_then(|(path, text)| document_links(path, text));
    let is_broken = lead.is_broken(facts.as_ref().map(|facts| &facts.anchors));
    let shown = match &lead {
        Resolution::Found(place) => place.path.clone(),
        Resolution::Missing(_) => "missing".to_owned(),
        Resolution::Ambiguous(paths) => format!("several {}", paths.join(", ")),
        Resolution::All(paths) => format!("each {}", paths.join(", ")),
        Resolution::External => "external".to_owned(),
        Resolution::OutsideRoot => "outside".to_owned(),
        Resolution::Unknown => "unknown".to_owned(),
    };
    format!("{shown}{}", if is_broken { " broken" } else { "" })
}

#[track_caller]
fn check(tree: &[(&str, &str)], cases: &[(&str, &str, &str)]) {
    for (from, text, expected) in cases {
        assert_eq!(told(tree, from, text), *expected, "{from}: {text}");
    }
}

#[test]
fn places_in_documents() {
    let tree = [
        (
            "a.md",
            "# One\n\n## 사용법 {#usage}\n\ntext ^b1\n\n<a name=x></a>\n",
        ),
        ("b.rst", ".. _lab:\n\nFirst part\n==========\n"),
        ("c.adoc", "== First part\n\n[[own]]\n== Two\n"),
        ("d/a.md", "# Other\n"),
        ("e.md", "# One\n\n# One\n"),
    ];
    check(
        &tree,
        &[
            ("e.md", "[x](a.md#usage)", "a.md"),
            ("e.md", "[x](a.md#%EC%82%AC)", "a.md broken"),
            ("e.md", "[x](a#x)", "a.md"),
            ("e.md", "[x](#one-1)", "e.md"),
            ("e.md", "[x](#one-2)", "e.md broken"),
            ("e.md", "[[a]]", "several a.md, d/a.md"),
            ("e.md", "[[/a#^b1]]", "a.md"),
            ("e.md", "[[/a#^b2]]", "a.md broken"),
            ("e.md", "[[/a#사용법]]", "a.md"),
            ("e.md", "[[./a#ONE]]", "a.md"),
            ("e.md", "[[#two]]", "e.md broken"),
            ("e.md", "[x](b.rst#first-part)", "b.rst"),
            ("e.md", "[x](b.rst#second)", "b.rst broken"),
            ("b.rst", "`x <c.adoc#_first_part>`_", "c.adoc"),
            ("c.adoc", "<<own>>", "c.adoc"),
            ("c.adoc", "<<Two>>", "c.adoc"),
            ("c.adoc", "<<gone>>", "c.adoc broken"),
            ("c.adoc", "xref:own[]", "c.adoc"),
            ("c.adoc", "xref:a.md#one[]", "a.md"),
        ],
    );
}

#[test]
fn labels_of_the_tree() {
    let tree = [
        ("a.rst", ".. _Set up:\n\nSet up\n======\n\n.. _two:\n"),
        (
            "d/b.rst",
            "Text\n====\n\n.. figure:: x.png\n   :name: two\n",
        ),
    ];
    check(
        &tree,
        &[
            ("d/b.rst", ":ref:`set  UP`", "a.rst"),
            ("d/b.rst", ":ref:`shown\n<Set up>`", "a.rst"),
            ("d/b.rst", ":std:ref:`Set up`", "a.rst"),
            ("a.rst", ":numref:`two`", "several a.rst, d/b.rst"),
            ("a.rst", ":ref:`gone`", "missing broken"),
            ("a.rst", ":ref:`python:gone`", "unknown"),
            ("a.rst", ":ref:`genindex`", "unknown"),
        ],
    );
    let with_others = [("conf.py", "intersphinx_mapping = {}\n"), ("a.rst", "")];
    check(&with_others, &[("a.rst", ":ref:`gone`", "unknown")]);
    let link = &links(":ref:`gone`", Format::Rst)[0];
    assert_eq!(
        resolve(link, "a.rst", &Names::default()),
        Resolution::Unknown
    );
}

#[test]
fn sites_are_tried_behind_the_root() {
    let tree = [
        ("mkdocs.yml", "docs_dir: pages\n"),
        ("pages/index.md", "# Home\n"),
        ("pages/guide/README.md", "# Guide\n"),
        ("pages/a.md", "# A\n\n## This & that\n"),
        ("plain.md", "## This & that\n"),
        ("a.md", "# Root\n"),
        ("book/book.toml", ""),
        ("book/src/b.md", "# B\n"),
        ("book/src/c/README.md", ""),
        ("book/no/d.md", ""),
        ("web/docusaurus.config.js", ""),
        ("web/docs/x.mdx", ""),
        ("web/static/i.png", ""),
        ("plain/docs/a.md", ""),
    ];
    check(
        &tree,
        &[
            ("pages/a.md", "[x](/a.md)", "a.md"),
            ("pages/a.md", "[x](/guide/)", "pages/guide/README.md"),
            ("pages/a.md", "[x](guide/#guide)", "pages/guide/README.md"),
            (
                "pages/a.md",
                "[x](guide#no)",
                "pages/guide/README.md broken",
            ),
            ("pages/guide/README.md", "[x](../)", "pages/index.md"),
            (
                "pages/guide/README.md",
                "[x](../index.html)",
                "pages/index.md",
            ),
            ("pages/a.md", "[x](/gone/)", "missing broken"),
            ("pages/a.md", "[x](#this-that)", "pages/a.md"),
            (
                "book/src/b.md",
                "[x](../../plain.md#this-that)",
                "plain.md broken",
            ),
            ("book/src/b.md", "[x](b.html#b)", "book/src/b.md"),
            ("book/src/b.md", "[x](c/index.html)", "book/src/c/README.md"),
            ("book/src/b.md", "[x](/b.html)", "book/src/b.md"),
            ("book/no/d.md", "[x](d.html)", "missing broken"),
            ("web/docs/x.mdx", "[x](/docs/x)", "web/docs/x.mdx"),
            ("web/docs/x.mdx", "![x](/i.png)", "web/static/i.png"),
            (
                "web/docs/x.mdx",
                "![x](@site/static/i.png)",
                "web/static/i.png",
            ),
            (
                "web/docs/x.mdx",
                "![x](@site/static/j.png)",
                "missing broken",
            ),
            ("web/docs/x.mdx", "![x](/j.png)", "missing broken"),
            // A page may have any name.
            ("web/docs/x.mdx", "[x](/docs/y)", "unknown"),
            ("web/docs/x.mdx", "[x](y)", "unknown"),
            ("web/docs/x.mdx", "[x](y.md)", "missing broken"),
            ("web/docs/x.mdx", "[x](pathname:///y)", "external"),
        ],
    );
    check(
        &[
            ("d/a.md", ""),
            ("d/README.md", "# One\n"),
            ("a.html.md", ""),
        ],
        &[
            ("d/a.md", "[x](../d/)", "d"),
            ("d/a.md", "[x](../d/#one)", "d/README.md"),
            ("d/a.md", "[x](.#two)", "d/README.md broken"),
            ("a.html.md", "[x](.#two)", ""),
            ("d/a.md", "[x](README.html)", "missing broken"),
        ],
    );
    check(
        &[("doc/conf.py", ""), ("doc/a.rst", ""), ("doc/b/c.rst", "")],
        &[
            ("doc/b/c.rst", ":doc:`/a`", "doc/a.rst"),
            ("doc/b/c.rst", ":doc:`a`", "missing broken"),
        ],
    );
}

#[test]
fn what_only_a_program_knows() {
    check(
        &[
            ("a.md", ""),
            ("b.adoc", ""),
            ("{c}.md", ""),
            ("m/antora.yml", ""),
        ],
        &[
            ("a.md", "[x]({{base}}/y.md)", "unknown"),
            ("a.md", "[x](<{% link y.md %}>)", "unknown"),
            ("a.md", "[x](<{c}.md>)", "{c}.md"),
            ("b.adoc", "xref:module:page.adoc[]", "unknown"),
            ("b.adoc", "include::{dir}/x.adoc[]", "unknown"),
            ("b.adoc", "xref:gone.adoc[]", "missing broken"),
            ("m/modules/x/pages/p.adoc", "xref:gone.adoc[]", "unknown"),
            ("b.adoc", "link:https://x.org[y]", "external"),
            ("a.md", "<https://x.org>", "external"),
            ("a.md", "[x](.github/y.md)", "unknown"),
            ("a.md", "[x](./../y.md)", "outside"),
        ],
    );
}

#[test]
fn pages_are_directories_to_browsers() {
    let hugo = [
        (
            "hugo.toml",
            "baseURL = 'https://a.org/'\ndefaultContentLanguage = 'en'\n[languages.ko]\ncontentDir = 'content/ko'\n[languages.en]\ncontentDir = 'content/en'\n",
        ),
        ("content/en/_index.md", ""),
        ("content/en/docs/_index.md", ""),
        ("content/en/docs/a.md", "## S\n"),
        ("content/en/docs/b/index.md", ""),
        ("content/en/docs/b/p.png", ""),
        ("content/ko/docs/a.md", ""),
        ("static/img/i.png", ""),
    ];
    check(
        &hugo,
        &[
            (
                "content/en/docs/a.md",
                "[x](/docs/a/#s)",
                "content/en/docs/a.md",
            ),
            (
                "content/en/docs/a.md",
                "[x](/docs/a/#t)",
                "content/en/docs/a.md broken",
            ),
            (
                "content/en/docs/a.md",
                "[x](../b/)",
                "content/en/docs/b/index.md",
            ),
            (
                "content/en/docs/_index.md",
                "[x](a)",
                "content/en/docs/a.md",
            ),
            (
                "content/en/docs/a.md",
                "[x](/ko/docs/a/)",
                "content/ko/docs/a.md",
            ),
            (
                "content/en/docs/a.md",
                "![x](/img/i.png)",
                "static/img/i.png",
            ),
            (
                "content/en/docs/b/index.md",
                "![x](p.png)",
                "content/en/docs/b/p.png",
            ),
            ("content/en/docs/a.md", "[x](/tags/y/)", "unknown"),
            ("content/en/docs/a.md", "[x](/css/made.css)", "unknown"),
            ("content/en/docs/a.md", "[x](gone.md)", "missing broken"),
            ("content/en/docs/a.md", "![x](gone.png)", "missing broken"),
        ],
    );
    check(
        &[
            ("w/astro.config.mjs", "export default {\n  base: '/b',\n}"),
            ("w/src/content/docs/en/a.mdx", "## S\n"),
            ("w/src/content/docs/en/c.md", ""),
            ("w/src/pages/p.md", ""),
            ("w/public/i.svg", ""),
        ],
        &[
            (
                "w/src/content/docs/en/c.md",
                "[x](/en/a/#s)",
                "w/src/content/docs/en/a.mdx",
            ),
            (
                "w/src/content/docs/en/c.md",
                "[x](/b/en/a/)",
                "w/src/content/docs/en/a.mdx",
            ),
            (
                "w/src/content/docs/en/c.md",
                "[x](../a/)",
                "w/src/content/docs/en/a.mdx",
            ),
            ("w/src/content/docs/en/c.md", "[x](/p)", "w/src/pages/p.md"),
            (
                "w/src/content/docs/en/c.md",
                "![x](/i.svg)",
                "w/public/i.svg",
            ),
            ("w/src/content/docs/en/c.md", "[x](/en/made/)", "unknown"),
            (
                "w/src/content/docs/en/c.md",
                "[x](~/assets/i.png)",
                "unknown",
            ),
        ],
    );
}

#[test]
fn what_a_site_may_resolve_is_not_broken() {
    for (settings, text) in [
        (
            "_config.yml",
            "title: A\ncollections:\n  guides:\n    output: true\n",
        ),
        (
            "package.json",
            "{\"devDependencies\": {\"vitepress\": \"1\"}}",
        ),
        ("next.config.js", ""),
        ("gatsby-config.ts", ""),
        ("eleventy.config.mjs", ""),
        ("config/_default/hugo.yaml", "title: A"),
        ("config.toml", "base_url = \"https://a.org\""),
    ] {
        check(
            &[(settings, text), ("docs/a.md", ""), ("_guides/g.md", "")],
            &[
                ("docs/a.md", "[x](made)", "unknown"),
                ("docs/a.md", "[x](../made.html)", "unknown"),
                ("docs/a.md", "![x](/made.png)", "unknown"),
                ("docs/a.md", "[x](gone.md)", "missing broken"),
            ],
        );
    }
    check(
        &[
            ("_config.yml", "collections:\n  guides:\n    output: true\n"),
            ("a.md", ""),
            ("_guides/g.md", ""),
        ],
        &[("a.md", "[x](/guides/g.html)", "_guides/g.md")],
    );
    // The settings of other programs do not affect links.
    check(
        &[
            ("package.json", "{\"dependencies\": {\"left-pad\": \"1\"}}"),
            ("config.toml", "[a]"),
        ],
        &[
            ("a.md", "[x](made)", "missing broken"),
            ("a.md", "[x](/made.png)", "missing broken"),
            // A page of a site that nothing else describes.
            ("a.md", "---\ntitle: A\n---\n[x](made)", "unknown"),
            ("a.md", "---\ntitle: A\n---\n![x](/made.png)", "unknown"),
            ("a.md", "---\ntitle: A\n---\n[x](gone.md)", "missing broken"),
            ("a.md", "---\ntitle: A\n---\n[[gone]]", "missing broken"),
        ],
    );
}

#[test]
fn places_that_a_template_makes_are_not_known() {
    check(
        &[
            ("a.md", "## {{% heading \"x\" %}}\n"),
            ("b.md", "{{< list-of-things >}}\n"),
            (
                "c.md",
                "text {{< thing >}}\n\n{{< note >}}\n\n{{< /note >}}\n",
            ),
        ],
        &[
            ("d.md", "[x](a.md#y)", "a.md"),
            ("d.md", "[x](b.md#y)", "b.md"),
            ("d.md", "[x](c.md#y)", "c.md broken"),
        ],
    );
}

#[test]
fn what_components_and_parts_have_is_not_known() {
    check(
        &[
            ("mkdocs.yml", ""),
            ("docs/a.mdx", "<Challenges />\n"),
            ("docs/b.md", "<ApiIndex />\n\ntext\n"),
            ("docs/c.mdx", "<Tabs>\n\ntext <b>x</b>\n\n</Tabs>\n"),
            ("docs/_part/d.md", "# D\n"),
        ],
        &[
            ("docs/c.mdx", "[x](a.mdx#y)", "docs/a.mdx"),
            ("docs/c.mdx", "[x](b.md#y)", "docs/b.md"),
            ("docs/a.mdx", "[x](c.mdx#y)", "docs/c.mdx broken"),
            ("docs/_part/d.md", "[x](#y)", "unknown"),
            ("docs/c.mdx", "[[menus.main]]", "unknown"),
        ],
    );
    // Lists, and placeholders for a table of contents.
    for text in ["[[15], [15]]", "[[TOC]]", "[[_toc_]]"] {
        assert!(links(text, Format::Markdown).is_empty(), "{text}");
    }
}
