//! Tests of the links of a document, their resolution, and their rewrites.

use std::collections::BTreeMap;

use docent_document::format::Format;
use docent_document::headings::heading::OPTIONS;
use docent_graph::anchors::Anchors;
use docent_graph::link::{Link, LinkKind};
use docent_graph::names::Names;
use docent_graph::read::links;
use docent_graph::resolve::{Resolution, resolve};
use docent_graph::rewrite::{Moves, RenamedSections, apply_rewrites};
use proptest::prelude::*;
use pulldown_cmark::{Event, Options, Parser, Tag};

fn format(path: &str) -> Format {
    Format::from_name(path).unwrap_or(Format::Plain)
}

#[track_caller]
fn has(name: &str, text: &str, expected: &[(LinkKind, u32, Option<&str>, &str)]) {
    let all = links(text, format(name));
    let found: Vec<_> = all
        .iter()
        .map(|link| {
            let destination = link.destination.clone().map(|range| &text[range]);
            (link.kind, link.line, destination, link.target.as_str())
        })
        .collect();
    assert_eq!(found, expected, "{text}");
}

#[test]
fn links_of_markdown() {
    use LinkKind::{Auto, Definition, Html, HtmlSource, Image, Inline, Use};
    has(
        "a.md",
        "---\ntitle: \"[no](no.md)\"\n---\n[a](b.md) and [*c* `d`\ne]( <e f.md#g> \"t\")\n\n\
         ![h](i(1).png) [j\\]](k\\_l.md 'm') [![n](o.png)](p.md)\n",
        &[
            (Inline, 4, Some("b.md"), "b.md"),
            (Inline, 5, Some("e f.md#g"), "e f.md#g"),
            (Image, 7, Some("i(1).png"), "i(1).png"),
            (Inline, 7, Some("k\\_l.md"), "k_l.md"),
            (Inline, 7, Some("p.md"), "p.md"),
            (Image, 7, Some("o.png"), "o.png"),
        ],
    );
    has(
        "a.md",
        "[a][b] [B] <https://c.d>\n\n[b]: <e f.md>\n  'g'\n> [h](i.md)\n\n<a href=\"j.md\">k</a> \
         <p>\n\n<img\n src='l.png'>\n\n[m](n&amp;o.md) [p]()\n",
        &[
            (Use, 1, None, "e f.md"),
            (Use, 1, None, "e f.md"),
            (Auto, 1, Some("https://c.d"), "https://c.d"),
            (Definition, 3, Some("e f.md"), "e f.md"),
            (Inline, 5, Some("i.md"), "i.md"),
            (Html, 7, Some("j.md"), "j.md"),
            (HtmlSource, 10, Some("l.png"), "l.png"),
            (Inline, 12, Some("n&amp;o.md"), "n&o.md"),
            (Inline, 12, Some(""), ""),
        ],
    );
    has(
        "a.md",
        "`[a](b.md)` `[[c]]`\n\n```\n[a](b.md)\n[[c]]\n```\n\n    [a](b.md)\n",
        &[],
    );
}

#[test]
fn wikilinks() {
    use LinkKind::{Embed, Image, Inline, Wiki};
    has(
        "a.md",
        "[[a]] [[dir/a#h|alias]] [[#h]] [[a#^block]] ![[a.png]] [[b](c.md)]\n\n\
         | x |\n|---|\n| [[a\\|b]] |\n",
        &[
            (Wiki, 1, Some("a"), "a"),
            (Wiki, 1, Some("dir/a#h"), "dir/a#h"),
            (Wiki, 1, Some("#h"), "#h"),
            (Wiki, 1, Some("a#^block"), "a#^block"),
            (Embed, 1, Some("a.png"), "a.png"),
            (Inline, 1, Some("c.md"), "c.md"),
            (Wiki, 5, Some("a"), "a"),
        ],
    );
    has(
        "a.md",
        "[[a]](b.md 't') ![[c]](<d e.png>) [[f]][g] [[h]](\n",
        &[
            (Inline, 1, Some("b.md"), "b.md"),
            (Image, 1, Some("d e.png"), "d e.png"),
        ],
    );
}

