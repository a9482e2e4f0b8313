//! The tools over MCP: on stdin and stdout, and over HTTP.
//!
//! Everything that a client sees of a tool comes from the tool table; nothing here knows one.
//!
//! The `desk` serves callers with the same rights. It has the tools on offer (`instructions`,
//! `descriptions`), the pool (`late` loads the component in the background), and the one function
//! through which every call goes, with its caller. Observers of calls are told there, and calls are
//! recorded there (`recorder`) before an answer is given. `handler` answers MCP at a desk,
//! `message` understands what clients send. `resources` offers documents as resources, made of
//! answers of tools.
//!
//! Two ways lead to a desk: `session` over `stdio`, which carries a message a line, with `batch`
//! for batches; and `http`.

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
