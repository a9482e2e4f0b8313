//! Paths as callers write them: resolved below one root, recognised as globs or as tests, looked up
//! among many, and similar ones for a path that does not exist.
//!
//! *Never:* the text of a file; a path of the host in an answer.

pub mod globs;
pub mod near_paths;
pub mod path_lookup;
pub mod request_paths;
pub mod test_files;
