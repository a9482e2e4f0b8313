//! A reader of OLE containers (MS-CFB): streams in storages, as files in directories.
//!
//! Every number of a container may be a lie: chains of sectors that turn in circles, trees that
//! contain themselves, tables of sectors that repeat one sector a million times. All loops are
//! bounded by the number of sectors in the file, and damage ends a stream early instead of losing
//! it. The crate `cfb` refuses many damaged files, and its table of sectors grows to 128 times the
//! size of the file before it is checked.

use std::collections::BTreeSet;

use crate::failure::{EarlyStop, Failure};
use crate::limits::OLE_ENTRIES;

/// Signature of a container.
pub const OLE_MAGIC: [u8; 8] = [0xD0, 0xCF, 0x11, 0xE0, 0xA1, 0xB1, 0x1A, 0xE1];

const MALFORMED: EarlyStop = EarlyStop::Failed(Failure::Malformed);

/// Bytes of the header, which also names the first sectors of the table.
const HEADER_BYTES: usize = 512;

/// Offset of those names in the header.
const TABLE_AT: usize = 76;

/// Bytes of an entry of the directory.
const ENTRY_BYTES: usize = 128;

/// Bytes of a sector of small streams.
const MINI_SECTOR_BYTES: usize = 64;

/// The last number of a sector; greater ones are marks.
const LAST_SECTOR: u32 = 0xFFFF_FFFA;

/// An open container.
#[derive(Debug)]
pub struct Ole<'c> {
    content: &'c [u8],
    sector_bytes: usize,
    /// The next sector of each.
    table: Vec<u32>,
    /// The next sector of each in the stream of small streams.
    mini_table: Vec<u32>,
    /// The small streams.
    mini_stream: Vec<u8>,
    /// Bytes from which on a stream is not small.
    mini_cutoff: u64,
    entries: Vec<OleEntry>,
    /// Bytes that may still be read. Many entries may name the same sectors.
    remaining_bytes: usize,
}

/// An entry of the directory: a stream or a storage.
#[derive(Debug)]
struct OleEntry {
    name: String,
    /// Number of the entry before it in the tree of its siblings.
    left: u32,
    /// Number of the entry after it in the tree of its siblings.
    right: u32,
    /// Number of the root of its children's tree.
    child: u32,
    /// First sector.
    start: u32,
    size: u64,
}

/// The number of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OleId(usize);

impl<'c> Ole<'c> {
    /// The storage that contains all others.
    pub const ROOT: OleId = OleId(0);

    /// Opens a container.
    pub fn open(content: &'c [u8]) -> Result<Self, EarlyStop> {
        let header = content.get(..HEADER_BYTES).ok_or(MALFORMED)?;
        // Sectors have 512 bytes, or 4096 in version 4.
        let sector_bytes = match u16_at(header, 30) {
            9 if header.starts_with(&OLE_MAGIC) => 1 << 9,
            12 if header.starts_with(&OLE_MAGIC) => 1 << 12,
            _ => return Err(MALFORMED),
        };
        let mut ole = Self {
            content,
            sector_bytes,
            table: Vec::new(),
            mini_table: Vec::new(),
            mini_stream: Vec::new(),
            mini_cutoff: u64::from(u32_at(header, 56)),
            entries: Vec::new(),
            remaining_bytes: content.len().saturating_mul(3),
        };
        ole.read_table(header);
        ole.read_directory(u32_at(header, 48))?;
        let mini_table = ole.chain(u32_at(header, 60), u64::MAX)?;
        ole.mini_table = numbers(&mini_table).collect();
        let (start, size) = ole
            .entries
            .first()
            .map_or((0, 0), |root| (root.start, root.size));
        ole.mini_stream = ole.chain(start, size)?;
        Ok(ole)
    }

    /// Returns the number of sectors in the file.
    fn sectors(&self) -> usize {
        self.content.len().div_ceil(self.sector_bytes)
    }

