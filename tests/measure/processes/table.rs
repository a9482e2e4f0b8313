//! The table of results: one figure per row, with the value that it is compared with.

use std::time::Duration;

/// A figure with its target.
pub struct Row {
    what: String,
    figure: String,
    held_against: String,
    target: String,
}

/// A collection of rows, which is printed as Markdown.
#[derive(Default)]
pub struct Table(Vec<Row>);

impl Table {
    /// Adds a figure. `held_against` and `target` may be empty.
    pub fn add(
        &mut self,
        what: impl Into<String>,
        figure: impl Into<String>,
        held_against: impl Into<String>,
        target: impl Into<String>,
    ) {
        self.0.push(Row {
            what: what.into(),
            figure: figure.into(),
            held_against: held_against.into(),
            target: target.into(),
        });
    }

    /// Adds a duration relative to another one, as a ratio with its maximum.
    pub fn add_ratio(
        &mut self,
        what: &str,
        figure: Duration,
        other: (&str, Duration),
        most: Option<f64>,
    ) {
        let ratio = figure.as_secs_f64() / other.1.as_secs_f64();
        let target = most.map_or_else(String::new, |most| {
            let verdict = if ratio <= most { "met" } else { "missed" };
            format!("≤ {most} × {}: {verdict}", other.0)
        });
        self.add(
            what,
            time(figure),
            format!("{ratio:.2} × {} ({})", other.0, time(other.1)),
            target,
        );
    }

    /// Adds a number of bytes with its maximum.
    pub fn add_size(&mut self, what: &str, figure: u64, most: Option<u64>) {
        let target = most.map_or_else(String::new, |most| {
            let verdict = if figure <= most { "met" } else { "missed" };
            format!("≤ {}: {verdict}", size(most))
        });
        self.add(what, size(figure), "", target);
    }

    /// Adds a duration with its maximum.
    pub fn add_time(&mut self, what: &str, figure: Duration, most: Option<Duration>) {
        let target = most.map_or_else(String::new, |most| {
            let verdict = if figure <= most { "met" } else { "missed" };
            format!("≤ {}: {verdict}", time(most))
        });
        self.add(what, time(figure), "", target);
    }

    /// Prints all rows.
    pub fn print(&self) {
        let header = Row {
            what: "job".to_owned(),
            figure: "figure".to_owned(),
            held_against: "beside".to_owned(),
            target: "target".to_owned(),
        };
        let width = |cell: fn(&Row) -> &str| {
            self.0
                .iter()
                .chain([&header])
                .map(|row| cell(row).chars().count())
                .max()
                .unwrap_or(0)
        };
        let widths = [
            width(|row| &row.what),
            width(|row| &row.figure),
            width(|row| &row.held_against),
            width(|row| &row.target),
        ];
        print_row(&header, widths);
        println!("|{}|", widths.map(|width| "-".repeat(width + 2)).join("|"));
        for row in &self.0 {
            print_row(row, widths);
        }
    }
}

fn print_row(row: &Row, widths: [usize; 4]) {
    let [a, b, c, d] = widths;
    println!(
        "| {:a$} | {:>b$} | {:c$} | {:d$} |",
        row.what, row.figure, row.held_against, row.target
    );
}

/// Returns a duration in milliseconds.
pub fn time(duration: Duration) -> String {
    let milliseconds = duration.as_secs_f64() * 1000.0;
    if milliseconds < 10.0 {
        format!("{milliseconds:.2} ms")
    } else {
        format!("{milliseconds:.0} ms")
    }
}

/// Returns bytes in megabytes.
pub fn size(bytes: u64) -> String {
    format!("{:.1} MB", bytes as f64 / 1e6)
}
