//! The files of a log: segments of lines, checkpoints, and what is left of segments that were
//! dropped.
//!
//! ```text
//! 000001.jsonl        entries, a line each
//! 000002.jsonl
//! checkpoints.jsonl   every signed checkpoint
//! verifier            the key that checks them
//! dropped.json        what stands for segments that were dropped
//! lock                held by who writes
//! ```

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::entry::{Entry, Start};
use crate::hash::Hash;
use crate::line::Content;
use crate::note::Checkpoint;
use crate::tree::Frontier;

/// Bytes of a segment, from which on the next one is begun.
pub const SEGMENT_BYTES: u64 = 8 << 20;

const CHECKPOINTS: &str = "checkpoints.jsonl";
const VERIFIER: &str = "verifier";
const DROPPED: &str = "dropped.json";
const LOCK: &str = "lock";

/// What keeps a log from being read.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// There is none.
    #[error("there is no log in `{0}`")]
    Missing(PathBuf),
    /// A file of it cannot be used.
    #[error("`{0}`: {1}")]
    Io(PathBuf, #[source] io::Error),
    /// A file of it is not what it is to be.
    #[error("`{0}` is damaged")]
    Damaged(PathBuf),
    /// Another program writes to it.
    #[error("another program writes to the log in `{0}`")]
    Busy(PathBuf),
}

/// A log's directory.
#[derive(Clone, Debug)]
pub struct Store {
    directory: PathBuf,
}

/// What stands for segments that were dropped.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dropped {
    /// Their entries in the tree.
    pub tree: Frontier,
    /// The leaf hash of the last one.
    pub last: Option<Hash>,
}

/// A checkpoint as it is kept.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Kept {
    /// When it was signed.
    pub time: String,
    /// The signed note.
    pub note: String,
}

/// A line as it stands in a segment.
pub struct RawLine {
    /// The text, without its line break.
    pub text: String,
    /// Bytes that it has in its file, the line break left out.
    pub bytes: u64,
    /// Whether it ends with one: the last one of a log may have been cut off.
    pub is_ended: bool,
}

/// An entry of a log, with its number and time.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// The number, from 0 on.
    pub seq: u64,
    /// When it was written, as RFC 3339 has it; none where it was taken out.
    pub time: Option<String>,
    /// The entry; none where it was taken out.
    pub entry: Option<Entry>,
    /// The line as it stands there.
    pub text: String,
}

impl Store {
    /// Returns the log in a directory, which may be none yet.
    pub fn new(directory: &Path) -> Self {
        Self {
            directory: directory.to_owned(),
        }
    }

    /// Makes the directory where it is missing, for its owner alone.
    pub fn make_ambient(&self) -> Result<(), StoreError> {
        let mut builder = fs::DirBuilder::new();
        builder.recursive(true);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        let made = builder.create(&self.directory);
        made.map_err(|error| StoreError::Io(self.directory.clone(), error))
    }

    /// Takes the right to write, until what is returned is dropped.
    pub fn lock_ambient(&self) -> Result<File, StoreError> {
        let path = self.directory.join(LOCK);
        let file = self.open(&path, OpenOptions::new().write(true).create(true))?;
        match file.try_lock() {
            Ok(()) => Ok(file),
            Err(TryLockError::WouldBlock) => Err(StoreError::Busy(self.directory.clone())),
            Err(TryLockError::Error(error)) => Err(StoreError::Io(path, error)),
        }
    }

