//! Sections by their addresses: an id, a heading, or the path of headings.

use std::ops::Range;

use docent_document::addresses;
use docent_document::format::Format;
use docent_document::sections::{Section, with_subsections};
use docent_text::sort::sort_by_key;

use crate::error::{NamedSection, Reason, SectionProblem};
use crate::limits::HEADINGS_SHOWN;
use crate::original::{Original, shorten};

/// Returns the byte range of a section with its subsections.
///
/// # Errors
/// Fails if no section, or more than one, has that name.
pub fn span(original: &Original<'_>, address: &str) -> Result<Range<usize>, Reason> {
    let index = find(original, address)?;
    Ok(with_subsections(original.sections(), index))
}

/// Returns the index of the only section that `address` names.
pub(super) fn find(original: &Original<'_>, address: &str) -> Result<usize, Reason> {
    let format = Format::from_content(original.name, original.text());
    if !format.is_some_and(Format::has_headings) {
        return Err(Reason::Section(SectionProblem::NoHeadings));
    }
    let sections = original.sections();
    let found = addresses::find(sections, address);
    if let [index] = found.as_slice() {
        return Ok(*index);
    }
    let path = |section: &Section| shorten(&section.path.join(" > "));
    if found.is_empty() {
        return Err(no_section(sections, address));
    }
    let named = found.iter().map(|index| &sections[*index]);
    let named = named.map(|section| NamedSection {
        id: section.id.clone(),
        path: path(section),
        line: original.line_number(section.span.start),
    });
    Err(Reason::SeveralSections {
        address: address.to_owned(),
        sections: named.collect(),
    })
}

/// Returns an error that lists the existing headings, those that share words with the address
/// first. The sort is stable, so that headings without shared words are in the order of the
/// document.
fn no_section(sections: &[Section], address: &str) -> Reason {
    let headed = || sections.iter().filter(|section| section.level > 0);
    let words: Vec<String> = words(address).collect();
    let mut near: Vec<(usize, &Section)> = headed()
        .map(|section| {
            (
                self::words(&section.heading)
                    .filter(|word| words.contains(word))
                    .count(),
                section,
            )
        })
        .collect();
    sort_by_key(&mut near, |(shared, _)| std::cmp::Reverse(*shared));
    let shown = near.iter().take(HEADINGS_SHOWN);
    Reason::NoSection {
        address: address.to_owned(),
        headings: shown
            .map(|(_, section)| shorten(&section.path.join(" > ")))
            .collect(),
        count: headed().count(),
    }
}

fn words(text: &str) -> impl Iterator<Item = String> + '_ {
    let words = text.split(|c: char| !c.is_alphanumeric());
    words.filter(|word| !word.is_empty()).map(str::to_lowercase)
}
