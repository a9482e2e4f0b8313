//! What a warm instance remembers of packs: which files were chosen, as long as nothing changed
//! that the choice was made from.

use std::collections::VecDeque;

use crate::explore::candidate::Candidates;
use crate::limits::REMEMBERED_PACKS;

/// The packs that were asked for last, the last one first.
#[derive(Debug, Default)]
pub struct PackCache(VecDeque<CachedPack>);

#[derive(Debug)]
struct CachedPack {
    subject: String,
    /// Digest of all that the choice was made from.
    basis: u64,
    candidates: Candidates,
}

impl PackCache {
    /// Returns what was chosen for a subject from the same basis.
    pub fn get(&self, subject: &str, basis: u64) -> Option<&Candidates> {
        // Few enough that looking through them costs less than a map of them.
        let pack = self.0.iter().find(|pack| pack.subject == subject)?;
        (pack.basis == basis).then_some(&pack.candidates)
    }

    /// Remembers what was chosen.
    pub fn set(&mut self, subject: String, basis: u64, candidates: &Candidates) {
        // One list a subject: an older basis never comes back.
        self.0.retain(|pack| pack.subject != subject);
        self.0.truncate(REMEMBERED_PACKS - 1);
        let candidates = candidates.clone();
        self.0.push_front(CachedPack {
            subject,
            basis,
            candidates,
        });
    }
}
