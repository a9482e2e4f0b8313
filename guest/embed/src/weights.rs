//! A reader of `model.safetensors`, streamed in pieces or static. Every length and offset is
//! checked before use, and numbers are rounded immediately, because the file is several times as
//! large as the loaded model.
//!
//! ```text
//! 8 bytes   length of the header, little-endian
//! header    {"NAME": {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]}, …}
//! data      the tensors at their offsets, row by row
//! ```
//!
//! Weights may be rounded already: type `I8`, with the scales of the rows in a tensor whose name
//! has the suffix `_scale`, a convention of other programs too. `packed.rs` writes such a file.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::mem;

use serde::Deserialize;

use crate::error::ModelError;
use crate::matrix::Matrix;

/// Maximum bytes of the header; that of a model of 48 layers has 100 kB.
const HEADER: u64 = 4 << 20;

/// Bytes of the header's length at the start of the file.
const LENGTH_BYTES: usize = 8;

/// A tensor of an encoder.
pub(crate) enum Tensor {
    /// Rounded to 8 bits.
    Rounded(Matrix),
    /// Unrounded.
    Whole(Vec<f32>),
    /// Already 8-bit; becomes [`Tensor::Rounded`] with its scales.
    Bytes(Cow<'static, [u8]>),
}

/// The tensors to read by name, each with its shape, and true if it is rounded.
pub(crate) type RequiredTensors = BTreeMap<String, (Vec<usize>, bool)>;

#[derive(Deserialize)]
struct TensorEntry {
    dtype: String,
    shape: Vec<u64>,
    data_offsets: (u64, u64),
}

/// The number format of a tensor.
#[derive(Clone, Copy)]
enum Number {
    F32,
    F16,
    Bf16,
}

impl Number {
    /// Returns the format with this name.
    fn from_name(name: &str) -> Option<Self> {
        match name {
            "F32" => Some(Self::F32),
            "F16" => Some(Self::F16),
            "BF16" => Some(Self::Bf16),
            _ => None,
        }
    }

    fn bytes(self) -> usize {
        match self {
            Self::F32 => 4,
            Self::F16 | Self::Bf16 => 2,
        }
    }

    /// Appends the numbers in `bytes`. The format is matched once per row, because there are a
    /// hundred million numbers.
    fn read(self, bytes: &[u8], numbers: &mut Vec<f32>) {
        match self {
            Self::F32 => numbers.extend(bytes.as_chunks().0.iter().map(|&n| f32::from_le_bytes(n))),
            Self::F16 => {
                let pairs = bytes.as_chunks().0.iter();
                numbers.extend(pairs.map(|&pair| half(u16::from_le_bytes(pair))));
            }
            Self::Bf16 => {
                let pairs = bytes.as_chunks().0.iter();
                numbers.extend(pairs.map(|&[a, b]| f32::from_le_bytes([0, 0, a, b])));
            }
        }
    }
}

/// Converts a 16-bit number with 5 exponent bits.
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

/// A streaming reader of a file, with the tensors read so far. Unwanted tensors are skipped; at
/// most one row of the file is buffered.
pub(crate) struct Reader {
    wanted: RequiredTensors,
    /// Length of the file in bytes.
    length: u64,
    /// Bytes of the header and its length received so far, until the header is complete.
    header: Vec<u8>,
    /// `None` until the header is complete.
    data: Option<Data>,
}

impl Reader {
    /// Creates a reader of a file of `length` bytes.
    pub(crate) fn new(wanted: RequiredTensors, length: u64) -> Self {
        Self {
            wanted,
            length,
            header: Vec::new(),
            data: None,
        }
    }

    /// Reads the next piece of the file. No piece may follow an error.
    pub(crate) fn push(&mut self, mut piece: &[u8]) -> Result<(), ModelError> {
        if self.data.is_none() {
            piece = self.push_header(piece).map_err(ModelError::Weights)?;
        }
        match &mut self.data {
            Some(data) => data.push(piece).map_err(ModelError::Weights),
            None => Ok(()),
        }
    }

