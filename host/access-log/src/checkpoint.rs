//! Checkpoints: the number of entries of a log and the root of their tree, signed. The format is
//! that of C2SP's `tlog-checkpoint`, in a `signed-note`:
//!
//! ```text
//! docent/5f3a9c1e77b0d214
//! 1042
//! CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=
//!
//! — docent/5f3a9c1e77b0d214 x08go/ZJkuBS9UG/SffcvIAQxVBt…
//! ```

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::hash::Hash;
use crate::key::{Signer, Verifier};

/// Prefix of a signature line.
const DASH: &str = "\u{2014} ";

/// The content of a checkpoint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checkpoint {
    /// Name of the log.
    pub origin: String,
    /// Number of its entries.
    pub size: u64,
    /// Root of their tree.
    pub root: Hash,
}

/// The error of an invalid note.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoteError {
    /// The note is not a checkpoint.
    #[error("not a checkpoint; expected a signed note of three lines")]
    Malformed,
    /// The note has no signature by the key.
    #[error("this key has not signed it")]
    Unsigned,
    /// The note has a signature with the key's name and identifier that the key did not make.
    #[error("its signature is wrong")]
    Forged,
}

impl Checkpoint {
    /// Returns the unsigned text.
    fn text(&self) -> String {
        format!("{}\n{}\n{}\n", self.origin, self.size, self.root.base64())
    }

    /// Returns the checkpoint as a signed note.
    #[must_use]
    pub fn to_note(&self, key: &Signer) -> String {
        let text = self.text();
        let verifier = key.verifier();
        let mut signature = verifier.id().to_vec();
        signature.extend(key.sign(&text));
        let signature = STANDARD.encode(signature);
        format!("{text}\n{DASH}{} {signature}\n", verifier.name())
    }

    /// Parses a signed checkpoint without verifying its signatures.
    ///
    /// # Errors
    /// [`NoteError::Malformed`].
    pub fn parse(note: &str) -> Result<Self, NoteError> {
        let (text, _) = split(note)?;
        let mut lines = text.lines();
        let (Some(origin), Some(size), Some(root)) = (lines.next(), lines.next(), lines.next())
        else {
            return Err(NoteError::Malformed);
        };
        let parsed = Self {
            origin: origin.to_owned(),
            size: size.parse().map_err(|_| NoteError::Malformed)?,
            root: Hash::from_base64(root).ok_or(NoteError::Malformed)?,
        };
        // The parsed values must produce the same text again. The signature covers the text, so
        // a text with further lines, a size of `007` or `+7`, or another base64 form of the
        // root would have signed something that is not read here. C2SP allows extension lines;
        // a log of docent never has any.
        if parsed.text() == text && !origin.is_empty() {
            Ok(parsed)
        } else {
            Err(NoteError::Malformed)
        }
    }

    /// Parses a checkpoint and verifies that `key` has signed it.
    ///
    /// # Errors
    /// Fails if it is not a checkpoint, or the key has not signed it.
    pub fn parse_verified(note: &str, key: &Verifier) -> Result<Self, NoteError> {
        let parsed = Self::parse(note)?;
        verify(note, key)?;
        Ok(parsed)
    }
}

/// Verifies that `key` has signed a note, possibly among other keys.
fn verify(note: &str, key: &Verifier) -> Result<(), NoteError> {
    let (text, signatures) = split(note)?;
    for line in signatures.lines() {
        let signed = line
            .strip_prefix(DASH)
            .and_then(|line| line.split_once(' '));
        let (name, signature) = signed.ok_or(NoteError::Malformed)?;
        let bytes = STANDARD
            .decode(signature)
            .map_err(|_| NoteError::Malformed)?;
        let Some((id, signature)) = bytes.split_first_chunk::<4>() else {
            return Err(NoteError::Malformed);
        };
        // A note may have signatures by other keys, for example of witnesses. They are skipped.
        // A signature with the name and identifier of this key must be valid, even if a later
        // line has another one by the same key.
        if name != key.name() || *id != key.id() {
            continue;
        }
        let signature = signature.try_into().map_err(|_| NoteError::Malformed)?;
        return if key.has_signed(text, signature) {
            Ok(())
        } else {
            Err(NoteError::Forged)
        };
    }
    Err(NoteError::Unsigned)
}

/// Splits a note into its text and its signatures.
fn split(note: &str) -> Result<(&str, &str), NoteError> {
    // The last blank line ends the text, as `signed-note` has it: signature lines are never
    // blank, but a signed text may contain blank lines.
    let at = note.rfind("\n\n").ok_or(NoteError::Malformed)?;
    let (text, signatures) = (&note[..=at], &note[at + 2..]);
    if signatures.ends_with('\n') {
        Ok((text, signatures))
    } else {
        Err(NoteError::Malformed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example of Go's package `golang.org/x/mod/sumdb/note`.
    #[test]
    fn notes_of_others_are_read() {
        let key = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW";
        let key = Verifier::parse(key).unwrap();
        let note = "If you think cryptography is the answer to your problem,\n\
                    then you don't know what your problem is.\n\n\
                    \u{2014} PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC\
                    2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n";
        assert_eq!(verify(note, &key), Ok(()));
        assert_eq!(
            verify(&note.replace("answer", "Answer"), &key),
            Err(NoteError::Forged)
        );
        assert_eq!(Checkpoint::parse(note), Err(NoteError::Malformed));
    }

    #[test]
    fn no_byte_of_a_checkpoint_can_be_changed() {
        let (signer, other) = (Signer::new().unwrap(), Signer::new().unwrap());
        let checkpoint = Checkpoint {
            origin: signer.verifier().name().to_owned(),
            size: 1042,
            root: Hash::digest(b"root"),
        };
        let note = checkpoint.to_note(&signer);
        assert_eq!(
            Checkpoint::parse_verified(&note, signer.verifier()),
            Ok(checkpoint)
        );
        let refused = Checkpoint::parse_verified(&note, other.verifier());
        assert_eq!(refused, Err(NoteError::Unsigned));
        for at in 0..note.len() {
            for bit in 0..8 {
                let mut bytes = note.clone().into_bytes();
                bytes[at] ^= 1 << bit;
                let Ok(changed) = String::from_utf8(bytes) else {
                    continue;
                };
                let read = Checkpoint::parse_verified(&changed, signer.verifier());
                assert!(read.is_err(), "{at}, {bit}: {changed}");
            }
        }
    }
}
