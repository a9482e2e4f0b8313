//! The files of a log: segments of lines, checkpoints, and the state that replaces dropped
//! segments.
//!
//! ```text
//! 000001.jsonl        entries, one per line
//! 000002.jsonl
//! checkpoints.jsonl   every signed checkpoint
//! verifier            the key that verifies them
//! dropped.json        the state that replaces dropped segments
//! lock                held by the writer
//! ```

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::checkpoint::Checkpoint;
use crate::entry::{LogEntry, Start};
use crate::hash::Hash;
use crate::line::LineContent;
use crate::tree::Frontier;

/// Maximum bytes of a segment: from this size on the next one is begun.
pub const SEGMENT_BYTES: u64 = 8 << 20;

const CHECKPOINTS: &str = "checkpoints.jsonl";
const VERIFIER: &str = "verifier";
const DROPPED: &str = "dropped.json";
const LOCK: &str = "lock";

/// The error of a log that cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// There is no log.
    #[error("there is no log in `{0}`")]
    Missing(PathBuf),
    /// One of its files cannot be used.
    #[error("`{0}`: {1}")]
    Io(PathBuf, #[source] io::Error),
    /// One of its files is damaged.
    #[error("`{0}` is damaged")]
    Damaged(PathBuf),
    /// Another program is writing to it.
    #[error("another program writes to the log in `{0}`")]
    Busy(PathBuf),
}

/// The directory of a log.
#[derive(Clone, Debug)]
pub struct LogDirectory {
    directory: PathBuf,
}

/// The state that replaces dropped segments, so that the rest still verifies.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dropped {
    /// Tree of their entries.
    pub tree: Frontier,
    /// Leaf hash of the last of them.
    pub last: Option<Hash>,
}

/// A checkpoint as stored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredCheckpoint {
    /// Time of signing.
    pub time: String,
    /// Signed note.
    pub note: String,
}

/// A line of a segment, not yet parsed.
pub struct RawLine {
    /// Text, without its line break.
    pub text: String,
    /// Length in the file in bytes, without the line break.
    pub bytes: u64,
    /// True if it ends with a line break. The last line of a log may have been cut off.
    pub is_ended: bool,
}

/// An entry of a log, with its number and time.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredLine {
    /// Number, from 0.
    pub seq: u64,
    /// Time of writing in RFC 3339; `None` if the entry was withheld.
    pub time: Option<String>,
    /// Entry; `None` if it was withheld.
    pub entry: Option<LogEntry>,
    /// Text of the line.
    pub text: String,
}

impl LogDirectory {
    /// Returns the log in `directory`, which need not exist yet.
    pub fn new(directory: &Path) -> Self {
        Self {
            directory: directory.to_owned(),
        }
    }

    /// Creates the directory if it is missing, accessible to its owner alone.
    pub fn make_ambient(&self) -> Result<(), StoreError> {
        let mut builder = fs::DirBuilder::new();
        builder.recursive(true);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        let made = builder.create(&self.directory);
        made.map_err(|error| StoreError::Io(self.directory.clone(), error))
    }

