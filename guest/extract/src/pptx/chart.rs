//! Charts: their titles, and a table of categories by series for the data that they show. The
//! files of Office 2016 and later have two schemas, in which the same names mean the same.

use std::collections::{BTreeMap, BTreeSet};
use std::io::BufRead;

use super::budget::Budget;
use super::chart_data::{ChartData, ChartPoints};
use super::text_body::{NO_LINKS, TextBodies};
use crate::failure::EarlyStop;
use crate::markdown::Markdown;
use crate::xlsx::Epoch;
use crate::xml::{Element, Xml, XmlEvent};

/// A chart.
#[derive(Debug, Default)]
pub struct Chart {
    /// Titles of the chart and of its axes.
    titles: Vec<String>,
    series: Vec<ChartSeries>,
    /// Texts of single labels, and names of trend lines.
    labels: Vec<String>,
}

/// A series of values.
#[derive(Debug, Default)]
struct ChartSeries {
    name: String,
    /// Categories, or the first coordinates of points.
    categories: ChartData,
    columns: Vec<ChartColumn>,
}

/// A column of the table.
#[derive(Debug, Default)]
struct ChartColumn {
    /// Its head, if that is not the name of the series.
    head: &'static str,
    points: ChartPoints,
}

/// A reader of the part of a chart.
struct ChartReader<'a> {
    chart: Chart,
    budget: &'a mut Budget,
    epoch: Epoch,
    /// Number of open elements when the open series began, including itself.
    series_depth: Option<usize>,
    /// Data that series of the later schema refer to by an id.
    shared: BTreeMap<String, ChartSeries>,
    /// Id of the data that is being read.
    shared_id: Option<String>,
}

/// Points that need as much memory as a series.
const SERIES_ITEMS: usize = 8;

impl Chart {
    /// Reads the part of a chart. Returns its content, and the error if this is not all.
    pub fn read<R: BufRead>(mut xml: Xml<R>, budget: &mut Budget) -> (Self, Result<(), EarlyStop>) {
        let mut reader = ChartReader {
            chart: Self::default(),
            budget,
            epoch: Epoch::Y1900,
            series_depth: None,
            shared: BTreeMap::new(),
            shared_id: None,
        };
        let end = reader.elements(&mut xml);
        (reader.chart, end)
    }

    /// Returns true if it has neither texts nor data.
    pub fn is_empty(&self) -> bool {
        self.titles.is_empty()
            && self.labels.is_empty()
            && self.series.iter().all(|series| series.columns.is_empty())
    }

    /// Adds the chart to `text`.
    pub fn write(&self, text: &mut Markdown) -> Result<(), EarlyStop> {
        for title in &self.titles {
            text.paragraph(title)?;
        }
        let is_beside = |a: &ChartSeries, b: &ChartSeries| a.categories == b.categories;
        for group in self.series.chunk_by(is_beside) {
            write_table(group, text)?;
        }
        for label in &self.labels {
            text.paragraph(label)?;
        }
        Ok(())
    }
}

/// Adds the table of series with the same categories.
fn write_table(group: &[ChartSeries], text: &mut Markdown) -> Result<(), EarlyStop> {
    let Some(first) = group.first() else {
        return Ok(());
    };
    let levels = &first.categories.levels;
    let columns: Vec<&ChartColumn> = group.iter().flat_map(|series| &series.columns).collect();
    // Points say at which index they are, up to 2³², and need not be there.
    let all = columns.iter().map(|column| &column.points).chain(levels);
    let indexes: BTreeSet<u32> = all.flat_map(ChartPoints::indexes).collect();
    if indexes.is_empty() {
        return Ok(());
    }
    let width = levels.len().max(1) + columns.len();
    let heads = group.iter().flat_map(|series| {
        let name = series.name.as_str();
        let head = move |column: &ChartColumn| {
            if column.head.is_empty() {
                name
            } else {
                column.head
            }
        };
        series.columns.iter().map(head)
    });
    let heads = std::iter::repeat_n("", levels.len().max(1)).chain(heads);
    text.row(0, width, heads)?;
    for (row, index) in indexes.into_iter().enumerate() {
        // Without categories, PowerPoint numbers the values.
        let number = if levels.is_empty() {
            (u64::from(index) + 1).to_string()
        } else {
            String::new()
        };
        let number = std::iter::once(number.as_str()).take(usize::from(levels.is_empty()));
        let categories = levels.iter().map(|level| level.get(index));
        let values = columns.iter().map(|column| column.points.get(index));
        text.row(row + 1, width, number.chain(categories).chain(values))?;
    }
    Ok(())
}

