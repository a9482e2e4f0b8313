//! Measures docent on large trees against `rg`, `fdfind` and `find`, and prints one table with the
//! goals.
//!
//! ```sh
//! just bench-large [--program PROGRAM] [--rounds N] [--two-million] [--remove] [PART...]
//! ```
//!
//! Parts are `small` (16 500 documents), `large` (100 000 documents), `files` (1 000 000 files) and
//! `counts` (the instructions of the same jobs on smaller trees); without any, all are measured.
//! The trees are made once below the target directory, 1.1 GB; `--remove` removes them, as
//! `cargo clean` does. A named program is measured instead of one that is built first.
//!
//! Times are medians of runs in turn (A B A B …), but other work on the machine changes them all
//! the same. Instructions do not depend on it. They are counted by `perf`, or by `valgrind` where
//! the machine has no counters.

#[cfg(target_os = "linux")]
mod arguments;
#[cfg(target_os = "linux")]
mod counter;
#[cfg(target_os = "linux")]
mod documents;
#[cfg(target_os = "linux")]
mod files;
#[cfg(target_os = "linux")]
mod goals;
#[cfg(target_os = "linux")]
mod jobs;
#[cfg(target_os = "linux")]
mod newest;
#[cfg(target_os = "linux")]
mod sessions;
#[cfg(target_os = "linux")]
mod suite;

use std::process::ExitCode;

#[cfg(target_os = "linux")]
fn main() -> ExitCode {
    use docent_test_processes::process::{MEASURE, measure_one};

    let mut words = std::env::args_os().skip(1);
    let outcome = match words.next() {
        Some(word) if word == MEASURE => measure_one(words),
        first => arguments::Arguments::parse(first.into_iter().chain(words)).and_then(suite::run),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("bench-large: {error}");
            ExitCode::FAILURE
        }
    }
}

#[cfg(not(target_os = "linux"))]
fn main() -> ExitCode {
    eprintln!("bench-large: this measures through /proc; expected Linux");
    ExitCode::FAILURE
}
