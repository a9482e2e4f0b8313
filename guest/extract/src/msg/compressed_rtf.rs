//! Text in RTF as messages hold it: packed with references into the last 4096 bytes (MS-OXRTFCP).

use crate::failure::EarlyStop;

/// Bytes that references may lead back to.
const WINDOW: usize = 4096;

/// The window before the first byte, which has the words of most documents.
const INITIAL: &[u8; 207] = b"{\\rtf1\\ansi\\mac\\deff0\\deftab720{\\fonttbl;}\
{\\f0\\fnil \\froman \\fswiss \\fmodern \\fscript \\fdecor MS Sans SerifSymbolArialTimes New RomanCourier\
{\\colortbl\\red0\\green0\\blue0\r\n\\par \\pard\\plain\\f0\\fs20\\b\\i\\u\\tab\\tx";

/// Bytes of the header: the packed length, the length of the text, the kind, and a checksum. The
/// checksum is not compared, because a text with a damaged place is shown all the same.
const HEADER: usize = 16;

const PACKED: &[u8] = b"LZFu";
const STORED: &[u8] = b"MELA";

/// Text in RTF.
#[derive(Debug, PartialEq, Eq)]
pub struct UnpackedRtf {
    pub bytes: Vec<u8>,
    /// False if the end is missing.
    pub is_whole: bool,
}

/// Returns the text that is packed in `content`, or `None` if it is in no known form.
///
/// # Errors
/// [`EarlyStop::Full`] if it has more than `most` bytes.
pub fn unpack_rtf(content: &[u8], most: u64) -> Result<Option<UnpackedRtf>, EarlyStop> {
    let (Some(length), Some(kind), Some(packed)) = (
        content.get(4..).and_then(<[u8]>::first_chunk),
        content.get(8..12),
        content.get(HEADER..),
    ) else {
        return Ok(None);
    };
    let length = u32::from_le_bytes(*length);
    if u64::from(length) > most {
        return Err(EarlyStop::Full);
    }
    let length = usize::try_from(length).map_err(|_| EarlyStop::Full)?;
    let bytes = match kind {
        PACKED => unpack(packed, length),
        STORED => packed[..packed.len().min(length)].to_vec(),
        _ => return Ok(None),
    };
    Ok(Some(UnpackedRtf {
        is_whole: bytes.len() == length,
        bytes,
    }))
}

/// Unpacks at most `length` bytes. A reference to its own place ends the text.
fn unpack(packed: &[u8], length: usize) -> Vec<u8> {
    let mut window = [0; WINDOW];
    window[..INITIAL.len()].copy_from_slice(INITIAL);
    let mut next = INITIAL.len();
    // What is claimed is not reserved: nine bytes are the shortest packing of more than eight.
    let mut bytes = Vec::new();
    let mut rest = packed.iter().copied();
    while let Some(kinds) = rest.next() {
        for bit in 0..8 {
            let Some(first) = rest.next() else {
                return bytes;
            };
            let (mut source, count) = if kinds & 1 << bit == 0 {
                // A byte that stands for itself.
                window[next] = first;
                (next, 1)
            } else {
                let Some(second) = rest.next() else {
                    return bytes;
                };
                let reference = usize::from(u16::from_be_bytes([first, second]));
                (reference >> 4, (reference & 0xF) + 2)
            };
            let is_end = kinds & 1 << bit != 0 && source == next;
            if is_end {
                return bytes;
            }
            for _ in 0..count {
                if bytes.len() == length {
                    return bytes;
                }
                let byte = window[source];
                bytes.push(byte);
                window[next] = byte;
                source = (source + 1) % WINDOW;
                next = (next + 1) % WINDOW;
            }
        }
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The examples of MS-OXRTFCP, sections 3.1 and 3.2.
    const HELLO: &[u8] =
        b"\x2d\0\0\0\x2b\0\0\0LZFu\xf1\xc5\xc7\xa7\x03\0\x0a\0rcpg125B2\x0a\xf3 hel\x09\0 \
bw\x05\xb0ld}\x0a\x80\x0f\xa0";
    const REPEATED: &[u8] = b"\x1a\0\0\0\x1c\0\0\0LZFu\xe2\xd4KQA\0\x04 WXYZ\x0dn}\x01\x0e\xb0";

    fn text(content: &[u8]) -> Option<(String, bool)> {
        let unpacked = unpack_rtf(content, 1 << 20).ok()??;
        let text = String::from_utf8_lossy(&unpacked.bytes).into_owned();
        Some((text, unpacked.is_whole))
    }

    #[test]
    fn examples_of_the_specification() {
        let hello = "{\\rtf1\\ansi\\ansicpg1252\\pard hello world}\r\n";
        assert_eq!(text(HELLO), Some((hello.to_owned(), true)));
        let repeated = "{\\rtf1 WXYZWXYZWXYZWXYZWXYZ}";
        assert_eq!(text(REPEATED), Some((repeated.to_owned(), true)));
        let stored = b"\x12\0\0\0\x06\0\0\0MELA\0\0\0\0{\\rtf}";
        assert_eq!(text(stored), Some(("{\\rtf}".to_owned(), true)));
    }

    #[test]
    fn text_that_is_damaged_ends_early() {
        for length in HEADER..HELLO.len() - 2 {
            let (text, is_whole) = text(&HELLO[..length]).expect("it has a header");
            assert!(text.len() < 43 && !is_whole, "{length}");
        }
        for length in 0..HEADER {
            assert_eq!(text(&HELLO[..length]), None, "{length}");
        }
        let other = [&HELLO[..8], b"LZFv", &HELLO[12..]].concat();
        assert_eq!(text(&other), None);
    }

    #[test]
    fn a_length_beyond_the_limit_is_refused_and_reserves_nothing() {
        let claimed = [&HELLO[..4], &u32::MAX.to_le_bytes(), &HELLO[8..]].concat();
        assert_eq!(unpack_rtf(&claimed, 1 << 20), Err(EarlyStop::Full));
        assert_eq!(unpack_rtf(HELLO, 42), Err(EarlyStop::Full));
        let most = unpack_rtf(&claimed, u64::MAX).expect("it has room");
        assert!(most.is_some_and(|text| text.bytes.capacity() < 1 << 10));
    }
}
