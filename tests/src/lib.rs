//! What the tests that span docent's crates share.
#![forbid(unsafe_code)]

pub mod guest;
pub mod says;
pub mod sweep;
