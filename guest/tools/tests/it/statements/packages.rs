//! Uses of a definition in Java and Go, where files of the same package name it without an import,
//! compared with a plain search for its name.

use std::collections::BTreeMap;

use docent_api::understanding::{Aspect, Reference, UnderstandOptions, UseClass};
use docent_tools::{Docent, NO_UNDERSTAND_OPTIONS, ToolSettings};
use docent_tree::memory::MemoryDisk;
use proptest::prelude::*;
use proptest::sample::select;

use super::{check, is_held, number_behind};

/// A language in which the name `Gear` is defined, in the first of its files.
#[derive(Debug)]
struct Kind {
    /// The file of the definition, and its text.
    home: (&'static str, &'static str),
    /// Files of its package.
    beside: [&'static str; 3],
    /// Files of other packages.
    elsewhere: [&'static str; 2],
    /// First lines of a file of its package, and of one in another package that imports it.
    heads: [&'static str; 2],
    /// Lines that use it in its package, each a line of code.
    inside: [&'static str; 4],
    /// Lines that use it from outside.
    outside: [&'static str; 2],
    /// Lines that contain its name, and use nothing.
    said: [&'static str; 2],
    /// Manifest of the root.
    manifest: (&'static str, &'static str),
}

const KINDS: [Kind; 2] = [
    Kind {
        home: ("src/p/Gear.java", "package p;\n\npublic class Gear {\n}\n"),
        beside: ["src/p/A.java", "src/p/GearBox.java", "test/p/GearTest.java"],
        elsewhere: ["src/q/Far.java", "src/q/Gears.java"],
        heads: ["package p;\n", "package q;\n\nimport p.Gear;\n"],
        inside: [
            "Gear gear = new Gear();",
            "void turn(Gear one) {}",
            "Object o = make(Gear.class);",
            "List<Gear> all;",
        ],
        outside: ["Gear gear = new Gear();", "List<Gear> all;"],
        said: ["// A Gear turns.", "String name = \"Gear\";"],
        manifest: ("pom.xml", "<project/>\n"),
    },
    Kind {
        home: ("p/gear.go", "package p\n\nfunc Gear() {}\n"),
        beside: ["p/a.go", "p/gearbox.go", "p/gear_test.go"],
        elsewhere: ["q/far.go", "q/r/gears.go"],
        heads: ["package p\n", "package q\n\nimport \"example.org/m/p\"\n"],
        inside: [
            "func a() { Gear() }",
            "var turn = Gear",
            "func b() { defer Gear() }",
            "func c() { go run(Gear) }",
        ],
        outside: ["func a() { p.Gear() }", "var turn = p.Gear"],
        said: ["// A Gear turns.", "const name = \"Gear\""],
        manifest: ("go.mod", "module example.org/m\n"),
    },
];

/// Lines that contain only a part of the name.
const OTHERS: [&str; 2] = ["var gears = 1;", "// Gears of a GearBox."];

/// A tree of one language: each file a list of lines below its head.
#[derive(Debug)]
struct Package {
    kind: &'static Kind,
    files: BTreeMap<&'static str, String>,
}

fn package() -> impl Strategy<Value = Package> {
    let lines = || prop::collection::vec((0..4u8, any::<prop::sample::Index>()), 0..5);
    let files = prop::collection::vec(lines(), 5);
    (select(&[0usize, 1][..]), files).prop_map(|(kind, files)| {
        let kind = &KINDS[kind];
        let paths = kind.beside.iter().chain(&kind.elsewhere).zip(files);
        let text = |path: &str, lines: Vec<(u8, prop::sample::Index)>| {
            let is_beside = kind.beside.contains(&path);
            let uses: &[&str] = if is_beside {
                &kind.inside
            } else {
                &kind.outside
            };
            let head = kind.heads[usize::from(!is_beside)];
            let lines = lines.into_iter().map(|(form, pick)| match form {
                0 => *pick.get(&kind.said[..]),
                1 => *pick.get(&OTHERS[..]),
                _ => *pick.get(uses),
            });
            let lines: Vec<&str> = lines.collect();
            format!("{head}\n{}\n", lines.join("\n"))
        };
        let mut files: BTreeMap<_, _> = paths
            .map(|(path, lines)| (*path, text(path, lines)))
            .collect();
        files.insert(kind.home.0, kind.home.1.to_owned());
        files.insert(kind.manifest.0, kind.manifest.1.to_owned());
        Package { kind, files }
    })
}

/// Returns the references to the definition, and the sentence about what would break.
fn uses(package: &Package) -> (Vec<Reference>, String) {
    let disk = MemoryDisk::with_roots(&["code"]);
    for (path, text) in &package.files {
        disk.write("code", path, text.as_bytes());
    }
    let options = UnderstandOptions {
        symbol: Some("Gear".to_owned()),
        aspects: Some(vec![Aspect::Impact]),
        ..NO_UNDERSTAND_OPTIONS
    };
    let answer = Docent::new(disk, ToolSettings::default()).understand(Some(options));
    let answer = answer.unwrap();
    assert_eq!(answer.next_cursor, None);
    (answer.impact, answer.breaks.unwrap_or_default())
}

#[test]
fn no_fewer_lines_are_told_than_a_search_finds() {
    check(200, package(), |package| {
        let (found, sentence) = uses(&package);
        let class = |path: &str, line: usize| {
            let own = found
                .iter()
                .find(|one| one.path == path && one.line as usize == line);
            own.and_then(|one| one.class)
        };
        let (mut uses, mut all) = (0, 0);
        for (path, text) in &package.files {
            for (number, line) in (1..).zip(text.lines()) {
                let is_own = *path == package.kind.home.0 && line.contains("Gear");
                if is_own || !is_held(line, "Gear") {
                    continue;
                }
                all += 1;
                let told = class(path, number);
                prop_assert!(told.is_some(), "{}:{} {:?}", path, number, found);
                // Lines of code break, whichever file imports it.
                let is_use =
                    package.kind.inside.contains(&line) || package.kind.outside.contains(&line);
                if is_use {
                    uses += 1;
                    let is_sure = matches!(told, Some(UseClass::Code | UseClass::Test));
                    prop_assert!(is_sure, "{}:{} {:?}", path, number, told);
                }
            }
        }
        prop_assert_eq!(found.len(), all);
        let bound = number_behind(&sentence, "up to ").unwrap_or_default();
        prop_assert!(bound >= uses, "{} of {}: {}", bound, uses, sentence);
        Ok(())
    });
}
