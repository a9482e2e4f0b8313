//! What the fuzz targets share: where seeds go, and the laws that several of them check.
#![deny(missing_docs)]

pub mod markdown;
pub mod office;
pub mod seeds;
