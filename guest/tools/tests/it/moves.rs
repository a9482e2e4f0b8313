//! Moves of files and directories: all of them or none, with their links, and reversible.

use std::collections::{BTreeMap, BTreeSet};

use docent_api::types::ErrorCode;
use docent_api::writing::{ChangeAnswer, ChangeOptions, Edit, ManageCommand};
use docent_graph::document_links::{DocumentLinks, document_links};
use docent_graph::names::{Labels, Names};
use docent_graph::resolve::{Resolution, resolve};
use docent_graph::sites::Sites;
use docent_tools::{Docent, NO_CHANGE_OPTIONS, NO_EDIT, ToolSettings};
use docent_tree::disk::{Directory as _, Disk as _, Kind, OpenFile as _};
use docent_tree::memory::{MemoryDirectory, MemoryDisk};
use proptest::prelude::*;

fn disk(files: &[(&str, &str)]) -> MemoryDisk {
    let disk = MemoryDisk::with_files(files);
    disk.set_writable("docs");
    disk.grant_state();
    disk
}

fn docent(disk: &MemoryDisk) -> Docent<MemoryDisk> {
    Docent::new(disk.clone(), ToolSettings::default())
}

fn moving(path: &str, to: &str) -> Edit {
    Edit {
        path: Some(path.to_owned()),
        move_: Some(to.to_owned()),
        ..NO_EDIT
    }
}

fn options(dry_run: bool, transaction: bool) -> Option<ChangeOptions> {
    Some(ChangeOptions {
        dry_run: Some(dry_run),
        transaction: Some(transaction),
        ..NO_CHANGE_OPTIONS
    })
}

fn apply(disk: &MemoryDisk, edits: Vec<Edit>) -> ChangeAnswer {
    docent(disk).change(edits, options(false, true)).unwrap()
}

/// Returns the content of the root: the texts of files, and directories with a trailing `/`.
fn tree(disk: &MemoryDisk) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    gather(&disk.open_root(0).unwrap(), "", &mut found);
    found
}

fn gather(directory: &MemoryDirectory, above: &str, found: &mut BTreeMap<String, String>) {
    for entry in directory.entries().unwrap().named {
        let path = format!("{above}{}", entry.name);
        if entry.kind == Kind::Directory {
            let below = directory.open_directory(&entry.name).unwrap();
            gather(&below, &format!("{path}/"), found);
            found.insert(format!("{path}/"), String::new());
        } else {
            let file = directory.open_file(&entry.name).unwrap();
            let bytes = file.read_all(1 << 20).unwrap();
            found.insert(path, String::from_utf8(bytes).unwrap());
        }
    }
}

const GUIDE: [(&str, &str); 8] = [
    (
        "index.md",
        "[a](guide/a.md#two) [d](guide/) [[b]] ![x](./guide/img/x%20y.png)\n",
    ),
    (
        "guide/a.md",
        "# One\n\n## Two\n\n[b](sub/b.md) [i](../index.md) [g](/guide/a.md)\n",
    ),
    (
        "guide/sub/b.md",
        "[a](../a) [x](../img/x%20y.png) [gone](../gone.md)\n",
    ),
    ("guide/img/x y.png", "\u{1}"),
    ("guide/c.rst", ":doc:`/guide/d`\n"),
    ("guide/d.rst", ":doc:`c`\n"),
    ("e.rst", ".. toctree::\n\n   guide/c\n   guide/d\n"),
    ("f.adoc", "xref:guide/a.md#two[]\ninclude::guide/c.rst[]\n"),
];

