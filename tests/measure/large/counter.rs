//! Counting the instructions of a process, which other work on the machine does not change.

use std::error::Error;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use docent_test_processes::process::is_there;

/// The program that runs another one under valgrind.
const VALGRIND: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/valgrind");

/// A way of counting instructions in user mode.
#[derive(Clone, Copy, Debug)]
pub enum Counter {
    /// The counters of the processor.
    Perf,
    /// An emulator, some forty times slower.
    Valgrind,
}

impl Counter {
    /// Returns the first way that works on this machine; `command` is a short run of the measured
    /// program.
    ///
    /// # Errors
    /// The reasons for which none works.
    pub fn choose(command: &[OsString]) -> Result<Self, String> {
        let mut reasons = Vec::new();
        for (counter, name) in [(Self::Perf, "perf"), (Self::Valgrind, "valgrind")] {
            if !is_there(name) {
                reasons.push(format!("`{name}` is not on PATH"));
                continue;
            }
            match counter.count(command) {
                Ok(_) => return Ok(counter),
                Err(error) => reasons.push(format!("`{name}`: {error}")),
            }
        }
        Err(reasons.join("; "))
    }

    /// Returns the name of the counting program.
    pub fn name(self) -> &'static str {
        match self {
            Self::Perf => "perf",
            Self::Valgrind => "valgrind",
        }
    }

    /// Returns a command that runs `program` with the arguments that are added, and writes the
    /// count to `log` when the program ends.
    pub fn command(self, program: &Path, log: &Path) -> Command {
        let mut command = match self {
            Self::Perf => {
                let mut perf = Command::new("perf");
                perf.args(["stat", "-x", ",", "-e", "instructions:u", "-o"]);
                perf.arg(log).arg("--");
                perf
            }
            Self::Valgrind => {
                let mut valgrind = Command::new(VALGRIND);
                valgrind.arg(log);
                valgrind
            }
        };
        command.arg(program);
        command
    }

    /// Returns the instructions of a whole process.
    ///
    /// # Errors
    /// If it fails for another reason than an empty result, or nothing is counted.
    pub fn count(self, command: &[OsString]) -> Result<u64, Box<dyn Error>> {
        let [program, arguments @ ..] = command else {
            return Err("a command to count is missing".into());
        };
        let folder = tempfile::tempdir()?;
        let log = folder.path().join("count");
        let output = self
            .command(Path::new(program), &log)
            .args(arguments)
            .stdin(Stdio::null())
            .output()?;
        if !matches!(output.status.code(), Some(0 | 1)) {
            let said = String::from_utf8_lossy(&output.stderr);
            let line = said.lines().next().unwrap_or_default();
            let program = program.display();
            return Err(format!("{program} ended with {}: {line}", output.status).into());
        }
        // A program that valgrind cannot run ends as one without a result does.
        if output.stdout.is_empty() {
            let program = program.display();
            return Err(format!("{program} prints nothing under it").into());
        }
        self.read(&log)
    }

    /// Returns the count in `log`.
    ///
    /// # Errors
    /// If there is none.
    pub fn read(self, log: &Path) -> Result<u64, Box<dyn Error>> {
        let text = fs::read_to_string(log)?;
        let number = match self {
            Self::Perf => text
                .lines()
                .find(|line| line.contains("instructions"))
                .and_then(|line| line.split(',').next()),
            Self::Valgrind => text
                .lines()
                .find_map(|line| line.split_once("refs:"))
                .map(|(_, number)| number),
        };
        let number = number.ok_or("nothing was counted")?.trim();
        let digits: String = number.chars().filter(|digit| *digit != ',').collect();
        Ok(digits
            .parse()
            .map_err(|_| format!("the count is `{number}`"))?)
    }
}

/// A log of a counter, in a folder of its own.
#[derive(Debug)]
pub struct CountLog {
    folder: tempfile::TempDir,
}

impl CountLog {
    /// Creates the folder.
    ///
    /// # Errors
    /// If it cannot be created.
    pub fn new() -> Result<Self, Box<dyn Error>> {
        Ok(Self {
            folder: tempfile::tempdir()?,
        })
    }

    /// Returns the path of the log.
    pub fn path(&self) -> PathBuf {
        self.folder.path().join("count")
    }
}