    /// Consumes the part of a piece that belongs to the header, and returns the rest.
    fn push_header<'a>(&mut self, piece: &'a [u8]) -> Result<&'a [u8], String> {
        let lacks = LENGTH_BYTES.saturating_sub(self.header.len());
        let (length, piece) = piece.split_at(lacks.min(piece.len()));
        self.header.extend_from_slice(length);
        let Some(&length) = self.header.first_chunk() else {
            return Ok(piece);
        };
        // The length is any number that the first eight bytes of an untrusted file happen to be.
        // It is compared with the maximum and with the length of the file before anything is
        // allocated or added, so that a file of text is an error and not a request for memory.
        let length = u64::from_le_bytes(length);
        if length > HEADER {
            return Err(format!(
                "its header has {length} bytes; expected at most {HEADER}"
            ));
        }
        let end = LENGTH_BYTES as u64 + length;
        let data_length = self.length.checked_sub(end).ok_or_else(cut_in_header)?;
        let lacks = end as usize - self.header.len();
        let (header, piece) = piece.split_at(lacks.min(piece.len()));
        self.header.extend_from_slice(header);
        if header.len() == lacks {
            let entries = &self.header[LENGTH_BYTES..];
            self.data = Some(Data::new(places(entries, &self.wanted, data_length)?));
        }
        Ok(piece)
    }

    /// Returns the tensors after the last piece.
    pub(crate) fn finish(self) -> Result<BTreeMap<String, Tensor>, ModelError> {
        let data = self
            .data
            .ok_or_else(|| ModelError::Weights(cut_in_header()))?;
        match data.places.get(data.current) {
            None => join_scales(data.read).map_err(ModelError::Weights),
            Some(place) => Err(ModelError::Weights(place.out_of_bounds())),
        }
    }
}

/// Returns the tensors of a static file; rounded weights are borrowed.
pub(crate) fn in_place(
    wanted: RequiredTensors,
    file: &'static [u8],
) -> Result<BTreeMap<String, Tensor>, ModelError> {
    let mut reader = Reader::new(wanted, file.len() as u64);
    let rest = reader.push_header(file).map_err(ModelError::Weights)?;
    let places = reader.data.map(|data| data.places);
    let places = places.ok_or_else(|| ModelError::Weights(cut_in_header()))?;
    let mut read = BTreeMap::new();
    let mut numbers = Vec::new();
    for place in places {
        // `places` has checked that every tensor ends within the file.
        let bytes = &rest[place.start as usize..place.end as usize];
        let tensor = match place.form {
            Conversion::Bytes => Tensor::Bytes(Cow::Borrowed(bytes)),
            Conversion::Rounded(_) | Conversion::Whole(_) => {
                let mut tensor = place.room();
                for row in bytes.chunks_exact(place.row_bytes()) {
                    let pushed = place.push(row, &mut tensor, &mut numbers);
                    pushed.map_err(ModelError::Weights)?;
                }
                tensor
            }
        };
        read.insert(place.name, tensor);
    }
    join_scales(read).map_err(ModelError::Weights)
}

/// Joins the tensors of rounded weights with their scales.
fn join_scales(read: BTreeMap<String, Tensor>) -> Result<BTreeMap<String, Tensor>, String> {
    let (bytes, mut others): (BTreeMap<_, _>, BTreeMap<_, _>) = read
        .into_iter()
        .partition(|(_, tensor)| matches!(tensor, Tensor::Bytes(_)));
    for (name, tensor) in bytes {
        let scales = others.remove(&scale_name(&name));
        let (Tensor::Bytes(weights), Some(Tensor::Whole(scales))) = (tensor, scales) else {
            return Err(format!("tensor `{name}` has no scales"));
        };
        let is_small = |scale: &f32| scale.abs() < MOST / 128.0;
        if !scales.iter().all(is_small) {
            return Err(too_large(&name));
        }
        others.insert(name, Tensor::Rounded(Matrix::from_rounded(weights, scales)));
    }
    Ok(others)
}

/// Returns the name of the tensor of another one's scales.
pub(crate) fn scale_name(name: &str) -> String {
    format!("{name}_scale")
}

/// Exclusive upper bound of a number, so that no sum of a row can overflow, for any input.
const MOST: f32 = 1e6;

fn too_large(name: &str) -> String {
    format!("tensor `{name}` holds a value that is not a number, or is beyond a million")
}

fn cut_in_header() -> String {
    "it ends within its header; is the file complete?".to_owned()
}

/// The position of a tensor after the header.
struct TensorPosition {
    name: String,
    start: u64,
    end: u64,
    form: Conversion,
    columns: usize,
    rows: usize,
}

/// The conversion of a tensor.
#[derive(Clone, Copy)]
enum Conversion {
    /// Numbers to be rounded to 8 bits by row.
    Rounded(Number),
    /// Numbers kept unrounded.
    Whole(Number),
    /// Weights that are 8-bit already.
    Bytes,
}

