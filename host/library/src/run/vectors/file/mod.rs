//! Vectors on disk: one append-only file per model.
//!
//! Each record has a checksum. A torn or damaged record and all records after it are truncated when
//! the file is opened by the program that may write to it, and ignored by all others: their vectors
//! are computed again on request. One program at a time appends; others read the records that exist
//! when they start. Dead records stay in the file until they are half of it. Then the live ones are
//! copied to a new file, which is renamed over the old one once it is on disk. A program that reads
//! the old file keeps reading it.
//!
//! An index of the file is kept in memory, and as many of its vectors as there is room for.
//!
//! The file consists of `MAGIC`, the number of dimensions of a vector, the model's key, and their
//! checksum, followed by the records. Numbers are little-endian.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Read as _, Seek as _, SeekFrom, Write as _};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::index::{Index, RECORDS, Slot};
use super::key::{KEY_BYTES, Key};
use super::nearest::NearestVectors;
use super::record::{RecordBytes, VectorRecord, checksum, place_and_numbers};
use super::resident::Resident;

/// Magic bytes at the start of the file.
const MAGIC: &[u8; 12] = b"docent vec 1";

/// Extensions of a model's files: the vectors, the lock, and a new file of vectors that replaces
/// the first.
pub(super) const FILE: &str = "vectors";
pub(super) const LOCK: &str = "lock";
pub(super) const NEW: &str = "new";

/// Extensions of the file of passage counts, and of a new one that replaces it.
pub(super) const COUNTS: &str = "counts";
pub(super) const NEW_COUNTS: &str = "recounts";

/// Bytes before the first record.
const HEAD_BYTES: usize = MAGIC.len() + 4 + KEY_BYTES + 4;

/// Number of records up to which a file is not compacted, however many of them are dead.
const FEW: usize = 1_000;

/// Bytes read at once: more than the longest record, and few enough for the processor's cache.
const BLOCK_BYTES: usize = 128 << 10;

/// The maximum size of a file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SizeLimit {
    bytes: u64,
    records: usize,
}

