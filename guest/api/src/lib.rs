//! The types of docent's contract, generated from `wit/`.
//!
//! They compile natively as well, so that the core and its tests speak in the same types as the
//! component. Nothing is written here by hand: the contract is `wit/`.

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
