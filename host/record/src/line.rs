//! An entry as it stands in its segment: one line of JSON.

use serde::{Deserialize, Serialize};

use crate::entry::Entry;
use crate::hash::Hash;

/// What stands before every entry.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Written {
    /// The number, from 0 on.
    pub seq: u64,
    /// The leaf hash of the line before; none for the first.
    pub prev: Option<Hash>,
    /// When it was written, as RFC 3339 has it, in UTC. Entries go by their numbers; a clock may be
    /// set back.
    pub time: String,
    /// 16 random bytes, so that nobody can guess from the hash of a line that was taken out what
    /// stood there.
    pub salt: String,
    /// The entry.
    #[serde(flatten)]
    pub entry: Entry,
}

/// What stands in the place of an entry that was taken out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Withheld {
    /// Its number.
    pub seq: u64,
    /// The leaf hash of its line.
    pub withheld: Hash,
}

/// A line of a segment.
#[derive(Clone, Debug, PartialEq)]
pub enum Content {
    /// It holds an entry.
    Written(Box<Written>),
    /// It stands for one.
    Withheld(Withheld),
}

impl Content {
    /// Reads a line, without its line break.
    pub fn parse(line: &str) -> Option<Self> {
        if let Ok(withheld) = serde_json::from_str(line) {
            return Some(Self::Withheld(withheld));
        }
        let written = serde_json::from_str(line).ok()?;
        Some(Self::Written(Box::new(written)))
    }

    /// Returns the number.
    pub fn seq(&self) -> u64 {
        match self {
            Self::Written(written) => written.seq,
            Self::Withheld(withheld) => withheld.seq,
        }
    }

    /// Returns the hash of the leaf that it is in the tree, where `line` is its text.
    pub fn leaf(&self, line: &str) -> Hash {
        match self {
            Self::Written(_) => Hash::leaf(line.as_bytes()),
            Self::Withheld(withheld) => withheld.withheld,
        }
    }
}
