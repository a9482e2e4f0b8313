//! Destinations of links, parsed by their text alone.

/// The parts of a destination.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Destination<'d> {
    /// Path.
    pub path: &'d str,
    /// Query with its `?`; empty if there is none.
    pub query: &'d str,
    /// Text after the `#`.
    pub fragment: Option<&'d str>,
}

impl<'d> Destination<'d> {
    /// Splits `text` into its parts. Only a URL has a query.
    pub fn parse(text: &'d str, is_url: bool) -> Self {
        let (before, fragment) = match text.split_once('#') {
            Some((before, fragment)) => (before, Some(fragment)),
            None => (text, None),
        };
        let query = before.find('?').filter(|_| is_url).unwrap_or(before.len());
        let (path, query) = before.split_at(query);
        Self {
            path,
            query,
            fragment,
        }
    }
}

/// Returns true if a destination is external: `https:`, `mailto:`, `//host`.
pub fn is_external(destination: &str) -> bool {
    let bytes = destination.as_bytes();
    let end = bytes.iter().position(|byte| b"#?:".contains(byte));
    let has_scheme = end.is_some_and(|end| {
        let is_of_scheme = |byte: &u8| byte.is_ascii_alphanumeric() || b"+-.".contains(byte);
        // Only a colon before any `#` or `?` can end a scheme: `a.md#b:c` is a path with a
        // fragment. A single letter before the colon is a Windows drive, as in `C:/a.md`. Such a
        // link refers to a file, so it is resolved and reported as missing instead of as
        // external.
        bytes[end] == b':' && end > 1 && bytes[..end].iter().all(is_of_scheme)
    });
    has_scheme || bytes.starts_with(b"//")
}

/// Resolves `path` in the document `from`, where a leading `/` refers to the root. `None` if it
/// leaves the root.
pub fn join(from: &str, path: &str) -> Option<String> {
    let mut segments: Vec<&str> = match path.strip_prefix('/') {
        Some(_) => Vec::new(),
        None => from
            .rsplit_once('/')
            .map_or(Vec::new(), |(above, _)| above.split('/').collect()),
    };
    for segment in path.split('/') {
        match segment {
            "" | "." => {}
            ".." => {
                segments.pop()?;
            }
            name => segments.push(name),
        }
    }
    Some(segments.join("/"))
}

/// Returns the relative path of `to` in the document `from`.
pub fn relative(from: &str, to: &str) -> String {
    let above: Vec<&str> = from.split('/').collect();
    let above = &above[..above.len() - 1];
    let to: Vec<&str> = to.split('/').collect();
    let mut pairs = above.iter().zip(&to[..to.len() - 1]);
    let shared = pairs.by_ref().take_while(|(a, b)| a == b).count();
    let mut segments = vec![".."; above.len() - shared];
    segments.extend(&to[shared..]);
    segments.join("/")
}

/// Decodes percent-encoded bytes in `text`, where the result is valid UTF-8.
pub fn percent_decode(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&byte, behind)) = rest.split_first() {
        let digits = behind
            .get(..2)
            .and_then(|digits| std::str::from_utf8(digits).ok());
        let code = digits
            // `u8::from_str_radix` accepts a sign: without this check `%+4` would be decoded.
            .filter(|digits| byte == b'%' && digits.bytes().all(|b| b.is_ascii_hexdigit()))
            .and_then(|digits| u8::from_str_radix(digits, 16).ok());
        bytes.push(code.unwrap_or(byte));
        rest = if code.is_some() { &behind[2..] } else { behind };
    }
    String::from_utf8(bytes).unwrap_or_else(|_| text.to_owned())
}

/// Percent-encodes the characters of `text` for which `is_coded` returns true.
pub fn percent_encode(text: &str, is_coded: impl Fn(char) -> bool) -> String {
    let mut encoded = String::with_capacity(text.len());
    for c in text.chars() {
        if is_coded(c) {
            let mut buffer = [0; 4];
            for byte in c.encode_utf8(&mut buffer).bytes() {
                encoded.push_str(&format!("%{byte:02X}"));
            }
        } else {
            encoded.push(c);
        }
    }
    encoded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_from_a_document() {
        for (from, path, expected) in [
            ("a/b.md", "c.md", Some("a/c.md")),
            ("a/b.md", "../c.md", Some("c.md")),
            ("a/b.md", "/c.md", Some("c.md")),
            ("a/b.md", "./d//c.md", Some("a/d/c.md")),
            ("b.md", "../c.md", None),
            ("a/b.md", "../../c.md", None),
            ("a/b.md", "..", Some("")),
        ] {
            assert_eq!(join(from, path).as_deref(), expected, "{from} {path}");
        }
        for (from, to, expected) in [
            ("a/b.md", "a/c.md", "c.md"),
            ("a/b.md", "c.md", "../c.md"),
            ("b.md", "a/c.md", "a/c.md"),
            ("a/x/b.md", "a/y/c.md", "../y/c.md"),
            ("a/a/b.md", "a/a", "../a"),
            ("a/b.md", "a", "../a"),
        ] {
            assert_eq!(relative(from, to), expected, "{from} {to}");
            assert_eq!(join(from, expected).as_deref(), Some(to));
        }
    }

    #[test]
    fn what_leads_out() {
        for (text, expected) in [
            ("https://example.org/x.md", true),
            ("mailto:a@b", true),
            ("//example.org", true),
            ("C:/x", false),
            ("a.md#b:c", false),
            ("#b", false),
            ("a b:c", false),
        ] {
            assert_eq!(is_external(text), expected, "{text}");
        }
    }

    #[test]
    fn codes() {
        assert_eq!(percent_decode("two%20words%4G%"), "two words%4G%");
        assert_eq!(percent_decode("%EC%84%A4%EC%A0%95.md"), "설정.md");
        assert_eq!(percent_decode("%FF"), "%FF");
        assert_eq!(percent_encode("a 설", |c| c != 'a'), "a%20%EC%84%A4");
    }
}
