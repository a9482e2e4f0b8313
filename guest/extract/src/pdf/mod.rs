//! PDF: text in drawing order, under the headings of the outline or else page by page.

mod content;
mod direction;
mod font;
mod glyph;
mod glyph_names;
mod headings;
mod layers;
mod layout;
mod outline;
mod overprint;
mod pairs;
mod unpacked;

use std::sync::Arc;

use hayro_syntax::object::Dict;
use hayro_syntax::{LoadPdfError, Pdf};

use crate::failure::{EarlyStop, Failure, UnknownGlyphs};
use crate::markdown::{Markdown, one_line};
use content::PageBudget;
use font::Fonts;
use headings::letters;
use layers::Layers;
use layout::{Line, lines};
use outline::{OutlineEntry, text_string};

/// Maximum ranges of pages listed for glyphs without text.
const NAMED_PAGES: usize = 10;

/// Adds the text of a document to `text`.
///
/// # Errors
/// [`EarlyStop`] if the text is incomplete.
pub fn read(content: Vec<u8>, text: &mut Markdown) -> Result<(), EarlyStop> {
    let pdf = Pdf::new(Arc::new(content)).map_err(|error| {
        EarlyStop::Failed(match error {
            // This includes unknown methods of encryption, which make no difference to the
            // caller.
            LoadPdfError::Decryption(_) => Failure::Encrypted,
            LoadPdfError::Invalid => Failure::Malformed,
        })
    })?;
    let pages = pdf.pages();
    let mut outline = outline::read(&pdf);
    let title = title(&pdf);
    // Many outlines begin with the title of the document. It is then that entry's heading, and
    // not repeated above it.
    let is_in_outline = |title: &str| {
        let first = outline.first();
        first.is_some_and(|first| letters(&first.title) == letters(title))
    };
    let top_level = match &title {
        Some(title) if !is_in_outline(title) => {
            text.heading(1, title)?;
            2
        }
        _ => 1,
    };
    let has_outline = !outline.is_empty();
    let fonts = Fonts::new();
    let catalog = pdf.xref().get::<Dict<'_>>(pdf.xref().root_id());
    let layers = catalog.map_or_else(Layers::default, |catalog| Layers::from_catalog(&catalog));
    let mut budget = PageBudget::default();
    let mut has_text = false;
    let mut unknown = Unknown::default();
    // A page of pictures among pages with text may be a scan whose words nobody finds. Such
    // pages are named at the end, so that a search without a result is not taken for an
    // absence.
    let mut pictures = PageRanges::default();
    for (index, page) in pages.iter().enumerate() {
        let drawn = content::read(page, &fonts, &layers, &mut budget);
        if drawn.is_over {
            return Err(EarlyStop::Failed(Failure::TooLarge));
        }
        unknown.add(index, drawn.unknown);
        let lines = lines(drawn.glyphs);
        if lines.is_empty() && drawn.unknown == 0 && drawn.has_pictures {
            pictures.add(index);
        }
        has_text |= !lines.is_empty();
        if has_outline {
            // The outline is sorted by page, so the entries of this page come first.
            let end = outline.partition_point(|entry| entry.page <= index);
            let here: Vec<OutlineEntry> = outline.drain(..end).collect();
            write_under_headings(text, &lines, &here, top_level)?;
        } else if !lines.is_empty() {
            text.heading(2, &format!("Page {}", index + 1))?;
            write_paragraphs(text, &lines)?;
        }
    }
    if !has_text {
        return Err(EarlyStop::Failed(unknown.failure()));
    }
    if let Some(words) = unknown.words() {
        text.paragraph(&words)?;
    }
    match pictures.words() {
        Some(pages) => text.paragraph(&format!("(Pictures and no text: {pages}.)")),
        None => Ok(()),
    }
}

/// Page numbers from 1: first and last of each range of consecutive pages.
#[derive(Default)]
struct PageRanges(Vec<(usize, usize)>);

impl PageRanges {
    /// Adds the page with this index, which must follow all others.
    fn add(&mut self, index: usize) {
        match self.0.last_mut() {
            Some((_, last)) if *last == index => *last += 1,
            _ => self.0.push((index + 1, index + 1)),
        }
    }

    /// Returns the number of pages.
    fn count(&self) -> usize {
        self.0.iter().map(|(first, last)| last - first + 1).sum()
    }

