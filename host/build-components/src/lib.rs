//! Compiles docent's components. The crate itself is empty: its build script passes the paths of
//! the components to the build script of `docent-host`.
//!
//! It is a separate crate so that cargo can run its script at once. In the script of `docent-host`
//! the longest step of a first build would wait for the slowest dependency, wasmtime with its
//! compiler, with all processors but one idle.
#![forbid(unsafe_code)]
