//! UTF-7 (RFC 2152), which mail programs of the nineties wrote: ASCII, with other characters as
//! UTF-16 in base 64 after a `+`. Browsers do not read it, and neither does `encoding_rs`.

use super::transfer::TransferEncoding;

/// Returns true for the name of this encoding.
pub fn is_label(label: &str) -> bool {
    ["utf-7", "unicode-1-1-utf-7", "utf7"]
        .iter()
        .any(|known| label.trim().eq_ignore_ascii_case(known))
}

/// Decodes bytes.
pub fn decode(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    let mut rest = bytes;
    while let Some(at) = rest.iter().position(|byte| *byte == b'+') {
        text.push_str(&String::from_utf8_lossy(&rest[..at]));
        rest = &rest[at + 1..];
        let is_digit = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/');
        let end = rest.iter().position(|byte| !is_digit(byte));
        let (digits, behind) = rest.split_at(end.unwrap_or(rest.len()));
        // A plus sign is written as `+-`.
        if digits.is_empty() {
            text.push('+');
        }
        let (units, _) = TransferEncoding::Base64.decode(digits, usize::MAX);
        let units = units
            .chunks_exact(2)
            .map(|unit| u16::from_be_bytes([unit[0], unit[1]]));
        text.extend(char::decode_utf16(units).map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER)));
        rest = behind.strip_prefix(b"-").unwrap_or(behind);
    }
    text.push_str(&String::from_utf8_lossy(rest));
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words() {
        for (bytes, expected) in [
            ("Fr+APY-sche +- 1", "Frösche + 1"),
            ("+1VyuAA.", "한글."),
            ("+2D3eAA-", "😀"),
            ("a+", "a+"),
            ("+AP", ""),
        ] {
            assert_eq!(decode(bytes.as_bytes()), expected, "{bytes}");
        }
    }
}
