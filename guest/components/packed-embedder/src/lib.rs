//! The component of an embedder with a built-in model, for other hosts to plug into the main
//! component. Its only imports are those of Rust's standard library.
//!
//! Such hosts create an instance for each call, so no vectors are kept between calls, and the model
//! is loaded each time. Its weights, which are nearly all of it, are used in place. The component
//! has no clock: the caller checks the time after each text or a few, and stops there.
#![deny(missing_docs)]
// Natively there is no main component to plug it into, and no model has to be configured.
#![cfg(target_family = "wasm")]

use std::sync::LazyLock;

use docent_embed::{Files, ModelError, ModelSettings};

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

/// The model's files and settings, as the build found them.
mod packed {
    include!(concat!(env!("OUT_DIR"), "/packed.rs"));
}

use bindings::exports::docent::docent::embed::{
    Bounds, CountedDocument, Counts, Document, Failure, Guest, Model, Neighbours, Role, Text,
};

/// The component's exports.
struct Component;

/// The model. It is loaded for the first vector: its description does not need it.
static MODEL: LazyLock<Result<docent_embed::Model, ModelError>> = LazyLock::new(|| {
    let files = Files {
        config: packed::CONFIG,
        tokenizer: packed::TOKENIZER,
        weights: packed::WEIGHTS,
    };
    let settings = ModelSettings {
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
        // The caller asks with no time, or for a past state, to get vectors that are known
        // already. This component keeps none between calls, so all of them are unknown, which a
        // zero vector denotes. The model need not be loaded for that answer.
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
