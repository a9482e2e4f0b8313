//! `docent grep`: every line that matches a pattern, as whole processes beside `rg` and the search
//! for the same words.

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

/// A pattern with the property that it measures.
struct Case {
    what: &'static str,
    pattern: &'static str,
    /// The same words for `docent search`, if it has a literal of three letters.
    words: Option<&'static str>,
}

const CASES: [Case; 5] = [
    Case {
        what: "a rare literal",
        pattern: "checksum",
        words: Some("checksum"),
    },
    Case {
        what: "a common literal",
        pattern: "the",
        words: Some("the"),
    },
    Case {
        what: "no literal",
        pattern: r"\d{4}-\d\d",
        words: None,
    },
    Case {
        what: "a literal at the end",
        pattern: r"\w+Error",
        words: Some("Error"),
    },
    Case {
        what: "a Korean word",
        pattern: "설정을",
        words: Some("설정을"),
    },
];

/// Maximum of a pattern with a literal, beside the search for its words.
const WORDS_RATIO: f64 = 1.3;

/// Maximum of a pattern without a literal, beside `rg`.
const RG_RATIO: f64 = 3.0;

/// Runs of each whole process, per tree.
const ROUNDS: [usize; 2] = [9, 3];

/// Measures `docent grep` and its peers in turn.
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
        for case in &CASES {
            measure_case(table, docent, &tree, case, (files, rounds))?;
        }
    }
    Ok(())
}

fn measure_case(
    table: &mut Table,
    docent: &Path,
    tree: &Path,
    case: &Case,
    (files, rounds): (usize, usize),
) -> Result<(), Box<dyn Error>> {
    let command = |program: &Path, words: &[&str]| {
        let mut command = vec![program.as_os_str().to_owned()];
        command.extend(words.iter().map(OsString::from));
        command.push(tree.as_os_str().to_owned());
        command
    };
    let mut commands = vec![command(docent, &["grep", case.pattern])];
    if is_there("rg") {
        let flags = ["-S", "-n", "--no-heading", case.pattern];
        commands.push(command(Path::new("rg"), &flags));
    } else {
        eprintln!("left out: `rg` is not on PATH");
    }
    let costs = in_turn(&commands, rounds)?;
    let row = format!("`docent grep`, {}, {files} files, CPU", case.what);
    let most = case.words.is_none().then_some(RG_RATIO);
    match costs.get(1) {
        Some(rg) => table.add_ratio(&row, costs[0].cpu, ("rg", rg.cpu), most),
        None => table.add_time(&row, costs[0].cpu, None),
    }
    let Some(words) = case.words else {
        return Ok(());
    };
    // Both print one line for each file, so that the searches are compared and not the output.
    let commands = [
        command(docent, &["grep", "-c", case.pattern]),
        command(docent, &["search", "-l", words]),
    ];
    let costs = in_turn(&commands, rounds)?;
    let row = format!("`docent grep -c`, {}, {files} files, CPU", case.what);
    table.add_ratio(
        &row,
        costs[0].cpu,
        ("docent search -l", costs[1].cpu),
        Some(WORDS_RATIO),
    );
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
