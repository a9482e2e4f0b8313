//! The caller of a tool.

use std::sync::Arc;

use docent_access_log::Hash;

/// The caller of a tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Caller {
    /// The name of the token that the call came with, or [`Caller::LOCAL`].
    pub name: Arc<str>,
    /// Identity of the token and of the rights that it gives; it decides which recorded calls a
    /// caller is later shown, because a name may be reused. None if nobody is shown any.
    pub principal: Option<Hash>,
    /// Name that the client program reports; none if it reports none.
    pub client: Option<Arc<str>>,
}

impl Caller {
    /// Name of the person who started docent, and of clients of a listener without tokens.
    pub const LOCAL: &str = "local";

    /// Returns the caller with the name [`Caller::LOCAL`].
    pub fn local() -> Self {
        Self {
            name: Self::LOCAL.into(),
            principal: None,
            client: None,
        }
    }
}
