//! Finding a query in a text, whatever its case and normal form, and quoting what stands round it.

mod anchor;
pub mod excerpt;
pub mod finder;
pub mod phrase;
pub mod query;
