//! Presentations: for each slide a heading with its number and title, its text, and its notes.

use std::io::BufRead;

use super::OdfReader;
use super::output::{OdfBlock, OdfOutput, OdfSlide};
use super::styles::StyleFamily;
use crate::failure::EarlyStop;
use crate::markdown::{Markdown, one_line};
use crate::xml::{Xml, XmlEvent};

impl OdfReader {
    /// Reads the slides in the body, which began last.
    pub fn slides<R: BufRead>(
        &mut self,
        xml: &mut Xml<R>,
        text: &mut Markdown,
    ) -> Result<(), EarlyStop> {
        let end = xml.depth() - 1;
        let mut number = 0;
        while xml.depth() > end {
            let XmlEvent::Start(element) = xml.next()? else {
                continue;
            };
            // Beside the slides there are the texts of footers.
            if element.name() != "page" {
                xml.skip()?;
                continue;
            }
            number += 1;
            let name = element.attribute("name").unwrap_or_default();
            let style = element.attribute("style-name");
            let is_hidden = self.styles.resolve(StyleFamily::Page, style).is_hidden;
            self.room = text.room();
            let mut out = OdfOutput::Slide(OdfSlide::default());
            self.blocks(xml, None, &mut out)?;
            let OdfOutput::Slide(slide) = out else {
                continue;
            };
            let has_title = !slide.title.trim().is_empty();
            // The title may be in the part of the slide that there is no room for.
            if self.is_cut || (self.is_over && !has_title) {
                return Err(EarlyStop::Full);
            }
            let title = if has_title {
                one_line(&slide.title)
            } else if is_generated(&name, number) {
                String::new()
            } else {
                one_line(&name)
            };
            let separator = if title.is_empty() { "" } else { ": " };
            let hidden = if is_hidden { " (hidden)" } else { "" };
            text.heading(2, &format!("Slide {number}{separator}{title}{hidden}"))?;
            write(&slide.blocks, text)?;
            if !slide.notes.is_empty() {
                text.heading(3, "Notes")?;
                write(&slide.notes, text)?;
            }
            if self.is_over {
                return Err(EarlyStop::Full);
            }
        }
        Ok(())
    }
}

/// Adds blocks to the text.
fn write(blocks: &[OdfBlock], text: &mut Markdown) -> Result<(), EarlyStop> {
    let mut code = String::new();
    for block in blocks {
        block.write_behind(&mut code, text)?;
    }
    text.code(&code)
}

/// Returns true if the name of slide `number` is not the author's: `page3` or `Slide 3`, in any
/// language.
fn is_generated(name: &str, number: u32) -> bool {
    let word = name.trim().trim_end_matches(|c: char| c.is_ascii_digit());
    let digits = &name.trim()[word.len()..];
    let word = word.trim_end();
    let is_word = word.chars().all(char::is_alphabetic);
    let is_known = ["page", "slide"]
        .iter()
        .any(|known| word.eq_ignore_ascii_case(known));
    is_word && (is_known || digits.parse() == Ok(number))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_slides() {
        for (name, is_expected) in [
            ("page3", true),
            ("page17", true),
            ("Slide 3", true),
            ("Folie 3", true),
            ("슬라이드 3", true),
            ("Folie 4", false),
            ("Results", false),
            ("Part two 3", false),
            ("", false),
        ] {
            assert_eq!(is_generated(name, 3), is_expected, "{name}");
        }
    }
}
