//! `find-files` through the component: pages against the reference on real files, and which times
//! its hosts tell.
#![cfg(target_os = "linux")]
#![forbid(unsafe_code)]

mod pages;
#[expect(dead_code, reason = "the tests of the core use the rest")]
#[path = "../../guest/tools/tests/it/reference/mod.rs"]
mod reference;
mod times;
