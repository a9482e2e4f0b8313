//! The reasons that containers, and files in them, cannot be unpacked.

use docent_api::extract::Failure;
use docent_api::types::{ErrorCode, SkipReason};

use crate::limits::{DOCUMENT_BYTES, MEMBERS_BYTES, MEMBERS_MS};

/// The reason that a container, or a file in one, cannot be unpacked. Its text follows a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UnpackFailure {
    /// It requires a password.
    #[error("is encrypted; expected a file that opens without a password")]
    Encrypted,
    /// It is damaged, truncated or of another format.
    #[error("is damaged, truncated or in another format; expected the format of its name")]
    Damaged,
    /// It exceeds the limits.
    #[error(
        "is too large to be opened; expected at most {DOCUMENT_BYTES} bytes, and {MEMBERS_BYTES} \
         unpacked"
    )]
    TooLarge,
    /// It exceeds the time limit.
    #[error("takes too long to unpack; expected at most {MEMBERS_MS} milliseconds")]
    TooSlow,
    /// Its reader stopped abnormally.
    #[error("made its reader stop abnormally; expected a file that it can read")]
    Broken,
    /// It is of a format that is not unpacked.
    #[error("is of a format that is not unpacked; expected one such as zip, eml or docx")]
    Unsupported,
    /// Its file could not be read to its end.
    #[error("could not be read to its end")]
    Unreadable,
}

impl UnpackFailure {
    /// Returns the code of the error.
    pub fn code(self) -> ErrorCode {
        match self {
            Self::TooLarge => ErrorCode::DocumentTooLarge,
            _ => ErrorCode::DocumentReadFailed,
        }
    }

    /// Returns the hint of the error.
    pub fn hint(self) -> &'static str {
        match self {
            Self::Encrypted => "Ask the person to save it without a password.",
            Self::Damaged => "Ask the person to save it again.",
            Self::TooLarge => "Ask the person to split it, or to unpack it in the same directory.",
            Self::TooSlow | Self::Broken => {
                "Ask the person to unpack it in the same directory, or for its files."
            }
            Self::Unsupported => "Read the file itself, or ask the person for its files.",
            Self::Unreadable => {
                "Try again; if it fails again, tell the person that the file cannot be read."
            }
        }
    }

    /// Returns the reason shown in `skipped`.
    pub fn skip_reason(self) -> SkipReason {
        match self {
            Self::Encrypted => SkipReason::Encrypted,
            Self::Damaged => SkipReason::Malformed,
            Self::TooLarge => SkipReason::TooLarge,
            Self::TooSlow => SkipReason::TooSlow,
            Self::Broken => SkipReason::Broken,
            Self::Unsupported => SkipReason::Unsupported,
            Self::Unreadable => SkipReason::Io,
        }
    }
}

impl From<&Failure> for UnpackFailure {
    fn from(failure: &Failure) -> Self {
        match failure {
            Failure::Encrypted => Self::Encrypted,
            Failure::TooLarge => Self::TooLarge,
            Failure::TooSlow => Self::TooSlow,
            Failure::Broken => Self::Broken,
            Failure::Unsupported(_) => Self::Unsupported,
            // The last two are failures of documents, and no container has them.
            Failure::Malformed | Failure::NoText | Failure::UnknownGlyphs(_) => Self::Damaged,
        }
    }
}
