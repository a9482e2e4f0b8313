//! Tasks of an agent in real repositories: its calls, the evidence that they have to show, and the
//! bytes that `grep` and line ranges need for the same.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::error::Error;
use std::path::Path;
use std::process::Command;

use serde::Deserialize;
use serde_json::Value;

use crate::answer::{Item, Paths, items, plain, shows_line};
use crate::ask::{Ask, Open};
use crate::repository::walk;
use crate::table::{Row, Table};

const TASKS: &str = include_str!("tasks.json");

/// A question that an agent has.
#[derive(Debug, Deserialize)]
struct Task {
    name: String,
    /// Folder that is explored.
    root: String,
    /// Arguments of `explore`, one call after another until the evidence is shown.
    calls: Vec<Value>,
    /// Evidence that has to be shown, all of it.
    evidence: Vec<Evidence>,
    /// Shell commands that show the same.
    grep: Vec<String>,
    /// Maximum bytes of the answers.
    most: Option<usize>,
}

/// Evidence that a task is solved.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Evidence {
    /// A text.
    Text(String),
    /// One of several.
    OneOf(Vec<Evidence>),
    /// A line of a file, as `PATH:LINE`, or by its text at its place.
    Line { line: String, text: String },
}

/// The result of a task.
struct Outcome {
    calls: usize,
    bytes: usize,
    is_solved: bool,
}

/// Runs the tasks whose folders exist, and lists the others; returns a row for each, and one for
/// all tasks that are compared with `grep`.
///
/// # Errors
/// If the tasks cannot be read, a folder cannot be listed, or a command cannot be run.
pub fn tables(directory: &Path, open: Open<'_>) -> Result<[Table; 2], Box<dyn Error>> {
    let mut folders: BTreeMap<String, (Ask, Paths)> = BTreeMap::new();
    let mut table = Table::new("Tasks");
    let mut together = Together::default();
    for task in serde_json::from_str::<Vec<Task>>(TASKS)? {
        let root = directory.join(&task.root);
        if !root.is_dir() {
            eprintln!("eval: {} is left out: there is no {}", task.name, task.root);
            continue;
        }
        let (ask, paths) = match folders.entry(task.root.clone()) {
            Entry::Occupied(folder) => folder.into_mut(),
            Entry::Vacant(folder) => {
                let mut paths = Paths::new();
                walk(&root, "", &mut paths)?;
                folder.insert((open(&root), paths))
            }
        };
        let outcome = task.solve(ask, paths);
        let grep = task.bytes_of_grep(&root)?;
        if task.most.is_none() {
            together.add(&outcome, grep);
        }
        table.add(
            Row::new(task.name.as_str())
                .whole("solved", outcome.is_solved.into())
                .whole("calls", outcome.calls)
                .whole("bytes", outcome.bytes)
                .whole("calls of grep", task.grep.len())
                .whole("bytes of grep", grep)
                .ratio("ratio", outcome.ratio(grep))
                .perhaps("most bytes", task.most),
        );
    }
    let mut all = Table::new("Tasks together");
    all.add(together.row());
    Ok([table, all])
}

/// The results of several tasks.
#[derive(Default)]
struct Together {
    solved: u32,
    at_once: u32,
    within_twice: u32,
    /// Ratios of the bytes to those of `grep`; infinite for unsolved tasks.
    ratios: Vec<f64>,
}

impl Together {
    fn add(&mut self, outcome: &Outcome, grep: usize) {
        let ratio = outcome.ratio(grep);
        self.solved += u32::from(outcome.is_solved);
        self.at_once += u32::from(outcome.is_solved && outcome.calls == 1);
        self.within_twice += u32::from(ratio <= 2.0);
        self.ratios.push(ratio);
    }

    fn row(mut self) -> Row {
        let all = self.ratios.len();
        let worst = self.ratios.iter().copied().fold(0.0, f64::max);
        Row::new("tasks")
            .whole("tasks", all)
            .share("solved", self.solved.into(), all)
            .share("in one call", self.at_once.into(), all)
            .share("at most twice grep", self.within_twice.into(), all)
            .ratio("median ratio", middle(&mut self.ratios))
            .ratio("worst ratio", worst)
    }
}

/// Returns the median of ratios; infinite for none.
fn middle(ratios: &mut [f64]) -> f64 {
    ratios.sort_by(f64::total_cmp);
    let (low, high) = (ratios.len().saturating_sub(1) / 2, ratios.len() / 2);
    match (ratios.get(low), ratios.get(high)) {
        (Some(low), Some(high)) => low.midpoint(*high),
        _ => f64::INFINITY,
    }
}