#[test]
fn a_dry_run_says_which_broken_links_it_mends() {
    let disk = disk(&[
        (
            "a.md",
            "# A\n\n## Setup\n\n[one](gone.md) [two](b.md#no) [three](lost.md)\n",
        ),
        ("b.md", "# B\n\n## Yes\n\n[a](a.md#setpu)\n"),
        ("c/d.md", "[new](../later.md) [other](../never.md)\n"),
    ]);
    let replaced = |path: &str, old: &str, new: &str| Edit {
        path: Some(path.to_owned()),
        old_text: Some(old.to_owned()),
        new_text: Some(new.to_owned()),
        ..NO_EDIT
    };
    let created = Edit {
        diff: Some("--- /dev/null\n+++ b/later.md\n@@ -0,0 +1 @@\n+# Later\n".to_owned()),
        ..NO_EDIT
    };
    let mended = |edits: Vec<Edit>| {
        let shown = docent(&disk).change(edits, options(true, true)).unwrap();
        let links = shown.impact.map(|impact| impact.mended.links);
        let told = links.into_iter().flatten();
        told.map(|link| format!("{}:{} {}", link.path, link.line, link.text))
            .collect::<Vec<String>>()
    };
    for (edits, expected) in [
        (
            vec![replaced("a.md", "gone.md", "c/d.md")],
            &["a.md:5 [one](gone.md)"][..],
        ),
        (
            vec![replaced("a.md", "b.md#no", "b.md#yes")],
            &["a.md:5 [two](b.md#no)"],
        ),
        (vec![replaced("b.md", "## Yes", "## No")], &[]),
        (vec![created], &["c/d.md:1 [new](../later.md)"]),
        (
            vec![moving("b.md", "lost.md")],
            &["a.md:5 [three](lost.md)"],
        ),
        // Links that are removed, or are still broken, are not fixed.
        (vec![replaced("a.md", "[one](gone.md) ", "")], &[]),
        (vec![replaced("a.md", "gone.md", "elsewhere.md")], &[]),
        (vec![replaced("a.md", "# A", "# B")], &[]),
    ] {
        let what = format!("{edits:?}");
        assert_eq!(mended(edits), expected, "{what}");
    }
}

#[test]
fn a_directory_moves_with_all_that_links_to_it() {
    let disk = disk(&GUIDE);
    let before = tree(&disk);
    let edits = || vec![moving("guide/", "book/manual")];
    let shown = docent(&disk).change(edits(), options(true, true)).unwrap();
    assert_eq!(tree(&disk), before);
    let moved: Vec<(&str, &str)> = shown
        .files
        .iter()
        .filter_map(|file| Some((file.path.as_str(), file.moved_to.as_deref()?)))
        .collect();
    assert_eq!(
        moved,
        [
            ("guide/a.md", "book/manual/a.md"),
            ("guide/c.rst", "book/manual/c.rst"),
            ("guide/d.rst", "book/manual/d.rst"),
            ("guide/img/x y.png", "book/manual/img/x y.png"),
            ("guide/sub/b.md", "book/manual/sub/b.md"),
        ]
    );
    let told = shown.impact.unwrap();
    // Links within the directory are not affected.
    let incoming: BTreeSet<&str> = told.incoming.links.iter().map(|link| &*link.path).collect();
    assert_eq!(incoming, BTreeSet::from(["e.rst", "f.adoc", "index.md"]));
    let outgoing: Vec<&str> = told.outgoing.links.iter().map(|link| &*link.path).collect();
    assert_eq!(outgoing, ["guide/a.md"]);
    assert!(told.broken.links.is_empty(), "{:?}", told.broken.links);

    let applied = apply(&disk, edits());
    assert!(applied.applied);
    let after = tree(&disk);
    let text = |path: &str| after[path].as_str();
    assert_eq!(
        text("index.md"),
        "[a](book/manual/a.md#two) [d](book/manual/) [[b]] ![x](./book/manual/img/x%20y.png)\n"
    );
    assert_eq!(
        text("book/manual/a.md"),
        "# One\n\n## Two\n\n[b](sub/b.md) [i](../../index.md) [g](/book/manual/a.md)\n"
    );
    assert_eq!(text("book/manual/sub/b.md"), GUIDE[2].1);
    assert_eq!(text("book/manual/c.rst"), ":doc:`/book/manual/d`\n");
    assert_eq!(text("book/manual/d.rst"), GUIDE[5].1);
    assert_eq!(
        text("e.rst"),
        ".. toctree::\n\n   book/manual/c\n   book/manual/d\n"
    );
    assert_eq!(
        text("f.adoc"),
        "xref:book/manual/a.md#two[]\ninclude::book/manual/c.rst[]\n"
    );
    assert!(
        !after.keys().any(|path| path.starts_with("guide/")),
        "{after:?}"
    );

    let mut docent = docent(&disk);
    docent.manage(ManageCommand::Undo, None).unwrap();
    assert_eq!(tree(&disk), before);
    docent.manage(ManageCommand::Redo, None).unwrap();
    assert_eq!(tree(&disk), after);
}

