//! The command line.

use std::error::Error;
use std::ffi::OsString;
use std::path::PathBuf;

/// Runs of each whole process, unless the command line has another number.
const ROUNDS: usize = 7;

/// A part of the measurements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// 16 500 documents.
    Small,
    /// 100 000 documents.
    Large,
    /// 1 000 000 files.
    Files,
    /// Instructions, on smaller trees.
    Counts,
}

/// The requested measurements.
#[derive(Debug)]
pub struct Arguments {
    /// Parts to measure.
    pub parts: Vec<Part>,
    /// Path of the program; none to build it first.
    pub program: Option<PathBuf>,
    /// Runs of each whole process.
    pub rounds: usize,
    /// True to measure a flat directory of 2 000 000 files too.
    pub has_two_million: bool,
    /// True to remove the trees instead of measuring.
    pub is_removal: bool,
}

impl Arguments {
    /// Parses the command line.
    ///
    /// # Errors
    /// If a word is unknown, or an option has no value.
    pub fn parse(mut words: impl Iterator<Item = OsString>) -> Result<Self, Box<dyn Error>> {
        let mut arguments = Self {
            parts: Vec::new(),
            program: None,
            rounds: ROUNDS,
            has_two_million: false,
            is_removal: false,
        };
        while let Some(word) = words.next() {
            match word.to_str() {
                Some("--program") => {
                    let program = words.next().ok_or("`--program` names no program")?;
                    arguments.program = Some(PathBuf::from(program));
                }
                Some("--rounds") => {
                    let rounds = words
                        .next()
                        .and_then(|rounds| rounds.to_str()?.parse().ok());
                    arguments.rounds = rounds
                        .filter(|rounds| *rounds > 0)
                        .ok_or("`--rounds` has no number of runs")?;
                }
                Some("--two-million") => arguments.has_two_million = true,
                Some("--remove") => arguments.is_removal = true,
                Some("small") => arguments.parts.push(Part::Small),
                Some("large") => arguments.parts.push(Part::Large),
                Some("files") => arguments.parts.push(Part::Files),
                Some("counts") => arguments.parts.push(Part::Counts),
                _ => {
                    let word = word.display();
                    let expected = "`small`, `large`, `files` or `counts`";
                    return Err(format!("unknown part `{word}`; expected {expected}").into());
                }
            }
        }
        if arguments.parts.is_empty() {
            arguments.parts = vec![Part::Small, Part::Large, Part::Files, Part::Counts];
        }
        Ok(arguments)
    }
}
