//! Links of reStructuredText and AsciiDoc, as far as they can be told line by line.

use std::ops::Range;

use docent_text::lines::{with_ends, without_end};

use crate::link::{Found, LinkKind};

/// Directives of reStructuredText that name a file.
const RST_FILES: [&str; 4] = ["include", "literalinclude", "image", "figure"];

/// Directives whose text is code.
const RST_CODE: [&str; 4] = ["code", "code-block", "sourcecode", "parsed-literal"];

/// Macros of AsciiDoc that name a file or a place of one.
const ADOC_MACROS: [(&str, LinkKind); 4] = [
    ("xref:", LinkKind::Cross),
    ("link:", LinkKind::File),
    ("image::", LinkKind::File),
    ("image:", LinkKind::File),
];

/// What the lines below one of reStructuredText are, as far as they stand further in.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Below {
    Code,
    Toc,
}

/// Returns the links of a reStructuredText.
pub fn rst_links(text: &str) -> Vec<Found> {
    let mut found = Vec::new();
    let mut below: Option<(Below, usize)> = None;
    let mut start = 0;
    for line in with_ends(text) {
        let plain = without_end(line).trim_end();
        let inner = plain.trim_start();
        let indent = plain.len() - inner.len();
        let at = start + indent;
        start += line.len();
        if inner.is_empty() {
            continue;
        }
        match below {
            Some((Below::Code, outer)) if indent > outer => continue,
            Some((Below::Toc, outer)) if indent > outer => {
                found.extend(toc_entry(inner, at));
                continue;
            }
            _ => below = None,
        }
        if let Some((name, argument)) = directive(inner) {
            if RST_FILES.contains(&name) && !argument.is_empty() {
                let from = at + inner.len() - argument.len();
                found.push(link(
                    text,
                    LinkKind::File,
                    at..at + inner.len(),
                    from..at + inner.len(),
                ));
            } else if name == "toctree" {
                below = Some((Below::Toc, indent));
            } else if RST_CODE.contains(&name) {
                below = Some((Below::Code, indent));
            }
            continue;
        }
        rst_inline(text, at, inner, &mut found);
        if inner.ends_with("::") {
            below = Some((Below::Code, indent));
        }
    }
    found
}

/// Returns the name and the argument of `.. name:: argument`.
fn directive(line: &str) -> Option<(&str, &str)> {
    let (name, argument) = line.strip_prefix(".. ")?.split_once("::")?;
    let name = name.trim();
    let is_name = !name.is_empty()
        && name
            .chars()
            .all(|c| c.is_alphanumeric() || "-_:".contains(c));
    is_name.then_some((name, argument.trim()))
}

/// Returns the link of a line in a table of contents; none for an option, a pattern and a URL.
fn toc_entry(line: &str, at: usize) -> Option<Found> {
    let is_entry = !line.starts_with(':') && line != "self" && !line.contains(['*', '?']);
    let range = match (line.rfind('<'), line.strip_suffix('>')) {
        (Some(open), Some(inside)) => open + 1..inside.len(),
        _ => 0..line.len(),
    };
    let target = line[range.clone()].to_owned();
    is_entry.then(|| Found {
        kind: LinkKind::Document,
        span: at..at + line.len(),
        destination: Some(at + range.start..at + range.end),
        target,
    })
}

/// Adds `:doc:` and links to files in a line that begins at `at`.
fn rst_inline(text: &str, at: usize, line: &str, found: &mut Vec<Found>) {
    let mut from = 0;
    while let Some(tick) = line[from..].find('`') {
        let open = from + tick;
        // ``code`` holds no link.
        if line[open..].starts_with("``") {
            let close = line[open + 2..].find("``");
            from = close.map_or(line.len(), |close| open + close + 4);
            continue;
        }
        let Some(length) = line[open + 1..].find('`') else {
            return;
        };
        let close = open + 1 + length;
        from = close + 1;
        let inside = &line[open + 1..close];
        let named = inside
            .strip_suffix('>')
            .and_then(|named| named.rfind('<').map(|start| start + 1..named.len()));
        let kind = if line[..open].ends_with(":doc:") {
            LinkKind::Document
        } else if named.is_some() && line[from..].starts_with('_') {
            LinkKind::File
        } else {
            continue;
        };
        let range = named.unwrap_or(0..inside.len());
        let start = at + open + 1;
        let span = at + open..at + close + 1;
        found.push(link(
            text,
            kind,
            span,
            start + range.start..start + range.end,
        ));
    }
}

/// Returns the links of an AsciiDoc text.
pub fn adoc_links(text: &str) -> Vec<Found> {
    let mut found = Vec::new();
    let mut block: Option<&str> = None;
    let mut start = 0;
    for line in with_ends(text) {
        let plain = without_end(line).trim_end();
        let at = start;
        start += line.len();
        // What is included is so within a block as well.
        if let Some(path) = plain.strip_prefix("include::")
            && let Some(end) = path.find('[')
        {
            let from = at + plain.len() - path.len();
            found.push(link(
                text,
                LinkKind::File,
                at..at + plain.len(),
                from..from + end,
            ));
            continue;
        }
        let is_delimiter = plain.len() >= 4
            && ["-", ".", "+", "/"]
                .iter()
                .any(|sign| plain.trim_start_matches(sign).is_empty());
        if is_delimiter {
            match block {
                Some(open) if open == plain => block = None,
                Some(_) => {}
                None => block = Some(plain),
            }
        } else if block.is_none() {
            adoc_inline(text, at, plain, &mut found);
        }
    }
    found
}

/// Adds the macros and cross references of a line that begins at `at`.
fn adoc_inline(text: &str, at: usize, line: &str, found: &mut Vec<Found>) {
    for (sign, kind) in ADOC_MACROS {
        let mut from = 0;
        while let Some(found_at) = line[from..].find(sign) {
            let open = from + found_at;
            let start = open + sign.len();
            let rest = &line[start..];
            let Some(length) = rest.find('[') else {
                break;
            };
            // Behind it, so that no text is read twice.
            from = start + length;
            let is_word = line[..open].ends_with(char::is_alphanumeric);
            // `image::` is found by `image:` as well.
            if length > 0 && !is_word && !rest.starts_with(':') {
                found.push(link(
                    text,
                    kind,
                    at + open..at + from,
                    at + start..at + from,
                ));
            }
        }
    }
    let mut from = 0;
    while let Some(found_at) = line[from..].find("<<") {
        let open = from + found_at;
        let inside = &line[open + 2..];
        let Some(close) = inside.find(">>") else {
            return;
        };
        from = open + 2 + close + 2;
        let end = inside[..close].find(',').unwrap_or(close);
        let start = at + open + 2;
        let target = &inside[..end];
        // Without `#` or extension it is an id of this document.
        let is_here = !target.contains(['#', '.']);
        found.push(Found {
            kind: LinkKind::Cross,
            span: at + open..at + from,
            destination: (!is_here).then_some(start..start + end),
            target: if is_here {
                format!("#{target}")
            } else {
                target.to_owned()
            },
        });
    }
}

fn link(text: &str, kind: LinkKind, span: Range<usize>, destination: Range<usize>) -> Found {
    Found {
        kind,
        span,
        target: text[destination.clone()].to_owned(),
        destination: Some(destination),
    }
}
