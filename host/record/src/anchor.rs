//! Places beside a log where checkpoints are kept. What such a place has, nobody who has the log and
//! its key can change.

use std::fmt;
use std::fs::OpenOptions;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::str::FromStr;

/// The name of the file in a git repository.
const IN_GIT: &str = "docent-checkpoint";

/// Where checkpoints are kept beside the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Anchor {
    /// At the end of a file: `file:PATH`.
    File(PathBuf),
    /// By a program that reads one from its input: `exec:PROGRAM`. No shell looks at it.
    Exec(PathBuf),
    /// As a commit in a repository: `git:DIRECTORY`.
    Git(PathBuf),
    /// In the journal of the system, by the program `logger`: `syslog`.
    Syslog,
}

/// That an anchor did not take a checkpoint.
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
                "`{text}` is no anchor; expected file:PATH, exec:PROGRAM, git:DIRECTORY or syslog"
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
    /// Has the anchor keep a signed checkpoint.
    ///
    /// # Errors
    /// When it does not.
    pub fn keep_ambient(&self, note: &str) -> Result<(), AnchorError> {
        let kept = match self {
            Self::File(path) => append(path, note),
            Self::Exec(program) => given(&mut Command::new(program), note),
            Self::Git(directory) => commit(directory, note),
            Self::Syslog => given(Command::new("logger").args(["--tag", "docent-log"]), note),
        };
        kept.map_err(|source| AnchorError {
            anchor: self.clone(),
            source,
        })
    }
}

fn append(path: &Path, note: &str) -> io::Result<()> {
    let mut file = OpenOptions::new().append(true).create(true).open(path)?;
    // In one call, so that a checkpoint is there as a whole; a blank line parts them.
    file.write_all(format!("{note}\n").as_bytes())?;
    file.sync_data()
}

fn given(command: &mut Command, input: &str) -> io::Result<()> {
    let command = command.stdin(Stdio::piped()).stdout(Stdio::null());
    let mut child = command.spawn()?;
    let written = match child.stdin.take() {
        Some(mut pipe) => pipe.write_all(input.as_bytes()),
        None => Ok(()),
    };
    // What has ended without reading says by its status whether that was right.
    let status = child.wait()?;
    if status.success() {
        Ok(())
    } else {
        // That it ended before it had read all is told by the status, which says more.
        written.or_else(|error| match error.kind() {
            io::ErrorKind::BrokenPipe => Ok(()),
            _ => Err(error),
        })?;
        Err(io::Error::other(status.to_string()))
    }
}

fn commit(directory: &Path, note: &str) -> io::Result<()> {
    std::fs::write(directory.join(IN_GIT), note)?;
    let git = |arguments: &[&str]| {
        let mut command = Command::new("git");
        command.arg("-C").arg(directory).args(arguments);
        given(&mut command, "")
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

/// Returns the signed notes in a text, as a file of an anchor has them.
#[must_use]
pub fn notes(text: &str) -> Vec<String> {
    let mut notes = Vec::new();
    let mut note = String::new();
    let mut is_signed = false;
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
    use crate::hash::Hash;
    use crate::key::Signer;
    use crate::note::Checkpoint;

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
                root: Hash::of(b""),
            };
            checkpoint.signed(&key)
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
