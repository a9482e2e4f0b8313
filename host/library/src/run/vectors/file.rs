//! Vectors on disk: one file for each model, to which records are only ever added.
//!
//! A record has a checksum of its own. What is torn or damaged, and all behind it, is cut off when
//! the file is opened by who may add to it, and left out by all others: it is made again when it is
//! asked for. One program at a time adds; others read what is there when they begin. What is dead of
//! a file stays in it until that is half of it; then it is made anew of what is not, under another
//! name that becomes its own when all is on disk. Who reads the old one goes on with that.
//!
//! In memory there is an index, and of what questions are compared with as much as has room.
//!
//! A file is `MAGIC`, the numbers of a vector, the model's key, and their checksum; then its records.
//! Numbers are little-endian.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Read as _, Seek as _, SeekFrom, Write as _};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::index::{Index, RECORDS, Slot};
use super::nearest::Nearest;
use super::record::{Record, Written, checksum, place_and_numbers};
use super::resident::Resident;
use super::{KEY_BYTES, Key};

/// What files of this form begin with.
const MAGIC: &[u8; 12] = b"docent vec 1";

/// How the files of a model end: that of its vectors, the one that is locked, and a new one that
/// takes the place of the first.
pub(super) const FILE: &str = "vectors";
pub(super) const LOCK: &str = "lock";
pub(super) const NEW: &str = "new";

/// How the file ends where passages are counted, and a new one that takes its place.
pub(super) const COUNTS: &str = "counts";
pub(super) const NEW_COUNTS: &str = "recounts";

/// Bytes before the first record.
const HEAD_BYTES: usize = MAGIC.len() + 4 + KEY_BYTES + 4;

/// Records that a file may hold before it is made anew, whatever is dead of them.
const FEW: usize = 1_000;

/// Bytes that are read at once: more than the longest record, and little enough for the cache of a
/// processor.
const BLOCK_BYTES: usize = 128 << 10;

/// What a file may hold.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Room {
    bytes: u64,
    records: usize,
}

impl Room {
    /// Returns room for so many bytes: 4 GB at most, which offsets can tell.
    pub(crate) fn new(bytes: u64) -> Self {
        Self {
            bytes: bytes.min(u32::MAX.into()),
            records: RECORDS,
        }
    }

    fn nine_tenths(self) -> Self {
        Self {
            bytes: self.bytes / 10 * 9,
            records: self.records / 10 * 9,
        }
    }

    fn holds(self, bytes: u64, records: usize) -> bool {
        bytes <= self.bytes && records <= self.records
    }
}

/// A vector with its number: which one of the passages it is that became known, from 1.
pub(crate) type Numbered = (Record, u64);

/// The file of one model.
pub(crate) struct VectorFile {
    path: PathBuf,
    file: File,
    /// Holds the lock, as long as this program adds to the file. A file of its own, for the other is
    /// replaced when it is made anew.
    lock: Option<File>,
    model: Key,
    dimensions: usize,
    room: Room,
    index: Index,
    resident: Resident,
    /// Where the last record ends that is known.
    end: u64,
    /// Whether records have found no room.
    is_full: bool,
    /// How often records went that may have been asked for.
    losses: u64,
}

impl VectorFile {
    /// Opens the file of a model in `directory`. What it holds has the numbers behind `known`, of
    /// which the last is returned with it. No more is added to it where another program does that,
    /// or nothing can be written.
    ///
    /// # Errors
    /// When the directory cannot be made, or the file not be read.
    pub(crate) fn open_ambient(
        directory: &Path,
        model: Key,
        dimensions: usize,
        room: Room,
        known: u64,
    ) -> io::Result<(Self, u64)> {
        make_private(directory)?;
        let name: String = model.0.iter().map(|byte| format!("{byte:02x}")).collect();
        let path = directory.join(format!("{name}.{FILE}"));
        let lock = directory.join(format!("{name}.{LOCK}"));
        let lock = options()
            .write(true)
            .create(true)
            .truncate(false)
            .open(lock)?;
        // Where another holds it, or nothing can be locked, nothing is written.
        let lock = lock.try_lock().is_ok().then_some(lock);
        if let Some(lock) = &lock {
            // Whoever tidies up sees that it is of use. Where it cannot be told it is made again.
            let _ = lock.set_modified(SystemTime::now());
        }
        let mut options = options();
        options.read(true);
        if lock.is_some() {
            options.write(true).create(true).truncate(false);
        }
        let mut opened = Self {
            file: options.open(&path)?,
            path,
            lock,
            model,
            dimensions,
            room,
            index: Index::default(),
            resident: Resident::default(),
            end: 0,
            is_full: false,
            losses: 0,
        };
        let known = opened.read_index(known)?;
        if opened.is_ours() {
            opened.file.set_len(opened.end)?;
            if opened.end == 0 {
                opened.file.seek(SeekFrom::Start(0))?;
                opened.file.write_all(&opened.head())?;
                opened.end = HEAD_BYTES as u64;
            }
        }
        Ok((opened, known))
    }

