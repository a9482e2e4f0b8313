//! Notes on stderr, beside the output.

use std::fmt::Display;
use std::io::{self, Write as _};

/// Writes one or more lines to stderr.
pub fn say(text: impl Display) {
    // The note and its line break are written at once, so that notes of several threads do not
    // mix within a line. A closed stderr is ignored: it must not end a server.
    let _ = io::stderr()
        .lock()
        .write_all(format!("{text}\n").as_bytes());
}

/// Writes a note of the program.
pub fn note(text: impl Display) {
    say(format_args!("docent: {text}"));
}
