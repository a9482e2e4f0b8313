//! Reads PDF files as docent does, and writes what is read of each beside the others.
//!
//! Usage: `pdf OUT`, with the paths of the files on standard input, one a line. The text of the
//! file on line `n` goes to `OUT/n`; a line each says `n`, the microseconds of CPU time that it
//! took, and how it ended.

use std::io::{self, BufRead as _};
use std::path::Path;
use std::time::Instant;
use std::{env, fs, panic, process, thread};

use docent_extract::{Beyond, Format, Limits, extract};

/// As much as the program lets a document hold.
const LIMITS: Limits = Limits {
    text_bytes: 64 << 20,
    unpacked_bytes: 1 << 30,
    beyond: Beyond::LeaveOut,
};

/// Bytes of the stack that a file is read on.
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
        let start = Instant::now();
        let read = thread::Builder::new()
            .stack_size(STACK_BYTES)
            .spawn(|| panic::catch_unwind(|| extract(Format::Pdf, content, &LIMITS)))?
            .join();
        let micros = start.elapsed().as_micros();
        let (text, end) = match read {
            Ok(Ok(Ok(text))) => (text, "read".to_owned()),
            Ok(Ok(Err(failure))) => (String::new(), format!("{failure:?}")),
            _ => (String::new(), "panicked".to_owned()),
        };
        fs::write(out.join(line.to_string()), text)?;
        println!("{line}\t{micros}\t{end}");
    }
    Ok(())
}