#[test]
fn what_is_not_shown_stays_with_its_directory() {
    let disk = disk(&[
        ("old/a.md", "x\n"),
        ("old/sub/b.md", "x\n"),
        ("old/sub/.keep", ""),
        ("old/.gitignore", "*.log\n"),
        ("old/c.log", "x\n"),
    ]);
    let before = tree(&disk);
    let answer = apply(&disk, vec![moving("old", "new")]);
    assert!(
        answer.warnings[0].contains("directories in `old` stay"),
        "{:?}",
        answer.warnings
    );
    let after: Vec<String> = tree(&disk).into_keys().collect();
    assert_eq!(
        after,
        [
            "new/",
            "new/a.md",
            "new/sub/",
            "new/sub/b.md",
            "old/",
            "old/.gitignore",
            "old/c.log",
            "old/sub/",
            "old/sub/.keep",
        ]
    );
    docent(&disk).manage(ManageCommand::Undo, None).unwrap();
    assert_eq!(tree(&disk), before);
}

#[test]
fn each_file_of_a_directory_can_stand_for_itself() {
    let disk = disk(&GUIDE);
    let edits = vec![moving("guide", "manual")];
    let answer = docent(&disk).change(edits, options(false, false)).unwrap();
    assert!(
        answer.files.iter().all(|file| file.applied),
        "{:?}",
        answer.refused
    );
    assert!(!tree(&disk).keys().any(|path| path.starts_with("guide/")));
}

#[test]
fn links_stay_where_that_is_asked_for() {
    let disk = disk(&GUIDE);
    let edit = Edit {
        update_links: Some(false),
        ..moving("guide", "manual")
    };
    let answer = apply(&disk, vec![edit]);
    let after = tree(&disk);
    assert_eq!(after["index.md"], GUIDE[0].1);
    assert_eq!(after["manual/a.md"], GUIDE[1].1);
    assert_eq!(answer.warnings.len(), 1, "{:?}", answer.warnings);
    let broken = answer.impact.unwrap().broken;
    assert!(
        broken.links.iter().any(|link| link.text == "[d](guide/)"),
        "{broken:?}"
    );
}

#[test]
fn a_file_of_a_directory_that_moves_can_be_edited_by_its_old_path() {
    let disk = disk(&GUIDE);
    let edit = Edit {
        path: Some("guide/a.md".to_owned()),
        old_text: Some("# One".to_owned()),
        new_text: Some("# First".to_owned()),
        ..NO_EDIT
    };
    apply(&disk, vec![edit, moving("guide", "manual")]);
    assert!(tree(&disk)["manual/a.md"].starts_with("# First\n\n## Two\n\n[b](sub/b.md)"));
}

#[test]
fn directories_that_cannot_move() {
    let disk = disk(&[
        ("a/b.md", "x\n"),
        ("a/c/d.md", "x\n"),
        ("e/.hidden", "x"),
        ("f.md", "x\n"),
        ("g/h.md", "x\n"),
    ]);
    let before = tree(&disk);
    for (path, to, code, said) in [
        ("a", "a/x", ErrorCode::InvalidRequest, "inside it"),
        ("a", "a", ErrorCode::InvalidRequest, "inside it"),
        ("a", "g", ErrorCode::DocumentExists, "already exists"),
        ("a", "f.md", ErrorCode::DocumentExists, "already exists"),
        ("e", "x", ErrorCode::InvalidRequest, "holds no file"),
        ("a", ".x", ErrorCode::InvalidPath, "hidden"),
        ("f.md/", "x.md", ErrorCode::InvalidPath, "that of a file"),
        ("f.md", "x/", ErrorCode::InvalidPath, "that of a file"),
        ("gone/", "x/", ErrorCode::InvalidPath, "that of a file"),
        ("", "x", ErrorCode::InvalidPath, "that of a file"),
    ] {
        let error = docent(&disk)
            .change(vec![moving(path, to)], options(false, true))
            .unwrap_err();
        assert_eq!(error.code, code, "{path} {to}: {error:?}");
        assert!(error.message.contains(said), "{path} {to}: {error:?}");
    }
    assert_eq!(tree(&disk), before);
}

