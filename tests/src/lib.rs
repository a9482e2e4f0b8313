//! What the tests that span docent's crates share.
#![forbid(unsafe_code)]

pub mod guest;
#[cfg(target_os = "linux")]
pub mod machine;
pub mod says;
pub mod sweep;
