//! Tests that span crates and are not cases: budgets, files by time, and the limits of a guest.
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
mod wording;
#[cfg(target_os = "linux")]
mod writing;
