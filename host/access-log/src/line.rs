//! The lines of a segment: entries in JSON, one per line.
//!
//! ```json
//! {"seq":7,"prev":"<leaf hash of line 6>","time":"<RFC 3339>","salt":"<base64>","kind":"stop"}
//! ```

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};

use crate::entry::LogEntry;
use crate::hash::Hash;
use crate::key::{Signer, Verifier};

/// Prefix of the text that is signed for a line. It distinguishes such a signature from that of
/// anything else the key signs.
const SIGNED: &str = "docent log line\n";

/// Separator between the members of a line and its signature, which is the last of them.
const SIGNATURE: &str = ",\"signature\":\"";

/// Appends a signature as the last member of a line, over the line without it:
///
/// ```text
/// {"seq":0,…,"kind":"start",…}                        signed, after `docent log line\n`
/// {"seq":0,…,"kind":"start",…,"signature":"<base64>"}  written
/// ```
pub fn sign(line: &mut String, key: &Signer) {
    let signature = STANDARD.encode(key.sign(&format!("{SIGNED}{line}")));
    line.pop();
    line.push_str(SIGNATURE);
    line.push_str(&signature);
    line.push_str("\"}");
}

/// Returns true if a line has a signature of its own by `key`.
pub fn is_signed(line: &str, key: &Verifier) -> bool {
    // The signature covers the text of the line as it was written and not a new serialisation
    // of the parsed entry: another serialiser may order members or escape characters
    // differently. The signature is the last member; within a string, its name would have
    // escaped quotes.
    let Some((before, signature)) = line.rsplit_once(SIGNATURE) else {
        return false;
    };
    let signature = signature
        .strip_suffix("\"}")
        .and_then(|text| STANDARD.decode(text).ok());
    let signature = signature.and_then(|bytes| <[u8; 64]>::try_from(bytes).ok());
    signature.is_some_and(|it| key.has_signed(&format!("{SIGNED}{before}}}"), &it))
}

/// An entry with the members that precede it in its line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WrittenEntry {
    /// Number, from 0.
    pub seq: u64,
    /// Leaf hash of the previous line; `None` for the first.
    pub prev: Option<Hash>,
    /// Time of writing in RFC 3339, UTC. Entries are ordered by their numbers, since a clock may be
    /// set back.
    pub time: String,
    /// 16 random bytes in base64. Without them the content of a withheld line could be guessed from
    /// its hash, by hashing every likely line.
    pub salt: String,
    /// Entry.
    #[serde(flatten)]
    pub entry: LogEntry,
}

/// The replacement of an entry that was withheld.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WithheldEntry {
    /// Number of the entry.
    pub seq: u64,
    /// Leaf hash of its line.
    pub withheld: Hash,
}

/// The content of a line in a segment.
#[derive(Clone, Debug, PartialEq)]
pub enum LineContent {
    /// An entry.
    Written(Box<WrittenEntry>),
    /// The replacement of an entry.
    Withheld(WithheldEntry),
}

impl LineContent {
    /// Parses a line, without its line break.
    pub fn parse(line: &str) -> Option<Self> {
        // A withheld entry is tried first. It denies unknown members, so no written entry
        // passes for it. `WrittenEntry` flattens its entry and cannot deny unknown members.
        if let Ok(withheld) = serde_json::from_str(line) {
            return Some(Self::Withheld(withheld));
        }
        let written = serde_json::from_str(line).ok()?;
        Some(Self::Written(Box::new(written)))
    }

    /// Returns the number of the entry.
    pub fn seq(&self) -> u64 {
        match self {
            Self::Written(written) => written.seq,
            Self::Withheld(withheld) => withheld.seq,
        }
    }

    /// Returns the leaf hash of this content, whose text is `line`.
    pub fn leaf(&self, line: &str) -> Hash {
        match self {
            Self::Written(_) => Hash::leaf(line.as_bytes()),
            Self::Withheld(withheld) => withheld.withheld,
        }
    }
}
