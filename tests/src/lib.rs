//! The shared code of the tests that span docent's crates.
//!
//! * `conformance/`: cases as data, Markdown answers, and a crate that runs them without the host;
//!   `component/`: the same cases on the component.
//! * `it/`: `sandbox/` (hostile trees and components), `find/` (pages of files by time), budgets,
//!   laws of the repository.
//! * `work/`: a component whose instructions are counted.
//! * `guests/`, `readers/`, `encoders/`: misbehaving components, with the `deeds/` that they
//!   perform on request.
//! * `named-tools/`, `named-tools-server/`: a component with the tools that the official
//!   conformance tests call, served as `docent serve` serves docent's.
//! * `texts/`: real texts, such as the specification of Markdown and sources of dependencies.
//! * `clients/`, `page/`, `deploy/`, `load/`, `power/`, `log/`: the program from outside, through
//!   other people's clients, a browser, replicas and other engines, many concurrent clients, a loss
//!   of power, and a verifier of the log.
//! * `agents/`, `benches/`, `eval/`, `edits/`, `foreign/`, `graph/`, `links/`, `pdf/`: programs
//!   that measure.
//! * `fuzz/`: fuzz targets, outside the workspace.
#![forbid(unsafe_code)]

pub mod guest;
pub mod says;
pub mod sweep;
