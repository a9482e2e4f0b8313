//! Proofs: an entry with all that is needed to tell, without the log, that it stands in the tree of a
//! checkpoint.

use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::entry::{Entry, Found, Start};
use crate::hash::Hash;
use crate::key::Verifier;
use crate::line::Content;
use crate::note::{Checkpoint, NoteError};
use crate::store::{Store, StoreError};
use crate::tree::{Leaves, root_of_path};

/// A proof that an entry stands in a log.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Proof {
    /// The number of the entry.
    pub seq: u64,
    /// Its line.
    pub line: String,
    /// The hashes of the tree that lead from the entry to the root, from below.
    pub path: Vec<Hash>,
    /// The signed checkpoint with that root.
    pub checkpoint: String,
}

/// Why an entry cannot be proved, or a proof is none.
#[derive(Debug, thiserror::Error)]
pub enum ProofError {
    /// The log cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// There is no such entry.
    #[error("there is no entry {0}")]
    Missing(u64),
    /// It was taken out.
    #[error("entry {0} was taken out")]
    Withheld(u64),
    /// No checkpoint covers it yet.
    #[error("entry {0} is not signed yet; a checkpoint is signed every few seconds")]
    Unsigned(u64),
    /// A start has found it without a signature.
    #[error("entry {0} was not signed when it was written; a later start found it there")]
    Found(u64),
    /// Its checkpoint is none.
    #[error("the checkpoint: {0}")]
    Note(#[from] NoteError),
    /// The hashes do not lead from the line to the root.
    #[error("the line does not lead to the root of the checkpoint")]
    Wrong,
}

/// Returns the proof of an entry, by the last checkpoint.
///
/// # Errors
/// Why there is none.
pub fn prove_ambient(directory: &Path, seq: u64) -> Result<Proof, ProofError> {
    let store = Store::new(directory);
    let dropped = store.dropped_ambient()?;
    let mut kept = Vec::new();
    let mut found = None;
    for number in store.segments_ambient()? {
        for line in store.lines_ambient(number)? {
            let Some(content) = Content::parse(&line.text) else {
                continue;
            };
            if dropped.covers(&content) {
                continue;
            }
            kept.push(content.leaf(&line.text));
            if let Content::Written(written) = &content
                && let Entry::Start(Start {
                    found: Some(Found { entries, signed }),
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
        Some((Content::Withheld(_), _)) => return Err(ProofError::Withheld(seq)),
        Some((Content::Written(_), line)) => line,
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
    // A log that was changed proves nothing.
    proof.leads_to_its_root()?;
    Ok(proof)
}

impl Proof {
    /// Looks whether this proves that the line stands in the log that `key` signs.
    ///
    /// # Errors
    /// Why it does not.
    pub fn verify(&self, key: &Verifier) -> Result<(), ProofError> {
        Checkpoint::verified(&self.checkpoint, key)?;
        self.leads_to_its_root()
    }

    fn leads_to_its_root(&self) -> Result<(), ProofError> {
        let Checkpoint { size, root, .. } = Checkpoint::parse(&self.checkpoint)?;
        let leaf = Hash::leaf(self.line.as_bytes());
        let seq = Content::parse(&self.line).map(|content| content.seq());
        let found = root_of_path(leaf, self.seq, size, &self.path);
        if found == Some(root) && seq == Some(self.seq) {
            Ok(())
        } else {
            Err(ProofError::Wrong)
        }
    }
}
