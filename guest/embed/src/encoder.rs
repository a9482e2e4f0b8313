//! An encoder of the BERT family.

use std::collections::BTreeMap;

use crate::attention::attend;
use crate::config::Config;
use crate::math;
use crate::matrix::{Linear, Matrix};
use crate::product::{MOST, Rounded};
use crate::weights::{RequiredTensors, Tensor};

/// Layer normalization: mean 0 and variance 1 for each token, then a learned scale and shift.
struct Norm {
    scale: Vec<f32>,
    shift: Vec<f32>,
    epsilon: f32,
}

struct Layer {
    query: Linear,
    key: Linear,
    value: Linear,
    attended: Linear,
    attended_norm: Norm,
    wide: Linear,
    narrow: Linear,
    norm: Norm,
}

/// An encoder with its weights.
pub(crate) struct Encoder {
    words: Matrix,
    /// Position embeddings of the tokens, with the embedding of token type 0 added.
    positions: Vec<f32>,
    norm: Norm,
    layers: Vec<Layer>,
    heads: usize,
    size: usize,
}

/// The tensors of a file, removed by name.
struct Tensors(BTreeMap<String, Tensor>);

impl Tensors {
    fn take_rounded(&mut self, name: &str) -> Matrix {
        match self.0.remove(name) {
            // The reader has checked that all of `required_tensors` are there, each in its form,
            // so the other case does not occur. It is an empty tensor instead of a panic, which
            // in a component is a trap.
            Some(Tensor::Rounded(matrix)) => matrix,
            _ => Matrix::default(),
        }
    }

    fn take_whole(&mut self, name: &str) -> Vec<f32> {
        match self.0.remove(name) {
            Some(Tensor::Whole(numbers)) => numbers,
            _ => Vec::new(),
        }
    }

    fn linear(&mut self, name: &str) -> Linear {
        let weights = self.take_rounded(&format!("{name}.weight"));
        Linear::new(&weights, &self.take_whole(&format!("{name}.bias")))
    }

    fn norm(&mut self, name: &str, epsilon: f32) -> Norm {
        Norm {
            scale: self.take_whole(&format!("{name}.weight")),
            shift: self.take_whole(&format!("{name}.bias")),
            epsilon,
        }
    }
}

/// Returns the tensors of an encoder of this shape.
pub(crate) fn required_tensors(config: &Config) -> RequiredTensors {
    let mut wanted = RequiredTensors::new();
    let size = config.hidden_size;
    let mut add = |name: String, shape: &[usize], is_rounded: bool| {
        wanted.insert(name, (shape.to_vec(), is_rounded));
    };
    let embeddings = |name: &str| format!("embeddings.{name}.weight");
    add(
        embeddings("word_embeddings"),
        &[config.vocab_size, size],
        true,
    );
    let positions = config.max_position_embeddings;
    add(embeddings("position_embeddings"), &[positions, size], false);
    let kinds = config.type_vocab_size;
    add(embeddings("token_type_embeddings"), &[kinds, size], false);
    let mut norms = vec!["embeddings.LayerNorm".to_owned()];
    for layer in 0..config.num_hidden_layers {
        let wide = config.intermediate_size;
        for (name, rows, columns) in [
            ("attention.self.query", size, size),
            ("attention.self.key", size, size),
            ("attention.self.value", size, size),
            ("attention.output.dense", size, size),
            ("intermediate.dense", wide, size),
            ("output.dense", size, wide),
        ] {
            let name = format!("encoder.layer.{layer}.{name}");
            add(format!("{name}.weight"), &[rows, columns], true);
            add(format!("{name}.bias"), &[rows], false);
        }
        for name in ["attention.output.LayerNorm", "output.LayerNorm"] {
            norms.push(format!("encoder.layer.{layer}.{name}"));
        }
    }
    for name in norms {
        add(format!("{name}.weight"), &[size], false);
        add(format!("{name}.bias"), &[size], false);
    }
    wanted
}