    /// Acquires the lock of the writer. Dropping the returned file releases it.
    pub fn lock_ambient(&self) -> Result<File, StoreError> {
        // The lock file is empty and never removed. The lock belongs to the open file, so the
        // kernel releases it when the program ends, even if it is killed. A file whose mere
        // existence meant "locked" would have to be removed by hand after a crash.
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
            // Segments are `000001.jsonl` and so on, with more digits beyond 999999.
            // `checkpoints.jsonl`, a prepared `000001.new` and files that a person has put
            // there are not segments. The numbers are sorted as numbers, since directories are
            // listed in any order.
            let is_number =
                |text: &&str| text.len() >= 6 && text.bytes().all(|b| b.is_ascii_digit());
            if let Some(number) = number.filter(is_number).and_then(|text| text.parse().ok()) {
                numbers.push(number);
            }
        }
        numbers.sort_unstable();
        Ok(numbers)
    }

    /// Returns the path of a segment.
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
                // Invalid UTF-8 is replaced and not reported here. The replacement keeps the
                // number of lines, and a line with replaced bytes either is not JSON or has
                // another hash, so the verifier reports it as that entry and not as a file that
                // cannot be read.
                text: String::from_utf8_lossy(text).into_owned(),
                bytes: text.len() as u64,
                is_ended,
            });
        }
        Ok(lines)
    }

    /// Opens a segment for appending. The name of a new one is synced, so that it survives a loss
    /// of power.
    pub fn append_ambient(&self, number: u64) -> Result<File, StoreError> {
        let path = self.segment(number);
        // A new file's name is durable only after its directory is synced. Syncing the file
        // alone could leave, after a loss of power, a segment with its data on the disk but
        // without a name, and the log would end in the segment before.
        let is_new = !path.exists();
        let file = self.open(&path, OpenOptions::new().append(true).create(true))?;
        if is_new {
            self.sync_directory()?;
        }
        Ok(file)
    }

    /// Replaces the lines of a segment atomically.
    pub fn replace_ambient(&self, number: u64, text: &str) -> Result<(), StoreError> {
        self.replace(&self.segment(number), text)
    }

    /// Removes a segment.
    pub fn remove_ambient(&self, number: u64) -> Result<(), StoreError> {
        let path = self.segment(number);
        fs::remove_file(&path).map_err(|error| StoreError::Io(path, error))
    }

    /// Reads the state that replaces dropped segments.
    pub fn read_dropped_ambient(&self) -> Result<Dropped, StoreError> {
        let path = self.directory.join(DROPPED);
        let Some(text) = self.read(&path)? else {
            return Ok(Dropped::default());
        };
        let dropped: Option<Dropped> = serde_json::from_str(&text).ok();
        let valid = dropped.filter(|it| it.tree.is_valid());
        valid.ok_or(StoreError::Damaged(path))
    }

    /// Stores the state that replaces dropped segments.
    pub fn set_dropped_ambient(&self, dropped: &Dropped) -> Result<(), StoreError> {
        let path = self.directory.join(DROPPED);
        let text = serde_json::to_string(dropped).map_err(io::Error::other);
        let text = text.map_err(|error| StoreError::Io(path.clone(), error))?;
        self.replace(&path, &text)
    }

    /// Reads all checkpoints, in their order.
    pub fn checkpoints_ambient(&self) -> Result<Vec<StoredCheckpoint>, StoreError> {
        let path = self.directory.join(CHECKPOINTS);
        let text = self.read(&path)?.unwrap_or_default();
        // A last line without a line break was cut off while it was written. Its checkpoint was
        // not acknowledged, and the next one covers the same entries and more, so ignoring it
        // loses nothing.
        let whole = text.rfind('\n').map_or("", |end| &text[..end]);
        let lines = whole.lines().map(serde_json::from_str);
        lines
            .collect::<Result<_, _>>()
            .map_err(|_| StoreError::Damaged(path))
    }

    /// Appends a checkpoint and syncs it to the disk.
    pub fn add_checkpoint_ambient(&self, kept: &StoredCheckpoint) -> Result<(), StoreError> {
        let path = self.directory.join(CHECKPOINTS);
        let failed = |error| StoreError::Io(path.clone(), error);
        let mut line =
            serde_json::to_string(kept).map_err(|error| failed(io::Error::other(error)))?;
        line.push('\n');
        let options = &mut OpenOptions::new();
        let mut file = self.open(&path, options.read(true).append(true).create(true))?;
        // The end of a line that was cut off is removed first. Appending to `{"time":"2026-`
        // would make one line of two that is not JSON, and the whole file would be reported as
        // damaged from then on.
        let length = file.metadata().map_err(failed)?.len();
        let text = self.read(&path)?.unwrap_or_default();
        let whole = text.rfind('\n').map_or(0, |end| end as u64 + 1);
        if whole < length {
            file.set_len(whole).map_err(failed)?;
        }
        file.write_all(line.as_bytes()).map_err(failed)?;
        file.sync_data().map_err(failed)
    }

    /// Removes the checkpoints of fewer than `size` entries.
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

    /// Returns the text of the key that verifies the log, if one is stored.
    pub fn verifier_ambient(&self) -> Result<Option<String>, StoreError> {
        self.read(&self.directory.join(VERIFIER))
    }

    /// Stores the key that verifies the log.
    pub fn set_verifier_ambient(&self, verifier: &str) -> Result<(), StoreError> {
        self.replace(&self.directory.join(VERIFIER), &format!("{verifier}\n"))
    }

    /// Reads a file, or returns `None` if it does not exist.
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

    /// Replaces the content of a file atomically: the new content is written to another file
    /// and synced, and that file is renamed.
    fn replace(&self, path: &Path, text: &str) -> Result<(), StoreError> {
        let failed = |error| StoreError::Io(path.to_owned(), error);
        let prepared = path.with_extension("new");
        let options = &mut OpenOptions::new();
        let mut file = self.open(&prepared, options.write(true).create(true).truncate(true))?;
        file.write_all(text.as_bytes()).map_err(failed)?;
        file.sync_all().map_err(failed)?;
        fs::rename(&prepared, path).map_err(failed)?;
        // The rename must be durable before anything relies on it: `drop_ambient` stores the
        // state of the dropped segments and then removes them. If the rename were lost with the
        // power and the removal were not, the entries before the remaining ones would be
        // missing without a trace.
        self.sync_directory()
    }

    fn sync_directory(&self) -> Result<(), StoreError> {
        // Windows cannot open a directory as a file; there the sync of the file has to suffice.
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
/// Fails if the log cannot be read.
pub fn last_checkpoint_ambient(directory: &Path) -> Result<Option<String>, StoreError> {
    let kept = LogDirectory::new(directory).checkpoints_ambient()?;
    Ok(kept.into_iter().last().map(|kept| kept.note))
}

/// Returns the start of the program that is writing to the log in a directory, or `None` if no
/// program is.
///
/// # Errors
/// Fails if the log cannot be read.
pub fn running_program_ambient(directory: &Path) -> Result<Option<Start>, StoreError> {
    let store = LogDirectory::new(directory);
    let segments = match store.segments_ambient() {
        Err(StoreError::Missing(_)) => return Ok(None),
        segments => segments?,
    };
    // The lock shows if a program is writing, since a program that was killed leaves neither a
    // stop nor another sign. The attempt succeeds for an instant if no program is writing; the
    // lock is released at once.
    match store.lock_ambient() {
        Err(StoreError::Busy(_)) => {}
        Ok(_) => return Ok(None),
        Err(error) => return Err(error),
    }
    for number in segments.into_iter().rev() {
        for RawLine { text, .. } in store.lines_ambient(number)?.into_iter().rev() {
            if let Some(LineContent::Written(written)) = LineContent::parse(&text)
                && let LogEntry::Start(start) = written.entry
            {
                return Ok(Some(start));
            }
        }
    }
    Ok(None)
}

/// Returns the entries of the log in a directory for which `wanted` returns true, in their order,
/// without verifying them.
///
/// # Errors
/// Fails if the log cannot be read.
pub fn lines_ambient(
    directory: &Path,
    wanted: impl Fn(&StoredLine) -> bool,
) -> Result<Vec<StoredLine>, StoreError> {
    let store = LogDirectory::new(directory);
    let mut found = Vec::new();
    for number in store.segments_ambient()? {
        for RawLine { text, is_ended, .. } in store.lines_ambient(number)? {
            let line = match LineContent::parse(&text) {
                Some(LineContent::Written(written)) => StoredLine {
                    seq: written.seq,
                    time: Some(written.time),
                    entry: Some(written.entry),
                    text,
                },
                Some(LineContent::Withheld(withheld)) => StoredLine {
                    seq: withheld.seq,
                    time: None,
                    entry: None,
                    text,
                },
                // A last line without a line break is still being written, or was cut off; its
                // entry was not acknowledged. Any other line that is not an entry means that
                // the log was damaged.
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
