//! `understand`: references between files, on trees in memory.

use docent_api::pillars::Degradation;
use docent_api::types::ErrorCode;
use docent_api::understanding::{
    Aspect, KnownBy, Reference, ReferenceEnd, ReferenceKind, StructureKind, UnderstandAnswer,
    UnderstandDepth, UnderstandLimits, UnderstandOptions, UnderstandScope, UnderstandStatus,
    UseClass,
};
use docent_tools::{Docent, NO_UNDERSTAND_OPTIONS, ToolSettings};
use docent_tree::memory::MemoryDisk;

const DOCS: [(&str, &str); 7] = [
    (
        "README.md",
        "# Tool\n\nA tool that reads files. It is fast.\n\n[guide](docs/guide.md)\n",
    ),
    (
        "docs/guide.md",
        "# Guide\n\n## Set up\n\nSee [api](api.md#use), [gone](gone.md), [no](api.md#no).\n\n\
         ## Use\n\n[[api]] [up](#set-up) <https://example.org>\n",
    ),
    ("docs/api.md", "# API\n\n## Use\n\nCall `load_all`.\n"),
    (
        "docs/faq.md",
        "# FAQ\n\n[setup](guide.md#set-up)\n\nOld text of docs/api.md stays.\n",
    ),
    (
        "src/load.py",
        "\"\"\"Loads things.\"\"\"\n\ndef load_all(path):\n    return load_one(path)\n\n\
         class Loader:\n    def run(self):\n        return load_all('load_all')  # load_all\n",
    ),
    (
        "src/main.py",
        "from load import load_all\n\nload_all('a')\n",
    ),
    ("src/other.py", "def load_one(path):\n    return load_all\n"),
];

fn docent(files: &[(&str, &str)]) -> Docent<MemoryDisk> {
    Docent::new(MemoryDisk::with_files(files), ToolSettings::default())
}

fn ask(files: &[(&str, &str)], options: UnderstandOptions) -> UnderstandAnswer {
    docent(files).understand(Some(options)).unwrap()
}

fn about(path: &str, aspects: &[Aspect]) -> UnderstandOptions {
    UnderstandOptions {
        paths: Some(vec![path.to_owned()]),
        aspects: Some(aspects.to_vec()),
        ..NO_UNDERSTAND_OPTIONS
    }
}

/// Returns the positions of references, their targets and their ends.
fn told(references: &[Reference]) -> Vec<(String, String, ReferenceEnd)> {
    let told = |one: &Reference| {
        let to = one.to.clone().unwrap_or_else(|| one.text.clone());
        (format!("{}:{}", one.path, one.line), to, one.end)
    };
    references.iter().map(told).collect()
}

fn own(told: &[(&str, &str, ReferenceEnd)]) -> Vec<(String, String, ReferenceEnd)> {
    told.iter()
        .map(|(place, to, end)| ((*place).to_owned(), (*to).to_owned(), *end))
        .collect()
}

#[test]
fn what_a_document_needs() {
    let answer = ask(&DOCS, about("docs/guide.md", &[Aspect::Dependencies]));
    assert_eq!(answer.scope, UnderstandScope::File);
    assert_eq!(
        told(&answer.dependencies),
        own(&[
            ("docs/guide.md:5", "docs/gone.md", ReferenceEnd::NoFile),
            ("docs/guide.md:5", "docs/api.md#no", ReferenceEnd::NoSection),
            ("docs/guide.md:5", "docs/api.md#use", ReferenceEnd::There),
            ("docs/guide.md:9", "docs/api.md", ReferenceEnd::There),
            (
                "docs/guide.md:9",
                "https://example.org",
                ReferenceEnd::External
            ),
            (
                "docs/guide.md:9",
                "docs/guide.md#set-up",
                ReferenceEnd::There
            ),
        ])
    );
    let counts = answer.stats.references.unwrap();
    assert_eq!((counts.external, counts.broken), (1, 2));
}

