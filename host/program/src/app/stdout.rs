//! Properties of stdin and stdout: their destination, their style, and the size of the terminal.

use std::env;
use std::io::{self, BufWriter, IsTerminal as _, StdoutLock, Write as _};
use std::process::ExitCode;

use super::App;
use crate::args::{Color, OutputArgs};
use crate::terminal::error::CommandError;
use crate::terminal::page::Page;
use crate::terminal::screen::Screen;
use crate::terminal::style::{Layout, Paint};

/// Size of the block in which output is written.
const OUTPUT_BYTES: usize = 64 * 1024;

impl App {
    /// Returns true if stdin is a terminal.
    pub fn stdin_is_terminal(&self) -> bool {
        io::stdin().is_terminal()
    }

    /// Returns true if stdout is a terminal.
    pub fn stdout_is_terminal(&self) -> bool {
        io::stdout().is_terminal()
    }

    /// Returns stdout, which by itself is flushed at every line break.
    pub fn stdout(&self) -> StdoutLock<'static> {
        io::stdout().lock()
    }

    /// Returns stdout, written to in blocks.
    pub fn stdout_in_blocks(&self) -> BufWriter<StdoutLock<'static>> {
        BufWriter::with_capacity(OUTPUT_BYTES, self.stdout())
    }

    /// Prints a text.
    ///
    /// # Errors
    /// Returns an error if the output cannot be written.
    pub fn print(&self, text: &str) -> Result<ExitCode, CommandError> {
        let mut output = self.stdout();
        output.write_all(text.as_bytes())?;
        // Answers have no final line break, and a shell's prompt would follow on their last line.
        if !text.ends_with('\n') {
            output.write_all(b"\n")?;
        }
        output.flush()?;
        Ok(ExitCode::SUCCESS)
    }

    /// Returns the output for answers, in the layout and with the colours that the options ask for.
    pub fn page(&self, output: &OutputArgs) -> Page<BufWriter<StdoutLock<'static>>> {
        self.page_with(self.style(output))
    }

    /// Returns the output for answers, in this layout and with these colours.
    pub fn page_with(
        &self,
        (layout, paint): (Layout, Paint),
    ) -> Page<BufWriter<StdoutLock<'static>>> {
        Page {
            output: self.stdout_in_blocks(),
            layout,
            paint,
            screen: self.stdout_is_terminal().then(|| self.screen()),
        }
    }

    /// Returns the size of the terminal of stdout.
    fn screen(&self) -> Screen {
        #[cfg(unix)]
        let (columns, rows) = {
            let size = rustix::termios::tcgetwinsize(io::stdout()).ok();
            size.map_or((0, 0), |size| (size.ws_col, size.ws_row))
        };
        #[cfg(not(unix))]
        let (columns, rows) = (0_u16, 0_u16);
        // Shells set these variables. They help if the terminal does not report its size, as
        // some in editors and CI systems do not.
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

    /// Returns the layout and the colours that the options ask for.
    pub fn style(&self, output: &OutputArgs) -> (Layout, Paint) {
        let layout = match (output.json, self.stdout_is_terminal()) {
            (true, _) => Layout::Json,
            (false, true) => Layout::Headings,
            (false, false) => Layout::Lines,
        };
        (layout, self.paint(output.color))
    }

    /// Returns the colours of stdout.
    pub fn paint(&self, color: Color) -> Paint {
        let is_terminal = self.stdout_is_terminal();
        // As no-color.org specifies, the variable counts if it is set and not empty, whatever
        // its value.
        let is_set = |name| self.variable(name).is_some_and(|value| !value.is_empty());
        // Terminals that print escape sequences as text call themselves `dumb`, such as the
        // shell of Emacs.
        let is_dumb = self
            .variable("TERM")
            .is_some_and(|terminal| terminal == "dumb");
        let colored = match color {
            Color::Always => true,
            Color::Never => false,
            Color::Auto => is_terminal && !is_set("NO_COLOR") && !is_dumb,
        };
        // `--color always` is for pagers such as `less -R`, which show colours. Not all of them
        // support links, so those are left out unless stdout is a terminal.
        match (colored, is_terminal) {
            (true, true) => Paint::Full,
            (true, false) => Paint::Colors,
            (false, _) => Paint::Plain,
        }
    }
}
