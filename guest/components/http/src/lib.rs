//! MCP over `wasi:http` for docent's component, for engines that run components and are not
//! docent's host: it imports the component's functions and exports `wasi:http/incoming-handler`.
//!
//! The tools, their descriptions, their arguments and the Markdown of their answers come from
//! [`docent_tool_catalog`] and [`docent_markdown`], as in the host; [`docent_wrapper`] calls the
//! component. No state is kept between requests. Only read-only tools are on offer, because other
//! engines let several instances write at the same time.
//!
//! `component` passes requests on; [`gate`] (authentication), [`message`] (MCP, one message per
//! request) and [`offer`] (read-only tools) are pure, and tested natively. `just http-component`
//! plugs the published component in; the program contains nothing of this crate.
#![deny(missing_docs)]

#[cfg(target_family = "wasm")]
mod component;
pub mod gate;
pub mod message;
pub mod offer;
pub mod reply;