#[test]
fn what_refers_to_a_document() {
    let answer = ask(&DOCS, about("docs/api.md", &[Aspect::Impact]));
    let there = ReferenceEnd::There;
    assert_eq!(
        told(&answer.impact),
        own(&[
            ("docs/guide.md:5", "docs/api.md#use", there),
            ("docs/guide.md:5", "docs/api.md#no", ReferenceEnd::NoSection),
            ("docs/guide.md:9", "docs/api.md", there),
            ("README.md:5", "docs/guide.md", there),
            ("docs/faq.md:3", "docs/guide.md#set-up", there),
            ("docs/faq.md:5", "docs/api.md", there),
        ])
    );
    let distances: Vec<u32> = answer.impact.iter().map(|one| one.distance).collect();
    assert_eq!(distances, [1, 1, 1, 2, 2, 1]);
    let last = answer.impact.last().unwrap();
    assert_eq!(
        (last.kind, last.known_by),
        (ReferenceKind::Mention, KnownBy::TextSearch)
    );
    assert!(answer.breaks.unwrap().contains("2 links in 1 file"));
    let shallow = UnderstandOptions {
        depth: Some(UnderstandDepth::Shallow),
        ..about("docs/api.md", &[Aspect::Impact])
    };
    assert_eq!(ask(&DOCS, shallow).impact.len(), 4);
}

#[test]
fn what_refers_to_a_section() {
    let answer = ask(
        &DOCS,
        about("docs/guide.md#Set up", &[Aspect::Impact, Aspect::Structure]),
    );
    let there = ReferenceEnd::There;
    assert_eq!(
        told(&answer.impact),
        own(&[
            ("docs/faq.md:3", "docs/guide.md#set-up", there),
            ("docs/guide.md:9", "docs/guide.md#set-up", there),
        ])
    );
    let names: Vec<_> = answer
        .structure
        .iter()
        .map(|one| one.name.as_deref())
        .collect();
    assert_eq!(names, [Some("set-up")]);
    let error = docent(&DOCS).understand(Some(about("docs/guide.md#none", &[Aspect::Impact])));
    assert_eq!(error.unwrap_err().code, ErrorCode::DocumentNotFound);
}

#[test]
fn links_of_a_site_begin_at_its_own_root() {
    let files = [
        ("docs/conf.py", "project = 'x'\n"),
        ("docs/a.rst", "A\n=\n\n:doc:`/cli` :doc:`/gone`\n"),
        ("docs/cli.rst", "CLI\n===\n"),
    ];
    let answer = ask(&files, about("docs/a.rst", &[Aspect::Dependencies]));
    assert_eq!(
        told(&answer.dependencies),
        own(&[
            ("docs/a.rst:4", "gone", ReferenceEnd::NoFile),
            ("docs/a.rst:4", "docs/cli.rst", ReferenceEnd::There),
        ])
    );
}

fn symbol(name: &str) -> UnderstandOptions {
    UnderstandOptions {
        symbol: Some(name.to_owned()),
        ..NO_UNDERSTAND_OPTIONS
    }
}

#[test]
fn who_uses_a_definition() {
    let answer = ask(&DOCS, symbol("load_all()"));
    assert_eq!(answer.status, UnderstandStatus::Ok);
    assert_eq!(answer.structure[0].text, "def load_all(path)");
    let places: Vec<(String, ReferenceKind)> = answer
        .impact
        .iter()
        .map(|one| (format!("{}:{}", one.path, one.line), one.kind))
        .collect();
    let in_code = |place: &str| (place.to_owned(), ReferenceKind::Use);
    for place in [
        "src/load.py:8",
        "src/main.py:1",
        "src/main.py:3",
        "src/other.py:2",
    ] {
        assert!(places.contains(&in_code(place)), "{place}: {places:?}");
    }
    assert!(places.contains(&("docs/api.md:5".to_owned(), ReferenceKind::Mention)));
    assert_eq!(places.len(), 5, "{places:?}");
}

