//! The parts of a presentation by their ids. A program that saves a file may only append the parts
//! that have changed, with a directory of them, so that earlier versions stay in the file.

use std::collections::{BTreeMap, BTreeSet};

use super::records::{PptRecord, PptRecords, kind};
use crate::ole::u32_at;

/// Mark of an encrypted file in the stream of the current user.
const ENCRYPTED: u32 = 0xF3D1_C4DF;

/// Bits of an id in a directory; the others are a number of offsets.
const ID_BITS: u32 = 20;

/// The offsets of the parts in the stream.
#[derive(Debug, Default)]
pub struct PersistOffsets {
    offsets: BTreeMap<u32, u32>,
    /// Id of the document.
    document: u32,
    /// Id of the keys; 0 if the file is not encrypted.
    keys: u32,
    /// True if a directory is missing.
    pub is_damaged: bool,
}

impl PersistOffsets {
    /// Reads the directories of all savings.
    pub fn read(stream: &[u8], current_user: &[u8]) -> Self {
        let last = u32_at(current_user, 16);
        let found = Self::from_edit(stream, last);
        if found.document(stream).is_some() {
            return found;
        }
        let last = last_edit(stream);
        Self {
            is_damaged: true,
            ..last.map_or_else(Self::default, |last| Self::from_edit(stream, last))
        }
    }

    /// Reads the directories of the saving at an offset, and of those before it.
    fn from_edit(stream: &[u8], last: u32) -> Self {
        let mut all = Self::default();
        let mut seen = BTreeSet::new();
        // Directories may overlap: each of a million savings could name one of megabytes.
        let mut remaining = stream.len();
        let mut next = last;
        while seen.insert(next) {
            let edit = PptRecord::at(stream, next).filter(|edit| edit.kind == kind::USER_EDIT);
            let directory = edit.and_then(|edit| {
                let directory = PptRecord::at(stream, edit.u32(12))?;
                let is_directory = directory.kind == kind::PERSIST_DIRECTORY;
                remaining = remaining.checked_sub(directory.content.len())?;
                is_directory.then_some((edit, directory))
            });
            let Some((edit, directory)) = directory else {
                all.is_damaged = true;
                break;
            };
            if seen.len() == 1 {
                all.document = edit.u32(16);
                all.keys = edit.u32(28);
            }
            all.is_damaged |= directory.is_cut;
            all.add(&directory);
            next = edit.u32(8);
            if next == 0 {
                break;
            }
        }
        all
    }

    /// Adds the offsets of a directory, unless later ones are known.
    fn add(&mut self, directory: &PptRecord<'_>) {
        let mut at = 0;
        while at + 4 <= directory.content.len() {
            let head = directory.u32(at);
            let first = head & ((1 << ID_BITS) - 1);
            at += 4;
            for id in first..first + (head >> ID_BITS) {
                if at + 4 > directory.content.len() {
                    return;
                }
                self.offsets.entry(id).or_insert(directory.u32(at));
                at += 4;
            }
        }
    }

    /// Returns the part with this id.
    pub fn part<'s>(&self, stream: &'s [u8], id: u32) -> Option<PptRecord<'s>> {
        PptRecord::at(stream, *self.offsets.get(&id)?)
    }

    /// Returns the document.
    pub fn document<'s>(&self, stream: &'s [u8]) -> Option<PptRecord<'s>> {
        let part = self.part(stream, self.document)?;
        (part.kind == kind::DOCUMENT).then_some(part)
    }

    /// Returns true if the parts are encrypted.
    pub fn is_encrypted(&self, stream: &[u8], current_user: &[u8]) -> bool {
        let keys = self.part(stream, self.keys).filter(|_| self.keys != 0);
        u32_at(current_user, 12) == ENCRYPTED
            || keys.is_some_and(|keys| keys.kind == kind::CRYPT_SESSION)
    }
}

/// Returns the offset of the last saving in a stream.
fn last_edit(stream: &[u8]) -> Option<u32> {
    let mut records = PptRecords::new(stream);
    let mut last = None;
    loop {
        let offset = records.offset();
        let Some(record) = records.next() else {
            return last;
        };
        if record.kind == kind::USER_EDIT {
            last = u32::try_from(offset).ok();
        }
    }
}
