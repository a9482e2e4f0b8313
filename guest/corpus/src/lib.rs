//! The documents of a tree, read and cached. *Never:* tools, or a cached value whose stamp was not
//! compared.
#![deny(missing_docs)]
#![forbid(unsafe_code)]

pub mod corpus;
pub mod extensions;
pub mod foreign;
pub mod limits;
pub mod opened;
pub mod store;
pub mod summary;
pub mod visit;
pub mod walk;
