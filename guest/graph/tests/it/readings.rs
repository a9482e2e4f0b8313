//! Tests of the recognition of links, syntax by syntax, and the law of every rewrite: when the
//! document is read again, each of its links resolves to the intended target.

use std::collections::BTreeMap;

use docent_document::format::Format;
use docent_graph::link::{Link, LinkKind};
use docent_graph::names::Names;
use docent_graph::read::links;
use docent_graph::resolve::{Resolution, resolve};
use docent_graph::rewrite::{Moves, apply_rewrites};
use docent_graph::sites::Sites;
use proptest::prelude::*;

/// Checks the decoded destinations of the links in a text called `name`.
#[track_caller]
fn targets(name: &str, text: &str, expected: &[&str]) {
    let all = links(text, Format::from_name(name).unwrap());
    let found: Vec<&str> = all.iter().map(|link| link.target.as_str()).collect();
    assert_eq!(found, expected, "{text}");
}

#[test]
fn what_looks_like_a_link_and_is_none() {
    targets("a.md", "$f[[i]]$ and $$\n[[j]]\n$$ [[k]]\n", &["k"]);
    targets(
        "a.md",
        "from $5 [a](b.md) to $6 [[c]] and $HOME/[d](e.md)/$F\n",
        &["b.md", "c", "e.md"],
    );
    targets(
        "a.md",
        "%% [[a]] [b](c.md) %%\n\n%%\n[[d]]\n%%\n50%% [[e]] of 60%%\n",
        &["e"],
    );
    targets(
        "a.md",
        "[[1]] says\n\n[1]: https://a.org\n",
        &["https://a.org", "https://a.org"],
    );
    targets(
        "a.rst",
        "``:doc:`a```, ``:doc:`b``` and :doc:`c` \\`d <e>`_\n",
        &["c"],
    );
    targets(
        "a.adoc",
        "`+<<a>>+` ++<<b>>++ pass:q[<<c>>] stem:[<<d>>] <<e>> 1 + <<f>> + 2\n",
        &["#e", "#f"],
    );
    targets(
        "a.adoc",
        "video::x[youtube]\nvideo::y.mp4[]\nvideo::z[vimeo,640]\n",
        &["y.mp4"],
    );
    targets(
        "a.adoc",
        "[source]\n----\na <<b>>\n----\n\nx <<y>>\n\n |<<z>>\n\n[source,ruby]\na <<b>> c\n\n literal <<d>>\n\n* item\n  <<e>>\n\n[[f]]\n<<g>>\n",
        &["#y", "#z", "#e", "#g"],
    );
}

#[test]
fn links_of_mdx() {
    use LinkKind::{Html, HtmlSource, Inline, Path};
    let text = "import a from './a.mdx'\n\n<Card href=\"b.md\" on={() => x > 1} src='c.png'>\n  ```sh\n\
                  [no](no.md)\n\n  [no](no.md)\n  ```\n\n      [d](d.md) {x ? '[no](no.md)' : <a href=\"e.md\"/>}\n\
                </Card>\n\n{/* [no](no.md) */}\n\n[f](<f g.md>) [h]({h}.md)\n";
    let all = links(text, Format::Mdx);
    let found: Vec<(LinkKind, &str)> = all
        .iter()
        .map(|link| (link.kind, &text[link.destination.clone().unwrap()]))
        .collect();
    let expected = [
        (Path, "./a.mdx"),
        (Html, "b.md"),
        (HtmlSource, "c.png"),
        (Inline, "d.md"),
        (Html, "e.md"),
        (Inline, "f g.md"),
        (Inline, "{h}.md"),
    ];
    assert_eq!(found, expected);
}

const FILES: [&str; 10] = [
    "a.md", "b.md", "d/c.md", "d/a b.md", "i.png", "d/e.rst", "f.rst", "d/g.adoc", "h.adoc",
    "x.mdx",
];

