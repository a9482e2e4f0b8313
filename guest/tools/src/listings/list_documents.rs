//! `list-documents`: one level of the tree.

use docent_api::documents::{ListDocumentsOptions, Listing};
use docent_api::types::Error;

use crate::listings::{ListRequest, list};
use docent_corpus::corpus::Corpus;
use docent_tree::disk::Disk;

/// Lists what a directory holds itself; see `wit/world.wit`.
///
/// # Errors
/// A request that cannot be met.
pub fn list_documents<D: Disk>(
    corpus: &mut Corpus<D>,
    options: Option<ListDocumentsOptions>,
) -> Result<Listing, Error> {
    let (root, path, limit, cursor) = options.map_or((None, None, None, None), |options| {
        (options.root, options.path, options.limit, options.cursor)
    });
    list(
        corpus,
        &ListRequest {
            tool: "list-documents",
            root,
            path,
            depth: 1,
            limit,
            cursor,
        },
    )
}