#[test]
fn what_the_root_of_a_crate_passes_on_is_used_by_its_path() {
    let files = [
        ("Cargo.toml", "[package]\nname = \"harbour\"\n"),
        (
            "src/lib.rs",
            "mod lamp;\nmod night;\npub use lamp::light;\n",
        ),
        ("src/lamp.rs", "pub fn light() {}\n"),
        (
            "src/night.rs",
            "pub fn watch() {\n    crate::light();\n    crate::dark();\n}\n",
        ),
        ("other/Cargo.toml", "[package]\nname = \"other\"\n"),
        (
            "other/src/lib.rs",
            "fn light() {}\nfn go() {\n    crate::light();\n}\n",
        ),
    ];
    let impact = ask(&files, about("src/lamp.rs#light", &[Aspect::Impact])).impact;
    let classes: Vec<_> = impact
        .iter()
        .map(|one| (one.path.as_str(), one.line, one.class))
        .collect();
    assert_eq!(
        classes[..2],
        [
            ("src/night.rs", 2, Some(UseClass::Code)),
            ("src/lib.rs", 3, Some(UseClass::ReExport)),
        ]
    );
    let others = classes[2..].iter();
    assert!(
        others.clone().all(|(path, ..)| path.starts_with("other/")),
        "{classes:?}"
    );
}

#[test]
fn a_statement_after_a_re_export_has_a_class_of_its_own() {
    let files = [
        ("Cargo.toml", "[package]\nname = \"harbour\"\n"),
        (
            "src/lib.rs",
            "mod lamp;\npub use lamp::{\n    Lamp,\n    light,\n};\npub use lamp::dark;\n\
             struct Pier(Lamp);\npub(crate) fn moor(_: Lamp) {}\npub(crate) use lamp::Lamp as Light;\n",
        ),
        (
            "src/lamp.rs",
            "pub struct Lamp;\npub fn light() {}\npub fn dark() {}\n",
        ),
    ];
    assert_eq!(
        classes_of(&files, "src/lamp.rs#Lamp"),
        [
            ("src/lib.rs:3".to_owned(), UseClass::ReExport),
            ("src/lib.rs:7".to_owned(), UseClass::Code),
            ("src/lib.rs:8".to_owned(), UseClass::Code),
            ("src/lib.rs:9".to_owned(), UseClass::ReExport),
        ]
    );
    let files = [
        ("pkg/lamp.py", "def light():\n    pass\n"),
        (
            "pkg/__init__.py",
            "from .lamp import (\n    light,\n)\nlight()\n",
        ),
        (
            "pkg/pier/__init__.py",
            "from pkg.lamp import light\nlight()\n",
        ),
    ];
    assert_eq!(
        classes_of(&files, "pkg/lamp.py#light"),
        [
            ("pkg/__init__.py:2".to_owned(), UseClass::ReExport),
            ("pkg/__init__.py:4".to_owned(), UseClass::Code),
            ("pkg/pier/__init__.py:1".to_owned(), UseClass::ReExport),
            ("pkg/pier/__init__.py:2".to_owned(), UseClass::Code),
        ]
    );
}

/// Returns the lines that use a definition, with their classes, in order.
fn classes_of(files: &[(&str, &str)], definition: &str) -> Vec<(String, UseClass)> {
    let mut classes: Vec<_> = ask(files, about(definition, &[Aspect::Impact]))
        .impact
        .iter()
        .filter_map(|one| Some((format!("{}:{}", one.path, one.line), one.class?)))
        .collect();
    classes.sort_by(|(one, _), (other, _)| one.cmp(other));
    classes
}

#[test]
fn what_nothing_defines_is_no_result() {
    let answer = ask(&DOCS, symbol("load_al"));
    assert_eq!(answer.status, UnderstandStatus::NoResults);
    assert!(answer.hint.unwrap().contains("`load_all`"));
    assert!(answer.impact.is_empty() && answer.structure.is_empty());
}

