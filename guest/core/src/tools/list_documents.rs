//! `list-documents`: one level of the tree.

use docent_api::documents::{ListDocumentsOptions, Listing};
use docent_api::types::Error;

use super::entries::ListRequest;
use crate::Docent;
use crate::disk::Disk;

impl<D: Disk> Docent<D> {
    /// Lists what a directory holds itself; see `wit/world.wit`.
    ///
    /// # Errors
    /// A request that cannot be met.
    pub fn list_documents(
        &mut self,
        options: Option<ListDocumentsOptions>,
    ) -> Result<Listing, Error> {
        let (root, path, limit, cursor) = options.map_or((None, None, None, None), |given| {
            (given.root, given.path, given.limit, given.cursor)
        });
        self.list(&ListRequest {
            tool: "list-documents",
            root,
            path,
            depth: 1,
            limit,
            cursor,
        })
    }
}
