//! Distribution documents: their sections are encrypted with a key that the file itself holds, so
//! that editors can refuse to change or copy them. Everybody may read them.

use super::records::{Records, tag};

/// Bytes of the record that holds the key.
const KEY_RECORD_BYTES: usize = 256;

/// Rounds of AES with a key of 128 bits.
const ROUNDS: usize = 10;

/// A block of AES.
type AesBlock = [u8; 16];

/// Decrypts a section. Returns `None` if it does not begin with its key.
pub fn decrypt(section: &[u8]) -> Option<Vec<u8>> {
    let mut records = Records::new(section);
    let record = records
        .next()
        .filter(|record| record.tag == tag::DISTRIBUTION)?;
    let key = key(record.data.0.first_chunk()?)?;
    let header = if record.data.0.len() < 0xFFF { 4 } else { 8 };
    let encrypted = section.get(header + record.data.0.len()..)?;
    let keys = round_keys(key);
    let tables = InverseTables::new();
    let mut bytes = Vec::with_capacity(encrypted.len());
    for block in encrypted.chunks_exact(size_of::<AesBlock>()) {
        if let Some(block) = block.first_chunk() {
            bytes.extend(decrypt_block(*block, &keys, &tables));
        }
    }
    Some(bytes)
}

/// Returns the key in the record of a distribution document: it is hidden by the numbers of
/// Microsoft's `rand`, of which the first four bytes are the seed.
fn key(record: &[u8; KEY_RECORD_BYTES]) -> Option<AesBlock> {
    let mut state = u32::from_le_bytes(*record.first_chunk()?);
    let mut random = || {
        state = state.wrapping_mul(214_013).wrapping_add(2_531_011);
        state >> 16 & 0x7FFF
    };
    let mut bytes = *record;
    let (mut mask, mut repeats) = (0, 0);
    for (index, byte) in bytes.iter_mut().enumerate() {
        if repeats == 0 {
            mask = (random() & 0xFF) as u8;
            repeats = (random() & 0xF) + 1;
        }
        if index >= 4 {
            *byte ^= mask;
        }
        repeats -= 1;
    }
    let at = 4 + usize::from(bytes[0] & 0xF);
    bytes.get(at..)?.first_chunk().copied()
}

/// Multiplies in the field of AES.
const fn multiply(mut left: u8, mut right: u8) -> u8 {
    let mut product = 0;
    while right != 0 {
        if right & 1 != 0 {
            product ^= left;
        }
        left = (left << 1) ^ if left & 0x80 != 0 { 0x1B } else { 0 };
        right >>= 1;
    }
    product
}

/// Returns the substitution of AES for each byte.
fn substitutions() -> [u8; 256] {
    let mut all = [0; 256];
    let (mut power, mut inverse) = (1u8, 1u8);
    // 3 generates the field, so its powers visit each number but 0. Dividing by 3 at the same
    // time gives the inverse of each.
    for _ in 0..255 {
        power = multiply(power, 3);
        inverse = multiply(inverse, 0xF6);
        let rotated = (1..5).fold(inverse, |sum, by| sum ^ inverse.rotate_left(by));
        all[usize::from(power)] = rotated ^ 0x63;
    }
    all[0] = 0x63;
    all
}

/// Returns the keys of all rounds.
fn round_keys(key: AesBlock) -> [AesBlock; ROUNDS + 1] {
    let substitutions = substitutions();
    let mut keys = [key; ROUNDS + 1];
    let mut constant = 1;
    for round in 1..=ROUNDS {
        let last = keys[round - 1];
        let mut key = last;
        for (index, byte) in [13, 14, 15, 12].into_iter().enumerate() {
            key[index] ^= substitutions[usize::from(last[byte])];
        }
        key[0] ^= constant;
        for index in 4..key.len() {
            key[index] ^= key[index - 4];
        }
        constant = multiply(constant, 2);
        keys[round] = key;
    }
    keys
}

/// The tables of decryption.
struct InverseTables {
    substitutions: [u8; 256],
    /// Products of each byte with the factors of a mixed column.
    products: [[u8; 256]; 4],
}

impl InverseTables {
    fn new() -> Self {
        let mut inverse = [0; 256];
        for (byte, substitution) in (0..=255).zip(substitutions()) {
            inverse[usize::from(substitution)] = byte;
        }
        let mut products = [[0; 256]; 4];
        for (table, factor) in products.iter_mut().zip([14, 11, 13, 9]) {
            for (byte, product) in (0..=255).zip(table.iter_mut()) {
                *product = multiply(byte, factor);
            }
        }
        Self {
            substitutions: inverse,
            products,
        }
    }
}

/// Decrypts a block.
fn decrypt_block(
    block: AesBlock,
    keys: &[AesBlock; ROUNDS + 1],
    tables: &InverseTables,
) -> AesBlock {
    let mut state = add_key(block, &keys[ROUNDS]);
    for round in (0..ROUNDS).rev() {
        let mut shifted = state;
        for (index, byte) in state.into_iter().enumerate() {
            // Row `index % 4` is shifted by as many columns of four bytes.
            let target = (index + 4 * (index % 4)) % state.len();
            shifted[target] = tables.substitutions[usize::from(byte)];
        }
        state = add_key(shifted, &keys[round]);
        if round > 0 {
            state = unmix(state, tables);
        }
    }
    state
}

/// Adds the key of a round.
fn add_key(mut block: AesBlock, key: &AesBlock) -> AesBlock {
    for (byte, key) in block.iter_mut().zip(key) {
        *byte ^= key;
    }
    block
}

/// Reverses the mixing of the columns.
fn unmix(block: AesBlock, tables: &InverseTables) -> AesBlock {
    let mut unmixed = [0; 16];
    for (index, byte) in unmixed.iter_mut().enumerate() {
        let (column, row) = (index / 4 * 4, index % 4);
        for (offset, products) in tables.products.iter().enumerate() {
            *byte ^= products[usize::from(block[column + (row + offset) % 4])];
        }
    }
    unmixed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_example_of_the_standard() {
        // FIPS 197, appendix C.1.
        let key = std::array::from_fn(|index| index as u8);
        let encrypted = [
            0x69, 0xC4, 0xE0, 0xD8, 0x6A, 0x7B, 0x04, 0x30, 0xD8, 0xCD, 0xB7, 0x80, 0x70, 0xB4,
            0xC5, 0x5A,
        ];
        let plain = std::array::from_fn(|index| index as u8 * 0x11);
        let decrypted = decrypt_block(encrypted, &round_keys(key), &InverseTables::new());
        assert_eq!(decrypted, plain);
    }

    #[test]
    fn sections_without_a_key() {
        assert_eq!(decrypt(&[]), None);
        let mut section = (28u32 | 255 << 20).to_le_bytes().to_vec();
        section.resize(4 + 255, 0);
        assert_eq!(decrypt(&section), None);
    }
}
