//! The table: a job on a tree, by docent and by another program, beside its goal.

use std::time::Duration;

use docent_test_processes::table::{size, time};

/// Maximum of a figure.
#[derive(Clone, Copy, Debug)]
pub enum Goal {
    /// Relative to the other program.
    Ratio(f64),
    /// Milliseconds.
    Milliseconds(u64),
    /// Millions of bytes.
    Megabytes(u64),
}

/// A row of the table.
#[derive(Debug)]
struct Row {
    cells: [String; 6],
}

/// The rows of one kind of tree.
#[derive(Debug)]
pub struct GoalTable {
    unit: &'static str,
    rows: Vec<Row>,
}

/// The other program, with its figure.
#[derive(Clone, Copy, Debug)]
pub struct Beside<T> {
    /// Name of the program, or of the job that is compared with.
    pub name: &'static str,
    /// Its figure.
    pub figure: T,
}

impl GoalTable {
    /// Creates a table of figures in `unit`.
    pub fn new(unit: &'static str) -> Self {
        Self {
            unit,
            rows: Vec::new(),
        }
    }

    /// Adds a CPU time.
    pub fn add_time(
        &mut self,
        tree: &str,
        job: &str,
        figure: Duration,
        beside: Option<Beside<Duration>>,
        goals: &[Goal],
    ) {
        let ratio = beside.map(|beside| figure.as_secs_f64() / beside.figure.as_secs_f64());
        let verdicts = goals.iter().filter_map(|goal| match *goal {
            Goal::Ratio(most) => {
                let ratio = ratio?;
                Some(verdict(format!("{most} ×"), ratio <= most))
            }
            Goal::Milliseconds(most) => {
                let most = Duration::from_millis(most);
                Some(verdict(time(most), figure <= most))
            }
            Goal::Megabytes(_) => None,
        });
        self.add(
            tree,
            job,
            time(figure),
            beside.map(|beside| format!("{} {}", beside.name, time(beside.figure))),
            ratio,
            &verdicts.collect::<Vec<_>>(),
        );
    }

    /// Adds a number of bytes.
    pub fn add_size(
        &mut self,
        tree: &str,
        job: &str,
        figure: u64,
        beside: Option<Beside<u64>>,
        goals: &[Goal],
    ) {
        let ratio = beside.map(|beside| figure as f64 / beside.figure as f64);
        let verdicts = goals.iter().filter_map(|goal| match *goal {
            Goal::Ratio(most) => {
                let ratio = ratio?;
                Some(verdict(format!("{most} ×"), ratio <= most))
            }
            Goal::Megabytes(most) => {
                let most = most * 1_000_000;
                Some(verdict(size(most), figure <= most))
            }
            Goal::Milliseconds(_) => None,
        });
        self.add(
            tree,
            job,
            size(figure),
            beside.map(|beside| format!("{} {}", beside.name, size(beside.figure))),
            ratio,
            &verdicts.collect::<Vec<_>>(),
        );
    }

    /// Adds a number of instructions.
    pub fn add_count(&mut self, tree: &str, job: &str, figure: u64, beside: Option<Beside<u64>>) {
        let count = |count: u64| format!("{:.1} M", count as f64 / 1e6);
        self.add(
            tree,
            job,
            count(figure),
            beside.map(|beside| format!("{} {}", beside.name, count(beside.figure))),
            beside.map(|beside| figure as f64 / beside.figure as f64),
            &[],
        );
    }

    fn add(
        &mut self,
        tree: &str,
        job: &str,
        figure: String,
        beside: Option<String>,
        ratio: Option<f64>,
        verdicts: &[String],
    ) {
        let cells = [
            tree.to_owned(),
            job.to_owned(),
            figure,
            beside.unwrap_or_default(),
            ratio.map_or_else(String::new, |ratio| format!("{ratio:.2} ×")),
            verdicts.join(", "),
        ];
        // A run takes minutes, so that each row is shown as soon as it is known.
        eprintln!("{}", cells.join(" | "));
        self.rows.push(Row { cells });
    }

    /// Prints all rows.
    pub fn print(&self) {
        if self.rows.is_empty() {
            return;
        }
        let header = ["tree", "job", self.unit, "beside", "ratio", "goal"];
        println!("\n| {} |", header.join(" | "));
        println!("|{}", "---|".repeat(header.len()));
        for row in &self.rows {
            println!("| {} |", row.cells.join(" | "));
        }
    }
}

fn verdict(goal: String, is_met: bool) -> String {
    let verdict = if is_met { "met" } else { "missed" };
    format!("{goal}: {verdict}")
}
