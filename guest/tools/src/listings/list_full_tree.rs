//! `list-full-tree`: all levels of the tree.

use docent_api::documents::{ListFullTreeOptions, Listing};
use docent_api::types::Error;

use crate::limits::{TREE_DEPTH, TREE_DEPTH_DEFAULT};
use crate::listings::{ListRequest, list};
use docent_corpus::corpus::Corpus;
use docent_tree::disk::Disk;
use docent_tree::error::within;

/// Lists what a directory and those below it hold; see `wit/world.wit`.
///
/// # Errors
/// A request that cannot be met.
pub fn list_full_tree<D: Disk>(
    corpus: &mut Corpus<D>,
    options: Option<ListFullTreeOptions>,
) -> Result<Listing, Error> {
    let (root, path, depth, limit, cursor) =
        options.map_or((None, None, None, None, None), |options| {
            (
                options.root,
                options.path,
                options.max_depth,
                options.limit,
                options.cursor,
            )
        });
    let depth = within("maxDepth", depth, TREE_DEPTH)?.unwrap_or(TREE_DEPTH_DEFAULT);
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
