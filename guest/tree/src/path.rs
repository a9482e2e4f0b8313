//! Paths in requests, which exist only in valid form.

use std::fmt;

use thiserror::Error;

use crate::limits::{PATH_BYTES, SEGMENT_BYTES};

/// A path below a root: segments joined by `/`, none of them empty, `.` or `..`; empty for the root
/// itself. At most 4 096 bytes, each segment at most 255. A value of this type proves these
/// properties, so that no other code checks them again.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct RelPath {
    text: String,
    /// The same path with each `\` as part of a name; `None` if it was written without one.
    literal: Option<Box<str>>,
}

/// A borrowed [`RelPath`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RelPathRef<'a>(&'a str);

/// The reason that a text is not a path below a root.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum PathError {
    /// It has this number of bytes.
    #[error("the path has {0} bytes; expected at most {most}", most = PATH_BYTES)]
    TooLong(usize),
    /// It contains a NUL byte.
    #[error("the path holds a NUL byte; expected none")]
    Nul,
    /// It names a network share or a device.
    #[error("`{0}` is a network or device path; {expected}", expected = RELATIVE)]
    Device(String),
    /// It names a drive.
    #[error("`{0}` names a drive; {expected}", expected = RELATIVE)]
    Drive(String),
    /// It leaves the root.
    #[error("`{0}` leaves the root; {expected}", expected = RELATIVE)]
    Outside(String),
    /// One of its segments has this number of bytes.
    #[error("a segment of the path has {0} bytes; expected at most {most}", most = SEGMENT_BYTES)]
    LongSegment(usize),
}

impl RelPath {
    /// Parses the path of a request: `\` is read as `/`, one leading `/` is the root's, `.` and
    /// `..` are resolved by name.
    ///
    /// # Errors
    /// If it is absolute, has a drive letter or device prefix, contains a NUL, is too long, or
    /// leaves the root.
    pub fn parse(text: &str) -> Result<Self, PathError> {
        // The length is checked first: the other errors quote the text, and an answer must not
        // repeat a path of a megabyte.
        if text.len() > PATH_BYTES {
            return Err(PathError::TooLong(text.len()));
        }
        if text.contains('\0') {
            return Err(PathError::Nul);
        }
        // Each `\` becomes `/` before any other check. On a system with this separator, `..\x`
        // leaves the root and `\\server` is a network share; checked as it is written, either would
        // pass as one harmless name.
        let slashed = text.replace('\\', "/");
        // One slash is the root's own, as in `/guide/setup.md`; a second makes it `//server/share`
        // or `\\?\C:\x`, which name a server or a device and not a file of the root. `/??/` is the
        // form of the latter in the Windows kernel.
        let inner = slashed.strip_prefix('/').unwrap_or(&slashed);
        if inner.starts_with('/') || slashed.starts_with("/??/") {
            return Err(PathError::Device(text.to_owned()));
        }
        // `C:\x`, and `C:x`, which is relative to another directory than this one. A file whose
        // name is one letter and a colon cannot be named, because it is indistinguishable.
        let mut start = inner.bytes();
        if start.next().is_some_and(|b| b.is_ascii_alphabetic()) && start.next() == Some(b':') {
            return Err(PathError::Drive(text.to_owned()));
        }
        let mut segments: Vec<&str> = Vec::new();
        for segment in inner.split('/') {
            match segment {
                "" | "." => {}
                // `..` is resolved by name. For a disk, `a/..` is the parent of the target if `a`
                // is a link; as links are never followed, the result is the same here, and no `..`
                // ever reaches the disk.
                ".." => {
                    if segments.pop().is_none() {
                        return Err(PathError::Outside(text.to_owned()));
                    }
                }
                long if long.len() > SEGMENT_BYTES => {
                    return Err(PathError::LongSegment(long.len()));
                }
                name => segments.push(name),
            }
        }
        Ok(Self {
            text: segments.join("/"),
            literal: literal(text),
        })
    }

    /// Parses the path of an optional argument; returns the root if it is absent.
    ///
    /// # Errors
    /// Those of [`RelPath::parse`].
    pub fn parse_or_root(text: Option<&str>) -> Result<Self, PathError> {
        text.map_or_else(|| Ok(Self::default()), Self::parse)
    }