    /// Returns a sector; the last one may be shorter than the others.
    fn sector(&self, number: u32) -> Option<&'c [u8]> {
        let number = usize::try_from(number).ok()?;
        let start = number.checked_add(1)?.checked_mul(self.sector_bytes)?;
        let end = start.checked_add(self.sector_bytes)?;
        self.content.get(start..end.min(self.content.len()))
    }

    /// Reads the table of sectors. Its own sectors are named by the header, and those for which
    /// that has no room by a chain of sectors.
    fn read_table(&mut self, header: &[u8]) {
        let mut names: Vec<u32> = numbers(&header[TABLE_AT..]).collect();
        let mut next = u32_at(header, 68);
        for _ in 0..self.sectors() {
            let Some(sector) = self.sector(next).filter(|_| next <= LAST_SECTOR) else {
                break;
            };
            names.extend(numbers(sector));
            next = names.pop().unwrap_or(u32::MAX);
        }
        let sectors = self.sectors();
        for name in names.into_iter().filter(|name| *name <= LAST_SECTOR) {
            if self.table.len() >= sectors {
                break;
            }
            let sector = self.sector(name).unwrap_or_default();
            self.table.extend(numbers(sector));
        }
        self.table.truncate(sectors);
    }

    /// Reads the directory, whose first sector this is.
    fn read_directory(&mut self, start: u32) -> Result<(), EarlyStop> {
        let directory = self.chain(start, (OLE_ENTRIES * ENTRY_BYTES) as u64)?;
        let entries = directory.chunks_exact(ENTRY_BYTES);
        self.entries = entries.map(OleEntry::read).collect();
        if self.entries.is_empty() {
            return Err(MALFORMED);
        }
        Ok(())
    }

    /// Returns the bytes of a chain of sectors, at most `size`.
    fn chain(&mut self, start: u32, size: u64) -> Result<Vec<u8>, EarlyStop> {
        let size = usize::try_from(size).unwrap_or(usize::MAX);
        let (mut bytes, mut next) = (Vec::new(), start);
        // A chain without a circle has no more sectors than the table.
        for _ in 0..self.table.len() {
            let Some(sector) = self.sector(next).filter(|_| bytes.len() < size) else {
                break;
            };
            let taken = &sector[..sector.len().min(size - bytes.len())];
            self.charge(taken.len())?;
            bytes.extend_from_slice(taken);
            next = usize::try_from(next)
                .ok()
                .and_then(|at| self.table.get(at).copied())
                .unwrap_or(u32::MAX);
        }
        Ok(bytes)
    }

    /// Returns the bytes of a small stream.
    fn mini_chain(&mut self, start: u32, size: u64) -> Result<Vec<u8>, EarlyStop> {
        let size = usize::try_from(size).unwrap_or(usize::MAX);
        let (mut bytes, mut next) = (Vec::new(), start);
        for _ in 0..self.mini_table.len() {
            let Ok(at) = usize::try_from(next) else { break };
            let begin = at.saturating_mul(MINI_SECTOR_BYTES);
            let end = begin.saturating_add(MINI_SECTOR_BYTES.min(size - bytes.len()));
            let end = end.min(self.mini_stream.len());
            if begin >= end {
                break;
            }
            self.charge(end - begin)?;
            bytes.extend_from_slice(&self.mini_stream[begin..end]);
            next = self.mini_table.get(at).copied().unwrap_or(u32::MAX);
        }
        Ok(bytes)
    }

    /// Counts bytes that are read.
    fn charge(&mut self, bytes: usize) -> Result<(), EarlyStop> {
        self.remaining_bytes = self.remaining_bytes.checked_sub(bytes).ok_or(MALFORMED)?;
        Ok(())
    }

    /// Returns the entries in a storage, in no particular order.
    pub fn children(&self, parent: OleId) -> Vec<OleId> {
        let mut children = Vec::new();
        let mut seen = BTreeSet::new();
        let mut open: Vec<u32> = self
            .entry(parent)
            .map(|entry| entry.child)
            .into_iter()
            .collect();
        while let Some(number) = open.pop() {
            let Ok(id) = usize::try_from(number).map(OleId) else {
                continue;
            };
            // The siblings form a tree, but may name each other in a circle, or the root.
            if let Some(entry) = self.entry(id).filter(|_| id != Self::ROOT)
                && seen.insert(number)
            {
                open.extend([entry.left, entry.right]);
                if !entry.name.is_empty() {
                    children.push(id);
                }
            }
        }
        children
    }

    /// Returns the entry with this name in a storage.
    pub fn child(&self, parent: OleId, name: &str) -> Option<OleId> {
        self.children(parent)
            .into_iter()
            .find(|id| self.name(*id).eq_ignore_ascii_case(name))
    }

    /// Returns the name of an entry.
    pub fn name(&self, id: OleId) -> &str {
        self.entry(id).map_or("", |entry| &entry.name)
    }

    /// Returns the bytes of a stream, as far as the file contains them.
    pub fn stream(&mut self, id: OleId) -> Result<Vec<u8>, EarlyStop> {
        let (start, size) = self
            .entry(id)
            .map_or((u32::MAX, 0), |entry| (entry.start, entry.size));
        if size < self.mini_cutoff {
            self.mini_chain(start, size)
        } else {
            self.chain(start, size)
        }
    }

    /// Returns true if a stream has more bytes than were found.
    pub fn is_cut(&self, id: OleId, found: usize) -> bool {
        self.entry(id)
            .is_some_and(|entry| entry.size > found as u64)
    }

    /// Returns the number of bytes that a stream claims, at most that of the file.
    pub fn length(&self, id: OleId) -> usize {
        let size = self.entry(id).map_or(0, |entry| entry.size);
        usize::try_from(size).map_or(self.content.len(), |size| size.min(self.content.len()))
    }

    fn entry(&self, id: OleId) -> Option<&OleEntry> {
        self.entries.get(id.0)
    }
}

impl OleEntry {
    /// Reads an entry of the directory.
    fn read(bytes: &[u8]) -> Self {
        let units = bytes[..64].chunks_exact(2).map(|unit| u16_at(unit, 0));
        let name = char::decode_utf16(units.take_while(|unit| *unit != 0));
        let is_stream = bytes[66] == 2;
        Self {
            name: name.flatten().collect(),
            left: u32_at(bytes, 68),
            right: u32_at(bytes, 72),
            child: if is_stream {
                u32::MAX
            } else {
                u32_at(bytes, 76)
            },
            start: u32_at(bytes, 116),
            // The upper half is undefined in containers with sectors of 512 bytes.
            size: u64::from(u32_at(bytes, 120)),
        }
    }
}

/// Returns the numbers of four bytes in a sector.
fn numbers(bytes: &[u8]) -> impl Iterator<Item = u32> {
    bytes.chunks_exact(4).map(|number| u32_at(number, 0))
}

/// Returns the number of two bytes at an offset, or 0.
pub fn u16_at(bytes: &[u8], at: usize) -> u16 {
    let number = bytes.get(at..).and_then(|rest| rest.first_chunk());
    number.map_or(0, |number| u16::from_le_bytes(*number))
}

/// Returns the number of four bytes at an offset, or 0.
pub fn u32_at(bytes: &[u8], at: usize) -> u32 {
    let number = bytes.get(at..).and_then(|rest| rest.first_chunk());
    number.map_or(0, |number| u32::from_le_bytes(*number))
}
