//! TOML: tables, arrays of tables, dotted keys, multi-line strings, bracketed values.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::entry::DataKind;
use crate::limits::LEVELS;
use crate::line::{LineSpan, after_line_end, end_of_line, strip_quotes};
use crate::path::PathStep;
use crate::scan::flow::{Dialect, flow, string_end};
use crate::writer::{EntryWriter, ValueSpan};

pub(super) fn scan(writer: &mut EntryWriter<'_, '_>) {
    let text = writer.text;
    let mut arrays = BTreeMap::new();
    let mut at = if text.starts_with('\u{feff}') { 3 } else { 0 };
    while let Some(line) = LineSpan::at(text, at) {
        if writer.is_over() {
            return;
        }
        let (start, trimmed) = line.trim(text);
        at = line.next;
        let span = start..start + trimmed.len();
        if trimmed.is_empty() {
            continue;
        }
        if trimmed.starts_with('#') {
            writer.text(span);
        } else if trimmed.starts_with('[') {
            header(writer, span, &mut arrays);
        } else {
            at = pair(writer, span);
        }
    }
}

/// Writes the header of a table, `[a.b]`, or of an element of an array of tables, `[[a.b]]`, which
/// are counted.
fn header<'t>(
    writer: &mut EntryWriter<'t, '_>,
    span: Range<usize>,
    arrays: &mut BTreeMap<&'t str, usize>,
) {
    let text = &writer.text[span.clone()];
    let is_array = text.starts_with("[[");
    let inner = &text[1 + usize::from(is_array)..];
    let (mut steps, end) = keys(inner, b']');
    if end.is_none() || steps.is_empty() {
        writer.text(span);
        return;
    }
    if is_array {
        let name = inner[..end.unwrap_or_default()].trim();
        let count = arrays.entry(name).or_insert(0);
        steps.push(PathStep::item(*count));
        *count += 1;
    }
    writer.close_to(0);
    // `[a] # comment`: the text after the brackets annotates the table.
    let closed = text.len() - inner.len() + end.unwrap_or_default() + 1;
    let after = text[closed..].strip_prefix(']').unwrap_or(&text[closed..]);
    let value = span.end - after.len()..span.end;
    writer.open(&steps, DataKind::Table, &ValueSpan::new(span.start, value));
}

/// Writes a key with its value; returns the start of the next line.
fn pair(writer: &mut EntryWriter<'_, '_>, span: Range<usize>) -> usize {
    let text = writer.text;
    let next_line = after_line_end(text, end_of_line(text, span.end));
    let (steps, equals) = keys(&text[span.clone()], b'=');
    let Some(equals) = equals else {
        writer.text(span);
        return next_line;
    };
    let after = span.start + equals + 1;
    let value = span.end - text[after..span.end].trim_start().len();
    match text.as_bytes().get(value).filter(|_| value < span.end) {
        Some(b'{' | b'[') => {
            let end = flow(writer, &steps, span.start, value..value, Dialect::Toml);
            let end_of_line = end_of_line(text, end);
            let rest = text[end..end_of_line].trim();
            if !rest.is_empty() {
                let start = end_of_line - text[end..end_of_line].trim_start().len();
                writer.text(start..start + rest.len());
            }
            after_line_end(text, end_of_line)
        }
        Some(b'"' | b'\'') => {
            let end = string_end(text, value, Dialect::Toml).max(span.end);
            let end = end_of_line(text, end);
            let trimmed = text[value..end].trim_end().len();
            writer.value(&steps, &ValueSpan::new(span.start, value..value + trimmed));
            after_line_end(text, end)
        }
        _ => {
            writer.value(&steps, &ValueSpan::new(span.start, value..span.end));
            next_line
        }
    }
}

/// Returns the dotted keys at the start of `line` and the position of the sign `end` after them, or
/// `None` if there is no such sign before a comment.
fn keys(line: &str, end: u8) -> (Vec<PathStep<'_>>, Option<usize>) {
    let bytes = line.as_bytes();
    let mut steps = Vec::new();
    let (mut from, mut at) = (0, 0);
    while let Some(&byte) = bytes.get(at) {
        match byte {
            // Keys are strings of one line, as in JSON. Read as TOML values, three quotes would
            // begin a long string, which hides the sign after the key.
            b'"' | b'\'' => {
                at = string_end(line, at, Dialect::Json).max(at + 1);
                continue;
            }
            b'#' => break,
            _ if byte == end => {
                steps.push(PathStep::Key(strip_quotes(line[from..at].trim())));
                return (steps, Some(at));
            }
            // Beyond the maximum depth, the rest is one key.
            b'.' if steps.len() < LEVELS => {
                steps.push(PathStep::Key(strip_quotes(line[from..at].trim())));
                from = at + 1;
            }
            _ => {}
        }
        at += 1;
    }
    (steps, None)
}

#[cfg(test)]
mod tests {
    use crate::format::DataFormat;
    use crate::scan::tests::check;

    #[test]
    fn manifest() {
        let text = "# Settings.\n[package]\nname = \"app\" # its name\nrust-version = \"1.95\"\nauthors = [\n  \"Kim\", # first\n  \"Lee\",\n]\n\n[dependencies]\nserde = { version = \"1\", features = [\"derive\"] }\ntokio.workspace = true\n\"a.b\" = '1'\n\n[profile.release.package.\"x.y\"] # small\nopt-level = \"z\"\n\n[[bin]]\nname = \"one\"\n[[bin]]\nname = \"두번째\"\n";
        check(
            DataFormat::Toml,
            text,
            &[
                "1 # Settings.",
                "2 package:",
                "3 package.name = \"app\" # its name",
                "4 package.rust-version = \"1.95\"",
                "5 package.authors:",
                "6 package.authors[0] = \"Kim\"",
                "6 # first",
                "7 package.authors[1] = \"Lee\"",
                "10 dependencies:",
                "11 dependencies.serde:",
                "11 dependencies.serde.version = \"1\"",
                "11 dependencies.serde.features = [\"derive\"]",
                "12 dependencies.tokio.workspace = true",
                "13 dependencies.\"a.b\" = '1'",
                "15 profile.release.package.\"x.y\": # small",
                "16 profile.release.package.\"x.y\".opt-level = \"z\"",
                "18 bin[0]:",
                "19 bin[0].name = \"one\"",
                "20 bin[1]:",
                "21 bin[1].name = \"두번째\"",
            ],
        );
    }

    #[test]
    fn strings_of_several_lines() {
        let text = "a = \"\"\"\none \\\"\"\" two\n[no.table]\n\"\"\"\nb = '''\n'x'\n''' # end\nc = 1979-05-27\nd = [[1, 2], [3]]\n";
        check(
            DataFormat::Toml,
            text,
            &[
                "1-4 a = \"\"\" one \\\"\"\" two [no.table] \"\"\"",
                "5-7 b = ''' 'x' ''' # end",
                "8 c = 1979-05-27",
                "9 d:",
                "9 d[0] = [1, 2]",
                "9 d[1] = [3]",
            ],
        );
    }

    #[test]
    fn broken_input_is_text() {
        check(
            DataFormat::Toml,
            "[open\nno value\nkey =\n= 1\na = \"no end\nb = [1,\n",
            &[
                "1 [open",
                "2 no value",
                "3 key",
                "4 \"\" = 1",
                "5 a = \"no end",
                "6 b:",
                "6 b[0] = 1",
            ],
        );
    }
}
