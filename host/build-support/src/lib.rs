//! Shared code of docent's build scripts. It has no dependencies, so that the build scripts can
//! start at once.
#![forbid(unsafe_code)]

pub mod guest;
pub mod progress;
pub mod script;
pub mod versions;
