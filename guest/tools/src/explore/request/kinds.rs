//! Kinds of files, by name, and the kinds that a request includes.

use std::borrow::Cow;

use docent_api::pillars::IncludedKinds;
use docent_api::types::{Error, ErrorCode};
use docent_code::{Language, without_comments};
use docent_data::DataFormat;

use docent_document::format::Format;
use docent_tree::error::refuse;

/// Kind of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileKind {
    /// A document.
    Document,
    /// A log.
    Log,
    /// Code in a language.
    Code(Language),
    /// Settings or data, such as JSON.
    Data,
    /// Anything else.
    Other,
}

/// Kinds of files that a request includes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileKinds {
    /// Documents.
    pub docs: bool,
    /// Code.
    pub code: bool,
    /// Comments in code.
    pub comments: bool,
    /// Logs.
    pub logs: bool,
    /// Settings and data.
    pub data: bool,
}

impl FileKind {
    /// Returns the kind of a file of this name.
    pub fn from_name(name: &str) -> Self {
        match Format::from_name(name) {
            // A log is a document as well, but hardly ever answers a question.
            Some(Format::Log) => Self::Log,
            Some(_) => Self::Document,
            None if DataFormat::from_name(name).is_some() => Self::Data,
            None => Language::from_path(name).map_or(Self::Other, Self::Code),
        }
    }
}

impl FileKinds {
    /// Parses `include`.
    ///
    /// # Errors
    /// `invalid-request` if it excludes every kind.
    pub fn parse(include: Option<&IncludedKinds>) -> Result<Self, Error> {
        let flag = |choose: fn(&IncludedKinds) -> Option<bool>, default| {
            include.and_then(choose).unwrap_or(default)
        };
        let kinds = Self {
            docs: flag(|include| include.docs, true),
            code: flag(|include| include.code, true),
            comments: flag(|include| include.comments, true),
            // A log contains each word of its program many times, and seldom the answer: it
            // would rank first by frequency alone.
            logs: flag(|include| include.logs, false),
            data: flag(|include| include.data, true),
        };
        if kinds.is_any() {
            return Ok(kinds);
        }
        Err(refuse(
            ErrorCode::InvalidRequest,
            "`include` leaves neither documents nor code, data nor logs; expected one of them",
            "Leave include out for documents, code and data.",
        ))
    }

    /// Returns true if files of this kind are included, according to their names.
    pub fn has(self, kind: FileKind) -> bool {
        match kind {
            FileKind::Document => self.docs,
            FileKind::Log => self.logs,
            FileKind::Code(_) => self.code,
            FileKind::Data => self.data,
            // Pictures and archives are among these files; each can still be requested by its
            // path.
            FileKind::Other => false,
        }
    }

    /// Returns true if files of this kind are searched: the included kinds, and, with documents,
    /// any other text file, which is treated as one.
    pub fn searches(self, kind: FileKind) -> bool {
        self.has(kind) || (kind == FileKind::Other && self.docs)
    }

    /// Returns the searched part of a file's text: code is searched without its comments if these
    /// are excluded. Line numbers stay the same.
    pub fn searchable<'a>(self, kind: FileKind, text: &'a str) -> Cow<'a, str> {
        match kind {
            FileKind::Code(language) if !self.comments => {
                Cow::Owned(without_comments(language, text))
            }
            _ => Cow::Borrowed(text),
        }
    }

    /// Returns them as a number below 32, for cursors and packs, whose bits have fixed meanings.
    pub fn bits(self) -> u8 {
        u8::from(self.docs)
            | u8::from(self.code) << 1
            | u8::from(self.comments) << 2
            | u8::from(self.logs) << 3
            | u8::from(self.data) << 4
    }

    /// Returns the kinds of [`FileKinds::bits`], or `None` for any other number.
    pub fn from_bits(bits: u8) -> Option<Self> {
        let kinds = Self {
            docs: bits & 1 != 0,
            code: bits & 2 != 0,
            comments: bits & 4 != 0,
            logs: bits & 8 != 0,
            data: bits & 16 != 0,
        };
        (bits < 32 && kinds.is_any()).then_some(kinds)
    }

    /// Returns true if any kind is included.
    fn is_any(self) -> bool {
        self.docs || self.code || self.logs || self.data
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_name() {
        assert_eq!(FileKind::from_name("a.MD"), FileKind::Document);
        assert_eq!(FileKind::from_name("a.log"), FileKind::Log);
        assert_eq!(FileKind::from_name("a.rs"), FileKind::Code(Language::Rust));
        assert_eq!(FileKind::from_name("a.json"), FileKind::Data);
        assert_eq!(FileKind::from_name("Makefile"), FileKind::Data);
        assert_eq!(FileKind::from_name("a.png"), FileKind::Other);
        assert_eq!(FileKind::from_name("md"), FileKind::Other);
    }

    #[test]
    fn bits_come_back() {
        let all: Vec<u8> = (0..=u8::MAX)
            .filter_map(FileKinds::from_bits)
            .map(FileKinds::bits)
            .collect();
        let expected: Vec<u8> = (0..32).filter(|bits| !matches!(bits, 0 | 4)).collect();
        assert_eq!(all, expected);
        assert!(FileKinds::parse(None).is_ok_and(|kinds| kinds.bits() == 23));
    }
}
