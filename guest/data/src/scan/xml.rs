//! XML: elements with their attributes and their text.

use std::ops::Range;

use memchr::{memchr, memmem};

use crate::entry::DataKind;
use crate::path::PathStep;
use crate::writer::{EntryWriter, ValueSpan};

/// Element of a property list that names the value after it.
const KEY: &str = "key";

struct XmlScanner<'w, 't, 'v> {
    writer: &'w mut EntryWriter<'t, 'v>,
    text: &'t str,
    levels: Vec<XmlElement<'t>>,
    /// Element whose content is only text so far.
    held: Option<PendingElement<'t>>,
    /// Number of open elements without an entry, because they are nested too deep.
    deeper: usize,
}

/// An element that contains others.
struct XmlElement<'t> {
    name: &'t str,
    /// The last child, and the number of consecutive children of its name.
    last: (&'t str, usize),
    /// Name of the next element in a property list.
    key: Option<&'t str>,
}

struct PendingElement<'t> {
    name: &'t str,
    step: PathStep<'t>,
    note: &'t str,
    start: usize,
    /// Its text so far.
    value: Range<usize>,
}

pub(super) fn scan(writer: &mut EntryWriter<'_, '_>) {
    let text = writer.text;
    let mut xml = XmlScanner {
        writer,
        text,
        levels: Vec::new(),
        held: None,
        deeper: 0,
    };
    let mut at = 0;
    while at < text.len() && !xml.writer.is_over() {
        at = xml.next(at);
    }
    xml.write_held();
}

impl<'t> XmlScanner<'_, 't, '_> {
    /// Consumes the construct at `at`; returns its end.
    fn next(&mut self, at: usize) -> usize {
        let rest = &self.text[at..];
        if !rest.starts_with('<') {
            let end = at + memchr(b'<', rest.as_bytes()).unwrap_or(rest.len());
            self.content(at..end);
            return end;
        }
        for (open, close) in [("<!--", "-->"), ("<![CDATA[", "]]>"), ("<?", "?>")] {
            if rest.starts_with(open) {
                let end = memmem::find(rest.as_bytes(), close.as_bytes());
                let end = end.map_or(self.text.len(), |end| at + end + close.len());
                match open {
                    "<![CDATA[" => self.content(at..end),
                    "<!--" => self.note(at..end),
                    // A processing instruction, such as the XML declaration, is in no entry.
                    _ => {}
                }
                return end;
            }
        }
        let end = tag_end(self.text, at);
        let tag = &self.text[at..end];
        if rest.starts_with("</") {
            let name = tag.trim_start_matches("</").trim_end_matches('>').trim();
            self.close(name);
        } else if tag.as_bytes().get(1).is_some_and(is_name_start) {
            self.open(at, tag);
        } else if rest.starts_with("<!") {
            self.note(at..end);
        } else {
            self.content(at..end);
        }
        end
    }

    /// Consumes text between two tags.
    fn content(&mut self, span: Range<usize>) {
        let text = &self.text[span.clone()];
        let trimmed = text.trim();
        if trimmed.is_empty() {
            return;
        }
        let start = span.end - text.trim_start().len();
        let end = start + trimmed.len();
        match &mut self.held {
            Some(held) if held.value.is_empty() => held.value = start..end,
            Some(held) => held.value.end = end,
            None => self.writer.text(start..end),
        }
    }

    /// Writes a comment.
    fn note(&mut self, span: Range<usize>) {
        self.release();
        self.writer.text(span);
    }

    fn open(&mut self, start: usize, tag: &'t str) {
        self.release();
        let inner = tag[1..].trim_end_matches('>');
        let is_empty = inner.ends_with('/') && tag.ends_with('>');
        let inner = inner
            .strip_suffix('/')
            .filter(|_| is_empty)
            .unwrap_or(inner);
        let name_end = inner.find(char::is_whitespace).unwrap_or(inner.len());
        let (name, note) = (&inner[..name_end], inner[name_end..].trim());
        let mut step = PathStep::Bare(name);
        if let Some(level) = self.levels.last_mut() {
            let count = if level.last.0 == name {
                level.last.1 + 1
            } else {
                1
            };
            level.last = (name, count);
            if let Some(key) = level.key.take().filter(|_| name != KEY) {
                step = PathStep::Key(key);
            } else if count > 1 {
                step = PathStep::Nth(name, count);
            }
        }
        let end = start + tag.len();
        self.held = Some(PendingElement {
            name,
            step,
            note,
            start,
            value: end..end,
        });
        if is_empty {
            self.write_held();
        }
    }

