//! Texts that are made to flood what is known of their links, and names that many files have.
//! `tests/work` counts the instructions that such texts and trees take.

use docent_document::format::Format;
use docent_graph::facts::link_facts;
use docent_graph::lead::{Lead, lead};
use docent_graph::limits::{CANDIDATES, LINKS};
use docent_graph::link::links;
use docent_graph::names::Names;

#[test]
fn many_files_of_one_name() {
    let mut names = Names::default();
    for index in 0..10_000 {
        names.insert(&format!("d{index}/README.md"));
    }
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
