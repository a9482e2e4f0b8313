//! The Merkle tree of RFC 6962, section 2.1, without its leaves. One hash for each bit of their
//! number is enough to add another leaf.

use serde::{Deserialize, Serialize};

use crate::hash::Hash;

/// A tree, stored as the roots of the largest full subtrees of its leaves, the largest first. A
/// tree of 13 leaves has the roots of its first 8, the next 4, and the last.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Frontier {
    size: u64,
    nodes: Vec<Hash>,
}

impl Frontier {
    /// Returns the number of leaves.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Returns true if the number of roots matches the number of leaves.
    pub fn is_valid(&self) -> bool {
        self.nodes.len() == self.size.count_ones() as usize
    }

    /// Adds a leaf.
    pub fn push(&mut self, leaf: Hash) {
        let mut node = leaf;
        // The number of leaves works like a binary counter: adding a leaf carries through its
        // trailing ones. A tree of 7 leaves has subtrees of 4, 2 and 1. The eighth leaf
        // combines with the 1, the result with the 2 and that with the 4, which leaves one
        // subtree of 8.
        for _ in 0..self.size.trailing_ones() {
            if let Some(left) = self.nodes.pop() {
                node = Hash::node(left, node);
            }
        }
        self.nodes.push(node);
        self.size += 1;
    }

    /// Returns the root of the tree.
    pub fn root(&self) -> Hash {
        let mut nodes = self.nodes.iter().rev().copied();
        let Some(last) = nodes.next() else {
            return Hash::digest(&[]);
        };
        nodes.fold(last, |right, left| Hash::node(left, right))
    }

    /// Returns the root of the full subtree over the leaves `start..end`, if it is one of those
    /// stored.
    fn node(&self, start: u64, end: u64) -> Option<Hash> {
        let mut at = 0;
        for (node, bit) in self.nodes.iter().zip(bits(self.size)) {
            if (at, at + bit) == (start, end) {
                return Some(*node);
            }
            at += bit;
        }
        None
    }
}

/// Returns the powers of two whose sum is `number`, the largest first.
fn bits(number: u64) -> impl Iterator<Item = u64> {
    (0..64)
        .rev()
        .map(|bit| 1 << bit)
        .filter(move |bit| number & bit != 0)
}

/// The leaves of a tree, of which the first may have been dropped.
pub struct Leaves<'a> {
    /// Tree of the dropped leaves.
    pub dropped: &'a Frontier,
    /// Hashes of the leaves after those.
    pub kept: &'a [Hash],
}

impl Leaves<'_> {
    /// Returns the sibling hashes from a leaf to the root of the tree of the first `size` leaves,
    /// or `None` if the leaves needed for that were dropped.
    pub fn path(&self, index: u64, size: u64) -> Option<Vec<Hash>> {
        let there = self.dropped.size + self.kept.len() as u64;
        let is_there = index >= self.dropped.size && index < size && size <= there;
        if !is_there {
            return None;
        }
        let mut path = Vec::new();
        self.collect_path(index, 0, size, &mut path)?;
        Some(path)
    }

    fn collect_path(&self, index: u64, start: u64, end: u64, path: &mut Vec<Hash>) -> Option<()> {
        if end - start <= 1 {
            return Some(());
        }
        let middle = start + left_size(end - start);
        let other = if index < middle {
            self.collect_path(index, start, middle, path)?;
            self.root(middle, end)?
        } else {
            self.collect_path(index, middle, end, path)?;
            self.root(start, middle)?
        };
        path.push(other);
        Some(())
    }

    /// Returns the root of the leaves `start..end`.
    fn root(&self, start: u64, end: u64) -> Option<Hash> {
        // The split follows RFC 6962, so the dropped leaves are cut at the same powers of two
        // as the frontier. A range that only needs part of a stored subtree has no root here
        // and ends the search with `None`: the leaves below it are gone.
        if end <= self.dropped.size {
            return self.dropped.node(start, end);
        }
        if end - start == 1 {
            let index = usize::try_from(start - self.dropped.size).ok()?;
            return self.kept.get(index).copied();
        }
        let middle = start + left_size(end - start);
        Some(Hash::node(
            self.root(start, middle)?,
            self.root(middle, end)?,
        ))
    }
}