#[test]
fn links_of_other_markup() {
    use LinkKind::{Cross, Document, File, Included, Shown};
    has(
        "a.rst",
        ".. include:: b.txt\n\nSee :doc:`c/d` and :doc:`E <../e>`, ``:doc: no``, `f <g.rst>`_.\n\n\
         .. toctree::\n   :maxdepth: 2\n\n   h\n   I <j/k>\n   *\n\nCode::\n\n   :doc:`no`\n",
        &[
            (Included, 1, Some("b.txt"), "b.txt"),
            (Document, 3, Some("c/d"), "c/d"),
            (Document, 3, Some("../e"), "../e"),
            (File, 3, Some("g.rst"), "g.rst"),
            (Document, 8, Some("h"), "h"),
            (Document, 9, Some("j/k"), "j/k"),
        ],
    );
    has(
        "a.adoc",
        "include::b.adoc[]\n\nxref:c.adoc#d[e] <<f>> <<g.adoc#h,i>> image:j.png[]\n\n\
         image::k.png[]\n\n----\nxref:no.adoc[]\n----\n",
        &[
            (Included, 1, Some("b.adoc"), "b.adoc"),
            (Cross, 3, Some("c.adoc#d"), "c.adoc#d"),
            (Cross, 3, Some("f"), "#f"),
            (Cross, 3, Some("g.adoc#h"), "g.adoc#h"),
            (Shown, 3, Some("j.png"), "j.png"),
            (Shown, 5, Some("k.png"), "k.png"),
        ],
    );
}

fn names(paths: &[&str]) -> Names {
    let mut names = Names::default();
    paths.iter().for_each(|path| names.insert(path));
    names
}

#[test]
fn where_links_lead() {
    let names = names(&[
        "a.md",
        "d/b.md",
        "d/two words.md",
        "d/설정.md",
        "e/b.md",
        "x.png",
    ]);
    for (text, expected) in [
        ("[x](b.md)", "there d/b.md"),
        ("[x](./b#c)", "there d/b.md#c"),
        ("[x](../a.md?y=1#%EC%84%A4)", "there a.md#설"),
        ("[x](/e/b.md)", "there e/b.md"),
        ("[x](two%20words.md)", "there d/two words.md"),
        ("[x](<two words.md>)", "there d/two words.md"),
        ("[x](설정)", "there d/설정.md"),
        ("[x](../e/)", "there e"),
        ("[x](#y)", "there d/c.md#y"),
        ("[x](z.md)", "missing d/z.md"),
        ("[x](../../z.md)", "outside"),
        ("[x](https://a.md)", "external"),
        ("[[A]]", "there a.md"),
        ("[[b#Y]]", "several d/b.md, e/b.md"),
        ("[[E/b]]", "there e/b.md"),
        ("[[./b]]", "there d/b.md"),
        ("![[x.png]]", "there x.png"),
        ("[[z]]", "missing z"),
    ] {
        let all = links(text, Format::Markdown);
        let place = |place: &docent_graph::resolve::LinkTarget| match &place.fragment {
            Some(fragment) => format!("{}#{fragment}", place.path),
            None => place.path.clone(),
        };
        let found = match resolve(&all[0], "d/c.md", &names) {
            Resolution::Found(there) => format!("there {}", place(&there)),
            Resolution::Missing(missing) => format!("missing {}", place(&missing)),
            Resolution::Ambiguous(paths) => format!("several {}", paths.join(", ")),
            Resolution::All(paths) => format!("each {}", paths.join(", ")),
            Resolution::External => "external".to_owned(),
            Resolution::OutsideRoot => "outside".to_owned(),
            Resolution::Unknown => "unknown".to_owned(),
        };
        assert_eq!(found, expected, "{text}");
    }
}

/// A tree, and the files of it that move.
fn moves(paths: &[&str], files: &[(&str, &str)]) -> Moves {
    let files = files
        .iter()
        .map(|(old, new)| ((*old).to_owned(), (*new).to_owned()));
    let files: BTreeMap<String, String> = files.collect();
    let before = names(paths);
    Moves::new(before.clone(), before.after(&files), files, BTreeMap::new())
}

fn moved(moves: &Moves, from: &str, text: &str) -> String {
    let rewrites = moves.rewrites(text, &links(text, format(from)), from);
    assert_eq!(rewrites.stuck, Vec::<usize>::new(), "{text}");
    apply_rewrites(text, &rewrites.all)
}

