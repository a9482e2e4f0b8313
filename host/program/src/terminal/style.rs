//! The style of output: its layout, its colours, and escaped text.

use std::fmt::{self, Write as _};
use std::path::Path;

pub use docent_host::tools::{visible, visible_lines};

/// The layout of the output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// Documents as headings, hits below.
    Headings,
    /// `PATH:LINE: EXCERPT`.
    Lines,
    /// One JSON object per line.
    Json,
}

/// The colours and links of the output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Paint {
    /// Colours and links.
    Full,
    /// Colours only.
    Colors,
    /// Neither.
    Plain,
}

/// The style of paths for programs, even on a terminal.
pub const BARE: (Layout, Paint) = (Layout::Lines, Paint::Plain);

/// An ANSI sequence that begins a style; [`RESET`] ends it.
#[derive(Clone, Copy)]
pub struct Style(&'static str);

// As in grep, whose users know these colours.
/// A path.
pub const PATH: Style = Style("\x1b[35m");
/// A line number.
pub const LINE: Style = Style("\x1b[32m");
/// A match.
pub const HIT: Style = Style("\x1b[1;31m");
/// A heading in a text.
pub const HEADING: Style = Style("\x1b[1m");
/// The file names above a diff, as in git.
pub const FILE_NAME: Style = Style("\x1b[1m");
/// The position of a hunk in a diff.
pub const HUNK: Style = Style("\x1b[36m");
/// An added line.
pub const ADDED_LINE: Style = Style("\x1b[32m");
/// A removed line.
pub const REMOVED_LINE: Style = Style("\x1b[31m");
/// Secondary information.
pub const DIM: Style = Style("\x1b[2m");
const RESET: &str = "\x1b[0m";

impl Paint {
    /// Returns `text` in a style.
    pub fn style(self, style: Style, text: impl fmt::Display) -> String {
        match self {
            Self::Plain => text.to_string(),
            Self::Full | Self::Colors => format!("{}{text}{RESET}", style.0),
        }
    }

    /// Returns `text` as a hyperlink for terminals (OSC 8).
    pub fn link(self, target: &Path, text: &str) -> String {
        match self {
            Self::Full => format!("\x1b]8;;{}\x1b\\{text}\x1b]8;;\x1b\\", file_url(target)),
            Self::Colors | Self::Plain => text.to_owned(),
        }
    }
}

fn file_url(path: &Path) -> String {
    let mut url = String::from("file://");
    // The address is made from bytes: a path need not be UTF-8, and terminals decode percent
    // escapes to bytes.
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

/// Formats a number with its noun: `1 hit`, `2 hits`.
pub fn count_noun(number: u64, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}
