//! A component with only the pillars, for hosts that show every function to a model. It imports the
//! functions of docent's component and exports those of the world `agent`, which have few arguments
//! and return Markdown.
//!
//! `component` has one line per function; [`arguments`] makes the arguments of docent's tools of
//! theirs, and [`single_call`] is for instances that live for one call. Both are pure, and tested
//! natively. `just pillars-component` plugs the published component in; the program contains
//! nothing of this crate.
#![deny(missing_docs)]

pub mod arguments;
#[cfg(target_family = "wasm")]
mod component;
pub mod single_call;
