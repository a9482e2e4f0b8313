//! The differences between two lists of edges.

use std::collections::BTreeSet;
use std::fmt;

use crate::edges::Edges;

/// The minimum share of the peer's edges that must be found.
const RECALL: f64 = 0.98;

/// The differences between both sides, restricted to edges from files that the peer examined.
pub struct Verdict {
    shared: usize,
    /// Edges that the peer lacks.
    only_own: Vec<(String, String)>,
    /// Edges of the peer that docent lacks.
    only_peer: Vec<(String, String)>,
}

impl Verdict {
    /// Compares docent's edges with the peer's, one per line; a line with a single path names a
    /// file that the peer examined, possibly without finding edges.
    pub fn compare(own: &Edges, peer: &str) -> Self {
        let mut ground = BTreeSet::new();
        let mut theirs = Edges::new();
        for line in peer.lines() {
            let (from, to) = line.split_once('\t').unwrap_or((line, ""));
            ground.insert(from);
            if !to.is_empty() && from != to {
                theirs.insert((from.to_owned(), to.to_owned()));
            }
        }
        let on_ground = own
            .iter()
            .filter(|(from, _)| ground.contains(from.as_str()));
        let only_own = on_ground.filter(|edge| !theirs.contains(*edge)).cloned();
        let only_peer: Vec<_> = theirs.difference(own).cloned().collect();
        Self {
            shared: theirs.len() - only_peer.len(),
            only_own: only_own.collect(),
            only_peer,
        }
    }

    fn recall(&self) -> f64 {
        let all = self.shared + self.only_peer.len();
        self.shared as f64 / all.max(1) as f64
    }

    /// Returns true if the peer has edges, and enough of them were found. Edges that the peer lacks
    /// are left to a person to judge.
    pub fn is_good(&self) -> bool {
        self.shared > 0 && self.recall() >= RECALL
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (sign, edges) in [('+', &self.only_own), ('-', &self.only_peer)] {
            for (from, to) in edges {
                writeln!(f, "{sign} {from} -> {to}")?;
            }
        }
        write!(
            f,
            "{} edges of both, {} of ours alone (+), {} of the peer's alone (-), recall {:.4}",
            self.shared,
            self.only_own.len(),
            self.only_peer.len(),
            self.recall()
        )
    }
}
