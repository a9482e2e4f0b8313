//! The tools over MCP: on stdin and stdout, and over HTTP.
//!
//! All descriptions of tools come from the tool table; no code here depends on a particular tool.
//!
//! The `tool_service` serves callers with the same rights. It has the tools on offer
//! (`instructions`, `descriptions`), the pool (`background_pool` loads the component while the
//! first messages are exchanged), and the one function through which every call passes, with its
//! caller. It notifies observers of calls, and records calls (`recorder`) before it returns their
//! answers. `handler` answers MCP requests with a service, `message` parses client messages.
//! `resources` offers documents as resources, made from answers of tools. `converted` knows the
//! names of documents whose text is Markdown that was made of them.
//!
//! Two transports lead to a service: `session` over `stdio`, with one message a line and `batch`
//! for batches; and `http`.

pub mod background_pool;
mod batch;
mod caller;
mod converted;
mod descriptions;
mod handler;
pub mod http;
mod instructions;
mod message;
mod pictures;
pub mod recorder;
mod resources;
mod session;
mod stdio;
mod tool_service;

pub use caller::Caller;
pub use instructions::roots;
pub use session::serve;
pub use tool_service::{Answers, ToolSet};
