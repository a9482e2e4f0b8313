//! The jobs on documents.

use std::error::Error;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use docent_test_processes::process::{in_turn, is_there, median};

use crate::counter::Counter;
use crate::goals::{Beside, Goal, GoalTable};
use crate::sessions::{PATTERN, Session, Step, WORD, count};

/// Number of servers that are asked a first time.
const STARTS: usize = 3;

/// Number of calls of a kind to a server that has read everything.
const CALLS: usize = 7;

/// Goals of a tree; see `GoalTable` for the forms.
#[derive(Debug)]
pub struct DocumentGoals {
    /// The first question with an index.
    pub first: Goal,
    /// Another question.
    pub other: &'static [Goal],
    /// `understand`, first and again.
    pub understand: [Goal; 2],
}

/// Goals of 16 500 documents.
pub const SMALL_GOALS: DocumentGoals = DocumentGoals {
    first: Goal::Milliseconds(60),
    other: &[Goal::Ratio(0.05), Goal::Milliseconds(15)],
    understand: [Goal::Milliseconds(300), Goal::Milliseconds(15)],
};

/// Goals of 100 000 documents.
pub const LARGE_GOALS: DocumentGoals = DocumentGoals {
    first: Goal::Milliseconds(500),
    other: &[Goal::Milliseconds(40)],
    understand: [Goal::Milliseconds(600), Goal::Milliseconds(100)],
};

/// A tree of documents to measure.
#[derive(Clone, Copy, Debug)]
pub struct MeasuredTree<'a> {
    /// Its name in the table.
    pub name: &'a str,
    /// Its directory.
    pub directory: &'a Path,
    /// Its goals.
    pub goals: &'a DocumentGoals,
    /// The measured program.
    pub program: &'a Path,
    /// Runs of each whole process.
    pub rounds: usize,
}

/// Measures all jobs on a tree.
///
/// # Errors
/// If a program cannot be run, or a call is refused.
pub fn measure(table: &mut GoalTable, tree: MeasuredTree<'_>) -> Result<(), Box<dyn Error>> {
    let rg = tree.cold(table)?;
    tree.warm(table, rg)?;
    tree.indexed(table, rg)
}

