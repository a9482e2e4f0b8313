//! The component that takes the place of an embedder in the published component if none is
//! configured.
#![deny(missing_docs)]
#![cfg(target_family = "wasm")]

/// The bindings generated from `wit/`.
#[allow(
    missing_docs,
    unsafe_code,
    clippy::all,
    clippy::pedantic,
    reason = "generated from wit/, where the documentation stands"
)]
mod bindings {
    wit_bindgen::generate!({
        path: "../../../wit",
        world: "embedder",
    });
}

use bindings::exports::docent::docent::embed::{
    Bounds, CountedDocument, Counts, Document, Failure, Guest, Model, Neighbours, Role, Text,
};

/// The component's exports.
struct Component;

impl Guest for Component {
    fn describe(_: u32) -> Result<Model, Failure> {
        Err(Failure::NoneConfigured)
    }

    fn embed(_: Role, _: Vec<Text>, _: Bounds) -> Result<Vec<i8>, Failure> {
        Err(Failure::NoneConfigured)
    }

    fn nearest(_: Vec<i8>, _: String, _: u32, _: Option<u64>) -> Neighbours {
        Neighbours {
            places: Vec::new(),
            moment: 0,
        }
    }

    fn counted(_: Option<String>, _: Vec<Document>) -> Counts {
        Counts {
            of: Vec::new(),
            losses: 0,
        }
    }

    fn count(_: u64, _: Vec<CountedDocument>) {}
}

bindings::export!(Component with_types_in bindings);
