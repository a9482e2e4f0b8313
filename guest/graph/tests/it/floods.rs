//! Tests of texts that try to flood the facts about their links, and of names shared by many files.
//! `tests/fixtures/work` counts the instructions that such texts and trees take.

use docent_document::format::Format;
use docent_graph::document_links::document_links;
use docent_graph::limits::{CANDIDATES, LINKS};
use docent_graph::names::Names;
use docent_graph::read::links;
use docent_graph::resolve::{Resolution, resolve};

#[test]
fn many_files_of_one_name() {
    let mut names = Names::default();
    for index in 0..10_000 {
        names.insert(&format!("d{index}/README.md"));
    }
    let all = links("[[readme]] [[d77/README]]", Format::Markdown);
    let Resolution::Ambiguous(paths) = resolve(&all[0], "a.md", &names) else {
        panic!("one of many is not chosen");
    };
    assert_eq!(paths.len(), CANDIDATES);
    assert_eq!(
        resolve(&all[1], "a.md", &names).place().unwrap().path,
        "d77/README.md"
    );
}

#[test]
fn bombs_of_links_stay_small() {
    let many = "[a](b)\n".repeat(LINKS + 1_000);
    assert_eq!(document_links("a.md", &many).unwrap().links.len(), LINKS);
    // A reference is not multiplied by its uses.
    let uses = format!("[a]: {}\n\n{}", "x".repeat(100_000), "[a] ".repeat(20_000));
    let of_definition = document_links("a.md", &uses).unwrap();
    assert!(
        of_definition.bytes() < 40 * uses.len(),
        "{}",
        of_definition.bytes()
    );
    // Nor is an attribute by the ids that contain it.
    let long = "y".repeat(100_000);
    let adoc = format!(
        ":imagesdir: {long}\n:idprefix: {long}\n:idseparator: {long}\n\n{}",
        "== a b c\n\nimage::z[]\n\n".repeat(2_000)
    );
    let of_attributes = document_links("a.adoc", &adoc).unwrap();
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
        let facts = document_links(path, text).unwrap();
        assert_eq!(facts.links.len(), 1);
        // The anchors that it includes are unknown, and none of its links is called broken.
        assert!(facts.anchors.accepts("anything"));
    }
    let link = &links("include::b.adoc[]", Format::Adoc)[0];
    assert_eq!(
        resolve(link, "a.adoc", &names).place().unwrap().path,
        "b.adoc"
    );
}
