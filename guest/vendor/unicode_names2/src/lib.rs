//! In place of the crate of this name: its table of all character names would be a tenth of the
//! component, and nothing but the value of a Python string depends on it, of which no outline
//! tells.
#![deny(missing_docs)]
#![forbid(unsafe_code)]

/// Returns a character for any name, so that no string counts as malformed.
#[must_use]
pub fn character(_name: &str) -> Option<char> {
    Some(char::REPLACEMENT_CHARACTER)
}
