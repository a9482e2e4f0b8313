//! Anchors: places outside a log that keep its checkpoints. Nobody who has only the log and its key
//! can change what an anchor holds.

use std::fmt;
use std::fs::OpenOptions;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::str::FromStr;

/// Name of the checkpoint file in a git repository.
const IN_GIT: &str = "docent-checkpoint";

/// A place outside the log that keeps its checkpoints.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Anchor {
    /// A file, to whose end they are appended: `file:PATH`.
    File(PathBuf),
    /// A program that reads each from its standard input: `exec:PROGRAM`. It is run without a
    /// shell.
    Exec(PathBuf),
    /// A repository, in which each is a commit: `git:DIRECTORY`.
    Git(PathBuf),
    /// The system's journal, by the program `logger`: `syslog`.
    Syslog,
}

/// The error of an anchor that did not keep a checkpoint.
#[derive(Debug, thiserror::Error)]
#[error("the anchor `{anchor}` did not take the checkpoint: {source}")]
pub struct AnchorError {
    anchor: Anchor,
    source: io::Error,
}

impl FromStr for Anchor {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || {
            format!(
                "`{text}` is not an anchor; expected file:PATH, exec:PROGRAM, git:DIRECTORY or syslog"
            )
        };
        if text == "syslog" {
            return Ok(Self::Syslog);
        }
        let (kind, path) = text.split_once(':').ok_or_else(wrong)?;
        let path = PathBuf::from(path);
        match kind {
            _ if path.as_os_str().is_empty() => Err(wrong()),
            "file" => Ok(Self::File(path)),
            "exec" => Ok(Self::Exec(path)),
            "git" => Ok(Self::Git(path)),
            _ => Err(wrong()),
        }
    }
}

impl fmt::Display for Anchor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(path) => write!(f, "file:{}", path.display()),
            Self::Exec(path) => write!(f, "exec:{}", path.display()),
            Self::Git(path) => write!(f, "git:{}", path.display()),
            Self::Syslog => f.write_str("syslog"),
        }
    }
}

impl Anchor {
    /// Hands a signed checkpoint to the anchor.
    ///
    /// # Errors
    /// Fails if the anchor does not keep it.
    pub fn keep_ambient(&self, note: &str) -> Result<(), AnchorError> {
        let kept = match self {
            Self::File(path) => append(path, note),
            Self::Exec(program) => run_with_input(&mut Command::new(program), note),
            Self::Git(directory) => commit(directory, note),
            Self::Syslog => {
                run_with_input(Command::new("logger").args(["--tag", "docent-log"]), note)
            }
        };
        kept.map_err(|source| AnchorError {
            anchor: self.clone(),
            source,
        })
    }
}

fn append(path: &Path, note: &str) -> io::Result<()> {
    let mut file = OpenOptions::new().append(true).create(true).open(path)?;
    // The note and the blank line that separates it from the next are written at once, in
    // append mode. A program that is killed between two writes would leave a part of a note,
    // and `docent log verify` fails if it is given one.
    file.write_all(format!("{note}\n").as_bytes())?;
    file.sync_data()
}

fn run_with_input(command: &mut Command, input: &str) -> io::Result<()> {
    let command = command.stdin(Stdio::piped()).stdout(Stdio::null());
    let mut child = command.spawn()?;
    let written = match child.stdin.take() {
        Some(mut pipe) => pipe.write_all(input.as_bytes()),
        None => Ok(()),
    };
    // The program is waited for even if its input could not be written; otherwise it would
    // remain as a zombie. A broken pipe is not an error by itself: a program may succeed
    // without reading everything (`exec:/bin/true`). The exit status decides, and after a
    // failure it says more than the broken pipe does.
    let status = child.wait()?;
    if status.success() {
        Ok(())
    } else {
        written.or_else(|error| match error.kind() {
            io::ErrorKind::BrokenPipe => Ok(()),
            _ => Err(error),
        })?;
        Err(io::Error::other(status.to_string()))
    }
}

fn commit(directory: &Path, note: &str) -> io::Result<()> {
    // The repository's history is the record, so the file has only the latest checkpoint.
    // `--allow-empty` commits a checkpoint that equals the last one too, as when `docent log
    // anchor` is run twice. Without it `git commit` fails when nothing has changed, and a
    // working anchor would be reported as failed.
    std::fs::write(directory.join(IN_GIT), note)?;
    let git = |arguments: &[&str]| {
        let mut command = Command::new("git");
        command.arg("-C").arg(directory).args(arguments);
        run_with_input(&mut command, "")
    };
    git(&["add", IN_GIT])?;
    git(&[
        "commit",
        "--quiet",
        "--allow-empty",
        "--message",
        "Checkpoint of the access log",
    ])
}

/// Returns the signed notes of a text, in the format of an anchor's file.
#[must_use]
pub fn notes(text: &str) -> Vec<String> {
    let mut notes = Vec::new();
    let mut note = String::new();
    let mut is_signed = false;
    // A note is split by its signatures and not by blank lines: a note contains a blank line
    // itself, between its text and its signatures, and may have several signatures. The first
    // line after them that is not a signature ends the note.
    for line in text.lines() {
        let is_signature = line.starts_with('\u{2014}');
        if is_signed && !is_signature {
            notes.push(std::mem::take(&mut note));
            is_signed = false;
        }
        if note.is_empty() && line.is_empty() {
            continue;
        }
        is_signed |= is_signature;
        note.push_str(line);
        note.push('\n');
    }
    if !note.is_empty() {
        notes.push(note);
    }
    notes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checkpoint::Checkpoint;
    use crate::hash::Hash;
    use crate::key::Signer;

    #[test]
    fn anchors_are_written_as_they_are_shown() {
        for text in [
            "file:/mnt/a.txt",
            "exec:/usr/bin/keep",
            "git:../logs",
            "syslog",
        ] {
            assert_eq!(text.parse::<Anchor>().unwrap().to_string(), text);
        }
        for wrong in ["", "file:", "/mnt/a.txt", "http://example.org", "Syslog"] {
            assert!(wrong.parse::<Anchor>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_file_keeps_one_note_after_the_other() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("anchor");
        let key = Signer::new().unwrap();
        let note = |size| {
            let checkpoint = Checkpoint {
                origin: key.verifier().name().to_owned(),
                size,
                root: Hash::digest(b""),
            };
            checkpoint.to_note(&key)
        };
        let all = [note(1), note(2), note(3)];
        for note in &all {
            Anchor::File(path.clone()).keep_ambient(note).unwrap();
        }
        assert_eq!(notes(&std::fs::read_to_string(path).unwrap()), all);
        assert_eq!(notes(""), [""; 0]);
    }

    #[cfg(unix)]
    #[test]
    fn what_does_not_keep_it_is_named() {
        let note = "note\n";
        assert!(Anchor::Exec("/bin/cat".into()).keep_ambient(note).is_ok());
        for (anchor, why) in [
            ("exec:/bin/false", "exit status: 1"),
            ("exec:/nowhere", "No such file"),
        ] {
            let error = anchor
                .parse::<Anchor>()
                .unwrap()
                .keep_ambient(note)
                .unwrap_err();
            let error = error.to_string();
            assert!(error.contains(anchor) && error.contains(why), "{error}");
        }
    }
}
