//! Trees designed to flood the answers of `understand`, or to mislead it. `tests/fixtures/work`
//! counts the instructions that it executes on them.

use std::collections::BTreeSet;

use docent_api::understanding::{
    Aspect, Reference, ReferenceEnd, UnderstandAnswer, UnderstandDepth, UnderstandLimits,
    UnderstandOptions,
};
use docent_test_texts::tangles::{
    SHAPES, Shape, anchors, files_of_one_name, links_in_one_file, named,
};
use docent_tools::{Docent, NO_UNDERSTAND_OPTIONS, ToolSettings};
use docent_tree::memory::MemoryDisk;

const ASPECTS: [Aspect; 5] = [
    Aspect::Structure,
    Aspect::Dependencies,
    Aspect::Impact,
    Aspect::HotSpots,
    Aspect::Summary,
];

fn disk(files: &[(String, String)]) -> MemoryDisk {
    let disk = MemoryDisk::with_roots(&["docs"]);
    for (path, text) in files {
        disk.write("docs", path, text.as_bytes());
    }
    disk
}

fn with_room(options: UnderstandOptions, max_chars: u32) -> UnderstandOptions {
    UnderstandOptions {
        limits: Some(UnderstandLimits {
            max_chars: Some(max_chars),
            max_files: None,
            timeout_ms: None,
        }),
        ..options
    }
}

/// Everything about the root, about a file, and about a definition.
fn questions(files: &[(String, String)]) -> [UnderstandOptions; 3] {
    let all = UnderstandOptions {
        aspects: Some(ASPECTS.to_vec()),
        depth: Some(UnderstandDepth::Deep),
        ..NO_UNDERSTAND_OPTIONS
    };
    let (last, _) = &files[files.len() - 1];
    [
        UnderstandOptions {
            paths: Some(vec![last.clone()]),
            ..all.clone()
        },
        UnderstandOptions {
            symbol: Some("run_it".to_owned()),
            ..all.clone()
        },
        all,
    ]
}

fn ask(disk: &MemoryDisk, options: UnderstandOptions) -> UnderstandAnswer {
    let mut docent = Docent::new(disk.clone(), ToolSettings::default());
    docent.understand(Some(options)).unwrap()
}

/// Returns all texts of an answer's entries, entry by entry.
fn texts(answer: &UnderstandAnswer) -> Vec<usize> {
    let length = |texts: &[&str]| texts.iter().map(|text| text.len()).sum();
    let optional = |text: &Option<String>| text.clone().unwrap_or_default();
    let references = answer.dependencies.iter().chain(&answer.impact);
    let references = references.map(|one| {
        let candidates: usize = one.candidates.iter().map(String::len).sum();
        candidates + length(&[&one.path, &one.text, &optional(&one.to)])
    });
    let structure = answer.structure.iter();
    let structure = structure.map(|one| length(&[&one.path, &one.text, &optional(&one.name)]));
    let spots = answer.hot_spots.iter();
    let spots = spots.map(|one| length(&[&one.path, &one.text, &optional(&one.symbol)]));
    let summaries = answer.summary.iter();
    let summaries = summaries.map(|one| length(&[&one.path, &one.title, &one.text]));
    references
        .chain(structure)
        .chain(spots)
        .chain(summaries)
        .collect()
}