    /// Describes the pages, as in `pages 1, 3 to 5 and 8`, with only the first ranges of many.
    /// `None` if there are no pages.
    fn words(&self) -> Option<String> {
        let shown = self.0.iter().take(NAMED_PAGES);
        let mut pages: Vec<String> = shown
            .map(|(first, last)| match last - first {
                0 => first.to_string(),
                _ => format!("{first} to {last}"),
            })
            .collect();
        if self.0.len() > NAMED_PAGES {
            pages.push("others".to_owned());
        }
        let last = pages.pop()?;
        let noun = if self.count() == 1 { "page" } else { "pages" };
        Some(if pages.is_empty() {
            format!("{noun} {last}")
        } else {
            format!("{noun} {} and {last}", pages.join(", "))
        })
    }
}

/// Glyphs whose characters the file does not give.
#[derive(Default)]
struct Unknown {
    glyphs: usize,
    /// Pages that contain them.
    pages: PageRanges,
}

impl Unknown {
    /// Adds the number of such glyphs on the page with this index.
    fn add(&mut self, index: usize, glyphs: usize) {
        if glyphs == 0 {
            return;
        }
        self.glyphs += glyphs;
        self.pages.add(index);
    }

    /// Returns the failure of a document without any other text.
    fn failure(&self) -> Failure {
        if self.glyphs == 0 {
            return Failure::NoText;
        }
        let count = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        Failure::UnknownGlyphs(UnknownGlyphs {
            glyphs: count(self.glyphs),
            pages: count(self.pages.count()),
        })
    }

    /// Returns a sentence about the glyphs, if there are any.
    fn words(&self) -> Option<String> {
        let pages = self.pages.words()?;
        Some(format!(
            "(Not all that is shown is here as text: the file does not name the characters of {} {} on {pages}.)",
            self.glyphs,
            if self.glyphs == 1 { "glyph" } else { "glyphs" },
        ))
    }
}

/// Adds the lines of a page under the headings of the outline that refer to it. Where the page
/// prints a heading, its own text is used, since that has the number: `1.1 Install` for `Install`.
fn write_under_headings(
    text: &mut Markdown,
    lines: &[Line],
    entries: &[OutlineEntry],
    top_level: usize,
) -> Result<(), EarlyStop> {
    let mut next = 0;
    for heading in headings::place(lines, entries) {
        write_paragraphs(text, &lines[next..heading.lines.start])?;
        next = heading.lines.end;
        let level = u8::try_from(top_level + heading.entry.level).unwrap_or(6);
        if heading.is_printed() {
            let words = lines[heading.lines].iter().map(|line| line.text.as_str());
            text.heading(level, &words.collect::<Vec<_>>().join(" "))?;
        } else {
            text.heading(level, &heading.entry.title)?;
        }
    }
    write_paragraphs(text, &lines[next..])
}

/// Adds lines, joined to paragraphs.
fn write_paragraphs(text: &mut Markdown, lines: &[Line]) -> Result<(), EarlyStop> {
    let mut paragraph = String::new();
    for line in lines {
        if line.begins_paragraph && !paragraph.is_empty() {
            text.paragraph(&paragraph)?;
            paragraph.clear();
        }
        if !paragraph.is_empty() {
            paragraph.push('\n');
        }
        paragraph.push_str(&line.text);
    }
    text.paragraph(&paragraph)
}

/// Returns the title in the file's metadata, unless it is a placeholder of a program.
fn title(pdf: &Pdf) -> Option<String> {
    let title = one_line(&text_string(pdf.metadata().title.as_deref()?));
    let lower = title.to_lowercase();
    // Placeholders are, for example, `Microsoft Word - a.doc`, `untitled`, `(anonymous)` and
    // `report.indd`.
    let is_filled_in = lower.starts_with("microsoft ")
        || lower.starts_with("untitled")
        || matches!(
            lower.as_str(),
            "(anonymous)" | "(unspecified)" | "anonymous"
        )
        || [
            ".doc", ".docx", ".dvi", ".tex", ".indd", ".pdf", ".hwp", ".ppt", ".pptx", ".xlsx",
        ]
        .iter()
        .any(|end| lower.ends_with(end));
    (!is_filled_in && title.chars().any(char::is_alphabetic)).then_some(title)
}
