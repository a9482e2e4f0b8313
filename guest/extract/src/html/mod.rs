//! Pages in HTML and XHTML, whole or as the body of a mail or the chapter of a book.

mod blocks;
mod flow;
mod image;
mod inline;
mod math;
mod page;
mod table;
mod tags;
mod tokens;

use html5gum::Tokenizer;

pub use blocks::{BlockSink, HtmlBlock};

use crate::encoding::decode_page;
use crate::failure::{EarlyStop, Failure};
use crate::limits::{BINARY_CHARACTERS, SEARCHED_HEADINGS};
use crate::markdown::{Markdown, one_line};
use page::PageReader;
use tokens::TokenReceiver;

/// The way in which a page is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PageOptions {
    pub syntax: PageSyntax,
    pub links: PageLinks,
    /// Number that is added to the levels of its headings.
    pub heading_offset: u8,
}

/// The syntax of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PageSyntax {
    /// HTML, or XHTML if the page begins as such.
    Html,
    Xml,
}

/// The links of a page that get an address. Others are words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PageLinks {
    /// Those to other pages.
    All,
    /// Those with an absolute address.
    Absolute,
}

/// Numbers of elements that the text omits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Omissions {
    /// Hidden elements with text.
    pub hidden: usize,
    /// Pictures without a description.
    pub pictures: usize,
}

impl Default for PageOptions {
    fn default() -> Self {
        Self {
            syntax: PageSyntax::Html,
            links: PageLinks::All,
            heading_offset: 0,
        }
    }
}

impl Omissions {
    /// Adds the numbers of another page.
    pub fn add(&mut self, other: Self) {
        self.hidden += other.hidden;
        self.pictures += other.pictures;
    }

    /// Adds a line with the numbers to `text`.
    pub fn write(self, text: &mut Markdown) -> Result<(), EarlyStop> {
        text.push_omission_note(&[
            (self.hidden, "hidden element", "hidden elements"),
            (self.pictures, "picture", "pictures"),
        ])
    }
}

/// Adds the text of a page to `text`, with its title as the first heading.
///
/// # Errors
/// [`EarlyStop`] if the text is incomplete.
pub fn read(content: &[u8], text: &mut Markdown) -> Result<(), EarlyStop> {
    let page = decode_page(content);
    if is_binary(&page) {
        return Err(EarlyStop::Failed(Failure::Malformed));
    }
    let is_xml = page.trim_start().starts_with("<?xml");
    let syntax = if is_xml {
        PageSyntax::Xml
    } else {
        PageSyntax::Html
    };
    let options = PageOptions {
        syntax,
        ..PageOptions::default()
    };
    let mut file = PageFile {
        page: &page,
        options,
        text,
    };
    let omitted = read_blocks(&page, options, &mut file)?;
    omitted.write(text)
}

/// Returns true if a page is no text: of its beginning, every hundredth character or more is a
/// control character. Any text is a page, but another file with the extension of one is not.
fn is_binary(page: &str) -> bool {
    let is_control = |c: &char| c.is_control() && !c.is_whitespace();
    let head = page.chars().take(BINARY_CHARACTERS);
    let controls = head.filter(is_control).count();
    controls * 100 >= page.len().clamp(1, BINARY_CHARACTERS)
}

/// Adds the text of a page or a part of one to `text`, without its title.
///
/// # Errors
/// [`EarlyStop`] if the text is incomplete.
pub fn write(
    page: &str,
    options: PageOptions,
    text: &mut Markdown,
) -> Result<Omissions, EarlyStop> {
    let mut part = PagePart {
        offset: options.heading_offset,
        text,
    };
    read_blocks(page, options, &mut part)
}

/// Passes the blocks of a page to `sink`.
pub fn read_blocks(
    page: &str,
    options: PageOptions,
    sink: &mut dyn BlockSink,
) -> Result<Omissions, EarlyStop> {
    let mut reader = PageReader::new(options, sink);
    let receiver = TokenReceiver::new(&mut reader);
    // The only token is the reason to stop, and reading a string does not fail.
    if let Some(Ok(stop)) = Tokenizer::new_with_emitter(page, receiver).next() {
        return Err(stop);
    }
    reader.finish()
}

/// Returns true if a page has a heading that satisfies `is_it`, which gets its level and words.
pub fn has_heading(page: &str, options: PageOptions, is_it: &dyn Fn(u8, &str) -> bool) -> bool {
    let has_tag = |tag: &[u8]| {
        let is_start = |start: &[u8]| start.eq_ignore_ascii_case(tag);
        page.as_bytes().windows(tag.len()).any(is_start)
    };
    let mut search = HeadingSearch {
        is_it,
        remaining: SEARCHED_HEADINGS,
        is_found: false,
    };
    // Most pages without such a heading need not be read for it.
    has_tag(b"<h") && read_blocks(page, options, &mut search).is_err() && search.is_found
}

/// A page that is a file of its own.
struct PageFile<'p, 't> {
    page: &'p str,
    options: PageOptions,
    text: &'t mut Markdown,
}

impl BlockSink for PageFile<'_, '_> {
    fn title(&mut self, words: &str) -> Result<(), EarlyStop> {
        // Most pages repeat their title as the first heading.
        let is_repeated = |level: u8, heading: &str| level == 1 && one_line(heading) == words;
        if has_heading(self.page, self.options, &is_repeated) {
            return Ok(());
        }
        self.text.heading(1, words)
    }

    fn block(&mut self, block: HtmlBlock) -> Result<(), EarlyStop> {
        block.write(0, self.text)
    }

    fn room(&self) -> usize {
        self.text.room()
    }
}

/// A page that is part of a document.
struct PagePart<'t> {
    offset: u8,
    text: &'t mut Markdown,
}

impl BlockSink for PagePart<'_> {
    fn block(&mut self, block: HtmlBlock) -> Result<(), EarlyStop> {
        block.write(self.offset, self.text)
    }

    fn room(&self) -> usize {
        self.text.room()
    }
}

/// A search for a heading. It ends reading when it has found one.
struct HeadingSearch<'s> {
    is_it: &'s dyn Fn(u8, &str) -> bool,
    /// Number of headings that are still examined.
    remaining: usize,
    is_found: bool,
}

impl BlockSink for HeadingSearch<'_> {
    fn block(&mut self, block: HtmlBlock) -> Result<(), EarlyStop> {
        if let HtmlBlock::Heading(level, words) = block {
            self.is_found = (self.is_it)(level, &words);
            self.remaining -= 1;
            if self.is_found || self.remaining == 0 {
                return Err(EarlyStop::Full);
            }
        }
        Ok(())
    }

    fn room(&self) -> usize {
        usize::MAX
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_of_another_document() {
        let options = PageOptions {
            links: PageLinks::Absolute,
            heading_offset: 1,
            ..PageOptions::default()
        };
        let page = "<title>no</title><h1>a</h1><h6>b</h6><a href=c.html>c</a> \
                    <a href=mailto:d@example.org>d</a><img><p hidden>e";
        let mut text = Markdown::new(1 << 10);
        let omitted = Omissions {
            hidden: 1,
            pictures: 1,
        };
        assert_eq!(write(page, options, &mut text), Ok(omitted));
        assert_eq!(
            text.finish(),
            "## a\n\n###### b\n\nc [d](mailto:d@example.org)\n"
        );
    }
}
