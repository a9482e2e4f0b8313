//! The tools, one a file.

mod context_search;
mod entries;
mod explore;
mod find_files;
mod get_config;
mod list_documents;
mod list_full_tree;
mod opened;
mod query_document;
mod read_document;
mod search_documents;
mod smart_search;
mod summarize_document;
mod visit;

pub use explore::NO_OPTIONS as NO_EXPLORE_OPTIONS;
pub use opened::Opened;
pub use visit::{holding, read_found};
