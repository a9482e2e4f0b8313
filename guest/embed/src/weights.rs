//! `model.safetensors`, which comes in pieces: every length and offset is checked before anything is
//! read there, and what is read is rounded at once, for the file is several times as large as what is
//! kept of it.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::error::ModelError;
use crate::matrix::Matrix;

/// Bytes of the header at most; that of a model of 48 layers has 100 kB.
const HEADER: u64 = 4 << 20;

/// Bytes of the header's length, which the file begins with.
const LENGTH_BYTES: usize = 8;

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

    /// Adds the numbers in `bytes` to others. Which kind they are is asked once for a row: there are
    /// a hundred million of them.
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

/// A file that comes in pieces, and the tensors that were read of it so far. What is not wanted is
/// passed over; no more of the file is kept than a row.
pub(crate) struct Reader {
    wanted: Wanted,
    /// Bytes of the file.
    length: u64,
    /// What has come of the header and the 8 bytes of its length, as long as it is not all there.
    header: Vec<u8>,
    /// None until the header is there.
    data: Option<Data>,
}

impl Reader {
    /// Returns a reader of a file of `length` bytes.
    pub(crate) fn new(wanted: Wanted, length: u64) -> Self {
        Self {
            wanted,
            length,
            header: Vec::new(),
            data: None,
        }
    }

    /// Takes the next piece of the file. After an error there is no next one.
    pub(crate) fn push(&mut self, mut piece: &[u8]) -> Result<(), ModelError> {
        if self.data.is_none() {
            piece = self.push_header(piece).map_err(ModelError::Weights)?;
        }
        match &mut self.data {
            Some(data) => data.push(piece).map_err(ModelError::Weights),
            None => Ok(()),
        }
    }

    /// Takes what belongs to the header, and returns what follows it.
    fn push_header<'a>(&mut self, piece: &'a [u8]) -> Result<&'a [u8], String> {
        let lacks = LENGTH_BYTES.saturating_sub(self.header.len());
        let (length, piece) = piece.split_at(lacks.min(piece.len()));
        self.header.extend_from_slice(length);
        let Some(&length) = self.header.first_chunk() else {
            return Ok(piece);
        };
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

    /// Returns the tensors, when all of the file has come.
    pub(crate) fn finish(self) -> Result<BTreeMap<String, Tensor>, ModelError> {
        let data = self
            .data
            .ok_or_else(|| ModelError::Weights(cut_in_header()))?;
        match data.places.get(data.current) {
            None => Ok(data.read),
            Some(place) => Err(ModelError::Weights(place.behind())),
        }
    }
}

fn cut_in_header() -> String {
    "it ends within its header; is it all of the file?".to_owned()
}

/// Where a tensor lies behind the header.
struct Place {
    name: String,
    start: u64,
    end: u64,
    number: Number,
    columns: usize,
    rows: usize,
    is_rounded: bool,
}

impl Place {
    /// Says that the tensor lies where the file does not reach.
    fn behind(&self) -> String {
        let name = &self.name;
        format!("tensor `{name}` ends behind the file; is it all of the file?")
    }
}

/// Returns where the tensors lie that are wanted, in the order of the file, behind whose header so
/// many bytes follow.
fn places(header: &[u8], wanted: &Wanted, data_length: u64) -> Result<Vec<Place>, String> {
    let entries = serde_json::from_slice(header);
    let mut entries: BTreeMap<String, serde_json::Value> =
        entries.map_err(|error| format!("its header is not JSON: {error}"))?;
    // Models for a task of their own keep the encoder below a name.
    let marker = "embeddings.word_embeddings.weight";
    let prefix = entries.keys().find_map(|name| name.strip_suffix(marker));
    let prefix = prefix.unwrap_or_default().to_owned();
    let mut places = Vec::new();
    for (name, (shape, is_rounded)) in wanted {
        let entry = entries
            .remove(&format!("{prefix}{name}"))
            .ok_or_else(|| format!("it has no tensor `{name}`; expected an encoder"))?;
        let entry: Entry =
            serde_json::from_value(entry).map_err(|error| format!("`{name}`: {error}"))?;
        let place = place(name, &entry, shape, *is_rounded)
            .map_err(|what| format!("tensor `{name}` {what}"))?;
        if place.end > data_length {
            return Err(place.behind());
        }
        places.push(place);
    }
    places.sort_unstable_by_key(|place| place.start);
    // So that no more is read, and kept, than the file has bytes.
    if let Some([a, b]) = places.array_windows().find(|[a, b]| a.end > b.start) {
        return Err(format!("tensor `{}` lies over `{}`", b.name, a.name));
    }
    Ok(places)
}

fn place(name: &str, entry: &Entry, shape: &[usize], is_rounded: bool) -> Result<Place, String> {
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
    let columns = shape.last().copied().unwrap_or(1);
    Ok(Place {
        name: name.to_owned(),
        start,
        end,
        number,
        columns,
        rows: count as usize / columns,
        is_rounded,
    })
}

/// What follows the header, as far as it has come.
struct Data {
    /// In the order of the file.
    places: Vec<Place>,
    /// Index of the place that is read, or comes next.
    current: usize,
    /// Bytes that have come.
    at: u64,
    /// What has come of a row.
    row: Vec<u8>,
    numbers: Vec<f32>,
    /// What has come of the tensor that is read.
    partial: Partial,
    read: BTreeMap<String, Tensor>,
}

/// A tensor that is being read.
#[derive(Default)]
struct Partial {
    matrix: Matrix,
    whole: Vec<f32>,
}

impl Partial {
    /// Returns room for a tensor. There is no more of it than lies in the file.
    fn new(place: &Place) -> Self {
        if place.is_rounded {
            Self {
                matrix: Matrix::new(place.columns, place.rows),
                whole: Vec::new(),
            }
        } else {
            Self {
                matrix: Matrix::default(),
                whole: Vec::with_capacity(place.rows * place.columns),
            }
        }
    }

    fn push(&mut self, row: &[f32], place: &Place) {
        if place.is_rounded {
            self.matrix.push(row);
        } else {
            self.whole.extend_from_slice(row);
        }
    }

    fn tensor(self, place: &Place) -> Tensor {
        if place.is_rounded {
            Tensor::Rounded(self.matrix)
        } else {
            Tensor::Whole(self.whole)
        }
    }
}

impl Data {
    fn new(places: Vec<Place>) -> Self {
        let partial = places.first().map(Partial::new).unwrap_or_default();
        Self {
            places,
            current: 0,
            at: 0,
            row: Vec::new(),
            numbers: Vec::new(),
            partial,
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
            let row = place.columns * place.number.bytes();
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

    /// Takes a row that is there.
    fn end_row(&mut self) -> Result<(), String> {
        let place = &self.places[self.current];
        let number = place.number;
        self.numbers.clear();
        number.read(&self.row, &mut self.numbers);
        self.row.clear();
        // So that no sum of a row can overflow, whatever a model says.
        let is_small = |small, number: &f32| small & (number.abs() < 1e6);
        if !self.numbers.iter().fold(true, is_small) {
            let name = &place.name;
            return Err(format!(
                "tensor `{name}` holds what is no number, or one beyond a million"
            ));
        }
        self.partial.push(&self.numbers, place);
        if self.at == place.end {
            let next = self.places.get(self.current + 1).map(Partial::new);
            let done = std::mem::replace(&mut self.partial, next.unwrap_or_default());
            self.read.insert(place.name.clone(), done.tensor(place));
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
