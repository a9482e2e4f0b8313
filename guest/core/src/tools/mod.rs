//! The tools, one a file.

mod get_config;
mod search_documents;