#[test]
fn none_of_several_definitions_is_chosen() {
    let files = [
        ("a.py", "def run():\n    pass\n"),
        ("b.py", "def run():\n    pass\n"),
    ];
    let answer = ask(&files, symbol("run"));
    assert_eq!(answer.status, UnderstandStatus::Ambiguous);
    assert_eq!((answer.structure.len(), answer.impact.len()), (2, 0));
    let one = UnderstandOptions {
        paths: Some(vec!["b.py".to_owned()]),
        ..symbol("run")
    };
    assert_eq!(ask(&files, one).status, UnderstandStatus::Ok);
}

#[test]
fn a_project_at_a_glance() {
    let answer = ask(&DOCS, NO_UNDERSTAND_OPTIONS);
    assert_eq!(answer.scope, UnderstandScope::Project);
    let told: Vec<(StructureKind, &str, &str)> = answer
        .structure
        .iter()
        .map(|one| (one.kind, one.path.as_str(), one.text.as_str()))
        .collect();
    assert_eq!(
        told,
        [
            (
                StructureKind::EntryPoint,
                "README.md",
                "A tool that reads files."
            ),
            (StructureKind::Directory, "docs", ""),
            (StructureKind::Directory, "src", ""),
            (StructureKind::EntryPoint, "src/main.py", ""),
        ]
    );
    assert_eq!(answer.hot_spots[0].path, "docs/api.md");
    let summarised: Vec<&str> = answer.summary.iter().map(|one| one.path.as_str()).collect();
    // A description that is shown above is not repeated.
    assert_eq!(summarised, ["docs/faq.md"]);
}

#[test]
fn definitions_of_a_file() {
    let answer = ask(
        &DOCS,
        about("src/load.py", &[Aspect::Structure, Aspect::HotSpots]),
    );
    let names: Vec<_> = answer
        .structure
        .iter()
        .map(|one| one.name.as_deref())
        .collect();
    assert_eq!(
        names,
        [Some("load_all"), Some("Loader"), Some("Loader.run")]
    );
    assert_eq!(answer.hot_spots[0].symbol.as_deref(), Some("load_all"));
    assert_eq!(answer.hot_spots[0].files, 3);
}

#[test]
fn what_does_not_fit_comes_with_the_cursor() {
    let files: Vec<(String, String)> = (0..200)
        .map(|number| {
            let text = format!("# Note {number}\n\nIt is about subject {number} of all.\n");
            (format!("notes/{number:03}.md"), text)
        })
        .collect();
    let files: Vec<(&str, &str)> = files
        .iter()
        .map(|(a, b)| (a.as_str(), b.as_str()))
        .collect();
    let mut docent = docent(&files);
    let mut options = UnderstandOptions {
        aspects: Some(vec![Aspect::Summary]),
        limits: Some(UnderstandLimits {
            max_chars: Some(1_000),
            max_files: None,
            timeout_ms: None,
        }),
        ..NO_UNDERSTAND_OPTIONS
    };
    let mut seen = Vec::new();
    loop {
        let answer = docent.understand(Some(options.clone())).unwrap();
        seen.extend(answer.summary.iter().map(|one| one.path.clone()));
        assert_eq!(answer.degraded, answer.next_cursor.is_some());
        options.cursor = answer.next_cursor;
        if options.cursor.is_none() {
            break;
        }
    }
    assert_eq!(seen.len(), 200);
    options.goal = Some("subject 123".to_owned());
    let answer = docent.understand(Some(options)).unwrap();
    assert_eq!(answer.summary[0].path, "notes/123.md");
}

