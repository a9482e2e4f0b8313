//! Progress of a build script, which cargo does not show: it captures the output of build scripts,
//! and without these lines nothing new would appear for minutes.

use std::fs;
use std::fs::File;
use std::io::Write as _;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

/// The time without a new line after which one tells that the build continues.
pub const QUIET: Duration = Duration::from_secs(10);

/// The progress of one step of a build, shown to a person or in a log.
pub struct Progress<'a> {
    /// None where neither a terminal nor a pipe can be found.
    output: Option<ProgressOutput>,
    name: &'a str,
    started: Instant,
}

/// The place where progress lines are written.
enum ProgressOutput {
    /// The terminal, where cargo's progress bar is overwritten; it is drawn again below.
    Device(File),
    /// The pipe into which cargo writes its own progress.
    Pipe(File),
}

impl<'a> Progress<'a> {
    /// Begins the step of this name.
    #[must_use]
    pub fn begin(name: &'a str) -> Self {
        let device = File::options().write(true).open("/dev/tty").ok();
        let output = device.map(ProgressOutput::Device);
        Self {
            output: output.or_else(|| parent_pipe().map(ProgressOutput::Pipe)),
            name,
            started: Instant::now(),
        }
    }

    /// Shows a line of the nested cargo if it tells of progress.
    pub fn show_step(&mut self, line: &str) {
        let words = line.trim_start();
        let is_step = ["Compiling ", "Finished "]
            .iter()
            .any(|step| words.starts_with(step));
        if is_step {
            self.show(words);
        }
    }

    /// Shows what the step is doing and its seconds so far.
    pub fn show_elapsed(&mut self, activity: &str) {
        let seconds = self.started.elapsed().as_secs();
        self.show(&format!("{activity} ({seconds} s)"));
    }

    fn show(&mut self, words: &str) {
        let name = self.name;
        let written = match &mut self.output {
            None => return,
            Some(ProgressOutput::Device(device)) => {
                writeln!(device, "\r\x1b[K   {name}: {words}")
            }
            Some(ProgressOutput::Pipe(pipe)) => writeln!(pipe, "   {name}: {words}"),
        };
        if written.is_err() {
            self.output = None;
        }
    }
}

/// Does some work that has no output of its own, and shows the activity until it ends.
pub fn during<T>(name: &str, activity: &str, work: impl FnOnce() -> T) -> T {
    thread::scope(|scope| {
        // Dropped when the work has ended, or when it panics.
        let (_working, ended) = mpsc::channel::<()>();
        scope.spawn(move || {
            let mut progress = Progress::begin(name);
            while ended.recv_timeout(QUIET) == Err(RecvTimeoutError::Timeout) {
                progress.show_elapsed(activity);
            }
        });
        work()
    })
}

/// Returns the standard error of cargo, which runs the build script, if it is a pipe. A file is not
/// written to: cargo's own position in it would not move.
#[cfg(all(
    target_os = "linux",
    any(target_arch = "x86_64", target_arch = "aarch64")
))]
fn parent_pipe() -> Option<File> {
    use std::os::unix::fs::{FileTypeExt as _, OpenOptionsExt as _};
    use std::os::unix::process::parent_id;

    /// Opening a pipe that nobody reads any more fails with it, and would otherwise never end.
    const O_NONBLOCK: i32 = 0o4000;

    let path = format!("/proc/{}/fd/2", parent_id());
    let is_pipe = fs::metadata(&path).ok()?.file_type().is_fifo();
    let mut options = File::options();
    options.write(true).custom_flags(O_NONBLOCK);
    is_pipe.then(|| options.open(&path).ok()).flatten()
}

#[cfg(not(all(
    target_os = "linux",
    any(target_arch = "x86_64", target_arch = "aarch64")
)))]
fn parent_pipe() -> Option<File> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_returns_its_result_and_ends_its_progress() {
        assert_eq!(during("docent", "testing", || 7), 7);
    }
}
