//! Notes on stderr, beside the output.

use std::fmt::Display;
use std::io::{self, Write as _};

/// Writes one or more lines to stderr.
pub fn say(text: impl Display) {
    // In a single write, because several threads may write notes. A closed stderr is ignored.
    let _ = io::stderr()
        .lock()
        .write_all(format!("{text}\n").as_bytes());
}

/// Writes a note of the program.
pub fn note(text: impl Display) {
    say(format_args!("docent: {text}"));
}
