//! Range of a directory's visits on one page: a page may begin and end anywhere.

use crate::find_files::names::{DirectoryNames, ScanProgress, Visits};

/// Range of a directory's visits in one scan.
#[derive(Debug)]
pub struct VisitRange {
    /// Index of the first visit.
    from: usize,
    /// Index of the next visit.
    pub next: usize,
    /// Index after the last visit.
    to: usize,
    /// The position at which to begin in the directory that the first visit enters.
    from_inside: Option<String>,
    /// The position at which to end in the directory that the last visit enters.
    to_inside: Option<String>,
}

impl VisitRange {
    /// Returns the range between two positions relative to the directory.
    pub fn new(
        names: &DirectoryNames,
        visits: &Visits,
        after: Option<&str>,
        until: Option<&str>,
    ) -> Self {
        let begin = after.map_or(
            ScanProgress {
                done: 0,
                inside: None,
            },
            |after| visits.progress(names, after),
        );
        let end = until.map_or(
            ScanProgress {
                done: visits.len(),
                inside: None,
            },
            |until| visits.progress(names, until),
        );
        // The visit that contains the end is made too, up to the end.
        let to = end.done + usize::from(end.inside.is_some());
        Self {
            from: begin.done,
            next: begin.done,
            // If entries were deleted since the cursor was issued, the end may precede the
            // beginning. The range is then empty.
            to: to.max(begin.done),
            from_inside: begin.inside.map(str::to_owned),
            to_inside: end.inside.map(str::to_owned),
        }
    }

    /// Returns true if all of its visits are done.
    pub fn is_over(&self) -> bool {
        self.next == self.to
    }

    /// Returns the index of the last completed visit.
    pub fn last_made(&self) -> Option<usize> {
        (self.next > self.from).then(|| self.next - 1)
    }

    /// Advances past the next visit. Returns the positions between which the directory that it
    /// enters is scanned.
    pub fn step_inside(&mut self) -> (Option<String>, Option<String>) {
        let after = if self.next == self.from {
            self.from_inside.take()
        } else {
            None
        };
        let until = if self.next + 1 == self.to {
            self.to_inside.clone()
        } else {
            None
        };
        self.next += 1;
        (after, until)
    }

    /// Returns true if the next visit continues in a directory that an earlier page had entered.
    pub fn resumes(&self) -> bool {
        self.next == self.from && self.from_inside.is_some()
    }
}
