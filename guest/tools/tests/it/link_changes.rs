//! Impact of changes on links: a dry run without any, links that were broken before, links left
//! unchanged, and broken links that a new file fixes.

use docent_api::writing::{
    ChangeAnswer, ChangeImpact, ChangeOptions, Edit, LinkPlace, WriteAnswer, WriteOptions,
};
use docent_tools::{Docent, NO_CHANGE_OPTIONS, NO_EDIT, ToolSettings};
use docent_tree::memory::MemoryDisk;

fn disk(files: &[(&str, &str)]) -> MemoryDisk {
    let disk = MemoryDisk::with_files(files);
    disk.set_writable("docs");
    disk.grant_state();
    disk
}

fn docent(disk: &MemoryDisk) -> Docent<MemoryDisk> {
    Docent::new(disk.clone(), ToolSettings::default())
}

fn shown(files: &[(&str, &str)], moves: &[(&str, &str)]) -> ChangeAnswer {
    let edit = |(from, to): &(&str, &str)| Edit {
        path: Some((*from).to_owned()),
        move_: Some((*to).to_owned()),
        ..NO_EDIT
    };
    let options = ChangeOptions {
        dry_run: Some(true),
        ..NO_CHANGE_OPTIONS
    };
    let edits = moves.iter().map(edit).collect();
    docent(&disk(files)).change(edits, Some(options)).unwrap()
}

fn impact(files: &[(&str, &str)], moves: &[(&str, &str)]) -> ChangeImpact {
    shown(files, moves).impact.unwrap()
}

fn places(links: &[LinkPlace]) -> Vec<String> {
    let place = |one: &LinkPlace| format!("{}:{}: {}", one.path, one.line, one.text);
    links.iter().map(place).collect()
}

#[test]
fn a_move_that_no_link_knows_of_says_what_was_looked_at() {
    let files = [("a.md", "# A\n"), ("b.md", "# B\n"), ("d/c.md", "# C\n")];
    assert_eq!(
        impact(&files, &[("a.md", "e.md")]).summary,
        "No link of another document leads to the file that moves. No link leads from it to \
         another file. Looked at 3 documents."
    );
    assert_eq!(
        impact(&files, &[("a.md", "e.md"), ("d", "f")]).summary,
        "No link of another document leads to the 2 files that move. No link leads from them to \
         another file. Looked at 3 documents."
    );
}

#[test]
fn what_a_move_means_is_told_in_sentences() {
    let files = [
        ("a.md", "[b](b.md) [b](b.md)\n"),
        ("b.md", "[c](c.md) [gone](gone.md)\n"),
        ("c.md", "[b](b.md)\n"),
    ];
    let impact = impact(&files, &[("b.md", "d/b.md")]);
    assert_eq!(
        impact.summary,
        "3 links of 2 other documents lead to the file that moves. 1 link leads from it to another \
         file. 5 links are rewritten. No link breaks. 1 link in the file that moves was broken \
         before, and stays so. Looked at 3 documents."
    );
    assert_eq!((impact.broken.links.len(), impact.was_broken), (0, 1));
}

#[test]
fn a_link_to_no_section_is_not_broken_by_the_end_of_its_file() {
    let files = [("a.md", "[b](b.md#gone) [b](b.md)\n"), ("b.md", "# B\n")];
    let diff = "*** Begin Patch\n*** Delete File: b.md\n*** End Patch\n";
    let edit = Edit {
        diff: Some(diff.to_owned()),
        ..NO_EDIT
    };
    let answer = docent(&disk(&files)).change(vec![edit], None).unwrap();
    let broken = answer.impact.unwrap().broken;
    assert_eq!(places(&broken.links), ["a.md:1: [b](b.md)"]);
}