    /// Reads which records there are, up to the first that is torn or damaged; none where the head is
    /// not that of the model. Returns the last number.
    fn read_index(&mut self, mut known: u64) -> io::Result<u64> {
        let mut block = Vec::new();
        self.read(&mut block, 0, HEAD_BYTES)?;
        if block != self.head() {
            return Ok(known);
        }
        self.end = HEAD_BYTES as u64;
        loop {
            self.read(&mut block, self.end, BLOCK_BYTES)?;
            let mut rest = &block[..];
            while let Some((record, behind)) = Written::split(rest, self.dimensions) {
                let end = self.end + (rest.len() - behind.len()) as u64;
                if !self.room.holds(end, self.index.slots().len() + 1) {
                    return Ok(known);
                }
                // Written again, it is known since the first time.
                let number = self.number(record.key).unwrap_or_else(|| {
                    known += 1;
                    known
                });
                self.push(record.key, record.place, number, false);
                (self.end, rest) = (end, behind);
            }
            if rest.len() == block.len() {
                return Ok(known);
            }
        }
    }

    /// Takes a record into the index that begins at the end.
    fn push(&mut self, key: Key, place: &str, number: u64, is_asked: bool) {
        let slot = Slot {
            offset: self.end as u32,
            number,
            is_alive: true,
            is_asked,
        };
        self.index.push(key, place, slot);
    }