impl SizeLimit {
    /// Returns room for this many bytes: at most 4 GB, the range of record offsets.
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

/// A record with its number: the position of its passage in the order of becoming known, from 1.
pub(crate) type Numbered = (VectorRecord, u64);

/// The vector file of one model.
pub(crate) struct VectorFile {
    path: PathBuf,
    file: File,
    /// Lock, held while this program may write to the file. It is a separate file, because the
    /// vector file is replaced by compaction.
    lock: Option<File>,
    model: Key,
    dimensions: usize,
    room: SizeLimit,
    index: Index,
    resident: Resident,
    /// Offset of the end of the last known record.
    end: u64,
    /// True if some records have found no room.
    is_full: bool,
    /// Number of times that records were lost that may have been asked for.
    losses: u64,
}

impl VectorFile {
    /// Opens the file of a model in `directory`. Its records are numbered from `known` + 1, and the
    /// last number is returned. The file is read-only if another program writes to it, or nothing
    /// can be written.
    ///
    /// # Errors
    /// If the directory cannot be created, or the file cannot be read.
    pub(crate) fn open_ambient(
        directory: &Path,
        model: Key,
        dimensions: usize,
        room: SizeLimit,
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
        // The file is read-only if another program holds the lock, or if locks are not
        // supported. Two programs that append would each write at the end that they know, over
        // the records of the other.
        let lock = lock.try_lock().is_ok().then_some(lock);
        if let Some(lock) = &lock {
            // The time of the lock file shows the cleanup that the model is in use. If it
            // cannot be set, the cleanup may remove the files, and their vectors are computed
            // again.
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

    /// Reads the index up to the first record that is torn or damaged; nothing if the head does not
    /// match the model. Returns the last number.
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
            while let Some((record, behind)) = RecordBytes::split(rest, self.dimensions) {
                let end = self.end + (rest.len() - behind.len()) as u64;
                if !self.room.holds(end, self.index.slots().len() + 1) {
                    return Ok(known);
                }
                // A record is written again when its text moves to another place. It keeps its
                // first number, by which a continued query decides what was known at its
                // moment.
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

    /// Adds the record that begins at the end to the index.
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

    /// Reads up to `bytes` bytes, in one system call if possible.
    fn read(&self, into: &mut Vec<u8>, offset: u64, bytes: usize) -> io::Result<()> {
        // The buffer keeps its previous content and is overwritten, so that only growth is
        // filled with zeros and not 128 KiB for each block.
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

    /// Returns true if this program writes to the file.
    pub(crate) fn is_ours(&self) -> bool {
        self.lock.is_some()
    }

    /// Returns true if some vectors have found no room.
    pub(crate) fn is_full(&self) -> bool {
        self.is_full
    }

    /// Returns how often vectors were lost that may have been asked for.
    pub(crate) fn losses(&self) -> u64 {
        self.losses
    }

    /// Returns the path of the passage counts, and the length of this file for which they are
    /// valid.
    pub(crate) fn counts(&self) -> (PathBuf, u64) {
        (self.path.with_extension(COUNTS), self.end)
    }

    /// Returns the number of records, including dead ones.
    fn records(&self) -> usize {
        self.index.slots().len()
    }

    /// Returns the number of a text's vector; none if it is not known.
    pub(crate) fn number(&self, key: Key) -> Option<u64> {
        let index = self.index.find(key)?;
        Some(self.index.slots()[index].number)
    }

    /// Returns the vector of a text, and true if the text may still be at its place. A record that
    /// can no longer be read is forgotten.
    pub(crate) fn get(&mut self, key: Key) -> Option<(VectorRecord, bool)> {
        let index = self.index.find(key)?;
        let read = self.record(index).filter(|record| record.key == key);
        if read.is_none() {
            self.index.forget(key);
            self.losses += 1;
        }
        self.index.ask(index);
        read.map(|record| (record, self.index.slots()[index].is_alive))
    }

    fn record(&self, index: usize) -> Option<VectorRecord> {
        let mut bytes = Vec::new();
        let begin = self.begin_of(index) as u64;
        self.read(&mut bytes, begin, self.bytes_of(index)).ok()?;
        let (written, _) = RecordBytes::split(&bytes, self.dimensions)?;
        Some(written.to_record())
    }

    /// Returns the offset of a record; for the index after the last record, the end of the last
    /// one.
    fn begin_of(&self, index: usize) -> usize {
        let slot = self.index.slots().get(index);
        slot.map_or(self.end as usize, |slot| slot.offset as usize)
    }

    /// Returns the length of a record: there is no gap before the next one.
    fn bytes_of(&self, index: usize) -> usize {
        self.begin_of(index + 1) - self.begin_of(index)
    }

    /// Forgets the vector of a text, until the file is opened again.
    pub(crate) fn forget(&mut self, key: Key) {
        self.index.forget(key);
    }

    /// Appends records in one write, and returns those that are not accepted.
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
                // The write may have left a part of a record. Records after it could not be
                // read, so nothing more is appended: the lock is released, and the next program
                // that opens the file truncates it.
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

    /// Compacts the file if more than half of it is dead.
    fn renew_if_worn(&mut self) {
        if self.records() > FEW && self.records() / 2 > self.index.alive() {
            let survivors = self.index.survivors();
            // The old file is unchanged after a failure, and still readable. This program stops
            // writing, because a full disk would make it try again with every vector.
            if self.renew(&survivors).is_err() {
                self.lock = None;
            }
        }
    }

    /// Returns true if there is room for records. If there is none, dead records are dropped, and
    /// then those that this program was not asked for, starting with those known for longest.
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
        // A tenth is freed at once. Making room writes a new file, up to 256 MiB by default;
        // freeing room for one record would do that for each passage.
        if let Some(survivors) = self.survivors_within(self.room.nine_tenths())
            && self.renew(&survivors).is_err()
        {
            self.lock = None;
            return false;
        }
        self.is_full = !fits(self);
        !self.is_full
    }

    /// Returns the records to keep within `room`; none if every record was asked for.
    fn survivors_within(&self, room: SizeLimit) -> Option<Vec<usize>> {
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

    /// Compacts the file to these records, in this order.
    ///
    /// # Errors
    /// The error of the system; the old file is then unchanged.
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
            // A record whose checksum is wrong is not copied. Its vector is computed again when
            // it is asked for.
            if let Some((record, [])) = RecordBytes::split(&bytes, self.dimensions) {
                output.write_all(&bytes)?;
                let offset = end as u32;
                index.push(record.key, record.place, Slot { offset, ..slot });
                end += bytes.len() as u64;
            }
        }
        output.flush()?;
        drop(output);
        // The new file is synced before it is renamed over the old one. A file system may store
        // the rename first; after a loss of power the name would lead to an empty file, and all
        // vectors would be lost.
        file.sync_all()?;
        fs::rename(&path, &self.path)?;
        (self.file, self.index, self.end) = (file, index, end);
        // Dropping dead records counts as a loss. A text may be at two places, of which the
        // file records one: its record is dead if another text was written for that place, but
        // the other place still has it, and its passage is unknown from here on.
        self.losses += 1;
        self.resident = Resident::default();
        Ok(())
    }

    /// Offers the passages known at `moment` that may still be at their places.
    ///
    /// # Errors
    /// If the file cannot be read; a part may have been offered.
    pub(crate) fn offer(
        &mut self,
        moment: u64,
        nearest: &mut NearestVectors<'_>,
    ) -> io::Result<()> {
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
            // Only whole blocks are kept in memory. The last one grows with each record and
            // would have to be copied again each time.
            let is_whole = block.len() == bytes && behind < self.records();
            if is_whole && first == self.resident.records() {
                self.resident.keep(behind, &block);
            }
            first = behind;
        }
        Ok(())
    }

    /// Offers the records of a block.
    fn offer_block(
        &self,
        records: Range<usize>,
        block: &[u8],
        moment: u64,
        nearest: &mut NearestVectors<'_>,
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

    /// Returns the end of the block that begins with record `first`. A block holds at least that
    /// record, because it is longer than the longest one.
    fn block_from(&self, first: usize) -> usize {
        let end = self.begin_of(first) + BLOCK_BYTES;
        let slots = &self.index.slots()[first..];
        let begin_within = slots.partition_point(|slot| slot.offset as usize <= end);
        // The last record that begins in the block may end after it. It belongs to the next
        // block, unless it is the last record of the file.
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

/// Writes a file that only its owner can read, replacing an existing one.
pub(super) fn write_private(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let new = path.with_extension(NEW_COUNTS);
    let mut options = options();
    let mut file = options.write(true).create(true).truncate(true).open(&new)?;
    file.write_all(bytes)?;
    drop(file);
    // The file is not synced. What a loss of power leaves of it fails the checksum and counts
    // as empty, and the passages are counted again.
    fs::rename(&new, path)
}

/// Creates a directory that only its owner can enter.
fn make_private(directory: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(directory)
}

#[cfg(test)]
mod tests;