/// Names of files that are difficult in various ways.
const PATHS: [&str; 12] = [
    "a.md",
    "b.md",
    "d/a.md",
    "d/c d.md",
    "d/e/설정.md",
    "d/e/README.md",
    "f/g(1).md",
    "f/h&amp;.md",
    "d/x.png",
    "i.rst",
    "d/j.adoc",
    "f/k.rst",
];

/// Moved paths, and their destinations.
const MOVES: [(&str, &str); 8] = [
    ("d", "n"),
    ("d/e", "e"),
    ("d/e", "f/deep/er"),
    ("f", "d/f f"),
    ("a.md", "d/e/a.md"),
    ("d/c d.md", "c.md"),
    ("i.rst", "x/i.rst"),
    ("f/k.rst", "k.rst"),
];

/// Returns a line that links from one document to a path.
fn line(from: &str, to: &str, style: usize) -> String {
    let path = docent_graph::destination::relative(from, to);
    let is_coded = |c: char| !c.is_alphanumeric() && !"/.-_".contains(c);
    let coded = |text: &str| docent_graph::destination::percent_encode(text, is_coded);
    let stem = |text: &str| {
        text.rsplit_once('.')
            .map_or(text.to_owned(), |(stem, _)| stem.to_owned())
    };
    let directory = to.rsplit_once('/').map_or("", |(directory, _)| directory);
    if from.ends_with(".rst") {
        return match style % 3 {
            0 => format!(":doc:`x <{}>`\n", stem(&path)),
            1 => format!(".. include:: /{to}\n"),
            _ => format!(".. image:: {path}\n"),
        };
    }
    if from.ends_with(".adoc") {
        return format!("xref:{path}#one[] image:{path}[]\n");
    }
    match style {
        0 => format!("[x]({}#one)\n", coded(&path)),
        1 => format!("[x](/{} \"t\")\n", coded(to)),
        2 => format!("<img src=\"{}\">\n", coded(&path)),
        3 => format!("![x](<./{}>)\n", coded(&path).replace("%20", " ")),
        4 => format!("[[{}]]\n", stem(to)),
        5 => format!("[x]({})\n", coded(&stem(&path))),
        6 => format!("[x](/{})\n", coded(directory)),
        _ => format!("\n[r{style}]: {}\n", coded(&path)),
    }
}

/// Returns the targets of all links of the root: documents, with the targets of their links in
/// order, or `?` for broken ones.
fn pairs(texts: &BTreeMap<String, String>) -> BTreeMap<String, Vec<String>> {
    let (mut names, mut sites, mut labels) =
        (Names::default(), Sites::default(), Labels::default());
    let mut facts: BTreeMap<&str, DocumentLinks> = BTreeMap::new();
    for (path, text) in texts.iter().filter(|(path, _)| !path.ends_with('/')) {
        names.insert(path);
        sites.insert(path, text);
        if let Some(own) = document_links(path, text) {
            labels.insert(path, &own.labels);
            facts.insert(path, own);
        }
    }
    names.set_sites(sites);
    names.set_labels(labels);
    let of = |path: &str, own: &DocumentLinks| {
        let shown = own.links.iter().map(|link| {
            let lead = resolve(link, path, &names);
            let there = lead
                .place()
                .and_then(|place| facts.get(place.path.as_str()));
            if lead.is_broken(there.map(|facts| &facts.anchors)) {
                return "?".to_owned();
            }
            match lead {
                Resolution::Found(place) => format!("{}#{:?}", place.path, place.fragment),
                other => format!("{other:?}"),
            }
        });
        shown.collect()
    };
    facts
        .iter()
        .map(|(path, own)| ((*path).to_owned(), of(path, own)))
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(192))]

    #[test]
    fn a_move_keeps_what_leads_where_and_is_taken_back(
        linking in prop::collection::vec((0..PATHS.len(), 0..PATHS.len(), 0..8usize), 0..16),
        picked in prop::sample::subsequence(&MOVES[..], 1..3),
    ) {
        let disk = disk(&[]);
        let mut texts: BTreeMap<&str, String> =
            PATHS.iter().map(|path| (*path, "# One\n\n".to_owned())).collect();
        texts.insert("i.rst", "One\n===\n\n".to_owned());
        for (from, to, style) in linking {
            let (from, to) = (PATHS[from], PATHS[to]);
            if !from.ends_with(".png") {
                texts.get_mut(from).unwrap().push_str(&line(from, to, style));
            }
        }
        for (path, text) in &texts {
            disk.write("docs", path, text.as_bytes());
        }
        let before = tree(&disk);
        let edits = picked.iter().map(|(path, to)| moving(path, to)).collect();
        let Ok(answer) = docent(&disk).change(edits, options(false, true)) else {
            // Such as a directory and one in it at once.
            prop_assert_eq!(tree(&disk), before);
            return Ok(());
        };
        let after = tree(&disk);
        let moved = |path: &str| {
            let by_file = answer.files.iter().find(|file| file.path == path);
            if let Some(to) = by_file.and_then(|file| file.moved_to.clone()) {
                return to;
            }
            let is_above = |old: &str| path == old || path.starts_with(&format!("{old}/"));
            let by_directory = picked.iter().find(|(old, _)| is_above(old));
            by_directory.map_or(path.to_owned(), |(old, new)| path.replacen(old, new, 1))
        };
        let (old, new) = (pairs(&before), pairs(&after));
        for (path, leads) in &old {
            let now = &new[&moved(path)];
            prop_assert_eq!(leads.len(), now.len(), "{}", path);
            for (was, is) in leads.iter().zip(now) {
                // A broken link may resolve by the new names, and an ambiguous one may become
                // unique.
                let Some((target, fragment)) = was.split_once('#') else { continue };
                prop_assert_eq!(format!("{}#{fragment}", moved(target)), is.clone(), "{}", path);
            }
        }
        docent(&disk).manage(ManageCommand::Undo, None).unwrap();
        prop_assert_eq!(tree(&disk), before);
    }
}