impl Encoder {
    /// Creates the encoder from these weights: all tensors of [`required_tensors`], in their forms.
    pub(crate) fn new(config: &Config, weights: BTreeMap<String, Tensor>) -> Self {
        let mut tensors = Tensors(weights);
        let size = config.hidden_size;
        let epsilon = config.layer_norm_eps;
        let kinds = tensors.take_whole("embeddings.token_type_embeddings.weight");
        let mut positions = tensors.take_whole("embeddings.position_embeddings.weight");
        positions.drain(..config.first_position() * size);
        for position in positions.chunks_exact_mut(size) {
            add(position, &kinds[..size]);
        }
        let layer = |number| {
            let name = |name: &str| format!("encoder.layer.{number}.{name}");
            Layer {
                query: tensors.linear(&name("attention.self.query")),
                key: tensors.linear(&name("attention.self.key")),
                value: tensors.linear(&name("attention.self.value")),
                attended: tensors.linear(&name("attention.output.dense")),
                attended_norm: tensors.norm(&name("attention.output.LayerNorm"), epsilon),
                wide: tensors.linear(&name("intermediate.dense")),
                narrow: tensors.linear(&name("output.dense")),
                norm: tensors.norm(&name("output.LayerNorm"), epsilon),
            }
        };
        let layers = (0..config.num_hidden_layers).map(layer).collect();
        Self {
            layers,
            words: tensors.take_rounded("embeddings.word_embeddings.weight"),
            positions,
            norm: tensors.norm("embeddings.LayerNorm", epsilon),
            heads: config.num_attention_heads,
            size,
        }
    }

    /// Returns the last hidden state of each token, concatenated. There must be at most as many
    /// tokens as the model has positions, each below the size of its vocabulary.
    pub(crate) fn encode(&self, tokens: &[u32]) -> Vec<f32> {
        let size = self.size;
        let mut states = self.positions[..tokens.len() * size].to_vec();
        for (state, &token) in states.chunks_exact_mut(size).zip(tokens) {
            self.words.add_row(token as usize, state);
        }
        self.norm.apply(&mut states);
        let [mut query, mut key, mut value, mut wide] = [const { Vec::new() }; 4];
        for layer in &self.layers {
            let given = round_rows(&states, size);
            layer.query.multiply(&given, &mut query);
            layer.key.multiply(&given, &mut key);
            layer.value.multiply(&given, &mut value);
            let attended = attend(&query, &key, &value, self.heads, size);
            let attended = round_rows(&attended, size);
            layer.attended.multiply(&attended, &mut query);
            add(&mut states, &query);
            layer.attended_norm.apply(&mut states);
            layer.wide.multiply(&round_rows(&states, size), &mut wide);
            math::gelu(&mut wide);
            let wide = round_rows(&wide, layer.wide.rows());
            layer.narrow.multiply(&wide, &mut query);
            add(&mut states, &query);
            layer.norm.apply(&mut states);
        }
        states
    }
}

impl Norm {
    fn apply(&self, states: &mut [f32]) {
        let size = self.scale.len();
        for state in states.chunks_exact_mut(size) {
            let mean = state.iter().sum::<f32>() / size as f32;
            let squares: f32 = state.iter().map(|n| (n - mean) * (n - mean)).sum();
            let inverse = 1.0 / (squares / size as f32 + self.epsilon).sqrt();
            let own = self.scale.iter().zip(&self.shift);
            for (number, (scale, shift)) in state.iter_mut().zip(own) {
                *number = (*number - mean) * inverse * scale + shift;
            }
        }
    }
}

fn round_rows(states: &[f32], size: usize) -> Rounded {
    Rounded::new(states.chunks_exact(size), size, MOST)
}

fn add(sum: &mut [f32], other: &[f32]) {
    for (sum, other) in sum.iter_mut().zip(other) {
        *sum += other;
    }
}
