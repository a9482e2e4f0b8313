//! `list-full-tree`: all levels of the tree.

use docent_api::documents::{ListFullTreeOptions, Listing};
use docent_api::types::Error;

use crate::limits::{TREE_DEPTH, TREE_DEPTH_DEFAULT};
use crate::listings::{ListRequest, list};
use docent_corpus::corpus::Corpus;
use docent_tree::disk::Disk;
use docent_tree::error::check_range;

/// Options with the default for everything.
pub const NO_OPTIONS: ListFullTreeOptions = ListFullTreeOptions {
    root: None,
    path: None,
    max_depth: None,
    limit: None,
    cursor: None,
};

/// Lists all entries below a directory; see `wit/world.wit`.
///
/// # Errors
/// For a request that cannot be served.
pub fn list_full_tree<D: Disk>(
    corpus: &mut Corpus<D>,
    options: ListFullTreeOptions,
) -> Result<Listing, Error> {
    let ListFullTreeOptions {
        root,
        path,
        max_depth,
        limit,
        cursor,
    } = options;
    let depth = check_range("maxDepth", max_depth, TREE_DEPTH)?.unwrap_or(TREE_DEPTH_DEFAULT);
    list(
        corpus,
        &ListRequest {
            tool: "list-full-tree",
            root,
            path,
            depth,
            limit,
            cursor,
        },
    )
}
