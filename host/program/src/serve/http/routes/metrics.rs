//! Metrics of the server.

use http::StatusCode;

use crate::serve::http::metrics::{Load, TEXT};
use crate::serve::http::reply::{self, Reply};
use crate::serve::http::state::ServerState;

/// Replies with all metrics.
pub fn answer(state: &ServerState) -> Reply {
    let (running, waiting) = state.queue.load();
    let load = Load {
        running,
        waiting,
        services: state.services.count(),
    };
    reply::bytes(StatusCode::OK, TEXT, state.metrics.text(load))
}
