//! The CPU time of edits on real files, without a sandbox and without a protocol, compared with
//! other servers.

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use cap_std::ambient_authority;
use cap_std::fs::Dir;
use docent_api::types::ErrorCode;
use docent_api::writing::Edit;
use docent_fs::NativeDisk;
use docent_tools::{Docent, ToolSettings};
use docent_tree::disk::Root;
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeValLike as _;
use tempfile::TempDir;

use crate::own::{options, replacement};
use crate::server::{Program, Server};

/// Number of calls of each kind.
const CALLS: usize = 21;

/// Cache size of an instance in bytes, as in the component by default.
const CACHE: usize = 64 << 20;

/// Number of files in the large transaction.
const FILES: usize = 100;

/// A directory with a docent that may write to it.
struct Place {
    directory: TempDir,
    _state: TempDir,
    docent: Docent<NativeDisk>,
}

/// A measured job.
struct Row {
    name: &'static str,
    /// Number of files, and their content.
    files: usize,
    text: String,
    /// Text to replace, and the replacement in each call.
    old: &'static str,
    mode: Mode,
    /// Maximum milliseconds.
    most: u64,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    Dry,
    Applied,
    Missed,
}

/// Prints the costs of edits.
///
/// # Errors
/// If a file cannot be written, a call has an unexpected answer, or the system does not report
/// times.
pub fn print(mut servers: Vec<Server>) -> Result<(), Box<dyn Error>> {
    let names: String = servers
        .iter()
        .map(|server| format!(" {} over MCP |", server.program.name()))
        .collect();
    println!("| CPU time, median of {CALLS} | docent | at most |{names}");
    println!("|---|---|---|{}", "---|".repeat(servers.len()));
    for row in rows() {
        let own = own(&row)?;
        let mut others = String::new();
        for server in &mut servers {
            others += &match theirs(server, &row)? {
                Some(cost) => format!(" {cost:.2?} |"),
                None => " - |".to_owned(),
            };
        }
        println!("| {} | {own:.2?} | {} ms |{others}", row.name, row.most);
    }
    let (before, after) = search()?;
    let none = " |".repeat(servers.len());
    println!("| a search, warm | {before:.2?} | |{none}");
    println!("| the same after an edit of one file, which it sees | {after:.2?} | |{none}");
    Ok(())
}

fn rows() -> [Row; 6] {
    let small = || format!("{}The answer is 41.\n{}", lines(90), lines(90));
    let row = |name, text, mode, most| Row {
        name,
        files: 1,
        text,
        old: "The answer is 41.",
        mode,
        most,
    };
    let long = |count: usize| {
        format!(
            "{}The answer is 41.\n{}",
            lines(count / 2),
            lines(count / 2)
        )
    };
    [
        row("one line of 10 KB, dry run", small(), Mode::Dry, 3),
        row("one line of 10 KB, applied", small(), Mode::Applied, 3),
        Row {
            files: FILES,
            ..row("100 files at once, applied", small(), Mode::Applied, 60)
        },
        row("one line of 200 000, dry run", long(200_000), Mode::Dry, 60),
        row(
            "one line of 200 000, applied",
            long(200_000),
            Mode::Applied,
            60,
        ),
        Row {
            old: "  the line 7001 says somewhat,\nand the line 7 says that 14 is its double.",
            ..row("a miss in 10 000 lines", long(10_000), Mode::Missed, 50)
        },
    ]
}

/// Returns a text of distinct lines.
fn lines(count: usize) -> String {
    let line = |number| {
        format!(
            "The line {number} says that {} is its double.\n",
            2 * number
        )
    };
    (0..count).map(line).collect()
}

fn own(row: &Row) -> Result<Duration, Box<dyn Error>> {
    let mut place = Place::new()?;
    let names = place.fill(row)?;
    let mut costs = Vec::new();
    for call in 0..=CALLS {
        let new = format!("{} {call}", row.old);
        let edits: Vec<Edit> = names
            .iter()
            .map(|name| replacement(name, row.old, &new))
            .collect();
        let before = cpu()?;
        let answer = place.docent.change(edits, options(row.mode == Mode::Dry));
        let cost = cpu()?.saturating_sub(before);
        let is_right = match (&answer, row.mode) {
            (Ok(answer), Mode::Dry) => answer.changed && !answer.applied,
            (Ok(answer), Mode::Applied) => answer.applied,
            (Err(error), Mode::Missed) => error.code == ErrorCode::EditNotFound,
            _ => false,
        };
        if !is_right {
            return Err(format!("{}: {answer:?}", row.name).into());
        }
        // The first call runs without a warm cache.
        if call > 0 {
            costs.push(cost);
        }
    }
    Ok(median(costs))
}