    fn close(&mut self, name: &str) {
        if let Some(held) = self.held.take() {
            let is_own = held.name == name;
            self.write(held);
            if is_own {
                return;
            }
        }
        if self.deeper > 0 {
            self.deeper -= 1;
            return;
        }
        // An end tag closes the innermost element of its name, with all elements in it that are
        // not closed. If there is none, it closes nothing: in `<a><b></c>…` the elements after
        // `</c>` are still in `b`. The search is short, because nesting is limited.
        if let Some(at) = self.levels.iter().rposition(|level| level.name == name) {
            self.levels.truncate(at);
            self.writer.close_to(at);
        }
    }

    /// Writes the held element as a container.
    fn release(&mut self) {
        let Some(held) = self.held.take() else {
            return;
        };
        if self.writer.is_full() {
            self.deeper += 1;
            self.write(held);
            return;
        }
        let found = ValueSpan {
            span: held.start..held.value.end,
            value: held.value,
            note: held.note,
        };
        self.writer.open(&[held.step], DataKind::Table, &found);
        self.levels.push(XmlElement {
            name: held.name,
            last: ("", 0),
            key: None,
        });
    }

    fn write_held(&mut self) {
        if let Some(held) = self.held.take() {
            self.write(held);
        }
    }

    /// Writes an element without children.
    fn write(&mut self, held: PendingElement<'t>) {
        let is_key = held.name == KEY && held.note.is_empty();
        if let Some(level) = self
            .levels
            .last_mut()
            .filter(|level| is_key && level.name == "dict")
        {
            // `<key>name</key><string>value</string>`: the key is written with its value.
            level.key = Some(&self.text[held.value]);
            return;
        }
        let found = ValueSpan {
            span: held.start..held.value.end,
            value: held.value,
            note: held.note,
        };
        self.writer.value(&[held.step], &found);
    }
}

fn is_name_start(byte: &u8) -> bool {
    byte.is_ascii_alphabetic() || matches!(byte, b'_' | b':') || !byte.is_ascii()
}

/// Returns the end of the tag that begins at `at`, after its bracket; brackets within quoted
/// attributes do not count.
fn tag_end(text: &str, at: usize) -> usize {
    let bytes = text.as_bytes();
    let mut from = at + 1;
    let mut quote = None;
    while let Some(&byte) = bytes.get(from) {
        match (byte, quote) {
            (b'>', None) => return from + 1,
            // A `<` outside of quotes begins another tag, so this one was not closed: `<a <b>`.
            (b'<', None) => return from,
            (b'"' | b'\'', None) => quote = Some(byte),
            (byte, Some(open)) if byte == open => quote = None,
            _ => {}
        }
        from += 1;
    }
    bytes.len()
}

#[cfg(test)]
mod tests {
    use crate::format::DataFormat;
    use crate::scan::tests::check;

    #[test]
    fn project() {
        let text = "<?xml version=\"1.0\"?>\n<!-- The\n     project -->\n<project xmlns=\"urn:x\">\n  <version>1.2</version>\n  <dependencies>\n    <dependency>\n      <groupId>org.a</groupId>\n    </dependency>\n    <dependency>\n      <groupId>org.b</groupId>\n      <optional/>\n    </dependency>\n  </dependencies>\n  <PackageReference Include=\"Serilog\" Version=\"3.1\" />\n  <이름 언어=\"ko\">값 &lt;\n둘</이름>\n</project>\n";
        check(
            DataFormat::Xml,
            text,
            &[
                "2-3 <!-- The project -->",
                "4 project (xmlns=\"urn:x\"):",
                "5 project.version = 1.2",
                "6 project.dependencies:",
                "7 project.dependencies.dependency:",
                "8 project.dependencies.dependency.groupId = org.a",
                "10 project.dependencies.dependency[2]:",
                "11 project.dependencies.dependency[2].groupId = org.b",
                "12 project.dependencies.dependency[2].optional",
                "15 project.PackageReference (Include=\"Serilog\" Version=\"3.1\")",
                "16-17 project.이름 (언어=\"ko\") = 값 &lt; 둘",
            ],
        );
    }

    #[test]
    fn property_list() {
        let text = "<plist version=\"1.0\">\n<dict>\n  <key>CFBundleName</key>\n  <string>App</string>\n  <key>Modes</key>\n  <array>\n    <string>audio</string>\n    <string>fetch</string>\n  </array>\n</dict>\n</plist>\n";
        check(
            DataFormat::Xml,
            text,
            &[
                "1 plist (version=\"1.0\"):",
                "2 plist.dict:",
                "4 plist.dict.CFBundleName = App",
                "6 plist.dict.Modes:",
                "7 plist.dict.Modes.string = audio",
                "8 plist.dict.Modes.string[2] = fetch",
            ],
        );
    }

    #[test]
    fn broken_input_is_text() {
        check(
            DataFormat::Xml,
            "<a><b>one</c></b> tail <d x=\"<e>\n<f",
            &["1 a:", "1 a.b = one", "1 tail", "1-2 a.d (x=\"<e> <f)"],
        );
    }
}