/// Checks that whatever an answer names is there.
fn nothing_is_made_up(name: &str, files: &[(String, String)], answer: &UnderstandAnswer) {
    let there: BTreeSet<&str> = files.iter().map(|(path, _)| path.as_str()).collect();
    let is_directory = |path: &str| path == "./" || there.iter().any(|one| one.starts_with(path));
    let check = |one: &Reference| {
        let text = files.iter().find(|(path, _)| *path == one.path);
        let lines = text.map_or(0, |(_, text)| text.lines().count());
        assert!(
            (1..=lines).contains(&(one.line as usize)),
            "{name}: {one:?}"
        );
        let to = one.to.as_deref().unwrap_or_default();
        let file = to.split('#').next().unwrap_or_default();
        match one.end {
            ReferenceEnd::There | ReferenceEnd::NoSection => {
                let is_there = match file.ends_with('/') {
                    true => is_directory(file),
                    false => there.contains(file),
                };
                assert!(is_there, "{name}: {one:?}");
            }
            ReferenceEnd::NoFile => assert!(!there.contains(file), "{name}: {one:?}"),
            ReferenceEnd::Several => assert!(one.candidates.len() > 1, "{name}: {one:?}"),
            _ => assert!(one.to.is_none(), "{name}: {one:?}"),
        }
        for candidate in &one.candidates {
            assert!(there.contains(candidate.as_str()), "{name}: {one:?}");
        }
    };
    answer.dependencies.iter().for_each(check);
    answer.impact.iter().for_each(check);
    let spots = answer.hot_spots.iter().map(|one| &one.path);
    let summaries = answer.summary.iter().map(|one| &one.path);
    for path in spots.chain(summaries) {
        assert!(there.contains(path.as_str()), "{name}: {path}");
    }
}

#[test]
fn answers_keep_to_their_room_and_to_what_is_there() {
    for (name, shape, _) in SHAPES {
        let files = shape(100);
        let disk = disk(&files);
        for options in questions(&files) {
            for max_chars in [500, 8_000, 200_000] {
                let answer = ask(&disk, with_room(options.clone(), max_chars));
                nothing_is_made_up(name, &files, &answer);
                let texts = texts(&answer);
                let told: usize = texts.iter().sum();
                assert!(
                    told <= max_chars as usize || texts.len() == 1,
                    "{name}: {told} of {max_chars}"
                );
            }
        }
    }
}

#[test]
fn what_leads_nowhere_is_told_in_short() {
    let long = "x".repeat(100_000);
    let text = format!("[a](b.md#{long}) [c]({long}.md) [[{long}]]\n\n[d](#{long})\n");
    let files = [named("a.md", text), named("b.md", "# B\n".to_owned())];
    let options = UnderstandOptions {
        paths: Some(vec!["a.md".to_owned()]),
        aspects: Some(vec![Aspect::Dependencies]),
        ..NO_UNDERSTAND_OPTIONS
    };
    let answer = ask(&disk(&files), options);
    let texts = texts(&answer);
    assert_eq!(texts.len(), 4);
    assert!(texts.iter().all(|told| *told < 1_000), "{texts:?}");
}

#[test]
fn pages_put_together_are_the_whole() {
    for (name, shape, _) in SHAPES {
        let files = shape(60);
        let mut docent = Docent::new(disk(&files), ToolSettings::default());
        for options in questions(&files) {
            let whole = with_room(options.clone(), 200_000);
            let whole = docent.understand(Some(whole)).unwrap();
            assert!(!whole.degraded, "{name}: {:?}", whole.reasons);
            let mut options = with_room(options, 2_000);
            let mut pages: Option<UnderstandAnswer> = None;
            for _ in 0..1_000 {
                let page = docent.understand(Some(options.clone())).unwrap();
                options.cursor.clone_from(&page.next_cursor);
                match &mut pages {
                    Some(pages) => {
                        pages.structure.extend(page.structure);
                        pages.dependencies.extend(page.dependencies);
                        pages.impact.extend(page.impact);
                        pages.hot_spots.extend(page.hot_spots);
                        pages.summary.extend(page.summary);
                    }
                    None => pages = Some(page),
                }
                if options.cursor.is_none() {
                    break;
                }
            }
            let pages = pages.unwrap();
            assert_eq!(pages.structure, whole.structure, "{name}");
            assert_eq!(pages.dependencies, whole.dependencies, "{name}");
            assert_eq!(pages.impact, whole.impact, "{name}");
            assert_eq!(pages.hot_spots, whole.hot_spots, "{name}");
            assert_eq!(pages.summary, whole.summary, "{name}");
        }
    }
}