#[test]
fn what_cannot_be_meant_is_refused() {
    for (options, expected) in [
        (
            about("gone.md", &[Aspect::Impact]),
            ErrorCode::DocumentNotFound,
        ),
        (
            about("src/load.py:3", &[Aspect::Impact]),
            ErrorCode::InvalidRequest,
        ),
        (about("src", &[]), ErrorCode::InvalidRequest),
        (symbol(" "), ErrorCode::InvalidRequest),
        (
            UnderstandOptions {
                scope: Some(UnderstandScope::File),
                ..about("src", &[Aspect::Impact])
            },
            ErrorCode::InvalidRequest,
        ),
        (
            UnderstandOptions {
                cursor: Some("x".to_owned()),
                ..NO_UNDERSTAND_OPTIONS
            },
            ErrorCode::InvalidCursor,
        ),
    ] {
        let shown = format!("{options:?}");
        let error = docent(&DOCS).understand(Some(options)).unwrap_err();
        assert_eq!(error.code, expected, "{shown}");
    }
}

#[test]
fn files_that_are_not_read_are_told() {
    let options = UnderstandOptions {
        limits: Some(UnderstandLimits {
            max_chars: None,
            max_files: Some(2),
            timeout_ms: None,
        }),
        ..about("docs/api.md", &[Aspect::Impact])
    };
    let answer = ask(&DOCS, options);
    assert!(answer.degraded && answer.stats.read == 2);
    assert_eq!(answer.reasons, [Degradation::MaxFiles]);
}

#[test]
fn what_there_was_no_time_for_is_told_and_not_called_broken() {
    let files: Vec<(String, String)> = (0..200)
        .map(|number| {
            let next = (number * 7 + 3) % 200;
            let text = format!("# Note {number}\n\n[next]({next:03}.md) and {next:03}.md\n");
            (format!("{number:03}.md"), text)
        })
        .collect();
    let disk = MemoryDisk::with_roots(&["docs"]);
    for (path, text) in &files {
        disk.write("docs", path, text.as_bytes());
    }
    let aspects = [Aspect::Dependencies, Aspect::Impact, Aspect::Summary];
    let mut options = about("007.md", &aspects);
    options.limits = Some(UnderstandLimits {
        max_chars: Some(200_000),
        max_files: None,
        timeout_ms: Some(1_000),
    });
    let whole = Docent::new(disk.clone(), ToolSettings::default())
        .understand(Some(options.clone()))
        .unwrap();
    assert!(!whole.degraded, "{:?}", whole.reasons);
    let mut cuts = 0;
    for looks in 0..40 {
        let mut looked = 0;
        disk.set_clock(move || {
            looked += 1;
            if looked > looks { 5_000 } else { 0 }
        });
        let mut docent = Docent::new(disk.clone(), ToolSettings::default());
        let cut = docent.understand(Some(options.clone())).unwrap();
        assert_eq!(cut.degraded, !cut.reasons.is_empty());
        if cut.degraded {
            cuts += 1;
            assert_eq!(cut.reasons, [Degradation::Timeout]);
        }
        assert_eq!(
            cut.stats.references.unwrap().broken,
            0,
            "after {looks} looks"
        );
        for one in &cut.impact {
            assert!(whole.impact.contains(one), "{one:?}");
        }
        for one in &cut.dependencies {
            assert!(whole.dependencies.contains(one), "{one:?}");
        }
    }
    assert!(cuts > 10, "{cuts}");
}

