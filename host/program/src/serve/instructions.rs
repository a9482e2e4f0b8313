//! The roots in the instructions for models.

use docent_host::grant::{Grant, Grants, Right};
use serde_json::{Value, json};

/// Right of a root that cannot be written.
pub const READ_ONLY: &str = "read-only";

/// Describes the roots for a model, the default one first.
pub fn roots(grants: &Grants) -> Vec<Value> {
    let described = |grant: &Grant| {
        let right = match grant.right() {
            Right::ReadOnly => READ_ONLY,
            Right::ReadWrite => "read-write",
        };
        // The path is left out. The location of a root on the machine,
        // `/home/ann/clients/acme`, is private, and models do not need it.
        json!({"name": grant.name(), "right": right})
    };
    let default = grants.default_grant().map(Grant::name);
    let (first, rest): (Vec<_>, Vec<_>) = grants
        .all()
        .iter()
        .partition(|grant| Some(grant.name()) == default);
    first.into_iter().chain(rest).map(described).collect()
}
