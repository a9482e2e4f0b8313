//! Tests that ARCHITECTURE.md is short, and that its drawing of the crates agrees with Cargo.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::forgotten::{metadata, workspace};

/// Maximum bytes of ARCHITECTURE.md, a page that is read before the first change.
const ARCHITECTURE_BYTES: usize = 20_000;

/// The line before the drawing, and the fence after it.
const DRAWING: (&str, &str) = ("\n```text\nguest/components/\n", "\n```\n");

/// The kind of a dependency between two crates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    /// `→ name`.
    Normal,
    /// `→ name?`.
    Optional,
    /// `⇢ name`: the build script uses it.
    Build,
}

/// A dependency between two crates, which are named by their directories below `guest` and `host`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Arrow {
    from: String,
    to: String,
    kind: Kind,
}

/// The crates of the workspace outside tests, and the dependencies between them.
#[derive(Debug, Default)]
struct Drawing {
    /// Crates from the top to the bottom.
    crates: Vec<String>,
    arrows: BTreeSet<Arrow>,
}

impl Drawing {
    /// Parses the rows of a drawing: a crate with its arrows, or crates without any. A name that
    /// ends with `/` is a heading.
    fn parse(text: &str) -> Self {
        let mut drawing = Self::default();
        for row in text.lines() {
            let (row, built_with) = row.split_once('⇢').unwrap_or((row, ""));
            let (names, used) = row.split_once('→').unwrap_or((row, ""));
            let names: Vec<&str> = names
                .split_whitespace()
                .filter(|name| !name.ends_with('/'))
                .collect();
            let used = used.split_whitespace().map(|name| (name, Kind::Normal));
            let built_with = built_with
                .split_whitespace()
                .map(|name| (name, Kind::Build));
            for (name, kind) in used.chain(built_with) {
                let (to, kind) = match name.strip_suffix('?') {
                    Some(to) => (to, Kind::Optional),
                    None => (name, kind),
                };
                let [from] = names[..] else {
                    panic!("`{row}` has arrows of {names:?}; expected one crate");
                };
                drawing.arrows.insert(Arrow {
                    from: from.to_owned(),
                    to: to.to_owned(),
                    kind,
                });
            }
            drawing.crates.extend(names.into_iter().map(str::to_owned));
        }
        drawing
    }

    /// Reads the drawing in ARCHITECTURE.md.
    fn from_architecture() -> Self {
        let text = architecture();
        let (start, end) = DRAWING;
        let (_, after) = text.split_once(start).unwrap();
        let (drawing, _) = after.split_once(end).unwrap();
        Self::parse(drawing)
    }

    /// Reads the manifests through Cargo.
    fn from_cargo() -> Self {
        let metadata = metadata(&workspace().join("Cargo.toml"));
        let root = Path::new(metadata["workspace_root"].as_str().unwrap());
        let packages: BTreeMap<&str, (String, &Value)> = metadata["packages"]
            .as_array()
            .unwrap()
            .iter()
            .filter_map(|package| {
                let manifest = Path::new(package["manifest_path"].as_str().unwrap());
                let directory = manifest.parent().unwrap().strip_prefix(root).unwrap();
                let is_test = directory.starts_with("tests");
                let name = directory.components().skip(1).collect::<PathBuf>();
                let name = name.to_string_lossy().replace('\\', "/");
                (!is_test).then(|| (package["name"].as_str().unwrap(), (name, package)))
            })
            .collect();
        let mut drawing = Self::default();
        for (from, package) in packages.values() {
            drawing.crates.push(from.clone());
            for dependency in package["dependencies"].as_array().unwrap() {
                let name = dependency["name"].as_str().unwrap();
                let Some((to, _)) = packages.get(name) else {
                    continue;
                };
                let kind = match dependency["kind"].as_str() {
                    Some("dev") => continue,
                    Some("build") => Kind::Build,
                    _ if dependency["optional"] == true => Kind::Optional,
                    _ => Kind::Normal,
                };
                drawing.arrows.insert(Arrow {
                    from: from.clone(),
                    to: to.clone(),
                    kind,
                });
            }
        }
        drawing
    }
}

fn architecture() -> String {
    fs::read_to_string(workspace().join("ARCHITECTURE.md")).unwrap()
}

#[test]
fn the_drawing_of_crates_is_that_of_cargo() {
    let (drawn, built) = (Drawing::from_architecture(), Drawing::from_cargo());
    let names = |drawing: &Drawing| -> BTreeSet<String> {
        let names: BTreeSet<String> = drawing.crates.iter().cloned().collect();
        assert_eq!(names.len(), drawing.crates.len(), "a name is there twice");
        names
    };
    assert_eq!(names(&drawn), names(&built));
    let missing: Vec<&Arrow> = built.arrows.difference(&drawn.arrows).collect();
    let invented: Vec<&Arrow> = drawn.arrows.difference(&built.arrows).collect();
    assert!(
        missing.is_empty() && invented.is_empty(),
        "ARCHITECTURE.md lacks {missing:#?}, and Cargo has no {invented:#?}"
    );
}

#[test]
fn crates_use_crates_further_down() {
    let drawn = Drawing::from_architecture();
    let row = |name: &str| drawn.crates.iter().position(|other| other == name);
    let upward: Vec<&Arrow> = drawn
        .arrows
        .iter()
        .filter(|arrow| row(&arrow.from) >= row(&arrow.to))
        .collect();
    assert!(upward.is_empty(), "these lead up: {upward:#?}");
}

#[test]
fn the_architecture_is_short() {
    let bytes = architecture().len();
    assert!(
        bytes <= ARCHITECTURE_BYTES,
        "ARCHITECTURE.md has {bytes} bytes"
    );
}

#[test]
fn rows_of_a_drawing() {
    let drawing = Drawing::parse("host/\n  a → b  c?   ⇢ d\n  b   ⇢ d\nguest/\n  c  d\n");
    assert_eq!(drawing.crates, ["a", "b", "c", "d"]);
    let arrows: Vec<(&str, &str, Kind)> = drawing
        .arrows
        .iter()
        .map(|arrow| (&*arrow.from, &*arrow.to, arrow.kind))
        .collect();
    assert_eq!(
        arrows,
        [
            ("a", "b", Kind::Normal),
            ("a", "c", Kind::Optional),
            ("a", "d", Kind::Build),
            ("b", "d", Kind::Build),
        ]
    );
}
