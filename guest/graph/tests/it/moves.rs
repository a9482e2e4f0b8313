//! Tests of moving files and directories, syntax by syntax.

use std::collections::BTreeMap;

use docent_document::format::Format;
use docent_graph::names::Names;
use docent_graph::read::links;
use docent_graph::rewrite::{Moves, apply_rewrites};
use docent_graph::sites::Sites;

/// A tree of files, some with the settings of a site as their text.
type Tree<'t> = &'t [(&'t str, &'t str)];

/// Returns the moves of `moving`, in which directories end with a `/`.
fn moves(tree: Tree<'_>, moving: &[(&str, &str)]) -> Moves {
    let (mut names, mut sites) = (Names::default(), Sites::default());
    for (path, text) in tree {
        names.insert(path);
        sites.insert(path, text);
    }
    names.set_sites(sites);
    let (mut files, mut directories) = (BTreeMap::new(), BTreeMap::new());
    for (old, new) in moving {
        let Some(directory) = old.strip_suffix('/') else {
            files.insert((*old).to_owned(), (*new).to_owned());
            continue;
        };
        directories.insert(directory.to_owned(), new.trim_end_matches('/').to_owned());
        for (path, _) in tree.iter().filter(|(path, _)| path.starts_with(old)) {
            files.insert((*path).to_owned(), path.replacen(old, new, 1));
        }
    }
    let after = names.after(&files);
    Moves::new(names, after, files, BTreeMap::new()).with_directories(directories)
}

/// Checks the result of a move for each line of the document `from`: unchanged, or the text after
/// `=>`. A line with `=!` cannot be rewritten.
#[track_caller]
fn check(tree: Tree<'_>, moving: &[(&str, &str)], from: &str, lines: &str) {
    let moves = moves(tree, moving);
    let format = Format::from_name(from).unwrap();
    for line in lines.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let (text, expected) = line.split_once(" => ").unwrap_or((line, line));
        let (text, expected, is_stuck) = match text.strip_suffix(" =!") {
            Some(text) => (text, text, true),
            None => (text, expected, false),
        };
        let (text, expected) = (text.replace('~', "\n"), expected.replace('~', "\n"));
        let rewrites = moves.rewrites(&text, &links(&text, format), from);
        assert_eq!(
            apply_rewrites(&text, &rewrites.all),
            expected,
            "{from}: {text}"
        );
        assert_eq!(!rewrites.stuck.is_empty(), is_stuck, "{from}: {text}");
    }
}

const FILES: Tree<'_> = &[
    ("old.md", ""),
    ("other.md", ""),
    ("cat.png", ""),
    ("dog.png", ""),
    ("doc.md", ""),
    ("old/a.md", ""),
    ("old/b.md", ""),
    ("old/doc.md", ""),
    ("old/sub/doc.md", ""),
    ("sub/doc.md", ""),
    ("sub/other.md", ""),
];

