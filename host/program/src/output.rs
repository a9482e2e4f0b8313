//! Properties of stdout: its destination, its style, and the size of its terminal.

use std::env;
use std::io::{self, BufWriter, IsTerminal as _, Write as _};
use std::process::ExitCode;

use crate::args::{self, Color};
use crate::terminal::error::CommandError;
use crate::terminal::outcome::{Outcome, Reach};
use crate::terminal::page::Page;
use crate::terminal::screen::Screen;
use crate::terminal::style::{Layout, Paint};
use crate::{NOTHING, TROUBLE};

/// The style of paths for programs, even on a terminal.
pub const BARE: (Layout, Paint) = (Layout::Lines, Paint::Plain);

/// Size of the block in which output is written.
pub const OUTPUT_BYTES: usize = 64 * 1024;

pub fn print(text: &str) -> Result<ExitCode, CommandError> {
    let mut output = io::stdout().lock();
    output.write_all(text.as_bytes())?;
    // Answers have no final line break, and a shell's prompt would follow on their last line.
    if !text.ends_with('\n') {
        output.write_all(b"\n")?;
    }
    output.flush()?;
    Ok(ExitCode::SUCCESS)
}

/// Returns the output for answers.
pub fn page((layout, paint): (Layout, Paint)) -> Page<impl io::Write> {
    Page {
        output: BufWriter::with_capacity(OUTPUT_BYTES, io::stdout().lock()),
        layout,
        paint,
        screen: io::stdout().is_terminal().then(screen),
    }
}

/// Returns the size of the terminal of stdout.
fn screen() -> Screen {
    #[cfg(unix)]
    let (columns, rows) = {
        let size = rustix::termios::tcgetwinsize(io::stdout()).ok();
        size.map_or((0, 0), |size| (size.ws_col, size.ws_row))
    };
    #[cfg(not(unix))]
    let (columns, rows) = (0_u16, 0_u16);
    // Shells set these variables, which helps if the terminal does not report its size.
    let told = |name| env::var(name).ok()?.parse().ok();
    let size = |own: u16, name, usual| {
        let own = Some(own.into()).filter(|size| *size > 0);
        own.or_else(|| told(name).filter(|size| *size > 0))
            .unwrap_or(usual)
    };
    Screen {
        columns: size(columns, "COLUMNS", Screen::USUAL.columns),
        rows: size(rows, "LINES", Screen::USUAL.rows),
    }
}

pub fn ended(reach: Reach, outcome: Outcome) -> ExitCode {
    match (reach, outcome) {
        // As with grep, an error takes precedence over matches.
        (Reach::Some, _) => ExitCode::from(TROUBLE),
        (Reach::All, Outcome::Nothing) => ExitCode::from(NOTHING),
        (Reach::All, Outcome::Found) => ExitCode::SUCCESS,
    }
}

pub fn look(output: &args::Output) -> (Layout, Paint) {
    let layout = match (output.json, io::stdout().is_terminal()) {
        (true, _) => Layout::Json,
        (false, true) => Layout::Headings,
        (false, false) => Layout::Lines,
    };
    (layout, paint(output.color))
}

/// Returns the colours of stdout.
pub fn paint(color: Color) -> Paint {
    let is_terminal = io::stdout().is_terminal();
    // As no-color.org specifies: the variable counts if it is set and not empty.
    let is_set = |name| env::var_os(name).is_some_and(|value| !value.is_empty());
    // Terminals that print escape sequences as text, such as the shell of Emacs, have this name.
    let is_dumb = env::var_os("TERM").is_some_and(|terminal| terminal == "dumb");
    let colored = match color {
        Color::Always => true,
        Color::Never => false,
        Color::Auto => is_terminal && !is_set("NO_COLOR") && !is_dumb,
    };
    // `--color always` is for pagers, and not all of them support links.
    match (colored, is_terminal) {
        (true, true) => Paint::Full,
        (true, false) => Paint::Colors,
        (false, _) => Paint::Plain,
    }
}