/// Returns the time of a server; none if it does not support the job.
fn theirs(server: &mut Server, row: &Row) -> Result<Option<Duration>, Box<dyn Error>> {
    let looks_for_texts = server.program != Program::TextEditor;
    if !looks_for_texts || row.mode == Mode::Dry && !server.has_dry_runs() {
        return Ok(None);
    }
    let mut costs = Vec::new();
    let paths: Vec<_> = (0..row.files)
        .map(|file| server.directory().join(format!("f{file}.md")))
        .collect();
    for path in &paths {
        fs::write(path, &row.text)?;
    }
    let all: Vec<&Path> = paths.iter().map(PathBuf::as_path).collect();
    // Long calls are measured less often, so that a run takes minutes.
    let calls = if row.text.len() > 1 << 20 { 3 } else { CALLS };
    for call in 0..=calls {
        let new = format!("{} {call}", row.old);
        let before = server.cpu()?;
        let said = server.edit(&all, (row.old, new.as_str()), row.mode == Mode::Dry)?;
        if call > 0 {
            costs.push(server.cpu()?.saturating_sub(before));
        }
        for path in all.iter().filter(|_| row.mode == Mode::Applied) {
            if !fs::read_to_string(path)?.contains(&new) {
                return Err(format!("{}: {said}", row.name).into());
            }
        }
    }
    Ok(Some(median(costs)))
}

/// Returns the time of a search before an edit and right after it, among a thousand files.
fn search() -> Result<(Duration, Duration), Box<dyn Error>> {
    let mut place = Place::new()?;
    for file in 0..1_000 {
        fs::write(
            place.directory.path().join(format!("f{file}.md")),
            lines(60),
        )?;
    }
    let count = |place: &mut Place, word: &str| -> Result<u32, Box<dyn Error>> {
        let answer = place.docent.search_documents(word.to_owned(), None);
        let answer = answer.map_err(|error| error.message)?;
        Ok(answer.total_files)
    };
    count(&mut place, "quokka")?;
    // Files written just now are read again until their stamps settle.
    std::thread::sleep(Duration::from_millis(100));
    count(&mut place, "quokka")?;
    let (mut before, mut after) = (Vec::new(), Vec::new());
    for call in 0..CALLS {
        let start = cpu()?;
        count(&mut place, &format!("wombat{call}wombat"))?;
        before.push(cpu()?.saturating_sub(start));
        let edit = replacement(
            &format!("f{call}.md"),
            "The line 7 says that 14 is its double.",
            &format!("A quokka{call}quokka."),
        );
        place
            .docent
            .change(vec![edit], options(false))
            .map_err(|error| error.message)?;
        let start = cpu()?;
        let found = count(&mut place, &format!("quokka{call}quokka"))?;
        after.push(cpu()?.saturating_sub(start));
        if found != 1 {
            return Err("the search does not see the edit".into());
        }
    }
    Ok((median(before), median(after)))
}

impl Place {
    fn new() -> Result<Self, Box<dyn Error>> {
        let (directory, state) = (tempfile::tempdir()?, tempfile::tempdir()?);
        let open = |path: &Path| Dir::open_ambient_dir(path, ambient_authority());
        let root = Root {
            name: "docs".to_owned(),
            writable: true,
            path: None,
        };
        let disk = NativeDisk::new(vec![(root, open(directory.path())?)])
            .with_state("docs", open(state.path())?)
            .with_stamps();
        let settings = ToolSettings {
            cache_bytes: CACHE,
            ..ToolSettings::default()
        };
        Ok(Self {
            directory,
            _state: state,
            docent: Docent::new(disk, settings),
        })
    }

    /// Writes a row's files, and returns their names.
    fn fill(&self, row: &Row) -> Result<Vec<String>, Box<dyn Error>> {
        let names: Vec<String> = (0..row.files).map(|file| format!("f{file}.md")).collect();
        for name in &names {
            fs::write(self.directory.path().join(name), &row.text)?;
        }
        Ok(names)
    }
}

/// Returns the CPU time that this process has used so far.
fn cpu() -> Result<Duration, Box<dyn Error>> {
    let usage = getrusage(UsageWho::RUSAGE_SELF)?;
    let cpu = usage.user_time() + usage.system_time();
    Ok(Duration::from_micros(u64::try_from(
        cpu.num_microseconds(),
    )?))
}

fn median(mut values: Vec<Duration>) -> Duration {
    values.sort_unstable();
    values[values.len() / 2]
}