#[test]
fn links_to_a_file_that_moves() {
    let moves = moves(
        &["a.md", "d/b.md", "d/c.md", "d/e.rst", "d/f.adoc"],
        &[("d/b.md", "two words/(b).md")],
    );
    for (from, text, expected) in [
        ("a.md", "[x](d/b.md#y)", "[x](two%20words/%28b%29.md#y)"),
        (
            "a.md",
            "[x](<d/b.md> 't')",
            "[x](<two words/%28b%29.md> 't')",
        ),
        ("a.md", "[x](./d/b)", "[x](./two%20words/%28b%29)"),
        ("d/c.md", "[x](/d/b.md?q)", "[x](/two%20words/%28b%29.md?q)"),
        ("d/c.md", "[x](./b.md)", "[x](../two%20words/%28b%29.md)"),
        (
            "d/c.md",
            "[x][y]\n\n[y]: b.md",
            "[x][y]\n\n[y]: ../two%20words/%28b%29.md",
        ),
        (
            "d/c.md",
            "<a href='b.md'>x</a>",
            "<a href='../two%20words/%28b%29.md'>x</a>",
        ),
        (
            "d/c.md",
            "[[b]] [[d/b#h|b]]",
            "[[(b)]] [[two words/(b)#h|b]]",
        ),
        ("d/c.md", "`[x](b.md)` [y](c.md)", "`[x](b.md)` [y](c.md)"),
        (
            "d/e.rst",
            ".. include:: b.md",
            ".. include:: ../two words/(b).md",
        ),
        ("d/f.adoc", "xref:b.md#c[]", "xref:../two words/(b).md#c[]"),
    ] {
        assert_eq!(moved(&moves, from, text), expected, "{from}: {text}");
    }
}

#[test]
fn links_in_a_file_that_moves() {
    let moves = moves(
        &["a.md", "d/b.md", "d/my dir/설정.md", "d/c.md"],
        &[("d/b.md", "e/f/g.md"), ("d/c.md", "e/f/c.md")],
    );
    for (text, expected) in [
        ("[x](../a.md)", "[x](../../a.md)"),
        ("[x](my%20dir/설정.md#y)", "[x](../../d/my%20dir/설정.md#y)"),
        (
            "[x](my%20dir/%EC%84%A4%EC%A0%95)",
            "[x](../../d/my%20dir/%EC%84%A4%EC%A0%95)",
        ),
        (
            "[x](c.md) [y](#z) [z](b.md#z)",
            "[x](c.md) [y](#z) [z](g.md#z)",
        ),
        (
            "[x](/a.md) [[a]] [y](https://b.md)",
            "[x](/a.md) [[a]] [y](https://b.md)",
        ),
        (
            "![x](gone.png) [y](../../out.md)",
            "![x](../../d/gone.png) [y](../../out.md)",
        ),
        ("[[./c]] [x](../d/)", "[[./c]] [x](../../d/)"),
    ] {
        assert_eq!(moved(&moves, "d/b.md", text), expected, "{text}");
    }
}

#[test]
fn what_a_name_means_after_a_move_is_looked_at() {
    // The name of one file becomes that of two, and an extension can no longer be omitted.
    let moves = moves(
        &["a.md", "d/b.md", "c"],
        &[("d/b.md", "d/a.md"), ("a.md", "c.md")],
    );
    assert_eq!(
        moved(&moves, "x.md", "[[a]] [[b]] [y](a)"),
        "[[c.md]] [[a]] [y](c.md)"
    );
    let moves = self::moves(&["a.md", "d/b.md"], &[("d/b.md", "d/a.md")]);
    assert_eq!(moved(&moves, "x.md", "[[a]] [[b]]"), "[[/a]] [[d/a]]");
}

#[test]
fn links_of_other_markup_follow() {
    let moves = moves(
        &["index.rst", "d/e.rst", "d/f.adoc", "d/g.adoc"],
        &[("d/e.rst", "h/i.rst"), ("d/f.adoc", "j.adoc")],
    );
    for (from, text, expected) in [
        (
            "index.rst",
            ":doc:`E <d/e>` :doc:`/d/e`",
            ":doc:`E <h/i>` :doc:`/h/i`",
        ),
        (
            "index.rst",
            ".. toctree::\n\n   d/e\n",
            ".. toctree::\n\n   h/i\n",
        ),
        ("d/e.rst", ".. image:: x.png", ".. image:: ../d/x.png"),
        (
            "d/g.adoc",
            "<<f.adoc#a,b>> xref:f.adoc[]",
            "<<../j.adoc#a,b>> xref:../j.adoc[]",
        ),
        ("d/f.adoc", "include::g.adoc[]", "include::d/g.adoc[]"),
    ] {
        assert_eq!(moved(&moves, from, text), expected, "{from}: {text}");
    }
}

#[test]
fn links_that_do_not_follow_stay() {
    let before = names(&["a.md", "d/b.md"]);
    let files = BTreeMap::from([("d/b.md".to_owned(), "c.md".to_owned())]);
    let moves = Moves::new(
        before.clone(),
        before.after(&files),
        BTreeMap::new(),
        BTreeMap::new(),
    );
    let text = "[x](d/b.md) [y](d/b) [[b]] [[d/b]]";
    assert_eq!(moved(&moves, "a.md", text), text);
}

