//! Mail: one message (eml), or a mailbox of them (mbox).

mod date;
pub mod layout;
mod mbox;
mod message;

pub use date::iso_date;
pub use mbox::{each_message, is_mailbox, read_mailbox};
pub use message::message_attachments;

use std::borrow::Cow;

use encoding_rs::{UTF_16BE, UTF_16LE};

use crate::failure::{EarlyStop, Failure};
use crate::limits::Limits;
use crate::markdown::Markdown;
use crate::mime::{is_field, is_known_field, line_end};
use message::MessageWriter;

/// Bytes of a file that show whether it is a message.
const HEAD_BYTES: usize = 16 << 10;

/// Adds the text of a message to `text`.
///
/// # Errors
/// [`EarlyStop`] if the text is incomplete.
pub fn read(content: &[u8], _limits: &Limits, text: &mut Markdown) -> Result<(), EarlyStop> {
    let content = message_bytes(content)?;
    let mut writer = MessageWriter::default();
    writer.write(&content, None, text)?;
    writer.write_omissions(0, text)
}

/// Returns a message as programs send it, from its header on.
///
/// # Errors
/// [`Failure::Malformed`] if the file is no message.
pub fn message_bytes(content: &[u8]) -> Result<Cow<'_, [u8]>, EarlyStop> {
    let content = match in_ascii_units(content) {
        Cow::Borrowed(content) => Cow::Borrowed(without_mark(content)),
        Cow::Owned(content) => Cow::Owned(without_mark(&content).to_vec()),
    };
    // Any bytes could be the body of a message without a header.
    if known_fields(&content) == 0 || is_mailbox(&content) {
        return Err(EarlyStop::Failed(Failure::Malformed));
    }
    Ok(content)
}

/// Returns true if a file begins as a message does: with a field, and with two fields of messages
/// before the first empty line.
pub fn is_message(content: &[u8]) -> bool {
    let content = in_ascii_units(&content[..content.len().min(HEAD_BYTES)]);
    let content = without_mark(&content);
    is_field(&content[..line_end(content, 0)]) && known_fields(content) >= 2
}

/// Returns the number of fields of messages in the header at the beginning of `content`, which are
/// not counted beyond 2.
fn known_fields(content: &[u8]) -> usize {
    let (mut count, mut at) = (0, 0);
    while at < content.len() && count < 2 {
        let end = line_end(content, at);
        let line = &content[at..end];
        if line.trim_ascii().is_empty() {
            break;
        }
        count += usize::from(is_field(line) && is_known_field(line));
        at = end;
    }
    count
}

/// Returns a file without a byte order mark and empty lines at its beginning.
pub fn without_mark(content: &[u8]) -> &[u8] {
    let content = content.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(content);
    content.trim_ascii_start()
}

/// Returns a message as programs send it. No mail is in UTF-16, but editors save it so.
fn in_ascii_units(content: &[u8]) -> Cow<'_, [u8]> {
    let encoding = match content {
        [0xFF, 0xFE, ..] => UTF_16LE,
        [0xFE, 0xFF, ..] => UTF_16BE,
        // Fields begin with letters of ASCII.
        [1..0x80, 0, 1..0x80, 0, ..] => UTF_16LE,
        [0, 1..0x80, 0, 1..0x80, ..] => UTF_16BE,
        _ => return Cow::Borrowed(content),
    };
    let (text, _) = encoding.decode_with_bom_removal(content);
    Cow::Owned(text.into_owned().into_bytes())
}
