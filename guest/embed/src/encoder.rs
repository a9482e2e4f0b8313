//! An encoder of the BERT family.

use std::collections::BTreeMap;

use crate::config::Config;
use crate::math;
use crate::matrix::{Activations, Matrix};
use crate::weights::{Tensor, Wanted};

/// A product with weights, and what is added to it.
struct Linear {
    weights: Matrix,
    bias: Vec<f32>,
}

/// What brings each token to mean 0 and variance 1, and then to a scale and a shift of its own.
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
    /// Of the positions that tokens have, the kind of token 0 added.
    positions: Vec<f32>,
    norm: Norm,
    layers: Vec<Layer>,
    heads: usize,
    size: usize,
}

/// The tensors of a file, taken out by name.
struct Tensors(BTreeMap<String, Tensor>);

impl Tensors {
    fn rounded(&mut self, name: &str) -> Matrix {
        match self.0.remove(name) {
            Some(Tensor::Rounded(matrix)) => matrix,
            _ => Matrix::default(),
        }
    }

    fn whole(&mut self, name: &str) -> Vec<f32> {
        match self.0.remove(name) {
            Some(Tensor::Whole(numbers)) => numbers,
            _ => Vec::new(),
        }
    }

    fn linear(&mut self, name: &str) -> Linear {
        Linear {
            weights: self.rounded(&format!("{name}.weight")),
            bias: self.whole(&format!("{name}.bias")),
        }
    }

    fn norm(&mut self, name: &str, epsilon: f32) -> Norm {
        Norm {
            scale: self.whole(&format!("{name}.weight")),
            shift: self.whole(&format!("{name}.bias")),
            epsilon,
        }
    }
}

/// Returns the tensors that an encoder of this shape has.
pub(crate) fn wanted(config: &Config) -> Wanted {
    let mut wanted = Wanted::new();
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
    /// Returns the encoder with these weights: all that are [`wanted`], each of its form.
    pub(crate) fn new(config: &Config, weights: BTreeMap<String, Tensor>) -> Self {
        let mut tensors = Tensors(weights);
        let size = config.hidden_size;
        let epsilon = config.layer_norm_eps;
        let kinds = tensors.whole("embeddings.token_type_embeddings.weight");
        let mut positions = tensors.whole("embeddings.position_embeddings.weight");
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
            words: tensors.rounded("embeddings.word_embeddings.weight"),
            positions,
            norm: tensors.norm("embeddings.LayerNorm", epsilon),
            heads: config.num_attention_heads,
            size,
        }
    }

    /// Returns what the last layer says of each token, one after another. There are at most as many
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
            let given = Activations::of(&states, size);
            layer.query.apply(&given, &mut query);
            layer.key.apply(&given, &mut key);
            layer.value.apply(&given, &mut value);
            let attended = attend(&query, &key, &value, self.heads, size);
            layer
                .attended
                .apply(&Activations::of(&attended, size), &mut query);
            add(&mut states, &query);
            layer.attended_norm.apply(&mut states);
            layer.wide.apply(&Activations::of(&states, size), &mut wide);
            math::gelu(&mut wide);
            let width = layer.wide.bias.len();
            layer
                .narrow
                .apply(&Activations::of(&wide, width), &mut query);
            add(&mut states, &query);
            layer.norm.apply(&mut states);
        }
        states
    }
}

impl Linear {
    fn apply(&self, given: &Activations, out: &mut Vec<f32>) {
        self.weights.multiply(given, &self.bias, out);
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

fn add(sum: &mut [f32], other: &[f32]) {
    for (sum, other) in sum.iter_mut().zip(other) {
        *sum += other;
    }
}

/// Adds others to a sum, each times `factor`. Many in a round, for at the end of each the sandbox
/// asks whether the work is to stop.
fn add_scaled(sum: &mut [f32], factor: f32, others: &[f32]) {
    const ROUND: usize = 16;
    let (sums, last_sums) = sum.as_chunks_mut::<ROUND>();
    let (parts, last) = others.as_chunks::<ROUND>();
    for (sums, part) in sums.iter_mut().zip(parts) {
        // Of its own, so that the compiler sees that nothing else changes it.
        let mut round = *sums;
        for (sum, other) in round.iter_mut().zip(part) {
            *sum += factor * other;
        }
        *sums = round;
    }
    for (sum, other) in last_sums.iter_mut().zip(last) {
        *sum += factor * other;
    }
}

/// Returns for each token the values of all, weighed by how well their keys fit its query.
fn attend(query: &[f32], key: &[f32], value: &[f32], heads: usize, size: usize) -> Vec<f32> {
    let tokens = query.len() / size;
    let width = size / heads;
    let factor = 1.0 / (width as f32).sqrt();
    let mut out = vec![0.0; query.len()];
    // A number of all tokens after another, so that many tokens are met at once.
    let mut turned = vec![0.0; width * tokens];
    let mut scores = vec![0.0; tokens];
    for head in 0..heads {
        let part = head * width..(head + 1) * width;
        for (token, key) in key.chunks_exact(size).enumerate() {
            for (number, &key) in key[part.clone()].iter().enumerate() {
                turned[number * tokens + token] = key;
            }
        }
        for (query, out) in query.chunks_exact(size).zip(out.chunks_exact_mut(size)) {
            scores.fill(0.0);
            for (&query, keys) in query[part.clone()].iter().zip(turned.chunks_exact(tokens)) {
                add_scaled(&mut scores, query * factor, keys);
            }
            math::softmax(&mut scores);
            let out = &mut out[part.clone()];
            for (&score, value) in scores.iter().zip(value.chunks_exact(size)) {
                add_scaled(out, score, &value[part.clone()]);
            }
        }
    }
    out
}
