//! Reads PDF files as docent does, and writes the text of each to a file.
//!
//! Usage: `pdf OUT`, with the paths of the files on standard input, one per line. The text of the
//! file on line `n` goes to `OUT/n`; for each file a line with `n`, the microseconds of CPU time
//! and the outcome is printed.

use std::io::{self, BufRead as _};
use std::path::Path;
use std::time::Duration;
use std::{env, fs, panic, process, thread};

use docent_extract::{Beyond, Format, Limits, extract};
use rustix::time::{ClockId, clock_gettime};

/// Limits of a document, as in the program.
const LIMITS: Limits = Limits {
    text_bytes: 64 << 20,
    unpacked_bytes: 1 << 30,
    beyond: Beyond::LeaveOut,
};

/// Bytes of the stack on which a file is read.
const STACK_BYTES: usize = 64 << 20;

fn main() -> io::Result<()> {
    let Some(out) = env::args_os().nth(1) else {
        eprintln!("pdf: no directory; expected `pdf OUT`");
        process::exit(2);
    };
    let out = Path::new(&out);
    fs::create_dir_all(out)?;
    for (line, path) in (1..).zip(io::stdin().lock().lines()) {
        let content = fs::read(path?)?;
        let read = thread::Builder::new()
            .stack_size(STACK_BYTES)
            .spawn(|| {
                let start = cpu_time();
                let read = panic::catch_unwind(|| extract(Format::Pdf, content, &LIMITS));
                (read, cpu_time().saturating_sub(start).as_micros())
            })?
            .join();
        let (read, micros) = read.map_err(|_| io::Error::other("the reader's thread panicked"))?;
        let (text, end) = match read {
            Ok(Ok(text)) => (text, "read".to_owned()),
            Ok(Err(failure)) => (String::new(), format!("{failure:?}")),
            Err(_) => (String::new(), "panicked".to_owned()),
        };
        fs::write(out.join(line.to_string()), text)?;
        println!("{line}\t{micros}\t{end}");
    }
    Ok(())
}

/// Returns the CPU time of this thread, which other work on the machine does not affect.
fn cpu_time() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::try_from(time).unwrap_or_default()
}
