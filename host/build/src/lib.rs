//! Shared code of docent's build scripts, and the spelling of names on which build and program must
//! agree. It has no dependencies, so that the build scripts that need it can start at once.
#![forbid(unsafe_code)]

pub mod guest;
pub mod script;
pub mod spelling;
pub mod versions;
