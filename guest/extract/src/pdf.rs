//! PDF: text in the order in which it is drawn, under the headings of the outline, else page by
//! page.

mod bitmap_fonts;
mod layout;
mod outline;

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use hayro_interpret::font::{Glyph, GlyphRun};
use hayro_interpret::hayro_cmap::{BfString, WritingMode};
use hayro_interpret::{
    BlendMode, ClipPath, Context, Device, DrawMode, DrawProps, Image, ImageDrawProps,
    InterpreterCache, InterpreterSettings, SoftMask, TransformExt as _, interpret_page,
};
use hayro_syntax::{LoadPdfError, Pdf};
use kurbo::{Affine, BezPath, Point, Rect};

use crate::limits::PAGE_GLYPHS;
use crate::markdown::{Markdown, one_line};
use crate::{Failure, Stop};
use layout::{Line, PlacedGlyph, lines};
use outline::{Entry, text_string};

/// Units of a font's own measure in the height of a line.
const UNITS: f64 = 1000.0;

/// Lines that one heading may take on a page.
const HEADING_LINES: usize = 3;

/// Adds the text of a document to `text`.
///
/// # Errors
/// [`Stop`] says why not all of it.
pub fn read(content: Vec<u8>, text: &mut Markdown) -> Result<(), Stop> {
    let pdf = Pdf::new(Arc::new(content)).map_err(|error| {
        Stop::Failed(match error {
            // Also ways to encrypt that are not known here: to the caller it is the same.
            LoadPdfError::Decryption(_) => Failure::Encrypted,
            LoadPdfError::Invalid => Failure::Malformed,
        })
    })?;
    let pages = pdf.pages();
    let mut outline = outline::read(&pdf);
    let title = title(&pdf);
    // Where the outline begins with the title, that is its heading.
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
    let cache = InterpreterCache::new();
    let settings = InterpreterSettings::default();
    let mut has_text = false;
    for (index, page) in pages.iter().enumerate() {
        let mut glyphs = PageGlyphs {
            has_codes: bitmap_fonts::are_named_by_code(&page.resources().fonts),
            ..PageGlyphs::default()
        };
        let initial = page.initial_transform(true).to_kurbo();
        let (width, height) = page.render_dimensions();
        let all = Rect::new(0.0, 0.0, width.into(), height.into());
        let mut context = Context::new(initial, all, &cache, pdf.xref(), settings.clone());
        interpret_page(page, &mut context, &mut glyphs);
        if glyphs.is_over {
            return Err(Stop::Failed(Failure::TooLarge));
        }
        let lines = lines(glyphs.all);
        has_text |= !lines.is_empty();
        if has_outline {
            // In the order of pages, so those of this one come first.
            let end = outline.partition_point(|entry| entry.page <= index);
            let here: Vec<Entry> = outline.drain(..end).collect();
            write_under_headings(text, &lines, &here, top_level)?;
        } else if !lines.is_empty() {
            text.heading(2, &format!("Page {}", index + 1))?;
            write_paragraphs(text, &lines)?;
        }
    }
    if has_text {
        Ok(())
    } else {
        Err(Stop::Failed(Failure::NoText))
    }
}

/// Adds the lines of a page under those headings of the outline that lead to it. A heading stands
/// where the page shows it, instead of the line that does, else at the beginning of the page.
fn write_under_headings(
    text: &mut Markdown,
    lines: &[Line],
    headings: &[Entry],
    top_level: usize,
) -> Result<(), Stop> {
    let places = HeadingPlaces::find(lines, headings);
    let mut next = 0;
    for entry in headings {
        let place = places.first(&entry.title, next);
        let level = u8::try_from(top_level + entry.level).unwrap_or(6);
        match place {
            // As the page shows it, for that has the number: `1.1 Install` for `Install`.
            Some(place) => {
                write_paragraphs(text, &lines[next..place.start])?;
                let words: Vec<&str> = lines[place.clone()]
                    .iter()
                    .map(|line| line.text.as_str())
                    .collect();
                text.heading(level, &words.join(" "))?;
                next = place.end;
            }
            None => text.heading(level, &entry.title)?,
        }
    }
    write_paragraphs(text, &lines[next..])
}

