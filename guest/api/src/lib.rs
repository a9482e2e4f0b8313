//! The types of docent's contract, generated from `wit/`.
//!
//! They compile natively as well, so that the core, its native tests and the component use the
//! same types. Nothing is written here by hand: the contract is `wit/`, and a change of it is a
//! change of these types.
//!
//! Names follow `wit-bindgen`: the record `change-options` is `ChangeOptions`, its field `dry-run`
//! is `dry_run`, and a field whose name is a keyword of Rust ends in `_`, such as `move_`. All
//! types can be compared, and serialized with the names of their Rust fields.

#[allow(
    missing_docs,
    unsafe_code,
    clippy::all,
    clippy::pedantic,
    reason = "generated from wit/, where the documentation stands"
)]
#[doc(hidden)]
pub mod bindings {
    wit_bindgen::generate!({
        path: "../../wit",
        world: "guest",
        pub_export_macro: true,
        export_macro_name: "export",
        default_bindings_module: "docent_api::bindings",
        additional_derives: [PartialEq, serde::Serialize, serde::Deserialize],
    });
}

pub use bindings::Guest;
pub use bindings::docent::docent::{
    context, documents, embed, extract, find, patterns, pillars, search, sections, types,
    understanding, writing,
};
