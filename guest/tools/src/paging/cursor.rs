//! Cursors: the start of the next page, bound to the request to which it belongs.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use docent_api::types::{Error, ErrorCode};
use serde::{Deserialize, Serialize};

use crate::limits::CURSOR_CHARS;
use docent_tree::error::refuse;
use docent_tree::limits::PATH_BYTES;

const VERSION: u32 = 1;

/// Digest of the request to which a cursor is bound: FNV-1a with 64 bits. It protects against
/// mistakes, not against forgery: a cursor only says where to continue, in a request that has its
/// own rights.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fingerprint(u64);

impl Fingerprint {
    /// Starts the digest of a request to `tool`.
    pub fn new(tool: &str) -> Self {
        Self(0xCBF2_9CE4_8422_2325).with(tool)
    }

    /// Adds a part, delimited by its end.
    #[must_use]
    pub fn with(self, part: &str) -> Self {
        // A part ends with the byte 0xFF, which UTF-8 never contains, so that `ab` and `c` have
        // another digest than `a` and `bc`.
        self.with_bytes(part.as_bytes())
    }

    /// Adds bytes whose number is fixed, or that are the last part.
    #[must_use]
    pub fn with_bytes(self, bytes: &[u8]) -> Self {
        let bytes = bytes.iter().chain(&[0xFF]);
        Self(bytes.fold(self.0, |hash, byte| {
            (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01B3)
        }))
    }

    /// Adds a part that may be absent, which differs from an empty one.
    #[must_use]
    pub fn with_optional(self, part: Option<&str>) -> Self {
        match part {
            Some(part) => self.with("+").with(part),
            None => self.with("-"),
        }
    }

    /// Adds a list of parts. Their number comes first, so that later parts are never mistaken for
    /// members of the list.
    #[must_use]
    pub fn with_list<'a>(self, parts: impl ExactSizeIterator<Item = &'a str>) -> Self {
        let counted = self.with(&parts.len().to_string());
        parts.fold(counted, Self::with)
    }

    /// Returns the digest as bytes.
    pub fn bytes(self) -> [u8; 8] {
        self.0.to_be_bytes()
    }

    /// Returns the digest as text.
    pub fn text(self) -> String {
        format!("{:016x}", self.0)
    }
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Cursor {
    v: u32,
    /// Digest of the request and of `a`.
    f: String,
    /// Path after which the next page begins.
    a: String,
}

/// Returns the cursor for the entries after `after` in the request of `fingerprint`.
pub fn encode(fingerprint: Fingerprint, after: &str) -> String {
    let cursor = Cursor {
        v: VERSION,
        f: digest(fingerprint, after),
        a: after.to_owned(),
    };
    // A record of a number and two strings can always be serialized as JSON.
    URL_SAFE_NO_PAD.encode(serde_json::to_string(&cursor).unwrap_or_default())
}

/// Decodes the path after which the page of `cursor` begins.
///
/// # Errors
/// `invalid-cursor` if [`encode`] did not return it for the same fingerprint.
pub fn decode(fingerprint: Fingerprint, cursor: &str) -> Result<String, Error> {
    parse(fingerprint, cursor).ok_or_else(invalid_cursor)
}

/// Returns the error for a cursor that is damaged or belongs to another request.
pub fn invalid_cursor() -> Error {
    refuse(
        ErrorCode::InvalidCursor,
        "`cursor` does not belong to this request; expected the `nextCursor` of an answer to the same arguments",
        "Repeat the arguments of the first call unchanged, or omit cursor to start again.",
    )
}

fn parse(fingerprint: Fingerprint, text: &str) -> Option<String> {
    // The length is checked before anything is allocated for the text.
    if text.len() > CURSOR_CHARS {
        return None;
    }
    let json = URL_SAFE_NO_PAD.decode(text).ok()?;
    let Cursor { v, f, a } = serde_json::from_slice(&json).ok()?;
    // The path is checked even if the digest matches. The digest is a protection against
    // mistakes; anybody can compute it, and a forged cursor must not get a path such as `../x`
    // past the parser.
    let is_ours = v == VERSION && is_place(&a) && f == digest(fingerprint, &a);
    // Encoding the result again verifies that no other text is accepted as the same cursor.
    (is_ours && encode(fingerprint, &a) == text).then_some(a)
}

/// Returns true if a walk can reach this path, relative to the root. The path of a directory ends
/// in `/`.
pub fn is_place(path: &str) -> bool {
    (1..=PATH_BYTES).contains(&path.len())
        && !path.contains('\0')
        && path
            .strip_suffix('/')
            .unwrap_or(path)
            .split('/')
            .all(|s| !matches!(s, "" | "." | ".."))
}

fn digest(fingerprint: Fingerprint, after: &str) -> String {
    fingerprint.with(after).text()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn request() -> Fingerprint {
        Fingerprint::new("search-documents").with("word")
    }

    #[test]
    fn comes_back() {
        for path in ["a.md", "a/b/", "한글/é \"q\" \n.md", "a\\b.md"] {
            assert_eq!(
                decode(request(), &encode(request(), path)).as_deref(),
                Ok(path)
            );
        }
    }

    #[test]
    fn belongs_to_its_request() {
        let cursor = encode(request(), "a.md");
        for other in [
            Fingerprint::new("search-documents"),
            request().with(""),
            Fingerprint::new("x").with("word"),
        ] {
            assert_eq!(
                decode(other, &cursor).map_err(|e| e.code),
                Err(ErrorCode::InvalidCursor)
            );
        }
    }

    #[test]
    fn parts_do_not_run_together() {
        assert_ne!(
            Fingerprint::new("a").with("bc"),
            Fingerprint::new("ab").with("c")
        );
    }

    #[test]
    fn absent_and_listed_parts_do_not_run_together() {
        let begin = Fingerprint::new("a");
        assert_ne!(begin.with_optional(None), begin.with_optional(Some("")));
        assert_ne!(begin.with_optional(None), begin.with_optional(Some("-")));
        assert_ne!(
            begin.with_list(["b", "c"].into_iter()),
            begin.with_list(["b"].into_iter()).with("c")
        );
    }

    #[test]
    fn longest_path_fits() {
        let path = "x".repeat(docent_corpus::limits::CURSOR_PATH_BYTES);
        assert!(encode(request(), &path).len() <= CURSOR_CHARS);
    }

    #[test]
    fn a_cursor_out_of_the_tree_is_refused() {
        for path in ["", "/", "/a", "../a", "a/../b", "a//b", "./a", "a\0"] {
            assert!(
                decode(request(), &encode(request(), path)).is_err(),
                "{path:?}"
            );
        }
    }

    proptest! {
        #[test]
        fn every_flipped_bit_is_refused(path in "[a-z가-힣/]{1,40}", at: prop::sample::Index, bit in 0..8u8) {
            let cursor = encode(request(), &path);
            let mut bytes = cursor.clone().into_bytes();
            let at = at.index(bytes.len());
            bytes[at] ^= 1 << bit;
            if let Ok(flipped) = String::from_utf8(bytes) {
                prop_assert!(decode(request(), &flipped).is_err(), "{cursor} {flipped}");
            }
        }

        #[test]
        fn anything_else_is_refused(text in ".{0,200}") {
            prop_assert!(decode(request(), &text).is_err());
        }
    }
}
