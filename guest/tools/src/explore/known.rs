//! What a warm instance remembers of packs: which files were chosen, as long as nothing changed that
//! the choice was made from.

use std::collections::VecDeque;

use crate::explore::candidate::Candidates;
use crate::limits::REMEMBERED_PACKS;

/// The packs that were asked for last.
#[derive(Debug, Default)]
pub struct KnownPacks(VecDeque<Known>);

#[derive(Debug)]
struct Known {
    subject: String,
    /// Digest of all that the choice was made from.
    basis: u64,
    candidates: Candidates,
}

impl KnownPacks {
    /// Returns what was chosen for a subject from the same basis.
    pub fn get(&self, subject: &str, basis: u64) -> Option<&Candidates> {
        let same = |known: &&Known| known.subject == subject && known.basis == basis;
        self.0.iter().find(same).map(|known| &known.candidates)
    }

    /// Remembers what was chosen.
    pub fn set(&mut self, subject: String, basis: u64, candidates: &Candidates) {
        self.0.retain(|known| known.subject != subject);
        self.0.truncate(REMEMBERED_PACKS - 1);
        let candidates = candidates.clone();
        self.0.push_front(Known {
            subject,
            basis,
            candidates,
        });
    }
}
