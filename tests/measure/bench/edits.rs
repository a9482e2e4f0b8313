//! The CPU time of edits over MCP, and of a server start that completes an interrupted write.

use std::error::Error;
use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};

use crate::process::{self, Cost, median};
use crate::server::Server;
use crate::table::Table;

/// Number of calls of each kind.
const CALLS: usize = 15;

/// Number of files in the large transaction.
const FILES: usize = 100;

/// Number of files in the interrupted write.
const CUT_OFF: usize = 1_000;

/// Number of interruptions.
const RECOVERIES: usize = 5;

/// Maximum attempts per interruption: the moment at which the write is interrupted is random.
const TRIES: usize = 100;

/// The text that is replaced.
const OLD: &str = "The answer is 41.";

/// A measured job.
struct Job {
    name: &'static str,
    files: usize,
    lines: usize,
    old: &'static str,
    call: Call,
    most: Duration,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Call {
    Dry,
    Applied,
    Missed,
}

/// Measures edits of files below a directory of their own.
///
/// # Errors
/// If a file cannot be written, or a call has an unexpected answer.
pub fn measure(table: &mut Table, docent: &Path) -> Result<(), Box<dyn Error>> {
    for job in jobs() {
        let cost = cost(docent, &job)?;
        table.add_time(job.name, cost, Some(job.most));
    }
    searches(table, docent)?;
    recoveries(table, docent)
}

fn jobs() -> [Job; 6] {
    let job = |name, lines, call, most| Job {
        name,
        files: 1,
        lines,
        old: OLD,
        call,
        most: Duration::from_millis(most),
    };
    [
        job("one line of 10 KB, dry run, CPU", 200, Call::Dry, 3),
        job("one line of 10 KB, applied, CPU", 200, Call::Applied, 3),
        Job {
            files: FILES,
            ..job("100 files at once, applied, CPU", 200, Call::Applied, 60)
        },
        job("one line of 200 000, dry run, CPU", 200_000, Call::Dry, 60),
        job(
            "one line of 200 000, applied, CPU",
            200_000,
            Call::Applied,
            60,
        ),
        Job {
            old: "  the line 7001 says somewhat,\nand the line 7 says that 14 is its double.",
            ..job("a miss in 10 000 lines, CPU", 10_000, Call::Missed, 50)
        },
    ]
}

/// Returns a text of distinct lines, with the text to replace in the middle.
fn text(lines: usize) -> String {
    let half = |numbers: std::ops::Range<usize>| -> String {
        let line = |number| {
            format!(
                "The line {number} says that {} is its double.\n",
                2 * number
            )
        };
        numbers.map(line).collect()
    };
    format!("{}{OLD}\n{}", half(0..lines / 2), half(lines / 2..lines))
}

fn cost(docent: &Path, job: &Job) -> Result<Duration, Box<dyn Error>> {
    let (root, state) = (tempfile::tempdir()?, tempfile::tempdir()?);
    let names: Vec<String> = (0..job.files).map(|file| format!("f{file}.md")).collect();
    for name in &names {
        fs::write(root.path().join(name), text(job.lines))?;
    }
    let mut server = Server::start_writing(docent, root.path(), state.path())?;
    let mut costs = Vec::new();
    for call in 0..=CALLS {
        let new = format!("{} {call}", job.old);
        let edit = |name| json!({ "path": name, "oldText": job.old, "newText": new });
        let edits = Value::Array(names.iter().map(edit).collect());
        let before = server.cpu()?;
        let is_made = server.change(&edits, job.call != Call::Applied)?;
        let cost = server.cpu()?.saturating_sub(before);
        if is_made != (job.call != Call::Missed) {
            return Err(format!("{}: answered otherwise", job.name).into());
        }
        // The first call runs without a warm cache.
        if call > 0 {
            costs.push(cost);
        }
    }
    Ok(median(costs.into_iter()))
}

/// Measures a search among a thousand files before an edit and right after it.
fn searches(table: &mut Table, docent: &Path) -> Result<(), Box<dyn Error>> {
    let (root, state) = (tempfile::tempdir()?, tempfile::tempdir()?);
    for file in 0..1_000 {
        fs::write(root.path().join(format!("f{file}.md")), text(60))?;
    }
    let mut server = Server::start_writing(docent, root.path(), state.path())?;
    let search = |server: &mut Server, word: &str| -> Result<Duration, Box<dyn Error>> {
        let before = server.cpu()?;
        server.search(word)?;
        Ok(server.cpu()?.saturating_sub(before))
    };
    // Files written just now are read again until their stamps settle.
    search(&mut server, "quokka")?;
    search(&mut server, "quokka")?;
    let (mut before, mut after) = (Vec::new(), Vec::new());
    for call in 0..CALLS {
        before.push(search(&mut server, &format!("wombat{call}wombat"))?);
        let new = format!("A quokka{call}quokka.");
        let edit = json!({ "path": format!("f{call}.md"), "oldText": OLD, "newText": new });
        if !server.change(&json!([edit]), false)? {
            return Err("the edit before a search was refused".into());
        }
        after.push(search(&mut server, &format!("quokka{call}quokka"))?);
    }
    let (before, after) = (median(before.into_iter()), median(after.into_iter()));
    table.add_ratio(
        "a search after an edit, CPU",
        after,
        ("before", before),
        None,
    );
    Ok(())
}

/// Measures a start that completes a write of a thousand files, which was killed near its
/// beginning.
fn recoveries(table: &mut Table, docent: &Path) -> Result<(), Box<dyn Error>> {
    let (root, state) = (tempfile::tempdir()?, tempfile::tempdir()?);
    for file in 0..CUT_OFF {
        fs::write(root.path().join(format!("f{file}.md")), text(60))?;
    }
    let command = |words: &[&str]| -> Vec<OsString> {
        let mut granted = root.path().as_os_str().to_owned();
        granted.push(":rw");
        let mut command = vec![docent.as_os_str().to_owned(), "call".into()];
        command.extend(words.iter().map(OsString::from));
        command.extend(["--root".into(), granted]);
        command.extend(["--state".into(), state.path().as_os_str().to_owned()]);
        command
    };
    let mut text = OLD.to_owned();
    let mut costs: Vec<Cost> = Vec::new();
    for number in 0..TRIES {
        let new = format!("The answer is {}.", 50 + number);
        let diff: String = (0..CUT_OFF)
            .map(|file| {
                format!("--- a/f{file}.md\n+++ b/f{file}.md\n@@ -31 +31 @@\n-{text}\n+{new}\n")
            })
            .collect();
        let change = json!({ "edits": [{ "diff": diff }], "dryRun": false });
        cut_off(&command(&["change", &change.to_string()]), state.path())?;
        let left = holding(root.path(), &text)?;
        let cost = process::run(&command(&["list_documents"]))?;
        if holding(root.path(), &new)? != CUT_OFF {
            return Err("a write that was cut off was not finished".into());
        }
        text = new;
        if left > CUT_OFF / 2 {
            costs.push(cost);
        }
        if costs.len() == RECOVERIES {
            let most = Some(Duration::from_secs(1));
            let cpu = median(costs.iter().map(|cost| cost.cpu));
            let wall = median(costs.iter().map(|cost| cost.wall));
            table.add_time("a start that finishes 1 000 files, CPU", cpu, most);
            table.add_time("a start that finishes 1 000 files, wall", wall, most);
            return Ok(());
        }
    }
    Err("no write was cut off where it had just begun".into())
}

/// Starts a writing command, and kills it once its journal is complete.
fn cut_off(command: &[OsString], state: &Path) -> Result<(), Box<dyn Error>> {
    let mut child = Command::new(&command[0])
        .args(&command[1..])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()?;
    let is_committed = || {
        let mut roots = fs::read_dir(state).into_iter().flatten().flatten();
        roots.any(|root| root.path().join("kept/committed").exists())
    };
    while !is_committed() && child.try_wait()?.is_none() {
        std::thread::yield_now();
    }
    // It may have exited by itself.
    let _ = child.kill();
    child.wait()?;
    Ok(())
}

/// Returns the number of files that contain a text.
fn holding(root: &Path, text: &str) -> Result<usize, Box<dyn Error>> {
    let mut count = 0;
    for file in 0..CUT_OFF {
        let path = root.join(format!("f{file}.md"));
        count += usize::from(fs::read_to_string(path)?.contains(text));
    }
    Ok(count)
}
