//! `docent component`: writes the component to stdout.

use std::io::Write as _;
use std::process::ExitCode;

use clap::Args;
use docent_host::component;

use crate::app::App;
use crate::terminal::error::CommandError;

/// The arguments of `docent component`.
#[derive(Debug, Args)]
#[command(after_help = "\
Example: docent component > docent.wasm")]
pub struct ComponentArgs {
    /// Export the component without an embedder: it imports `docent:docent/embed`, to be linked
    /// later
    #[arg(long)]
    open: bool,
}

/// Writes the component.
///
/// # Errors
/// Returns an error if stdout is a terminal, or cannot be written.
pub fn run(app: &App, args: &ComponentArgs) -> Result<ExitCode, CommandError> {
    let mut output = app.stdout();
    // A component is not text. Its bytes can switch a terminal into a state that only a reset
    // ends, so they are not written to one.
    if app.stdout_is_terminal() {
        return Err(CommandError::Usage(
            "the component is binary; expected a file: `docent component > docent.wasm`".to_owned(),
        ));
    }
    if args.open {
        output.write_all(&component::open())?;
    } else {
        output.write_all(component::wasm())?;
    }
    output.flush()?;
    Ok(ExitCode::SUCCESS)
}
