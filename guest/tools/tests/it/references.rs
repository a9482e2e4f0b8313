//! `understand` on documents whose references are not CommonMark links, and its description of a
//! search without results.

use docent_api::understanding::{
    Aspect, Reference, ReferenceEnd, UnderstandAnswer, UnderstandOptions,
};
use docent_tools::{Docent, NO_UNDERSTAND_OPTIONS, ToolSettings};
use docent_tree::memory::MemoryDisk;

const BOTH: [Aspect; 2] = [Aspect::Dependencies, Aspect::Impact];

fn ask(files: &[(&str, &str)], paths: &[&str], aspects: &[Aspect]) -> UnderstandAnswer {
    let mut docent = Docent::new(MemoryDisk::with_files(files), ToolSettings::default());
    let paths = paths.iter().map(ToString::to_string).collect();
    let options = UnderstandOptions {
        paths: Some(paths),
        aspects: Some(aspects.to_vec()),
        ..NO_UNDERSTAND_OPTIONS
    };
    docent.understand(Some(options)).unwrap()
}

fn places(references: &[Reference]) -> Vec<String> {
    let place = |one: &Reference| format!("{}:{}", one.path, one.line);
    references.iter().map(place).collect()
}

const SPHINX: [(&str, &str); 5] = [
    ("conf.py", ""),
    (
        "index.md",
        "# Docs\n\n```{toctree}\n:glob:\n\nguide\nparts/*\n```\n\n```{include} README.md\n```\n",
    ),
    (
        "guide.md",
        "# Guide\n\n{doc}`gone` {doc}`parts/a` {ref}`here` {any}`Group`\n",
    ),
    ("parts/a.md", "(here)=\n# A\n"),
    ("README.md", "# Read me\n"),
];

#[test]
fn roles_and_directives_are_references() {
    let answer = ask(&SPHINX, &["guide.md"], &BOTH);
    assert_eq!(places(&answer.dependencies), ["guide.md:3"; 4]);
    assert_eq!(places(&answer.impact), ["index.md:6"]);
    assert_eq!(answer.broken, Some(1));
    let ends: Vec<ReferenceEnd> = answer.dependencies.iter().map(|one| one.end).collect();
    assert_eq!(ends[0], ReferenceEnd::NoFile);
    // A pattern is a reference to its matches, and a label to its own position.
    let answer = ask(&SPHINX, &["parts/a.md"], &BOTH);
    assert_eq!(
        places(&answer.impact),
        ["guide.md:3", "guide.md:3", "index.md:7"]
    );
    let answer = ask(&SPHINX, &["README.md"], &BOTH);
    assert_eq!(places(&answer.impact), ["index.md:10"]);
    let counts = answer.stats.references.unwrap();
    assert_eq!(
        (counts.resolved, counts.broken, counts.unresolved),
        (5, 1, 1)
    );
    assert_eq!(counts.unresolved_forms[0].form, "role any");
    assert_eq!(counts.unresolved_forms[0].count, 1);
}

#[test]
fn code_that_a_book_shows_is_referred_to() {
    let files = [
        ("book.toml", ""),
        (
            "src/a.md",
            "```rust\n{{#rustdoc_include ../code/main.rs:here}}\n```\n",
        ),
        ("code/main.rs", "fn main() {}\n"),
    ];
    let answer = ask(&files, &["code/main.rs"], &BOTH);
    assert_eq!(places(&answer.impact), ["src/a.md:2"]);
}

#[test]
fn where_there_is_none_the_answer_says_what_was_looked_for() {
    let mut files = vec![
        ("a.md", "# A\n"),
        ("b.md", "--8<-- \"x.md\"\n"),
        ("c.rst", "C\n=\n"),
        ("d.py", "import os\n"),
        ("e.toml", ""),
    ];
    let scope = "Looked for: links, images, includes and tables of contents in 2 Markdown files, \
                 1 reStructuredText file; imports in 1 file of code.";
    let open = "Not resolved, so may lead there: 1 of the form `--8<--`.";
    for (aspects, head) in [
        (&BOTH[..], "No reference was found in `a.md` or to it."),
        (&BOTH[..1], "No reference was found in `a.md`."),
        (&BOTH[1..], "No reference to `a.md` was found."),
    ] {
        let hint = ask(&files, &["a.md"], aspects).hint.unwrap();
        assert_eq!(hint, format!("{head} {scope} {open}"));
    }
    // Also in addition to other aspects.
    let all = [Aspect::Structure, Aspect::Dependencies, Aspect::Impact];
    let answer = ask(&files, &["a.md"], &all);
    assert!(!answer.structure.is_empty() && answer.hint.unwrap().starts_with("No reference"));
    files.push(("f.docx", ""));
    let hint = ask(&files, &["a.md"], &BOTH[..1]).hint.unwrap();
    assert!(
        hint.contains("Not looked at: 1 document that is not text, such as pdf or xlsx."),
        "{hint}"
    );
    // If there is a reference, there is no hint.
    files.push(("g.md", "[a](a.md)\n"));
    assert_eq!(ask(&files, &["a.md"], &BOTH).hint, None);
}

#[test]
fn an_address_is_told_by_its_own_line() {
    let files = [
        (
            "a.md",
            "[one][x] and [two\nwords](\n<gone.md>)\n\n\n[x]: missing.md\n",
        ),
        ("b.md", ""),
    ];
    let answer = ask(&files, &["a.md"], &BOTH[..1]);
    assert_eq!(places(&answer.dependencies), ["a.md:3", "a.md:6"]);
}

#[test]
fn what_leads_nowhere_stays_first_with_a_goal() {
    let mut text = String::from("[x](gone.md)\n");
    for number in 0..40 {
        text.push_str(&format!("[deploy {number}](deploy{number}.md)\n"));
    }
    let names: Vec<String> = (0..40).map(|number| format!("deploy{number}.md")).collect();
    let mut files = vec![("a.md", text.as_str())];
    files.extend(names.iter().map(|name| (name.as_str(), "# Deploy\n")));
    let mut docent = Docent::new(MemoryDisk::with_files(&files), ToolSettings::default());
    let options = UnderstandOptions {
        paths: Some(vec!["a.md".to_owned()]),
        aspects: Some(BOTH[..1].to_vec()),
        goal: Some("deploy".to_owned()),
        limits: Some(docent_api::understanding::UnderstandLimits {
            max_chars: Some(600),
            max_files: None,
            timeout_ms: None,
        }),
        ..NO_UNDERSTAND_OPTIONS
    };
    let answer = docent.understand(Some(options)).unwrap();
    assert_eq!(answer.dependencies[0].end, ReferenceEnd::NoFile);
    assert!(answer.next_cursor.is_some() && answer.broken == Some(1));
}
