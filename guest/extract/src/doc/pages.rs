//! Pages of formatted properties (FKP): 512 bytes each, with the properties of runs of bytes.

use std::ops::Range;

use super::fib::{DocTable, Fib, WordFormat};
use crate::ole::{u16_at, u32_at};

/// Bytes of a page.
const PAGE_BYTES: usize = 512;

/// Number of a page in an entry of Word 97, whose other bits are undefined.
const PAGE_NUMBER: u32 = (1 << 22) - 1;

/// The kind of properties.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PageKind {
    Characters,
    Paragraphs,
}

/// The pages of one kind of properties.
#[derive(Debug)]
pub struct PropertyPages<'a> {
    kind: PageKind,
    format: WordFormat,
    /// Offsets from which on each page applies, and then the numbers of the pages.
    table: &'a [u8],
    count: usize,
    /// Number of the first page, if the numbers of all are not known.
    first: u32,
    /// The stream of the text, which contains the pages.
    stream: &'a [u8],
    /// The run that was found last.
    last: PropertyRun<'a>,
}

/// A run of bytes with the same properties.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PropertyRun<'a> {
    pub bytes: Range<u32>,
    /// The properties; for paragraphs preceded by the number of the style.
    pub properties: &'a [u8],
}

impl<'a> PropertyPages<'a> {
    /// Finds the pages of a document.
    pub fn new(kind: PageKind, fib: &Fib, tables: &'a [u8], stream: &'a [u8]) -> Self {
        let (table, first) = match kind {
            PageKind::Characters => (DocTable::CHARACTER_PAGES, fib.first_pages[0]),
            PageKind::Paragraphs => (DocTable::PARAGRAPH_PAGES, fib.first_pages[1]),
        };
        let range = fib.table(table);
        let range = range.start.min(tables.len())..range.end.min(tables.len());
        let table = &tables[range];
        let number_bytes = match fib.format {
            WordFormat::Word6 => 2,
            WordFormat::Word97 => 4,
        };
        let mut count = table.len().saturating_sub(4) / (4 + number_bytes);
        // Word 6 does not always write the table to its end.
        let (first, claimed) = first;
        let is_cut = fib.format == WordFormat::Word6 && count < claimed as usize;
        if is_cut {
            count = claimed as usize;
        }
        Self {
            kind,
            format: fib.format,
            table,
            count,
            first: if is_cut { first } else { 0 },
            stream,
            last: PropertyRun::default(),
        }
    }

    /// Returns the run that contains a byte.
    pub fn find(&mut self, byte: u32) -> Option<PropertyRun<'a>> {
        if !self.last.bytes.contains(&byte) {
            self.last = self.search(byte)?;
        }
        Some(self.last.clone())
    }

    /// Returns the properties of all runs in the pages of a document: of each page as often as it
    /// is listed, and of as many pages as the stream has room for.
    pub fn all_properties(&self) -> impl Iterator<Item = &'a [u8]> {
        let most = self.stream.len() / PAGE_BYTES + 1;
        let pages = (0..self.count.min(most)).filter_map(|index| self.page_by_index(index));
        pages.flat_map(move |page| {
            let runs = usize::from(page[PAGE_BYTES - 1]);
            (0..runs).filter_map(move |index| self.run_properties(page, runs, index))
        })
    }

    fn search(&self, byte: u32) -> Option<PropertyRun<'a>> {
        let page = self.page(byte)?;
        let runs = usize::from(page[PAGE_BYTES - 1]);
        let start = |index: usize| u32_at(page, 4 * index);
        let index = last_before(runs, |index| start(index) <= byte)?;
        let bytes = start(index)..start(index + 1);
        if !bytes.contains(&byte) {
            return None;
        }
        let properties = self.run_properties(page, runs, index)?;
        Some(PropertyRun { bytes, properties })
    }

    /// Returns the properties of the run with this index among the `runs` of a page.
    fn run_properties(&self, page: &'a [u8], runs: usize, index: usize) -> Option<&'a [u8]> {
        let entry_bytes = match (self.kind, self.format) {
            (PageKind::Characters, _) => 1,
            (PageKind::Paragraphs, WordFormat::Word6) => 7,
            (PageKind::Paragraphs, WordFormat::Word97) => 13,
        };
        let at = 4 * (runs + 1) + entry_bytes * index;
        let at = 2 * usize::from(*page.get(at)?);
        Some(match at {
            0 => &[],
            _ => self.properties(page, at),
        })
    }

    /// Returns the properties at an offset within a page, which begin with their length.
    fn properties(&self, page: &'a [u8], at: usize) -> &'a [u8] {
        let byte = |at: usize| usize::from(page.get(at).copied().unwrap_or_default());
        let (start, length) = match (self.kind, byte(at)) {
            (PageKind::Characters, length) => (at + 1, length),
            (PageKind::Paragraphs, 0) if self.format == WordFormat::Word97 => {
                (at + 2, 2 * byte(at + 1))
            }
            (PageKind::Paragraphs, words) if self.format == WordFormat::Word97 => {
                (at + 1, (2 * words).saturating_sub(1))
            }
            (PageKind::Paragraphs, words) => (at + 1, 2 * words),
        };
        let end = (start + length).min(PAGE_BYTES - 1);
        page.get(start..end).unwrap_or_default()
    }

    /// Returns the page with the properties of a byte.
    fn page(&self, byte: u32) -> Option<&'a [u8]> {
        let begins = |index| match self.first {
            0 => u32_at(self.table, 4 * index) <= byte,
            _ => {
                let page = self.page_by_index(index);
                page.is_some_and(|page| u32_at(page, 0) <= byte)
            }
        };
        self.page_by_index(last_before(self.count, begins)?)
    }

    /// Returns the page with this index in the table.
    fn page_by_index(&self, index: usize) -> Option<&'a [u8]> {
        if self.first > 0 {
            let number = self.first.checked_add(u32::try_from(index).ok()?)?;
            return self.page_by_number(number);
        }
        let numbers = 4 * (self.count + 1);
        let number = match self.format {
            WordFormat::Word6 => u32::from(u16_at(self.table, numbers + 2 * index)),
            WordFormat::Word97 => u32_at(self.table, numbers + 4 * index) & PAGE_NUMBER,
        };
        self.page_by_number(number)
    }

    fn page_by_number(&self, number: u32) -> Option<&'a [u8]> {
        let start = (number as usize).checked_mul(PAGE_BYTES)?;
        self.stream.get(start..start.checked_add(PAGE_BYTES)?)
    }
}

/// Returns the last of `count` indexes for which `is_before` is true, if it is true for all before
/// it.
fn last_before(count: usize, is_before: impl Fn(usize) -> bool) -> Option<usize> {
    let (mut low, mut high) = (0, count);
    while low < high {
        let middle = usize::midpoint(low, high);
        if is_before(middle) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    low.checked_sub(1)
}