impl MeasuredTree<'_> {
    fn session(&self, state: Option<&Path>) -> Result<Session<'_>, Box<dyn Error>> {
        Session::start(Command::new(self.program), self.directory, state)
    }

    /// Measures whole processes that read every file. Returns the CPU time of `rg`.
    fn cold(&self, table: &mut GoalTable) -> Result<Option<Beside<Duration>>, Box<dyn Error>> {
        let mut commands = vec![search(self.program, self.directory)];
        if is_there("rg") {
            commands.push(rg_search(self.directory));
        } else {
            eprintln!("left out: `rg` is not on PATH");
        }
        let costs = in_turn(&commands, self.rounds)?;
        let rg = costs.get(1).map(|cost| Beside {
            name: "rg",
            figure: cost.cpu,
        });
        let goals = [Goal::Ratio(0.9)];
        table.add_time(self.name, "cold search", costs[0].cpu, rg, &goals);
        let peak = "cold search, peak memory";
        let beside = costs.get(1).map(|cost| Beside {
            name: "rg",
            figure: cost.peak,
        });
        table.add_size(self.name, peak, costs[0].peak, beside, &[]);
        Ok(rg)
    }

    /// Measures a server without an index.
    fn warm(
        &self,
        table: &mut GoalTable,
        rg: Option<Beside<Duration>>,
    ) -> Result<(), Box<dyn Error>> {
        let mut session = self.session(None)?;
        session.make(Step::Search)?;
        session.make(Step::Search)?;
        let again = median_cost(&mut session, CALLS, |_| Step::Search)?;
        let goals = [Goal::Ratio(0.05)];
        table.add_time(self.name, "repeated search, warm", again, rg, &goals);
        drop(session);

        let mut session = self.session(None)?;
        session.make(Step::Question(0))?;
        session.make(Step::Question(0))?;
        let other = median_cost(&mut session, CALLS, |number| Step::Question(number + 1))?;
        let goals = self.goals.other;
        table.add_time(self.name, "another question, warm", other, rg, goals);
        let mut changed = Vec::new();
        for number in 0..CALLS {
            changed.push(session.cost(Step::Changed(number))?);
            // The document was restored, which is a change too.
            session.make(Step::Question(0))?;
        }
        let changed = median(changed.into_iter());
        let goals = [Goal::Milliseconds(45)];
        let job = "one file changed, next question";
        table.add_time(self.name, job, changed, rg, &goals);
        let peak = session.peak()?;
        let goals = [Goal::Megabytes(160)];
        table.add_size(self.name, "questions, peak memory", peak, None, &goals);
        Ok(())
    }

    /// Measures first calls of a process, without an index and with one.
    fn indexed(
        &self,
        table: &mut GoalTable,
        rg: Option<Beside<Duration>>,
    ) -> Result<(), Box<dyn Error>> {
        let first = self.first(|| Ok(None))?;
        table.add_time(self.name, "first question, no index", first, rg, &[]);

        let states = tempfile::tempdir()?;
        let mut number = 0;
        let building = self.first(|| {
            number += 1;
            let state = states.path().join(number.to_string());
            fs::create_dir(&state)?;
            Ok(Some(state))
        })?;
        let beside = Beside {
            name: "without",
            figure: first,
        };
        let state = states.path().join("1");
        let index = bytes(&state)?;
        // Without an index there is nothing to hold against a goal.
        let (note, goals): (_, &[Goal]) = if index == 0 {
            (" (there is none yet)", &[])
        } else {
            ("", &[Goal::Ratio(1.3), Goal::Ratio(0.3)])
        };
        let job = format!("first question, which builds the index{note}");
        let goal = goals.get(..1).unwrap_or_default();
        table.add_time(self.name, &job, building, Some(beside), goal);
        let beside = Beside {
            name: "text",
            figure: bytes(self.directory)?,
        };
        let job = format!("index{note}");
        let goal = goals.get(1..).unwrap_or_default();
        table.add_size(self.name, &job, index, Some(beside), goal);

        let known = self.first(|| Ok(Some(state.clone())))?;
        let job = "first question, index there";
        table.add_time(self.name, job, known, rg, &[self.goals.first]);
        self.patterns(table, &state)?;
        self.understand(table, &state)
    }

    /// Returns the CPU time of a process up to the answer to its first question.
    fn first(
        &self,
        mut state: impl FnMut() -> Result<Option<PathBuf>, Box<dyn Error>>,
    ) -> Result<Duration, Box<dyn Error>> {
        let mut costs = Vec::new();
        for _ in 0..STARTS {
            let state = state()?;
            let mut session = self.session(state.as_deref())?;
            session.make(Step::Question(0))?;
            costs.push(session.cpu()?);
        }
        Ok(median(costs.into_iter()))
    }

    fn patterns(&self, table: &mut GoalTable, state: &Path) -> Result<(), Box<dyn Error>> {
        let mut costs = Vec::new();
        for _ in 0..STARTS {
            let mut session = self.session(Some(state))?;
            session.make(Step::Pattern)?;
            costs.push(session.cpu()?);
        }
        let rg = if is_there("rg") {
            let costs = in_turn(&[rg_pattern(self.directory)], STARTS)?;
            Some(Beside {
                name: "rg",
                figure: costs[0].cpu,
            })
        } else {
            None
        };
        let job = "`pattern` with a rare literal, index there";
        let cost = median(costs.into_iter());
        table.add_time(self.name, job, cost, rg, &[Goal::Ratio(0.1)]);
        Ok(())
    }

    fn understand(&self, table: &mut GoalTable, state: &Path) -> Result<(), Box<dyn Error>> {
        let mut first = Vec::new();
        for _ in 0..STARTS {
            let mut session = self.session(Some(state))?;
            session.make(Step::Understand)?;
            first.push(session.cpu()?);
        }
        let first = median(first.into_iter());
        let mut session = self.session(Some(state))?;
        session.make(Step::Understand)?;
        let again = median_cost(&mut session, CALLS, |_| Step::Understand)?;
        for (job, cost, goal) in [
            ("`understand`, first, index there", first, 0),
            ("`understand`, again", again, 1),
        ] {
            let goals = [self.goals.understand[goal]];
            table.add_time(self.name, job, cost, None, &goals);
        }
        let peak = session.peak()?;
        let goals = [Goal::Megabytes(160)];
        table.add_size(self.name, "`understand`, peak memory", peak, None, &goals);
        Ok(())
    }
}

