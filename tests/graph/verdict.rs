//! How two lists of edges differ.

use std::collections::BTreeSet;
use std::fmt;

use crate::edges::Edges;

/// The share of the peer's edges that have to be found.
const RECALL: f64 = 0.98;

/// What one side has and the other has not, on the peer's own ground: edges from files that it
/// looked at.
pub struct Verdict {
    shared: usize,
    /// Ours that the peer lacks.
    only_own: Vec<(String, String)>,
    /// The peer's that we lack.
    only_peer: Vec<(String, String)>,
}

impl Verdict {
    /// Compares our edges with the peer's, one a line; a line with one path names a file that the
    /// peer looked at and that may have no edges.
    pub fn of(own: &Edges, peer: &str) -> Self {
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

    /// Whether enough of the peer's edges were found, and it had any. Edges that it lacks are for
    /// a person to judge.
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
