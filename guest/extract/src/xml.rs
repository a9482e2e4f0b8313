//! A pull parser of the parts of Office Open XML. Only XML's own five entities are allowed: a
//! document type could define others, and these formats forbid one.

use std::borrow::Cow;
use std::io::{self, BufRead, Read};

use quick_xml::XmlVersion;
use quick_xml::escape::resolve_predefined_entity;
use quick_xml::events::{BytesStart, Event};
use quick_xml::name::QName;
use quick_xml::reader::Reader;

use crate::failure::{EarlyStop, Failure};
use crate::limits::{SKIPPED_DAMAGES, XML_DEPTH, XML_EVENT_BYTES};
use crate::metered::{io_error_to_stop, over_limit};

const MALFORMED: EarlyStop = EarlyStop::Failed(Failure::Malformed);

/// A parser of a part.
pub struct Xml<R> {
    reader: Reader<EventReader<R>>,
    buffer: Vec<u8>,
    /// Number of open elements.
    depth: usize,
    /// True if a document type is skipped.
    allows_document_type: bool,
    damage: XmlDamage,
    /// Names of the open elements of a damaged part.
    open: Vec<String>,
    /// Number of open elements that have no end, and end together with an outer one.
    without_end: usize,
    /// Number of damages that were skipped.
    skipped: usize,
}

/// A source of which each event may take a limited number of bytes.
struct EventReader<R> {
    source: R,
    /// Bytes that the current event has taken.
    consumed: usize,
}

/// The treatment of a part that is not well-formed, or not complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum XmlDamage {
    /// Reading fails.
    Refused,
    /// Tags without their counterpart and what is no XML are skipped. Where nothing more can be
    /// read, reading ends, as if all open elements ended.
    Ends,
    /// Reading has ended so.
    Ended,
}

/// The next event of a part. Names are local, without the prefix of their namespace.
pub enum XmlEvent<'a> {
    /// An element begins.
    Start(Element<'a>),
    /// An element ends.
    End,
    /// Text.
    Text(Cow<'a, str>),
    /// An event without meaning, such as a comment.
    Nothing,
    /// The part ends.
    Eof,
}

/// An element with its attributes.
pub struct Element<'a>(BytesStart<'a>);

impl<R: Read> Read for EventReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.source.read(buffer)
    }
}

impl<R: BufRead> BufRead for EventReader<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        // A text is in memory as a whole, and one of 900 MB takes 1 MB in a file.
        if self.consumed > XML_EVENT_BYTES {
            return Err(over_limit());
        }
        self.source.fill_buf()
    }

    fn consume(&mut self, count: usize) {
        self.consumed += count;
        self.source.consume(count);
    }
}

impl<R: BufRead> Xml<R> {
    /// Creates the parser of a part.
    pub fn new(source: R) -> Self {
        let mut reader = Reader::from_reader(EventReader {
            source,
            consumed: 0,
        });
        // `<a/>` is reported as `<a></a>`, so that each element that starts has an end. Every
        // reader of a part counts depths and would otherwise have to handle both forms.
        reader.config_mut().expand_empty_elements = true;
        Self {
            reader,
            buffer: Vec::new(),
            depth: 0,
            allows_document_type: false,
            damage: XmlDamage::Refused,
            open: Vec::new(),
            without_end: 0,
            skipped: 0,
        }
    }

    /// Creates the parser of a damaged part, which passes over the damage if it can.
    pub fn salvage(source: R) -> Self {
        let mut xml = Self {
            damage: XmlDamage::Ends,
            ..Self::new(source)
        };
        let config = xml.reader.config_mut();
        config.check_end_names = false;
        config.allow_unmatched_ends = true;
        xml
    }

    /// Skips a document type instead of refusing the part, as those of books have one. References
    /// to the entities that it defines stay as they are written: nothing is expanded.
    #[must_use]
    pub fn allow_document_type(mut self) -> Self {
        self.allows_document_type = true;
        self
    }

    /// Returns the number of open elements.
    pub fn depth(&self) -> usize {
        self.depth
    }

