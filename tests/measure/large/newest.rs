//! The newest of a million files, found by docent and by the usual tools.

use std::error::Error;
use std::ffi::OsString;
use std::path::Path;

use docent_test_processes::process::{in_turn, is_there};

use crate::counter::Counter;
use crate::goals::{Beside, Goal, GoalTable};

/// Start of the requested window: a third of the files is older.
const SINCE: &str = "2026-02-03";

/// Number of requested files.
const NEWEST: &str = "100";

/// Most runs of each whole process: each takes seconds.
const ROUNDS: usize = 5;

/// A program that finds the files, with its command.
struct Finder {
    name: &'static str,
    command: Vec<OsString>,
}

/// Measures the newest files of a directory.
///
/// # Errors
/// If a program cannot be run.
pub fn measure(
    table: &mut GoalTable,
    name: &str,
    directory: &Path,
    program: &Path,
    rounds: usize,
) -> Result<(), Box<dyn Error>> {
    let finders = finders(program, directory);
    let commands: Vec<Vec<OsString>> = finders
        .iter()
        .map(|finder| finder.command.clone())
        .collect();
    let costs = in_turn(&commands, rounds.min(ROUNDS))?;
    let job = "`find-files`, newest 100";
    for (finder, cost) in finders.iter().zip(&costs).skip(1) {
        let beside = Beside {
            name: finder.name,
            figure: cost.cpu,
        };
        let goals: &[Goal] = if finder.name == "fdfind" {
            &[Goal::Ratio(0.7)]
        } else {
            &[]
        };
        table.add_time(name, job, costs[0].cpu, Some(beside), goals);
    }
    if finders.len() == 1 {
        table.add_time(name, job, costs[0].cpu, None, &[]);
    }
    let fd = finders.iter().position(|finder| finder.name == "fdfind");
    let beside = fd.map(|index| Beside {
        name: "fdfind",
        figure: costs[index].peak,
    });
    let goals = [Goal::Megabytes(64)];
    let job = "`find-files`, peak memory";
    table.add_size(name, job, costs[0].peak, beside, &goals);
    Ok(())
}

/// Counts the instructions of docent and of `fdfind`.
///
/// # Errors
/// If a program cannot be run.
pub fn count(
    table: &mut GoalTable,
    counter: Counter,
    name: &str,
    directory: &Path,
    program: &Path,
) -> Result<(), Box<dyn Error>> {
    let finders = finders(program, directory);
    let own = counter.count(&finders[0].command)?;
    let mut fd = None;
    if let Some(finder) = finders.iter().find(|finder| finder.name == "fdfind") {
        fd = Some(Beside {
            name: "fdfind",
            figure: counter.count(&finder.command)?,
        });
    }
    table.add_count(name, "`find-files`, newest 100", own, fd);
    Ok(())
}

/// Returns docent, and the other programs that are on PATH.
fn finders(program: &Path, directory: &Path) -> Vec<Finder> {
    let command = |words: &[&str]| {
        let mut command: Vec<OsString> = words.iter().map(OsString::from).collect();
        command.push(directory.as_os_str().to_owned());
        command
    };
    let mut own = vec![program.as_os_str().to_owned()];
    own.extend(command(&["find", "--from", SINCE, "--limit", NEWEST]));
    let mut finders = vec![Finder {
        name: "docent",
        command: own,
    }];
    // Debian renames the program.
    match ["fdfind", "fd"].into_iter().find(|name| is_there(name)) {
        Some(name) => {
            let midnight = format!("{SINCE} 00:00:00");
            finders.push(Finder {
                name: "fdfind",
                command: command(&[name, "-u", "--changed-after", &midnight, "."]),
            });
        }
        None => eprintln!("left out: neither `fdfind` nor `fd` is on PATH"),
    }
    if ["find", "sort", "head"].into_iter().all(is_there) {
        let line = format!(
            "find \"$0\" -type f -newermt {SINCE} -printf '%T@ %p\\n' | sort -rn | head -{NEWEST}"
        );
        finders.push(Finder {
            name: "find, sort, head",
            command: command(&["sh", "-c", &line]),
        });
    } else {
        eprintln!("left out: `find`, `sort` or `head` is not on PATH");
    }
    finders
}
