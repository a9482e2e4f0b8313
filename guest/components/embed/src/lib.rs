//! The shell of the encoder component, `docent-embed.wasm`, which embeds texts with a model that
//! the host passes to it.
#![deny(missing_docs)]
// Native code calls `docent-embed` directly.
#![cfg(target_family = "wasm")]

use std::cell::RefCell;

use docent_embed::{Model, ModelReader};

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
        world: "encoding",
    });
}

use bindings::exports::docent::docent::encoder::{Guest, Pooling, Role, Settings};

/// The model, as far as the host has passed it.
enum Handed {
    Nothing,
    Part(Box<ModelReader>),
    All(Box<Model>),
}

thread_local! {
    static HANDED: RefCell<Handed> = const { RefCell::new(Handed::Nothing) };
}

/// The component's exports.
struct Component;

impl Guest for Component {
    fn begin(
        config: Vec<u8>,
        tokenizer: Vec<u8>,
        weights_length: u64,
        settings: Settings,
    ) -> Result<(), String> {
        let settings = docent_embed::ModelSettings {
            pooling: match settings.pooling {
                Pooling::Mean => docent_embed::Pooling::Mean,
                Pooling::First => docent_embed::Pooling::First,
            },
            query_prefix: settings.query_prefix,
            passage_prefix: settings.passage_prefix,
        };
        let reader = ModelReader::new(&config, &tokenizer, weights_length, settings);
        let reader = reader.map_err(|error| error.to_string())?;
        HANDED.set(Handed::Part(Box::new(reader)));
        Ok(())
    }

    fn add_weights(piece: Vec<u8>) -> Result<(), String> {
        HANDED.with_borrow_mut(|handed| match handed {
            Handed::Part(reader) => reader.push(&piece).map_err(|error| error.to_string()),
            Handed::Nothing | Handed::All(_) => Err("no model was begun".to_owned()),
        })
    }

    fn finish() -> Result<u32, String> {
        let Handed::Part(reader) = HANDED.replace(Handed::Nothing) else {
            return Err("no model was begun".to_owned());
        };
        let model = reader.finish().map_err(|error| error.to_string())?;
        let dimensions = model.dimensions() as u32;
        HANDED.set(Handed::All(Box::new(model)));
        Ok(dimensions)
    }

    fn encode(role: Role, text: String) -> Result<Vec<i8>, String> {
        let role = match role {
            Role::Query => docent_embed::Role::Query,
            Role::Passage => docent_embed::Role::Passage,
        };
        HANDED.with_borrow(|handed| match handed {
            Handed::All(model) => Ok(model.embed(role, &text)),
            Handed::Nothing | Handed::Part(_) => Err("there is no model".to_owned()),
        })
    }
}

bindings::export!(Component with_types_in bindings);