#[test]
fn references_of_sphinx_and_books_follow() {
    let files = [
        ("conf.py", ""),
        (
            "index.md",
            "```{toctree}\n:glob:\n\na\nparts/*\n```\n\n{doc}`A <a>`\n",
        ),
        ("a.md", "# A\n"),
        ("parts/b.md", "# B\n"),
    ];
    let answer = shown(&files, &[("a.md", "c/d.md"), ("parts/b.md", "b.md")]);
    let impact = answer.impact.unwrap();
    let rewritten: Vec<(u32, &str)> = impact
        .rewritten
        .iter()
        .map(|one| (one.line, one.new.as_str()))
        .collect();
    assert_eq!(rewritten, [(4, "c/d"), (8, "c/d")]);
    let pattern = "the pattern `parts/*` at line 5 of `index.md` is left as it is, and matches 1 file \
                   fewer of those that it matched";
    assert!(
        answer.warnings.iter().any(|it| it == pattern),
        "{:?}",
        answer.warnings
    );
    let files = [
        ("book.toml", ""),
        ("src/a.md", "```\n{{#include ../x.rs:here}}\n```\n"),
        ("x.rs", "fn x() {}\n"),
    ];
    let rewritten = self::impact(&files, &[("x.rs", "code/x.rs")]).rewritten;
    assert_eq!(rewritten[0].new, "../code/x.rs");
}

#[test]
fn what_only_a_program_resolves_is_named_as_left() {
    let files = [("a.md", "--8<-- \"x/b.md\"\n"), ("b.md", "# B\n")];
    let warnings = shown(&files, &[("b.md", "c.md")]).warnings;
    let left = "`x/b.md` at line 1 of `a.md` is left as it is: only its program can resolve it";
    assert!(warnings.iter().any(|it| it == left), "{warnings:?}");
}

fn write(docent: &mut Docent<MemoryDisk>, path: &str, options: WriteOptions) -> WriteAnswer {
    docent.write(path.to_owned(), Some(options)).unwrap()
}

fn text(text: &str) -> WriteOptions {
    WriteOptions {
        content: Some(text.to_owned()),
        template: None,
        variables: None,
        front_matter: None,
        if_exists: None,
        expect_hash: None,
        dry_run: None,
        plan_id: None,
        note: None,
        root: None,
    }
}

#[test]
fn a_file_that_is_made_says_which_broken_links_it_mends() {
    let files = [
        (
            "a.md",
            "[n](new.md) [s](new.md#one) [t](new.md#two) [o](other.md)\n",
        ),
        ("d/b.md", "\n[x]: ../new.md\n\n[x] [[new]]\n"),
    ];
    let disk = disk(&files);
    let mut docent = docent(&disk);
    let dry = WriteOptions {
        dry_run: Some(true),
        ..text("# One\n")
    };
    let answer = write(&mut docent, "new.md", dry);
    let expected = [
        "a.md:1: [n](new.md)",
        "a.md:1: [s](new.md#one)",
        "d/b.md:2: [x]: ../new.md",
        "d/b.md:4: [[new]]",
    ];
    assert_eq!(places(&answer.mended.unwrap().links), expected);
    // The dry run has reported them.
    let planned = WriteOptions {
        plan_id: answer.plan_id,
        dry_run: Some(true),
        ..text("# One\n")
    };
    assert!(write(&mut docent, "new.md", planned).mended.is_none());
    assert!(write(&mut docent, "free.md", text("")).mended.is_none());
    let made = write(&mut docent, "new.md", text("# One\n"));
    assert!(made.file.applied);
    assert_eq!(places(&made.mended.unwrap().links), expected);
    // Overwriting an existing file fixes no links.
    let again = WriteOptions {
        if_exists: Some(docent_api::writing::IfExists::Overwrite),
        ..text("# Two\n")
    };
    assert!(write(&mut docent, "new.md", again).mended.is_none());
}

#[test]
fn what_is_remembered_is_not_read_again_for_a_file_that_is_made() {
    let many: Vec<(String, String)> = (0..100)
        .map(|number| (format!("{number}.md"), format!("[x]({number}.txt)\n")))
        .collect();
    let files: Vec<(&str, &str)> = many.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect();
    let disk = disk(&files);
    let settings = ToolSettings {
        cache_bytes: 1 << 22,
        ..ToolSettings::default()
    };
    let mut docent = Docent::new(disk.clone(), settings);
    disk.take_opens();
    assert!(write(&mut docent, "first.md", text("")).mended.is_none());
    let first = disk.take_opens();
    assert!(write(&mut docent, "second.md", text("")).mended.is_none());
    let second = disk.take_opens();
    assert!(write(&mut docent, "7.txt", text("")).mended.is_some());
    let third = disk.take_opens();
    assert!(
        first > 100 && second < 30 && third < 30,
        "{first} {second} {third}"
    );
}
