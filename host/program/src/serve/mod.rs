//! The tools over MCP: on stdin and stdout, and over HTTP.
//!
//! Everything that a client sees of a tool comes from the tool table; nothing here knows one.

mod batch;
mod descriptions;
mod desk;
mod handler;
pub mod http;
mod instructions;
pub mod late;
mod message;
pub mod recorder;
mod resources;
mod session;
mod stdio;

pub use desk::{Answers, Caller, Offer};
pub use instructions::roots;
pub use session::serve;
