//! The format of Internet messages (RFC 5322) and of the parts in them (RFC 2045 to 2049 and 2231),
//! as mail programs write it rather than as the standards have it.
//!
//! A header is read before anything is known about its encoding, so fields stay bytes until their
//! words are requested. The parts of a message are found in one pass over its lines. Nothing here
//! recurses: the nesting of parts is a list of open boundaries.

mod header;
mod parameters;
mod parts;
mod transfer;
mod utf7;
mod words;

pub use header::{MailField, MailHeader, is_field, is_known_field, line_end};
pub use parameters::FieldParameters;
pub use parts::{MimePart, MimeParts};
pub use transfer::TransferEncoding;
pub use words::decode_words;

use std::borrow::Cow;

use encoding_rs::{Encoding, UTF_16BE, UTF_16LE};

use crate::encoding;

/// Returns the text of bytes with a label of their encoding.
pub fn decode_text<'a>(bytes: &'a [u8], label: Option<&str>) -> Cow<'a, str> {
    if label.is_some_and(utf7::is_label) {
        return Cow::Owned(utf7::decode(bytes));
    }
    // A page that can be read as ASCII as far as its label is not in UTF-16, but the label of a
    // part is in its header.
    let wide = label
        .and_then(encoding::from_label)
        .filter(|found| [UTF_16LE, UTF_16BE].contains(found));
    match wide {
        Some(wide) if Encoding::for_bom(bytes).is_none() => encoding::decode_as(wide, bytes),
        _ => encoding::decode(bytes, label),
    }
}
