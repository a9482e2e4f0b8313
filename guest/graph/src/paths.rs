//! Paths of files outside Markdown links: values of front matter, imports of MDX, `ref` and
//! `relref` of Hugo. Each may also be plain text, so it is a link only if such a file exists.

use std::ops::Range;

use docent_document::format::Format;
use docent_document::front_matter;
use docent_document::mdx::Mdx;
use docent_text::lines::{with_ends, without_end};
use memchr::memmem;

use crate::limits::{DESTINATION_BYTES, IMPORT_LINES};
use crate::link::{Found, LinkKind};
use crate::signs::Signs;
use crate::templates;

/// Keys of front matter whose values are always plain text.
const TEXTS: [&str; 6] = ["title", "name", "description", "slug", "url", "permalink"];

/// Returns the paths in a text of this format. `signs` are those of the text, and `mdx` is the
/// parsed body, if it was parsed.
pub(crate) fn read(format: Format, text: &str, signs: Signs, mdx: Option<&Mdx<'_>>) -> Vec<Found> {
    let mut found = Vec::new();
    if !matches!(format, Format::Markdown | Format::Mdx) {
        return found;
    }
    let body = front_matter::length(text);
    values(text, body, &mut found);
    if signs.pairs {
        shortcodes(text, body, &mut found);
    }
    if signs.pairs || signs.tags || signs.scissors {
        found.extend(templates::read(text));
    }
    let written = &text[body..];
    if format == Format::Mdx && memmem::find(written.as_bytes(), b"import ").is_some() {
        match mdx {
            Some(mdx) => imports(text, body, &mdx.markdown, &mut found),
            None => imports(text, body, &Mdx::new(written).markdown, &mut found),
        }
    }
    found
}

fn push(text: &str, range: Range<usize>, found: &mut Vec<Found>) {
    if range.len() <= DESTINATION_BYTES {
        found.extend(Found::new(text, LinkKind::Path, range.clone(), range));
    }
}

/// Adds the values of front matter that may be paths: single words with an extension.
fn values(text: &str, end: usize, found: &mut Vec<Found>) {
    let mut start = 0;
    for line in with_ends(&text[..end]) {
        let range = value(without_end(line)).map(|range| start + range.start..start + range.end);
        if let Some(range) = range.filter(|range| is_path(&text[range.clone()])) {
            push(text, range, found);
        }
        start += line.len();
    }
}

/// Returns the range of a line's value, without quotes.
fn value(line: &str) -> Option<Range<usize>> {
    let behind = |at: usize| at + line[at..].len() - line[at..].trim_start().len();
    let mut at = behind(0);
    while line[at..].starts_with("- ") {
        at = behind(at + 2);
    }
    let sign = [": ", " = "].iter().filter_map(|sign| {
        let key = line[at..].find(sign)?;
        Some((at + key, at + key + sign.len()))
    });
    if let Some((key_end, value)) = sign.min() {
        if TEXTS.contains(&line[at..key_end].trim()) {
            return None;
        }
        at = behind(value);
    }
    let end = at + line[at..].trim_end().len();
    let value = &line[at..end];
    let quoted = ['"', '\''].iter().find_map(|quote| {
        let inside = value.strip_prefix(*quote)?.strip_suffix(*quote)?;
        Some(at + 1..at + 1 + inside.len())
    });
    Some(quoted.unwrap_or(at..end))
}

/// Returns true if a text looks like the path of a file: it has an extension, and no character that
/// would need escaping.
fn is_path(value: &str) -> bool {
    let path = value.split('#').next().unwrap_or(value);
    let name = path.rsplit('/').next().unwrap_or(path);
    let has_extension = name.rsplit_once('.').is_some_and(|(stem, extension)| {
        let is_letter = |c: char| c.is_ascii_alphabetic();
        !stem.is_empty()
            && extension.starts_with(is_letter)
            && extension.chars().all(|c| c.is_ascii_alphanumeric())
    });
    has_extension && path.chars().all(is_of_path)
}

/// Adds the paths of `{{< ref "a.md" >}}` and `{{% relref "a.md" %}}`. Hugo processes them in code
/// too.
fn shortcodes(text: &str, body: usize, found: &mut Vec<Found>) {
    let bytes = text.as_bytes();
    for at in memmem::find_iter(&bytes[body..], b"{{") {
        let rest = &text[body + at + 2..];
        let Some(rest) = rest.strip_prefix(['<', '%']) else {
            continue;
        };
        let rest = rest.trim_start();
        let call = rest
            .strip_prefix("relref")
            .or_else(|| rest.strip_prefix("ref"));
        let call = call.filter(|call| call.starts_with([' ', '\t']));
        let Some(quoted) = call.map(str::trim_start) else {
            continue;
        };
        let Some(quote) = quoted.chars().next().filter(|c| "\"'`".contains(*c)) else {
            continue;
        };
        let inside = &quoted[1..];
        let start = text.len() - inside.len();
        let line = inside.lines().next().unwrap_or_default();
        let Some(length) = line.find(quote).filter(|length| *length > 0) else {
            continue;
        };
        let range = start..start + length;
        if is_path(&line[..length]) {
            push(text, range, found);
        } else if length <= DESTINATION_BYTES {
            found.extend(Found::new(text, LinkKind::Shortcode, range.clone(), range));
        }
    }
}

