//! Information on the server: its roots and tools, the rights of the caller, and the component.

use std::sync::LazyLock;

use docent_access_log::Hash;
use docent_host::component;
use docent_host::tools;
use serde_json::{Value, json};

use super::response::aside;
use crate::serve::http::reply::Reply;
use crate::serve::http::routes::request::AuthenticatedRequest;

/// The component's identification, for verification.
static COMPONENT: LazyLock<Value> = LazyLock::new(|| {
    json!({
        "sha256": Hash::from_sha256(component::sha256()).to_string(),
        "bytes": component::len(),
        "imports": component::interface().imports,
    })
});

/// Replies with information on the server.
pub async fn answer(asked: &AuthenticatedRequest<'_>) -> Reply {
    let name = asked.principal.name.clone();
    let service = match asked.service(&asked.principal.roots) {
        Ok(service) => service,
        Err(refused) => return *refused,
    };
    aside(move || {
        let offer = &service.tools.offer;
        let default = offer.roots.first().map(|root| root["name"].clone());
        let roots: Vec<_> = offer
            .roots
            .iter()
            .map(|root| {
                let is_default = Some(&root["name"]) == default.as_ref();
                json!({"name": root["name"], "right": root["right"], "isDefault": is_default})
            })
            .collect();
        let is_offered = |name: &str| offer.tools.iter().any(|tool| tool.name == name);
        let tools: Vec<_> = tools::table()
            .tools
            .iter()
            .filter(|tool| tool.read_only || is_offered(&tool.name))
            .map(|tool| {
                json!({
                    "name": tool.name,
                    "title": tool.title,
                    "description": tool.description,
                    "schema": tool.input_schema,
                    "readOnly": tool.read_only,
                    "isOffered": is_offered(&tool.name),
                })
            })
            .collect();
        json!({
            "version": env!("CARGO_PKG_VERSION"),
            "principal": &*name,
            "defaultRoot": default,
            "roots": roots,
            "tools": tools,
            "component": *COMPONENT,
        })
    })
    .await
}
