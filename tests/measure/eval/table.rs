//! Tables of figures, each compared with its recorded value.

use std::fmt;

use serde_json::{Map, Value, json};

/// A table of figures of one kind.
#[derive(Debug)]
pub struct Table {
    title: &'static str,
    rows: Vec<Row>,
}

/// The figures of one measurement.
#[derive(Debug)]
pub struct Row {
    name: String,
    figures: Vec<Figure>,
}

/// A figure with the name of its column.
#[derive(Debug)]
struct Figure {
    column: &'static str,
    value: f64,
    form: Form,
}

/// The format of a figure.
#[derive(Clone, Copy, Debug)]
enum Form {
    /// A fraction of 1, with three digits.
    Share,
    /// An integer; infinite if there is none.
    Whole,
    /// A ratio, with two digits; infinite if there is none.
    Ratio,
}

impl Row {
    /// Returns a row without figures.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            figures: Vec::new(),
        }
    }

    /// Adds the fraction of `part` in `whole`.
    pub fn share(self, column: &'static str, part: f64, whole: usize) -> Self {
        self.with(column, part / whole.max(1) as f64, Form::Share)
    }

    /// Adds a number.
    pub fn whole(self, column: &'static str, value: usize) -> Self {
        self.with(column, value as f64, Form::Whole)
    }

    /// Adds a number that some rows lack.
    pub fn perhaps(self, column: &'static str, value: Option<usize>) -> Self {
        let value = value.map_or(f64::INFINITY, |value| value as f64);
        self.with(column, value, Form::Whole)
    }

    /// Adds a ratio.
    pub fn ratio(self, column: &'static str, value: f64) -> Self {
        self.with(column, value, Form::Ratio)
    }

    fn with(mut self, column: &'static str, value: f64, form: Form) -> Self {
        self.figures.push(Figure {
            column,
            value,
            form,
        });
        self
    }
}

impl Table {
    /// Returns a table without rows; all of its rows must have the same columns.
    pub fn new(title: &'static str) -> Self {
        Self {
            title,
            rows: Vec::new(),
        }
    }

    /// Adds a row.
    pub fn add(&mut self, row: Row) {
        self.rows.push(row);
    }

    /// Prints the table as Markdown, with the recorded values below each row.
    pub fn print(&self, recorded: &Record) {
        let Some(first) = self.rows.first() else {
            return;
        };
        println!("\n## {}\n", self.title);
        let columns: Vec<&str> = first.figures.iter().map(|figure| figure.column).collect();
        println!("| | {} |", columns.join(" | "));
        println!("|---|{}", "---|".repeat(columns.len()));
        for row in &self.rows {
            println!("| **{}** {row}", row.name);
            if let Some(before) = recorded.row(self.title, row) {
                println!("| {} {before}", recorded.name());
            }
        }
    }
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for figure in &self.figures {
            write!(f, "| {figure} ")?;
        }
        write!(f, "|")
    }
}

impl fmt::Display for Figure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.value.is_finite() {
            return write!(f, "-");
        }
        match self.form {
            Form::Share => write!(f, "{:.3}", self.value),
            Form::Whole => write!(f, "{:.0}", self.value),
            Form::Ratio => write!(f, "{:.2}", self.value),
        }
    }
}

/// Figures of an earlier measurement, named after a release.
#[derive(Debug, Default)]
pub struct Record(Value);

impl Record {
    /// Parses the output of [`Record::from_tables`].
    ///
    /// # Errors
    /// If it is not JSON.
    pub fn parse(text: &str) -> Result<Self, serde_json::Error> {
        serde_json::from_str(text).map(Self)
    }

    /// Returns the figures of `tables` as JSON, under the name of a release.
    pub fn from_tables(name: &str, tables: &[Table]) -> String {
        let mut figures = Map::new();
        for table in tables {
            for row in &table.rows {
                let cells = row.figures.iter();
                let cells = cells.map(|figure| (figure.column.to_owned(), figure.rounded()));
                let rows = figures.entry(table.title).or_insert_with(|| json!({}));
                rows[&row.name] = Value::Object(cells.collect());
            }
        }
        format!("{:#}\n", json!({ "name": name, "figures": figures }))
    }

    fn name(&self) -> &str {
        self.0["name"].as_str().unwrap_or("before")
    }

    /// Returns the recorded values of a row; none if nothing is recorded.
    fn row(&self, table: &str, row: &Row) -> Option<Row> {
        let figures = self.0["figures"][table][&row.name].as_object()?;
        let figures = row.figures.iter().map(|figure| Figure {
            column: figure.column,
            value: figures
                .get(figure.column)
                .and_then(Value::as_f64)
                .unwrap_or(f64::INFINITY),
            form: figure.form,
        });
        Some(Row {
            name: self.name().to_owned(),
            figures: figures.collect(),
        })
    }
}

impl Figure {
    /// Returns the value as it is displayed; null if it is not finite.
    fn rounded(&self) -> Value {
        self.to_string()
            .parse::<f64>()
            .map_or(Value::Null, |value| json!(value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_recorded_can_be_read_back() {
        let row = || {
            Row::new("flask")
                .share("first", 1.0, 3)
                .whole("bytes", 1500)
                .ratio("grep", f64::INFINITY)
        };
        let mut table = Table::new("code");
        table.add(row());
        let record = Record::parse(&Record::from_tables("0.1.0", &[table])).unwrap();
        let before = record.row("code", &row()).unwrap();
        assert_eq!(before.to_string(), "| 0.333 | 1500 | - |");
        assert!(record.row("other", &row()).is_none());
    }
}
