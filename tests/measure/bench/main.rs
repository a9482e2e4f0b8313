//! Measures docent against `rg`, `grep`, `fdfind` and `find`, and prints one table.
//!
//! ```sh
//! cargo run --profile dist -p docent-tests --bin bench
//! cargo run --profile dist -p docent-tests --bin bench -- [--docent PROGRAM] [PART...]
//! ```
//!
//! Parts are `search`, `pattern`, `meaning`, `find`, `edits` and `understand`; without any, all are
//! measured. A named program is measured instead of one that is built first. Whole processes run in
//! turn (A B C A B C …); each figure is the median of its runs. On PATH only these programs are
//! needed, and `python3` with numpy for `meaning`; rows of a missing program are left out.

#[cfg(target_os = "linux")]
mod corpus;
#[cfg(target_os = "linux")]
mod edits;
#[cfg(target_os = "linux")]
mod find;
#[cfg(target_os = "linux")]
mod inside;
#[cfg(target_os = "linux")]
mod meaning;
#[cfg(target_os = "linux")]
mod native;
#[cfg(target_os = "linux")]
mod pattern;
#[cfg(target_os = "linux")]
mod questions;
#[cfg(target_os = "linux")]
mod suite;
#[cfg(target_os = "linux")]
mod understand;

use std::process::ExitCode;

#[cfg(target_os = "linux")]
use docent_test_processes::{process, server, table};

#[cfg(target_os = "linux")]
fn main() -> ExitCode {
    let mut arguments = std::env::args_os().skip(1);
    let outcome = match arguments.next() {
        Some(word) if word == process::MEASURE => process::measure_one(arguments),
        Some(word) if word == inside::INSIDE => inside::measure_all(arguments),
        first => suite::Asked::parse(first.into_iter().chain(arguments)).and_then(suite::run),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("bench: {error}");
            ExitCode::FAILURE
        }
    }
}

#[cfg(not(target_os = "linux"))]
fn main() -> ExitCode {
    eprintln!("bench: this measures through /proc; expected Linux");
    ExitCode::FAILURE
}
