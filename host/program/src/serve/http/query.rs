//! Query strings and percent-encoding in addresses.

use std::borrow::Cow;

/// Parses the names and values of a query, decoded; none if it is malformed.
pub fn pairs(query: &str) -> Option<Vec<(String, String)>> {
    let pairs = query.split('&').filter(|pair| !pair.is_empty());
    let decoded = |text: &str| unescape(&text.replace('+', " ")).map(Cow::into_owned);
    let pair = |pair: &str| {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        Some((decoded(name)?, decoded(value)?))
    };
    pairs.map(pair).collect()
}

/// Decodes a segment of a path; none if it is malformed, or is more than one segment.
pub fn segment(text: &str) -> Option<Cow<'_, str>> {
    (!text.is_empty() && !text.contains('/')).then(|| unescape(text))?
}

/// Decodes `text`; none if its escapes are malformed, or not UTF-8.
pub fn unescape(text: &str) -> Option<Cow<'_, str>> {
    if !text.contains('%') {
        return Some(text.into());
    }
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    let digit = |byte: Option<u8>| char::from(byte?).to_digit(16);
    while let Some(byte) = rest.next() {
        bytes.push(if byte == b'%' {
            let (high, low) = (digit(rest.next())?, digit(rest.next())?);
            u8::try_from(high * 16 + low).ok()?
        } else {
            byte
        });
    }
    String::from_utf8(bytes).ok().map(Cow::Owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_query_is_names_and_values() {
        let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        for (query, expected) in [
            ("", vec![]),
            ("a=1&b=2", vec![pair("a", "1"), pair("b", "2")]),
            ("a=x+y%2Bz&a=", vec![pair("a", "x y+z"), pair("a", "")]),
            (
                "q=%EB%AC%B8%EC%84%9C&&flag",
                vec![pair("q", "문서"), pair("flag", "")],
            ),
            ("a=b=c", vec![pair("a", "b=c")]),
        ] {
            assert_eq!(pairs(query), Some(expected), "{query}");
        }
        for wrong in ["a=%", "a=%2", "a=%zz", "a=%ff", "%e9=1"] {
            assert_eq!(pairs(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn a_segment_is_one() {
        assert_eq!(segment("a%2Fb").as_deref(), Some("a/b"));
        assert_eq!(segment("a+b").as_deref(), Some("a+b"));
        for wrong in ["", "a/b", "%", "%f", "%ff"] {
            assert_eq!(segment(wrong), None, "{wrong}");
        }
    }
}
