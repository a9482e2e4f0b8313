//! Tables: rows of cells that contain blocks.

use std::io::BufRead;

use super::section::SectionReader;
use crate::failure::EarlyStop;
use crate::hangul::{CaptionSide, HangulBlock, HangulTable};
use crate::xml::{Xml, XmlEvent};

impl SectionReader {
    /// Reads the table that began last.
    pub fn table<R: BufRead>(&mut self, xml: &mut Xml<R>) -> Result<Vec<HangulBlock>, EarlyStop> {
        self.document.open_block()?;
        let end = xml.depth() - 1;
        let mut table = HangulTable::default();
        while xml.depth() > end {
            let XmlEvent::Start(element) = xml.next()? else {
                continue;
            };
            match element.name() {
                "tr" => table.begin_row(),
                "tc" => self.cell(xml, &mut table)?,
                "caption" => {
                    let side = match element.attribute("side").as_deref() {
                        Some("TOP" | "LEFT") => CaptionSide::Before,
                        _ => CaptionSide::After,
                    };
                    let blocks = self.story(xml)?;
                    table.push_caption(side, blocks);
                }
                _ => {}
            }
        }
        self.document.close_block();
        Ok(table.finish())
    }

    /// Reads the cell that began last.
    fn cell<R: BufRead>(
        &mut self,
        xml: &mut Xml<R>,
        table: &mut HangulTable,
    ) -> Result<(), EarlyStop> {
        let end = xml.depth() - 1;
        let (mut blocks, mut column, mut span) = (Vec::new(), None, 1);
        while xml.depth() > end {
            let XmlEvent::Start(element) = xml.next()? else {
                continue;
            };
            match element.name() {
                "cellAddr" => column = element.number("colAddr"),
                "cellSpan" => span = element.number("colSpan").unwrap_or(1),
                // Documents of other programs have the paragraphs without the list around them.
                "p" => {
                    let shape = element.number("paraPrIDRef").unwrap_or_default();
                    let style = element.number("styleIDRef").unwrap_or_default();
                    blocks.extend(self.paragraph(xml, shape, style)?);
                }
                "tbl" => blocks.extend(self.table(xml)?),
                _ => {}
            }
        }
        table.push_cell(&mut self.document, blocks, column, span)
    }
}
