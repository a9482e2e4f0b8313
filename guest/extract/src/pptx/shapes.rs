//! Shapes of a slide, of its notes, or of a drawing: their texts, tables and pictures, and their
//! references to charts and diagrams.
//!
//! Shapes are nested in groups, alternatives and elements of later versions, which do not affect
//! their text, so the part is read as one flat sequence. The few elements whose end matters are on
//! a stack while they are open.

use std::collections::{BTreeMap, BTreeSet};
use std::io::BufRead;

use super::SlideBlock;
use super::budget::Budget;
use super::list_styles::InheritedLists;
use super::text_body::{Alternatives, TextBodies};
use crate::failure::EarlyStop;
use crate::inline::make_link;
use crate::pictures::picture_mark;
use crate::xml::{Element, Xml, XmlEvent};

/// The content of a part with shapes.
#[derive(Debug, Default)]
pub struct ShapeContent {
    /// Text of the placeholder for the title.
    pub title: Option<String>,
    /// All other content, in the order of the file.
    pub blocks: Vec<SlideBlock>,
    /// True if the slide is hidden.
    pub is_hidden: bool,
    /// Number of pictures.
    pub pictures: usize,
    /// Number of videos and sounds.
    pub media: usize,
    /// Number of embedded objects.
    pub objects: usize,
}

/// A reader of a part with shapes.
pub struct ShapeReader<'a> {
    /// Addresses of links by relationship id.
    links: &'a BTreeMap<String, String>,
    /// Names of pictures by relationship id.
    pictures: &'a BTreeMap<String, String>,
    /// Marks of lists that placeholders inherit.
    lists: Option<&'a InheritedLists>,
    budget: Budget,
    content: ShapeContent,
    open: Vec<OpenSlideShape<'a>>,
    alternatives: Alternatives,
    /// Ids of the charts and diagrams that have been found.
    referenced: BTreeSet<String>,
}

/// A shape, group or frame whose content is being read.
#[derive(Debug, Default)]
struct OpenSlideShape<'a> {
    /// Number of open elements when it began, including itself.
    depth: usize,
    /// Kind and index of its placeholder, if it is one.
    placeholder: Option<(PlaceholderKind, u32)>,
    /// Its alternative text.
    description: String,
    /// True if its author says that it is no content.
    is_decorative: bool,
    /// Name of the picture that it shows.
    picture: Option<&'a str>,
    /// Address of its link.
    address: Option<&'a str>,
    /// Number of texts before it.
    texts_before: usize,
    kind: ShapeKind,
}

/// The kind of a shape.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum ShapeKind {
    Picture,
    /// A picture that stands for a video or a sound.
    Media,
    #[default]
    Other,
}

/// The kind of a placeholder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PlaceholderKind {
    Title,
    /// The number of the slide, the date, the header or the footer.
    LeftOut,
    Body,
}

/// Ends of the names of files. Programs insert a picture with its name as alternative text.
const PICTURE_EXTENSIONS: [&str; 16] = [
    ".bmp", ".emf", ".eps", ".gif", ".ico", ".jfif", ".jpeg", ".jpg", ".mp4", ".pdf", ".png",
    ".svg", ".tif", ".tiff", ".webp", ".wmf",
];

impl<'a> ShapeReader<'a> {
    /// Creates a reader of a part.
    pub fn new(
        links: &'a BTreeMap<String, String>,
        pictures: &'a BTreeMap<String, String>,
        lists: Option<&'a InheritedLists>,
        budget: Budget,
    ) -> Self {
        Self {
            links,
            pictures,
            lists,
            budget,
            content: ShapeContent::default(),
            open: Vec::new(),
            alternatives: Alternatives::default(),
            referenced: BTreeSet::new(),
        }
    }

    /// Reads a part. Returns its content, and the error if this is not all.
    pub fn read<R: BufRead>(mut self, mut xml: Xml<R>) -> (ShapeContent, Result<(), EarlyStop>) {
        let end = self.elements(&mut xml);
        (self.content, end)
    }

