//! Counts what is unpacked, so that a small file cannot become a large one.

use std::fmt;
use std::io::{self, Read};

use crate::{Failure, Stop};

/// A part of a package that is unpacked as it is read, within what all parts together may take.
pub struct Metered<'p> {
    source: Box<dyn Read + 'p>,
    /// Bytes that may still be unpacked; all parts of a package share them.
    remaining_bytes: &'p mut u64,
}

/// Says that more would be unpacked than may be.
#[derive(Debug)]
struct OverLimit;

impl fmt::Display for OverLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the parts are larger than they may be")
    }
}

impl std::error::Error for OverLimit {}

impl<'p> Metered<'p> {
    /// Begins a part, which takes what it unpacks from `remaining_bytes`.
    pub fn new(source: Box<dyn Read + 'p>, remaining_bytes: &'p mut u64) -> Self {
        Self {
            source,
            remaining_bytes,
        }
    }
}

impl Read for Metered<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        // What the directory of the archive says of sizes may be wrong, so what comes is counted.
        // The decoder is at most one buffer ahead when this ends it.
        let count = self.source.read(buffer)?;
        *self.remaining_bytes = self
            .remaining_bytes
            .checked_sub(count as u64)
            .ok_or_else(|| io::Error::other(OverLimit))?;
        Ok(count)
    }
}

/// Returns why a part could not be read on: it is too large, else its compressed bytes are damaged.
pub fn stop_of_io_error(error: &io::Error) -> Stop {
    // Between here and `Metered` lie a buffer and two parsers, which pass errors on as they are.
    let is_over = error.get_ref().is_some_and(|inner| inner.is::<OverLimit>());
    Stop::Failed(if is_over {
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
            let mut metered = Metered::new(Box::new(part), &mut remaining_bytes);
            io::copy(&mut metered, &mut io::sink()).map_err(|error| stop_of_io_error(&error))
        };
        assert_eq!(read(b"123456"), Ok(6));
        assert_eq!(read(b"1234"), Ok(4));
        assert_eq!(read(b""), Ok(0));
        assert_eq!(read(b"1"), Err(Stop::Failed(Failure::TooLarge)));
    }

    #[test]
    fn other_errors_are_damage() {
        let error = io::Error::from(io::ErrorKind::UnexpectedEof);
        assert_eq!(stop_of_io_error(&error), Stop::Failed(Failure::Malformed));
    }
}
