//! Line-based settings: INI, properties, `.editorconfig`, and the settings of many programs, with
//! blocks in braces.

use std::ops::Range;

use memchr::memchr2_iter;

use crate::entry::DataKind;
use crate::limits::SPACED_KEY_BYTES;
use crate::line::LineSpan;
use crate::path::PathStep;
use crate::writer::{EntryWriter, ValueSpan};

/// A key whose value may continue on the next line.
struct PendingValue<'t> {
    key: &'t str,
    indent: usize,
    start: usize,
    value: Range<usize>,
    /// True if its last line ends with a continuation sign.
    has_continuation: bool,
    /// True if any deeper line belongs to it.
    is_list: bool,
}

pub(super) fn scan(writer: &mut EntryWriter<'_, '_>) {
    let text = writer.text;
    let mut held: Option<PendingValue<'_>> = None;
    let mut at = if text.starts_with('\u{feff}') { 3 } else { 0 };
    while let Some(line) = LineSpan::at(text, at) {
        if writer.is_over() {
            return;
        }
        at = line.next;
        let (start, trimmed) = line.trim(text);
        let span = start..start + trimmed.len();
        if let Some(held) = &mut held
            && continues(held, start - line.start, trimmed)
        {
            held.value.end = span.end.max(held.value.end);
            held.has_continuation = ends_with_backslash(trimmed);
            continue;
        }
        if trimmed.is_empty() {
            continue;
        }
        release(writer, held.take());
        if let Some((section, after)) = section(trimmed) {
            writer.close_to(0);
            let step = if section.contains(|c: char| !c.is_alphanumeric() && !"._-:".contains(c)) {
                PathStep::Key(section)
            } else {
                PathStep::Bare(section)
            };
            let value = span.end - after.len()..span.end;
            writer.open(&[step], DataKind::Table, &ValueSpan::new(start, value));
        } else if trimmed.starts_with(['#', ';', '!', '[', '<']) || trimmed.starts_with("//") {
            writer.text(span);
        } else if matches!(trimmed, "}" | "};" | "},") {
            writer.close();
        } else if let Some(head) = block(trimmed).filter(|_| !writer.is_full()) {
            let found = ValueSpan::new(start, span.end..span.end);
            writer.open(&[PathStep::Bare(head)], DataKind::Table, &found);
        } else {
            held = Some(pair(trimmed, start, start - line.start));
        }
    }
    release(writer, held);
}

fn release<'t>(writer: &mut EntryWriter<'t, '_>, held: Option<PendingValue<'t>>) {
    if let Some(held) = held {
        let found = ValueSpan::new(held.start, held.value);
        writer.value(&[PathStep::Bare(held.key)], &found);
    }
}

/// Returns true if a line continues the value before it.
fn continues(held: &PendingValue<'_>, indent: usize, trimmed: &str) -> bool {
    if held.has_continuation {
        return true;
    }
    // A deeper line continues the value above it, unless it is a setting itself. Below a key
    // without a value every deeper line is an item, even with a sign:
    // `install_requires =⏎    a>=1`.
    let is_other =
        trimmed.is_empty() || trimmed.starts_with(['#', ';', '[', '}']) || block(trimmed).is_some();
    !is_other && indent > held.indent && (held.is_list || separator(trimmed).is_none())
}

/// Returns the name of a section in brackets, and the comment after it.
fn section(trimmed: &str) -> Option<(&str, &str)> {
    let inner = trimmed.strip_prefix('[')?;
    let end = inner.rfind(']')?;
    let after = inner[end + 1..].trim_start();
    let is_whole = after.is_empty() || after.starts_with(['#', ';']);
    is_whole.then(|| (inner[..end].trim(), after))
}

/// Returns the head of a block whose brace ends the line: `server {`.
fn block(trimmed: &str) -> Option<&str> {
    let head = trimmed.strip_suffix('{')?.trim_end();
    let head = head.strip_suffix(['=', ':']).unwrap_or(head).trim_end();
    (!head.is_empty() && !head.contains(['=', '{', '"'])).then_some(head)
}

