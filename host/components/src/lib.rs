//! Compiles docent's components, and holds nothing: its build script tells the build script of
//! `docent-host` where they lie.
//!
//! It is a crate of its own so that cargo can run it at once. As a part of `docent-host`'s script the
//! longest step of a first build would wait for the slowest dependency, wasmtime with its compiler,
//! and leave all processors but one idle meanwhile.
#![forbid(unsafe_code)]
