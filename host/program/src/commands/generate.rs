//! `docent generate`: what packages contain that is derived from the command line.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{CommandFactory as _, Subcommand, ValueEnum};
use clap_complete::aot;
use docent_client_config::NAME;

use crate::app::App;
use crate::args::Cli;
use crate::choice::choice;
use crate::terminal::error::CommandError;

#[derive(Debug, Subcommand)]
pub enum GenerateCommand {
    /// Print the completions of a shell
    Completions {
        /// The shell
        #[arg(value_enum, value_parser = choice::<Shell>())]
        shell: Shell,
    },
    /// Write a manual page for docent and one for each of its commands
    Man {
        /// An existing directory; pages in it are replaced
        directory: PathBuf,
    },
}

/// A shell for which there are completions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Shell {
    Bash,
    Zsh,
    Fish,
}

/// Prints completions, or writes the manual pages.
///
/// # Errors
/// Returns an error if the pages cannot be written.
pub fn run(app: &App, command: &GenerateCommand) -> Result<ExitCode, CommandError> {
    match command {
        GenerateCommand::Completions { shell } => app.print(&completions(*shell)),
        GenerateCommand::Man { directory } => {
            write_pages_ambient(directory)?;
            Ok(ExitCode::SUCCESS)
        }
    }
}

/// Returns the completions of a shell, in its own language.
fn completions(shell: Shell) -> String {
    let shell = match shell {
        Shell::Bash => aot::Shell::Bash,
        Shell::Zsh => aot::Shell::Zsh,
        Shell::Fish => aot::Shell::Fish,
    };
    let mut script = Vec::new();
    aot::generate(shell, &mut Cli::command(), NAME, &mut script);
    String::from_utf8_lossy(&script).into_owned()
}

/// Writes a page for the program and one for each command that its help lists.
fn write_pages_ambient(directory: &Path) -> Result<(), CommandError> {
    clap_mangen::generate_to(Cli::command(), directory).map_err(|error| {
        CommandError::Usage(format!(
            "the manual pages cannot be written to `{}`: {error}; expected an existing directory",
            directory.display()
        ))
    })
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn completions_name_commands_and_options() {
        for shell in [Shell::Bash, Shell::Zsh, Shell::Fish] {
            let script = completions(shell);
            for word in ["understand", "default-root", "token"] {
                assert!(script.contains(word), "{shell:?}: {word}");
            }
        }
    }

    #[test]
    fn every_listed_command_has_a_page() {
        let directory = tempfile::tempdir().unwrap();
        write_pages_ambient(directory.path()).unwrap();
        let page = |name: &str| fs::read_to_string(directory.path().join(name));
        for command in Cli::command().get_subcommands() {
            let name = format!("docent-{}.1", command.get_name());
            assert_eq!(page(&name).is_ok(), !command.is_hide_set(), "{name}");
        }
        assert!(page("docent.1").unwrap().contains("docent\\-search(1)"));
        assert!(page("docent-token-new.1").is_ok());
    }

    #[test]
    fn a_missing_directory_is_refused() {
        let directory = tempfile::tempdir().unwrap();
        let missing = directory.path().join("missing");
        let refusal = write_pages_ambient(&missing).unwrap_err().to_string();
        assert!(
            refusal.ends_with("expected an existing directory"),
            "{refusal}"
        );
    }
}
