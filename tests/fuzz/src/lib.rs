//! Shared code of the fuzz targets: the location of seeds, and the laws that several of them check.
#![deny(missing_docs)]

pub mod markdown;
pub mod office;
pub mod seeds;
