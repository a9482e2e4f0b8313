//! Whole processes measured beside each other, and real text to measure on: what the programs have
//! in common that compare docent with others.
#![cfg(target_os = "linux")]

pub mod process;
pub mod program;
pub mod server;
pub mod table;
pub mod text;
