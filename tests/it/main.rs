//! What spans crates and is no case: budgets, files by time, and what a guest cannot do.
#![forbid(unsafe_code)]

mod architecture;
mod arguments;
#[cfg(unix)]
mod budget;
mod clocks;
#[cfg(target_os = "linux")]
mod find;
mod forgotten;
mod language;
mod linear;
#[cfg(target_os = "linux")]
mod sandbox;
#[cfg(target_os = "linux")]
mod writing;
