//! Test documents, built in code so that their content is visible in the test.

mod named;
mod pdf;
mod program;

use std::io::{Cursor, Write as _};

pub use named::named;
pub use pdf::{Pdf, objects};
pub use program::program;

use zip::ZipWriter;
use zip::write::SimpleFileOptions;

/// The compression of a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Packing {
    /// Uncompressed.
    Stored,
    /// Deflated.
    Deflated,
}

/// Builds a zip archive of these parts, deflated.
#[must_use]
pub fn package(parts: &[(&str, &str)]) -> Vec<u8> {
    let parts: Vec<(&str, &[u8], Packing)> = parts
        .iter()
        .map(|(name, text)| (*name, text.as_bytes(), Packing::Deflated))
        .collect();
    archive(&parts)
}

/// Builds a zip archive of these parts.
///
/// # Panics
/// Panics if a name occurs twice.
#[must_use]
pub fn archive(parts: &[(&str, &[u8], Packing)]) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes, packing) in parts {
        let method = match packing {
            Packing::Stored => zip::CompressionMethod::Stored,
            Packing::Deflated => zip::CompressionMethod::Deflated,
        };
        let options = SimpleFileOptions::default().compression_method(method);
        let written = writer
            .start_file(*name, options)
            .map_err(std::io::Error::from)
            .and_then(|()| writer.write_all(bytes));
        assert!(written.is_ok(), "{name}: {written:?}");
    }
    match writer.finish() {
        Ok(cursor) => cursor.into_inner(),
        Err(error) => panic!("the archive: {error}"),
    }
}

const RELATIONSHIPS: &str = "http://schemas.openxmlformats.org/package/2006/relationships";
const OFFICE: &str = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";

/// Builds a part of relationships: id, last segment of the type, target. A target with a scheme is
/// external.
#[must_use]
pub fn relationships(all: &[(&str, &str, &str)]) -> String {
    let mut part = format!(
        r#"<?xml version="1.0" encoding="UTF-8" standalone="yes"?><Relationships xmlns="{RELATIONSHIPS}">"#
    );
    for (id, kind, target) in all {
        let mode = if target.contains("://") {
            r#" TargetMode="External""#
        } else {
            ""
        };
        part.push_str(&format!(
            r#"<Relationship Id="{id}" Type="{OFFICE}/{kind}" Target="{target}"{mode}/>"#
        ));
    }
    part.push_str("</Relationships>");
    part
}

/// A builder of text documents from the XML of their parts. Names without a prefix belong to
/// WordprocessingML.
#[derive(Clone, Debug, Default)]
pub struct Docx {
    /// Content of the body.
    pub body: String,
    /// Part of the styles; empty for none.
    pub styles: String,
    /// Part of the lists; empty for none.
    pub numbering: String,
    /// Part of the footnotes; empty for none.
    pub footnotes: String,
    /// Part of the endnotes; empty for none.
    pub endnotes: String,
    /// Links: id and address.
    pub links: Vec<(&'static str, &'static str)>,
}

/// Styles of headings with Word's names, of a table of contents, and of a title.
pub const STYLES: &str = r#"
    <w:style w:type="paragraph" w:styleId="1"><w:name w:val="heading 1"/></w:style>
    <w:style w:type="paragraph" w:styleId="2"><w:name w:val="heading 2"/><w:basedOn w:val="1"/></w:style>
    <w:style w:type="paragraph" w:styleId="a"><w:name w:val="Title"/></w:style>
    <w:style w:type="paragraph" w:styleId="10"><w:name w:val="toc 1"/></w:style>"#;

/// Two lists: 1 has bullets, 2 has numbers.
pub const NUMBERING: &str = r#"
    <w:abstractNum w:abstractNumId="0">
      <w:lvl w:ilvl="0"><w:numFmt w:val="bullet"/></w:lvl><w:lvl w:ilvl="1"><w:numFmt w:val="bullet"/></w:lvl>
    </w:abstractNum>
    <w:abstractNum w:abstractNumId="1">
      <w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="decimal"/><w:lvlText w:val="%1."/></w:lvl>
    </w:abstractNum>
    <w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num>
    <w:num w:numId="2"><w:abstractNumId w:val="1"/></w:num>"#;