/// Returns the number of leaves in the left subtree of `size` leaves, two at least: the largest
/// power of two below `size`.
fn left_size(size: u64) -> u64 {
    1 << (size - 1).ilog2()
}

/// Returns the root computed from a leaf and its path in a tree of `size` leaves, or `None` if
/// the path has the wrong length. The algorithm is that of RFC 9162, section 2.1.3.2.
pub fn root_of_path(leaf: Hash, index: u64, size: u64, path: &[Hash]) -> Option<Hash> {
    if index >= size {
        return None;
    }
    let (mut at, mut last) = (index, size - 1);
    let mut root = leaf;
    for other in path {
        if last == 0 {
            return None;
        }
        // `at` is the position of the node in its level and `last` that of the last node there.
        // An odd position is a right child. The last node of a level with an odd number of
        // nodes has no sibling and moves up unchanged, so the inner loop skips the levels in
        // which it does. In a tree of 5 leaves, the path of leaf 4 has one hash, the root of
        // leaves 0 to 3, and not three.
        if at & 1 == 1 || at == last {
            root = Hash::node(*other, root);
            while at & 1 == 0 && at != 0 {
                at >>= 1;
                last >>= 1;
            }
        } else {
            root = Hash::node(root, *other);
        }
        at >>= 1;
        last >>= 1;
    }
    (last == 0).then_some(root)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn leaves(count: u64) -> Vec<Hash> {
        (0..count)
            .map(|index| Hash::leaf(&index.to_le_bytes()))
            .collect()
    }

    fn frontier(leaves: &[Hash]) -> Frontier {
        let mut frontier = Frontier::default();
        leaves.iter().for_each(|leaf| frontier.push(*leaf));
        frontier
    }

    /// Returns the root as RFC 6962 defines it.
    fn root(leaves: &[Hash]) -> Hash {
        match leaves {
            [] => Hash::digest(&[]),
            [leaf] => *leaf,
            _ => {
                let (left, right) = leaves.split_at(left_size(leaves.len() as u64) as usize);
                Hash::node(root(left), root(right))
            }
        }
    }

    /// Holds for the test vectors of Certificate Transparency.
    #[test]
    fn roots_are_those_of_certificate_transparency() {
        let inputs: [&[u8]; 8] = [
            &[],
            &[0],
            &[0x10],
            &[0x20, 0x21],
            &[0x30, 0x31],
            &[0x40, 0x41, 0x42, 0x43],
            &[0x50, 0x51, 0x52, 0x53, 0x54, 0x55, 0x56, 0x57],
            &[
                0x60, 0x61, 0x62, 0x63, 0x64, 0x65, 0x66, 0x67, 0x68, 0x69, 0x6a, 0x6b, 0x6c, 0x6d,
                0x6e, 0x6f,
            ],
        ];
        let roots = [
            "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
            "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
            "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
            "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
            "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
            "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
            "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
            "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
        ];
        let mut frontier = Frontier::default();
        for (input, root) in inputs.iter().zip(roots) {
            frontier.push(Hash::leaf(input));
            assert_eq!(frontier.root().to_string(), root);
        }
    }

    #[test]
    fn every_leaf_leads_to_the_root_also_behind_dropped_ones() {
        let all = leaves(40);
        for size in 1..=all.len() {
            let tree = frontier(&all[..size]);
            assert_eq!(tree.root(), root(&all[..size]), "{size}");
            for dropped in [0, size / 3, size / 2, size - 1] {
                let known = Leaves {
                    dropped: &frontier(&all[..dropped]),
                    kept: &all[dropped..],
                };
                for (index, leaf) in all.iter().enumerate().take(size) {
                    let path = known.path(index as u64, size as u64);
                    let Some(path) = path else {
                        assert!(index < dropped, "{index} of {size}, {dropped}");
                        continue;
                    };
                    let found = root_of_path(*leaf, index as u64, size as u64, &path);
                    assert_eq!(found, Some(tree.root()), "{index} of {size}");
                    let other =
                        root_of_path(*leaf, (index as u64 + 1) % size as u64, size as u64, &path);
                    assert!(size == 1 || other != Some(tree.root()));
                }
            }
        }
        assert_eq!(root_of_path(all[0], 1, 1, &[]), None);
        assert_eq!(root_of_path(all[0], 0, 1, &all[..1]), None);
    }
}
