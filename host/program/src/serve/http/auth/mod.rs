//! Admission of requests: the `gate` checks `Host` and `Origin` of every request, `access`
//! authenticates its sender.
//!
//! Never: a tool, the body of a request.

pub mod access;
pub mod gate;
