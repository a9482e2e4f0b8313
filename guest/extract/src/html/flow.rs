//! The flow of blocks: paragraphs, headings, lists and tables, and where each of them ends.

use super::blocks::HtmlBlock;
use super::inline::{Blanks, InlineText, SpanKind};
use super::page::{Hiding, OpenPageElement, PageReader};
use super::table::TableBuilder;
use super::tags::{AttributeName, HtmlTag, ListTag, TagAttributes};
use crate::failure::EarlyStop;
use crate::limits::{HEADING_BYTES, LIST_LEVELS, NESTED_BLOCKS};
use crate::markdown::Marker;

/// Largest number of an item: Markdown allows nine digits.
const LARGEST_NUMBER: i64 = 999_999_999;

/// The text of the page outside all cells, or of one cell.
#[derive(Debug, Default)]
pub struct Flow {
    pub inline: InlineText,
    /// Level of the open heading.
    pub heading: Option<u8>,
    lists: Vec<OpenList>,
    items: Vec<OpenItem>,
    /// Number of open elements whose blanks are kept.
    preformatted: usize,
    /// Number of open elements whose lines are kept.
    text_areas: usize,
    /// True in the parenthesis of a ruby reading, for programs that know none.
    pub is_parenthesis: bool,
}

/// A list that is open.
#[derive(Clone, Copy, Debug)]
struct OpenList {
    level: usize,
    /// Number of the next item, and the step to the one after it.
    next: Option<(i64, i64)>,
}

/// An item that is open.
#[derive(Clone, Copy, Debug)]
struct OpenItem {
    level: usize,
    marker: Marker,
    /// True if its first text was passed on.
    is_written: bool,
}

impl Flow {
    /// Returns the treatment of blanks.
    pub fn blanks(&self) -> Blanks {
        if self.preformatted > 0 {
            Blanks::Keep
        } else if self.text_areas > 0 {
            Blanks::KeepLines
        } else {
            Blanks::Collapse
        }
    }

    /// Returns the level of a new list.
    fn list_level(&self) -> usize {
        let item = self.items.last().map(|item| item.level + 1);
        let list = self.lists.last().map(|list| list.level + 1);
        item.max(list).unwrap_or(0).min(LIST_LEVELS - 1)
    }

    /// Returns the marker of a new item.
    fn marker(&mut self, value: Option<i64>) -> Marker {
        match self.lists.last_mut().and_then(|list| list.next.as_mut()) {
            Some((next, step)) => {
                let number = value.unwrap_or(*next);
                *next = number.saturating_add(*step);
                let number = number.clamp(0, LARGEST_NUMBER);
                Marker::Number(u32::try_from(number).unwrap_or_default())
            }
            None => Marker::Bullet,
        }
    }
}

