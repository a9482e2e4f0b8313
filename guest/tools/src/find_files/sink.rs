//! Receivers of the matches of a scan.

use std::ops::ControlFlow;

use crate::find_files::best::{BestMatches, FileMatch};

/// Receiver of the matches of a scan, in the scan's order.
pub trait Sink {
    /// Returns true if a match of this time can be discarded, whatever its path.
    fn is_surplus(&self, time: i64) -> bool;

    /// Takes a match found at `position` of the scan. A break ends the scan before it.
    fn take(&mut self, path: &str, time: i64, size: Option<u64>, position: &str)
    -> ControlFlow<()>;
}

impl Sink for BestMatches {
    fn is_surplus(&self, time: i64) -> bool {
        self.is_surplus(time)
    }

    fn take(
        &mut self,
        path: &str,
        time: i64,
        size: Option<u64>,
        position: &str,
    ) -> ControlFlow<()> {
        self.offer(path, time, size, position);
        ControlFlow::Continue(())
    }
}

/// The first matches of a scan, for an answer in the order of the scan.
#[derive(Debug)]
pub struct FirstMatches {
    limit: usize,
    /// The matches taken.
    pub matches: Vec<FileMatch>,
}

impl FirstMatches {
    /// Returns a sink that takes `limit` matches and then ends the scan.
    pub fn new(limit: usize) -> Self {
        Self {
            limit,
            matches: Vec::new(),
        }
    }
}

impl Sink for FirstMatches {
    fn is_surplus(&self, _time: i64) -> bool {
        false
    }

    fn take(
        &mut self,
        path: &str,
        time: i64,
        size: Option<u64>,
        _position: &str,
    ) -> ControlFlow<()> {
        if self.matches.len() == self.limit {
            return ControlFlow::Break(());
        }
        self.matches.push(FileMatch {
            path: path.to_owned(),
            time,
            size,
        });
        ControlFlow::Continue(())
    }
}
