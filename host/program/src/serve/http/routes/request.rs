//! An authenticated request, and the parts that routes take from it.

use std::sync::Arc;

use bytes::Bytes;
use http::StatusCode;
use http::request::Parts;
use hyper::body::Incoming;

use crate::serve::http::auth::access::{Principal, RootRights};
use crate::serve::http::body;
use crate::serve::http::recent_calls::CallVisibility;
use crate::serve::http::reply::{self, Reply};
use crate::serve::http::state::ServerState;
use crate::serve::http::tenants::TenantService;
use crate::tokens::Extra;

/// An authenticated request.
pub struct AuthenticatedRequest<'a> {
    /// Server that received it.
    pub state: &'a Arc<ServerState>,
    /// Head.
    pub parts: Parts,
    /// Body, until it is read.
    pub body: Option<Incoming>,
    /// Authenticated sender.
    pub principal: Arc<Principal>,
}

impl AuthenticatedRequest<'_> {
    /// Reads the JSON text of the body.
    ///
    /// # Errors
    /// Returns the reply that refuses it.
    pub async fn json_text(&mut self) -> Result<Bytes, Reply> {
        match self.body.take() {
            Some(body) => body::json_text(&self.parts, body).await,
            None => Ok(Bytes::new()),
        }
    }

    /// Returns the service for these rights, which the principal must have.
    ///
    /// # Errors
    /// Returns the reply if there are too many other services.
    pub fn service(&self, rights: &RootRights) -> Result<Arc<TenantService>, Box<Reply>> {
        self.state.services.service(rights).ok_or_else(|| {
            let busy = "too many sets of rights are in use; try again in a moment";
            let reply = reply::text(StatusCode::SERVICE_UNAVAILABLE, busy);
            Box::new(reply::retry_after(reply, 1))
        })
    }

    /// Returns the calls that its principal may see: its own, or with the right to the
    /// log all of them. Answers contain text of documents, so the latter also requires that it may
    /// read every root.
    pub fn visibility(&self) -> CallVisibility {
        let principal = &self.principal;
        let mut granted = self.state.services.grants().all().iter();
        let reads_all = granted.all(|root| principal.roots.right(root.name()).is_some());
        if principal.has(Extra::Log) && reads_all {
            CallVisibility::All
        } else {
            CallVisibility::Own(principal.id)
        }
    }
}
