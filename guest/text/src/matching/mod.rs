//! Search for a query in a text, independent of case and normal form, and excerpts around hits.

pub mod anchor;
pub mod excerpt;
pub mod finder;
pub mod phrase;
pub mod query;
