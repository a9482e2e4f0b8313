//! Completeness: every file of these tests is used, and the crate depends on no other crate of
//! docent.

use std::collections::BTreeSet;
use std::path::Path;

use crate::cases;

/// Returns the names of the files in a directory.
fn names(directory: &Path) -> BTreeSet<String> {
    std::fs::read_dir(directory)
        .expect("the directory is there")
        .map(|entry| entry.expect("it can be listed").file_name())
        .map(|name| name.into_string().expect("it is text"))
        .collect()
}

#[test]
fn every_module_is_in_the_program() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it");
    let main = std::fs::read_to_string(directory.join("main.rs")).expect("it is there");
    let expected: BTreeSet<String> = main
        .lines()
        .filter_map(|line| line.strip_prefix("mod ")?.strip_suffix(';'))
        .map(|module| format!("{module}.rs"))
        .chain(["main.rs".to_owned()])
        .collect();
    assert_eq!(names(&directory), expected);
}

#[test]
fn there_is_one_program() {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let expected = ["cases", "it"].map(str::to_owned);
    assert_eq!(names(&tests), BTreeSet::from(expected));
}

#[test]
fn every_case_has_a_test_and_a_skeleton() {
    let expected: BTreeSet<String> = cases::FILES
        .iter()
        .flat_map(|file| [(*file).to_owned(), format!("{file}.skeleton")])
        .collect();
    assert_eq!(names(&cases::directory()), expected);
}

#[test]
fn no_crate_of_docent_is_below_this_one() {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml");
    let manifest = std::fs::read_to_string(manifest).expect("it is there");
    let (_, dependencies) = manifest
        .split_once("[dependencies]")
        .expect("it has dependencies");
    assert!(!dependencies.contains("docent"), "{dependencies}");
}
