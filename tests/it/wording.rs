//! The program replaces phrases of the component for people at the command line. A phrase that the
//! component no longer says would stay in the table, and its replacement would be lost unnoticed.

use std::fs;
use std::path::{Path, PathBuf};

use super::forgotten::{files, workspace};

/// The table of the program.
const TABLE: &str = "host/program/src/terminal/wording.rs";

/// Phrases of fewer words may be put together at run time, such as `Leave limit out`.
const WORDS: usize = 4;

#[test]
fn replaced_phrases_are_said() {
    let read = |path: &Path| one_line(&fs::read_to_string(path).unwrap());
    let guest = workspace().join("guest");
    let is_source = |path: &&PathBuf| {
        let is_rust = path.extension().is_some_and(|extension| extension == "rs");
        is_rust && path.starts_with(&guest) && path.iter().any(|name| name == "src")
    };
    let all = files();
    let said: Vec<String> = all
        .iter()
        .filter(is_source)
        .map(|path| read(path))
        .collect();
    let table = read(&workspace().join(TABLE));
    let table = table
        .split("/// Arguments without an option.")
        .next()
        .unwrap();
    // Every string with an even number before it is text of the table: first the phrase, then its
    // replacement.
    let strings: Vec<&str> = table.split('"').skip(1).step_by(2).collect();
    let phrases = strings.chunks(2).map(|pair| pair[0]);
    let long: Vec<&str> = phrases
        .filter(|phrase| phrase.split_whitespace().count() >= WORDS)
        .collect();
    assert!(long.len() > 10, "{long:?}");
    let stale: Vec<&&str> = long
        .iter()
        .filter(|phrase| !said.iter().any(|text| text.contains(**phrase)))
        .collect();
    assert!(
        stale.is_empty(),
        "{TABLE} replaces what nothing says: {stale:?}"
    );
}

/// Returns Rust code with its continued strings on one line.
fn one_line(code: &str) -> String {
    let mut lines = code.lines();
    let mut joined = lines.next().unwrap_or_default().to_owned();
    for line in lines {
        match joined.strip_suffix('\\') {
            Some(begun) => joined = format!("{begun}{}", line.trim_start()),
            None => {
                joined.push('\n');
                joined.push_str(line);
            }
        }
    }
    joined
}
