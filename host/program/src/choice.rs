//! Option values that are accepted in any case style.

use std::ffi::OsStr;

use clap::builder::{EnumValueParser, PossibleValue, TypedValueParser};
use clap::{Arg, Command, Error, ValueEnum};

/// A value parser that accepts `time-desc`, `time_desc`, `timeDesc` and `TIME_DESC` as the same
/// choice, as tools do.
#[derive(Clone, Debug)]
pub struct Choice<T: ValueEnum + Clone + Send + Sync + 'static>(EnumValueParser<T>);

/// Returns the value parser of an option with these choices.
pub fn choice<T: ValueEnum + Clone + Send + Sync + 'static>() -> Choice<T> {
    Choice(EnumValueParser::new())
}

impl<T: ValueEnum + Clone + Send + Sync + 'static> TypedValueParser for Choice<T> {
    type Value = T;

    fn parse_ref(&self, command: &Command, arg: Option<&Arg>, value: &OsStr) -> Result<T, Error> {
        let meant = value.to_str().and_then(parse_choice);
        // An unknown value is refused by clap itself, which lists the valid names.
        meant.map_or_else(|| self.0.parse_ref(command, arg, value), Ok)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        self.0.possible_values()
    }
}

/// Returns the choice whose letters equal those of `text`.
fn parse_choice<T: ValueEnum>(text: &str) -> Option<T> {
    let letters = letters(text);
    let has_them = |choice: &&T| {
        let value = choice.to_possible_value();
        value.is_some_and(|value| self::letters(value.get_name()) == letters)
    };
    T::value_variants().iter().find(has_them).cloned()
}

fn letters(name: &str) -> String {
    let letters = name.chars().filter(|c| !matches!(c, '-' | '_'));
    letters.map(|c| c.to_ascii_lowercase()).collect()
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use crate::args::Cli;
    use crate::commands::Command;
    use crate::commands::find::Sort;

    fn sort(written: &str) -> Result<Sort, String> {
        match Cli::try_parse_from(["docent", "find", "--sort", written]) {
            Ok(cli) => match cli.command {
                Command::Find(args) => Ok(args.sort),
                _ => Err("not a search for files".to_owned()),
            },
            Err(error) => Err(error.to_string()),
        }
    }

    #[test]
    fn a_choice_is_taken_in_every_style() {
        for written in ["time-asc", "time_asc", "timeAsc", "TIME_ASC", "Time-Asc"] {
            assert_eq!(sort(written), Ok(Sort::TimeAsc), "{written}");
        }
        for options in [["--mode", "TITLES_ONLY"], ["--color", "NEVER"]] {
            let line = [&["docent", "search", "x"], &options[..]].concat();
            assert!(Cli::try_parse_from(line).is_ok(), "{options:?}");
        }
    }

    #[test]
    fn what_is_no_choice_is_refused_with_those_there_are() {
        for written in ["time", "", "timeDescending"] {
            let message = sort(written).unwrap_err();
            assert!(
                message.contains("[possible values: time-desc, time-asc, path-asc]"),
                "{message}"
            );
        }
    }
}
