//! The limits of this crate: value, unit, and the reason for each.

/// Maximum characters of a value in an answer: with its path a line and a half of a terminal.
pub const VALUE_CHARS: usize = 120;

/// Maximum characters of one key in a path; a longer one is data itself.
pub const KEY_CHARS: usize = 100;

/// Maximum nesting depth of entries; anything deeper is a value as written. People stop at ten, and
/// a path of so many keys is longer than its value.
pub const LEVELS: usize = 48;

/// Maximum bytes of a key with blanks before a separator; a longer text is a sentence.
pub const SPACED_KEY_BYTES: usize = 80;
