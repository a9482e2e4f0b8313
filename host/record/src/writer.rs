//! Writing a log: one program at a time, one line after the other.

use std::fs::File;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use chrono::{SecondsFormat, Utc};

use crate::anchor::{Anchor, AnchorError};
use crate::entry::{Entry, Repaired};
use crate::hash::Hash;
use crate::key::{KeyError, Signer, Verifier};
use crate::line::{Content, Written};
use crate::note::Checkpoint;
use crate::store::{Kept, SEGMENT_BYTES, Store, StoreError};
use crate::tree::Frontier;

/// Entries after which a checkpoint is signed. All wait meanwhile for the disk, so that fewer than
/// come in a second would hold a busy server up.
const CHECKPOINT_ENTRIES: u64 = 1024;

/// How long an entry may wait for one.
const CHECKPOINT_TIME: Duration = Duration::from_secs(10);

/// How often anchors are handed a checkpoint, where something has happened since.
const ANCHOR_TIME: Duration = Duration::from_secs(600);

/// What keeps a log from being written.
#[derive(Debug, thiserror::Error)]
pub enum LogError {
    /// Its files cannot be used.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Its key cannot be used.
    #[error("the key of the log: {0}")]
    Key(#[from] KeyError),
    /// Another key has signed it.
    #[error("the log was signed by another key (`{0}`); begin another one elsewhere")]
    OtherKey(String),
    /// It is not what was written.
    #[error("entry {0} of the log is not what was written; `docent log verify` says more")]
    Broken(u64),
    /// An entry cannot be written.
    #[error("the log cannot be written: {0}")]
    Io(#[from] io::Error),
    /// An anchor did not take a checkpoint.
    #[error(transparent)]
    Anchor(#[from] AnchorError),
}

/// A log that is being written. What is added stands in its file when the call that adds it ends;
/// it is on the disk with the next checkpoint.
pub struct Log {
    directory: PathBuf,
    verifier: Verifier,
    anchors: Vec<Anchor>,
    writer: Mutex<Writer>,
}

struct Writer {
    store: Store,
    key: Signer,
    file: File,
    segment: u64,
    /// Bytes of the segment.
    bytes: u64,
    tree: Frontier,
    last: Option<Hash>,
    /// Entries of the last checkpoint, and when the first behind it was added.
    signed: u64,
    signed_at: Option<String>,
    unsigned_since: Option<Instant>,
    /// Entries that the anchors have, and when they were handed some.
    anchored: u64,
    anchored_at: Instant,
    /// Something is in the segment that is no line, and cannot be taken out.
    is_stuck: bool,
    /// Held as long as this lives.
    #[expect(dead_code, reason = "holding it is all that is to be done with it")]
    lock: File,
}

impl Log {
    /// Opens the log in `directory`, or begins one there, with the key in the file `key`, which is
    /// made where it is missing. What the program before had half written is taken out.
    ///
    /// # Errors
    /// [`LogError::Broken`] for a log that was changed: nothing is to stand on it.
    pub fn open_ambient(
        directory: &Path,
        key: &Path,
        anchors: Vec<Anchor>,
    ) -> Result<Self, LogError> {
        let store = Store::new(directory);
        store.make_ambient()?;
        let lock = store.lock_ambient()?;
        let key = Signer::read_or_make_ambient(key)?;
        let verifier = key.verifier().clone();
        match store.verifier_ambient()? {
            None => store.set_verifier_ambient(&verifier.to_string())?,
            Some(text) if text.trim() == verifier.to_string() => {}
            Some(text) => return Err(LogError::OtherKey(text.trim().to_owned())),
        }
        let (writer, repaired) = Writer::open(store, key, lock)?;
        let log = Self {
            directory: directory.to_owned(),
            verifier,
            anchors,
            writer: Mutex::new(writer),
        };
        if let Some(repaired) = repaired {
            log.append(Entry::Repaired(repaired))?;
        }
        Ok(log)
    }

    /// Adds an entry and returns its number.
    ///
    /// # Errors
    /// When it cannot be written: then it is not there.
    pub fn append(&self, entry: Entry) -> Result<u64, LogError> {
        self.lock().append(entry)
    }

    /// Signs what has waited long enough, and hands it to the anchors every ten minutes. Called every
    /// few seconds.
    ///
    /// # Errors
    /// When the checkpoint cannot be written, or an anchor does not take it.
    pub fn tick(&self) -> Result<(), LogError> {
        let note = {
            let mut writer = self.lock();
            let waits = writer.unsigned_since;
            if waits.is_some_and(|since| since.elapsed() >= CHECKPOINT_TIME) {
                writer.sign()?;
            }
            if writer.anchored == writer.signed || writer.anchored_at.elapsed() < ANCHOR_TIME {
                return Ok(());
            }
            // Also where an anchor fails: it is asked again, but not all the time.
            writer.anchored_at = Instant::now();
            writer.sign()?
        };
        self.anchor(&note)
    }

    /// Signs all there is, and has the anchors keep that.
    ///
    /// # Errors
    /// When it cannot be written, or an anchor does not take it.
    pub fn seal(&self) -> Result<(), LogError> {
        let note = self.lock().sign()?;
        self.anchor(&note)
    }

    /// Has the anchors keep a checkpoint, without the lock: one may take its time.
    fn anchor(&self, note: &str) -> Result<(), LogError> {
        for anchor in &self.anchors {
            anchor.keep_ambient(note)?;
        }
        let mut writer = self.lock();
        writer.anchored = Checkpoint::parse(note).map_or(0, |it| it.size);
        Ok(())
    }

    /// Whether entries can be added, as far as that can be told without adding one.
    pub fn can_append(&self) -> bool {
        let writer = self.lock();
        !writer.is_stuck && writer.is_there()
    }

    /// Returns the key that checks it.
    pub fn verifier(&self) -> &Verifier {
        &self.verifier
    }

    /// Returns the directory.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// Returns when it was signed last, as RFC 3339 has it; none where that was before it was opened.
    pub fn signed_at(&self) -> Option<String> {
        self.lock().signed_at.clone()
    }

    /// Returns how many entries it has.
    pub fn size(&self) -> u64 {
        self.lock().tree.size()
    }

    fn lock(&self) -> MutexGuard<'_, Writer> {
        self.writer.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Writer {
    fn open(store: Store, key: Signer, lock: File) -> Result<(Self, Option<Repaired>), LogError> {
        let dropped = store.dropped_ambient()?;
        let (mut tree, mut last) = (dropped.tree.clone(), dropped.last);
        let segments = store.segments_ambient()?;
        let mut repaired = None;
        for number in &segments {
            let lines = store.lines_ambient(*number)?;
            for line in &lines {
                let is_cut = !line.is_ended && Some(number) == segments.last();
                let Some(content) = Content::parse(&line.text).filter(|_| !is_cut) else {
                    if !is_cut {
                        return Err(LogError::Broken(tree.size()));
                    }
                    let file = store.append_ambient(*number)?;
                    file.set_len(file.metadata()?.len() - line.bytes)?;
                    repaired = Some(Repaired { bytes: line.bytes });
                    continue;
                };
                // Of a segment that was to be dropped when the program was ended.
                if dropped.covers(&content) && tree.size() == dropped.tree.size() {
                    continue;
                }
                let is_next = match &content {
                    Content::Written(written) => written.prev == last,
                    Content::Withheld(_) => true,
                };
                if content.seq() != tree.size() || !is_next {
                    return Err(LogError::Broken(tree.size()));
                }
                let leaf = content.leaf(&line.text);
                tree.push(leaf);
                last = Some(leaf);
            }
        }
        let segment = segments.last().copied().unwrap_or(1);
        let file = store.append_ambient(segment)?;
        let mut writer = Self {
            bytes: file.metadata()?.len(),
            signed: 0,
            signed_at: None,
            unsigned_since: None,
            anchored: 0,
            anchored_at: Instant::now(),
            is_stuck: false,
            store,
            key,
            file,
            segment,
            tree,
            last,
            lock,
        };
        writer.check_last_checkpoint()?;
        Ok((writer, repaired))
    }

    /// Looks whether the log still is what it was when it was signed last.
    fn check_last_checkpoint(&mut self) -> Result<(), LogError> {
        let kept = self.store.checkpoints_ambient()?;
        let Some(kept) = kept.last() else {
            return Ok(());
        };
        let read = Checkpoint::verified(&kept.note, self.key.verifier());
        let Ok(checkpoint) = read else {
            return Err(LogError::Broken(0));
        };
        if checkpoint.size > self.tree.size() {
            return Err(LogError::Broken(self.tree.size()));
        }
        if checkpoint.size == self.tree.size() && checkpoint.root != self.tree.root() {
            return Err(LogError::Broken(0));
        }
        self.signed = checkpoint.size;
        Ok(())
    }

    /// Whether the segment still stands in its directory.
    fn is_there(&self) -> bool {
        self.file.metadata().is_ok_and(|data| {
            #[cfg(unix)]
            return std::os::unix::fs::MetadataExt::nlink(&data) > 0;
            #[cfg(not(unix))]
            return data.is_file();
        })
    }

    fn append(&mut self, entry: Entry) -> Result<u64, LogError> {
        if self.is_stuck {
            return Err(io::Error::other("an entry before it could not be written").into());
        }
        if !self.is_there() {
            return Err(io::Error::other("its file was removed").into());
        }
        if self.bytes >= SEGMENT_BYTES {
            self.file.sync_data()?;
            self.file = self.store.append_ambient(self.segment + 1)?;
            self.segment += 1;
            self.bytes = 0;
        }
        let seq = self.tree.size();
        let mut salt = [0; 16];
        getrandom::fill(&mut salt).map_err(io::Error::other)?;
        let written = Written {
            seq,
            prev: self.last,
            time: now(),
            salt: STANDARD.encode(salt),
            entry,
        };
        let mut line = serde_json::to_string(&written).map_err(io::Error::other)?;
        let leaf = Hash::leaf(line.as_bytes());
        line.push('\n');
        if let Err(error) = self.file.write_all(line.as_bytes()) {
            // What is there of it is no line, and would be the beginning of the next.
            self.is_stuck = self.file.set_len(self.bytes).is_err();
            return Err(error.into());
        }
        self.bytes += line.len() as u64;
        self.tree.push(leaf);
        self.last = Some(leaf);
        self.unsigned_since.get_or_insert_with(Instant::now);
        if self.tree.size() - self.signed >= CHECKPOINT_ENTRIES {
            self.sign()?;
        }
        Ok(seq)
    }

    /// Signs all there is, and returns the signed note.
    fn sign(&mut self) -> Result<String, LogError> {
        self.file.sync_data()?;
        let checkpoint = Checkpoint {
            origin: self.key.verifier().name().to_owned(),
            size: self.tree.size(),
            root: self.tree.root(),
        };
        let note = checkpoint.signed(&self.key);
        let time = now();
        self.store.add_checkpoint_ambient(&Kept {
            time: time.clone(),
            note: note.clone(),
        })?;
        self.signed_at = Some(time);
        self.signed = checkpoint.size;
        self.unsigned_since = None;
        Ok(note)
    }
}

fn now() -> String {
    Utc::now().to_rfc3339_opts(SecondsFormat::Millis, true)
}
