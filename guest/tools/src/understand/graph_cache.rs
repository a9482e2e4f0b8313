//! Cache of the reference graph in a warm instance: the resolved references of a root as of the
//! last call. It is reused only if the root has exactly the files, with the very same facts, from
//! which it was built; otherwise it is rebuilt.

use std::rc::{Rc, Weak};

use docent_corpus::summary::FileSummary;

use crate::understand::edges::Edges;
use crate::understand::tree::{Gathered, Tree, TreeFile, TreeIndex};

/// The graph of one root, within a budget of bytes.
#[derive(Debug, Default)]
pub struct GraphCache {
    /// Bytes.
    budget: usize,
    known: Option<KnownGraph>,
}

struct KnownGraph {
    /// Index of the root.
    root: usize,
    /// Basis of the graph: each file with its facts, and true if all were read. The facts belong to
    /// the store, which may drop them at any time.
    files: Vec<(Box<str>, Option<Weak<FileSummary>>)>,
    is_complete: bool,
    index: Rc<TreeIndex>,
    edges: Rc<Edges>,
}

impl GraphCache {
    /// Creates a cache for a graph of at most `budget` bytes; 0 disables it.
    pub fn new(budget: usize) -> Self {
        Self {
            budget,
            known: None,
        }
    }

    /// Returns the tree of the files gathered in a root, and their references.
    pub fn graph(&mut self, root: usize, gathered: &mut Gathered) -> (Tree, Rc<Edges>) {
        if let Some(known) = self.known.as_ref().filter(|it| it.is_of(root, gathered)) {
            let tree = Tree::new(gathered, Rc::clone(&known.index));
            return (tree, Rc::clone(&known.edges));
        }
        // The old graph is dropped before the new one is built, so that memory never holds
        // both.
        self.known = None;
        let index = Rc::new(TreeIndex::new(gathered));
        let tree = Tree::new(gathered, index);
        let edges = Rc::new(Edges::new(&tree));
        if tree.index.bytes() + edges.bytes() <= self.budget {
            self.known = Some(KnownGraph::new(root, &tree, &edges));
        }
        (tree, edges)
    }
}

impl KnownGraph {
    fn new(root: usize, tree: &Tree, edges: &Rc<Edges>) -> Self {
        let known = |file: &TreeFile| {
            let facts = file.facts.as_ref().map(Rc::downgrade);
            (file.path.as_str().into(), facts)
        };
        Self {
            root,
            files: tree.files.iter().map(known).collect(),
            is_complete: tree.is_complete,
            index: Rc::clone(&tree.index),
            edges: Rc::clone(edges),
        }
    }

    /// Returns true if it was built from exactly these files with the same facts.
    fn is_of(&self, root: usize, gathered: &Gathered) -> bool {
        let is_same = |known: &(Box<str>, Option<Weak<FileSummary>>), file: &TreeFile| {
            // Facts are compared by address. The weak pointer does not keep them alive, but it
            // keeps their memory reserved: if the store drops the facts of a file and makes new
            // ones after a change, those cannot be at the same address and pass for the old
            // ones.
            let known_facts = known.1.as_ref().map(Weak::as_ptr);
            known_facts == file.facts.as_ref().map(Rc::as_ptr) && *known.0 == *file.path
        };
        self.root == root
            && self.is_complete == gathered.is_complete()
            && self.files.len() == gathered.files.len()
            && self
                .files
                .iter()
                .zip(&gathered.files)
                .all(|(known, file)| is_same(known, file))
    }
}

impl std::fmt::Debug for KnownGraph {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("KnownGraph")
            .field("root", &self.root)
            .field("files", &self.files.len())
            .finish_non_exhaustive()
    }
}
