//! The data of charts: copies of cells, as points with an index.

use std::io::BufRead;

use super::budget::Budget;
use crate::failure::EarlyStop;
use crate::xlsx::{CellForm, Epoch};
use crate::xml::{Xml, XmlEvent};

/// The categories or the values of a series.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct ChartData {
    /// One or more levels, the outermost first.
    pub levels: Vec<ChartPoints>,
}

/// Points by their index, in ascending order.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct ChartPoints(Vec<(u32, String)>);

impl ChartPoints {
    /// Returns the indexes of the points.
    pub fn indexes(&self) -> impl Iterator<Item = u32> {
        self.0.iter().map(|(index, _)| *index)
    }

    /// Returns the text of the point at `index`, which is empty if there is none.
    pub fn get(&self, index: u32) -> &str {
        let found = self.0.binary_search_by_key(&index, |(index, _)| *index);
        let point = found.ok().and_then(|at| self.0.get(at));
        point.map_or("", |(_, text)| text.as_str())
    }

    fn sort(&mut self) {
        // The sort is stable, so that of two points with one index the first is kept.
        self.0.sort_by_key(|(index, _)| *index);
        self.0.dedup_by_key(|(index, _)| *index);
    }
}

impl ChartData {
    /// Reads the data that began last. What it has read before an error is kept.
    pub fn read<R: BufRead>(
        &mut self,
        xml: &mut Xml<R>,
        epoch: Epoch,
        budget: &mut Budget,
    ) -> Result<(), EarlyStop> {
        let end = self.points(xml, epoch, budget);
        for level in &mut self.levels {
            level.sort();
        }
        // The file begins with the innermost level.
        self.levels.retain(|level| !level.0.is_empty());
        self.levels.reverse();
        end
    }

    fn points<R: BufRead>(
        &mut self,
        xml: &mut Xml<R>,
        epoch: Epoch,
        budget: &mut Budget,
    ) -> Result<(), EarlyStop> {
        let end = xml.depth() - 1;
        let mut form = CellForm::default();
        while xml.depth() > end {
            let XmlEvent::Start(element) = xml.next()? else {
                continue;
            };
            match element.name() {
                "lvl" => {
                    budget.take_item()?;
                    self.levels.push(ChartPoints::default());
                    let code = element.attribute("formatCode");
                    form = code.map_or(form, |code| CellForm::parse(&code));
                }
                "formatCode" => form = CellForm::parse(&xml.text_within(budget.bytes())?),
                "pt" => {
                    let index = element.number("idx").unwrap_or_default();
                    let words = xml.text_within(budget.bytes())?;
                    budget.take_item()?;
                    budget.take_bytes(words.len())?;
                    let words = date(words.trim(), form, epoch);
                    if self.levels.is_empty() {
                        self.levels.push(ChartPoints::default());
                    }
                    if let Some(level) = self.levels.last_mut() {
                        level.0.push((index, words));
                    }
                }
                "f" | "extLst" => xml.skip()?,
                _ => {}
            }
        }
        Ok(())
    }
}

/// Returns a value as it is stored, or as a date if its format is one. Other formats only round
/// it.
fn date(value: &str, form: CellForm, epoch: Epoch) -> String {
    let number = value.parse::<f64>().ok();
    let date = number.and_then(|number| form.date(number, epoch));
    date.unwrap_or_else(|| number_text(value))
}

/// Returns a value without the error of binary fractions, as in `0.30000000000000004`.
fn number_text(value: &str) -> String {
    // A number of few digits has no such error, and stays as it is written.
    match value.parse::<f64>() {
        Ok(number) if value.len() > 15 && number.is_finite() => crate::xlsx::plain(number),
        _ => value.to_owned(),
    }
}
