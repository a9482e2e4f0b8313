//! The order of calls: a `fair_queue` of principals, with the `rate` of each.
//!
//! Never: a request, a token, a tool.

pub mod fair_queue;
pub mod rate;