#[test]
fn a_link_by_name_means_what_it_meant_beside_a_new_namesake() {
    let disk = disk(&[
        ("i.md", "[[a]] and [[b]]\n"),
        ("x/a.md", ""),
        ("y/b.md", ""),
    ]);
    let edit = Edit {
        path: Some("y/b.md".to_owned()),
        move_: Some("y/a.md".to_owned()),
        ..NO_EDIT
    };
    let options = ChangeOptions {
        dry_run: Some(true),
        ..NO_CHANGE_OPTIONS
    };
    let mut docent = Docent::new(disk, ToolSettings::default());
    let answer = docent.change(vec![edit], Some(options)).unwrap();
    let diffs: String = answer.files.iter().map(|file| &*file.diff).collect();
    assert!(diffs.contains("+[[x/a]] and [[y/a]]\n"), "{diffs}");
}

#[test]
fn a_namesake_that_goes_is_warned_of() {
    let files = |link| [("i.md", link), ("x/a.md", ""), ("y/a.md", "")];
    let warnings = |link| {
        let edit = Edit {
            path: Some("y/a.md".to_owned()),
            move_: Some("y/c.md".to_owned()),
            ..NO_EDIT
        };
        let mut docent = Docent::new(disk(&files(link)), ToolSettings::default());
        let answer = docent.change(vec![edit], Some(NO_CHANGE_OPTIONS));
        answer.unwrap().warnings
    };
    let expected = "the link `[[a]]` at line 1 of `i.md` meant one of several files, and would then mean \
                    `x/a.md`";
    assert_eq!(warnings("[[a]]\n"), [expected]);
    assert_eq!(warnings("[[x/a]]\n"), [""; 0]);
}

#[test]
fn a_move_tells_where_the_old_path_stands_as_plain_text() {
    let disk = disk(&[
        ("docs/model.md", "# Model\n"),
        (
            "a.md",
            "See [docs/model.md](docs/model.md).\n\n[m](docs/model.md)\n",
        ),
        (
            "b.md",
            "[m]: docs/model.md\n\n`docs/model.md` says [it][m].\n",
        ),
        (".github/check.yml", "run: lint docs/model.md\n"),
        (".env", "MODEL=docs/model.md\n"),
    ]);
    let edits = vec![moving("docs/model.md", "docs/concepts/model.md")];
    let answer = docent(&disk).change(edits, options(true, true)).unwrap();
    let code = answer.code.expect("places are told");
    let told: Vec<(&str, u32)> = code
        .mentions
        .links
        .iter()
        .map(|place| (place.path.as_str(), place.line))
        .collect();
    assert_eq!(told, [(".github/check.yml", 1), ("a.md", 1), ("b.md", 3)]);
}