    /// Reads the next event.
    pub fn next(&mut self) -> Result<XmlEvent<'_>, EarlyStop> {
        if self.damage == XmlDamage::Ended {
            return Ok(end_element(&mut self.depth));
        }
        if self.without_end > 0 {
            self.without_end -= 1;
            self.open.pop();
            return Ok(end_element(&mut self.depth));
        }
        self.buffer.clear();
        self.reader.get_mut().consumed = 0;
        let (damage, depth) = (&mut self.damage, &mut self.depth);
        let skipped = &mut self.skipped;
        match self.reader.read_event_into(&mut self.buffer) {
            // Elements nested without end, `<p><p><p>…`, cost an attacker three bytes per
            // level. Readers of blocks call themselves for some elements, so the depth is
            // limited long before the stack is full.
            Ok(Event::Start(_)) if *depth == XML_DEPTH => damage.end(depth),
            Ok(Event::Start(element)) => {
                *depth += 1;
                if *damage != XmlDamage::Refused {
                    self.open.push(element.name().into_inner().to_owned());
                }
                Ok(XmlEvent::Start(Element(element)))
            }
            Ok(Event::End(element)) if *damage != XmlDamage::Refused => {
                let name = element.name().into_inner();
                let Some(place) = self.open.iter().rposition(|open| open == name) else {
                    return damage.skip(skipped, depth);
                };
                self.without_end = self.open.len() - 1 - place;
                // The search among all open elements is as costly as a damage.
                *skipped += self.without_end.min(1);
                self.open.pop();
                Ok(end_element(depth))
            }
            // The parser has checked that it ends the element opened last, so the depth is at
            // least 1.
            Ok(Event::End(_)) => {
                *depth -= 1;
                Ok(XmlEvent::End)
            }
            Ok(Event::Text(text)) => Ok(XmlEvent::Text(text.xml10_content())),
            Ok(Event::CData(text)) => Ok(XmlEvent::Text(text.xml10_content())),
            Ok(Event::GeneralRef(reference)) => {
                let text = match reference.resolve_char_ref() {
                    Ok(Some(c)) => Some(c.to_string()),
                    Ok(None) => {
                        let name = reference.xml10_content();
                        let written = || self.allows_document_type.then(|| format!("&{name};"));
                        resolve_predefined_entity(&name)
                            .map(str::to_owned)
                            .or_else(written)
                    }
                    Err(_) => None,
                };
                match text {
                    Some(text) => Ok(XmlEvent::Text(text.into())),
                    None => damage.skip(skipped, depth),
                }
            }
            Ok(Event::DocType(_)) if self.allows_document_type => Ok(XmlEvent::Nothing),
            Ok(Event::Eof) if *depth == 0 => Ok(XmlEvent::Eof),
            // The part is truncated, or has a document type. Entities that a document type
            // defines in terms of each other (`<!ENTITY b "&a;&a;">`) can expand to gigabytes,
            // the attack known as billion laughs; these formats forbid document types, so the
            // part is refused and nothing is expanded.
            Ok(Event::Eof | Event::DocType(_)) => damage.end(depth),
            Ok(Event::Comment(_) | Event::PI(_) | Event::Decl(_) | Event::Empty(_)) => {
                Ok(XmlEvent::Nothing)
            }
            Err(quick_xml::Error::Io(error)) => match io_error_to_stop(&error) {
                MALFORMED => damage.end(depth),
                stop => Err(stop),
            },
            Err(_) => damage.skip(skipped, depth),
        }
    }

    /// Skips to the end of the element that began last.
    pub fn skip(&mut self) -> Result<(), EarlyStop> {
        let end = self.depth - 1;
        while self.depth > end {
            self.next()?;
        }
        Ok(())
    }

    /// Skips to the end of the element that began last, and returns all text in it.
    pub fn text(&mut self) -> Result<String, EarlyStop> {
        let end = self.depth - 1;
        let mut all = String::new();
        while self.depth > end {
            if let XmlEvent::Text(text) = self.next()? {
                all.push_str(&text);
            }
        }
        Ok(all)
    }

    /// Skips to the end of the element that began last, and returns all text in it, which is at
    /// most `most` bytes.
    pub fn text_within(&mut self, most: usize) -> Result<String, EarlyStop> {
        let end = self.depth - 1;
        let mut all = String::new();
        while self.depth > end {
            if let XmlEvent::Text(text) = self.next()? {
                if text.len() > most - all.len() {
                    return Err(EarlyStop::Full);
                }
                all.push_str(&text);
            }
        }
        Ok(all)
    }

    /// Calls `see` for each element of the part, with its depth, from 1.
    pub fn each(
        mut self,
        mut see: impl FnMut(usize, &Element<'_>) -> Result<(), EarlyStop>,
    ) -> Result<(), EarlyStop> {
        loop {
            let depth = self.depth + 1;
            match self.next()? {
                XmlEvent::Start(element) => see(depth, &element)?,
                XmlEvent::Eof => return Ok(()),
                XmlEvent::End | XmlEvent::Text(_) | XmlEvent::Nothing => {}
            }
        }
    }
}

