//! `list-full-tree`: all levels of the tree.

use docent_api::documents::{ListFullTreeOptions, Listing};
use docent_api::types::Error;

use super::entries::ListRequest;
use crate::Docent;
use crate::disk::Disk;
use crate::limits::{TREE_DEPTH, TREE_DEPTH_DEFAULT};
use crate::refusal::out_of_range;

impl<D: Disk> Docent<D> {
    /// Lists what a directory and those below it hold; see `wit/world.wit`.
    ///
    /// # Errors
    /// A request that cannot be met.
    pub fn list_full_tree(
        &mut self,
        options: Option<ListFullTreeOptions>,
    ) -> Result<Listing, Error> {
        let (root, path, depth, limit, cursor) =
            options.map_or((None, None, None, None, None), |given| {
                (
                    given.root,
                    given.path,
                    given.max_depth,
                    given.limit,
                    given.cursor,
                )
            });
        let depth = depth.unwrap_or(TREE_DEPTH_DEFAULT);
        if !(TREE_DEPTH.0..=TREE_DEPTH.1).contains(&depth) {
            return Err(out_of_range("maxDepth", depth, TREE_DEPTH));
        }
        self.list(&ListRequest {
            tool: "list-full-tree",
            root,
            path,
            depth,
            limit,
            cursor,
        })
    }
}
