//! A model of a disk whose contents and names have a durable and a pending part.
//!
//! A loss of power may keep any part of what is pending. Names are kept or lost one by one, across
//! directories in any order. A content that was not synced is the old one, the new one, cut, or
//! zeros. A rename within a directory is one step; one across directories is two, of which either
//! may be lost.

use std::collections::BTreeMap;
use std::rc::Rc;

mod machine;

pub(super) use machine::{Handle, Lasting, Machine, Platform, RefusalTime};

/// The node of the root. `STATE` is that of the state directory.
const ROOT: usize = 0;
const STATE: usize = 1;

/// Everything on the disk.
#[derive(Clone)]
pub(super) struct State {
    nodes: Vec<Node>,
    ticks: u128,
}

#[derive(Clone)]
enum Node {
    File {
        durable: Rc<Vec<u8>>,
        current: Rc<Vec<u8>>,
        version: u128,
        links: u64,
    },
    Directory {
        durable: Names,
        current: Names,
        pending: Vec<Pending>,
    },
}

type Names = BTreeMap<String, usize>;

/// A change of a directory's names that is not durable yet.
#[derive(Clone)]
enum Pending {
    Link(String, usize),
    Unlink(String),
    Rename(String, String, usize),
}

impl Pending {
    fn apply(&self, names: &mut Names) {
        match self {
            Self::Link(name, node) => {
                names.insert(name.clone(), *node);
            }
            Self::Unlink(name) => {
                names.remove(name);
            }
            Self::Rename(from, to, node) => {
                names.remove(from);
                names.insert(to.clone(), *node);
            }
        }
    }
}

/// Files of a root by path. A directory has no content.
pub(super) type Tree = BTreeMap<String, Option<Vec<u8>>>;

impl State {
    pub(super) fn with_files(files: &[(&str, &str)]) -> Self {
        let mut state = Self {
            nodes: vec![Node::directory(), Node::directory()],
            ticks: 0,
        };
        for (path, text) in files {
            state.save(path, text.as_bytes());
        }
        state
    }

    /// Saves a file as another program does: it writes the file in place, or creates it, and syncs
    /// everything.
    pub(super) fn save(&mut self, path: &str, bytes: &[u8]) {
        let mut at = ROOT;
        let (above, name) = path.rsplit_once('/').unwrap_or(("", path));
        for segment in above.split('/').filter(|segment| !segment.is_empty()) {
            let next = self.names(at).get(segment).copied();
            at = next.unwrap_or_else(|| self.add(at, segment, Node::directory()));
        }
        self.ticks += 1;
        let file = Node::File {
            durable: Rc::new(bytes.to_vec()),
            current: Rc::new(bytes.to_vec()),
            version: self.ticks,
            links: 1,
        };
        match self.names(at).get(name).copied() {
            Some(node) => self.nodes[node] = file,
            None => {
                self.add(at, name, file);
            }
        }
    }

    /// Replaces the content of a file in the state directory.
    pub(super) fn tamper(&mut self, part: &str, name: &str, bytes: &[u8]) {
        let part = self.names(STATE)[part];
        let node = self.names(part)[name];
        if let Node::File {
            durable, current, ..
        } = &mut self.nodes[node]
        {
            *durable = Rc::new(bytes.to_vec());
            *current = Rc::clone(durable);
        }
    }

    /// Removes an entry of the root for good, with everything in it.
    pub(super) fn remove(&mut self, name: &str) {
        if let Node::Directory {
            durable, current, ..
        } = &mut self.nodes[ROOT]
        {
            durable.remove(name);
            current.remove(name);
        }
    }

    pub(super) fn set_links(&mut self, name: &str, count: u64) {
        let node = self.names(ROOT)[name];
        if let Node::File { links, .. } = &mut self.nodes[node] {
            *links = count;
        }
    }