/// Returns a paragraph of one run.
#[must_use]
pub fn paragraph(text: &str) -> String {
    format!(r#"<w:p><w:r><w:t xml:space="preserve">{text}</w:t></w:r></w:p>"#)
}

/// Returns a paragraph in a style.
#[must_use]
pub fn styled(style: &str, text: &str) -> String {
    format!(r#"<w:p><w:pPr><w:pStyle w:val="{style}"/></w:pPr><w:r><w:t>{text}</w:t></w:r></w:p>"#)
}

/// Returns an item of a list in [`NUMBERING`].
#[must_use]
pub fn item(list: u32, level: u32, text: &str) -> String {
    format!(
        r#"<w:p><w:pPr><w:numPr><w:ilvl w:val="{level}"/><w:numId w:val="{list}"/></w:numPr></w:pPr><w:r><w:t>{text}</w:t></w:r></w:p>"#
    )
}

impl Docx {
    /// Creates a document with this body, and the styles and lists of this module.
    #[must_use]
    pub fn new(body: &str) -> Self {
        Self {
            body: body.to_owned(),
            styles: STYLES.to_owned(),
            numbering: NUMBERING.to_owned(),
            ..Self::default()
        }
    }

    /// Returns the bytes of the file.
    #[must_use]
    pub fn file(&self) -> Vec<u8> {
        let part = |name: &str, inside: &str| {
            format!(
                r#"<?xml version="1.0" encoding="UTF-8" standalone="yes"?><w:{name} xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" xmlns:r="{OFFICE}" xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006">{inside}</w:{name}>"#
            )
        };
        let mut related = Vec::new();
        let mut parts = vec![(
            "_rels/.rels",
            relationships(&[("r1", "officeDocument", "word/document.xml")]),
        )];
        for (kind, path, inside) in [
            ("styles", "word/styles.xml", &self.styles),
            ("numbering", "word/numbering.xml", &self.numbering),
            ("footnotes", "word/footnotes.xml", &self.footnotes),
            ("endnotes", "word/endnotes.xml", &self.endnotes),
        ] {
            if !inside.is_empty() {
                related.push((kind, kind, &path["word/".len()..]));
                parts.push((path, part(kind, inside)));
            }
        }
        let links = self.links.iter();
        related.extend(links.map(|(id, address)| (*id, "hyperlink", *address)));
        parts.push(("word/_rels/document.xml.rels", relationships(&related)));
        let body = format!("<w:body>{}<w:sectPr/></w:body>", self.body);
        parts.push(("word/document.xml", part("document", &body)));
        let parts: Vec<(&str, &str)> = parts.iter().map(|(n, t)| (*n, t.as_str())).collect();
        package(&parts)
    }
}

/// A builder of workbooks from the XML of their parts.
#[derive(Clone, Debug, Default)]
pub struct Xlsx {
    /// Sheets: the name and the content of the part of each.
    pub sheets: Vec<(String, String)>,
    /// Strings that cells share.
    pub shared: Vec<String>,
    /// Part of the styles; empty for none.
    pub styles: String,
    /// Content of the workbook before the sheets.
    pub properties: String,
}

/// Styles of cells: 0 is plain, 1 a date, 2 a date and time, 3 a percentage, 4 a date in Korean.
pub const CELL_STYLES: &str = r#"<numFmts count="1"><numFmt numFmtId="164" formatCode="yyyy&quot;년&quot; m&quot;월&quot; d&quot;일&quot;"/></numFmts>
    <cellStyleXfs><xf numFmtId="14"/></cellStyleXfs>
    <cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="22"/><xf numFmtId="9"/><xf numFmtId="164"/></cellXfs>"#;

impl Xlsx {
    /// Adds a sheet with these rows, in XML.
    #[must_use]
    pub fn with(mut self, name: &str, rows: &str) -> Self {
        let part = format!("<sheetData>{rows}</sheetData>");
        self.sheets.push((name.to_owned(), part));
        self
    }

    /// Returns the bytes of the file.
    #[must_use]
    pub fn file(&self) -> Vec<u8> {
        const MAIN: &str = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
        let mut related = vec![
            ("s".to_owned(), "styles", "styles.xml".to_owned()),
            (
                "t".to_owned(),
                "sharedStrings",
                "sharedStrings.xml".to_owned(),
            ),
        ];
        let mut parts = vec![(
            "_rels/.rels".to_owned(),
            relationships(&[("r1", "officeDocument", "xl/workbook.xml")]),
        )];
        let mut list = String::new();
        for (index, (name, part)) in self.sheets.iter().enumerate() {
            let target = format!("worksheets/sheet{index}.xml");
            list.push_str(&format!(
                r#"<sheet name="{name}" sheetId="{}" r:id="w{index}"/>"#,
                index + 1
            ));
            let part = format!(r#"<worksheet xmlns="{MAIN}">{part}</worksheet>"#);
            parts.push((format!("xl/{target}"), part));
            related.push((format!("w{index}"), "worksheet", target));
        }
        let related: Vec<(&str, &str, &str)> = related
            .iter()
            .map(|(id, kind, target)| (id.as_str(), *kind, target.as_str()))
            .collect();
        parts.push((
            "xl/_rels/workbook.xml.rels".to_owned(),
            relationships(&related),
        ));
        parts.push((
            "xl/workbook.xml".to_owned(),
            format!(
                r#"<workbook xmlns="{MAIN}" xmlns:r="{OFFICE}">{}<sheets>{list}</sheets></workbook>"#,
                self.properties
            ),
        ));
        let shared: String = self
            .shared
            .iter()
            .map(|t| format!("<si>{t}</si>"))
            .collect();
        parts.push((
            "xl/sharedStrings.xml".to_owned(),
            format!(r#"<sst xmlns="{MAIN}">{shared}</sst>"#),
        ));
        if !self.styles.is_empty() {
            let styles = format!(r#"<styleSheet xmlns="{MAIN}">{}</styleSheet>"#, self.styles);
            parts.push(("xl/styles.xml".to_owned(), styles));
        }
        let parts: Vec<(&str, &str)> = parts
            .iter()
            .map(|(name, part)| (name.as_str(), part.as_str()))
            .collect();
        package(&parts)
    }
}