#[test]
fn a_hundred_thousand_links_ten_thousand_anchors_and_as_many_namesakes() {
    for (shape, size, resolved) in [
        (links_in_one_file as Shape, 101_000, 100_000),
        (anchors, 10_000, 10_000),
        (files_of_one_name, 10_000, 0),
    ] {
        let files = shape(size);
        let answer = ask(&disk(&files), NO_UNDERSTAND_OPTIONS);
        assert_eq!(answer.stats.references.as_ref().unwrap().resolved, resolved);
        assert_eq!(answer.stats.files as usize, files.len());
        nothing_is_made_up("many", &files, &answer);
    }
}

/// Names that mean something in Markdown, HTML, URLs, globs and shells, and that two systems write
/// differently.
const ODD_NAMES: [&str; 24] = [
    "a b.md",
    "(a).md",
    "[a].md",
    "a|b.md",
    "a`b.md",
    "*a*_b_.md",
    "a\nb.md",
    "a\tb.md",
    "a#b.md",
    "a?b.md",
    "a%b.md",
    "a%20b.md",
    "a&b.md",
    "a&amp;b.md",
    "<a>.md",
    "a\"b'.md",
    "a\\b.md",
    "a:b.md",
    "{a}.md",
    "-a.md",
    "~a.md",
    "\u{D55C}\u{AE00}.md",
    "\u{1112}\u{1161}\u{11AB}\u{1100}\u{1173}\u{11AF}.md",
    "a\u{202E}b.md",
];

/// Writes a name in a URL.
fn coded(name: &str) -> String {
    let code = |byte: u8| match byte {
        b'a'..=b'z' | b'.' => char::from(byte).to_string(),
        _ => format!("%{byte:02X}"),
    };
    name.bytes().map(code).collect()
}

#[test]
fn names_that_have_to_be_escaped_are_found() {
    for name in ODD_NAMES {
        let all = [
            named(
                &format!("d/{name}"),
                "# A\n\n[back](../index.md)\n".to_owned(),
            ),
            named(
                "index.md",
                format!(
                    "[a](d/{0}) [b](<d/{0}#a>)\n\n<a href=\"d/{0}\">c</a>\n",
                    coded(name)
                ),
            ),
        ];
        let options = UnderstandOptions {
            paths: Some(vec!["index.md".to_owned()]),
            aspects: Some(vec![Aspect::Dependencies, Aspect::Impact]),
            ..NO_UNDERSTAND_OPTIONS
        };
        let answer = ask(&disk(&all), options);
        let led: Vec<(&str, ReferenceEnd)> = answer
            .dependencies
            .iter()
            .map(|one| (one.to.as_deref().unwrap_or_default(), one.end))
            .collect();
        let path = format!("d/{name}");
        let section = format!("{path}#a");
        let there = ReferenceEnd::There;
        assert_eq!(
            led,
            [(path.as_str(), there), (&section, there), (&path, there)],
            "{name:?}"
        );
        assert_eq!(answer.impact.len(), 1, "{name:?}");
        assert_eq!(answer.impact[0].path, path);
    }
}

#[test]
fn the_written_one_of_two_similar_names_is_meant() {
    let (composed, decomposed) = ("\u{D55C}.md", "\u{1112}\u{1161}\u{11AB}.md");
    let all = [
        named(composed, "# A\n".to_owned()),
        named(decomposed, "# B\n".to_owned()),
        named("index.md", format!("[a]({composed}) [b]({decomposed})\n")),
    ];
    let options = UnderstandOptions {
        paths: Some(vec!["index.md".to_owned()]),
        aspects: Some(vec![Aspect::Dependencies]),
        ..NO_UNDERSTAND_OPTIONS
    };
    let answer = ask(&disk(&all), options);
    let led: Vec<_> = answer
        .dependencies
        .iter()
        .map(|one| one.to.as_deref())
        .collect();
    assert_eq!(led, [Some(composed), Some(decomposed)]);
}