#[test]
fn links_to_a_section_that_is_renamed() {
    let old = "# Set up\n## Use\n## Use\n## 설정\n## Why {#why}\n";
    let new = "# Set up\n## Run it\n## Use\n## 옵션\n## How {#why}\n";
    let of_document = RenamedSections::between("a.md", old, new).unwrap();
    let sections = BTreeMap::from([("a.md".to_owned(), of_document)]);
    let names = names(&["a.md", "b.md"]);
    let moves = Moves::new(names.clone(), names, BTreeMap::new(), sections);
    for (from, text, expected) in [
        (
            "b.md",
            "[x](a.md#use) [y](a#use-1)",
            "[x](a.md#run-it) [y](a#use)",
        ),
        (
            "a.md",
            "[x](#use) [y](#set-up)",
            "[x](#run-it) [y](#set-up)",
        ),
        (
            "b.md",
            "[x](#use) [[a#Set up#Use|z]]",
            "[x](#use) [[a#Set up#Run it|z]]",
        ),
        (
            "b.md",
            "[[a#Why]] [x](a.md#why) [[a#why|y]]",
            "[[a#How]] [x](a.md#why) [[a#How|y]]",
        ),
        ("b.md", "[x](a.md#설정)", "[x](a.md#옵션)"),
        (
            "b.md",
            "[x](a.md#%EC%84%A4%EC%A0%95)",
            "[x](a.md#%EC%98%B5%EC%85%98)",
        ),
    ] {
        assert_eq!(moved(&moves, from, text), expected, "{text}");
    }
    assert!(RenamedSections::between("a.md", old, "# Set up\n").is_none());
}

#[test]
fn sections_of_other_markup_that_are_renamed() {
    for (name, old, new, text, expected) in [
        (
            "a.adoc",
            "= Doc\n\n== Set-up now\n",
            "= Doc\n\n== Run it\n",
            "<<_set_up_now>> <<a.adoc#_set_up_now,x>> xref:set-up-now[] <<Set-up now>> <<own>>",
            "<<_run_it>> <<a.adoc#_run_it,x>> xref:run-it[] <<Run it>> <<own>>",
        ),
        (
            "a.rst",
            "Set up now\n==========\n",
            "Run it\n==========\n",
            "`x <a.rst#set-up-now>`_ :ref:`Set up now <own>`",
            "`x <a.rst#run-it>`_ :ref:`Set up now <own>`",
        ),
    ] {
        let sections = BTreeMap::from([(
            name.to_owned(),
            RenamedSections::between(name, old, new).unwrap(),
        )]);
        let names = names(&[name]);
        let moves = Moves::new(names.clone(), names, BTreeMap::new(), sections);
        assert_eq!(moved(&moves, name, text), expected);
    }
}

#[test]
fn what_is_broken() {
    let names = names(&["a.md"]);
    let anchors = Anchors::from_text("a.md", "# A\n");
    for (text, expected) in [
        ("[x](a.md)", false),
        ("[x](a.md#a)", false),
        ("[x](a.md#b)", true),
        ("[x](b.md)", true),
        ("[x](https://a.b)", false),
    ] {
        let link: &Link = &links(text, Format::Markdown)[0];
        let lead = resolve(link, "x.md", &names);
        assert_eq!(lead.is_broken(Some(&anchors)), expected, "{text}");
    }
}

/// Names of files with difficult characters.
const PATHS: [&str; 12] = [
    "a.md",
    "b.md",
    "d/a.md",
    "d/c d.md",
    "d/e/설정.md",
    "f/README.md",
    "f/g(1).md",
    "f/h&amp;.md",
    "d/x.png",
    "i.rst",
    "d/j.adoc",
    "f/k'%20\".md",
];

/// Destinations of moves.
const TARGETS: [&str; 8] = [
    "n.md",
    "d/n n.md",
    "d/e/a.md",
    "f/(n).md",
    "한/글.md",
    "o/p/q&r.md",
    "c.md",
    "d/b#1.md",
];

