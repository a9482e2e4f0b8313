//! Tests that compare the Linux and the portable implementation.

mod agreement;
mod renames;
