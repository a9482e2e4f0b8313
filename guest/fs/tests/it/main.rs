//! Tests of writing to real files.
#![cfg(not(target_family = "wasm"))]

mod writing;
