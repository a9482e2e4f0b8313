//! The entries of a log.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::hash::Hash;

/// An entry of a log.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum LogEntry {
    /// The program has started.
    Start(Start),
    /// A call that may change something is about to run. The entry is on the disk before the call
    /// runs; if no [`LogEntry::Call`] names it, the outcome of the call is unknown.
    Begin(Box<Begin>),
    /// A call has ended.
    Call(Box<EndedCall>),
    /// Calls were refused, or ended without their answer being sent, because they could not be
    /// recorded.
    Unrecorded(Unrecorded),
    /// A half-written entry was removed, which is left when the program is killed while it writes.
    /// The call of that entry had not been answered.
    Repaired(Repaired),
    /// Requests arrived that had no token, or a wrong one.
    Refused(Refused),
    /// The program ends. A program that was killed leaves no such entry.
    Stop {},
}

/// The format in which entries are written. From the second on a start is signed, and says which
/// entries it found.
pub const FORMAT: u64 = 2;

/// Returns the format of a log that does not name one.
fn first_format() -> u64 {
    1
}

/// A program that writes a log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// Version of docent.
    pub version: String,
    /// SHA-256 of the component.
    pub component: Hash,
    /// Rights by root name: `read-only` or `read-write`.
    pub roots: BTreeMap<String, String>,
    /// True if every instance serves at most one call.
    pub exact: bool,
}

/// The configuration with which a program has started. Its line has a signature of its own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Start {
    /// Format of the entries from here on.
    #[serde(default = "first_format")]
    pub format: u64,
    /// Version of docent.
    pub version: String,
    /// SHA-256 of the component.
    pub component: Hash,
    /// Rights by root name: `read-only` or `read-write`.
    pub roots: BTreeMap<String, String>,
    /// True if every instance serves at most one call.
    pub exact: bool,
    /// Anchors that keep the checkpoints.
    pub anchors: Vec<String>,
    /// Key that signs the log.
    pub key: String,
    /// Entries that were there already; `None` in the first format.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub found: Option<FoundEntries>,
}

/// The part of the log that a start found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FoundEntries {
    /// Number of entries found.
    pub entries: u64,
    /// Number of entries, from the first on, that were in a signed checkpoint. No later signature
    /// vouches for the others: the previous program had no time to sign them, or somebody else has
    /// added them.
    pub signed: u64,
}

/// A call that is about to run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Begin {
    /// Caller: the name of a token, or `local`.
    pub who: String,
    /// Digest of the token and of what it opens, as in [`EndedCall::principal`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub principal: Option<Hash>,
    /// Program of the caller, as it names itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client: Option<String>,
    /// Name of the tool.
    pub tool: String,
    /// Arguments, as in [`EndedCall::arguments`].
    pub arguments: Value,
}

/// A call that has ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EndedCall {
    /// Number of its [`LogEntry::Begin`]; `None` for a call that could only read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub begun: Option<u64>,
    /// Caller: the name of a token, or `local`.
    pub who: String,
    /// Digest of the token, of the roots that it opens, of their paths, and of its rights. It
    /// differs between two tokens of the same name, and between two grants of the same token.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub principal: Option<Hash>,
    /// Program of the caller, as it names itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client: Option<String>,
    /// Name of the tool.
    pub tool: String,
    /// Arguments. Texts that are long, or that are to be written, are replaced by their length and
    /// SHA-256.
    pub arguments: Value,
    /// Outcome: `answered`, or the code of a refusal or of a fault.
    pub outcome: String,
    /// Duration in milliseconds.
    pub ms: u64,
    /// Answer that was sent; `None` if none was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer: Option<SentAnswer>,
    /// Instance that served the call, by a number unique between two starts; `None` if no instance
    /// did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub instance: Option<u64>,
    /// Number of calls that the instance had served before. It may have remembered files that they
    /// opened.
    pub calls_before: u64,
    /// Files that were opened.
    pub files: CallFiles,
}

/// An answer that was sent to a caller.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SentAnswer {
    /// Length in bytes.
    pub bytes: u64,
    /// SHA-256 of the bytes.
    pub sha256: Hash,
}

/// The files that a call opened: by root, paths relative to it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CallFiles {
    /// Files that were read.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub read: BTreeMap<String, Vec<String>>,
    /// Files that were created or changed.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub written: BTreeMap<String, Vec<String>>,
    /// Files that were removed, or moved to another name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub removed: BTreeMap<String, Vec<String>>,
    /// Files that were not opened, each with an error code that says why.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub refused: BTreeMap<String, Vec<(String, String)>>,
    /// Number of further files that are not listed.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub left_out: u64,
}

/// A half-written line that was removed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Repaired {
    /// Length in bytes.
    pub bytes: u64,
}

/// Calls that are missing from the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unrecorded {
    /// Number of calls since the last entry that could be written.
    pub calls: u64,
}

/// Requests without a token, or with a wrong one, since the previous entry of this kind. One
/// entry covers many requests, so that somebody who guesses tokens cannot fill the disk.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Refused {
    /// Number of requests without a token.
    pub missing: u64,
    /// Number of requests with a token that is unknown, revoked or expired.
    pub wrong: u64,
    /// Number of requests by address. Those from further addresses, and those without an address,
    /// are counted together.
    pub from: BTreeMap<String, u64>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for it")]
fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// Returns true if `path` refers to the file `own` of `root`, as `PATH` or as `ROOT/PATH`.
fn is_file(path: &str, root: &str, own: &str) -> bool {
    let rest = path
        .strip_prefix(root)
        .and_then(|rest| rest.strip_prefix('/'));
    own == path || rest == Some(own)
}

impl Begin {
    /// Returns true if the arguments name a file, as `PATH` or as `ROOT/PATH`.
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
            // A call without a root argument may have meant any root, so `docent log show
            // --path notes/plan.md` matches `plan.md` without regard to the root. A match too
            // many shows an entry that is not needed; a match too few hides an access.
            None => text == path || path.split_once('/').is_some_and(|(_, own)| own == text),
        })
    }
}

impl CallFiles {
    /// Returns the number of files that were read, written or removed.
    #[must_use]
    pub fn count(&self) -> u64 {
        let all = [&self.read, &self.written, &self.removed];
        let named: usize = all.iter().flat_map(|it| it.values()).map(Vec::len).sum();
        named as u64 + self.left_out
    }

    /// Returns true if a file is among them, as `PATH` in any root or as `ROOT/PATH`. Refused files
    /// count.
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