/// Adds the relative imports of a text. Import statements are where `markdown`, which is as long as
/// the body, is blank.
fn imports(text: &str, body: usize, markdown: &str, found: &mut Vec<Found>) {
    let mut start = body;
    // Number of lines over which a statement may still extend.
    let mut continues = 0usize;
    for line in with_ends(&text[body..]) {
        let (own, from) = (without_end(line), start);
        start += line.len();
        let read = markdown.get(from - body..from - body + own.len());
        // In the Markdown made of an MDX text a range that is not Markdown is blank, apart from
        // a `>` on its first line: an empty quote, which ends the paragraph before it.
        let is_out = |read: &str| read.strip_prefix('>').unwrap_or(read).trim().is_empty();
        if !read.is_some_and(is_out) || own.trim().is_empty() {
            continues = 0;
            continue;
        }
        if own.starts_with("import ") || own.starts_with("export ") {
            continues = IMPORT_LINES;
        }
        if continues == 0 {
            continue;
        }
        continues -= 1;
        let Some(inside) = specifier(own) else {
            continue;
        };
        continues = 0;
        let range = from + inside.start..from + inside.end;
        let path = &text[range.clone()];
        if path.starts_with(['.', '/', '@']) && is_path(path.trim_start_matches('@')) {
            push(text, range, found);
        }
    }
}

/// Returns the range of the module in a statement that ends on this line: after `from`, or after
/// `import` alone.
fn specifier(line: &str) -> Option<Range<usize>> {
    let line = line.trim_end().trim_end_matches(';').trim_end();
    let quote = line.chars().next_back().filter(|c| "\"'".contains(*c))?;
    let end = line.len() - 1;
    let start = line[..end].rfind(quote)? + 1;
    let before = line[..start - 1].trim_end();
    (before.ends_with("from") || before == "import").then_some(start..end)
}

/// Returns true if a character needs neither quotes nor escapes anywhere in a path.
pub(crate) fn is_of_path(c: char) -> bool {
    c.is_alphanumeric() || "-_./~+()".contains(c)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths(format: Format, text: &str) -> Vec<&str> {
        let found = read(format, text, Signs::new(text), None);
        let found = found.into_iter();
        found
            .map(|link| &text[link.destination.unwrap_or_default()])
            .collect()
    }

    #[test]
    fn values_that_may_be_paths() {
        let text = "---\ntitle: a.md\nnext: b.md\nimage: \"./c d.png\"\ncover: 'img/c.png'\nlist:\n  - d/e.md#f\n\
                    \x20 - version 1.2\nversion: 1.2\nat: https://example.org/a.md\nlayout: ../l.astro\n\
                    up: \"[[g]]\"\n---\nnext: h.md\n";
        let found = paths(Format::Markdown, text);
        assert_eq!(found, ["b.md", "img/c.png", "d/e.md#f", "../l.astro"]);
        let text = "+++\nnext = \"b.md\"\nname = \"c.md\"\n+++\n";
        assert_eq!(paths(Format::Markdown, text), ["b.md"]);
    }

    #[test]
    fn shortcodes_that_name_pages() {
        let text = "{{< ref \"a.md\" >}} [x]({{%  relref  'b/c.md#d'  %}}) {{< ref name >}} {{< reference \"e.md\" >}}\n\
                    {{</* ref \"f.md\" */>}} {{< relref `g.md` >}} {{< ref \"h\" >}}\n";
        assert_eq!(
            paths(Format::Markdown, text),
            ["a.md", "b/c.md#d", "g.md", "h"]
        );
        assert_eq!(paths(Format::Converted, text), [""; 0]);
    }

    #[test]
    fn imports_of_mdx() {
        let text = "---\na: 1\n---\nimport A from './a.mdx'\nimport {\n  B,\n} from \"../b.mdx\";\n\
                    import c from 'c/d.mdx'\nexport { e } from '/e.mdx'\nimport '@site/f.css'\n\n\
                    Text import './g.mdx'\n\n```js\nimport H from './h.mdx'\n```\n";
        let found = paths(Format::Mdx, text);
        assert_eq!(found, ["./a.mdx", "../b.mdx", "/e.mdx", "@site/f.css"]);
        assert_eq!(paths(Format::Markdown, text), [""; 0]);
    }
}