    fn add(&mut self, at: usize, name: &str, node: Node) -> usize {
        self.nodes.push(node);
        let new = self.nodes.len() - 1;
        if let Node::Directory {
            durable, current, ..
        } = &mut self.nodes[at]
        {
            durable.insert(name.to_owned(), new);
            current.insert(name.to_owned(), new);
        }
        new
    }

    fn names(&self, node: usize) -> &Names {
        match &self.nodes[node] {
            Node::Directory { current, .. } => current,
            Node::File { .. } => panic!("a file has no names"),
        }
    }

    /// Returns the files and directories of the root by path.
    pub(super) fn tree(&self) -> Tree {
        let mut tree = Tree::new();
        let mut open = vec![(String::new(), ROOT)];
        while let Some((path, node)) = open.pop() {
            for (name, node) in self.names(node) {
                let path = format!("{path}{name}");
                match &self.nodes[*node] {
                    Node::File { current, .. } => {
                        tree.insert(path, Some(current.to_vec()));
                    }
                    Node::Directory { .. } => {
                        tree.insert(path.clone(), None);
                        open.push((format!("{path}/"), *node));
                    }
                }
            }
        }
        tree
    }

    /// Returns the disks that a loss of power may leave: all of them if there are few, otherwise
    /// the extremes and `samples` others.
    pub(super) fn losses(&self, samples: usize, random: &mut Random) -> Vec<Self> {
        let names: usize = self.nodes.iter().map(Node::pending).sum();
        let files = self.nodes.iter().filter(|node| node.is_unsynced()).count();
        let bits = names + 2 * files;
        if bits < 31 && (1 << bits) <= samples.max(256) {
            return (0..1u64 << bits)
                .map(|bits| self.after_loss(bits, names))
                .collect();
        }
        // Nothing, everything, and each name alone lost or kept, which is where bugs are.
        let all = u64::MAX;
        let mut chosen = vec![0, all];
        // A sample, if there are many more names than samples.
        let stride = (names / samples.max(1)).max(1);
        let bits = (0..names.min(60)).step_by(stride);
        chosen.extend(bits.flat_map(|bit| [1 << bit, all ^ (1 << bit)]));
        chosen.extend((0..samples).map(|_| random.next()));
        chosen
            .into_iter()
            .map(|bits| self.after_loss(bits, names))
            .collect()
    }

    /// Returns the disk that keeps the pending names whose bits are set, and of each unsynced
    /// content what its two bits say.
    fn after_loss(&self, mut bits: u64, names: usize) -> Self {
        let mut contents = bits
            .checked_shr(u32::try_from(names).unwrap_or(64))
            .unwrap_or(bits);
        let mut left = self.clone();
        for node in &mut left.nodes {
            match node {
                Node::File {
                    durable, current, ..
                } if durable != current => {
                    let length = current.len();
                    *durable = match contents & 3 {
                        0 => Rc::clone(durable),
                        1 => Rc::clone(current),
                        2 => Rc::new(current[..length / 2].to_vec()),
                        _ => Rc::new(vec![0; length]),
                    };
                    *current = Rc::clone(durable);
                    contents >>= 2;
                }
                Node::File { .. } => {}
                Node::Directory {
                    durable,
                    current,
                    pending,
                } => {
                    for change in pending.drain(..) {
                        if bits & 1 == 1 {
                            change.apply(durable);
                        }
                        bits = bits.rotate_right(1);
                    }
                    *current = durable.clone();
                }
            }
        }
        left
    }
}

impl Node {
    fn directory() -> Self {
        Self::Directory {
            durable: Names::new(),
            current: Names::new(),
            pending: Vec::new(),
        }
    }

    fn pending(&self) -> usize {
        match self {
            Self::Directory { pending, .. } => pending.len(),
            Self::File { .. } => 0,
        }
    }

    fn is_unsynced(&self) -> bool {
        matches!(self, Self::File { durable, current, .. } if durable != current)
    }
}

/// A generator of numbers that look random and are the same every time (xorshift).
pub(super) struct Random(pub(super) u64);

impl Random {
    pub(super) fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }
}
