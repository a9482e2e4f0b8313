//! Tests that no file is forgotten: no Rust file is outside all targets, and no recorded failure of
//! a property test is orphaned.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

/// Returns the directory of the workspace.
pub fn workspace() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap().to_owned()
}

/// Returns all files of the workspace, except hidden ones and build output.
pub fn files() -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut left = vec![workspace()];
    while let Some(directory) = left.pop() {
        for entry in fs::read_dir(directory).unwrap() {
            let entry = entry.unwrap();
            let name = entry.file_name().to_string_lossy().into_owned();
            let is_built = name == "target" || entry.path().join("CACHEDIR.TAG").exists();
            if name.starts_with('.') || is_built {
                continue;
            }
            if entry.file_type().unwrap().is_dir() {
                left.push(entry.path());
            } else {
                files.push(entry.path());
            }
        }
    }
    files
}

/// Returns the metadata of a package or workspace, without that of its dependencies.
pub fn metadata(manifest: &Path) -> Value {
    let output = Command::new(env!("CARGO"))
        .args([
            "metadata",
            "--format-version",
            "1",
            "--offline",
            "--no-deps",
        ])
        .arg("--manifest-path")
        .arg(manifest)
        .output()
        .unwrap();
    serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&output.stderr)))
}

/// Returns the root files of all targets of a package or workspace.
fn targets(manifest: &Path) -> Vec<PathBuf> {
    let metadata = metadata(manifest);
    let packages = metadata["packages"].as_array().unwrap().iter();
    packages
        .flat_map(|package| package["targets"].as_array().unwrap())
        .map(|target| PathBuf::from(target["src_path"].as_str().unwrap()))
        .collect()
}

/// Adds a file and the files of its modules.
fn add(file: PathBuf, is_target: bool, compiled: &mut BTreeSet<PathBuf>) {
    let text = fs::read_to_string(&file).unwrap();
    let directory = file.parent().unwrap().to_owned();
    let is_whole_directory = is_target || file.file_name().is_some_and(|name| name == "mod.rs");
    let inside = if is_whole_directory {
        directory.clone()
    } else {
        file.with_extension("")
    };
    let canonical = file.canonicalize().unwrap();
    if !compiled.insert(canonical) {
        return;
    }
    let mut path = None;
    for line in text.lines().map(str::trim) {
        if let Some(quoted) = line.strip_prefix("#[path = \"") {
            path = quoted.split('"').next().map(|path| directory.join(path));
        }
        let Some(module) = module(line) else { continue };
        let candidates = [
            path.take(),
            Some(inside.join(format!("{module}.rs"))),
            Some(inside.join(module).join("mod.rs")),
        ];
        let found = candidates.into_iter().flatten().find(|path| path.is_file());
        // There is no file for a module that a macro declares, or that is for another system.
        if let Some(found) = found {
            add(found, false, compiled);
        }
    }
}

/// Returns the name of the module that a line declares to be in its own file.
fn module(line: &str) -> Option<&str> {
    let (before, name) = line.strip_suffix(';')?.rsplit_once("mod ")?;
    let is_declared = before.is_empty() || before.trim_end().starts_with("pub");
    is_declared.then_some(name.trim())
}

#[test]
fn every_rust_file_is_compiled() {
    let files = files();
    let manifests = files.iter().filter(|file| file.ends_with("Cargo.toml"));
    let mut compiled = BTreeSet::new();
    for manifest in manifests {
        for target in targets(manifest) {
            add(target, true, &mut compiled);
        }
    }
    assert!(compiled.len() > 100, "{compiled:?}");
    // Files in `cases` are the texts of a test that lists them itself.
    let is_text = |file: &Path| file.parent().is_some_and(|p| p.ends_with("cases"));
    let rust = files
        .iter()
        .filter(|file| file.extension().is_some_and(|e| e == "rs") && !is_text(file));
    let forgotten: Vec<&PathBuf> = rust
        .filter(|file| !compiled.contains(&file.canonicalize().unwrap()))
        .collect();
    assert!(forgotten.is_empty(), "no target has {forgotten:#?}");
}

#[test]
fn every_failure_that_is_kept_is_tried() {
    let stale: Vec<PathBuf> = files()
        .into_iter()
        .filter(|file| {
            let shown = file.to_string_lossy().into_owned();
            // The file for `src/a/b.rs` is `proptest-regressions/a/b.txt`, or else beside it.
            let source = if shown.ends_with(".proptest-regressions") {
                file.with_extension("rs")
            } else if shown.contains("/proptest-regressions/") {
                let source = shown.replace("/proptest-regressions/", "/src/");
                PathBuf::from(source).with_extension("rs")
            } else {
                return false;
            };
            !source.is_file()
        })
        .collect();
    assert!(stale.is_empty(), "whose tests are gone: {stale:#?}");
}

#[test]
fn declarations_of_modules() {
    for (line, expected) in [
        ("mod a;", Some("a")),
        ("pub mod a;", Some("a")),
        ("pub(crate) mod a_b;", Some("a_b")),
        ("mod a {", None),
        ("// mod a;", None),
        ("let a = mod b;", None),
        ("use a::mod_b;", None),
    ] {
        assert_eq!(module(line), expected, "{line}");
    }
}
