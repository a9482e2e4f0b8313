//! Paths in requests: they exist only in valid form.

use std::fmt;

use docent_api::types::{Error, ErrorCode};

use crate::error::refuse;
use crate::limits::{PATH_BYTES, SEGMENT_BYTES};

/// A path below a root: segments joined by `/`, none of them empty, `.` or `..`; empty for the
/// root itself. At most 4 096 bytes, each segment at most 255.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct RelPath(String);

impl RelPath {
    /// Returns the path that a request means by `text`: `\` is read as `/`, one leading `/` is the
    /// root's, `.` and `..` are resolved by name.
    ///
    /// # Errors
    /// `invalid-path` when it is absolute, has a drive letter or device prefix, holds a NUL, is too
    /// long, or leaves the root.
    pub fn parse(text: &str) -> Result<Self, Error> {
        if text.len() > PATH_BYTES {
            return Err(invalid(format!(
                "the path has {} bytes; expected at most {PATH_BYTES}",
                text.len()
            )));
        }
        if text.contains('\0') {
            return Err(invalid("the path holds a NUL byte; expected none"));
        }
        let slashed = text.replace('\\', "/");
        let inner = slashed.strip_prefix('/').unwrap_or(&slashed);
        if inner.starts_with('/') || slashed.starts_with("/??/") {
            return Err(invalid(format!(
                "`{text}` is a network or device path; {RELATIVE}"
            )));
        }
        let mut start = inner.bytes();
        if start.next().is_some_and(|b| b.is_ascii_alphabetic()) && start.next() == Some(b':') {
            return Err(invalid(format!("`{text}` names a drive; {RELATIVE}")));
        }
        let mut segments: Vec<&str> = Vec::new();
        for segment in inner.split('/') {
            match segment {
                "" | "." => {}
                ".." => {
                    if segments.pop().is_none() {
                        return Err(invalid(format!("`{text}` leaves the root; {RELATIVE}")));
                    }
                }
                long if long.len() > SEGMENT_BYTES => {
                    return Err(invalid(format!(
                        "a segment of the path has {} bytes; expected at most {SEGMENT_BYTES}",
                        long.len()
                    )));
                }
                name => segments.push(name),
            }
        }
        Ok(Self(segments.join("/")))
    }

    /// Returns the path that an optional argument means; the root when it is absent.
    ///
    /// # Errors
    /// Those of [`RelPath::parse`].
    pub fn parse_or_root(text: Option<&str>) -> Result<Self, Error> {
        text.map_or_else(|| Ok(Self::default()), Self::parse)
    }

    /// Returns the path with `/` between segments; empty for the root.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the segments, outermost first.
    pub fn segments(&self) -> impl DoubleEndedIterator<Item = &str> {
        self.0.split('/').filter(|segment| !segment.is_empty())
    }

    /// Adds `name` below this path. `name` is one valid segment.
    pub fn push(&mut self, name: &str) {
        push_segment(&mut self.0, name);
    }
}

const RELATIVE: &str = "expected a path relative to the root, such as `guide/setup.md`";

fn invalid(message: impl Into<String>) -> Error {
    refuse(
        ErrorCode::InvalidPath,
        message,
        "Give the path as an answer or a listing shows it.",
    )
}

/// Adds `name` to `path`, with `/` between them where there is something before.
pub fn push_segment(path: &mut String, name: &str) {
    if !path.is_empty() {
        path.push('/');
    }
    path.push_str(name);
}

impl fmt::Display for RelPath {
    /// The root shows as `.`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_empty() { "." } else { &self.0 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    macro_rules! paths {
        ($($name:ident: $text:expr => $expected:expr;)*) => {$(
            #[test]
            fn $name() {
                let expected: Option<&str> = $expected;
                let parsed = RelPath::parse($text);
                assert_eq!(parsed.as_ref().ok().map(RelPath::as_str), expected);
                if let Err(error) = parsed {
                    assert_eq!(error.code, ErrorCode::InvalidPath);
                }
            }
        )*};
    }

    paths! {
        empty: "" => Some("");
        dot: "." => Some("");
        slash: "/" => Some("");
        plain: "a/b.md" => Some("a/b.md");
        leading_slash: "/a/b.md" => Some("a/b.md");
        trailing_slash: "a/b/" => Some("a/b");
        doubled_slash_inside: "a//b" => Some("a/b");
        backslashes: "a\\b.md" => Some("a/b.md");
        resolves: "a/../b" => Some("b");
        resolves_deeper: "a/b/../../c/./d" => Some("c/d");
        not_decoded: "%2e%2e/x" => Some("%2e%2e/x");
        dots_are_a_name: "..." => Some("...");
        leaves: ".." => None;
        leaves_late: "a/../../b" => None;
        leaves_after_slash: "/../etc/passwd" => None;
        leaves_by_backslash: "..\\x" => None;
        network: "//server/share" => None;
        network_backslash: "\\\\server\\share" => None;
        device: "\\\\?\\C:\\x" => None;
        drive: "C:\\x" => None;
        drive_relative: "C:foo" => None;
        drive_after_slash: "/c:/x" => None;
        nul: "a\0b" => None;
        long_segment: &"a".repeat(256) => None;
        longest_segment: &"a".repeat(255) => Some(&"a".repeat(255));
        long_path: &"a/".repeat(2049) => None;
    }

    #[test]
    fn the_root_shows_as_a_dot() {
        assert_eq!(RelPath::default().to_string(), ".");
    }
}