    /// Returns the numbers of the segments, ascending.
    pub fn segments_ambient(&self) -> Result<Vec<u64>, StoreError> {
        let failed = |error| StoreError::Io(self.directory.clone(), error);
        let entries = match fs::read_dir(&self.directory) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Err(StoreError::Missing(self.directory.clone()));
            }
            entries => entries.map_err(failed)?,
        };
        let mut numbers = Vec::new();
        for entry in entries {
            let name = entry.map_err(failed)?.file_name();
            let number = name.to_str().and_then(|name| name.strip_suffix(".jsonl"));
            let is_number =
                |text: &&str| text.len() >= 6 && text.bytes().all(|b| b.is_ascii_digit());
            if let Some(number) = number.filter(is_number).and_then(|text| text.parse().ok()) {
                numbers.push(number);
            }
        }
        numbers.sort_unstable();
        Ok(numbers)
    }

    /// Returns where a segment lies.
    pub fn segment(&self, number: u64) -> PathBuf {
        self.directory.join(format!("{number:06}.jsonl"))
    }

    /// Reads the lines of a segment.
    pub fn lines_ambient(&self, number: u64) -> Result<Vec<RawLine>, StoreError> {
        let path = self.segment(number);
        let bytes = fs::read(&path).map_err(|error| StoreError::Io(path.clone(), error))?;
        let mut lines = Vec::new();
        for line in bytes.split_inclusive(|byte| *byte == b'\n') {
            let text = line.strip_suffix(b"\n");
            let is_ended = text.is_some();
            let text = text.unwrap_or(line);
            lines.push(RawLine {
                // What is no UTF-8 is no entry either: its number says where.
                text: String::from_utf8_lossy(text).into_owned(),
                bytes: text.len() as u64,
                is_ended,
            });
        }
        Ok(lines)
    }

    /// Opens a segment to add lines to. A new one outlives a loss of power.
    pub fn append_ambient(&self, number: u64) -> Result<File, StoreError> {
        let path = self.segment(number);
        let is_new = !path.exists();
        let file = self.open(&path, OpenOptions::new().append(true).create(true))?;
        if is_new {
            self.sync_directory()?;
        }
        Ok(file)
    }

    /// Puts other lines in the place of a segment, all or none.
    pub fn replace_ambient(&self, number: u64, text: &str) -> Result<(), StoreError> {
        self.replace(&self.segment(number), text)
    }

    /// Removes a segment.
    pub fn remove_ambient(&self, number: u64) -> Result<(), StoreError> {
        let path = self.segment(number);
        fs::remove_file(&path).map_err(|error| StoreError::Io(path, error))
    }

    /// Returns what stands for dropped segments.
    pub fn dropped_ambient(&self) -> Result<Dropped, StoreError> {
        let path = self.directory.join(DROPPED);
        let Some(text) = self.read(&path)? else {
            return Ok(Dropped::default());
        };
        let dropped: Option<Dropped> = serde_json::from_str(&text).ok();
        let valid = dropped.filter(|it| it.tree.is_valid());
        valid.ok_or(StoreError::Damaged(path))
    }

    /// Puts down what stands for dropped segments.
    pub fn set_dropped_ambient(&self, dropped: &Dropped) -> Result<(), StoreError> {
        let path = self.directory.join(DROPPED);
        let text = serde_json::to_string(dropped).map_err(io::Error::other);
        let text = text.map_err(|error| StoreError::Io(path.clone(), error))?;
        self.replace(&path, &text)
    }

    /// Returns all checkpoints, in their order.
    pub fn checkpoints_ambient(&self) -> Result<Vec<Kept>, StoreError> {
        let path = self.directory.join(CHECKPOINTS);
        let text = self.read(&path)?.unwrap_or_default();
        // What has no end was cut off while it was written; the next one stands for it.
        let whole = text.rfind('\n').map_or("", |end| &text[..end]);
        let lines = whole.lines().map(serde_json::from_str);
        lines
            .collect::<Result<_, _>>()
            .map_err(|_| StoreError::Damaged(path))
    }

    /// Adds a checkpoint, and sees to it that it is on the disk.
    pub fn add_checkpoint_ambient(&self, kept: &Kept) -> Result<(), StoreError> {
        let path = self.directory.join(CHECKPOINTS);
        let failed = |error| StoreError::Io(path.clone(), error);
        let mut line =
            serde_json::to_string(kept).map_err(|error| failed(io::Error::other(error)))?;
        line.push('\n');
        let options = &mut OpenOptions::new();
        let mut file = self.open(&path, options.read(true).append(true).create(true))?;
        // What was cut off before would run into it.
        let length = file.metadata().map_err(failed)?.len();
        let text = self.read(&path)?.unwrap_or_default();
        let whole = text.rfind('\n').map_or(0, |end| end as u64 + 1);
        if whole < length {
            file.set_len(whole).map_err(failed)?;
        }
        file.write_all(line.as_bytes()).map_err(failed)?;
        file.sync_data().map_err(failed)
    }

    /// Forgets the checkpoints of fewer than `size` entries.
    pub fn drop_checkpoints_ambient(&self, size: u64) -> Result<(), StoreError> {
        let path = self.directory.join(CHECKPOINTS);
        let mut text = String::new();
        for kept in self.checkpoints_ambient()? {
            let is_old = Checkpoint::parse(&kept.note).is_ok_and(|it| it.size < size);
            if !is_old {
                let line = serde_json::to_string(&kept).map_err(io::Error::other);
                text.push_str(&line.map_err(|error| StoreError::Io(path.clone(), error))?);
                text.push('\n');
            }
        }
        self.replace(&path, &text)
    }

    /// Returns the text of the key that checks the log, where one is kept.
    pub fn verifier_ambient(&self) -> Result<Option<String>, StoreError> {
        self.read(&self.directory.join(VERIFIER))
    }

    /// Keeps the key that checks the log.
    pub fn set_verifier_ambient(&self, verifier: &str) -> Result<(), StoreError> {
        self.replace(&self.directory.join(VERIFIER), &format!("{verifier}\n"))
    }

    /// Reads a file, none where there is none.
    fn read(&self, path: &Path) -> Result<Option<String>, StoreError> {
        let mut text = String::new();
        let read = File::open(path).and_then(|mut file| file.read_to_string(&mut text));
        match read {
            Ok(_) => Ok(Some(text)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) if error.kind() == io::ErrorKind::InvalidData => {
                Err(StoreError::Damaged(path.to_owned()))
            }
            Err(error) => Err(StoreError::Io(path.to_owned(), error)),
        }
    }

    fn open(&self, path: &Path, options: &mut OpenOptions) -> Result<File, StoreError> {
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(options, 0o600);
        let opened = options.open(path);
        opened.map_err(|error| StoreError::Io(path.to_owned(), error))
    }

    /// Puts a text into a file, all of it or none.
    fn replace(&self, path: &Path, text: &str) -> Result<(), StoreError> {
        let failed = |error| StoreError::Io(path.to_owned(), error);
        let prepared = path.with_extension("new");
        let options = &mut OpenOptions::new();
        let mut file = self.open(&prepared, options.write(true).create(true).truncate(true))?;
        file.write_all(text.as_bytes()).map_err(failed)?;
        file.sync_all().map_err(failed)?;
        fs::rename(&prepared, path).map_err(failed)?;
        // The directory has to know the new name before anything stands on it.
        self.sync_directory()
    }

    fn sync_directory(&self) -> Result<(), StoreError> {
        // Windows opens no directories; there the file is all there is.
        if cfg!(windows) {
            return Ok(());
        }
        let failed = |error| StoreError::Io(self.directory.clone(), error);
        let directory = File::open(&self.directory).map_err(failed)?;
        directory.sync_all().map_err(failed)
    }
}

