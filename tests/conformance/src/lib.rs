//! The answers that docent must give, for any caller and any file system: cases as data in
//! `cases/*.json`, and for `find-files` a naive reference implementation.
//!
//! A case is a tree, calls, and their answers. It runs on the tree in memory ([`memory`]) and on
//! native files ([`files`]), both through the types of the contract ([`typed`]), and in the
//! component under wasmtime. [`for_each_case`] generates a test for each. [`bless`] writes the
//! actual answers back into the cases, and [`markdown`] stores the Markdown of some answers.
#![forbid(unsafe_code)]

pub mod bless;
pub mod case;
#[cfg(test)]
mod coverage;
pub mod documents;
pub mod files;
pub mod markdown;
pub mod memory;
mod outcome;
pub mod reference;
pub mod typed;

pub use case::{Call, Case, CaseFile, Entry, case_file, case_files};
pub use outcome::{Outcome, bytes, camel_case, kebab_case, tidy};

include!(concat!(env!("OUT_DIR"), "/list.rs"));
