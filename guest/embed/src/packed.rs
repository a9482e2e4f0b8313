//! A writer of `model.safetensors` with 8-bit weights, a quarter of the size: it stores exactly the
//! weights to which [`crate::ModelReader`] rounds.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::weights::{RequiredTensors, Tensor, scale_name};

/// Alignment of tensors with four-byte numbers.
const ALIGNMENT: usize = 8;

#[derive(Serialize)]
struct PackedEntry<'a> {
    dtype: &'static str,
    shape: &'a [usize],
    data_offsets: [usize; 2],
}

/// The header and the data of a file.
#[derive(Default)]
struct PackedFile {
    entries: serde_json::Map<String, serde_json::Value>,
    data: Vec<u8>,
}

impl PackedFile {
    fn add(&mut self, name: String, dtype: &'static str, shape: &[usize], data: &[u8]) {
        let start = self.data.len();
        self.data.extend_from_slice(data);
        let data_offsets = [start, self.data.len()];
        let entry = PackedEntry {
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

/// Serializes these tensors: all that are `wanted`, in their forms.
pub(crate) fn file(wanted: &RequiredTensors, tensors: &BTreeMap<String, Tensor>) -> Vec<u8> {
    let mut file = PackedFile::default();
    let all = wanted
        .iter()
        .filter_map(|(name, (shape, _))| Some((name, shape, tensors.get(name)?)));
    // Tensors of 8-bit weights may have any length. They come last, since a tensor of four-byte
    // numbers after one of an odd length would not be aligned for programs that map the file.
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
    // The data begins after the header, so the header is padded for the data to be aligned. The
    // format allows blanks after its JSON.
    while !header.len().is_multiple_of(ALIGNMENT) {
        header.push(' ');
    }
    let length = header.len() as u64;
    [&length.to_le_bytes(), header.as_bytes(), &file.data].concat()
}
