//! The tools, one a file.

mod entries;
mod find_files;
mod get_config;
mod list_documents;
mod list_full_tree;
mod read_document;
mod search_documents;
