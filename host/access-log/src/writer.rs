//! The writer of a log: one program at a time, one line after another.

use std::fs::File;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use chrono::{SecondsFormat, Utc};

use crate::anchor::{Anchor, AnchorError};
use crate::checkpoint::Checkpoint;
use crate::entry::{FORMAT, FoundEntries, LogEntry, Program, Repaired, Start};
use crate::hash::Hash;
use crate::key::{KeyError, Signer, Verifier};
use crate::line::{LineContent, WrittenEntry, sign};
use crate::sequence::{Cover, EntrySequence};
use crate::store::{LogDirectory, SEGMENT_BYTES, StoreError, StoredCheckpoint};
use crate::tree::Frontier;

/// Number of entries after which a checkpoint is signed. The disk is synced for it while all
/// callers wait, so a number that is reached several times a second would slow down a busy
/// server.
const CHECKPOINT_ENTRIES: u64 = 1024;

/// Maximum time from an entry to its checkpoint.
const CHECKPOINT_TIME: Duration = Duration::from_secs(10);

/// Minimum time between two checkpoints that are handed to the anchors.
const ANCHOR_TIME: Duration = Duration::from_secs(600);

/// Bytes of the disk reserved for the outcome of a call that was begun: its arguments, and the
/// names of some hundred files.
const OUTCOME_BYTES: u64 = 64 << 10;

