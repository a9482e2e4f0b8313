//! Cache of the last scan in an instance that caches no texts, so that the pages of a long list
//! cost one scan together and not one each.

use docent_api::pillars::{BlockedPath, Degradation};
use docent_api::types::Skipped;
use docent_tree::skips::LeftOut;

use super::counts::{MatchCounts, SortedValues};
use super::limits::{CACHE_BYTES, FRESH_MS, FRESH_SCANS};
use super::matches::LinePosition;
use crate::explore::request::cursor::{DecodedCursor, ScanPosition};
use crate::paging::cursor::Fingerprint;

/// Result of the scan of all files of a request.
#[derive(Debug)]
pub struct ScannedFiles {
    /// Counts of the matches.
    pub counts: MatchCounts,
    /// Counts of the values, for output `values`.
    pub values: Option<SortedValues>,
    /// Entries left out as intended.
    pub left_out: LeftOut,
    /// Files that could not be examined.
    pub skipped: Skipped,
    /// Paths that cannot be resolved, or must not be opened.
    pub blocked: Vec<BlockedPath>,
    /// Number of files visited.
    pub files: u32,
    /// Number of files, directories and paths visited.
    pub steps: u32,
    /// Start of the next range, or `None` after the last file.
    pub next: Option<ScanPosition>,
    /// Reason for which the scan ended before the last file.
    pub end_reason: Option<Degradation>,
    /// True if the time did not suffice for the files that an earlier call visited.
    pub is_short: bool,
}

/// A place in the tree at which the next page of lines begins.
#[derive(Clone, Debug)]
pub struct LinesPageStart {
    /// Position in the traversal, before the file.
    pub scan: ScanPosition,
    /// Place among the matching lines.
    pub line: LinePosition,
}

/// A scan with the next page of its list.
#[derive(Debug)]
pub struct CachedList {
    /// Result of the scan.
    pub scanned: ScannedFiles,
    /// Start of the next page, for outputs that show lines.
    pub start: Option<LinesPageStart>,
    /// Time of the scan.
    pub time: ScanTime,
}

/// Time at which files were scanned, in milliseconds of the disk's clock.
#[derive(Clone, Copy, Debug)]
pub struct ScanTime {
    /// Its beginning.
    pub start_ms: u64,
    /// Its duration.
    pub duration_ms: u64,
}

/// The list requested last, if a page of it is left.
#[derive(Debug, Default)]
pub struct PagedListCache(Option<CachedPage>);

#[derive(Debug)]
struct CachedPage {
    request: Fingerprint,
    cursor: DecodedCursor<u32>,
    list: CachedList,
}

impl PagedListCache {
    /// Returns the list of a request if `cursor` is that of its next page and its scan is recent,
    /// and forgets it.
    pub fn take(
        &mut self,
        request: Fingerprint,
        cursor: Option<&DecodedCursor<u32>>,
        now_ms: u64,
    ) -> Option<CachedList> {
        let page = self.0.take()?;
        let is_next = page.request == request && Some(&page.cursor) == cursor;
        (is_next && page.list.time.is_recent(now_ms)).then_some(page.list)
    }

    /// Stores a list, unless it takes too much memory.
    pub fn set(&mut self, request: Fingerprint, cursor: DecodedCursor<u32>, list: CachedList) {
        let values = list.scanned.values.as_ref();
        let bytes = list.scanned.counts.bytes() + values.map_or(0, SortedValues::bytes);
        self.0 = (bytes <= CACHE_BYTES).then_some(CachedPage {
            request,
            cursor,
            list,
        });
    }
}

impl ScanTime {
    /// Returns true if the counts of the scan may be repeated without another one. The bound grows
    /// with the scan, so that scans take at most a share of the time of a long list.
    fn is_recent(self, now_ms: u64) -> bool {
        let (least, most) = FRESH_MS;
        let bound = self.duration_ms.saturating_mul(FRESH_SCANS);
        now_ms.saturating_sub(self.start_ms) <= bound.clamp(least, most)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_scan_is_recent_for_longer() {
        let time = |duration_ms| ScanTime {
            start_ms: 100,
            duration_ms,
        };
        let (least, most) = FRESH_MS;
        assert!(time(0).is_recent(100 + least));
        assert!(!time(0).is_recent(101 + least));
        assert!(time(least).is_recent(101 + least));
        assert!(!time(u64::MAX).is_recent(101 + most));
        // A clock that was set back.
        assert!(time(0).is_recent(0));
    }
}
