//! `model.safetensors`: every length and offset is checked before anything is read there.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::error::ModelError;
use crate::matrix::{MOST_COLUMNS, Matrix};

/// Bytes of the header at most; that of a model of 48 layers has 100 kB.
const HEADER: u64 = 4 << 20;

/// A tensor that an encoder needs.
pub(crate) enum Tensor {
    /// Rounded to 8 bits.
    Rounded(Matrix),
    /// As it was.
    Whole(Vec<f32>),
}

/// The tensors that are read, by name, with their shape and whether they are rounded.
pub(crate) type Wanted = BTreeMap<String, (Vec<usize>, bool)>;

#[derive(Deserialize)]
struct Entry {
    dtype: String,
    shape: Vec<u64>,
    data_offsets: (u64, u64),
}

/// How numbers are written.
#[derive(Clone, Copy)]
enum Number {
    F32,
    F16,
    Bf16,
}

impl Number {
    fn bytes(self) -> usize {
        match self {
            Self::F32 => 4,
            Self::F16 | Self::Bf16 => 2,
        }
    }

    fn read(self, bytes: &[u8]) -> f32 {
        match (self, bytes) {
            (Self::F32, &[a, b, c, d]) => f32::from_le_bytes([a, b, c, d]),
            (Self::Bf16, &[a, b]) => f32::from_le_bytes([0, 0, a, b]),
            (Self::F16, &[a, b]) => half(u16::from_le_bytes([a, b])),
            _ => f32::NAN,
        }
    }
}

/// Returns the value of a number of 16 bits, 5 of which are its exponent.
fn half(bits: u16) -> f32 {
    let sign = if bits >> 15 == 1 { -1.0 } else { 1.0 };
    let fraction = f32::from(bits & 0x3ff);
    let size = match bits >> 10 & 0x1f {
        0 => fraction / 16_777_216.0,
        0x1f => f32::NAN,
        exponent => (1024.0 + fraction) * 2.0_f32.powi(i32::from(exponent) - 25),
    };
    sign * size
}

/// Reads the tensors that are wanted from all of a file.
pub(crate) fn read(file: &[u8], wanted: &Wanted) -> Result<BTreeMap<String, Tensor>, ModelError> {
    read_checked(file, wanted).map_err(ModelError::Weights)
}

/// Returns the header's entries, and what follows it.
fn header(file: &[u8]) -> Result<(BTreeMap<String, serde_json::Value>, &[u8]), String> {
    let cut = || "it ends within its header; is it all of the file?".to_owned();
    let (length, rest) = file.split_first_chunk::<8>().ok_or_else(cut)?;
    let length = u64::from_le_bytes(*length);
    if length > HEADER {
        return Err(format!(
            "its header has {length} bytes; expected at most {HEADER}"
        ));
    }
    let (header, data) = rest.split_at_checked(length as usize).ok_or_else(cut)?;
    let entries = serde_json::from_slice(header);
    let entries = entries.map_err(|error| format!("its header is not JSON: {error}"))?;
    Ok((entries, data))
}

fn read_checked(file: &[u8], wanted: &Wanted) -> Result<BTreeMap<String, Tensor>, String> {
    let (mut entries, data) = header(file)?;
    // Models for a task of their own keep the encoder below a name.
    let marker = "embeddings.word_embeddings.weight";
    let prefix = entries.keys().find_map(|name| name.strip_suffix(marker));
    let prefix = prefix.unwrap_or_default().to_owned();
    let mut tensors = BTreeMap::new();
    for (name, (shape, is_rounded)) in wanted {
        let entry = entries
            .remove(&format!("{prefix}{name}"))
            .ok_or_else(|| format!("it has no tensor `{name}`; expected an encoder"))?;
        let entry: Entry =
            serde_json::from_value(entry).map_err(|error| format!("`{name}`: {error}"))?;
        let tensor = tensor(&entry, data, shape, *is_rounded)
            .map_err(|what| format!("tensor `{name}` {what}"))?;
        tensors.insert(name.clone(), tensor);
    }
    Ok(tensors)
}

fn tensor(entry: &Entry, data: &[u8], shape: &[usize], is_rounded: bool) -> Result<Tensor, String> {
    let number = match entry.dtype.as_str() {
        "F32" => Number::F32,
        "F16" => Number::F16,
        "BF16" => Number::Bf16,
        other => {
            return Err(format!("holds `{other}`; expected `F32`, `F16` or `BF16`"));
        }
    };
    if !entry
        .shape
        .iter()
        .copied()
        .eq(shape.iter().map(|&n| n as u64))
    {
        return Err(format!(
            "has the shape {:?}; expected {shape:?}, as `config.json` has it",
            entry.shape
        ));
    }
    let count: u64 = shape.iter().map(|&length| length as u64).product();
    let bytes = count * number.bytes() as u64;
    let (start, end) = entry.data_offsets;
    if end.checked_sub(start) != Some(bytes) {
        return Err(format!("lies at {start} to {end}; expected {bytes} bytes"));
    }
    if end > data.len() as u64 {
        return Err("ends behind the file; is it all of the file?".to_owned());
    }
    let data = &data[start as usize..end as usize];
    // No more than lie in the file.
    let count = count as usize;
    let columns = shape.last().copied().unwrap_or(1).min(MOST_COLUMNS);
    let mut matrix = Matrix::new(columns, if is_rounded { count / columns } else { 0 });
    let mut whole = Vec::with_capacity(if is_rounded { columns } else { count });
    for row in data.chunks_exact(columns * number.bytes()) {
        let from = whole.len();
        whole.extend(row.chunks_exact(number.bytes()).map(|one| number.read(one)));
        // So that no sum of a row can overflow, whatever a model says.
        if !whole[from..].iter().all(|number| number.abs() < 1e6) {
            return Err("holds what is no number, or one beyond a million".to_owned());
        }
        if is_rounded {
            matrix.push(&whole);
            whole.clear();
        }
    }
    Ok(match is_rounded {
        true => Tensor::Rounded(matrix),
        false => Tensor::Whole(whole),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_numbers_have_their_value() {
        for (bits, value) in [
            (0x0000, 0.0),
            (0x3c00, 1.0),
            (0xc000, -2.0),
            (0x3555, 0.333_251_95),
            (0x7bff, 65504.0),
            (0x0001, 5.960_464_5e-8),
        ] {
            assert_eq!(half(bits), value, "{bits:x}");
        }
        assert!(half(0x7c00).is_nan());
        assert_eq!(Number::Bf16.read(&[0x80, 0x3f]), 1.0);
    }
}
