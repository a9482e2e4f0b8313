//! Metering of unpacked bytes, so that a small file cannot become a large one.

use std::fmt;
use std::io::{self, Read};

use crate::failure::{EarlyStop, Failure};

/// A part of a package that is unpacked while it is read, within the budget of all parts.
pub struct MeteredReader<'p> {
    source: Box<dyn Read + 'p>,
    /// Bytes that may still be unpacked, shared by all parts of a package.
    remaining_bytes: &'p mut u64,
}

/// The error of a part that exceeds the budget.
#[derive(Debug)]
struct OverLimit;

impl fmt::Display for OverLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the parts are larger than they may be")
    }
}

impl std::error::Error for OverLimit {}

impl<'p> MeteredReader<'p> {
    /// Creates a reader of a part that draws on `remaining_bytes`.
    pub fn new(source: Box<dyn Read + 'p>, remaining_bytes: &'p mut u64) -> Self {
        Self {
            source,
            remaining_bytes,
        }
    }
}

impl Read for MeteredReader<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        // The sizes in the directory of an archive are claims of its author: an entry may claim
        // 1 KB and unpack to gigabytes. Only bytes that were unpacked are counted, for all
        // parts of the document together, so that a thousand small parts cannot exceed the
        // budget either. The decoder is at most one buffer ahead when this ends it.
        let count = self.source.read(buffer)?;
        *self.remaining_bytes = self
            .remaining_bytes
            .checked_sub(count as u64)
            .ok_or_else(|| io::Error::other(OverLimit))?;
        Ok(count)
    }
}

/// Unpacks a part as a whole, of at most `most` bytes.
pub fn read_metered(
    source: impl Read,
    remaining_bytes: &mut u64,
    most: u64,
) -> Result<Vec<u8>, EarlyStop> {
    let mut bytes = Vec::new();
    let mut source = MeteredReader::new(Box::new(source), remaining_bytes).take(most + 1);
    source
        .read_to_end(&mut bytes)
        .map_err(|error| io_error_to_stop(&error))?;
    if bytes.len() as u64 > most {
        return Err(EarlyStop::Failed(Failure::TooLarge));
    }
    Ok(bytes)
}

/// Returns the reason for which a part could not be read: it is too large, or its compressed bytes
/// are damaged.
pub fn io_error_to_stop(error: &io::Error) -> EarlyStop {
    // The error travels through a buffer and two parsers as an `io::Error`, which they pass on
    // unchanged. Its type distinguishes a document over the budget, which the caller can be
    // told, from one whose compressed bytes are damaged.
    let is_over = error.get_ref().is_some_and(|inner| inner.is::<OverLimit>());
    EarlyStop::Failed(if is_over {
        Failure::TooLarge
    } else {
        Failure::Malformed
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_share_what_may_be_unpacked() {
        let mut remaining_bytes = 10;
        let mut read = |part: &'static [u8]| {
            let mut metered = MeteredReader::new(Box::new(part), &mut remaining_bytes);
            io::copy(&mut metered, &mut io::sink()).map_err(|error| io_error_to_stop(&error))
        };
        assert_eq!(read(b"123456"), Ok(6));
        assert_eq!(read(b"1234"), Ok(4));
        assert_eq!(read(b""), Ok(0));
        assert_eq!(read(b"1"), Err(EarlyStop::Failed(Failure::TooLarge)));
    }

    #[test]
    fn other_errors_are_damage() {
        let error = io::Error::from(io::ErrorKind::UnexpectedEof);
        assert_eq!(
            io_error_to_stop(&error),
            EarlyStop::Failed(Failure::Malformed)
        );
    }
}
