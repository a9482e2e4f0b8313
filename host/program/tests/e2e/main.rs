//! Drives the real program: over stdio as an MCP client would, and from the command line.

mod ask;
#[cfg(unix)]
mod book;
mod cli;
mod editing;
mod encoder;
mod explore;
mod foreign;
mod grep;
mod help;
mod hints;
mod http;
#[cfg(all(
    target_os = "linux",
    target_env = "gnu",
    any(target_arch = "x86_64", target_arch = "aarch64")
))]
mod killed;
mod limits;
mod log;
mod meaning;
mod patches;
mod paths;
mod pictures;
mod program;
mod protected;
mod protocol;
mod repository;
mod resources;
#[cfg(target_os = "linux")]
mod setup;
mod taking_back;
#[cfg(target_os = "linux")]
mod terminal;
mod told;
mod tools;
mod trace;
mod understand;
mod writing;