impl ChartReader<'_> {
    fn elements<R: BufRead>(&mut self, xml: &mut Xml<R>) -> Result<(), EarlyStop> {
        loop {
            let depth = xml.depth();
            match xml.next()? {
                XmlEvent::Start(element) => match element.name() {
                    // Series that a person has hidden, and the name of a file.
                    name if name.starts_with("filtered") => xml.skip()?,
                    "pivotSource" => xml.skip()?,
                    "title" => {
                        let title = self.title(xml)?;
                        push_words(&mut self.chart.titles, title);
                    }
                    "tx" => self.name(xml)?,
                    "rich" => {
                        let label = self.rich(xml)?;
                        push_words(&mut self.chart.labels, label);
                    }
                    // The name of a trend line.
                    "name" => {
                        let name = xml.text_within(self.budget.bytes())?;
                        self.budget.take_bytes(name.len())?;
                        push_words(&mut self.chart.labels, name);
                    }
                    "cat" | "xVal" | "val" | "yVal" | "bubbleSize" | "datalabelsRange"
                    | "strDim" | "numDim" => {
                        let role = DataRole::parse(&element);
                        self.data(role, xml)?;
                    }
                    _ => self.element(&element, depth + 1)?,
                },
                XmlEvent::End if self.series_depth == Some(depth) => self.series_depth = None,
                XmlEvent::Eof => break,
                XmlEvent::End | XmlEvent::Text(_) | XmlEvent::Nothing => {}
            }
        }
        Ok(())
    }

    /// Notes an element whose content is read by the same loop.
    fn element(&mut self, element: &Element<'_>, depth: usize) -> Result<(), EarlyStop> {
        match element.name() {
            "date1904" if element.is_on() => self.epoch = Epoch::Y1904,
            "data" => {
                self.budget.take_items(SERIES_ITEMS)?;
                self.shared_id = element.attribute("id");
            }
            "ser" | "series" if self.series_depth.is_none() => {
                self.budget.take_items(SERIES_ITEMS)?;
                self.series_depth = Some(depth);
                self.chart.series.push(ChartSeries::default());
            }
            "dataId" => {
                let id = element.attribute("val").unwrap_or_default();
                // Each is shown by one series: a second could repeat it as often as it likes.
                if let Some(data) = self.shared.remove(&id)
                    && let Some(series) = self.chart.series.last_mut()
                {
                    series.categories = data.categories;
                    series.columns = data.columns;
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// Reads the data that began last into the open series, or into data for a later one.
    fn data<R: BufRead>(&mut self, role: DataRole, xml: &mut Xml<R>) -> Result<(), EarlyStop> {
        let mut data = ChartData::default();
        let end = data.read(xml, self.epoch, self.budget);
        let series = match (&self.series_depth, &self.shared_id) {
            (Some(_), _) => self.chart.series.last_mut(),
            (None, Some(id)) => Some(self.shared.entry(id.clone()).or_default()),
            (None, None) => None,
        };
        if let Some(series) = series {
            match role {
                DataRole::Categories => series.categories = data,
                DataRole::Values(head) => {
                    // The first column has the name of the series, whatever its role.
                    let head = if series.columns.is_empty() { "" } else { head };
                    let columns = data.levels.into_iter();
                    let columns = columns.map(|points| ChartColumn { head, points });
                    series.columns.extend(columns);
                }
            }
        }
        end
    }

    /// Reads the text that began last: the name of the open series, or a label.
    fn name<R: BufRead>(&mut self, xml: &mut Xml<R>) -> Result<(), EarlyStop> {
        let is_name = self
            .series_depth
            .is_some_and(|depth| xml.depth() == depth + 1);
        let name = self.title(xml)?;
        match self.chart.series.last_mut() {
            Some(series) if is_name => series.name = name,
            _ => push_words(&mut self.chart.labels, name),
        }
        Ok(())
    }

    /// Reads the text in the element that began last: rich text, or a copy of cells.
    fn title<R: BufRead>(&mut self, xml: &mut Xml<R>) -> Result<String, EarlyStop> {
        let end = xml.depth() - 1;
        let mut lines = Vec::new();
        while xml.depth() > end {
            let XmlEvent::Start(element) = xml.next()? else {
                continue;
            };
            match element.name() {
                "rich" => push_words(&mut lines, self.rich(xml)?),
                "v" => {
                    let words = xml.text_within(self.budget.bytes())?;
                    self.budget.take_item()?;
                    self.budget.take_bytes(words.len())?;
                    push_words(&mut lines, words);
                }
                "txPr" | "extLst" => xml.skip()?,
                _ => {}
            }
        }
        Ok(lines.join(" "))
    }

    /// Reads the rich text that began last.
    fn rich<R: BufRead>(&mut self, xml: &mut Xml<R>) -> Result<String, EarlyStop> {
        let mut bodies = TextBodies {
            links: NO_LINKS,
            inherited: None,
            budget: self.budget,
        };
        bodies.words(xml)
    }
}

/// The role of data in a series.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum DataRole {
    Categories,
    /// Values, with the head of their column if it is not the name of the series.
    Values(&'static str),
}

impl DataRole {
    /// Returns the role of the data in an element.
    fn parse(element: &Element<'_>) -> Self {
        let kind = element.attribute("type");
        match element.name() {
            "cat" | "xVal" | "strDim" => Self::Categories,
            "bubbleSize" => Self::Values("size"),
            "datalabelsRange" => Self::Values("label"),
            "numDim" if kind.as_deref() == Some("size") => Self::Values("size"),
            _ => Self::Values(""),
        }
    }
}

/// Adds words, unless they are blank.
fn push_words(all: &mut Vec<String>, words: String) {
    if !words.trim().is_empty() {
        all.push(words);
    }
}
