//! The documents of a tree, read and remembered. It must never know a tool, nor believe anything
//! remembered before its stamp was compared.
#![deny(missing_docs)]
#![forbid(unsafe_code)]

pub mod corpus;
pub mod extensions;
pub mod facts;
pub mod foreign;
pub mod limits;
pub mod opened;
pub mod store;
pub mod visit;
pub mod walk;
