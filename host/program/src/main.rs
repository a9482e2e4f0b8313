//! Starts the program; the library beside this file says what it does.
#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    docent::run()
}
