//! Tests of documents from outside of the crate.

mod slugs;
