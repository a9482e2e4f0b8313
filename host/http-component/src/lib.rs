//! MCP over `wasi:http` before docent's component, for engines that run components and are not our
//! host: the component's functions are imports, and `wasi:http/incoming-handler` is exported.
//!
//! What tools there are, how they are described, what may be written for their arguments and how
//! answers look as Markdown is [`docent_adapter`]'s and [`docent_render`]'s, as in the host.
//! Nothing here keeps anything from one request to the next. Only tools that read are on offer: a
//! host that is not ours lets several instances write at the same time.
#![deny(missing_docs)]

#[cfg(target_family = "wasm")]
mod component;
pub mod gate;
pub mod message;
pub mod offer;
pub mod reply;
