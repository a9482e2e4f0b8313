//! Which of a directory's visits a page makes: a page may begin and end anywhere.

use crate::find_files::names::{Names, Progress, Visits};

/// Which of a directory's visits a scan makes.
#[derive(Debug)]
pub struct VisitRange {
    /// The first.
    from: usize,
    /// The one to come.
    pub next: usize,
    /// The one that it ends before.
    to: usize,
    /// The position to begin at in the directory that the first visit goes into.
    from_inside: Option<String>,
    /// The position to end at in the directory that the last visit goes into.
    to_inside: Option<String>,
}

impl VisitRange {
    /// Returns the range between two positions relative to the directory.
    pub fn new(names: &Names, visits: &Visits, after: Option<&str>, until: Option<&str>) -> Self {
        let begin = after.map_or(
            Progress {
                done: 0,
                inside: None,
            },
            |after| visits.progress(names, after),
        );
        let end = until.map_or(
            Progress {
                done: visits.len(),
                inside: None,
            },
            |until| visits.progress(names, until),
        );
        // The visit that the end lies inside of is made as well, up to there.
        let to = end.done + usize::from(end.inside.is_some());
        Self {
            from: begin.done,
            next: begin.done,
            // Where entries have gone since the cursor was made, the end may lie before the
            // beginning.
            to: to.max(begin.done),
            from_inside: begin.inside.map(str::to_owned),
            to_inside: end.inside.map(str::to_owned),
        }
    }

    /// Whether all its visits are made.
    pub fn is_over(&self) -> bool {
        self.next == self.to
    }

    /// Returns the visit that was made last.
    pub fn last_made(&self) -> Option<usize> {
        (self.next > self.from).then(|| self.next - 1)
    }

    /// Goes on to the visit behind the next one. Returns the positions between which the directory
    /// that this goes into is scanned.
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

    /// Whether the next visit goes on in a directory that an earlier page was in.
    pub fn resumes(&self) -> bool {
        self.next == self.from && self.from_inside.is_some()
    }
}
