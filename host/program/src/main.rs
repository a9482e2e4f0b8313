//! Entry point of the program, which the library beside this file contains.
#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    docent::run()
}
