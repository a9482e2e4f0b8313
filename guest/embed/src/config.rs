//! The shape of an encoder, from `config.json`.

use serde::Deserialize;

use crate::error::ModelError;
use crate::matrix::MOST_COLUMNS;

/// The fields of `config.json` that affect an encoder.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Config {
    model_type: String,
    hidden_act: String,
    pub(crate) hidden_size: usize,
    pub(crate) num_hidden_layers: usize,
    pub(crate) num_attention_heads: usize,
    pub(crate) intermediate_size: usize,
    pub(crate) max_position_embeddings: usize,
    pub(crate) type_vocab_size: usize,
    pub(crate) vocab_size: usize,
    #[serde(default = "usual_epsilon")]
    pub(crate) layer_norm_eps: f32,
    #[serde(default)]
    pad_token_id: usize,
    #[serde(default = "usual_positions")]
    position_embedding_type: String,
}

fn usual_epsilon() -> f32 {
    1e-12
}

fn usual_positions() -> String {
    "absolute".to_owned()
}

impl Config {
    /// Parses `config.json`.
    pub(crate) fn read(text: &[u8]) -> Result<Self, ModelError> {
        let config: Self = serde_json::from_slice(text)
            .map_err(|error| ModelError::Config(format!("{error}; expected that of an encoder")))?;
        config.check().map_err(ModelError::Config)?;
        Ok(config)
    }

    fn check(&self) -> Result<(), String> {
        let named = [
            ("model_type", &self.model_type, &["bert", "xlm-roberta"][..]),
            ("hidden_act", &self.hidden_act, &["gelu"]),
            (
                "position_embedding_type",
                &self.position_embedding_type,
                &["absolute"],
            ),
        ];
        for (name, value, known) in named {
            if !known.contains(&value.as_str()) {
                let known = known.join("` or `");
                return Err(format!("`{name}` is `{value}`; expected `{known}`"));
            }
        }
        // These numbers are sizes of allocations and bounds of loops, and the file is not
        // trusted. All tensors must have the shapes that follow from them, so that later code
        // needs no checks of its own. `MOST_COLUMNS` also keeps the sums of a row within 32
        // bits.
        let numbers = [
            ("hidden_size", self.hidden_size, MOST_COLUMNS),
            ("num_hidden_layers", self.num_hidden_layers, 48),
            ("num_attention_heads", self.num_attention_heads, 64),
            ("intermediate_size", self.intermediate_size, MOST_COLUMNS),
            (
                "max_position_embeddings",
                self.max_position_embeddings,
                8194,
            ),
            ("type_vocab_size", self.type_vocab_size, 16),
            ("vocab_size", self.vocab_size, 1_000_000),
        ];
        for (name, value, most) in numbers {
            if !(1..=most).contains(&value) {
                return Err(format!("`{name}` is {value}; expected 1 to {most}"));
            }
        }
        if !self.hidden_size.is_multiple_of(self.num_attention_heads) {
            return Err(format!(
                "`hidden_size` is {}; expected a multiple of `num_attention_heads`, {}",
                self.hidden_size, self.num_attention_heads
            ));
        }
        if !(self.layer_norm_eps > 0.0 && self.layer_norm_eps < 1.0) {
            let epsilon = self.layer_norm_eps;
            return Err(format!("`layer_norm_eps` is {epsilon}; expected 0 to 1"));
        }
        // Room for the start and end tokens, and a word.
        if self.tokens() < 3 {
            return Err("`max_position_embeddings` leaves no room for a text".to_owned());
        }
        Ok(())
    }

    /// Returns the position of the first token.
    pub(crate) fn first_position(&self) -> usize {
        match self.model_type.as_str() {
            // Models of the RoBERTa family number positions from the padding token's id plus
            // one: the first rows of their position embeddings are not used by any token, and
            // there are as many fewer positions.
            "xlm-roberta" => self.pad_token_id.saturating_add(1),
            _ => 0,
        }
    }

    /// Returns the maximum number of tokens of a text.
    pub(crate) fn tokens(&self) -> usize {
        let first = self.first_position();
        self.max_position_embeddings.saturating_sub(first).min(512)
    }
}
