//! Connections: `listen` opens sockets, `accept` takes connections from them, each with its
//! `activity`, which closes those that are idle or slow, and within a `capacity`, which bounds
//! their number.
//!
//! Never: a token, a tool, a path of a request.

pub mod accept;
pub mod activity;
pub mod capacity;
pub mod listen;