    /// Returns the path with `/` between segments; empty for the root.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Returns the path in which `\` is part of a name, as is possible on systems that do not use
    /// it as a separator, or `None` if it was written without one. The path may only be used if the
    /// directory lists the name so: elsewhere a disk would read it as several names.
    pub fn literal(&self) -> Option<Self> {
        let text = self.literal.as_deref()?.to_owned();
        Some(Self {
            text,
            literal: None,
        })
    }

    /// Returns it in borrowed form.
    pub fn as_borrowed(&self) -> RelPathRef<'_> {
        RelPathRef(&self.text)
    }

    /// Returns the segments, outermost first.
    pub fn segments(&self) -> impl DoubleEndedIterator<Item = &str> {
        self.as_borrowed().segments()
    }

    /// Appends `name`, which must be one valid segment.
    pub fn push(&mut self, name: &str) {
        push_segment(&mut self.text, name);
        self.literal = None;
    }

    /// Truncates the path to an earlier length in bytes.
    pub fn truncate(&mut self, bytes: usize) {
        self.text.truncate(bytes);
        self.literal = None;
    }
}

const RELATIVE: &str = "expected a path relative to the root, such as `guide/setup.md`";

impl<'a> RelPathRef<'a> {
    /// Returns the path with `/` between segments; empty for the root.
    pub fn as_str(self) -> &'a str {
        self.0
    }

    /// Returns the segments, outermost first.
    pub fn segments(self) -> impl DoubleEndedIterator<Item = &'a str> {
        self.0.split('/').filter(|segment| !segment.is_empty())
    }

    /// Returns an owned copy of the path.
    pub fn to_owned(self) -> RelPath {
        RelPath {
            text: self.0.to_owned(),
            literal: None,
        }
    }
}

impl fmt::Display for RelPathRef<'_> {
    /// Displays the root as `.`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_empty() { "." } else { self.0 })
    }
}

/// Returns the path with `\` as part of its names, or `None` if it contains none, or if those would
/// be invalid names.
fn literal(text: &str) -> Option<Box<str>> {
    let inner = text.strip_prefix('/').unwrap_or(text);
    let is_name = |name: &str| !matches!(name, "" | "." | "..") && name.len() <= SEGMENT_BYTES;
    (inner.contains('\\') && inner.split('/').all(is_name)).then(|| inner.into())
}

/// Appends `name` to `path`, separated by `/` unless `path` is empty.
pub fn push_segment(path: &mut String, name: &str) {
    if !path.is_empty() {
        path.push('/');
    }
    path.push_str(name);
}

impl fmt::Display for RelPath {
    /// Displays the root as `.`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.as_borrowed(), f)
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
    fn errors_name_the_fault() {
        let (long, deep) = ("a".repeat(256), "a/".repeat(2049));
        for (text, expected) in [
            ("a/../..", PathError::Outside("a/../..".to_owned())),
            ("\\\\s\\x", PathError::Device("\\\\s\\x".to_owned())),
            ("c:x", PathError::Drive("c:x".to_owned())),
            ("a\0", PathError::Nul),
            (long.as_str(), PathError::LongSegment(256)),
            (deep.as_str(), PathError::TooLong(4098)),
        ] {
            assert_eq!(RelPath::parse(text), Err(expected));
        }
        let message = PathError::LongSegment(300).to_string();
        assert_eq!(
            message,
            "a segment of the path has 300 bytes; expected at most 255"
        );
    }

    #[test]
    fn a_borrowed_path_is_the_same_path() {
        for text in ["", "a", "a/b.md"] {
            let owned = RelPath::parse(text);
            let borrowed = owned.as_ref().map(RelPath::as_borrowed);
            assert_eq!(borrowed.map(RelPathRef::as_str), Ok(text));
            let again = borrowed.map(RelPathRef::to_owned);
            assert_eq!(again.ok(), owned.clone().ok());
        }
    }

    #[test]
    fn a_backslash_may_be_part_of_a_name() {
        for (text, expected) in [
            ("a\\b.md", Some("a\\b.md")),
            ("/a/b\\c.md", Some("a/b\\c.md")),
            ("a/b.md", None),
            ("a//b\\c", None),
            ("a/../b\\c", None),
        ] {
            let literal = RelPath::parse(text).ok().and_then(|path| path.literal());
            assert_eq!(literal.as_ref().map(RelPath::as_str), expected, "{text}");
        }
    }

    #[test]
    fn the_root_shows_as_a_dot() {
        assert_eq!(RelPath::default().to_string(), ".");
    }
}
