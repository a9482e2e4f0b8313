//! An error in an argument of a tool.

use std::fmt;

/// Maximum characters of a wrong value that an error quotes.
const QUOTED_CHARS: usize = 40;

/// An error in an argument; displayed as the problem, then the expected value.
#[derive(Debug, PartialEq, Eq)]
pub enum ArgumentError {
    /// The tool has no such argument.
    Unknown {
        /// Name as it was given.
        name: String,
        /// Existing argument that was probably meant.
        nearest: Option<String>,
        /// Names of all arguments.
        names: Vec<String>,
    },
    /// It was given under two spellings.
    Twice {
        /// Canonical name.
        name: String,
    },
    /// It was given under two names, with values that differ.
    Differing {
        /// Both names, as they were given.
        names: [String; 2],
    },
    /// It is required and was not given.
    Missing {
        /// Canonical name.
        name: String,
        /// Description of the expected value.
        expected: String,
    },
    /// It is of another type.
    Mismatch {
        /// Canonical name.
        name: String,
        /// Value, truncated.
        value: String,
        /// Description of the expected value.
        expected: String,
    },
}

impl fmt::Display for ArgumentError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown {
                name,
                nearest: Some(nearest),
                ..
            } => {
                write!(
                    f,
                    "unknown argument `{name}`; expected `{nearest}`, which is the nearest"
                )
            }
            Self::Unknown { name, names, .. } if names.is_empty() => {
                write!(f, "unknown argument `{name}`; expected none")
            }
            Self::Unknown { name, names, .. } => {
                write!(
                    f,
                    "unknown argument `{name}`; expected one of `{}`",
                    names.join("`, `")
                )
            }
            Self::Twice { name } => {
                write!(f, "`{name}` is given twice; expected one spelling of it")
            }
            Self::Differing {
                names: [one, other],
            } => {
                write!(f, "`{one}` and `{other}` differ; expected one of them")
            }
            Self::Missing { name, expected } => {
                write!(f, "`{name}` is missing; expected {expected}")
            }
            Self::Mismatch {
                name,
                value,
                expected,
            } => {
                write!(f, "`{name}` is {value}; expected {expected}")
            }
        }
    }
}

impl std::error::Error for ArgumentError {}

/// Returns a caller's text in a form that an error can quote: truncated to 40 characters, without
/// control characters.
pub fn quote(text: &str) -> String {
    let visible = text
        .chars()
        .map(|c| if c.is_control() { '\u{fffd}' } else { c });
    let mut quoted: String = visible.clone().take(QUOTED_CHARS).collect();
    if visible.count() > QUOTED_CHARS {
        quoted.push_str("...");
    }
    quoted
}
