//! Cache of packs in a warm instance: the chosen candidates, valid as long as the basis of the
//! choice is unchanged.

use std::collections::VecDeque;

use crate::explore::selection::candidate::Candidates;
use crate::limits::REMEMBERED_PACKS;

/// The packs requested most recently, the latest first.
#[derive(Debug, Default)]
pub struct PackCache(VecDeque<CachedPack>);

#[derive(Debug)]
struct CachedPack {
    subject: String,
    /// Digest of everything that determined the choice.
    basis: u64,
    candidates: Candidates,
}

impl PackCache {
    /// Returns the candidates chosen for a subject on the same basis.
    pub fn get(&self, subject: &str, basis: u64) -> Option<&Candidates> {
        // There are so few packs that a linear search costs less than a map.
        let pack = self.0.iter().find(|pack| pack.subject == subject)?;
        (pack.basis == basis).then_some(&pack.candidates)
    }

    /// Stores the chosen candidates.
    pub fn set(&mut self, subject: String, basis: u64, candidates: &Candidates) {
        // Only one list is stored for each subject. A basis that was replaced contains digests
        // of old contents and hardly ever comes back.
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
