//! Every limit of this crate: its value, its unit, and the reason for it.

/// Characters of a value that are shown: with its path a line and a half of a terminal.
pub const VALUE_CHARS: usize = 120;

/// Characters of one key in a path that are shown; a longer one is data itself.
pub const KEY_CHARS: usize = 100;

/// Levels within levels that have entries of their own; what is deeper is a value as it stands.
/// People stop at ten, and a path of so many keys is longer than its value.
pub const LEVELS: usize = 48;

/// Bytes before a separator that may be a key of settings with blanks; more is a sentence.
pub const SPACED_KEY_BYTES: usize = 80;