/// Writes a path in one of several Markdown styles, relative to `from` where the style is relative.
fn written(from: &str, to: &str, style: usize) -> String {
    let path = docent_graph::destination::relative(from, to);
    let coded = |text: &str| {
        let is_coded = |c: char| !c.is_alphanumeric() && !"/.-_".contains(c);
        docent_graph::destination::percent_encode(text, is_coded)
    };
    let stem = to.rsplit_once('/').map_or(to, |(_, name)| name);
    let stem = stem.rsplit_once('.').map_or(stem, |(stem, _)| stem);
    match style {
        0 => format!("[x]({})", coded(&path)),
        1 => format!("[x](/{}#y \"t\")", coded(to)),
        2 => format!("<a href=\"{}\">b</a>", coded(&path)),
        3 => format!("![x](./{})", coded(&path)),
        4 => format!("[[{stem}]]"),
        5 => format!("[[{}#h|s]]", to.trim_end_matches(".md")),
        6 => format!("[x]({})", coded(path.trim_end_matches(".md"))),
        7 => format!("`[x]({})`", coded(&path)),
        8 => format!("> - [*x* `]`](<{}>)", coded(&path).replace("%20", " ")),
        _ => format!("\n\n[r{}]: {}\n\n", to.len(), coded(&path)),
    }
}

/// Returns the resolutions of a document's links, in order.
fn pairs(from: &str, text: &str, names: &Names, moved: impl Fn(&str) -> String) -> Vec<String> {
    let shown = |lead: Resolution| match lead {
        Resolution::Found(place) => format!("{}#{:?}", moved(&place.path), place.fragment),
        // A broken link stays broken, or comes to resolve: neither is due to the move.
        Resolution::Missing(_) | Resolution::Ambiguous(_) | Resolution::All(_) => "?".to_owned(),
        other => format!("{other:?}"),
    };
    let all = links(text, format(from));
    all.iter()
        .map(|link| shown(resolve(link, from, names)))
        .collect()
}

proptest! {
    #[test]
    fn a_move_keeps_what_leads_where(
        links_of in proptest::collection::vec((0..PATHS.len(), 0..10usize), 0..12),
        from in 0..PATHS.len(),
        moving in proptest::collection::btree_map(0..PATHS.len(), 0..TARGETS.len(), 0..4),
    ) {
        let from = PATHS[from];
        let text: String = links_of
            .iter()
            .map(|(to, style)| written(from, PATHS[*to], *style) + " text é\n")
            .collect();
        let mut targets = std::collections::BTreeSet::new();
        let files: Vec<(&str, &str)> = moving
            .into_iter()
            .filter(|(old, new)| PATHS[*old].ends_with(".md") && targets.insert(*new))
            .map(|(old, new)| (PATHS[old], TARGETS[new]))
            .collect();
        let moves = moves(&PATHS, &files);
        let rewrites = moves.rewrites(&text, &links(&text, format(from)), from);
        let after = apply_rewrites(&text, &rewrites.all);
        let mut old = pairs(from, &text, moves.before(), |path| moves.new_path(path).into_owned());
        let mut new = pairs(&moves.new_path(from), &after, moves.after(), str::to_owned);
        prop_assert_eq!(old.len(), new.len());
        for index in 0..old.len() {
            // A broken link may resolve by the new names, and a link that cannot be rewritten is
            // reported.
            if old[index] == "?" || rewrites.stuck.contains(&index) {
                old[index].clear();
                new[index].clear();
            }
        }
        prop_assert_eq!(old, new, "{:?}\n{}\n{}", files, text, after);
        // Outside the destinations no byte changes.
        let (mut at, mut rest) = (0, after.as_str());
        for rewrite in &rewrites.all {
            let kept = &text[at..rewrite.range.start];
            prop_assert!(rest.starts_with(kept));
            rest = &rest[kept.len()..];
            prop_assert!(rest.starts_with(&rewrite.destination));
            rest = &rest[rewrite.destination.len()..];
            at = rewrite.range.end;
        }
        prop_assert_eq!(rest, &text[at..]);
    }

    #[test]
    fn no_link_is_without_a_bracket(text in "[\\]()>}!|a-c#.:/`\\\\ \n\"'=&;@é-]{0,80}") {
        let options = OPTIONS | Options::ENABLE_WIKILINKS;
        let is_link = |event: &Event<'_>| {
            let Event::Start(tag) = event else { return false };
            matches!(tag, Tag::Link { .. } | Tag::Image { .. } | Tag::HtmlBlock)
        };
        prop_assert!(!Parser::new_ext(&text, options).any(|event| is_link(&event)));
        prop_assert!(links(&text, Format::Markdown).is_empty());
    }

    #[test]
    fn any_text_has_links_in_order(text in "[\\[\\]()<>!|a-c#.:/`\\\\ \n\"'=&é-]{0,80}") {
        for name in ["a.md", "a.rst", "a.adoc"] {
            let mut start = 0;
            for link in links(&text, format(name)) {
                prop_assert!(link.span.start >= start && link.span.end <= text.len());
                start = link.span.start;
                if let Some(range) = link.destination {
                    prop_assert!(text.get(range).is_some());
                }
            }
        }
    }
}
