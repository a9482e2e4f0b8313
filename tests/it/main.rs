//! What spans crates and is no case: budgets, files by time, and what a guest cannot do.
#![forbid(unsafe_code)]

mod arguments;
#[cfg(unix)]
mod budget;
#[cfg(target_os = "linux")]
mod find;
mod forgotten;
#[cfg(target_os = "linux")]
mod sandbox;
#[cfg(target_os = "linux")]
mod writing;