impl PageReader<'_> {
    /// Begins a block that is shown.
    pub(super) fn start_block(
        &mut self,
        tag: HtmlTag,
        attributes: &TagAttributes,
    ) -> Result<(), EarlyStop> {
        match tag {
            HtmlTag::Heading(level) => {
                self.end_block()?;
                if self.push(tag, Hiding::Shown, true) {
                    self.flow.heading = Some(level);
                }
            }
            HtmlTag::List(kind) => self.start_list(kind, attributes)?,
            HtmlTag::Item | HtmlTag::Term | HtmlTag::Definition => {
                self.start_item(tag, attributes.number(AttributeName::Value))?;
            }
            HtmlTag::Preformatted(_) | HtmlTag::PlainText => {
                self.end_block()?;
                self.flow.preformatted += usize::from(self.push(tag, Hiding::Shown, true));
            }
            HtmlTag::TextArea => {
                self.break_block()?;
                self.flow.text_areas += usize::from(self.push(tag, Hiding::Shown, true));
            }
            HtmlTag::Table => {
                self.end_block()?;
                // Deeper tables are text of the cell around them.
                let is_table = self.tables.len() < NESTED_BLOCKS;
                if is_table && self.push(tag, Hiding::Shown, true) {
                    self.tables.push(TableBuilder::default());
                }
            }
            HtmlTag::RowGroup | HtmlTag::Row | HtmlTag::Cell | HtmlTag::HeadCell => {
                self.start_row(tag, attributes)?;
            }
            HtmlTag::Rule => self.end_block()?,
            _ => {
                self.break_block()?;
                self.push(tag, Hiding::Shown, false);
            }
        }
        Ok(())
    }

    fn start_list(&mut self, kind: ListTag, attributes: &TagAttributes) -> Result<(), EarlyStop> {
        self.end_block()?;
        let level = self.flow.list_level();
        if self.push(HtmlTag::List(kind), Hiding::Shown, true) {
            let start = attributes.number(AttributeName::Start).unwrap_or(1);
            let next = (kind == ListTag::Numbered).then_some((start, 1));
            self.flow.lists.push(OpenList { level, next });
        }
        Ok(())
    }

    fn start_item(&mut self, tag: HtmlTag, value: Option<i64>) -> Result<(), EarlyStop> {
        self.end_block()?;
        if !self.push(tag, Hiding::Shown, true) {
            return Ok(());
        }
        let marker = self.flow.marker(value);
        let list = self.flow.lists.last().map_or(0, |list| list.level);
        // A definition is an item below its term.
        let level = list + usize::from(tag == HtmlTag::Definition);
        self.flow.items.push(OpenItem {
            level: level.min(LIST_LEVELS - 1),
            marker,
            is_written: false,
        });
        Ok(())
    }

    /// Begins a group of rows, a row or a cell. Outside of tables they are nothing but blocks.
    fn start_row(&mut self, tag: HtmlTag, attributes: &TagAttributes) -> Result<(), EarlyStop> {
        if !self.is_in_table() {
            return self.break_block();
        }
        self.flow.inline.separate();
        // A cell without a row.
        if matches!(tag, HtmlTag::Cell | HtmlTag::HeadCell)
            && self.find(HtmlTag::Row).is_none()
            && self.push(HtmlTag::Row, Hiding::Shown, true)
            && let Some(table) = self.tables.last_mut()
        {
            table.begin_row();
        }
        if !self.push(tag, Hiding::Shown, true) {
            return Ok(());
        }
        let Some(table) = self.tables.last_mut() else {
            return Ok(());
        };
        match tag {
            HtmlTag::RowGroup => table.begin_group(),
            HtmlTag::Row => table.begin_row(),
            _ => {
                let span = |name| {
                    let number = attributes.number(name).unwrap_or(1);
                    usize::try_from(number).unwrap_or(1)
                };
                if tag == HtmlTag::HeadCell {
                    table.set_head();
                }
                table.begin_cell(span(AttributeName::ColSpan), span(AttributeName::RowSpan));
                let outer = std::mem::take(&mut self.flow);
                self.outer_flows.push(outer);
            }
        }
        Ok(())
    }

    /// Closes the elements that cannot contain one that begins.
    pub(super) fn close_before(&mut self, tag: HtmlTag) -> Result<(), EarlyStop> {
        let closed: &[HtmlTag] = match tag {
            HtmlTag::Item => &[HtmlTag::Item],
            HtmlTag::Term | HtmlTag::Definition => &[HtmlTag::Term, HtmlTag::Definition],
            HtmlTag::Option => &[HtmlTag::Option],
            HtmlTag::Cell | HtmlTag::HeadCell => &[HtmlTag::Cell],
            HtmlTag::Row => &[HtmlTag::Row],
            HtmlTag::RowGroup => &[HtmlTag::RowGroup, HtmlTag::Row],
            _ => &[],
        };
        for other in closed {
            if let Some(index) = self.find(*other) {
                self.close_to(index)?;
            }
        }
        if (tag.is_block() || tag == HtmlTag::Rule)
            && let Some(index) = self.find(HtmlTag::Paragraph)
        {
            self.close_to(index)?;
        }
        if tag.ends_heading()
            && let Some(index) = self.find(HtmlTag::Heading(1))
        {
            self.close_to(index)?;
        }
        if self.is_hiding() {
            return Ok(());
        }
        match tag {
            HtmlTag::Anchor => self.flow.inline.close(SpanKind::Link),
            HtmlTag::RubyReading | HtmlTag::RubyParenthesis => {
                self.flow.inline.close(SpanKind::Reading);
            }
            _ => {}
        }
        Ok(())
    }

    /// Closes the open elements from this one on.
    pub(super) fn close_to(&mut self, index: usize) -> Result<(), EarlyStop> {
        while let Some(element) = self.pop(index) {
            self.leave(element);
            self.close(element)?;
        }
        Ok(())
    }

    /// Ends what an element began.
    fn close(&mut self, element: OpenPageElement) -> Result<(), EarlyStop> {
        if element.hiding != Hiding::Shown {
            return Ok(());
        }
        if !element.is_effective {
            if element.tag.is_block() && !self.is_hiding() {
                self.break_block()?;
            } else if element.tag == HtmlTag::Select && !self.is_hiding() {
                self.flow.inline.separate();
            }
            return Ok(());
        }
        match element.tag {
            HtmlTag::Heading(_) => {
                self.end_block()?;
                self.flow.heading = None;
            }
            HtmlTag::List(_) => {
                self.end_block()?;
                self.flow.lists.pop();
            }
            HtmlTag::Item | HtmlTag::Term | HtmlTag::Definition => {
                self.end_block()?;
                self.flow.items.pop();
            }
            HtmlTag::Preformatted(_) | HtmlTag::PlainText => {
                self.end_block()?;
                self.flow.preformatted = self.flow.preformatted.saturating_sub(1);
            }
            HtmlTag::TextArea => {
                self.break_block()?;
                self.flow.text_areas = self.flow.text_areas.saturating_sub(1);
            }
            HtmlTag::Cell | HtmlTag::HeadCell => {
                self.end_block()?;
                self.flow = self.outer_flows.pop().unwrap_or_default();
                self.gathered += self.tables.last_mut().map_or(0, TableBuilder::end_cell);
                self.check_gathered()?;
            }
            HtmlTag::Table => self.end_table()?,
            _ => {}
        }
        Ok(())
    }

    fn end_table(&mut self) -> Result<(), EarlyStop> {
        // Text of the table outside its cells comes before it, as in browsers.
        self.end_block()?;
        if let Some(table) = self.tables.pop() {
            for block in table.finish() {
                self.emit(block)?;
            }
        }
        if self.tables.is_empty() {
            self.gathered = 0;
        }
        Ok(())
    }

    /// Breaks the line, as between the lines of a verse. Two breaks separate paragraphs.
    pub(super) fn break_line(&mut self) -> Result<(), EarlyStop> {
        let flow = &mut self.flow;
        if flow.blanks() == Blanks::Keep {
            flow.inline.push_line_break();
        } else if flow.inline.ends_line() && flow.heading.is_none() && flow.items.is_empty() {
            self.end_block()?;
        } else {
            flow.inline.break_line();
        }
        Ok(())
    }

    /// Ends a block within the open one. The blocks of an item or a heading are in one line.
    pub(super) fn break_block(&mut self) -> Result<(), EarlyStop> {
        let flow = &mut self.flow;
        let is_one = flow.heading.is_some() || !flow.items.is_empty() || flow.preformatted > 0;
        if is_one {
            flow.inline.break_line();
            return Ok(());
        }
        self.end_block()
    }

    /// Passes the text on as a block.
    pub(super) fn end_block(&mut self) -> Result<(), EarlyStop> {
        if self.flow.inline.is_new() {
            return Ok(());
        }
        let words = self.flow.inline.take();
        if words.trim().is_empty() {
            return Ok(());
        }
        let flow = &mut self.flow;
        let block = if flow.preformatted > 0 {
            HtmlBlock::Code(words)
        } else if let Some(level) = flow.heading {
            if words.len() <= HEADING_BYTES {
                HtmlBlock::Heading(level, words)
            } else {
                HtmlBlock::Paragraph(words)
            }
        } else {
            match flow.items.last_mut() {
                Some(item) if !item.is_written => {
                    item.is_written = true;
                    HtmlBlock::Item(item.level, item.marker, words)
                }
                // Further text of the item, behind a list in it. A paragraph would end the lists,
                // and the items that follow would be those of another one.
                Some(item) if item.level > 0 => HtmlBlock::Item(item.level, Marker::Bullet, words),
                _ => HtmlBlock::Paragraph(words),
            }
        };
        self.emit(block)
    }
}