impl Conversion {
    /// Returns the conversion of a tensor with this type name.
    fn from_name(dtype: &str, is_rounded: bool) -> Result<Self, String> {
        if is_rounded && dtype == "I8" {
            return Ok(Self::Bytes);
        }
        match Number::from_name(dtype) {
            Some(number) if is_rounded => Ok(Self::Rounded(number)),
            Some(number) => Ok(Self::Whole(number)),
            None if is_rounded => Err(format!(
                "holds `{dtype}`; expected `F32`, `F16`, `BF16` or `I8`"
            )),
            None => Err(format!("holds `{dtype}`; expected `F32`, `F16` or `BF16`")),
        }
    }

    fn bytes(self) -> usize {
        match self {
            Self::Rounded(number) | Self::Whole(number) => number.bytes(),
            Self::Bytes => 1,
        }
    }
}

impl TensorPosition {
    /// Allocates the tensor. Its size is bounded by that of the file.
    fn room(&self) -> Tensor {
        let count = self.columns * self.rows;
        match self.form {
            Conversion::Rounded(_) => Tensor::Rounded(Matrix::new(self.columns, self.rows)),
            Conversion::Whole(_) => Tensor::Whole(Vec::with_capacity(count)),
            Conversion::Bytes => Tensor::Bytes(Vec::with_capacity(count).into()),
        }
    }

    fn row_bytes(&self) -> usize {
        self.columns * self.form.bytes()
    }

    /// Appends a row of the file to the tensor; `numbers` is a buffer.
    fn push(&self, row: &[u8], tensor: &mut Tensor, numbers: &mut Vec<f32>) -> Result<(), String> {
        numbers.clear();
        if let Conversion::Rounded(number) | Conversion::Whole(number) = self.form {
            number.read(row, numbers);
        }
        // NaN is not less than anything, so it is refused with the numbers that are too large.
        // `&` instead of `&&` examines all numbers of the row without branches, several at a
        // time.
        let is_small = |small, number: &f32| small & (number.abs() < MOST);
        if !numbers.iter().fold(true, is_small) {
            return Err(too_large(&self.name));
        }
        match tensor {
            Tensor::Rounded(matrix) => matrix.push(numbers),
            Tensor::Whole(whole) => whole.extend_from_slice(numbers),
            Tensor::Bytes(bytes) => bytes.to_mut().extend_from_slice(row),
        }
        Ok(())
    }

    /// Returns the message for a tensor beyond the end of the file.
    fn out_of_bounds(&self) -> String {
        let name = &self.name;
        format!("tensor `{name}` ends after the end of the file; is the file complete?")
    }
}

/// Returns the positions of the wanted tensors, in the order of the file, whose data has
/// `data_length` bytes.
fn places(
    header: &[u8],
    wanted: &RequiredTensors,
    data_length: u64,
) -> Result<Vec<TensorPosition>, String> {
    let entries = serde_json::from_slice(header);
    let mut entries: BTreeMap<String, serde_json::Value> =
        entries.map_err(|error| format!("its header is not JSON: {error}"))?;
    // Models for a specific task prefix the names of the encoder's tensors: `bert.embeddings.…`.
    // The prefix is that of the word embeddings, which every encoder has.
    let marker = "embeddings.word_embeddings.weight";
    let prefix = entries.keys().find_map(|name| name.strip_suffix(marker));
    let prefix = prefix.unwrap_or_default().to_owned();
    let mut places = Vec::new();
    let mut take = |name: &str| entries.remove(&format!("{prefix}{name}"));
    for (name, (shape, is_rounded)) in wanted {
        let entry =
            take(name).ok_or_else(|| format!("it has no tensor `{name}`; expected an encoder"))?;
        let found = place(name, entry, &[shape], *is_rounded)?;
        if matches!(found.form, Conversion::Bytes) {
            let scale = scale_name(name);
            let entry = take(&scale).ok_or_else(|| {
                format!(
                    "tensor `{name}` holds `I8`; expected `{scale}` with the scales of its rows"
                )
            })?;
            let rows = found.rows;
            places.push(place(&scale, entry, &[&[rows, 1], &[rows]], false)?);
        }
        places.push(found);
    }
    if let Some(place) = places.iter().find(|place| place.end > data_length) {
        return Err(place.out_of_bounds());
    }
    places.sort_unstable_by_key(|place| place.start);
    // Overlaps are rejected, so that no more is read and kept than the file has bytes. Otherwise
    // each of a thousand entries of a small file could claim the same megabyte of it. The
    // streaming reader also depends on it: it goes through the file once, forwards.
    if let Some([a, b]) = places.array_windows().find(|[a, b]| a.end > b.start) {
        return Err(format!("tensor `{}` lies over `{}`", b.name, a.name));
    }
    Ok(places)
}

