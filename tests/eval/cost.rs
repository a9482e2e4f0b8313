//! What an embedder costs: the processor time of this program, in which a model in a directory runs,
//! and of the server that another one runs in.

use std::error::Error;
use std::time::Duration;

/// Adds up processor time.
#[derive(Clone, Copy, Debug, Default)]
pub struct Meter {
    /// The process of the server, where there is one and it was named.
    pub server: Option<u32>,
}

/// Parts of a second in which Linux tells times of processes to programs, on every machine.
const TICKS: u64 = 100;

impl Meter {
    /// Returns the processor time that was used so far.
    ///
    /// # Errors
    /// When the system does not tell it.
    pub fn cpu(&self) -> Result<Duration, Box<dyn Error>> {
        let server = self.server.map(of_process).transpose()?;
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

/// Returns the processor time of all threads of a process, also of those that have ended: servers
/// start one for each connection.
fn of_process(process: u32) -> Result<Duration, Box<dyn Error>> {
    let told = std::fs::read_to_string(format!("/proc/{process}/stat"))?;
    of_stat(&told).ok_or_else(|| format!("process {process} tells no times").into())
}

fn of_stat(told: &str) -> Option<Duration> {
    // The name of the program may hold anything, parentheses too.
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
        assert_eq!(of_stat(told), Some(Duration::from_secs(3)));
        assert_eq!(of_stat("7 (a) S 1"), None);
    }
}
