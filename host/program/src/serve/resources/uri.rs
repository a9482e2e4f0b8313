//! `docent://ROOT/PATH`: the URI of a document as a resource.

use std::fmt::Write as _;

use crate::serve::http::query::unescape;

/// Prefix of every URI.
const SCHEME: &str = "docent://";

/// URI template of documents, in the syntax of RFC 6570.
pub const TEMPLATE: &str = "docent://{root}/{+path}";

/// The name of a root and a path below it, neither of them looked up yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResourceAddress {
    /// Name of the root.
    pub root: String,
    /// Path relative to the root: one or more segments, none of them `.` or `..`.
    pub path: String,
}

impl ResourceAddress {
    /// Parses `uri`; none if it cannot be the URI of a document.
    pub fn parse(uri: &str) -> Option<Self> {
        // Schemes are case-insensitive.
        let scheme = uri.get(..SCHEME.len())?;
        let rest = &uri[SCHEME.len()..];
        // A query or a fragment would name a part of a document, and documents have no parts in
        // URIs. Ignoring it would return the whole document as if it were the part.
        if !scheme.eq_ignore_ascii_case(SCHEME) || rest.contains(['?', '#']) {
            return None;
        }
        let (root, path) = rest.split_once('/')?;
        let names: Option<Vec<_>> = path.split('/').map(name).collect();
        Some(Self {
            root: name(root)?,
            path: names?.join("/"),
        })
    }
}

/// Formats the URI of a document.
pub fn for_path(root: &str, path: &str) -> String {
    let path: Vec<_> = path.split('/').map(escape).collect();
    format!("{SCHEME}{}/{}", escape(root), path.join("/"))
}

/// Decodes one segment; none if the result is not a single name. An escaped slash does not separate
/// segments, and an escaped dot does not change the directory.
fn name(text: &str) -> Option<String> {
    let name = unescape(text)?.into_owned();
    let is_name = !matches!(name.as_str(), "" | "." | "..") && !name.contains(['/', '\\', '\0']);
    is_name.then_some(name)
}

/// Percent-encodes all characters of `text` except those that RFC 3986 leaves unreserved.
pub fn escape(text: &str) -> String {
    escape_unless(text, |byte| {
        byte.is_ascii_alphanumeric() || b"-._~".contains(&byte)
    })
}

/// Escapes a path for `{+path}` of [`TEMPLATE`], whose expansion preserves reserved characters and
/// escapes: those that would end the path or be read as an escape are escaped here.
pub fn escape_for_template(path: &str) -> String {
    escape_unless(path, |byte| {
        !b"%?#".contains(&byte) && !byte.is_ascii_control()
    })
}

fn escape_unless(text: &str, is_kept: impl Fn(u8) -> bool) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        let mut bytes = [0; 4];
        let letter = letter.encode_utf8(&mut bytes);
        if letter.bytes().all(&is_kept) {
            escaped.push_str(letter);
            continue;
        }
        for byte in letter.bytes() {
            // Writing to a string cannot fail.
            let _ = write!(escaped, "%{byte:02X}");
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_leads_back_to_its_document() {
        for (root, path, uri) in [
            ("docs", "a.md", "docent://docs/a.md"),
            ("docs", "guide/set up.md", "docent://docs/guide/set%20up.md"),
            ("문서", "가.md", "docent://%EB%AC%B8%EC%84%9C/%EA%B0%80.md"),
            ("a/b", "100%#?.md", "docent://a%2Fb/100%25%23%3F.md"),
            ("docs", "two\nlines.md", "docent://docs/two%0Alines.md"),
        ] {
            assert_eq!(for_path(root, path), uri);
            let address = ResourceAddress::parse(uri);
            if root.contains('/') {
                assert_eq!(address, None, "{uri}");
                continue;
            }
            let address = address.unwrap();
            assert_eq!((address.root.as_str(), address.path.as_str()), (root, path));
        }
        // URIs that people write by hand.
        let by_hand = ResourceAddress::parse("DOCENT://docs/가 나.md").unwrap();
        assert_eq!(by_hand.path, "가 나.md");
    }

    #[test]
    fn what_is_no_address_of_a_document_names_nothing() {
        for uri in [
            "",
            "docent:",
            "docent://",
            "docent://docs",
            "docent://docs/",
            "docent:///a.md",
            "file:///etc/passwd",
            "docent://docs/../a.md",
            "docent://docs/%2e%2e/a.md",
            "docent://docs/%2e%2e%2fa.md",
            "docent://docs/a%2fb.md",
            "docent://docs/a%5cb.md",
            "docent://docs/a\\b.md",
            "docent://docs/./a.md",
            "docent://docs//a.md",
            "docent://docs/a.md/",
            "docent://docs/a%00.md",
            "docent://docs/a%",
            "docent://docs/a%2",
            "docent://docs/a%zz",
            "docent://docs/%ff.md",
            "docent://docs/a.md#setup",
            "docent://docs/a.md?x=1",
            "docent://%2e%2e/a.md",
            "docént://docs/a.md",
        ] {
            assert_eq!(ResourceAddress::parse(uri), None, "{uri}");
        }
    }

    #[test]
    fn a_path_in_the_template_is_an_address() {
        for (path, expected) in [
            ("guide/a.md", "guide/a.md"),
            ("c#/100%?.md", "c%23/100%25%3F.md"),
            ("가 나.md", "가 나.md"),
        ] {
            let value = escape_for_template(path);
            assert_eq!(value, expected);
            let uri = TEMPLATE
                .replace("{root}", "docs")
                .replace("{+path}", &value);
            assert_eq!(ResourceAddress::parse(&uri).unwrap().path, path);
        }
    }
}