/// Adds lines, joined to paragraphs.
fn write_paragraphs(text: &mut Markdown, lines: &[Line]) -> Result<(), Stop> {
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

/// Returns the title that the file names, unless it is one that programs fill in.
fn title(pdf: &Pdf) -> Option<String> {
    let title = one_line(&text_string(pdf.metadata().title.as_deref()?));
    let lower = title.to_lowercase();
    // `Microsoft Word - a.doc`, `untitled`, `(anonymous)`, `report.indd`.
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

/// Returns the letters and numbers of a text, by which headings are recognised.
fn letters(text: &str) -> String {
    text.chars()
        .filter(|c| c.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .collect()
}

/// Where a page shows headings. Lines are gone through once for all of them: an outline may have
/// thousands of entries that lead to one page of thousands of lines.
struct HeadingPlaces {
    /// The lines that may show a heading, by its letters behind its number, with their own number.
    by_words: HashMap<String, Vec<(Range<usize>, String)>>,
}

impl HeadingPlaces {
    fn find(lines: &[Line], headings: &[Entry]) -> Self {
        let titles = headings.iter().map(|entry| letters(&entry.title));
        let mut by_words: HashMap<String, Vec<(Range<usize>, String)>> = titles
            .map(|title| (split_number(&title).1.to_owned(), Vec::new()))
            .collect();
        let lines: Vec<String> = lines.iter().map(|line| letters(&line.text)).collect();
        for start in 0..lines.len() {
            let mut all = String::new();
            // A long heading takes several lines.
            for (line, end) in lines[start..].iter().take(HEADING_LINES).zip(start + 1..) {
                all.push_str(line);
                let (number, words) = split_number(&all);
                if let Some(places) = by_words.get_mut(words) {
                    places.push((start..end, number.to_owned()));
                }
            }
        }
        Self { by_words }
    }

    /// Returns the first lines from `next` on that show a heading: it, and before it its number at
    /// most.
    fn first(&self, title: &str, next: usize) -> Option<Range<usize>> {
        let title = letters(title);
        if title.is_empty() {
            return None;
        }
        let (number, words) = split_number(&title);
        let places = self.by_words.get(words)?;
        let behind = places.partition_point(|(place, _)| place.start < next);
        places[behind..]
            .iter()
            .find(|(_, other)| other.ends_with(number))
            .map(|(place, _)| place.clone())
    }
}

/// Returns the number that letters begin with, and what stands behind it.
fn split_number(letters: &str) -> (&str, &str) {
    let words = letters.trim_start_matches(char::is_numeric);
    letters.split_at(letters.len() - words.len())
}

/// The glyphs of a page, as it is drawn.
#[derive(Default)]
struct PageGlyphs {
    all: Vec<PlacedGlyph>,
    /// Whether glyphs that are drawn tell their characters by their codes.
    has_codes: bool,
    /// Whether there are more than a page may show.
    is_over: bool,
}

impl Device<'_> for PageGlyphs {
    fn draw_glyph_run(&mut self, run: &GlyphRun<'_, '_>, props: DrawProps<'_>, _: &DrawMode) {
        for glyph in run.glyphs() {
            if self.all.len() == PAGE_GLYPHS {
                self.is_over = true;
                return;
            }
            let text = match (glyph.as_unicode(), &**glyph) {
                (Some(BfString::Char(c)), _) => Some(c.to_string()),
                (Some(BfString::String(text)), _) => Some(text),
                (None, Glyph::Type3(glyph)) if self.has_codes => {
                    bitmap_fonts::text_of(glyph.char_code())
                }
                (None, _) => None,
            };
            // Nothing says what character some glyphs are, as in fonts that lost their table when
            // they were made smaller.
            let Some(text) = text else {
                continue;
            };
            let width = match &**glyph {
                Glyph::Outline(glyph) => glyph.advance_width(),
                Glyph::Type3(glyph) => glyph.advance_width(),
            };
            let place = props.transform * glyph.transform();
            // Half as wide as high, where the font does not say.
            let width = width.map_or(UNITS / 2.0, f64::from);
            let end = match run.writing_mode() {
                WritingMode::Horizontal => Point::new(width, 0.0),
                WritingMode::Vertical => Point::new(0.0, -UNITS),
            };
            self.all.extend(PlacedGlyph::new(
                text,
                place * Point::ZERO,
                place * end,
                line_height(place),
            ));
        }
    }

    // Whatever else is drawn is no text.

    fn draw_path(&mut self, _: &BezPath, _: DrawProps<'_>, _: &DrawMode) {}

    fn push_clip_path(&mut self, _: &ClipPath) {}

    fn push_transparency_group(&mut self, _: f32, _: Option<SoftMask<'_>>, _: BlendMode) {}

    fn draw_image(&mut self, _: Image<'_, '_>, _: ImageDrawProps<'_>) {}

    fn pop_clip(&mut self) {}

    fn pop_transparency_group(&mut self) {}
}

/// Returns the height of a line of glyphs that are placed so.
fn line_height(place: Affine) -> f64 {
    ((place * Point::new(0.0, UNITS)) - (place * Point::ZERO)).hypot()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(text: &str) -> Line {
        Line {
            text: text.to_owned(),
            begins_paragraph: false,
        }
    }

    fn entry(title: &str) -> Entry {
        Entry {
            level: 0,
            title: title.to_owned(),
            page: 0,
        }
    }

    #[test]
    fn headings_with_and_without_their_number() {
        let lines = [
            "2.1 A long",
            "heading",
            "3 Short",
            "Short",
            "short!",
            "7",
            "17",
            "",
        ]
        .map(line);
        for (title, next, expected) in [
            ("A long heading", 0, Some(0..2)),
            ("1 A long heading", 0, Some(0..2)),
            ("3.1 A long heading", 0, None),
            ("A long heading", 1, None),
            ("long heading", 0, None),
            ("Short", 0, Some(2..3)),
            ("Short", 3, Some(3..4)),
            ("Short", 4, Some(4..5)),
            ("Short short", 0, Some(2..4)),
            ("7", 0, Some(5..6)),
            ("7", 6, Some(6..7)),
            ("717", 0, Some(5..7)),
            ("-", 0, None),
            ("missing", 0, None),
        ] {
            let places = HeadingPlaces::find(&lines, &[entry(title)]);
            assert_eq!(places.first(title, next), expected, "{title} from {next}");
        }
    }
}
