//! Distribution documents: their sections are encrypted with a key that the file itself holds, so
//! that editors can refuse to change or copy them. Everybody may read them.

use aes::Aes128;
use aes::cipher::{BlockCipherDecrypt as _, KeyInit as _};

use super::records::{Records, tag};

/// Bytes of the record that holds the key.
const KEY_RECORD_BYTES: usize = 256;

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
    let cipher = Aes128::new(&key.into());
    let mut bytes = encrypted.to_vec();
    bytes.truncate(bytes.len() / size_of::<AesBlock>() * size_of::<AesBlock>());
    // Each block is encrypted by itself.
    for block in bytes.chunks_exact_mut(size_of::<AesBlock>()) {
        if let Ok(block) = block.try_into() {
            cipher.decrypt_block(block);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_without_a_key() {
        assert_eq!(decrypt(&[]), None);
        let mut section = (28u32 | 255 << 20).to_le_bytes().to_vec();
        section.resize(4 + 255, 0);
        assert_eq!(decrypt(&section), None);
    }
}