impl Task {
    fn solve(&self, ask: &mut Ask, paths: &Paths) -> Outcome {
        let mut answers: Vec<String> = Vec::new();
        let mut is_solved = false;
        for call in &self.calls {
            answers.push(ask(call));
            // Parsed separately, so that an unclosed fence in one answer does not affect the next.
            let items: Vec<Item<'_>> = answers.iter().flat_map(|a| items(a, paths)).collect();
            let lines = answers.iter().flat_map(|answer| answer.lines());
            let lines: Vec<&str> = lines.map(without_number).collect();
            let text = plain(&lines.join("\n"));
            is_solved = self.evidence.iter().all(|e| e.is_in(&text, &items));
            if is_solved {
                break;
            }
        }
        Outcome {
            calls: answers.len(),
            bytes: answers.iter().map(String::len).sum(),
            is_solved,
        }
    }

    /// Returns the number of bytes that the commands print.
    fn bytes_of_grep(&self, root: &Path) -> Result<usize, Box<dyn Error>> {
        let mut bytes = 0;
        for command in &self.grep {
            let output = Command::new("bash")
                .args(["-c", command])
                .current_dir(root)
                .output()?;
            if output.stdout.is_empty() {
                return Err(format!("`{command}` prints nothing in {}", root.display()).into());
            }
            bytes += output.stdout.len();
        }
        Ok(bytes)
    }
}

/// Returns a line of an answer without the number before it, which would part evidence of several
/// lines.
fn without_number(line: &str) -> &str {
    match line.split_once('\t') {
        Some((number, text)) if number.bytes().all(|byte| byte.is_ascii_digit()) => text,
        _ => line,
    }
}

impl Evidence {
    fn is_in(&self, text: &str, items: &[Item<'_>]) -> bool {
        match self {
            Self::Text(wanted) => text.contains(&plain(wanted)),
            Self::OneOf(several) => several.iter().any(|one| one.is_in(text, items)),
            Self::Line { line, text } => line
                .rsplit_once(':')
                .and_then(|(path, number)| Some((path, number.parse().ok()?)))
                .is_some_and(|(path, number)| shows_line(items, path, number, text)),
        }
    }
}

impl Outcome {
    fn ratio(&self, grep: usize) -> f64 {
        if self.is_solved {
            self.bytes as f64 / grep as f64
        } else {
            f64::INFINITY
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_lines_do_not_part_evidence() {
        assert_eq!(without_number("331\t    Default"), "    Default");
        assert_eq!(without_number("\ttext"), "text");
        assert_eq!(without_number("69 name: text\tmore"), "69 name: text\tmore");
        assert_eq!(without_number("plain"), "plain");
    }

    fn task(evidence: &str, calls: &str) -> Task {
        let task = format!(
            r#"{{"name": "n", "root": "r", "calls": {calls}, "evidence": {evidence}, "grep": []}}"#
        );
        serde_json::from_str(&task).unwrap()
    }

    fn solve(task: &Task) -> (usize, bool) {
        let mut ask: Ask = Box::new(|call| {
            let query = call["query"].as_str().unwrap_or_default();
            format!("## a.c:2-4\n```\n3:  {query}\n```\n")
        });
        let outcome = task.solve(&mut ask, &["a.c".to_owned()].into());
        (outcome.calls, outcome.is_solved)
    }

    #[test]
    fn a_task_is_solved_when_all_is_shown() {
        let calls = r#"[{"query": "x = 1"}, {"query": "y = 2"}]"#;
        assert_eq!(solve(&task(r#"["x  = 1"]"#, calls)), (1, true));
        assert_eq!(solve(&task(r#"["x = 1", "y = 2"]"#, calls)), (2, true));
        assert_eq!(solve(&task(r#"[["z", "y = 2"]]"#, calls)), (2, true));
        assert_eq!(solve(&task(r#"["z"]"#, calls)), (2, false));
        let line = |line: u32| format!(r#"[{{"line": "a.c:{line}", "text": "y"}}]"#);
        assert_eq!(solve(&task(&line(3), calls)), (1, true));
        assert_eq!(solve(&task(&line(4), calls)), (2, true));
        assert_eq!(solve(&task(&line(5), calls)), (2, false));
    }

    #[test]
    fn the_tasks_can_be_read() {
        let tasks: Vec<Task> = serde_json::from_str(TASKS).unwrap();
        assert_eq!(tasks.iter().filter(|task| task.most.is_none()).count(), 16);
        for task in tasks {
            assert!((1..=2).contains(&task.calls.len()), "{}", task.name);
        }
    }

    #[test]
    fn what_is_not_solved_has_no_ratio() {
        assert!(middle(&mut [f64::INFINITY, 1.0, 2.0, f64::INFINITY]).is_infinite());
        assert!((middle(&mut [3.0, 1.0, 2.0]) - 2.0).abs() < 1e-9);
    }
}
