//! Texts of files: decoded, or extracted by a reader.

use std::borrow::Cow;

use docent_api::types::SkipReason;
use docent_text::decode::{DecodeError, DecodedText, decode};

use super::Store;
use crate::foreign::{self, FailureDetails, MemberPresence};

impl Store {
    /// Returns the text of a file of this name: decoded, or extracted.
    ///
    /// # Errors
    /// The reason that there is none.
    pub fn decode<'b>(
        &mut self,
        name: &str,
        bytes: &'b [u8],
    ) -> Result<DecodedText<'b>, SkipReason> {
        let (decoded, _) = self.decode_with_members(name, bytes)?;
        Ok(decoded)
    }

    /// Does the same as [`Self::decode`], and also returns what the reader tells about members.
    ///
    /// # Errors
    /// As there.
    pub fn decode_with_members<'b>(
        &mut self,
        name: &str,
        bytes: &'b [u8],
    ) -> Result<(DecodedText<'b>, MemberPresence), SkipReason> {
        let Some(extension) = foreign::extension_of_file(name, bytes) else {
            let decoded = decode(bytes).map_err(skip_reason)?;
            return Ok((decoded, MemberPresence::Unknown));
        };
        let extracted = self.extracted.text(extension, bytes)?;
        let decoded = DecodedText {
            text: Cow::Owned(extracted.text.as_ref().to_owned()),
            origin: extracted.format,
            replaced: Vec::new(),
        };
        Ok((decoded, extracted.members))
    }

    /// Returns the details of the failure to read a document of this name, or `None` if there are
    /// none.
    pub fn failure_details(&mut self, name: &str, bytes: &[u8]) -> Option<FailureDetails> {
        self.extracted
            .failure_details(foreign::extension_of_file(name, bytes)?, bytes)
    }

    /// Returns the first bytes of the text extracted from a document of this name, at most `most`,
    /// and fewer if that would split a character.
    ///
    /// # Errors
    /// The reason that there is none; `unsupported` for text.
    pub fn extracted_head(
        &mut self,
        name: &str,
        bytes: &[u8],
        most: usize,
    ) -> Result<String, SkipReason> {
        match foreign::extension_of_file(name, bytes) {
            Some(extension) => self.extracted.head(extension, bytes, most),
            None => Err(SkipReason::Unsupported),
        }
    }

    /// Returns true if binary documents have used up their time in this call.
    pub fn has_read_enough(&self) -> bool {
        self.extracted.is_spent()
    }

    /// Returns milliseconds of the clock that times the reading.
    pub fn reading_ms(&self) -> u64 {
        self.extracted.now()
    }

    /// Counts the time since `start_ms` as spent on reading binary documents.
    pub fn note_reading_since(&mut self, start_ms: u64) {
        self.extracted.spend_since(start_ms);
    }
}

/// Converts a decoding error to the reason of the contract.
fn skip_reason(error: DecodeError) -> SkipReason {
    match error {
        DecodeError::Binary => SkipReason::Binary,
        DecodeError::NotText => SkipReason::NotText,
    }
}
