//! Questions to a person, and the flags that answer them beforehand.

use std::fmt::Display;
use std::io::{self, BufRead as _, Write as _};

use crate::terminal::error::CommandError;
use crate::terminal::style::visible_lines;

/// The consent to a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WriteConsent {
    /// Ask the person.
    Ask,
    /// `--yes`.
    Given,
    /// `--print`.
    Withheld,
}

impl WriteConsent {
    /// Returns the consent that the flags express.
    ///
    /// # Errors
    /// Returns an error if the flags give none and nobody can be asked.
    pub fn choose(yes: bool, print: bool, is_interactive: bool) -> Result<Self, CommandError> {
        match (yes, print) {
            (true, _) => Ok(Self::Given),
            (false, true) => Ok(Self::Withheld),
            (false, false) if is_interactive => Ok(Self::Ask),
            (false, false) => Err(CommandError::Usage(
                "nothing is changed without a terminal to ask at; give `--yes` to write every \
                 change or `--print` to see them, with `--root DIR` and, for single clients, \
                 `--client CLIENT`"
                    .to_owned(),
            )),
        }
    }
}

/// The answer that an empty line means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DefaultAnswer {
    Yes,
    No,
}

/// A yes-or-no question.
pub struct YesNoQuestion<'q> {
    text: &'q str,
    default: DefaultAnswer,
}

impl<'q> YesNoQuestion<'q> {
    /// Creates a question.
    pub fn new(text: &'q str, default: DefaultAnswer) -> Self {
        Self { text, default }
    }

    /// Asks until the answer is yes or no. The end of the input means no.
    ///
    /// # Errors
    /// Returns an error if the terminal cannot be read or written.
    pub fn ask_ambient(&self) -> io::Result<bool> {
        let choices = match self.default {
            DefaultAnswer::Yes => "[Y/n]",
            DefaultAnswer::No => "[y/N]",
        };
        loop {
            let Some(answer) = line_ambient(&format!("{} {choices} ", self.text))? else {
                return Ok(false);
            };
            match answer.to_ascii_lowercase().as_str() {
                "" => return Ok(self.default == DefaultAnswer::Yes),
                "y" | "yes" => return Ok(true),
                "n" | "no" => return Ok(false),
                _ => {}
            }
        }
    }
}

/// Shows a line of text.
///
/// # Errors
/// Returns an error if the terminal cannot be written.
pub fn tell_ambient(text: impl Display) -> io::Result<()> {
    let text = visible_lines(&text.to_string());
    writeln!(io::stdout().lock(), "{text}")
}

/// Shows `prompt` and returns the line that is typed, trimmed; none at the end of the input.
///
/// # Errors
/// Returns an error if the terminal cannot be read or written.
pub fn line_ambient(prompt: &str) -> io::Result<Option<String>> {
    let mut output = io::stdout().lock();
    output.write_all(prompt.as_bytes())?;
    output.flush()?;
    let mut line = String::new();
    if io::stdin().lock().read_line(&mut line)? == 0 {
        output.write_all(b"\n")?;
        return Ok(None);
    }
    Ok(Some(line.trim().to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pipe_needs_a_flag() {
        let chosen =
            |yes, print, is_interactive| WriteConsent::choose(yes, print, is_interactive).ok();
        assert_eq!(chosen(false, false, true), Some(WriteConsent::Ask));
        assert_eq!(chosen(false, false, false), None);
        assert_eq!(chosen(true, false, false), Some(WriteConsent::Given));
        assert_eq!(chosen(false, true, false), Some(WriteConsent::Withheld));
        assert_eq!(chosen(false, true, true), Some(WriteConsent::Withheld));
    }
}