#[test]
fn what_a_file_said_before_it_changed_is_not_believed() {
    let disk = MemoryDisk::with_files(&DOCS);
    let mut warm = Docent::new(disk.clone(), ToolSettings::default());
    let check = |warm: &mut Docent<MemoryDisk>, what: &str| {
        for options in [
            NO_UNDERSTAND_OPTIONS,
            about("docs", &[Aspect::Dependencies, Aspect::Impact]),
            symbol("load_all"),
        ] {
            let mut fresh = Docent::new(disk.clone(), ToolSettings::default());
            let mut fresh = fresh.understand(Some(options.clone())).unwrap();
            let mut own = warm.understand(Some(options)).unwrap();
            (own.stats.elapsed_ms, fresh.stats.elapsed_ms) = (0, 0);
            assert_eq!(own, fresh, "{what}");
        }
    };
    check(&mut warm, "at first");
    // The text has the same length, so neither its length nor its name reveals the change.
    let (_, text) = DOCS[2];
    disk.write("docs", "docs/api.md", text.replace("Use", "Gas").as_bytes());
    check(&mut warm, "after a write");
    disk.remove("docs", "docs/api.md");
    disk.write("docs", "docs/interface.md", text.as_bytes());
    check(&mut warm, "after a rename");
    disk.remove("docs", "src/load.py");
    check(&mut warm, "after a removal");
    disk.write("docs", "docs/api.md", b"# API\n\n## No\n");
    disk.write("docs", "src/new/load.py", b"def load_all():\n    pass\n");
    check(&mut warm, "after files were made");
}

#[test]
fn warm_and_fresh_answers_are_the_same() {
    let mut warm = docent(&DOCS);
    for _ in 0..2 {
        for options in [
            NO_UNDERSTAND_OPTIONS,
            about("docs/guide.md", &[Aspect::Impact]),
        ] {
            let mut own = warm.understand(Some(options.clone())).unwrap();
            let mut fresh = ask(&DOCS, options);
            (own.stats.elapsed_ms, fresh.stats.elapsed_ms) = (0, 0);
            assert_eq!(own, fresh);
        }
    }
}

#[test]
fn packages_that_are_imported_as_a_whole_are_told_once() {
    let mut files = vec![
        ("go.mod", "module example.org/m\n"),
        (
            "main.go",
            "package main\n\nimport (\n\t\"example.org/m/few\"\n\t\"example.org/m/many\"\n)\n",
        ),
        (
            "other.go",
            "package main\n\nimport \"example.org/m/many\"\n",
        ),
        ("few/a.go", "package few\n"),
        ("few/b.go", "package few\n"),
        ("docs/a.md", "[b](b.md) [c](c.md)\n"),
        ("docs/b.md", "# B\n"),
        ("docs/c.md", "# C\n"),
    ];
    let many: Vec<String> = (0..9).map(|number| format!("many/{number}.go")).collect();
    files.extend(
        many.iter()
            .map(|path| (&**path, "// Package many counts.\npackage many\n")),
    );
    let options = UnderstandOptions {
        aspects: Some(vec![Aspect::HotSpots]),
        ..NO_UNDERSTAND_OPTIONS
    };
    let spots = ask(&files, options).hot_spots;
    let mut told: Vec<(&str, u32)> = spots.iter().map(|spot| (&*spot.path, spot.files)).collect();
    told.sort_unstable();
    let expected = [
        ("docs/b.md", 1),
        ("docs/c.md", 1),
        ("few/", 1),
        ("many/", 2),
    ];
    assert_eq!(told, expected);
    let many = spots.iter().position(|spot| spot.path == "many/");
    let few = spots.iter().position(|spot| spot.path == "few/");
    assert!(many < few, "{spots:?}");
}

#[test]
fn what_refers_to_something_is_told_with_the_documents_that_were_not_read() {
    let impact = |path: &str, symbol: Option<&str>, files: &[(&str, &str)]| {
        let options = UnderstandOptions {
            symbol: symbol.map(str::to_owned),
            ..about(path, &[Aspect::Impact])
        };
        ask(files, options).breaks.unwrap_or_default()
    };
    let mut files = DOCS.to_vec();
    for (path, symbol) in [
        ("docs/api.md", None),
        ("src/load.py", Some("load_all")),
        ("README.md", None),
    ] {
        let read = impact(path, symbol, &files);
        assert!(!read.contains("Not looked at"), "{read}");
    }
    files.extend([("a.docx", ""), ("b/c.pdf", ""), ("d.xlsx", "")]);
    let unread = "Not looked at: 3 documents that are not text, such as pdf or xlsx.";
    for (path, symbol) in [("docs/api.md", None), ("src/load.py", Some("load_all"))] {
        let said = impact(path, symbol, &files);
        assert!(
            said.starts_with("Renaming or deleting") || said.contains("break"),
            "{said}"
        );
        assert!(said.ends_with(unread), "{said}");
    }
    assert_eq!(impact("README.md", None, &files), unread);
}

