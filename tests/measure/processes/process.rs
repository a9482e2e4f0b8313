//! The cost of a whole process.

use std::error::Error;
use std::ffi::OsString;
use std::io;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeValLike as _;
use nix::time::ClockId;
use nix::unistd::Pid;
use serde_json::{Value, json};

/// First argument of the process that runs one command and measures it.
pub const MEASURE: &str = "measure";

/// The cost of one run of a command.
#[derive(Clone, Copy, Debug)]
pub struct Cost {
    /// CPU time in user and kernel mode, over all threads.
    pub cpu: Duration,
    /// Wall-clock time from start to end.
    pub wall: Duration,
    /// Peak resident memory in bytes.
    pub peak: u64,
}

/// Runs a command, discards its output, and prints its cost. The output is read, because with the
/// null device `grep` would stop at the first matching line. The command is the only child that
/// this process ever has, so the system's totals for children belong to it alone.
///
/// # Errors
/// If it cannot be started.
pub fn measure_one(mut command: impl Iterator<Item = OsString>) -> Result<(), Box<dyn Error>> {
    let program = command.next().ok_or("a command to measure is missing")?;
    let started = Instant::now();
    let mut child = Command::new(program)
        .args(command)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()?;
    if let Some(mut output) = child.stdout.take() {
        io::copy(&mut output, &mut io::sink())?;
    }
    let status = child.wait()?;
    let wall = started.elapsed();
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN)?;
    let cpu = usage.user_time() + usage.system_time();
    println!(
        "{}",
        json!({
            "cpu": cpu.num_microseconds(),
            "wall": wall.as_micros() as u64,
            "peak": usage.max_rss() * 1024,
            "code": status.code(),
        })
    );
    Ok(())
}

/// Runs a command once.
///
/// # Errors
/// If it cannot be started, or fails for another reason than an empty result.
pub fn run(command: &[OsString]) -> Result<Cost, Box<dyn Error>> {
    let output = Command::new(std::env::current_exe()?)
        .arg(MEASURE)
        .args(command)
        .output()?;
    let told: Value = serde_json::from_slice(&output.stdout)
        .map_err(|_| String::from_utf8_lossy(&output.stderr).into_owned())?;
    let number = |key: &str| told[key].as_u64().unwrap_or_default();
    if !matches!(told["code"].as_u64(), Some(0 | 1)) {
        return Err(format!("{} ended with {}", command[0].display(), told["code"]).into());
    }
    Ok(Cost {
        cpu: Duration::from_micros(number("cpu")),
        wall: Duration::from_micros(number("wall")),
        peak: number("peak"),
    })
}

/// Runs commands in turn, `rounds` times each, and returns the median cost of each. An additional
/// first round only warms the system's caches.
///
/// # Errors
/// If one cannot be run.
pub fn in_turn(commands: &[Vec<OsString>], rounds: usize) -> Result<Vec<Cost>, Box<dyn Error>> {
    let mut costs = vec![Vec::new(); commands.len()];
    for round in 0..=rounds {
        for (command, costs) in commands.iter().zip(&mut costs) {
            let cost = run(command)?;
            if round > 0 {
                costs.push(cost);
            }
        }
    }
    Ok(costs
        .iter()
        .map(|costs| Cost {
            cpu: median(costs.iter().map(|cost| cost.cpu)),
            wall: median(costs.iter().map(|cost| cost.wall)),
            peak: median(costs.iter().map(|cost| cost.peak)),
        })
        .collect())
}

/// Returns the median of several measurements.
pub fn median<T: Copy + Ord>(values: impl Iterator<Item = T>) -> T {
    let mut values: Vec<T> = values.collect();
    values.sort_unstable();
    values[values.len() / 2]
}

/// Returns the CPU time that this process has used so far.
pub fn own_cpu() -> Result<Duration, Box<dyn Error>> {
    let usage = getrusage(UsageWho::RUSAGE_SELF)?;
    let cpu = usage.user_time() + usage.system_time();
    Ok(Duration::from_micros(u64::try_from(
        cpu.num_microseconds(),
    )?))
}

/// Returns the CPU time that another process has used so far, that of threads which have ended
/// included.
pub fn cpu_of(process: u32) -> Result<Duration, Box<dyn Error>> {
    let process = Pid::from_raw(i32::try_from(process)?);
    Ok(ClockId::pid_cpu_clock_id(process)?.now()?.into())
}

/// Returns the peak resident memory of another process so far, in bytes.
pub fn peak_of(process: u32) -> Result<u64, Box<dyn Error>> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status"))?;
    let line = status
        .lines()
        .find(|line| line.starts_with("VmHWM:"))
        .ok_or("no VmHWM")?;
    let kilobytes: u64 = line.split_whitespace().nth(1).ok_or("no VmHWM")?.parse()?;
    Ok(kilobytes * 1024)
}

/// Returns true if a program is on PATH.
pub fn is_there(program: &str) -> bool {
    std::env::var_os("PATH").is_some_and(|path| {
        std::env::split_paths(&path).any(|directory| is_file(&directory, program))
    })
}

fn is_file(directory: &Path, program: &str) -> bool {
    directory.join(program).is_file()
}
