//! How output looks: its layout, its colours, and text that cannot steer a terminal.

use std::fmt::{self, Write as _};
use std::path::Path;

pub use docent_host::tools::{visible, visible_lines};

/// How the output is laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// Documents as headings, hits below.
    Headings,
    /// `PATH:LINE: EXCERPT`.
    Lines,
    /// One JSON object a line.
    Json,
}

/// Whether the output is coloured, and paths are links.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Paint {
    /// Colours and links.
    Full,
    /// Colours.
    Colors,
    /// Neither.
    Plain,
}

/// An ANSI sequence that begins a style; [`RESET`] ends it.
#[derive(Clone, Copy)]
pub struct Style(&'static str);

// The colours of grep for the same things: who reads its output knows them.
/// A path.
pub const PATH: Style = Style("\x1b[35m");
/// A line's number.
pub const LINE: Style = Style("\x1b[32m");
/// What was looked for.
pub const HIT: Style = Style("\x1b[1;31m");
/// A heading in a text.
pub const HEADING: Style = Style("\x1b[1m");
/// The names of a file above its difference, as git shows them.
pub const FILE_NAME: Style = Style("\x1b[1m");
/// Where in a file the lines of a difference stand.
pub const HUNK: Style = Style("\x1b[36m");
/// A line that comes.
pub const ADDED_LINE: Style = Style("\x1b[32m");
/// A line that goes.
pub const REMOVED_LINE: Style = Style("\x1b[31m");
/// What is beside the point.
pub const DIM: Style = Style("\x1b[2m");
const RESET: &str = "\x1b[0m";

impl Paint {
    /// Returns `text` in a style.
    pub fn styled(self, style: Style, text: impl fmt::Display) -> String {
        match self {
            Self::Plain => text.to_string(),
            Self::Full | Self::Colors => format!("{}{text}{RESET}", style.0),
        }
    }

    /// Returns `text` as a link that terminals can open (OSC 8).
    pub fn link(self, target: &Path, text: &str) -> String {
        match self {
            Self::Full => format!("\x1b]8;;{}\x1b\\{text}\x1b]8;;\x1b\\", file_url(target)),
            Self::Colors | Self::Plain => text.to_owned(),
        }
    }
}

fn file_url(path: &Path) -> String {
    let mut url = String::from("file://");
    // By bytes: a path need not be UTF-8, and terminals decode what they are given.
    for byte in path.as_os_str().as_encoded_bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'-' | b'_' | b'.' | b'~' => {
                url.push(char::from(*byte));
            }
            _ => {
                let _ = write!(url, "%{byte:02X}");
            }
        }
    }
    url
}

/// Returns a number with what it counts: `1 hit`, `2 hits`.
pub fn counted(number: u64, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}
