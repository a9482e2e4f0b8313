//! The component of an embedder that has its model inside: what other hosts plug into the main
//! component. It imports nothing but what Rust's standard library does.
//!
//! Such hosts make an instance for each call, so that nothing is kept from one to the next and the
//! model is read anew: its weights, which are nearly all of it, stay where they lie in the component.
//! There is no clock in it. Who asks looks at one after each text or a few, and ends there.
#![deny(missing_docs)]
// Elsewhere there is nobody to plug it into, and no model has to be named.
#![cfg(target_family = "wasm")]

use std::sync::LazyLock;

use docent_embed::{Files, ModelError, Settings};

/// What `wit/` generates.
#[allow(
    missing_docs,
    unsafe_code,
    clippy::all,
    clippy::pedantic,
    reason = "generated from wit/, where the documentation stands"
)]
mod bindings {
    wit_bindgen::generate!({
        path: "../../wit",
        world: "embedder",
    });
}

/// The model, as the build found it: its files, and what is said of it.
mod packed {
    include!(concat!(env!("OUT_DIR"), "/packed.rs"));
}

use bindings::exports::docent::docent::embed::{
    Bounds, CountedDocument, Counts, Document, Failure, Guest, Model, Neighbours, Role, Text,
};

/// The component's exports.
struct Component;

/// The model. It is read when the first vector is wanted: to say which it is takes none of it.
static MODEL: LazyLock<Result<docent_embed::Model, ModelError>> = LazyLock::new(|| {
    let files = Files {
        config: packed::CONFIG,
        tokenizer: packed::TOKENIZER,
        weights: packed::WEIGHTS,
    };
    let settings = Settings {
        pooling: packed::POOLING,
        query_prefix: packed::QUERY_PREFIX.to_owned(),
        passage_prefix: packed::PASSAGE_PREFIX.to_owned(),
    };
    docent_embed::Model::read_in_place(files, settings)
});

impl Guest for Component {
    fn describe(_: u32) -> Result<Model, Failure> {
        Ok(Model {
            name: packed::NAME.to_owned(),
            fingerprint: packed::FINGERPRINT.to_owned(),
            dimensions: packed::DIMENSIONS,
            max_bytes: packed::MAX_BYTES,
            passages: packed::PASSAGES,
            weight: packed::WEIGHT,
        })
    }

    fn embed(role: Role, texts: Vec<Text>, bounds: Bounds) -> Result<Vec<i8>, Failure> {
        // Nothing is known but what is made, and nothing was at a moment that is past.
        if bounds.milliseconds == 0 || bounds.moment.is_some() {
            return Ok(vec![0; texts.len() * packed::DIMENSIONS as usize]);
        }
        let model = MODEL.as_ref().map_err(|_| Failure::Broken)?;
        let role = match role {
            Role::Query => docent_embed::Role::Query,
            Role::Passage => docent_embed::Role::Passage,
        };
        let vector = |text: Text| {
            let end = text.content.floor_char_boundary(packed::MAX_BYTES as usize);
            model.embed(role, &text.content[..end])
        };
        Ok(texts.into_iter().flat_map(vector).collect())
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
