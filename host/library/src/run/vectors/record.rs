//! The format of a vector on disk: the key of its text, the length of its place, the place, the
//! vector, and their checksum. Numbers are little-endian.

use super::key::{KEY_BYTES, Key};

/// Maximum bytes of a place; a vector with a longer place is not written.
pub(super) const PLACE_BYTES: usize = 8 << 10;

/// Bytes of a record beside its place and its vector.
const FRAME_BYTES: usize = KEY_BYTES + 4 + 4;

/// A stored vector, with the last known place of its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct VectorRecord {
    /// Key of the text.
    pub(crate) key: Key,
    /// Last known place of the text.
    pub(crate) place: Box<str>,
    /// Vector of the text.
    pub(crate) vector: Box<[i8]>,
}

/// A record in the bytes of a file.
#[derive(Clone, Copy, Debug)]
pub(super) struct RecordBytes<'b> {
    /// Key of the text.
    pub(super) key: Key,
    /// Last known place of the text.
    pub(super) place: &'b str,
    /// Numbers of the vector, one byte each.
    numbers: &'b [u8],
}

impl VectorRecord {
    /// Returns true if the record can be written to a file of vectors with this many dimensions.
    pub(super) fn fits(&self, dimensions: usize) -> bool {
        self.place.len() <= PLACE_BYTES && self.vector.len() == dimensions
    }

    /// Returns the length of the record in bytes.
    pub(super) fn bytes(&self) -> usize {
        FRAME_BYTES + self.place.len() + self.vector.len()
    }

    /// Appends the record to `bytes`; it has to fit.
    pub(super) fn put(&self, bytes: &mut Vec<u8>) {
        let start = bytes.len();
        bytes.extend(self.key.0);
        bytes.extend((self.place.len() as u32).to_le_bytes());
        bytes.extend(self.place.as_bytes());
        bytes.extend(self.vector.iter().map(|number| number.cast_unsigned()));
        let sum = checksum(&bytes[start..]);
        bytes.extend(sum.to_le_bytes());
    }
}

impl<'b> RecordBytes<'b> {
    /// Returns the first record of `bytes` and the rest; none if it is torn or damaged.
    pub(super) fn split(bytes: &'b [u8], dimensions: usize) -> Option<(Self, &'b [u8])> {
        let (key, rest) = bytes.split_first_chunk::<KEY_BYTES>()?;
        let (length, rest) = rest.split_first_chunk()?;
        let length = u32::from_le_bytes(*length) as usize;
        if length > PLACE_BYTES {
            return None;
        }
        let (place, rest) = rest.split_at_checked(length)?;
        let (numbers, rest) = rest.split_at_checked(dimensions)?;
        let written = &bytes[..bytes.len() - rest.len()];
        let (sum, rest) = rest.split_first_chunk()?;
        if checksum(written) != u32::from_le_bytes(*sum) {
            return None;
        }
        let record = Self {
            key: Key(*key),
            place: std::str::from_utf8(place).ok()?,
            numbers,
        };
        Some((record, rest))
    }

    /// Returns an owned copy.
    pub(super) fn to_record(self) -> VectorRecord {
        VectorRecord {
            key: self.key,
            place: self.place.into(),
            vector: self.numbers.iter().map(|byte| byte.cast_signed()).collect(),
        }
    }
}

/// Returns the place and the numbers of the record in exactly these bytes. Its checksum was
/// verified earlier: verifying it again would take longer than comparing the vector.
pub(super) fn place_and_numbers(bytes: &[u8], dimensions: usize) -> Option<(&[u8], &[u8])> {
    let place_and_numbers = bytes.get(KEY_BYTES + 4..bytes.len().checked_sub(4)?)?;
    place_and_numbers.split_at_checked(place_and_numbers.len().checked_sub(dimensions)?)
}

/// Tables of a CRC over eight bytes at a time: the contribution of each byte value at each
/// position.
const TABLES: [[u32; 256]; 8] = {
    let mut tables = [[0; 256]; 8];
    let mut byte = 0;
    while byte < 256 {
        let mut value = byte as u32;
        let mut bit = 0;
        while bit < 8 {
            let carry = value & 1;
            value = (value >> 1) ^ (0xEDB8_8320 * carry);
            bit += 1;
        }
        tables[0][byte] = value;
        byte += 1;
    }
    let mut behind = 1;
    while behind < 8 {
        let mut byte = 0;
        while byte < 256 {
            let value = tables[behind - 1][byte];
            tables[behind][byte] = (value >> 8) ^ tables[0][(value & 0xFF) as usize];
            byte += 1;
        }
        behind += 1;
    }
    tables
};

/// Returns the CRC-32 of some bytes, as in IEEE 802.3. It processes eight bytes at a time, because
/// a whole file is checked before the first query.
pub(super) fn checksum(bytes: &[u8]) -> u32 {
    let (eights, rest) = bytes.as_chunks::<8>();
    let mut sum = !0_u32;
    for eight in eights {
        let [a, b, c, d, tail @ ..] = *eight;
        let first = (sum ^ u32::from_le_bytes([a, b, c, d])).to_le_bytes();
        let first = first.iter().zip(TABLES[4..].iter().rev());
        let tail = tail.iter().zip(TABLES[..4].iter().rev());
        sum = first
            .chain(tail)
            .fold(0, |sum, (byte, table)| sum ^ table[usize::from(*byte)]);
    }
    for byte in rest {
        sum = (sum >> 8) ^ TABLES[0][((sum ^ u32::from(*byte)) & 0xFF) as usize];
    }
    !sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_checksum_is_that_of_the_standard() {
        assert_eq!(checksum(b"123456789"), 0xCBF4_3926);
        assert_eq!(checksum(b""), 0);
        let text = b"The quick brown fox jumps over the lazy dog";
        assert_eq!(checksum(text), 0x414F_A339);
    }

    #[test]
    fn what_is_put_is_split_off_again() {
        let record = VectorRecord {
            key: Key([3; KEY_BYTES]),
            place: "docs\n문서.md\n0".into(),
            vector: Box::new([1, -128, 127]),
        };
        let mut bytes = Vec::new();
        record.put(&mut bytes);
        assert_eq!(bytes.len(), record.bytes());
        let (place, numbers) = place_and_numbers(&bytes, 3).unwrap();
        assert_eq!(
            (place, numbers),
            (record.place.as_bytes(), &[1, 128, 127][..])
        );
        bytes.push(9);
        let (written, rest) = RecordBytes::split(&bytes, 3).unwrap();
        assert_eq!((written.to_record(), rest), (record, &[9][..]));
        for short in 0..KEY_BYTES + 4 + 4 {
            assert!(place_and_numbers(&bytes[..short], 3).is_none(), "{short}");
        }
    }
}
