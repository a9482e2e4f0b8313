//! What is said beside the output, on stderr.

use std::fmt::Display;
use std::io::{self, Write as _};

/// Writes a line, or several, to stderr.
pub fn say(text: impl Display) {
    // At once, for several threads may have something to say. And whoever reads it may be gone,
    // which ends nothing.
    let _ = io::stderr()
        .lock()
        .write_all(format!("{text}\n").as_bytes());
}

/// Writes a note of the program.
pub fn note(text: impl Display) {
    say(format_args!("docent: {text}"));
}
