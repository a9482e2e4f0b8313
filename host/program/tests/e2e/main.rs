//! Drives the real program: over stdio as an MCP client would, and from the command line.

mod ask;
mod cli;
mod editing;
mod explore;
mod foreign;
mod hints;
mod limits;
mod patches;
mod program;
mod protocol;
mod taking_back;
#[cfg(target_os = "linux")]
mod terminal;
mod told;
mod tools;
mod trace;
mod understand;
mod writing;
