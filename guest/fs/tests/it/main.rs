//! Writing to real files.
#![cfg(not(target_family = "wasm"))]

mod writing;