    fn head(&self) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        bytes.extend((self.dimensions as u32).to_le_bytes());
        bytes.extend(self.model.0);
        let sum = checksum(&bytes);
        bytes.extend(sum.to_le_bytes());
        bytes
    }

    /// Reads so many bytes, or those that are there, in one call of the system where it can be.
    fn read(&self, into: &mut Vec<u8>, offset: u64, bytes: usize) -> io::Result<()> {
        // What was read before is written over, so that only what is longer is filled with zeros.
        into.resize(bytes, 0);
        let mut file = &self.file;
        file.seek(SeekFrom::Start(offset))?;
        let mut there = 0;
        while there < bytes {
            match file.read(&mut into[there..]) {
                Ok(0) => break,
                Ok(read) => there += read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        into.truncate(there);
        Ok(())
    }

    /// Whether this program adds to it.
    pub(crate) fn is_ours(&self) -> bool {
        self.lock.is_some()
    }

    /// Whether vectors that it should keep have found no room.
    pub(crate) fn is_full(&self) -> bool {
        self.is_full
    }

    /// Returns how often vectors went that may have been asked for.
    pub(crate) fn losses(&self) -> u64 {
        self.losses
    }

    /// Returns where the passages of documents are counted, and of how many bytes of this file that is
    /// true.
    pub(crate) fn counts(&self) -> (PathBuf, u64) {
        (self.path.with_extension(COUNTS), self.end)
    }

    /// Returns how many records it holds, the dead ones included.
    fn records(&self) -> usize {
        self.index.slots().len()
    }

    /// Returns the number of a text's vector; none where it is not known.
    pub(crate) fn number(&self, key: Key) -> Option<u64> {
        let index = self.index.find(key)?;
        Some(self.index.slots()[index].number)
    }

    /// Returns the vector of a text, and whether the text may still stand at its place. One that
    /// cannot be read any more is forgotten.
    pub(crate) fn get(&mut self, key: Key) -> Option<(Record, bool)> {
        let index = self.index.find(key)?;
        let read = self.record(index).filter(|record| record.key == key);
        if read.is_none() {
            self.index.forget(key);
            self.losses += 1;
        }
        self.index.ask(index);
        read.map(|record| (record, self.index.slots()[index].is_alive))
    }

    fn record(&self, index: usize) -> Option<Record> {
        let mut bytes = Vec::new();
        let begin = self.begin_of(index) as u64;
        self.read(&mut bytes, begin, self.bytes_of(index)).ok()?;
        let (written, _) = Written::split(&bytes, self.dimensions)?;
        Some(written.to_record())
    }

    /// Returns where a record begins; the one behind the last, where the last ends.
    fn begin_of(&self, index: usize) -> usize {
        let slot = self.index.slots().get(index);
        slot.map_or(self.end as usize, |slot| slot.offset as usize)
    }

    /// Returns how long a record is: there is nothing between it and the next.
    fn bytes_of(&self, index: usize) -> usize {
        self.begin_of(index + 1) - self.begin_of(index)
    }

    /// Forgets the vector of a text, until the file is opened again.
    pub(crate) fn forget(&mut self, key: Key) {
        self.index.forget(key);
    }

    /// Adds records at the end, in one write, and returns those that it does not take.
    pub(crate) fn append(&mut self, records: Vec<Numbered>) -> Vec<Numbered> {
        let fits = |(record, _): &Numbered| record.fits(self.dimensions);
        let (fit, mut left): (Vec<_>, Vec<_>) = records.into_iter().partition(fits);
        if fit.is_empty() {
            return left;
        }
        if !self.is_ours() || !self.make_room(&fit) {
            left.extend(fit);
            return left;
        }
        match self.write(&fit) {
            Ok(()) => self.renew_if_worn(),
            Err(_) => {
                // Behind what may be torn nothing more is added. The next program cuts it off.
                self.lock = None;
                left.extend(fit);
            }
        }
        left
    }

    fn write(&mut self, records: &[Numbered]) -> io::Result<()> {
        let mut bytes = Vec::new();
        for (record, _) in records {
            record.put(&mut bytes);
        }
        self.file.seek(SeekFrom::Start(self.end))?;
        self.file.write_all(&bytes)?;
        for (record, number) in records {
            self.push(record.key, &record.place, *number, true);
            self.end += record.bytes() as u64;
        }
        Ok(())
    }

    /// Makes the file anew where more than half of it is dead.
    fn renew_if_worn(&mut self) {
        if self.records() > FEW && self.records() / 2 > self.index.alive() {
            let survivors = self.index.survivors();
            // The old file is as it was.
            if self.renew(&survivors).is_err() {
                self.lock = None;
            }
        }
    }

    /// Returns whether there is room for records: where there is none what is dead goes, and what
    /// nobody asked this program for, first what is known for longest.
    fn make_room(&mut self, records: &[Numbered]) -> bool {
        let bytes: usize = records.iter().map(|(record, _)| record.bytes()).sum();
        let fits = |file: &Self| {
            let after = file.end + bytes as u64;
            file.room.holds(after, file.records() + records.len())
        };
        if fits(self) {
            return true;
        }
        if self.is_full {
            return false;
        }
        // A tenth at once: to make room is to write all.
        if let Some(survivors) = self.survivors_within(self.room.nine_tenths())
            && self.renew(&survivors).is_err()
        {
            self.lock = None;
            return false;
        }
        self.is_full = !fits(self);
        !self.is_full
    }

    /// Returns what is kept where there is room for so much; none where all of it was asked for.
    fn survivors_within(&self, room: Room) -> Option<Vec<usize>> {
        let mut survivors = self.index.survivors();
        let mut number = survivors.len();
        let lengths = survivors.iter().map(|index| self.bytes_of(*index));
        let mut bytes = HEAD_BYTES + lengths.sum::<usize>();
        survivors.retain(|index| {
            if room.holds(bytes as u64, number) || self.index.slots()[*index].is_asked {
                return true;
            }
            (bytes, number) = (bytes - self.bytes_of(*index), number - 1);
            false
        });
        room.holds(bytes as u64, number).then_some(survivors)
    }

    /// Makes the file anew, of these of its records, one after another.
    ///
    /// # Errors
    /// What the system says; the old file is then as it was.
    fn renew(&mut self, survivors: &[usize]) -> io::Result<()> {
        let path = self.path.with_extension(NEW);
        let mut options = options();
        let options = options.read(true).write(true).create(true).truncate(true);
        let file = options.open(&path)?;
        let mut output = BufWriter::with_capacity(BLOCK_BYTES, &file);
        output.write_all(&self.head())?;
        let (mut index, mut end) = (Index::default(), HEAD_BYTES as u64);
        let mut bytes = Vec::new();
        for &survivor in survivors {
            let slot = self.index.slots()[survivor];
            self.read(&mut bytes, slot.offset.into(), self.bytes_of(survivor))?;
            // What was damaged meanwhile is made again when it is asked for.
            if let Some((record, [])) = Written::split(&bytes, self.dimensions) {
                output.write_all(&bytes)?;
                let offset = end as u32;
                index.push(record.key, record.place, Slot { offset, ..slot });
                end += bytes.len() as u64;
            }
        }
        output.flush()?;
        drop(output);
        // Before it has the name: a loss of power must not leave a file of nothing.
        file.sync_all()?;
        fs::rename(&path, &self.path)?;
        (self.file, self.index, self.end) = (file, index, end);
        // Also of what is dead: a text may stand at two places, of which one is noted.
        self.losses += 1;
        self.resident = Resident::default();
        Ok(())
    }

    /// Offers the passages that were known at `moment` and may still stand at their places.
    ///
    /// # Errors
    /// When the file cannot be read; a part may have been offered.
    pub(crate) fn offer(&mut self, moment: u64, nearest: &mut Nearest<'_>) -> io::Result<()> {
        for (records, block) in self.resident.blocks() {
            self.offer_block(records, block, moment, nearest);
        }
        let mut block = Vec::new();
        let mut first = self.resident.records();
        while first < self.records() {
            let behind = self.block_from(first);
            let begin = self.begin_of(first);
            let bytes = self.begin_of(behind) - begin;
            self.read(&mut block, begin as u64, bytes)?;
            self.offer_block(first..behind, &block, moment, nearest);
            // The last one grows.
            let is_whole = block.len() == bytes && behind < self.records();
            if is_whole && first == self.resident.records() {
                self.resident.keep(behind, &block);
            }
            first = behind;
        }
        Ok(())
    }

    /// Offers what stands in a block of these records.
    fn offer_block(
        &self,
        records: Range<usize>,
        block: &[u8],
        moment: u64,
        nearest: &mut Nearest<'_>,
    ) {
        let begin = self.begin_of(records.start);
        for (index, slot) in records.clone().zip(&self.index.slots()[records]) {
            let record = self.begin_of(index) - begin..self.begin_of(index + 1) - begin;
            if slot.is_alive
                && slot.number <= moment
                && let Some(record) = block.get(record)
                && let Some((place, numbers)) = place_and_numbers(record, self.dimensions)
            {
                nearest.offer(place, numbers, u8::cast_signed);
            }
        }
    }

    /// Returns before which record a block ends that begins with `first`. It holds that one at least,
    /// for it is longer than the longest.
    fn block_from(&self, first: usize) -> usize {
        let end = self.begin_of(first) + BLOCK_BYTES;
        let slots = &self.index.slots()[first..];
        let begin_within = slots.partition_point(|slot| slot.offset as usize <= end);
        // The last of these may end behind it.
        let behind = first + begin_within;
        if behind < self.records() {
            behind - 1
        } else {
            behind
        }
    }
}

fn options() -> OpenOptions {
    let mut options = OpenOptions::new();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

/// Writes a file that only its owner can read, in place of one that is there.
pub(super) fn write_private(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let new = path.with_extension(NEW_COUNTS);
    let mut options = options();
    let mut file = options.write(true).create(true).truncate(true).open(&new)?;
    file.write_all(bytes)?;
    drop(file);
    // Not synced: what a loss of power leaves of it does not pass for whole.
    fs::rename(&new, path)
}

/// Makes a directory that only its owner can enter.
fn make_private(directory: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(directory)
}

#[cfg(test)]
mod tests;
