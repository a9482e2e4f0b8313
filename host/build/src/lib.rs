//! What docent's build scripts share, and the one spelling of names that build and program must
//! agree on. It depends on nothing, so that a build script which needs it can start at once.
#![forbid(unsafe_code)]

pub mod guest;
pub mod script;
pub mod spelling;
pub mod versions;