fn pair(trimmed: &str, start: usize, indent: usize) -> PendingValue<'_> {
    let end = start + trimmed.len();
    let (key, after) = match separator(trimmed) {
        Some(at) => (trimmed[..at].trim_end(), at + 1),
        // Without a sign the first blank separates key and value: `maxmemory 100mb`.
        None => {
            let blank = trimmed.find(char::is_whitespace).unwrap_or(trimmed.len());
            (&trimmed[..blank], blank)
        }
    };
    let value = end - trimmed[after..].trim_start().len();
    let has_continuation = ends_with_backslash(trimmed);
    PendingValue {
        key,
        indent,
        start,
        value: value..end,
        has_continuation,
        // `install_requires =` with its items below.
        is_list: value == end,
    }
}

/// Returns the position of the sign between key and value.
fn separator(trimmed: &str) -> Option<usize> {
    let bytes = trimmed.as_bytes();
    let mut signs = memchr2_iter(b'=', b':', bytes);
    // A sign separates if the text before it can be a key. `http` of `http://a` is not one, nor
    // is the beginning of a sentence: `set $a "x=y"`. `Display name = x` is one, since a sign
    // with blanks around it, or a colon, is more certain than the words before it.
    let at = signs.find(|&at| bytes[at] == b'=' || !bytes[at + 1..].starts_with(b"//"))?;
    let key = trimmed[..at].trim_end();
    let is_word = !key.contains(char::is_whitespace);
    let is_apart = at > key.len() || bytes[at] == b':';
    let is_sentence = key.len() > SPACED_KEY_BYTES || key.contains(['"', '\'', '(']);
    (!key.is_empty() && (is_word || (is_apart && !is_sentence))).then_some(at)
}

fn ends_with_backslash(trimmed: &str) -> bool {
    let signs = trimmed.bytes().rev().take_while(|byte| *byte == b'\\');
    signs.count() % 2 == 1
}

#[cfg(test)]
mod tests {
    use crate::format::DataFormat;
    use crate::scan::tests::check;

    #[test]
    fn editor_settings() {
        let text = "root = true\n\n; All.\n[*.{md,txt}]\nindent_size=2\ntrim = false\n[Makefile]\nindent_style = tab\n";
        check(
            DataFormat::Ini,
            text,
            &[
                "1 root = true",
                "3 ; All.",
                "4 \"*.{md,txt}\":",
                "5 \"*.{md,txt}\".indent_size = 2",
                "6 \"*.{md,txt}\".trim = false",
                "7 Makefile:",
                "8 Makefile.indent_style = tab",
            ],
        );
    }

    #[test]
    fn properties() {
        let text = "# 데이터베이스\nspring.datasource.url=jdbc:postgresql://db/app\nserver.port: 8080\nmessage.hello = 안녕하세요\nlong = a, \\\n  b=1, \\\n  c\nempty=\nflag\n";
        check(
            DataFormat::Ini,
            text,
            &[
                "1 # 데이터베이스",
                "2 spring.datasource.url = jdbc:postgresql://db/app",
                "3 server.port = 8080",
                "4 message.hello = 안녕하세요",
                "5-7 long = a, \\ b=1, \\ c",
                "8 empty",
                "9 flag",
            ],
        );
    }

    #[test]
    fn lists_below_their_key_and_blocks() {
        let text = "[options]\ninstall_requires =\n    requests>=2\n    attrs\nzip_safe = no\n";
        check(
            DataFormat::Ini,
            text,
            &[
                "1 options:",
                "2-4 options.install_requires = requests>=2 attrs",
                "5 options.zip_safe = no",
            ],
        );
        let text = "worker_processes auto;\nhttp {\n  server {\n    listen 80;\n    set $a \"x=y\";\n  }\n  gzip on;\n}\nuser www;\n";
        check(
            DataFormat::Ini,
            text,
            &[
                "1 worker_processes = auto;",
                "2 http:",
                "3 http.server:",
                "4 http.server.listen = 80;",
                "5 http.server.set = $a \"x=y\";",
                "7 http.gzip = on;",
                "9 user = www;",
            ],
        );
    }
}
