//! The common parts of the tools that write.
//!
//! * `root`: a writable root; `file`: existing files; `path_state`: places for new files; `whole`:
//!   files written whole.
//! * `link_index`: the links to and from files; `repaired_links`: broken links that a new file
//!   fixes.
//! * `template`, `front_matter`: the sources of a file's text.
//! * `refusal`: the refusals of a transaction in the types of the contract.

pub mod file;
pub mod front_matter;
pub mod link_index;
pub mod path_state;
pub mod recorded;
pub mod refusal;
pub mod repaired_links;
pub mod root;
pub mod shown;
pub mod template;
pub mod whole;
