//! `model.safetensors` with weights of 8 bits, a quarter of the size: what [`crate::ModelReader`] rounds
//! while it reads is rounded already, and the same.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::weights::{Tensor, Wanted, scale_name};

/// What numbers of four bytes are to lie at a multiple of.
const ALIGNMENT: usize = 8;

#[derive(Serialize)]
struct Entry<'a> {
    dtype: &'static str,
    shape: &'a [usize],
    data_offsets: [usize; 2],
}

/// What the header says, and what follows it.
#[derive(Default)]
struct File {
    entries: serde_json::Map<String, serde_json::Value>,
    data: Vec<u8>,
}

impl File {
    fn add(&mut self, name: String, dtype: &'static str, shape: &[usize], data: &[u8]) {
        let start = self.data.len();
        self.data.extend_from_slice(data);
        let data_offsets = [start, self.data.len()];
        let entry = Entry {
            dtype,
            shape,
            data_offsets,
        };
        self.entries.insert(name, serde_json::json!(entry));
    }

    fn add_numbers(&mut self, name: String, shape: &[usize], numbers: &[f32]) {
        let bytes: Vec<u8> = numbers.iter().flat_map(|n| n.to_le_bytes()).collect();
        self.add(name, "F32", shape, &bytes);
    }
}

/// Returns the file with these tensors: all that are `wanted`, each of its form.
pub(crate) fn file(wanted: &Wanted, tensors: &BTreeMap<String, Tensor>) -> Vec<u8> {
    let mut file = File::default();
    let all = wanted
        .iter()
        .filter_map(|(name, (shape, _))| Some((name, shape, tensors.get(name)?)));
    // Weights behind all others, of which each is to lie where its numbers can be read at once.
    for (name, shape, tensor) in all.clone() {
        match tensor {
            Tensor::Whole(numbers) => file.add_numbers(name.clone(), shape, numbers),
            Tensor::Rounded(matrix) => {
                let rows = [matrix.rows(), 1];
                file.add_numbers(scale_name(name), &rows, matrix.scales());
            }
            Tensor::Bytes(_) => {}
        }
    }
    for (name, shape, tensor) in all {
        if let Tensor::Rounded(matrix) = tensor {
            file.add(name.clone(), "I8", shape, matrix.weights());
        }
    }
    let mut header = serde_json::Value::Object(file.entries).to_string();
    while !header.len().is_multiple_of(ALIGNMENT) {
        header.push(' ');
    }
    let length = header.len() as u64;
    [&length.to_le_bytes(), header.as_bytes(), &file.data].concat()
}
