//! `docent grep` and `rg`: every line that matches a pattern, as whole processes.

use std::error::Error;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use crate::corpus::Corpus;
use crate::process::{in_turn, is_there};
use crate::table::Table;

/// Number of files of each of the two trees.
const FILES: [usize; 2] = [10_000, 100_000];

/// One of this many files is a note in Korean.
const KOREAN_EACH: usize = 100;

/// Text of such a note.
const KOREAN: &str =
    "# 회의록\n\n설정을 바꾸면 서버를 다시 시작해야 한다.\n교착 상태는 로그에 남는다.\n";

/// Patterns, each with the property that it measures.
const PATTERNS: [(&str, &str); 5] = [
    ("a rare literal", "checksum"),
    ("a common literal", "the"),
    ("no literal", r"\d{4}-\d\d"),
    ("a literal at the end", r"\w+Error"),
    ("a Korean word", "설정을"),
];

/// Runs of each whole process, per tree.
const ROUNDS: [usize; 2] = [9, 3];

/// Measures `docent grep` and `rg` in turn.
///
/// # Errors
/// If something cannot be created or run.
pub fn measure(
    table: &mut Table,
    docent: &Path,
    corpus: &Corpus,
    target: &Path,
) -> Result<(), Box<dyn Error>> {
    for (files, rounds) in FILES.into_iter().zip(ROUNDS) {
        let tree = in_target(target, corpus, files)?;
        for (what, pattern) in PATTERNS {
            let command = |program: &Path, flags: &[&str]| {
                let mut words = vec![program.as_os_str().to_owned()];
                words.extend(flags.iter().map(OsString::from));
                words.extend([pattern.into(), tree.as_os_str().to_owned()]);
                words
            };
            let mut commands = vec![command(docent, &["grep"])];
            if is_there("rg") {
                commands.push(command(Path::new("rg"), &["-S", "-n", "--no-heading"]));
            } else {
                eprintln!("left out: `rg` is not on PATH");
            }
            let costs = in_turn(&commands, rounds)?;
            let row = format!("`docent grep`, {what}, {files} files, CPU");
            match costs.get(1) {
                Some(rg) => table.add_ratio(&row, costs[0].cpu, ("rg", rg.cpu), None),
                None => table.add_time(&row, costs[0].cpu, None),
            }
        }
    }
    Ok(())
}

/// Returns a tree of `files` files below `target`, after creating it if it is incomplete: the
/// documents of the corpus, repeated as needed, with notes in Korean in between.
fn in_target(target: &Path, corpus: &Corpus, files: usize) -> Result<PathBuf, Box<dyn Error>> {
    let home = target.join(format!("bench-pattern/{files}"));
    let (directory, complete) = (home.join("docs"), home.join("complete"));
    if complete.exists() {
        return Ok(directory);
    }
    if home.exists() {
        fs::remove_dir_all(&home)?;
    }
    eprintln!("making {files} files in {}", directory.display());
    let documents = documents(&corpus.directory)?;
    for (number, document) in documents.iter().cycle().take(files).enumerate() {
        let copy = number / documents.len();
        let inside = document.strip_prefix(&corpus.directory)?;
        let path = directory.join(format!("copy-{copy}")).join(inside);
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        if number % KOREAN_EACH == 0 {
            fs::write(&path, KOREAN)?;
        } else {
            // A hard link adds a name without copying the bytes.
            fs::hard_link(document, &path)?;
        }
    }
    fs::write(&complete, "")?;
    Ok(directory)
}

/// Returns the paths of all documents of the corpus, in order.
fn documents(directory: &Path) -> Result<Vec<PathBuf>, Box<dyn Error>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(directory)? {
        let path = entry?.path();
        if path.is_dir() {
            found.extend(documents(&path)?);
        } else {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}