#[test]
fn links_of_binary_documents_and_of_pages_lead_to_files() {
    let link = "{\\rtf1 See\\par {\\field{\\*\\fldinst HYPERLINK \"docs/api.md\"}{\\fldrslt api}}\\par \
                {\\field{\\*\\fldinst HYPERLINK \"gone.md\"}{\\fldrslt gone}}\\par}";
    let page =
        "<title>Page</title>\n<a href=\"../docs/api.md#use\">api</a><img src=\"gone.png\">\n";
    let mut files = DOCS.to_vec();
    files.extend([("memo.rtf", link), ("web/index.html", page)]);
    files.push(("web/old.md", "[page](index.html#made-by-a-script)\n"));
    let answer = ask(&files, about("docs/api.md", &[Aspect::Impact]));
    let impact = told(&answer.impact);
    for place in ["memo.rtf:3", "web/index.html:2"] {
        let expected = (
            place.to_owned(),
            "docs/api.md".to_owned(),
            ReferenceEnd::There,
        );
        assert!(impact.contains(&expected), "{impact:?}");
    }
    let breaks = answer.breaks.unwrap_or_default();
    let expected = "Deleting it would break 4 links in 3 files; moving it takes 2 links along, and \
                    not the others.";
    assert_eq!(breaks, expected);
    let answer = ask(&files, about("memo.rtf", &[Aspect::Dependencies]));
    let ends: Vec<ReferenceEnd> = answer.dependencies.iter().map(|one| one.end).collect();
    assert_eq!(ends, [ReferenceEnd::NoFile, ReferenceEnd::There]);
    // An address without a file may be completed by a program, and scripts add elements.
    let answer = ask(&files, about("web/index.html", &[Aspect::Dependencies]));
    assert_eq!(answer.dependencies.len(), 1);
    let answer = ask(&files, about("web/old.md", &[Aspect::Dependencies]));
    assert_eq!(answer.dependencies[0].end, ReferenceEnd::There);
}

#[test]
fn a_path_in_front_matter_is_a_reference_where_a_file_is_there() {
    let files = [
        ("a.md", "---\nnext: b.md\nlast: gone.md\n---\n"),
        ("b.md", "# B\n"),
    ];
    let answer = ask(&files, about("b.md", &[Aspect::Impact]));
    let expected = [("a.md:2".to_owned(), "b.md".to_owned(), ReferenceEnd::There)];
    assert_eq!(told(&answer.impact), expected);
    let answer = ask(&files, about("a.md", &[Aspect::Dependencies]));
    assert_eq!(told(&answer.dependencies), expected);
}

#[test]
fn a_link_that_leads_nowhere_is_told_with_the_nearest() {
    let answer = ask(
        &[
            (
                "index.md",
                "[a](recon-missmatch.md) [b](guides/on-call.md) [c](run.md#escalation-steps) [d](zzz.md)\n",
            ),
            ("recon-mismatch.md", "# Recon\n"),
            ("runbooks/on-call.md", "# On call\n"),
            ("run.md", "# Run\n\n## Escalation step\n\n## Other\n"),
        ],
        about("index.md", &[Aspect::Dependencies]),
    );
    let near: Vec<&[String]> = answer
        .dependencies
        .iter()
        .map(|one| &*one.candidates)
        .collect();
    let expected: [&[&str]; 4] = [
        &["recon-mismatch.md"],
        &["runbooks/on-call.md"],
        &["run.md#escalation-step"],
        &[],
    ];
    assert_eq!(near, expected);
    assert!(
        answer
            .dependencies
            .iter()
            .all(|one| one.end != ReferenceEnd::There)
    );
}