    fn elements<R: BufRead>(&mut self, xml: &mut Xml<R>) -> Result<(), EarlyStop> {
        loop {
            let depth = xml.depth();
            let element = match xml.next()? {
                XmlEvent::Start(element) => element,
                XmlEvent::End => {
                    self.close(depth)?;
                    continue;
                }
                XmlEvent::Eof => return Ok(()),
                XmlEvent::Text(_) | XmlEvent::Nothing => continue,
            };
            let depth = depth + 1;
            if self.alternatives.is_superfluous(depth, self.amount()) {
                xml.skip()?;
                continue;
            }
            match element.name() {
                "AlternateContent" => self.alternatives.open(depth, self.amount()),
                "txBody" => self.text_body(xml)?,
                "tbl" => self.table(xml)?,
                // The commands of animations, and data of later versions.
                "timing" | "transition" => xml.skip()?,
                "extLst" => self.extensions(xml)?,
                _ => self.element(&element, depth)?,
            }
        }
    }

    /// Notes an element whose content is read by the same loop.
    fn element(&mut self, element: &Element<'_>, depth: usize) -> Result<(), EarlyStop> {
        match element.name() {
            "sld" if depth == 1 => {
                let shown = element.attribute("show");
                self.content.is_hidden = matches!(shown.as_deref(), Some("0" | "false"));
            }
            "sp" | "cxnSp" | "grpSp" | "graphicFrame" | "contentPart" => {
                self.open_shape(depth, ShapeKind::Other);
            }
            "pic" => self.open_shape(depth, ShapeKind::Picture),
            "videoFile" | "audioFile" | "wavAudioFile" | "quickTimeFile" => {
                if let Some(shape) = self.open.last_mut() {
                    shape.kind = ShapeKind::Media;
                }
            }
            "cNvPr" => {
                if let Some(shape) = self.open.last_mut() {
                    shape.description = element.attribute("descr").unwrap_or_default();
                }
            }
            "blip" => {
                if let Some(shape) = self.open.last_mut()
                    && shape.kind == ShapeKind::Picture
                {
                    let id = element.prefixed_attribute("embed");
                    let picture = id.and_then(|id| self.pictures.get(&id));
                    shape.picture = shape.picture.or(picture.map(String::as_str));
                }
            }
            "hlinkClick" => {
                if let Some(shape) = self.open.last_mut() {
                    let id = element.prefixed_attribute("id");
                    shape.address = id.and_then(|id| self.links.get(&id)).map(String::as_str);
                }
            }
            "ph" => {
                if let Some(shape) = self.open.last_mut() {
                    let index = element.number("idx").unwrap_or_default();
                    let kind = PlaceholderKind::parse(element.attribute("type").as_deref());
                    shape.placeholder = Some((kind, index));
                }
            }
            "oleObj" => self.content.objects += 1,
            "chart" => {
                if let Some(id) = element.prefixed_attribute("id") {
                    self.push_reference(&id, SlideBlock::Chart)?;
                }
            }
            "relIds" => {
                if let Some(id) = element.prefixed_attribute("dm") {
                    self.push_reference(&id, SlideBlock::Diagram)?;
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// Reads the data of later versions that began last, of which one matters.
    fn extensions<R: BufRead>(&mut self, xml: &mut Xml<R>) -> Result<(), EarlyStop> {
        let end = xml.depth() - 1;
        while xml.depth() > end {
            if let XmlEvent::Start(element) = xml.next()?
                && element.name() == "decorative"
                && let Some(shape) = self.open.last_mut()
            {
                let value = element.attribute("val");
                shape.is_decorative = matches!(value.as_deref(), Some("1" | "true"));
            }
        }
        Ok(())
    }

    fn open_shape(&mut self, depth: usize, kind: ShapeKind) {
        self.open.push(OpenSlideShape {
            depth,
            kind,
            texts_before: self.texts(),
            ..OpenSlideShape::default()
        });
    }

    /// Closes the shape that ended at `depth`, if it is one.
    fn close(&mut self, depth: usize) -> Result<(), EarlyStop> {
        self.alternatives.close(depth);
        let Some(shape) = self.open.pop_if(|shape| shape.depth == depth) else {
            return Ok(());
        };
        match shape.kind {
            ShapeKind::Picture => self.content.pictures += 1,
            ShapeKind::Media => self.content.media += 1,
            ShapeKind::Other => {}
        }
        // The alternative text of a shape with text repeats it, or describes its form.
        let has_text = self.texts() > shape.texts_before;
        let is_left_out = matches!(shape.placeholder, Some((PlaceholderKind::LeftOut, _)));
        if has_text || is_left_out || shape.is_decorative {
            return Ok(());
        }
        let Some(mut words) = picture_mark(shape.picture, &shape.description) else {
            return Ok(());
        };
        self.budget.take_item()?;
        self.budget.take_bytes(words.len())?;
        if let Some(address) = shape.address {
            self.budget.take_bytes(address.len())?;
            make_link(&mut words, 0, address);
        }
        self.content.blocks.push(SlideBlock::Picture(words));
        Ok(())
    }

    /// Adds a chart or a diagram by the id of its relationship. One that occurs several times is
    /// added once: otherwise a slide of some megabytes would stand for a thousand times as much.
    fn push_reference(
        &mut self,
        id: &str,
        block: fn(String) -> SlideBlock,
    ) -> Result<(), EarlyStop> {
        if self.referenced.insert(id.to_owned()) {
            self.budget.take_item()?;
            self.content.blocks.push(block(id.to_owned()));
        }
        Ok(())
    }

    /// Returns the number of texts that have been read.
    fn texts(&self) -> usize {
        self.content.blocks.len() + usize::from(self.content.title.is_some())
    }

    /// Returns the number of texts and of elements that are only counted.
    fn amount(&self) -> usize {
        self.texts() + self.content.pictures + self.content.media + self.content.objects
    }

    /// Reads the text body that began last.
    fn text_body<R: BufRead>(&mut self, xml: &mut Xml<R>) -> Result<(), EarlyStop> {
        let shape = self.open.last();
        let placeholder = shape.and_then(|shape| shape.placeholder);
        let address = shape.and_then(|shape| shape.address);
        if matches!(placeholder, Some((PlaceholderKind::LeftOut, _))) {
            return xml.skip();
        }
        let inherited = match placeholder {
            Some((PlaceholderKind::Body, index)) => self.lists.map(|lists| (index, lists)),
            _ => None,
        };
        let start = self.content.blocks.len();
        let mut bodies = TextBodies {
            links: self.links,
            inherited,
            budget: &mut self.budget,
        };
        let end = bodies.read(xml, &mut self.content.blocks);
        let is_title = matches!(placeholder, Some((PlaceholderKind::Title, _)));
        if is_title && self.content.title.is_none() && self.content.blocks.len() > start {
            let lines = self.content.blocks.drain(start..);
            let lines: Vec<String> = lines.filter_map(SlideBlock::into_text).collect();
            self.content.title = Some(lines.join(" "));
        } else if let Some(address) = address {
            for block in self.content.blocks.iter_mut().skip(start) {
                block.link(address, &mut self.budget)?;
            }
        }
        end
    }

    /// Reads the table that began last.
    fn table<R: BufRead>(&mut self, xml: &mut Xml<R>) -> Result<(), EarlyStop> {
        let mut rows = Vec::new();
        let end = self.rows(xml, &mut rows);
        self.content.blocks.push(SlideBlock::Table(rows));
        end
    }

    fn rows<R: BufRead>(
        &mut self,
        xml: &mut Xml<R>,
        rows: &mut Vec<Vec<String>>,
    ) -> Result<(), EarlyStop> {
        let end = xml.depth() - 1;
        while xml.depth() > end {
            let XmlEvent::Start(element) = xml.next()? else {
                continue;
            };
            match element.name() {
                "tr" => {
                    self.budget.take_item()?;
                    rows.push(Vec::new());
                }
                // Cells that a merged cell covers are in the file, and empty.
                "tc" => {
                    self.budget.take_item()?;
                    let mut bodies = TextBodies {
                        links: self.links,
                        inherited: None,
                        budget: &mut self.budget,
                    };
                    let text = bodies.cell(xml)?;
                    if let Some(row) = rows.last_mut() {
                        row.push(text);
                    }
                }
                "extLst" => xml.skip()?,
                _ => {}
            }
        }
        Ok(())
    }
}

impl PlaceholderKind {
    /// Returns the kind of a placeholder by the type that its element names.
    fn parse(kind: Option<&str>) -> Self {
        match kind {
            Some("title" | "ctrTitle") => Self::Title,
            Some("sldNum" | "dt" | "ftr" | "hdr") => Self::LeftOut,
            _ => Self::Body,
        }
    }
}

/// Returns true if an alternative text is only the name of a file.
pub fn is_file_name(text: &str) -> bool {
    let text = text.to_ascii_lowercase();
    PICTURE_EXTENSIONS.iter().any(|end| text.ends_with(end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_files_are_no_descriptions() {
        for (text, expected) in [
            ("IMG_0001.JPG", true),
            (r"C:\Users\me\my logo.png", true),
            ("https://example.org/a.svg", true),
            ("A red car", false),
            ("png", false),
            ("", false),
        ] {
            assert_eq!(is_file_name(text), expected, "{text}");
        }
    }
}