/// Pieces of Markdown links.
const MARKDOWN: [&str; 26] = [
    "[x](a.md)",
    "[![x](i.png)](a.md)",
    "[x ![y](i.png 't') z](b.md#q)",
    "[[a]]",
    "[[b|shown]]",
    "[[c#h]] [[c]]",
    "![[i.png]]",
    "[b]",
    "[t][b] [b][]",
    "[b]: b.md",
    "[c]: <d/c.md> \"t\"",
    "<img src=\"i.png\">",
    "<a href='d/a%20b.md'>x</a>",
    "[x](<d/a b.md>)",
    "[x](d/c)",
    "`code`",
    "`",
    "text",
    "> [x](d/a%20b.md)",
    "- [x](a.md)",
    "# [h](b.md)",
    "\n",
    "\n\n",
    "[[a b]]",
    "<A b={1} href=\"a.md\"/>",
    "$x$",
];

/// Pieces of reStructuredText and AsciiDoc links.
const OTHERS: [&str; 17] = [
    ":doc:`d/e`",
    ":doc:`t <f>`",
    ":download:`i.png`",
    "`t <a.md>`_",
    ".. image:: i.png",
    ".. _l: a.md",
    ".. include:: d/e.rst",
    ".. toctree::\n\n   d/e\n   f\n",
    "``c``",
    "xref:d/g.adoc#i[t]",
    "<<h.adoc#,t>>",
    "link:a.md[t]",
    "image::i.png[]",
    "include::d/g.adoc[]",
    "text",
    "\n",
    "\n\n",
];

/// New paths, some with characters that are special in one markup or another.
const NEW: [&str; 14] = [
    "z.md",
    "d/z.md",
    "p/q r.md",
    "p/`t.md",
    "p/a_.md",
    "p/[u].md",
    "p/v#w.md",
    "p/x|y.md",
    "p/*s*.md",
    "p/<k>.md",
    "p/$m$.md",
    "p/b.md",
    "a/i (1).png",
    "p/n&amp;.md",
];

fn meant(link: &Link, from: &str, names: &Names) -> Option<String> {
    match resolve(link, from, names) {
        Resolution::Found(place) => Some(place.path),
        _ => None,
    }
}

fn with_extension(path: &str, of: &str) -> String {
    let extension = of.rsplit('.').next().unwrap_or_default();
    let stem = path.rsplit_once('.').map_or(path, |(stem, _)| stem);
    format!("{stem}.{extension}")
}

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::with_cases(4_000)
    })]

    #[test]
    fn after_a_rewrite_each_link_leads_where_it_is_meant_to(
        markdown in prop::collection::vec(prop::sample::select(MARKDOWN.to_vec()), 1..12),
        others in prop::collection::vec(prop::sample::select(OTHERS.to_vec()), 1..10),
        separator in prop::sample::select(vec![" ", "\n", "\n\n"]),
        document in prop::sample::select(vec!["a.md", "d/c.md", "x.mdx", "f.rst", "h.adoc"]),
        moving in prop::collection::vec(
            (prop::sample::select(FILES.to_vec()), prop::sample::select(NEW.to_vec())),
            1..3,
        ),
    ) {
        let mut names = Names::default();
        FILES.iter().for_each(|path| names.insert(path));
        let mut sites = Sites::default();
        sites.insert("conf.py", "");
        names.set_sites(sites);
        let mut files = BTreeMap::new();
        for (old, new) in moving {
            let new = with_extension(new, old);
            let is_free = !names.has_file(&new) && files.values().all(|other| *other != new);
            if is_free {
                files.insert(old.to_owned(), new);
            }
        }
        let format = Format::from_name(document).unwrap();
        let pieces = if format.is_markdown() { markdown } else { others };
        let text = pieces.join(separator);
        let after = names.after(&files);
        let moves = Moves::new(names.clone(), after.clone(), files.clone(), BTreeMap::new());
        let before = links(&text, format);
        let rewrites = moves.rewrites(&text, &before, document);
        let new = apply_rewrites(&text, &rewrites.all);
        let read = links(&new, format);
        prop_assert_eq!(before.len(), read.len(), "{}\n=>\n{}", text, new);
        let to = moves.new_path(document);
        for (index, (old, now)) in before.iter().zip(&read).enumerate() {
            let Some(path) = meant(old, document, &names) else { continue };
            // The use of a definition that is stuck is stuck too.
            if rewrites.stuck.contains(&index) || old.kind == LinkKind::Use && !rewrites.stuck.is_empty() {
                continue;
            }
            let expected = moves.new_path(&path).into_owned();
            prop_assert_eq!(
                meant(now, &to, &after), Some(expected),
                "{:?} of\n{}\n=>\n{}", old, text, new
            );
        }
    }
}