/// Holds for the cases that Visual Studio Code's editor has for renaming files, reworded.
#[test]
fn what_editors_expect_of_a_file() {
    check(
        FILES,
        &[("old.md", "new.md")],
        "doc.md",
        "[a](/old.md) => [a](/new.md)
         [a](old.md) => [a](new.md)
         [a](./old.md) => [a](./new.md)
         [x]: ./old.md => [x]: ./new.md
         [a](/other.md)
         [x]: ./other.md
         [a](/old.md#part) => [a](/new.md#part)
         [x]: ./old.md#part => [x]: ./new.md#part
         [a](<old.md#part> 'title') => [a](<new.md#part> 'title')
         [t~t](old.md#p 't') => [t~t](new.md#p 't')
         [~t~](~old.md~) => [~t~](~new.md~)",
    );
    check(
        FILES,
        &[("old.md", "new with blank.md")],
        "doc.md",
        "[a](/old.md) => [a](/new%20with%20blank.md)
         [a](</old.md>) => [a](</new with blank.md>)
         [x]: <old.md#p> 't' => [x]: <new with blank.md#p> 't'
         [x]: ./old.md => [x]: ./new%20with%20blank.md",
    );
    check(
        FILES,
        &[("old.md", "<a>.md")],
        "doc.md",
        "[a](<old.md>) => [a](<%3Ca%3E.md>)
         [a](old.md) => [a](%3Ca%3E.md)",
    );
    check(
        FILES,
        &[("cat.png", "kitty.png"), ("dog.png", "hot/doggo.png")],
        "doc.md",
        "![c](/cat.png) ![d](dog.png) => ![c](/kitty.png) ![d](hot/doggo.png)
         [c]: ./cat.png => [c]: ./kitty.png
         <img src=\"./dog.png\"> => <img src=\"./hot/doggo.png\">",
    );
    // No `./../`.
    check(
        FILES,
        &[("sub/other.md", "other2.md")],
        "sub/doc.md",
        "[a](./other.md) [b](other) [c](/sub/other.md) => [a](../other2.md) [b](../other2) [c](/other2.md)",
    );
}

#[test]
fn links_within_links_follow() {
    check(
        FILES,
        &[("cat.png", "p/cat.png"), ("old.md", "p/new.md")],
        "doc.md",
        "[![c](cat.png)](cat.png) => [![c](p/cat.png)](p/cat.png)
         x [a ![c](cat.png 't') ![d](dog.png)](old.md#q) => x [a ![c](p/cat.png 't') ![d](dog.png)](p/new.md#q)
         ![a [b](old.md) ![c](cat.png)](cat.png) => ![a [b](p/new.md) ![c](p/cat.png)](p/cat.png)
         [<img src=\"cat.png\">](old.md) => [<img src=\"p/cat.png\">](p/new.md)
         [![c][x]](old.md)~~[x]: cat.png => [![c][x]](p/new.md)~~[x]: p/cat.png
         ![![[cat.png]]](cat.png) => ![![[cat.png]]](p/cat.png)",
    );
    check(
        FILES,
        &[("doc.md", "sub/a.md")],
        "doc.md",
        "[![c](cat.png)](other.md) [![d](dog.png)](doc.md) => [![c](../cat.png)](../other.md) [![d](../dog.png)](a.md)",
    );
}

#[test]
fn names_that_mean_something_where_they_come_to_stand() {
    check(
        FILES,
        &[("cat.png", "p/two words.png")],
        "doc.rst",
        ".. image:: cat.png => .. image:: p/two\\ words.png
         .. figure:: ./cat.png => .. figure:: ./p/two\\ words.png
         `t <cat.png>`_ => `t <p/two\\ words.png>`_
         .. _t: cat.png => .. _t: p/two\\ words.png
         :download:`cat.png` => :download:`p/two words.png`",
    );
    check(
        &[("two words.png", ""), ("doc.rst", "")],
        &[("two words.png", "cat.png")],
        "doc.rst",
        ".. image:: two\\ words.png => .. image:: cat.png",
    );
    check(
        FILES,
        &[("other.md", "p/b`c.md")],
        "doc.md",
        "[a](other.md) => [a](p/b%60c.md)
         [[/other]] =!",
    );
    // Together they would be code.
    check(
        FILES,
        &[("old.md", "p/b`c.md")],
        "doc.md",
        "[[/old]] and [[/old|x]] =!",
    );
}

#[test]
fn properties_and_definitions_follow() {
    check(
        FILES,
        &[("cat.png", "p/kitty.png"), ("sub/other.md", "new.md")],
        "doc.md",
        "---~up: \"[[sub/other|x]]\"~all:~  - '[[cat.png]]'~---~[[sub/other]] => ---~up: \"[[new|x]]\"~all:~  - '[[kitty.png]]'~---~[[new]]
         [[x]] [x] [y][x]~~[x]: sub/other.md => [[x]] [x] [y][x]~~[x]: new.md",
    );
}

#[test]
fn what_editors_expect_of_a_document_that_moves() {
    check(
        FILES,
        &[("doc.md", "sub/new.md")],
        "doc.md",
        "[a](/other.md#p)
         [a](other.md#p) => [a](../other.md#p)
         [a](./other#p) => [a](../other#p)
         [a](#p)
         [a](doc.md#p) => [a](new.md#p)
         [a](./doc.md#p) => [a](./new.md#p)
         [x]: #p",
    );
    check(
        FILES,
        &[("doc.md", "sub/new.md"), ("cat.png", "sub/kitty.png")],
        "doc.md",
        "[a](cat.png) [b](./cat.png) => [a](kitty.png) [b](./kitty.png)",
    );
}

#[test]
fn what_editors_expect_of_a_directory() {
    check(
        FILES,
        &[("old/", "new/")],
        "doc.md",
        "[a](/old/a.md) [b](old/b.md) [c](./old/a) => [a](/new/a.md) [b](new/b.md) [c](./new/a)
         [a](old.md) [b](/other.md)
         [a](old/) [b](./old) [c](/old/sub) => [a](new/) [b](./new) [c](/new/sub)
         [a](old/gone.md) [b](/old/gone.md)",
    );
    check(
        FILES,
        &[("old/", "new/")],
        "old/doc.md",
        "[a](a.md) [b](./b.md) [c](../other.md) [d](gone.md)
         [a](/old/a.md) [b](../old/b.md) => [a](/new/a.md) [b](b.md)
         [a](../old/) [b](/old) => [a](../new/) [b](/new)",
    );
    check(
        FILES,
        &[("old/", "new/deep/")],
        "old/sub/doc.md",
        "[a](../a.md) [b](..) [c](./doc.md) [d](../gone.md)
         [a](../../other.md) => [a](../../../other.md)
         [a](/old/sub/) => [a](/new/deep/sub/)",
    );
    check(
        FILES,
        &[("old/", "new/old/")],
        "old/doc.md",
        "[a](../old/) [b](../old/a.md) [c](#p)
         [a](/old/a.md) [b](../other.md) => [a](/new/old/a.md) [b](../../other.md)",
    );
    check(
        FILES,
        &[("old/", "par(en/")],
        "old/doc.md",
        "[a](../old/a.md) [b](/old/) => [a](a.md) [b](/par%28en/)",
    );
}

#[test]
fn wikilinks_follow_only_where_they_have_to() {
    check(
        FILES,
        &[("old/", "new/")],
        "doc.md",
        "[[a]] [[b#x|y]] ![[a]]
         [[old/a]] [[/old/a]] => [[new/a]] [[/new/a]]
         [[./old/a#x]] => [[./new/a#x]]",
    );
    check(
        FILES,
        &[("old/", "new/")],
        "old/doc.md",
        "[[./a]] [[../other]]",
    );
    check(
        FILES,
        &[("old/a.md", "x[1].md")],
        "doc.md",
        "[[a]] =!
         [a](old/a.md) => [a](x%5B1%5D.md)",
    );
}

#[test]
fn other_markup_follows_a_directory() {
    let tree: Tree<'_> = &[
        ("index.rst", ""),
        ("old/a.rst", ""),
        ("old/b.rst", ""),
        ("old/x.png", ""),
        ("old/c.adoc", ""),
        ("d.adoc", ""),
    ];
    let moving = &[("old/", "new/")];
    check(
        tree,
        moving,
        "index.rst",
        ":doc:`old/a` :doc:`T </old/a>` => :doc:`new/a` :doc:`T </new/a>`
         .. toctree::~~   old/a~   T <old/b> => .. toctree::~~   new/a~   T <new/b>
         .. include:: old/a.rst => .. include:: new/a.rst
         .. |i| image:: /old/x.png => .. |i| image:: /new/x.png
         .. figure:: old/x.png~   :target: old/a.rst => .. figure:: new/x.png~   :target: new/a.rst
         .. _name: old/a.rst => .. _name: new/a.rst
         :ref:`old/a`
         see `T~<old/a.rst#x>`_ => see `T~<new/a.rst#x>`_",
    );
    check(tree, moving, "old/a.rst", ":doc:`b` .. image:: x.png");
    check(
        tree,
        moving,
        "d.adoc",
        "xref:old/c.adoc#x[] <<old/c.adoc#y,z>> => xref:new/c.adoc#x[] <<new/c.adoc#y,z>>
         include::old/c.adoc[] => include::new/c.adoc[]
         image::old/x.png[] => image::new/x.png[]
         link:old/c.adoc[a] => link:new/c.adoc[a]
         <<here>> xref:here[]
         :imagesdir: old~~image::x.png[] =!",
    );
}

#[test]
fn names_that_a_link_cannot_hold_are_left_and_told() {
    let tree: Tree<'_> = &[("a.rst", ""), ("b.rst", ""), ("c.adoc", "")];
    check(
        tree,
        &[("a.rst", "x`<y>.rst"), ("c.adoc", "z[1],2.adoc")],
        "b.rst",
        ":doc:`a` =!
         `t <a.rst>`_ =!",
    );
    check(
        tree,
        &[("a.rst", "two words.rst")],
        "b.rst",
        "`t <a.rst>`_ => `t <two\\ words.rst>`_",
    );
    check(
        &[("c.adoc", ""), ("d.adoc", "")],
        &[("c.adoc", "z[1],2.adoc")],
        "d.adoc",
        "xref:c.adoc[] =!
         <<c.adoc#x>> =!",
    );
}

const SITE: Tree<'_> = &[
    ("web/docusaurus.config.js", "x = { docs: { path: 'docs' } }"),
    ("web/docs/guide/index.md", ""),
    ("web/docs/guide/a.mdx", ""),
    ("web/docs/b.md", ""),
    ("web/static/img/x.png", ""),
    ("README.md", ""),
];

#[test]
fn links_of_a_site_keep_their_style() {
    check(
        SITE,
        &[("web/docs/guide/", "web/docs/new/")],
        "web/docs/b.md",
        "[a](/docs/guide/a) => [a](/docs/new/a)
         [a](/docs/guide/) => [a](/docs/new/)
         [a](@site/docs/guide/a.mdx) => [a](@site/docs/new/a.mdx)
         [a](guide/) [b](./guide/a.mdx) => [a](new/) [b](./new/a.mdx)
         [a](guide/a.html#x) => [a](new/a.html#x)
         ![x](/img/x.png)",
    );
    check(
        SITE,
        &[("web/static/img/x.png", "web/static/pic/y.png")],
        "web/docs/b.md",
        "![x](/img/x.png) ![y](@site/static/img/x.png) => ![x](/pic/y.png) ![y](@site/static/pic/y.png)",
    );
    check(
        SITE,
        &[("web/docs/guide/index.md", "web/docs/start.md")],
        "web/docs/b.md",
        "[a](/docs/guide/) [b](guide) => [a](/docs/start/) [b](start)",
    );
    // Where it leaves the site, only the root is left.
    check(
        SITE,
        &[("web/docs/guide/a.mdx", "c.mdx")],
        "web/docs/b.md",
        "[a](/docs/guide/a) [b](@site/docs/guide/a.mdx) => [a](/c) [b](../../c.mdx)",
    );
    // The whole site.
    check(
        SITE,
        &[("web/", "site/")],
        "web/docs/b.md",
        "[a](/docs/guide/a) ![x](/img/x.png) [b](@site/docs/b.md)
         [a](/web/docs/b.md) => [a](/site/docs/b.md)",
    );
    check(
        SITE,
        &[("web/", "site/")],
        "README.md",
        "[a](web/docs/b.md) [b](/web/docs) => [a](site/docs/b.md) [b](/site/docs)",
    );
}

const PATHS: Tree<'_> = &[
    ("old.md", ""),
    ("d/c.png", ""),
    ("d/page.md", ""),
    ("p/part.mdx", ""),
];

#[test]
fn values_of_front_matter_follow_where_a_file_is_there() {
    let moving = &[("old.md", "e/new.md"), ("d/c.png", "c.png")];
    check(
        PATHS,
        moving,
        "d/page.md",
        "
        ---~next: ../old.md~---~ => ---~next: ../e/new.md~---~
        ---~image: './c.png'~---~[x](y) => ---~image: '../c.png'~---~[x](y)
        ---~next: old.md~---~ => ---~next: old.md~---~
        ---~title: ../old.md~---~ => ---~title: ../old.md~---~
        ---~next: ../old~---~ => ---~next: ../old~---~
        ",
    );
    check(
        PATHS,
        &[("d/page.md", "page.md")],
        "d/page.md",
        "
        ---~image: c.png~no: gone.png~---~ => ---~image: d/c.png~no: gone.png~---~
        ",
    );
}

#[test]
fn shortcodes_of_hugo_follow() {
    check(
        PATHS,
        &[("old.md", "e/new.md")],
        "d/page.md",
        "
        {{< ref \"../old.md\" >}} => {{< ref \"../e/new.md\" >}}
        [a]({{% relref '../old.md#b' %}}) => [a]({{% relref '../e/new.md#b' %}})
        {{< relref \"/old.md\" >}} [b](../old.md) => {{< relref \"/e/new.md\" >}} [b](../e/new.md)
        {{< relref \"old.md\" >}} => {{< relref \"old.md\" >}}
        ",
    );
}

#[test]
fn imports_of_mdx_follow_with_their_dots() {
    check(
        PATHS,
        &[("p/part.mdx", "q/other.mdx")],
        "d/a.mdx",
        "
        import P from '../p/part.mdx'~~<P /> => import P from '../q/other.mdx'~~<P />
        import P from '../p/gone.mdx'~~<P /> => import P from '../p/gone.mdx'~~<P />
        import P from 'p/part.mdx'~~<P /> => import P from 'p/part.mdx'~~<P />
        ",
    );
    check(
        PATHS,
        &[("p/part.mdx", "d/part.mdx")],
        "d/a.mdx",
        "
        import P from '../p/part.mdx'~~# A => import P from './part.mdx'~~# A
        ",
    );
}
