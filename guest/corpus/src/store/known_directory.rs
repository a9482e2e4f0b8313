//! A cached directory, and the one in which a page ended.

use std::rc::Rc;

use crate::store::ids::DocumentId;
use docent_tree::disk::Stamp;
use docent_tree::ignore::rules::{ChainId, IGNORE_FILES, RuleChain};
use docent_tree::listing::Listing;

#[derive(Debug)]
pub(super) struct KnownDirectory {
    pub(super) stamp: Stamp,
    pub(super) listing: Rc<Listing>,
    pub(super) documents: Vec<Option<DocumentId>>,
    pub(super) rules: Option<KnownRules>,
    /// For each item, true if it is excluded under the chain of this id.
    pub(super) ignored: (Option<ChainId>, Vec<Option<bool>>),
    pub(super) used: u64,
}

/// The rule chain of a directory, and the inputs that it was built from.
#[derive(Debug)]
pub(super) struct KnownRules {
    pub(super) parent: Option<ChainId>,
    pub(super) stamps: [Option<Stamp>; IGNORE_FILES.len()],
    pub(super) chain: Rc<RuleChain>,
}

/// The directory in which a page ended.
#[derive(Debug)]
pub(super) struct PageEnd {
    pub(super) root: usize,
    pub(super) path: String,
    pub(super) stamp: Stamp,
    pub(super) listing: Rc<Listing>,
}
