//! Routes of the HTTP server. Any other path is a plain 404, `/.well-known/oauth-*` in particular:
//! clients that find anything else there ask a person to log in.

mod context;
mod health;
mod mcp;
mod metrics;
pub mod page;
mod request;

use std::borrow::Cow;
use std::sync::Arc;

use http::Method;
use http::request::Parts;
use hyper::body::Incoming;

use self::page::Api;
use self::request::AuthenticatedRequest;
use crate::serve::http::auth::access;
use crate::serve::http::connection::listen::Peer;
use crate::serve::http::query;
use crate::serve::http::reply::{self, Reply};
use crate::serve::http::state::ServerState;
use crate::tokens::Extra;

/// A route that requires authentication.
enum Route<'a> {
    /// MCP, for all roots or for the one with this name.
    Mcp(Option<Cow<'a, str>>),
    /// The tools for scripts.
    Context,
    /// Metrics for Prometheus.
    Metrics,
    /// API of the page for people.
    Page(Api),
}

impl<'a> Route<'a> {
    fn from_path(path: &'a str) -> Option<Self> {
        match path {
            // Some clients append a slash to every address.
            "/mcp" | "/mcp/" => Some(Self::Mcp(None)),
            "/context" => Some(Self::Context),
            "/metrics" => Some(Self::Metrics),
            _ => match path.strip_prefix("/mcp/") {
                Some(root) => {
                    let root = root.strip_suffix('/').unwrap_or(root);
                    Some(Self::Mcp(Some(query::segment(root)?)))
                }
                None => Api::from_path(path).map(Self::Page),
            },
        }
    }
}

/// Answers a request that has passed the gate.
pub async fn answer(state: &Arc<ServerState>, parts: Parts, body: Incoming, peer: Peer) -> Reply {
    let path = parts.uri.path().to_owned();
    // These routes have no authentication: orchestrators send no token with their checks, and
    // the files of the page contain no private data.
    match path.as_str() {
        "/healthz" => return reading(&parts, health::alive),
        "/readyz" if is_reading(&parts) => return health::ready(state).await,
        "/readyz" => return reply::not_allowed("GET, HEAD"),
        _ => {}
    }
    if let Some(file) = page::file(&parts) {
        return file;
    }
    let Some(route) = Route::from_path(&path) else {
        return reply::not_found();
    };
    let principal = match state.access.principal(&parts.headers, peer) {
        Ok(principal) => principal,
        Err(denied) => {
            if let Some(recorder) = state.services.recorder() {
                recorder.count_refused(denied.why, peer);
            }
            return denied.reply;
        }
    };
    let ended = principal.ended.clone();
    let asked = AuthenticatedRequest {
        state,
        parts,
        body: Some(body),
        principal,
    };
    tokio::select! {
        biased;
        // The token of the sender was revoked or has expired. Dropping the running answer
        // cancels its call, and the revocation is preferred (`biased`) if both are ready: an
        // answer must not be sent after the access has ended.
        () = ended.cancelled() => access::no_good_token(),
        reply = dispatch(route, asked) => reply,
    }
}

/// Answers an authenticated request.
async fn dispatch(route: Route<'_>, asked: AuthenticatedRequest<'_>) -> Reply {
    match route {
        Route::Mcp(_) | Route::Context if asked.principal.roots.is_empty() => {
            asked.principal.opens_nothing()
        }
        Route::Mcp(root) => mcp::answer(asked, root.as_deref()).await,
        Route::Context => context::answer(asked).await,
        // Without the right, the route appears not to exist: a token for documents has no
        // business with the load of the server.
        Route::Metrics if !asked.principal.has(Extra::Metrics) => reply::not_found(),
        Route::Metrics => reading(&asked.parts, || metrics::answer(asked.state)),
        Route::Page(what) => page::answer(asked, what).await,
    }
}

/// Returns true for a liveness or readiness check.
pub fn is_health(parts: &Parts) -> bool {
    matches!(parts.uri.path(), "/healthz" | "/readyz")
}

fn is_reading(parts: &Parts) -> bool {
    parts.method == Method::GET || parts.method == Method::HEAD
}

fn reading(parts: &Parts, answer: impl FnOnce() -> Reply) -> Reply {
    if is_reading(parts) {
        answer()
    } else {
        reply::not_allowed("GET, HEAD")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn root(path: &str) -> Option<Option<String>> {
        match Route::from_path(path)? {
            Route::Mcp(root) => Some(root.map(Cow::into_owned)),
            Route::Context | Route::Metrics | Route::Page(_) => None,
        }
    }

    #[test]
    fn a_root_is_one_segment() {
        for path in ["/mcp", "/mcp/"] {
            assert_eq!(root(path), Some(None), "{path}");
        }
        for (path, name) in [
            ("/mcp/docs", "docs"),
            ("/mcp/docs/", "docs"),
            ("/mcp/my%20docs", "my docs"),
            ("/mcp/%EB%AC%B8%EC%84%9C", "문서"),
            ("/mcp/a%2Fb", "a/b"),
        ] {
            assert_eq!(root(path), Some(Some(name.to_owned())), "{path}");
        }
        for path in [
            "/", "/mcp//", "/mcp/a/b", "/mcp/a//", "/mcp/%", "/mcp/%f", "/mcp/%ff", "/mcpx", "/MCP",
        ] {
            assert_eq!(root(path), None, "{path}");
        }
    }
}