/// Returns the position of a tensor that has one of these shapes, from the header.
fn place(
    name: &str,
    entry: serde_json::Value,
    shapes: &[&[usize]],
    is_rounded: bool,
) -> Result<TensorPosition, String> {
    let entry: TensorEntry =
        serde_json::from_value(entry).map_err(|error| format!("`{name}`: {error}"))?;
    let wrong = |what: String| format!("tensor `{name}` {what}");
    let form = Conversion::from_name(&entry.dtype, is_rounded).map_err(wrong)?;
    let has = |shape: &&&[usize]| {
        let shape = shape.iter().map(|&length| length as u64);
        entry.shape.iter().copied().eq(shape)
    };
    let Some(shape) = shapes.iter().find(has) else {
        return Err(wrong(format!(
            "has the shape {:?}; expected {:?}, as `config.json` has it",
            entry.shape, shapes[0]
        )));
    };
    // The shape is one that `config.json` implies, within the limits of that, and no longer that
    // of the file. So the product is bounded, and the offsets must span exactly that many bytes.
    let count: u64 = shape.iter().map(|&length| length as u64).product();
    let bytes = count * form.bytes() as u64;
    let (start, end) = entry.data_offsets;
    if end.checked_sub(start) != Some(bytes) {
        return Err(wrong(format!(
            "lies at {start} to {end}; expected {bytes} bytes"
        )));
    }
    let columns = shape.last().copied().unwrap_or(1);
    Ok(TensorPosition {
        name: name.to_owned(),
        start,
        end,
        form,
        columns,
        rows: count as usize / columns,
    })
}

/// The data after the header, as far as it has been read.
struct Data {
    /// Positions in the order of the file.
    places: Vec<TensorPosition>,
    /// Index of the current or next tensor.
    current: usize,
    /// Bytes read.
    at: u64,
    /// Bytes of the current row.
    row: Vec<u8>,
    numbers: Vec<f32>,
    /// The current tensor; `None` after the last one.
    partial: Option<Tensor>,
    read: BTreeMap<String, Tensor>,
}

impl Data {
    fn new(places: Vec<TensorPosition>) -> Self {
        Self {
            partial: places.first().map(TensorPosition::room),
            places,
            current: 0,
            at: 0,
            row: Vec::new(),
            numbers: Vec::new(),
            read: BTreeMap::new(),
        }
    }

    fn push(&mut self, mut piece: &[u8]) -> Result<(), String> {
        while let Some(place) = self.places.get(self.current)
            && !piece.is_empty()
        {
            let gap = place.start.saturating_sub(self.at);
            if gap > 0 {
                let passed = gap.min(piece.len() as u64);
                self.at += passed;
                piece = &piece[passed as usize..];
                continue;
            }
            let row = place.row_bytes();
            let (front, rest) = piece.split_at((row - self.row.len()).min(piece.len()));
            self.row.extend_from_slice(front);
            self.at += front.len() as u64;
            piece = rest;
            if self.row.len() == row {
                self.end_row()?;
            }
        }
        Ok(())
    }

    /// Converts a complete row.
    fn end_row(&mut self) -> Result<(), String> {
        let place = &self.places[self.current];
        if let Some(tensor) = &mut self.partial {
            place.push(&self.row, tensor, &mut self.numbers)?;
        }
        self.row.clear();
        if self.at == place.end {
            let next = self.places.get(self.current + 1).map(TensorPosition::room);
            let done = mem::replace(&mut self.partial, next);
            self.read
                .extend(done.map(|tensor| (place.name.clone(), tensor)));
            self.current += 1;
        }
        Ok(())
    }
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
        let mut numbers = Vec::new();
        Number::Bf16.read(&[0x80, 0x3f], &mut numbers);
        Number::F16.read(&[0, 0x3c], &mut numbers);
        Number::F32.read(&1.5_f32.to_le_bytes(), &mut numbers);
        assert_eq!(numbers, [1.0, 1.0, 1.5]);
    }
}
