//! What stands in a log.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::hash::Hash;

/// An entry.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Entry {
    /// The program has started.
    Start(Start),
    /// A call that may change something is about to be made. It is on the disk before the call runs;
    /// where no [`Entry::Call`] names it, nobody knows what came of it.
    Begin(Box<Begin>),
    /// A call has ended.
    Call(Box<Call>),
    /// Calls were refused, or ended without their answer being sent, because they could not be
    /// recorded.
    Unrecorded(Unrecorded),
    /// An entry was found half written, because the program had been ended in the middle of it, and
    /// was taken out. Its call had not been answered.
    Repaired(Repaired),
    /// Requests came that had no token, or a wrong one.
    Refused(Refused),
    /// The program ends. Without it, it was ended.
    Stop {},
}

/// The form in which entries are written: from the second on a start is signed and says what it
/// found.
pub const FORMAT: u64 = 2;

/// The form of a log that does not name one.
fn first_format() -> u64 {
    1
}

/// A program that writes a log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// The version of docent.
    pub version: String,
    /// The SHA-256 of the component.
    pub component: Hash,
    /// The rights by the names of the roots: `read-only` or `read-write`.
    pub roots: BTreeMap<String, String>,
    /// Whether no instance serves more than one call.
    pub exact: bool,
}

/// With what a program has started. Its line is signed by itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Start {
    /// In which form the entries from here on are written.
    #[serde(default = "first_format")]
    pub format: u64,
    /// The version of docent.
    pub version: String,
    /// The SHA-256 of the component.
    pub component: Hash,
    /// The rights by the names of the roots: `read-only` or `read-write`.
    pub roots: BTreeMap<String, String>,
    /// Whether no instance serves more than one call.
    pub exact: bool,
    /// Where checkpoints are kept beside the log.
    pub anchors: Vec<String>,
    /// The key that signs.
    pub key: String,
    /// What of the log was there already; none where the form has it not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub found: Option<Found>,
}

/// What a start has found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Found {
    /// Entries that were there.
    pub entries: u64,
    /// So many of them, from the first on, were in a signed checkpoint. For the others, which the
    /// program before had no time to sign or somebody else has added, no later signature vouches.
    pub signed: u64,
}

/// A call that is about to be made.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Begin {
    /// Who makes it: the name of a token, or `local`.
    pub who: String,
    /// Which token that is and what it opens, as [`Call::principal`] has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub principal: Option<Hash>,
    /// The program, by its own word.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client: Option<String>,
    /// What is called.
    pub tool: String,
    /// With what, as [`Call::arguments`] has it.
    pub arguments: Value,
}

/// A call that has ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Call {
    /// The number of its [`Entry::Begin`]; none where it has none, for it could only read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub begun: Option<u64>,
    /// Who made it: the name of a token, or `local`.
    pub who: String,
    /// A digest of the token, of the roots that it opened, where they lie, and of its rights: another
    /// token of the same name has another one, and so has the same one with other rights.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub principal: Option<Hash>,
    /// The program, by its own word.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client: Option<String>,
    /// What was called.
    pub tool: String,
    /// With what. Texts that are long, or that are to be written, are there as their length and
    /// SHA-256.
    pub arguments: Value,
    /// What came of it: `answered`, else the code of a refusal or of a fault.
    pub outcome: String,
    /// How long it took, in milliseconds.
    pub ms: u64,
    /// What was sent; none where nothing was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer: Option<Sent>,
    /// The instance that served it, by a number that no other has between two starts; none where
    /// none did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub instance: Option<u64>,
    /// How many calls that instance had served before. What they opened it may have remembered.
    pub calls_before: u64,
    /// The files that were opened.
    pub files: Files,
}

/// What was sent to a caller.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sent {
    /// Bytes.
    pub bytes: u64,
    /// Their SHA-256.
    pub sha256: Hash,
}

/// The files that a call opened: by root, paths from there.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Files {
    /// Those that could be read.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub read: BTreeMap<String, Vec<String>>,
    /// Those that were made or changed.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub written: BTreeMap<String, Vec<String>>,
    /// Those that were removed, or went to another name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub removed: BTreeMap<String, Vec<String>>,
    /// Those that were not opened, each with the error that stands for why.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub refused: BTreeMap<String, Vec<(String, String)>>,
    /// How many more there were.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub left_out: u64,
}

/// What was found half written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Repaired {
    /// Bytes.
    pub bytes: u64,
}

/// Calls that are not in the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unrecorded {
    /// How many, since the last entry that could be written.
    pub calls: u64,
}

/// Requests without a token, or with a wrong one, since the entry of this kind before. One entry
/// stands for many: somebody who guesses is to fill no disk.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Refused {
    /// How many had no token.
    pub missing: u64,
    /// How many had one that is unknown, revoked or expired.
    pub wrong: u64,
    /// How many came from each address; those of further addresses, and of none, are not told apart.
    pub from: BTreeMap<String, u64>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for it")]
fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// Whether `path` is this file of this root: `PATH`, or `ROOT/PATH`.
fn is_file(path: &str, root: &str, own: &str) -> bool {
    let rest = path
        .strip_prefix(root)
        .and_then(|rest| rest.strip_prefix('/'));
    own == path || rest == Some(own)
}

impl Begin {
    /// Whether its arguments name a file, as `PATH` or as `ROOT/PATH`.
    #[must_use]
    pub fn names(&self, path: &str) -> bool {
        fn holds(value: &Value, is_it: &impl Fn(&str) -> bool) -> bool {
            match value {
                Value::String(text) => is_it(text),
                Value::Array(items) => items.iter().any(|item| holds(item, is_it)),
                Value::Object(fields) => fields.values().any(|value| holds(value, is_it)),
                _ => false,
            }
        }
        let root = self.arguments["root"].as_str();
        holds(&self.arguments, &|text| match root {
            Some(root) => is_file(path, root, text),
            // Whichever root is meant where none is named.
            None => text == path || path.split_once('/').is_some_and(|(_, own)| own == text),
        })
    }
}

impl Files {
    /// Returns how many files were read, written or removed.
    #[must_use]
    pub fn count(&self) -> u64 {
        let all = [&self.read, &self.written, &self.removed];
        let named: usize = all.iter().flat_map(|it| it.values()).map(Vec::len).sum();
        named as u64 + self.left_out
    }

    /// Whether a file is among them, as `PATH` in any root or as `ROOT/PATH`; also one that was
    /// refused.
    #[must_use]
    pub fn has(&self, path: &str) -> bool {
        let is_it = |root: &str, own: &str| is_file(path, root, own);
        let all = [&self.read, &self.written, &self.removed];
        let mut named = all.iter().flat_map(|it| it.iter());
        let mut refused = self.refused.iter();
        named.any(|(root, paths)| paths.iter().any(|own| is_it(root, own)))
            || refused.any(|(root, paths)| paths.iter().any(|(own, _)| is_it(root, own)))
    }
}
