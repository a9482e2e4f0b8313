//! Trees that are made to take the time of `understand`, to flood its answers or to mislead it.
#![expect(
    clippy::disallowed_types,
    reason = "some of what is measured here is time"
)]

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use docent_api::understanding::{
    Aspect, Reference, ReferenceEnd, UnderstandAnswer, UnderstandDepth, UnderstandLimits,
    UnderstandOptions,
};
use docent_tools::{Docent, NO_UNDERSTAND_OPTIONS, Settings};
use docent_tree::memory::MemoryDisk;

const ATTEMPTS: usize = 200;

/// Less than this is no measure.
const FLOOR: Duration = Duration::from_millis(4);

const ASPECTS: [Aspect; 5] = [
    Aspect::Structure,
    Aspect::Dependencies,
    Aspect::Impact,
    Aspect::HotSpots,
    Aspect::Summary,
];

type Files = Vec<(String, String)>;

/// What stands in a tree, for so many links, files or definitions; twice as many make it twice as
/// large.
type Shape = fn(usize) -> Files;

/// Each with so many as take some milliseconds.
const SHAPES: [(&str, Shape, usize); 12] = [
    ("links in one file", links_in_one_file, 2_000),
    ("links of a file to itself", links_to_itself, 1_000),
    ("anchors", anchors, 1_000),
    ("files that include each other", cyclic_includes, 150),
    ("files that import each other", cyclic_imports, 150),
    ("every file imports every file", imports_of_all, 900),
    ("files of one name", files_of_one_name, 150),
    ("a file that all link to", star, 150),
    ("a chain", chain, 150),
    ("one name defined everywhere", one_name_defined, 150),
    ("one name used everywhere", one_name_used, 150),
    ("a file that all name", mentions, 150),
];

fn files(count: usize, file: impl Fn(usize) -> (String, String)) -> Files {
    (0..count).map(file).collect()
}

fn named(path: &str, text: String) -> (String, String) {
    (path.to_owned(), text)
}

fn links_in_one_file(count: usize) -> Files {
    vec![
        named("a.md", "[b](b.md)\n".repeat(count)),
        named("b.md", "# B\n".to_owned()),
    ]
}

fn links_to_itself(count: usize) -> Files {
    let links = "[a](a.md#a) [s](#a) [[a]]\n".repeat(count);
    vec![named("a.md", format!("# A\n\n{links}"))]
}

fn anchors(count: usize) -> Files {
    let headings: String = (0..count).map(|n| format!("## h {n}\n")).collect();
    let links: String = (0..count).map(|n| format!("[x](a.md#h-{n})\n")).collect();
    vec![named("a.md", headings), named("b.md", links)]
}

fn cyclic_includes(count: usize) -> Files {
    files(count, |n| {
        let (next, last) = ((n + 1) % count, (n + count - 1) % count);
        let text =
            format!("= A\n\ninclude::x{next}.adoc[]\ninclude::x{last}.adoc[]\n<<x{n}.adoc#a>>\n");
        (format!("x{n}.adoc"), text)
    })
}

fn cyclic_imports(count: usize) -> Files {
    files(count, |n| {
        let (next, last) = ((n + 1) % count, (n + count - 1) % count);
        let text =
            format!("import c{next}\nfrom c{last} import run_it\n\ndef part_{n}():\n    pass\n");
        (format!("c{n}.py"), text)
    })
}

/// So many imports in all.
fn imports_of_all(count: usize) -> Files {
    let side = count.isqrt();
    let all: String = (0..side).map(|n| format!("import m{n}\n")).collect();
    files(side, |n| (format!("m{n}.py"), all.clone()))
}

fn files_of_one_name(count: usize) -> Files {
    files(count, |n| {
        (format!("d{n}/note.md"), "[[note]] see note.md\n".to_owned())
    })
}

fn star(count: usize) -> Files {
    let hub: String = (0..count).map(|n| format!("[x](f{n}.md)\n")).collect();
    let mut all = files(count, |n| (format!("f{n}.md"), "[a](a.md)\n".to_owned()));
    all.push(named("a.md", hub));
    all
}

fn chain(count: usize) -> Files {
    files(count, |n| {
        (format!("f{n}.md"), format!("[x](f{}.md)\n", n + 1))
    })
}

fn one_name_defined(count: usize) -> Files {
    files(count, |n| {
        (
            format!("f{n}.py"),
            "def run_it():\n    run_it()\n".to_owned(),
        )
    })
}

fn one_name_used(count: usize) -> Files {
    let mut all = files(count, |n| {
        let text = "from a import run_it\nrun_it()\nrun_it()\n";
        (format!("f{n}.py"), text.to_owned())
    });
    all.push(named("a.py", "def run_it():\n    pass\n".to_owned()));
    all
}

fn mentions(count: usize) -> Files {
    let mut all = files(count, |n| {
        (
            format!("f{n}.md"),
            "See a.md, `./a.md` and x/a.md.\n".to_owned(),
        )
    });
    all.push(named("a.md", "# A\n".to_owned()));
    all
}

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
    let mut docent = Docent::new(disk.clone(), Settings::default());
    docent.understand(Some(options)).unwrap()
}

#[test]
fn a_tree_twice_as_large_takes_less_than_three_times_as_long() {
    for (name, shape, size) in SHAPES {
        let trees = [shape(size), shape(2 * size)];
        let disks = trees.each_ref().map(|files| disk(files));
        for question in 0..3 {
            let cost = |index: usize| {
                let options = questions(&trees[index])[question].clone();
                let start = Instant::now();
                ask(&disks[index], options);
                start.elapsed()
            };
            is_linear(name, || cost(0), || cost(1));
        }
    }
}

/// Checks that the second, which has twice as much to do, takes less than three times as long.
fn is_linear(what: &str, single: impl Fn() -> Duration, double: impl Fn() -> Duration) {
    let (mut once, mut twice) = (Duration::MAX, Duration::MAX);
    // The least of many tries is what it costs on a machine that does nothing else.
    for _ in 0..ATTEMPTS {
        once = once.min(single());
        twice = twice.min(double());
        if twice < 3 * once || twice < FLOOR {
            return;
        }
    }
    panic!("{what}: {once:?}, then {twice:?}");
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
        let mut docent = Docent::new(disk(&files), Settings::default());
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
        assert_eq!(answer.stats.references.resolved, resolved);
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
fn of_two_names_that_look_alike_the_one_that_is_written_is_meant() {
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
