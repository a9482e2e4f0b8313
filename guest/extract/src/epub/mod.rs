//! Books in EPUB: chapters in the order of their spine, each of which is a page in XHTML.

mod contents;
mod publication;

use std::collections::HashSet;

use crate::encoding::decode_page;
use crate::failure::{EarlyStop, Failure};
use crate::html::{
    BlockSink, HtmlBlock, Omissions, PageLinks, PageOptions, PageSyntax, has_heading, read_blocks,
};
use crate::limits::{BOOK_BYTES, Limits};
use crate::markdown::{Markdown, one_line};
use crate::package::Package;
use crate::pictures::PictureNames;
use crate::salvage::read_package;
use contents::{Contents, ContentsEntry};
use publication::{Publication, encrypted_parts, part_name};

/// The way in which chapters are read. Links between chapters have no meaning in one text.
const CHAPTER: PageOptions = PageOptions {
    syntax: PageSyntax::Xml,
    links: PageLinks::Absolute,
    heading_offset: 1,
};

/// Adds the text of a book to `text`, with its title as the first heading.
///
/// # Errors
/// [`EarlyStop`] if the text is incomplete.
pub fn read(content: &[u8], limits: &Limits, text: &mut Markdown) -> Result<(), EarlyStop> {
    read_package(content, limits, text, read_book)
}

/// Adds the chapters of a package to `text`.
fn read_book(mut package: Package<'_>, text: &mut Markdown) -> Result<(), EarlyStop> {
    let publication = Publication::read(&mut package)?;
    let encrypted = encrypted_parts(&mut package)?;
    let is_encrypted = |part: &String| encrypted.contains(part);
    if publication.chapters.iter().any(is_encrypted) {
        return Err(EarlyStop::Failed(Failure::Encrypted));
    }
    let contents = Contents::read(&mut package, &publication)?;
    let pictures = PictureNames::find(&package);
    package.limit_remaining(BOOK_BYTES);
    text.heading(1, &publication.title)?;
    let mut omitted = Omissions::default();
    let mut missing = 0;
    let mut seen = HashSet::new();
    let mut title = Some(publication.title.as_str()).filter(|title| !title.is_empty());
    for name in &publication.chapters {
        // A chapter may be in the spine only once, and one that is there 200 000 times is read
        // once.
        if !seen.insert(name.as_str()) {
            continue;
        }
        let Some(bytes) = package.bytes(name)? else {
            missing += 1;
            continue;
        };
        let page = decode_page(&bytes);
        let mut chapter = Chapter {
            text,
            title,
            heading: None,
            directory: name.rsplit_once('/').map_or("", |(directory, _)| directory),
            pictures: &pictures,
        };
        chapter.begin(&page, contents.entry(name))?;
        omitted.add(read_blocks(&page, CHAPTER, &mut chapter)?);
        title = chapter.title;
    }
    omitted.pictures += publication.pictures;
    text.push_omission_note(&[(missing, "missing chapter", "missing chapters")])?;
    let [one, several] = pictures.nouns();
    text.push_omission_note(&[
        (omitted.hidden, "hidden element", "hidden elements"),
        (omitted.pictures, &one, &several),
    ])
}

/// A chapter that is being read.
struct Chapter<'b, 't> {
    text: &'t mut Markdown,
    /// Title of the book, until the chapters have repeated it or have another heading.
    title: Option<&'b str>,
    /// Heading from the contents, until the chapter has a block.
    heading: Option<&'b str>,
    /// Directory of its part.
    directory: &'b str,
    pictures: &'b PictureNames,
}

impl<'b> Chapter<'b, '_> {
    /// Adds the heading that the contents of the book give a chapter without one.
    fn begin(&mut self, page: &str, entry: Option<&'b ContentsEntry>) -> Result<(), EarlyStop> {
        let Some(entry) = entry else {
            return Ok(());
        };
        if self.title == Some(&entry.label) || has_heading(page, CHAPTER, &|_, _| true) {
            return Ok(());
        }
        self.title = None;
        self.heading = Some(&entry.label);
        self.text.heading(
            entry.level.saturating_add(CHAPTER.heading_offset),
            &entry.label,
        )
    }
}

impl BlockSink for Chapter<'_, '_> {
    fn block(&mut self, block: HtmlBlock) -> Result<(), EarlyStop> {
        // The page with the title of the book, and the words that a chapter shows as its heading
        // although they are a paragraph, are there already.
        let heading = self.heading.take();
        let is_again = match &block {
            HtmlBlock::Heading(_, words) => {
                let title = self.title.take();
                title.is_some_and(|title| title == one_line(words))
            }
            HtmlBlock::Paragraph(words) => heading.is_some_and(|label| label == one_line(words)),
            HtmlBlock::Code(_) | HtmlBlock::Item(..) | HtmlBlock::Table(_) => false,
        };
        if is_again {
            return Ok(());
        }
        block.write(CHAPTER.heading_offset, self.text)
    }

    fn picture(&self, address: &str) -> Option<&str> {
        self.pictures.member(&part_name(self.directory, address))
    }

    fn room(&self) -> usize {
        self.text.room()
    }
}
