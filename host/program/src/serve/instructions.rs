//! What a model is told of the roots at the start.

use docent_host::grant::{Grant, Grants, Right};
use serde_json::{Value, json};

/// What a root that may not be written to is called.
pub const READ_ONLY: &str = "read-only";

/// Returns what a model is told of the roots, the default one first.
pub fn roots(grants: &Grants) -> Vec<Value> {
    let described = |grant: &Grant| {
        let right = match grant.right() {
            Right::ReadOnly => READ_ONLY,
            Right::ReadWrite => "read-write",
        };
        // Without its path: where a root lies on the machine is none of a client's business.
        json!({"name": grant.name(), "right": right})
    };
    let default = grants.default_grant().map(Grant::name);
    let (first, rest): (Vec<_>, Vec<_>) = grants
        .all()
        .iter()
        .partition(|grant| Some(grant.name()) == default);
    first.into_iter().chain(rest).map(described).collect()
}
