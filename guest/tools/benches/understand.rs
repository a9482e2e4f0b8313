//! What it costs to know how the files of a directory hang together, beside the disk, from nothing
//! and again: `cargo bench -p docent-tools --bench understand -- DIR`.
#![expect(
    clippy::disallowed_macros,
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "a benchmark reads files, takes the time and prints what it measured"
)]

use std::error::Error;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use docent_tools::{Docent, Settings};
use docent_tree::memory::MemoryDisk;

/// What an instance keeps unless it is told otherwise.
const CACHE_BYTES: usize = 96 << 20;

const FIRST: usize = 5;
const AGAIN: usize = 15;

/// Copies the files of a directory into memory.
fn copy(directory: &Path) -> Result<MemoryDisk, Box<dyn Error>> {
    let disk = MemoryDisk::with_roots(&["tree"]);
    let mut left: Vec<PathBuf> = vec![directory.to_owned()];
    while let Some(place) = left.pop() {
        for entry in std::fs::read_dir(place)? {
            let path = entry?.path();
            if path.is_dir() {
                left.push(path);
            } else if let Some(name) = path.strip_prefix(directory)?.to_str() {
                disk.write("tree", name, &std::fs::read(&path)?);
            }
        }
    }
    Ok(disk)
}

fn timed(docent: &mut Docent<MemoryDisk>) -> Duration {
    let started = Instant::now();
    let answer = docent.understand(None);
    let time = started.elapsed();
    assert!(answer.is_ok(), "{answer:?}");
    time
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

fn main() -> Result<(), Box<dyn Error>> {
    // Cargo adds `--bench`.
    let directory = std::env::args_os()
        .skip(1)
        .find(|argument| !argument.to_string_lossy().starts_with("--"));
    let Some(directory) = directory else {
        println!("understand: name a directory to measure on");
        return Ok(());
    };
    let disk = copy(Path::new(&directory))?;
    let settings = Settings {
        cache_bytes: CACHE_BYTES,
        ..Settings::default()
    };
    let new = || Docent::new(disk.clone(), settings.clone());
    let first = (0..FIRST).map(|_| timed(&mut new())).collect();
    let mut docent = new();
    timed(&mut docent);
    let again = (0..AGAIN).map(|_| timed(&mut docent)).collect();
    println!(
        "understand: first {:.1?}, again {:.1?}",
        median(first),
        median(again)
    );
    Ok(())
}
