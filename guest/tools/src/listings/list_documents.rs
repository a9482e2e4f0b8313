//! `list-documents`: one level of the tree.

use docent_api::documents::{ListDocumentsOptions, Listing};
use docent_api::types::Error;

use crate::listings::{ListRequest, list};
use docent_corpus::corpus::Corpus;
use docent_tree::disk::Disk;

/// Options with the default for everything.
pub const NO_OPTIONS: ListDocumentsOptions = ListDocumentsOptions {
    root: None,
    path: None,
    limit: None,
    cursor: None,
};

/// Lists the direct entries of a directory; see `wit/world.wit`.
///
/// # Errors
/// For a request that cannot be served.
pub fn list_documents<D: Disk>(
    corpus: &mut Corpus<D>,
    options: ListDocumentsOptions,
) -> Result<Listing, Error> {
    let ListDocumentsOptions {
        root,
        path,
        limit,
        cursor,
    } = options;
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
