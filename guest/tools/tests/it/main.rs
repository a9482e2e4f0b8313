//! The tools over the tree in memory: their laws, and their answers to hostile trees and requests.

mod cache;
#[expect(clippy::disallowed_methods, reason = "the cases are files")]
#[path = "../../../../tests/conformance/case.rs"]
mod case;
mod conformance;
mod explore;
mod find;
mod foreign;
mod hostile;
mod linear;
#[path = "../../../../tests/conformance/memory.rs"]
mod memory;
mod pages;
#[expect(dead_code, reason = "the tests of the component use the rest")]
mod reference;
mod relevance;
#[path = "../../../../tests/conformance/typed.rs"]
mod typed;
