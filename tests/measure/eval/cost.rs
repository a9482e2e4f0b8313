//! The CPU time of an embedder: that of this process, in which the model of a directory runs, and
//! that of an embedding server.

use std::error::Error;
use std::time::Duration;

/// A meter of CPU time.
#[derive(Clone, Copy, Debug, Default)]
pub struct Meter {
    /// Process id of the embedding server, if one was given.
    pub server: Option<u32>,
}

/// The clock ticks per second in which Linux reports the times of processes, on every machine.
const TICKS: u64 = 100;

impl Meter {
    /// Returns the CPU time used so far.
    ///
    /// # Errors
    /// If the system does not report it.
    pub fn cpu(&self) -> Result<Duration, Box<dyn Error>> {
        let server = self.server.map(process_time).transpose()?;
        Ok(own()? + server.unwrap_or_default())
    }
}

#[cfg(unix)]
fn own() -> Result<Duration, Box<dyn Error>> {
    use nix::sys::resource::{UsageWho, getrusage};
    use nix::sys::time::TimeValLike as _;
    let usage = getrusage(UsageWho::RUSAGE_SELF)?;
    let cpu = usage.user_time() + usage.system_time();
    Ok(Duration::from_micros(cpu.num_microseconds().try_into()?))
}

#[cfg(not(unix))]
fn own() -> Result<Duration, Box<dyn Error>> {
    Err("processor time is told on Unix alone".into())
}

/// Returns the CPU time of all threads of a process, including ended ones: servers start a thread
/// for each connection.
fn process_time(process: u32) -> Result<Duration, Box<dyn Error>> {
    let told = std::fs::read_to_string(format!("/proc/{process}/stat"))?;
    parse_stat(&told).ok_or_else(|| format!("process {process} tells no times").into())
}

fn parse_stat(told: &str) -> Option<Duration> {
    // The name of the program may contain anything, including parentheses.
    let (_, fields) = told.rsplit_once(") ")?;
    let mut times = fields.split(' ').skip(11).map(str::parse::<u64>);
    let (user, system) = (times.next()?.ok()?, times.next()?.ok()?);
    Some(Duration::from_millis((user + system) * 1000 / TICKS))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_a_process_stand_behind_its_name() {
        let told = "7 (a) b (c) S 1 7 7 0 -1 4194560 9 0 1 0 250 50 3 4 20 0 1 0 99";
        assert_eq!(parse_stat(told), Some(Duration::from_secs(3)));
        assert_eq!(parse_stat("7 (a) S 1"), None);
    }
}
