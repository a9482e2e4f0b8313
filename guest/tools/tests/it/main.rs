//! The tools over the tree in memory: their laws, and their answers to hostile trees and requests.

mod archives;
mod cache;
mod callers;
mod change;
mod explore;
mod find;
mod foreign;
mod hints;
mod hostile;
mod link_changes;
mod markup;
mod moves;
mod notebooks;
mod pages;
mod patch;
mod references;
mod reindex;
mod relevance;
mod request_paths;
mod semantic;
mod statements;
mod tangles;
mod text_files;
mod understand;