impl XmlDamage {
    /// Passes over the damage, unless there are too many.
    fn skip(
        &mut self,
        skipped: &mut usize,
        depth: &mut usize,
    ) -> Result<XmlEvent<'static>, EarlyStop> {
        *skipped += 1;
        if *self == Self::Refused || *skipped > SKIPPED_DAMAGES {
            return self.end(depth);
        }
        Ok(XmlEvent::Nothing)
    }

    /// Ends reading at the damage.
    fn end(&mut self, depth: &mut usize) -> Result<XmlEvent<'static>, EarlyStop> {
        if *self == Self::Refused {
            return Err(MALFORMED);
        }
        *self = Self::Ended;
        Ok(end_element(depth))
    }
}

/// Returns the end of the element that began last, or of the part.
fn end_element(depth: &mut usize) -> XmlEvent<'static> {
    match depth.checked_sub(1) {
        Some(outer) => {
            *depth = outer;
            XmlEvent::End
        }
        None => XmlEvent::Eof,
    }
}

impl Element<'_> {
    /// Returns the local name.
    pub fn name(&self) -> &str {
        self.0.local_name().into_inner()
    }

    /// Returns the value of the first attribute with this local name.
    pub fn attribute(&self, name: &str) -> Option<String> {
        self.find_attribute(|key| key.local_name().into_inner() == name)
    }

    /// Returns the value of the first attribute with this local name and a prefix: `r:id` of an
    /// element that has an `id` as well.
    pub fn prefixed_attribute(&self, name: &str) -> Option<String> {
        self.find_attribute(|key| key.prefix().is_some() && key.local_name().into_inner() == name)
    }

    fn find_attribute(&self, is_it: impl Fn(QName<'_>) -> bool) -> Option<String> {
        self.0
            .attributes()
            // The check for duplicate attributes compares each with all others. An element with
            // a hundred thousand attributes would take quadratic time; of duplicates, the first
            // is used.
            .with_checks(false)
            .flatten()
            .find(|attribute| is_it(attribute.key))
            .and_then(|attribute| attribute.normalized_value(XmlVersion::Implicit1_0).ok())
            .map(Cow::into_owned)
    }

    /// Parses an attribute as a number.
    pub fn number<T: std::str::FromStr>(&self, name: &str) -> Option<T> {
        self.attribute(name)?.trim().parse().ok()
    }

    /// Returns true if a Boolean element is on: it is present, and its value is not negative.
    pub fn is_on(&self) -> bool {
        !matches!(
            self.attribute("val").as_deref(),
            Some("0" | "false" | "off" | "none")
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(part: &str) -> Result<String, EarlyStop> {
        let mut xml = Xml::new(part.as_bytes());
        loop {
            if let XmlEvent::Start(_) = xml.next()? {
                return xml.text();
            }
        }
    }

    fn end(part: &str) -> Result<(), EarlyStop> {
        Xml::new(part.as_bytes()).each(|_, _| Ok(()))
    }

    #[test]
    fn text_of_all_kinds() {
        let part = "<?xml version='1.0'?><a>x<!-- no --><b c='d'/>&amp;&#44032;<![CDATA[<y>]]></a>";
        assert_eq!(text(part).as_deref(), Ok("x&가<y>"));
    }

    #[test]
    fn attributes_by_local_name() {
        let mut found = Vec::new();
        let part = r#"<w:a xmlns:w="u" w:val="x &lt; y"><w:b r:id="7" val="0"/></w:a>"#;
        let end = Xml::new(part.as_bytes()).each(|depth, element| {
            let name = element.name().to_owned();
            found.push((depth, name, element.attribute("val"), element.number("id")));
            Ok(())
        });
        assert_eq!(end, Ok(()));
        let b = (2, "b".to_owned(), Some("0".to_owned()), Some(7u32));
        let a = (1, "a".to_owned(), Some("x < y".to_owned()), None);
        assert_eq!(found, [a, b]);
    }

    #[test]
    fn attributes_with_a_prefix() {
        let mut found = Vec::new();
        let part = r#"<p:a id="256" r:id="r1"/>"#;
        let end = Xml::new(part.as_bytes()).each(|_, element| {
            found.push((element.attribute("id"), element.prefixed_attribute("id")));
            Ok(())
        });
        assert_eq!(end, Ok(()));
        assert_eq!(found, [(Some("256".to_owned()), Some("r1".to_owned()))]);
    }

    #[test]
    fn text_has_a_limit() {
        for (most, expected) in [(2, Err(EarlyStop::Full)), (3, Ok("xyz".to_owned()))] {
            let mut xml = Xml::new("<a>x<b>y</b>&#122;</a>".as_bytes());
            assert!(matches!(xml.next(), Ok(XmlEvent::Start(_))));
            assert_eq!(xml.text_within(most), expected);
        }
    }

    #[test]
    fn damaged_parts_end_early() {
        for (part, expected) in [
            ("<a>x<b>y</b>z</a>", "xyz"),
            ("<a>x<b>y", "xy"),
            ("<a>x</b>y</a>", "xy"),
            ("<a><b>x<c>y</b>z</a>", "xyz"),
            ("<a><b>x</c></b></b>z</a>", "xz"),
            ("<a>x&y;z</a>", "xz"),
            ("<a>x<b c='", "x"),
        ] {
            let mut xml = Xml::salvage(part.as_bytes());
            assert!(matches!(xml.next(), Ok(XmlEvent::Start(_))), "{part}");
            assert_eq!(xml.text().as_deref(), Ok(expected), "{part}");
            assert!(matches!(xml.next(), Ok(XmlEvent::Eof)), "{part}");
        }
    }

    #[test]
    fn damages_are_passed_over() {
        let many = format!("<a>x{}y</a>", "</b>".repeat(SKIPPED_DAMAGES + 1));
        let mut xml = Xml::salvage(many.as_bytes());
        assert!(matches!(xml.next(), Ok(XmlEvent::Start(_))));
        assert_eq!(xml.text().as_deref(), Ok("x"));
    }

    #[test]
    fn a_document_type_may_be_skipped() {
        let part = "<!DOCTYPE a [<!ENTITY x \"xx\"><!ENTITY y \"&x;&x;\">]><a>&y;&amp;</a>";
        let mut xml = Xml::new(part.as_bytes()).allow_document_type();
        let mut all = String::new();
        while xml.depth() == 0 {
            assert!(xml.next().is_ok());
        }
        while xml.depth() > 0 {
            if let Ok(XmlEvent::Text(text)) = xml.next() {
                all.push_str(&text);
            }
        }
        assert_eq!(all, "&y;&");
    }

    #[test]
    fn what_is_not_well_formed() {
        let deep = "<a>".repeat(XML_DEPTH + 1);
        for part in [
            "<a>",
            "<a></b>",
            "<a><b></a>",
            "<a>&x;</a>",
            "<!DOCTYPE a [<!ENTITY x \"xx\">]><a>&x;</a>",
            "<!DOCTYPE a SYSTEM \"file:///etc/passwd\"><a/>",
            "<a>&#x110000;</a>",
            &deep,
        ] {
            assert_eq!(end(part), Err(MALFORMED), "{part}");
        }
        assert_eq!(end(""), Ok(()));
    }

    #[test]
    fn a_text_without_end() {
        let text = io::repeat(b'x').take(1 << 40);
        let part = io::BufReader::new(b"<a>".as_slice().chain(text));
        let end = Xml::new(part).each(|_, _| Ok(()));
        assert_eq!(end, Err(EarlyStop::Failed(Failure::TooLarge)));
    }
}
