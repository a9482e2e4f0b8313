//! Mailboxes: messages in one file, each after a line that begins with `From ` (RFC 4155).

use std::borrow::Cow;

use crate::failure::{EarlyStop, Failure};
use crate::limits::{Limits, MAILBOX_MESSAGES};
use crate::markdown::Markdown;
use crate::mime::{is_field, is_known_field, line_end};

use super::message::MessageWriter;
use super::without_mark;

const SEPARATOR: &[u8] = b"From ";

/// Adds the text of the messages of a mailbox to `text`.
///
/// # Errors
/// [`EarlyStop`] if the text is incomplete.
pub fn read_mailbox(
    content: &[u8],
    _limits: &Limits,
    text: &mut Markdown,
) -> Result<(), EarlyStop> {
    let mut writer = MessageWriter::default();
    let mut beyond = 0;
    each_message(content, |number, message| {
        if number > MAILBOX_MESSAGES {
            beyond += 1;
            return Ok(());
        }
        writer.write(&message, Some(number), text)
    })?;
    writer.write_omissions(beyond, text)
}

/// Passes each message of a mailbox to `take`, with its number from 1.
///
/// # Errors
/// Those of `take`; [`Failure::Malformed`] if the file is no mailbox.
pub fn each_message<'c>(
    content: &'c [u8],
    mut take: impl FnMut(usize, Cow<'c, [u8]>) -> Result<(), EarlyStop>,
) -> Result<(), EarlyStop> {
    let content = without_mark(content);
    if !is_mailbox(content) {
        return Err(EarlyStop::Failed(Failure::Malformed));
    }
    let mut number = 0;
    let mut start = Some(0);
    while let Some(at) = start {
        let first = line_end(content, at);
        start = next_separator(content, first);
        number += 1;
        take(
            number,
            unquote(&content[first..start.unwrap_or(content.len())]),
        )?;
    }
    Ok(())
}

/// Returns true if a file begins as a mailbox does.
pub fn is_mailbox(content: &[u8]) -> bool {
    let content = without_mark(content);
    is_separator(content, 0, true)
}

/// Returns the start of the first separator behind `at`, which is the start of a line.
fn next_separator(content: &[u8], mut at: usize) -> Option<usize> {
    // The first message may be empty.
    let mut is_after_blank = true;
    while at < content.len() {
        if is_separator(content, at, is_after_blank) {
            return Some(at);
        }
        let end = line_end(content, at);
        is_after_blank = content[at..end].trim_ascii().is_empty();
        at = end;
    }
    None
}

/// Returns true if the line at `at` begins a message. Many programs neither quote lines of a body
/// that begin with `From ` nor put an empty line before each message, so no sign suffices alone.
fn is_separator(content: &[u8], at: usize, is_after_blank: bool) -> bool {
    if !content
        .get(at..)
        .is_some_and(|rest| rest.starts_with(SEPARATOR))
    {
        return false;
    }
    let end = line_end(content, at);
    let next = &content[end..line_end(content, end)];
    let words = || content[at..end].split(u8::is_ascii_whitespace);
    let has_time = words().any(is_time);
    if !is_field(next) {
        // A message without a header.
        let has_year = words().any(|word| word.len() == 4 && word.iter().all(u8::is_ascii_digit));
        return is_after_blank && has_time && has_year && next.trim_ascii().is_empty();
    }
    let signs = [is_after_blank, has_time, is_known_field(next)];
    signs.into_iter().filter(|sign| *sign).count() >= 2
}

/// Returns true if a word begins as a time of the day does.
fn is_time(word: &[u8]) -> bool {
    matches!(
        word,
        [b'0'..=b'9', b':', ..] | [b'0'..=b'9', b'0'..=b'9', b':', ..]
    )
}

/// Returns a message without the `>` by which lines that begin with `From ` are quoted.
fn unquote(message: &[u8]) -> Cow<'_, [u8]> {
    let mut unquoted: Option<Vec<u8>> = None;
    let (mut at, mut copied) = (0, 0);
    while at < message.len() {
        let end = line_end(message, at);
        let line = &message[at..end];
        let marks = line.iter().take_while(|byte| **byte == b'>').count();
        if marks > 0 && line[marks..].starts_with(SEPARATOR) {
            let all = unquoted.get_or_insert_with(|| Vec::with_capacity(message.len()));
            all.extend_from_slice(&message[copied..at]);
            copied = at + 1;
        }
        at = end;
    }
    match unquoted {
        Some(mut all) => {
            all.extend_from_slice(&message[copied..]);
            Cow::Owned(all)
        }
        None => Cow::Borrowed(message),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quoted_lines() {
        for (message, expected) in [
            (
                "a\n>From b\n>>From c\n> From d\n>x\n",
                "a\nFrom b\n>From c\n> From d\n>x\n",
            ),
            ("a > b", "a > b"),
            ("", ""),
        ] {
            assert_eq!(unquote(message.as_bytes()), expected.as_bytes());
        }
    }
}
