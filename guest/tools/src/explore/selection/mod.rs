//! The selection: the files of a request become candidates of all groups, ranked for a query or
//! expanded from its paths, before any of them is rendered.
//!
//! *Never:* an item, a text that is shown; an error for a file that cannot be read.

pub mod call_documents;
pub mod candidate;
pub mod change_logs;
pub mod definitions;
pub mod expand;
pub mod matches;
pub mod message;
pub mod order;
pub mod pack_cache;
pub mod plan;
pub mod ranking;
pub mod search;
pub mod semantic;
pub mod traversal;
