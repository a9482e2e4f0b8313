//! Reads documents from other sources through the component, and reports the outcome and the time
//! of each.
//!
//! ```sh
//! cargo run --release -p docent-tests --bin foreign -- DIRECTORY [DAMAGES]
//! ```
//!
//! Each document is read unchanged, and then `DAMAGES` times with some bytes changed or its end
//! truncated, reproducibly.
#![forbid(unsafe_code)]

use std::collections::BTreeMap;
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use docent_host::grant::Right;
use docent_host::{CallError, Limits, Session, Settings};
use docent_tests::guest::{call, grant};
use serde_json::json;

/// Number of the slowest documents that are listed.
const SLOWEST: usize = 5;

/// The extensions of the documents to read.
const EXTENSIONS: [&str; 3] = ["docx", "xlsx", "pdf"];

fn main() -> ExitCode {
    let Some(directory) = std::env::args_os().nth(1) else {
        eprintln!("foreign: no documents were named; expected a directory");
        return ExitCode::FAILURE;
    };
    let damages = std::env::args().nth(2).and_then(|n| n.parse().ok());
    match run(&PathBuf::from(directory), damages.unwrap_or(0)) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("foreign: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Reads all documents below `directory`, and returns true if no call of the component failed.
fn run(directory: &Path, damages: u64) -> Result<bool, Box<dyn Error>> {
    let mut files = Vec::new();
    collect(directory, &mut files)?;
    files.sort();
    if files.is_empty() {
        return Err("the directory holds no such document".into());
    }
    // File names in archives may be hidden or strange, so the copies are numbered.
    let tree = tempfile::tempdir()?;
    let mut ends: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut times: Vec<(Duration, String)> = Vec::new();
    let (mut bytes, mut text_bytes, mut is_sound) = (0, 0, true);
    let limits = Limits {
        cache: 0,
        ..Limits::default()
    };
    let grants = grant(tree.path(), Right::ReadOnly);
    let mut session = Session::load(grants, Settings::default(), limits)?;
    let all = files
        .iter()
        .flat_map(|file| (0..=damages).map(move |n| (file, n)));
    for (index, (file, damage)) in all.enumerate() {
        let shown = file.strip_prefix(directory).unwrap_or(file).display();
        let shown = if damage == 0 {
            shown.to_string()
        } else {
            format!("{shown} (damage {damage})")
        };
        let extension = file.extension().unwrap_or_default().to_string_lossy();
        let name = format!("{index}.{}", extension.to_lowercase());
        let content = damaged(fs::read(file)?, damage);
        bytes += content.len();
        fs::write(tree.path().join(&name), content)?;
        let started = Instant::now();
        let outcome = call(&mut session, "read-document", json!({ "path": name }));
        times.push((started.elapsed(), shown.clone()));
        let end = match outcome {
            Ok(answer) => {
                text_bytes += answer["text"].as_str().map_or(0, str::len);
                "read".to_owned()
            }
            Err(CallError::Refused(refusal)) => {
                format!("{}: {}", refusal.code, refusal.message.replace(&name, "…"))
            }
            Err(CallError::Fault(fault)) => {
                is_sound = false;
                format!("FAULT: {fault}")
            }
        };
        fs::remove_file(tree.path().join(&name))?;
        ends.entry(end).or_default().push(shown);
    }
    println!(
        "{} documents, {bytes} bytes, {text_bytes} bytes of text",
        times.len()
    );
    for (end, files) in &ends {
        println!("\n{:5}  {end}", files.len());
        if end != "read" {
            files.iter().for_each(|file| println!("       {file}"));
        }
    }
    let total: Duration = times.iter().map(|(time, _)| *time).sum();
    times.sort();
    let median = times[times.len() / 2].0;
    println!("\n{total:.2?} in all, {median:.2?} in the median; the slowest:");
    for (time, file) in times.iter().rev().take(SLOWEST) {
        println!("{time:10.2?}  {file}");
    }
    Ok(is_sound)
}

/// Returns a document with the damage of this number; undamaged for 0.
fn damaged(mut content: Vec<u8>, number: u64) -> Vec<u8> {
    if number == 0 || content.is_empty() {
        return content;
    }
    let mut state = number;
    let mut below = |end: usize| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        // Less than `end`, which is a length.
        ((state >> 33) % end as u64) as usize
    };
    if number.is_multiple_of(4) {
        let length = below(content.len());
        content.truncate(length);
        return content;
    }
    for _ in 0..=content.len() / 500 {
        let at = below(content.len());
        content[at] = below(256) as u8;
    }
    content
}

fn collect(directory: &Path, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    for entry in fs::read_dir(directory)? {
        let entry = entry?;
        let path = entry.path();
        if entry.file_type()?.is_dir() {
            collect(&path, files)?;
        } else if path.extension().is_some_and(|extension| {
            EXTENSIONS
                .iter()
                .any(|own| extension.eq_ignore_ascii_case(own))
        }) {
            files.push(path);
        }
    }
    Ok(())
}