/// Returns the last signed checkpoint of the log in a directory, if there is one.
///
/// # Errors
/// What keeps it from being read.
pub fn last_checkpoint_ambient(directory: &Path) -> Result<Option<String>, StoreError> {
    let kept = Store::new(directory).checkpoints_ambient()?;
    Ok(kept.into_iter().last().map(|kept| kept.note))
}

/// Returns with what the program has started that writes to the log in a directory now; none where
/// nobody does.
///
/// # Errors
/// What keeps it from being read.
pub fn running_program_ambient(directory: &Path) -> Result<Option<Start>, StoreError> {
    let store = Store::new(directory);
    let segments = match store.segments_ambient() {
        Err(StoreError::Missing(_)) => return Ok(None),
        segments => segments?,
    };
    match store.lock_ambient() {
        Err(StoreError::Busy(_)) => {}
        Ok(_) => return Ok(None),
        Err(error) => return Err(error),
    }
    for number in segments.into_iter().rev() {
        for RawLine { text, .. } in store.lines_ambient(number)?.into_iter().rev() {
            if let Some(Content::Written(written)) = Content::parse(&text)
                && let Entry::Start(start) = written.entry
            {
                return Ok(Some(start));
            }
        }
    }
    Ok(None)
}

/// Returns the entries of the log in a directory that `wanted` holds for, in their order. Nothing is
/// verified.
///
/// # Errors
/// What keeps it from being read.
pub fn lines_ambient(
    directory: &Path,
    wanted: impl Fn(&Line) -> bool,
) -> Result<Vec<Line>, StoreError> {
    let store = Store::new(directory);
    let mut found = Vec::new();
    for number in store.segments_ambient()? {
        for RawLine { text, is_ended, .. } in store.lines_ambient(number)? {
            let line = match Content::parse(&text) {
                Some(Content::Written(written)) => Line {
                    seq: written.seq,
                    time: Some(written.time),
                    entry: Some(written.entry),
                    text,
                },
                Some(Content::Withheld(withheld)) => Line {
                    seq: withheld.seq,
                    time: None,
                    entry: None,
                    text,
                },
                // It is being written.
                None if !is_ended => continue,
                None => return Err(StoreError::Damaged(store.segment(number))),
            };
            if wanted(&line) {
                found.push(line);
            }
        }
    }
    Ok(found)
}
