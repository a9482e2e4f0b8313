//! Members of mail: the attachments of a message, and the messages of a mailbox.

use crate::failure::EarlyStop;
use crate::mail::{each_message, message_attachments, without_mark};

use super::MemberGatherer;

/// Gathers the attachments of a message.
pub fn gather_attachments(content: &[u8], members: &mut MemberGatherer) -> Result<(), EarlyStop> {
    let (attachments, beyond) = message_attachments(without_mark(content));
    for _ in 0..beyond {
        members.omit();
    }
    for (index, attachment) in attachments.iter().enumerate() {
        if members.is_full() {
            members.omit();
            continue;
        }
        let room = members.room();
        let (bytes, is_whole) = attachment.decode(room);
        if !is_whole {
            return Err(EarlyStop::Full);
        }
        members.push(&attachment.file_name(index + 1), bytes.into_owned())?;
    }
    Ok(())
}

/// Returns true if a message has attachments, or too many parts to tell.
pub fn has_attachments(content: &[u8]) -> bool {
    let (attachments, beyond) = message_attachments(without_mark(content));
    beyond > 0 || !attachments.is_empty()
}

/// Gathers the messages of a mailbox: `12.eml` is the twelfth.
pub fn gather_messages(content: &[u8], members: &mut MemberGatherer) -> Result<(), EarlyStop> {
    each_message(content, |number, message| {
        if members.is_full() {
            members.omit();
            return Ok(());
        }
        if message.len() > members.room() {
            return Err(EarlyStop::Full);
        }
        members.push(&format!("{number}.eml"), message.into_owned())
    })
}
