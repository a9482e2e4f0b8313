//! What a warm instance remembers of how files hang together: where all references of a root lead,
//! as the last call found out. Taken again only while every file is there with the very facts that
//! it was made of, and no other; else it is found out anew.

use std::rc::{Rc, Weak};

use docent_corpus::facts::Facts;

use crate::understand::edges::Edges;
use crate::understand::tree::{Gathered, Tree, TreeFile, TreeIndex};

/// The graph of one root, of at most so many bytes.
#[derive(Debug, Default)]
pub struct GraphCache {
    /// Bytes.
    budget: usize,
    known: Option<KnownGraph>,
}

struct KnownGraph {
    /// Index of the root.
    root: usize,
    /// All that it was made of: each file with its facts, and whether all were read. The facts
    /// themselves are the store's, to be forgotten when it likes.
    files: Vec<(Box<str>, Option<Weak<Facts>>)>,
    is_complete: bool,
    index: Rc<TreeIndex>,
    edges: Rc<Edges>,
}

impl GraphCache {
    /// Remembers a graph of at most `budget` bytes; with none, nothing.
    pub fn new(budget: usize) -> Self {
        Self {
            budget,
            known: None,
        }
    }

    /// Returns the tree of the files that were gathered in a root, and where they lead.
    pub fn graph(&mut self, root: usize, gathered: &mut Gathered) -> (Tree, Rc<Edges>) {
        if let Some(known) = self.known.as_ref().filter(|it| it.is_of(root, gathered)) {
            let tree = Tree::new(gathered, Rc::clone(&known.index));
            return (tree, Rc::clone(&known.edges));
        }
        // Before another is made, so that there are never two.
        self.known = None;
        let index = Rc::new(TreeIndex::of(gathered));
        let tree = Tree::new(gathered, index);
        let edges = Rc::new(Edges::of(&tree));
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

    /// Whether these files are all those that it was made of, with the same facts.
    fn is_of(&self, root: usize, gathered: &Gathered) -> bool {
        let is_same = |known: &(Box<str>, Option<Weak<Facts>>), file: &TreeFile| {
            // While it is remembered here, nothing else can lie where the facts lay.
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
