//! An entry as it stands in its segment: one line of JSON.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};

use crate::entry::Entry;
use crate::hash::Hash;
use crate::key::{Signer, Verifier};

/// What is signed of a line begins with this, so that it can be taken for nothing else that the key
/// signs.
const SIGNED: &str = "docent log line\n";

/// What stands between the members of a line and its signature, which is the last of them.
const SIGNATURE: &str = ",\"signature\":\"";

/// Adds the signature of a line to it: over the line as it was without.
pub fn sign(line: &mut String, key: &Signer) {
    let signature = STANDARD.encode(key.sign(&format!("{SIGNED}{line}")));
    line.pop();
    line.push_str(SIGNATURE);
    line.push_str(&signature);
    line.push_str("\"}");
}

/// Whether a line was signed by `key`, by itself.
pub fn is_signed(line: &str, key: &Verifier) -> bool {
    let Some((before, signature)) = line.rsplit_once(SIGNATURE) else {
        return false;
    };
    let signature = signature
        .strip_suffix("\"}")
        .and_then(|text| STANDARD.decode(text).ok());
    let signature = signature.and_then(|bytes| <[u8; 64]>::try_from(bytes).ok());
    signature.is_some_and(|it| key.has_signed(&format!("{SIGNED}{before}}}"), &it))
}

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
