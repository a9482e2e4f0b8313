//! What docent must answer, whoever asks and wherever the files lie: cases as data in
//! `cases/*.json`, and for `find-files` a reference that is as naive as can be.
//!
//! A case is a tree, calls, and their answers. It is run on the tree in memory ([`memory`]), on
//! native files ([`files`]), both through the types of the contract ([`typed`]), and by the tests
//! of the component under wasmtime. [`for_each_case`] makes a test of each. [`bless`] writes what
//! was answered back into the cases, [`markdown`] keeps what a model reads of some answers.
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
