//! Watches on systems where files are not watched: every question is answered by a check.

use std::fs::File;
use std::time::Instant;

use super::stamp::Sum;
use super::stamp_ledger::{DirectoryIdentity, NotedNames};

/// No watches.
pub(crate) struct NoWatches;

impl NoWatches {
    pub(crate) fn new(_most: usize) -> Self {
        Self
    }

    pub(crate) fn expect_changes(&mut self) {}

    pub(crate) fn unchanged_sum(
        &mut self,
        _directory: DirectoryIdentity,
        _generation: u64,
        _now: Instant,
    ) -> Option<Sum> {
        None
    }

    pub(crate) fn watch(&mut self, _: DirectoryIdentity, _open: &File, _names: &NotedNames) {}

    pub(crate) fn note_sum(
        &mut self,
        _directory: DirectoryIdentity,
        _generation: u64,
        _sum: Sum,
        _is_certain: bool,
        _now: Instant,
    ) {
    }
}