/// The error of a log that cannot be written.
#[derive(Debug, thiserror::Error)]
pub enum LogError {
    /// Its files cannot be used.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Its key cannot be used.
    #[error("the key of the log: {0}")]
    Key(#[from] KeyError),
    /// Another key has signed it.
    #[error("the log was signed by another key (`{0}`); start a new log elsewhere")]
    OtherKey(String),
    /// One of its entries is not what was written.
    #[error("entry {0} of the log differs from what was written; see `docent log verify`")]
    Broken(u64),
    /// An entry cannot be written.
    #[error("the log cannot be written: {0}")]
    Io(#[from] io::Error),
    /// An anchor did not keep a checkpoint.
    #[error(transparent)]
    Anchor(#[from] AnchorError),
}

/// A log open for writing. An entry is in its file when the call that adds it returns; it is on the
/// disk with the next checkpoint, or at once if it begins a call.
pub struct Log {
    directory: PathBuf,
    verifier: Verifier,
    anchors: Vec<Anchor>,
    writer: Mutex<Writer>,
}

struct Writer {
    store: LogDirectory,
    key: Signer,
    file: File,
    segment: u64,
    /// Bytes of the segment.
    bytes: u64,
    tree: Frontier,
    last: Option<Hash>,
    /// Number of entries in the last checkpoint.
    signed: u64,
    signed_at: Option<String>,
    unsigned_since: Option<Instant>,
    /// Number of entries in the last anchored checkpoint.
    anchored: u64,
    anchored_at: Instant,
    /// True if the segment has bytes after its last line that are not a line.
    is_torn: bool,
    /// True if the last entry could not be written.
    has_failed: bool,
    /// True if the last checkpoint could not be written.
    is_unsealed: bool,
    /// True if the last entry was a stop: nothing may follow it without another start.
    has_stopped: bool,
    /// Number of calls that were begun and whose outcomes are not written yet.
    begun: u64,
    /// Lock of the writer, held as long as this lives.
    #[expect(dead_code, reason = "holding it is all that is to be done with it")]
    lock: File,
}

impl Log {
    /// Opens the log in `directory`, or creates one there. The key is read from the file `key`,
    /// which is created if it is missing. A half-written last line is removed. The first entry says
    /// which program has started, and which entries it found.
    ///
    /// The whole log is checked first, up to its last checkpoint and beyond: whatever a new entry
    /// follows is signed with it by the next checkpoint.
    ///
    /// # Errors
    /// [`LogError::Broken`] for a log that was changed, to which nothing may be added.
    pub fn open_ambient(
        directory: &Path,
        key: &Path,
        anchors: Vec<Anchor>,
        program: Program,
    ) -> Result<Self, LogError> {
        let store = LogDirectory::new(directory);
        store.make_ambient()?;
        let lock = store.lock_ambient()?;
        let key = Signer::read_or_make_ambient(key)?;
        let verifier = key.verifier().clone();
        // A log has one key for its whole life. If the key file was lost, a new key must not
        // continue the log: its checkpoints would sign the entries of the old one, and whoever
        // trusts the old key would see a log that is forged from there on.
        match store.verifier_ambient()? {
            None => store.set_verifier_ambient(&verifier.to_string())?,
            Some(text) if text.trim() == verifier.to_string() => {}
            Some(text) => return Err(LogError::OtherKey(text.trim().to_owned())),
        }
        let (mut writer, repaired) = Writer::open(store, key, lock)?;
        let start = Start {
            format: FORMAT,
            version: program.version,
            component: program.component,
            roots: program.roots,
            exact: program.exact,
            anchors: anchors.iter().map(ToString::to_string).collect(),
            key: verifier.to_string(),
            found: Some(FoundEntries {
                entries: writer.tree.size(),
                signed: writer.signed,
            }),
        };
        writer.append(LogEntry::Start(start), Outlives::Program)?;
        if let Some(repaired) = repaired {
            writer.append(LogEntry::Repaired(repaired), Outlives::Program)?;
        }
        Ok(Self {
            directory: directory.to_owned(),
            verifier,
            anchors,
            writer: Mutex::new(writer),
        })
    }

    /// Appends an entry and returns its number.
    ///
    /// # Errors
    /// Fails if the entry cannot be written; it is not in the log then.
    pub fn append(&self, entry: LogEntry) -> Result<u64, LogError> {
        self.lock().append(entry, Outlives::Program)
    }

    /// Appends the entry of a call that is about to run, and returns its number. The entry is on
    /// the disk when this returns, with space reserved for the outcome, which [`Self::finish`]
    /// appends.
    ///
    /// A call that changes files must not run unrecorded, whether the power fails or the disk is
    /// full when it ends.
    ///
    /// # Errors
    /// Fails if the entry cannot be written; it is not in the log then.
    pub fn begin(&self, entry: LogEntry) -> Result<u64, LogError> {
        self.lock().begin(entry)
    }

    /// Appends the outcome of a call that was begun.
    ///
    /// # Errors
    /// Fails if the outcome cannot be written; the entry that the call was begun remains.
    pub fn finish(&self, entry: LogEntry) -> Result<u64, LogError> {
        let mut writer = self.lock();
        writer.begun = writer.begun.saturating_sub(1);
        writer.append(entry, Outlives::Program)
    }

    /// Releases the space reserved for the outcome of a call that was begun.
    pub fn abandon(&self) {
        let mut writer = self.lock();
        writer.begun = writer.begun.saturating_sub(1);
    }

    /// Signs entries that have waited long enough, and hands a checkpoint to the anchors every ten
    /// minutes. Must be called every few seconds.
    ///
    /// # Errors
    /// Fails if the checkpoint cannot be written, or an anchor does not keep it.
    pub fn tick(&self) -> Result<(), LogError> {
        // Signing happens under the lock, and the anchors get the checkpoint after it is
        // released: `git commit` or a program may take seconds, during which no call could be
        // recorded. The checkpoint is the one signed here, whatever is appended in the
        // meantime.
        let note = {
            let mut writer = self.lock();
            let waits = writer.unsigned_since;
            if waits.is_some_and(|since| since.elapsed() >= CHECKPOINT_TIME) {
                writer.sign()?;
            }
            if writer.anchored == writer.signed || writer.anchored_at.elapsed() < ANCHOR_TIME {
                return Ok(());
            }
            // The time is set before the anchors are tried, so a failing anchor is tried again
            // after `ANCHOR_TIME` and not at every tick, which comes every few seconds.
            // `anchored` stays as it is, so the checkpoint remains due.
            writer.anchored_at = Instant::now();
            writer.sign()?
        };
        self.anchor(&note)
    }

    /// Signs all entries, and hands the checkpoint to the anchors.
    ///
    /// # Errors
    /// Fails if the checkpoint cannot be written, or an anchor does not keep it.
    pub fn seal(&self) -> Result<(), LogError> {
        let note = self.lock().sign()?;
        self.anchor(&note)
    }

    /// Hands a checkpoint to the anchors, without holding the lock: an anchor may take its time.
    fn anchor(&self, note: &str) -> Result<(), LogError> {
        for anchor in &self.anchors {
            anchor.keep_ambient(note)?;
        }
        let mut writer = self.lock();
        writer.anchored = Checkpoint::parse(note).map_or(0, |it| it.size);
        Ok(())
    }

    /// Returns true if the last entry and the last checkpoint could be written, and the segment
    /// still exists.
    pub fn is_writable(&self) -> bool {
        let writer = self.lock();
        !writer.has_failed && !writer.is_unsealed && writer.is_there()
    }

    /// Returns the key that verifies the log.
    pub fn verifier(&self) -> &Verifier {
        &self.verifier
    }

    /// Returns the directory of the log.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// Returns the time of the last checkpoint in RFC 3339, or `None` if none was signed since the
    /// log was opened.
    pub fn last_signed_at(&self) -> Option<String> {
        self.lock().signed_at.clone()
    }

    /// Returns the number of entries.
    pub fn size(&self) -> u64 {
        self.lock().tree.size()
    }

    fn lock(&self) -> MutexGuard<'_, Writer> {
        self.writer.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Writer {
    fn open(
        store: LogDirectory,
        key: Signer,
        lock: File,
    ) -> Result<(Self, Option<Repaired>), LogError> {
        let dropped = store.read_dropped_ambient()?;
        let (mut tree, mut last) = (dropped.tree.clone(), dropped.last);
        let checkpoint = last_checkpoint(&store, key.verifier())?;
        let signed = checkpoint.as_ref().map_or(0, |it| it.size);
        let check = |tree: &Frontier| match &checkpoint {
            Some(it) if it.size == tree.size() && it.root != tree.root() => {
                Err(LogError::Broken(0))
            }
            _ => Ok(()),
        };
        check(&tree)?;
        let mut sequence = EntrySequence::default();
        let segments = store.segments_ambient()?;
        let mut repaired = None;
        for number in &segments {
            let lines = store.lines_ambient(*number)?;
            for line in &lines {
                // Only the last line of the last segment can have been cut off by a crash or a
                // loss of power: a new segment begins after the previous one is synced. Its
                // entry was not acknowledged, so it is removed, even if its JSON happens to be
                // complete. The next entry would otherwise continue the same line. Anything
                // else that is not an entry was damaged or changed later.
                let is_cut = !line.is_ended && Some(number) == segments.last();
                let Some(content) = LineContent::parse(&line.text).filter(|_| !is_cut) else {
                    if !is_cut {
                        return Err(LogError::Broken(tree.size()));
                    }
                    let file = store.append_ambient(*number)?;
                    file.set_len(file.metadata()?.len() - line.bytes)?;
                    repaired = Some(Repaired { bytes: line.bytes });
                    continue;
                };
                // `drop_ambient` stores the state of the dropped segments first and removes
                // their files afterwards. A program killed in between leaves a file whose
                // entries are already in the dropped tree. They are skipped, but only before
                // the first remaining entry.
                if dropped.covers(&content) && tree.size() == dropped.tree.size() {
                    continue;
                }
                let is_next = match &content {
                    LineContent::Written(written) => written.prev == last,
                    LineContent::Withheld(_) => true,
                };
                let cover = Cover::new(tree.size(), signed);
                let taken = sequence.take(&content, &line.text, cover, key.verifier());
                if content.seq() != tree.size() || !is_next || taken.is_err() {
                    return Err(LogError::Broken(tree.size()));
                }
                let leaf = content.leaf(&line.text);
                tree.push(leaf);
                last = Some(leaf);
                // The root is compared when the tree reaches the size of the checkpoint, before
                // any later entry is accepted. The next checkpoint signs all entries of the
                // log. Without the comparison, the program would itself sign lines that
                // somebody changed while it was not running, and the change could no longer be
                // detected.
                check(&tree)?;
            }
        }
        // A log shorter than its last checkpoint has lost entries at the end. Appending to it
        // would give the numbers of the missing entries to new ones.
        if signed > tree.size() {
            return Err(LogError::Broken(tree.size()));
        }
        let segment = segments.last().copied().unwrap_or(1);
        let file = store.append_ambient(segment)?;
        let writer = Self {
            bytes: file.metadata()?.len(),
            signed,
            signed_at: None,
            unsigned_since: None,
            anchored: 0,
            anchored_at: Instant::now(),
            is_torn: false,
            has_failed: false,
            is_unsealed: false,
            has_stopped: false,
            begun: 0,
            store,
            key,
            file,
            segment,
            tree,
            last,
            lock,
        };
        Ok((writer, repaired))
    }

    /// Returns true if the segment still has a name in its directory.
    fn is_there(&self) -> bool {
        self.file.metadata().is_ok_and(|data| {
            #[cfg(unix)]
            // A file that was deleted can still be written through its open descriptor. Entries
            // would be acknowledged and vanish when the program ends. The number of links is
            // zero then.
            return std::os::unix::fs::MetadataExt::nlink(&data) > 0;
            #[cfg(not(unix))]
            return data.is_file();
        })
    }

    fn begin(&mut self, entry: LogEntry) -> Result<u64, LogError> {
        self.begun += 1;
        let begun = self.append(entry, Outlives::Power);
        if begun.is_err() {
            self.begun -= 1;
        }
        begun
    }

    fn append(&mut self, entry: LogEntry, outlives: Outlives) -> Result<u64, LogError> {
        let appended = self.try_append(entry, outlives);
        self.has_failed = appended.is_err();
        if appended.is_ok() && self.tree.size() - self.signed >= CHECKPOINT_ENTRIES {
            // The result of signing is not the result of appending. The entry is in the file,
            // and a caller that saw an error would take its call for unrecorded and withhold
            // the answer. The missing checkpoint is reported by `is_writable` and tried again
            // at the next entry or tick.
            let _ = self.sign();
        }
        appended
    }

    fn try_append(&mut self, entry: LogEntry, outlives: Outlives) -> Result<u64, LogError> {
        if self.has_stopped {
            return Err(io::Error::other("the program has ended").into());
        }
        if !self.is_there() {
            return Err(io::Error::other("its file was removed").into());
        }
        // A failed write whose remainder could not be removed left part of a line in the file.
        // It is removed before anything else is written.
        if self.is_torn {
            self.file.set_len(self.bytes)?;
            self.is_torn = false;
        }
        // A segment is not changed while calls are running whose outcomes have reserved space:
        // the reservation belongs to the file in which it was made. A call that was begun in
        // one segment could otherwise find the disk full in the next one when its outcome is
        // written. The segment may exceed its maximum size meanwhile.
        if self.bytes >= SEGMENT_BYTES && self.begun == 0 {
            self.file.sync_data()?;
            self.file = self.store.append_ambient(self.segment + 1)?;
            self.segment += 1;
            self.bytes = 0;
        }
        let seq = self.tree.size();
        let mut salt = [0; 16];
        getrandom::fill(&mut salt).map_err(io::Error::other)?;
        let (is_start, is_stop) = (
            matches!(entry, LogEntry::Start(_)),
            matches!(entry, LogEntry::Stop {}),
        );
        let written = WrittenEntry {
            seq,
            prev: self.last,
            time: now(),
            salt: STANDARD.encode(salt),
            entry,
        };
        let mut line = serde_json::to_string(&written).map_err(io::Error::other)?;
        if is_start {
            sign(&mut line, &self.key);
        }
        let leaf = Hash::leaf(line.as_bytes());
        line.push('\n');
        let bytes = self.bytes + line.len() as u64;
        let written = self
            .keep_room(bytes)
            .and_then(|()| self.file.write_all(line.as_bytes()))
            .and_then(|()| match outlives {
                Outlives::Program => Ok(()),
                Outlives::Power => self.file.sync_data(),
            });
        if let Err(error) = written {
            // A write that failed, for example on a full disk, may have written part of the
            // line. If it stayed, the next entry would continue that line and both would be
            // unreadable. `tree`, `last` and `bytes` are changed only after a complete write,
            // so a retry writes the same number.
            self.is_torn = self.file.set_len(self.bytes).is_err();
            return Err(error.into());
        }
        self.bytes = bytes;
        self.tree.push(leaf);
        self.last = Some(leaf);
        self.has_stopped = is_stop;
        self.unsigned_since.get_or_insert_with(Instant::now);
        Ok(seq)
    }

    /// Reserves space on the disk for the segment to grow to `bytes`, and for the outcomes of the
    /// calls that were begun. Other entries cannot use that space.
    fn keep_room(&self, bytes: u64) -> io::Result<()> {
        if self.begun == 0 {
            return Ok(());
        }
        #[cfg(any(target_os = "linux", target_os = "android"))]
        {
            use rustix::fs::{FallocateFlags, fallocate};
            use rustix::io::Errno;

            // `KEEP_SIZE` reserves blocks behind the end of the file without changing its
            // length, so the file never has a tail of zero bytes that a reader would take for a
            // damaged line. The range covers this line as well and begins at the current end:
            // blocks reserved earlier count again, so the reservation moves along with the file
            // instead of growing.
            let length = bytes - self.bytes + self.begun * OUTCOME_BYTES;
            let kept = fallocate(&self.file, FallocateFlags::KEEP_SIZE, self.bytes, length);
            match kept {
                // Some file systems cannot reserve blocks. An outcome may find the disk full
                // there; then the entry that the call was begun remains, and the call counts as
                // one whose outcome is unknown.
                Ok(()) | Err(Errno::OPNOTSUPP | Errno::NOSYS | Errno::INVAL) => Ok(()),
                Err(error) => Err(error.into()),
            }
        }
        #[cfg(not(any(target_os = "linux", target_os = "android")))]
        {
            let _ = bytes;
            Ok(())
        }
    }

    /// Signs all entries, and returns the signed note.
    fn sign(&mut self) -> Result<String, LogError> {
        let signed = self.try_sign();
        self.is_unsealed = signed.is_err();
        signed
    }

    fn try_sign(&mut self) -> Result<String, LogError> {
        // The entries are synced before the checkpoint that covers them is written. In the
        // other order, a loss of power could leave a checkpoint on the disk whose entries are
        // not, and the verifier would report a log that was cut off.
        self.file.sync_data()?;
        let checkpoint = Checkpoint {
            origin: self.key.verifier().name().to_owned(),
            size: self.tree.size(),
            root: self.tree.root(),
        };
        let note = checkpoint.to_note(&self.key);
        let time = now();
        self.store.add_checkpoint_ambient(&StoredCheckpoint {
            time: time.clone(),
            note: note.clone(),
        })?;
        self.signed_at = Some(time);
        self.signed = checkpoint.size;
        self.unsigned_since = None;
        Ok(note)
    }
}

/// The event that an entry survives once the call that adds it has returned.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Outlives {
    /// The end of the program.
    Program,
    /// A loss of power as well.
    Power,
}

/// Returns the last checkpoint, if there is one. It must be signed by `key`.
fn last_checkpoint(store: &LogDirectory, key: &Verifier) -> Result<Option<Checkpoint>, LogError> {
    let kept = store.checkpoints_ambient()?;
    let Some(kept) = kept.last() else {
        return Ok(None);
    };
    let read = Checkpoint::parse_verified(&kept.note, key);
    read.map(Some).map_err(|_| LogError::Broken(0))
}

fn now() -> String {
    Utc::now().to_rfc3339_opts(SecondsFormat::Millis, true)
}
