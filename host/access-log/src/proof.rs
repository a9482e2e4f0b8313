//! Inclusion proofs: an entry with everything needed to verify, without the log, that it is in the
//! tree of a checkpoint.

use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::checkpoint::{Checkpoint, NoteError};
use crate::entry::{FoundEntries, LogEntry, Start};
use crate::hash::Hash;
use crate::key::Verifier;
use crate::line::LineContent;
use crate::store::{LogDirectory, StoreError};
use crate::tree::{Leaves, root_of_path};

/// A proof that an entry is in a log.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Proof {
    /// Number of the entry.
    pub seq: u64,
    /// Line of the entry.
    pub line: String,
    /// Hashes of the sibling nodes from the leaf to the root.
    pub path: Vec<Hash>,
    /// Signed checkpoint with that root.
    pub checkpoint: String,
}

/// The error of an entry that cannot be proved, or of an invalid proof.
#[derive(Debug, thiserror::Error)]
pub enum ProofError {
    /// The log cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// There is no such entry.
    #[error("there is no entry {0}")]
    Missing(u64),
    /// The entry was withheld.
    #[error("entry {0} was erased")]
    Withheld(u64),
    /// No checkpoint covers the entry yet.
    #[error("entry {0} is not signed yet; a checkpoint is signed every few seconds")]
    Unsigned(u64),
    /// A start has found the entry without a signature.
    #[error("entry {0} was not signed when it was written; a later start found it there")]
    Found(u64),
    /// The checkpoint is invalid.
    #[error("the checkpoint: {0}")]
    Note(#[from] NoteError),
    /// The hashes do not yield the root of the checkpoint.
    #[error("the line does not lead to the root of the checkpoint")]
    Wrong,
}

/// Returns the proof of an entry, by the last checkpoint.
///
/// # Errors
/// Fails if the entry is missing, withheld or not signed, or the log cannot be read.
pub fn prove_ambient(directory: &Path, seq: u64) -> Result<Proof, ProofError> {
    let store = LogDirectory::new(directory);
    let dropped = store.read_dropped_ambient()?;
    let mut kept = Vec::new();
    let mut found = None;
    for number in store.segments_ambient()? {
        for line in store.lines_ambient(number)? {
            let Some(content) = LineContent::parse(&line.text) else {
                continue;
            };
            if dropped.covers(&content) {
                continue;
            }
            kept.push(content.leaf(&line.text));
            // An entry that a later start found without a signature is in the tree of every
            // later checkpoint, so its path would verify. But the checkpoint only proves that
            // the line existed when that program started, not that docent wrote it: somebody
            // may have appended it to a log whose program was killed. The range claimed by the
            // start decides.
            if let LineContent::Written(written) = &content
                && let LogEntry::Start(Start {
                    found: Some(FoundEntries { entries, signed }),
                    ..
                }) = &written.entry
                && (*signed..*entries).contains(&seq)
            {
                return Err(ProofError::Found(seq));
            }
            if content.seq() == seq {
                found = Some((content, line.text));
            }
        }
    }
    let line = match found {
        None => return Err(ProofError::Missing(seq)),
        Some((LineContent::Withheld(_), _)) => return Err(ProofError::Withheld(seq)),
        Some((LineContent::Written(_), line)) => line,
    };
    let checkpoints = store.checkpoints_ambient()?;
    let last = checkpoints.last().ok_or(ProofError::Unsigned(seq))?;
    let size = Checkpoint::parse(&last.note)?.size;
    if size <= seq {
        return Err(ProofError::Unsigned(seq));
    }
    let leaves = Leaves {
        dropped: &dropped.tree,
        kept: &kept,
    };
    let proof = Proof {
        seq,
        line,
        path: leaves.path(seq, size).ok_or(ProofError::Wrong)?,
        checkpoint: last.note.clone(),
    };
    // The proof is verified before it is returned. `path` hashes the log as it is now; if a
    // line was changed after the checkpoint was signed, the path leads to another root, and the
    // recipient would be handed a proof that fails.
    proof.check_root()?;
    Ok(proof)
}

impl Proof {
    /// Verifies that the line is in the log that `key` signs.
    ///
    /// # Errors
    /// Fails if the checkpoint is invalid or the hashes do not yield its root.
    pub fn verify(&self, key: &Verifier) -> Result<(), ProofError> {
        Checkpoint::parse_verified(&self.checkpoint, key)?;
        self.check_root()
    }

    fn check_root(&self) -> Result<(), ProofError> {
        let Checkpoint { size, root, .. } = Checkpoint::parse(&self.checkpoint)?;
        let leaf = Hash::leaf(self.line.as_bytes());
        let seq = LineContent::parse(&self.line).map(|content| content.seq());
        let found = root_of_path(leaf, self.seq, size, &self.path);
        if found == Some(root) && seq == Some(self.seq) {
            Ok(())
        } else {
            Err(ProofError::Wrong)
        }
    }
}
