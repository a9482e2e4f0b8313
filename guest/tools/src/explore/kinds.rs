//! What a file is, by its name, and which kinds a request asks for.

use std::borrow::Cow;

use docent_api::pillars::IncludedKinds;
use docent_api::types::{Error, ErrorCode};
use docent_code::{Language, without_comments};

use docent_document::format::Format;
use docent_tree::error::refuse;

/// What a file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A document.
    Document,
    /// A log.
    Log,
    /// Code in a language.
    Code(Language),
    /// Anything else.
    Other,
}

/// Which kinds a request asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kinds {
    /// Documents.
    pub docs: bool,
    /// Code.
    pub code: bool,
    /// Comments in code.
    pub comments: bool,
    /// Logs.
    pub logs: bool,
}

impl Kind {
    /// Returns what a file of this name is.
    pub fn of(name: &str) -> Self {
        match Format::of(name) {
            Some(Format::Log) => Self::Log,
            Some(_) => Self::Document,
            None => Language::of_path(name).map_or(Self::Other, Self::Code),
        }
    }

    /// Whether it belongs to the group of code.
    pub fn is_code(self) -> bool {
        matches!(self, Self::Code(_))
    }
}

impl Kinds {
    /// Returns what `include` says.
    ///
    /// # Errors
    /// `invalid-request` where nothing is left to look at.
    pub fn parse(include: Option<&IncludedKinds>) -> Result<Self, Error> {
        let given = |choose: fn(&IncludedKinds) -> Option<bool>, default| {
            include.and_then(choose).unwrap_or(default)
        };
        let kinds = Self {
            docs: given(|include| include.docs, true),
            code: given(|include| include.code, true),
            comments: given(|include| include.comments, true),
            logs: given(|include| include.logs, false),
        };
        if kinds.docs || kinds.code || kinds.logs {
            return Ok(kinds);
        }
        Err(refuse(
            ErrorCode::InvalidRequest,
            "`include` leaves neither documents nor code nor logs; expected one of them",
            "Leave include out for documents and code.",
        ))
    }

    /// Whether files of this kind take part.
    pub fn has(self, kind: Kind) -> bool {
        match kind {
            Kind::Document => self.docs,
            Kind::Log => self.logs,
            Kind::Code(_) => self.code,
            Kind::Other => false,
        }
    }

    /// Returns what of a file's text is searched: of code without comments where these are left out.
    pub fn searched<'a>(self, kind: Kind, text: &'a str) -> Cow<'a, str> {
        match kind {
            Kind::Code(language) if !self.comments => Cow::Owned(without_comments(language, text)),
            _ => Cow::Borrowed(text),
        }
    }

    /// Returns them as a number below 16.
    pub fn bits(self) -> u8 {
        u8::from(self.docs)
            | u8::from(self.code) << 1
            | u8::from(self.comments) << 2
            | u8::from(self.logs) << 3
    }

    /// Returns the kinds of [`Kinds::bits`]; none for any other number.
    pub fn from_bits(bits: u8) -> Option<Self> {
        let kinds = Self {
            docs: bits & 1 != 0,
            code: bits & 2 != 0,
            comments: bits & 4 != 0,
            logs: bits & 8 != 0,
        };
        (bits < 16 && (kinds.docs || kinds.code || kinds.logs)).then_some(kinds)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_name() {
        assert_eq!(Kind::of("a.MD"), Kind::Document);
        assert_eq!(Kind::of("a.log"), Kind::Log);
        assert_eq!(Kind::of("a.rs"), Kind::Code(Language::Rust));
        assert_eq!(Kind::of("a.png"), Kind::Other);
        assert_eq!(Kind::of("md"), Kind::Other);
    }

    #[test]
    fn bits_come_back() {
        let all: Vec<u8> = (0..=u8::MAX)
            .filter_map(Kinds::from_bits)
            .map(Kinds::bits)
            .collect();
        assert_eq!(all, [1, 2, 3, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]);
        assert!(Kinds::parse(None).is_ok_and(|kinds| kinds.bits() == 7));
    }
}
