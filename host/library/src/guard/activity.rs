//! Counters of a guest's file operations, updated while it runs.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use super::openings::OpeningLog;

/// The file operations of a guest so far; shared with the code that reports progress or abandons
/// the call.
#[derive(Debug, Default)]
pub(crate) struct Activity {
    /// One more than the index of the root that is being accessed, or was last; 0 for none.
    root: AtomicUsize,
    files: AtomicU64,
    bytes: AtomicU64,
    directories: AtomicU64,
    listings: AtomicU64,
    stamps: AtomicU64,
    summed_stamps: AtomicU64,
    watched_stamps: AtomicU64,
    documents: AtomicU64,
    reading_micros: AtomicU64,
    passages: AtomicU64,
    openings: Option<Arc<OpeningLog>>,
}

/// The file operations of a guest during a call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// Files opened.
    pub files: u64,
    /// Bytes read from them.
    pub bytes: u64,
    /// Directories opened.
    pub directories: u64,
    /// Directories listed.
    pub listings: u64,
    /// Stamps of single files and directories that were requested.
    pub stamps: u64,
    /// Stamps that were answered as part of a sum, one request for a whole directory.
    pub summed_stamps: u64,
    /// Stamps that were answered as part of a sum without a check, because no file had changed.
    pub watched_stamps: u64,
    /// Documents other than text, each read in an instance of its own.
    pub documents: u64,
    /// Total time spent on reading those documents.
    pub reading: Duration,
    /// Passages whose vectors were cached or computed.
    pub passages: u64,
}

impl Activity {
    /// Returns the record of a call that has not begun. The files that it opens are logged in
    /// `openings`.
    pub(crate) fn new(openings: Option<Arc<OpeningLog>>) -> Self {
        Self {
            openings,
            ..Self::default()
        }
    }

    /// Returns the log of opened files, if there is one.
    pub(crate) fn openings(&self) -> Option<&OpeningLog> {
        self.openings.as_deref()
    }

    /// Returns the counts so far.
    pub(crate) fn work(&self) -> Work {
        // Relaxed ordering suffices. The counters are independent of each other and guard no
        // other memory; while a call runs they are shown as progress, where an error of one
        // does not matter.
        let count = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        Work {
            files: count(&self.files),
            bytes: count(&self.bytes),
            directories: count(&self.directories),
            listings: count(&self.listings),
            stamps: count(&self.stamps),
            summed_stamps: count(&self.summed_stamps),
            watched_stamps: count(&self.watched_stamps),
            documents: count(&self.documents),
            reading: Duration::from_micros(count(&self.reading_micros)),
            passages: count(&self.passages),
        }
    }

    /// Records that the root with this index is being accessed.
    pub(crate) fn enter_root(&self, index: usize) {
        self.root.store(index + 1, Ordering::Relaxed);
    }

    /// Records that no root is being accessed.
    pub(crate) fn leave_root(&self) {
        self.root.store(0, Ordering::Relaxed);
    }

    /// Returns the index of the root that is being accessed, or was last.
    pub(crate) fn root(&self) -> Option<usize> {
        self.root.load(Ordering::Relaxed).checked_sub(1)
    }

    pub(crate) fn count_file(&self) {
        self.files.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn count_bytes(&self, bytes: usize) {
        self.bytes.fetch_add(bytes as u64, Ordering::Relaxed);
    }

    pub(crate) fn count_directory(&self) {
        self.directories.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn count_listing(&self) {
        self.listings.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn count_stamp(&self) {
        self.stamps.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn count_sum(&self, stamps: u64) {
        self.summed_stamps.fetch_add(stamps, Ordering::Relaxed);
    }

    pub(crate) fn count_watched(&self, stamps: u64) {
        self.watched_stamps.fetch_add(stamps, Ordering::Relaxed);
    }

    pub(crate) fn count_passages(&self, passages: usize) {
        self.passages.fetch_add(passages as u64, Ordering::Relaxed);
    }

    pub(crate) fn count_document(&self, time: Duration) {
        self.documents.fetch_add(1, Ordering::Relaxed);
        let micros = u64::try_from(time.as_micros()).unwrap_or(u64::MAX);
        self.reading_micros.fetch_add(micros, Ordering::Relaxed);
    }
}