/// Counts the instructions of the same jobs.
///
/// # Errors
/// If a program cannot be run, or a call is refused.
pub fn count_all(
    table: &mut GoalTable,
    counter: Counter,
    program: &Path,
    name: &str,
    tree: &Path,
) -> Result<(), Box<dyn Error>> {
    let mut rg = None;
    if is_there("rg") {
        rg = Some(Beside {
            name: "rg",
            figure: counter.count(&rg_search(tree))?,
        });
    }
    let cold = counter.count(&search(program, tree))?;
    table.add_count(name, "cold search", cold, rg);
    let session = |steps: &[Step]| count(counter, program, tree, steps);
    // The count of a session less that of a shorter one is that of the requests in between.
    let between = |before: &[Step], more: &[Step]| -> Result<u64, Box<dyn Error>> {
        let all = [before, more].concat();
        let difference = session(&all)?.saturating_sub(session(before)?);
        Ok(difference / more.len() as u64)
    };
    let warm = between(&[Step::Search; 2], &[Step::Search; 3])?;
    table.add_count(name, "repeated search, warm", warm, rg);
    let first = session(&[Step::Question(0)])?;
    table.add_count(name, "first question, no index", first, rg);
    let before = [Step::Question(0); 2];
    let others = [Step::Question(1), Step::Question(2), Step::Question(3)];
    let other = between(&before, &others)?;
    table.add_count(name, "another question, warm", other, rg);
    let changed = between(&before, &[Step::Changed(0)])?;
    table.add_count(name, "one file changed, next question", changed, rg);
    let pattern = session(&[Step::Pattern])?;
    let mut rg = None;
    if is_there("rg") {
        rg = Some(Beside {
            name: "rg",
            figure: counter.count(&rg_pattern(tree))?,
        });
    }
    table.add_count(name, "`pattern` with a rare literal", pattern, rg);
    let first = session(&[Step::Understand])?;
    table.add_count(name, "`understand`, first", first, None);
    let again = between(&[Step::Understand; 2], &[Step::Understand; 2])?;
    table.add_count(name, "`understand`, again", again, None);
    Ok(())
}

fn median_cost(
    session: &mut Session<'_>,
    calls: usize,
    step: impl Fn(usize) -> Step,
) -> Result<Duration, Box<dyn Error>> {
    let costs = (0..calls).map(|number| session.cost(step(number)));
    let costs: Vec<Duration> = costs.collect::<Result<_, _>>()?;
    Ok(median(costs.into_iter()))
}

fn command(program: &Path, words: &[&str], tree: &Path) -> Vec<OsString> {
    let mut command = vec![program.as_os_str().to_owned()];
    command.extend(words.iter().map(OsString::from));
    command.push(tree.as_os_str().to_owned());
    command
}

fn search(program: &Path, tree: &Path) -> Vec<OsString> {
    command(program, &["search", "--json", WORD], tree)
}

fn rg_search(tree: &Path) -> Vec<OsString> {
    command(Path::new("rg"), &["-i", "-F", "--json", WORD], tree)
}

fn rg_pattern(tree: &Path) -> Vec<OsString> {
    command(
        Path::new("rg"),
        &["-S", "-n", "--no-heading", PATTERN],
        tree,
    )
}

/// Returns the bytes of all files below a directory.
fn bytes(directory: &Path) -> Result<u64, Box<dyn Error>> {
    let mut sum = 0;
    for entry in fs::read_dir(directory)? {
        let entry = entry?;
        sum += if entry.file_type()?.is_dir() {
            bytes(&entry.path())?
        } else {
            entry.metadata()?.len()
        };
    }
    Ok(sum)
}
