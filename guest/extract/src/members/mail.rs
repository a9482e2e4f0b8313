//! Members of mail: the attachments of a message, and the messages of a mailbox.

use crate::failure::EarlyStop;
use crate::mail::{each_message, message_attachments, message_bytes};

use super::MemberGatherer;

/// Gathers the attachments of a message.
///
/// # Errors
/// [`Failure::Malformed`](crate::Failure::Malformed) if the file is no message;
/// [`EarlyStop::Full`] if there is no room for them.
pub fn gather_attachments(
    content: &[u8],
    members: &mut MemberGatherer<'_>,
) -> Result<(), EarlyStop> {
    let content = message_bytes(content)?;
    let (attachments, beyond) = message_attachments(&content);
    for _ in 0..beyond {
        members.omit();
    }
    for (index, attachment) in attachments.iter().enumerate() {
        members.add(&attachment.file_name(index + 1), None, |room| {
            let (bytes, is_whole) = attachment.decode(room);
            match is_whole {
                true => Ok(bytes.into_owned()),
                false => Err(EarlyStop::Full),
            }
        })?;
    }
    Ok(())
}

/// Returns true if a message has attachments, or too many parts to tell, or cannot be read.
pub fn has_attachments(content: &[u8]) -> bool {
    let Ok(content) = message_bytes(content) else {
        return true;
    };
    let (attachments, beyond) = message_attachments(&content);
    beyond > 0 || !attachments.is_empty()
}

/// Gathers the messages of a mailbox: `12.eml` is the twelfth.
pub fn gather_messages(content: &[u8], members: &mut MemberGatherer<'_>) -> Result<(), EarlyStop> {
    each_message(content, |number, message| {
        members.add(&format!("{number}.eml"), None, |room| {
            match message.len() <= room {
                true => Ok(message.into_owned()),
                false => Err(EarlyStop::Full),
            }
        })
    })
}
