//! MCP over `wasi:http` before docent's component, for engines that run components and are not
//! docent's host: the component's functions are imports, and `wasi:http/incoming-handler` is
//! exported.
//!
//! The tools, their descriptions, their arguments and the Markdown of their answers are
//! [`docent_adapter`]'s and [`docent_render`]'s, as in the host. Nothing here keeps anything from
//! one request to the next. Only tools that read are on offer: other engines let several instances
//! write at the same time.
//!
//! `build.rs` turns the component's world around, and writes the function that calls any of its
//! functions with JSON. `component` is the shell; [`gate`] (who may ask), [`message`] (MCP, one
//! message a request) and [`offer`] (tools that read) are pure, and tested natively. `just
//! http-component` plugs the published component in; the program contains nothing of it.
#![deny(missing_docs)]

#[cfg(target_family = "wasm")]
mod component;
pub mod gate;
pub mod message;
pub mod offer;
pub mod reply;
