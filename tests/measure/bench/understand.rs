//! The cost of the link and import graph of a tree, in CPU time and memory of the server.

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use docent_test_processes::text;
use serde_json::json;

use crate::corpus::Corpus;
use crate::process::median;
use crate::server::Server;
use crate::table::Table;

/// Number of documents that link to each other.
const NOTES: usize = 4_000;

/// Number of links per document.
const LINKS: usize = 10;

/// Number of source files.
const CODE: usize = 2_000;

/// Maximum bytes of a source file: longer ones are generated.
const LONGEST: u64 = 200_000;

/// Number of server starts, each of which reads everything once.
const STARTS: usize = 5;

/// Number of calls to a server that has read everything.
const CALLS: usize = 15;

/// Memory limit of an instance, and so of the server: both caps concern memory.
const MEMORY: u64 = 512 << 20;

/// Measures the whole root of each tree, with a cold and with a warm cache.
///
/// # Errors
/// If a tree cannot be created, or a call fails.
pub fn measure(
    table: &mut Table,
    docent: &Path,
    corpus: &Corpus,
    target: &Path,
) -> Result<(), Box<dyn Error>> {
    let notes = made(&target.join("bench-understand/notes"), |into| {
        link_notes(corpus, into)
    })?;
    let code = made(&target.join("bench-understand/code"), copy_code)?;
    for (name, tree, cold, warm) in [
        ("4 000 notes", &notes, 400, Some(30)),
        ("2 000 files of Rust", &code, 1_500, None),
    ] {
        let size = bytes(tree)? as f64 / 1e6;
        let costs = costs(docent, tree)?;
        let what = format!("`understand`, {name} ({size:.0} MB)");
        let most = Some(Duration::from_millis(cold));
        table.add_time(&format!("{what}, first, CPU"), costs.first, most);
        let most = warm.map(Duration::from_millis);
        table.add_time(&format!("{what}, again, CPU"), costs.again, most);
        table.add_size(&format!("{what}, peak memory"), costs.peak, Some(MEMORY));
    }
    Ok(())
}

struct Costs {
    first: Duration,
    again: Duration,
    peak: u64,
}

fn costs(docent: &Path, tree: &Path) -> Result<Costs, Box<dyn Error>> {
    let ask = |server: &mut Server| -> Result<Duration, Box<dyn Error>> {
        let before = server.cpu()?;
        if !server.is_done("understand", &json!({}))? {
            return Err("`understand` was refused".into());
        }
        Ok(server.cpu()?.saturating_sub(before))
    };
    let mut first = Vec::new();
    for _ in 0..STARTS {
        first.push(ask(&mut Server::start(docent, tree, &[])?)?);
    }
    let mut server = Server::start(docent, tree, &[])?;
    ask(&mut server)?;
    let again: Vec<Duration> = (0..CALLS)
        .map(|_| ask(&mut server))
        .collect::<Result<_, _>>()?;
    Ok(Costs {
        first: median(first.into_iter()),
        again: median(again.into_iter()),
        peak: server.peak()?,
    })
}

/// Returns a directory, after `make` has filled it if it is incomplete.
fn made(
    home: &Path,
    make: impl FnOnce(&Path) -> Result<(), Box<dyn Error>>,
) -> Result<PathBuf, Box<dyn Error>> {
    let (directory, complete) = (home.join("tree"), home.join("complete"));
    if !complete.exists() {
        if home.exists() {
            fs::remove_dir_all(home)?;
        }
        eprintln!("making the tree in {}", directory.display());
        fs::create_dir_all(&directory)?;
        make(&directory)?;
        fs::write(&complete, "")?;
    }
    Ok(directory)
}

/// Copies the first documents of the corpus, and appends links to other documents to each.
fn link_notes(corpus: &Corpus, into: &Path) -> Result<(), Box<dyn Error>> {
    let mut notes = Vec::new();
    for path in files(&corpus.directory)? {
        notes.push(path.strip_prefix(&corpus.directory)?.to_owned());
    }
    notes.truncate(NOTES);
    for (number, note) in notes.iter().enumerate() {
        let mut text = fs::read_to_string(corpus.directory.join(note))?;
        text.push_str("\n## See also\n\n");
        for link in 1..=LINKS {
            // Near and far ones, always the same.
            let other = &notes[(number + link * link * link * 7) % notes.len()];
            let name = other.file_stem().unwrap_or_default().display();
            let line = format!("- [{name}](../../{}#see-also)\n", other.display());
            text.push_str(&line);
        }
        let path = into.join(note);
        fs::create_dir_all(path.parent().ok_or("a note lies in a folder")?)?;
        fs::write(path, text)?;
    }
    Ok(())
}

/// Copies crates from cargo's registry, with their manifests, until there is enough code.
fn copy_code(into: &Path) -> Result<(), Box<dyn Error>> {
    let sources = text::sources();
    let mut count = 0;
    for path in files(&sources)? {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let is_code = name.ends_with(".rs") && path.metadata()?.len() <= LONGEST;
        if !is_code && name != "Cargo.toml" {
            continue;
        }
        let copy = into.join(path.strip_prefix(&sources)?);
        fs::create_dir_all(copy.parent().ok_or("code lies in a folder")?)?;
        fs::copy(&path, copy)?;
        count += usize::from(is_code);
        if count == CODE {
            return Ok(());
        }
    }
    Err(format!("{} holds {count} files of code", sources.display()).into())
}

/// Returns all files below a directory, sorted by path.
fn files(directory: &Path) -> Result<Vec<PathBuf>, Box<dyn Error>> {
    let (mut found, mut left) = (Vec::new(), vec![directory.to_owned()]);
    while let Some(path) = left.pop() {
        for entry in fs::read_dir(&path)? {
            let entry = entry?;
            if entry.file_type()?.is_dir() {
                left.push(entry.path());
            } else {
                found.push(entry.path());
            }
        }
    }
    found.sort();
    Ok(found)
}

fn bytes(tree: &Path) -> Result<u64, Box<dyn Error>> {
    let sizes = files(tree)?.into_iter().map(|path| path.metadata());
    let sizes = sizes.map(|data| data.map(|data| data.len()));
    Ok(sizes.sum::<Result<u64, _>>()?)
}
