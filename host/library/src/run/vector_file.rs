//! Vectors on disk: one file for each model, to which records are only ever added.
//!
//! A record has a checksum of its own. What is torn or damaged, and all behind it, is cut off when
//! the file is opened by who may add to it, and left out by all others: it is made again when it is
//! asked for. One program at a time adds; others read what is there when they begin.
//!
//! A file is `MAGIC`, the numbers of a vector, the model's key, and their checksum; a record the
//! key of its text, the length of its place, the place, the vector, and their checksum. Numbers are
//! little-endian.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

/// What files of this form begin with.
const MAGIC: &[u8; 12] = b"docent vec 1";

/// Bytes of a key.
pub(crate) const KEY_BYTES: usize = 16;

/// Bytes before the first record.
const HEAD_BYTES: usize = MAGIC.len() + 4 + KEY_BYTES + 4;

/// Bytes of a place that are kept; the vector of a text that stands deeper is not written.
const PLACE_BYTES: usize = 8 << 10;

/// Bytes of a file that are read: what is behind them is left out, and goes when the file is made
/// anew.
const FILE_BYTES: u64 = 256 << 20;

/// Records that a file may hold before it is made anew, whatever is dead of them.
const FEW: usize = 1_000;

/// A vector as it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Record {
    /// What it goes by.
    pub(crate) key: [u8; KEY_BYTES],
    /// Where its text stood.
    pub(crate) place: Box<str>,
    /// The vector.
    pub(crate) vector: Box<[i8]>,
}

/// The file of one model, as long as this program adds to it.
pub(crate) struct VectorFile {
    path: PathBuf,
    file: File,
    /// Holds the lock. A file of its own, for the other is replaced when it is made anew.
    _lock: File,
    model: [u8; KEY_BYTES],
    dimensions: usize,
    /// Records in the file, dead ones included.
    records: usize,
}

/// Reads the file of a model in `directory`. Returns the records, in the order in which they were
/// added, and who may add to them: none where another program does, or nothing can be written.
///
/// # Errors
/// When the directory cannot be made, or the file not be read.
pub(crate) fn open_ambient(
    directory: &Path,
    model: [u8; KEY_BYTES],
    dimensions: usize,
) -> io::Result<(Vec<Record>, Option<VectorFile>)> {
    make_private(directory)?;
    let name: String = model.iter().map(|byte| format!("{byte:02x}")).collect();
    let path = directory.join(format!("{name}.vectors"));
    let lock = directory.join(format!("{name}.lock"));
    let lock = options()
        .write(true)
        .create(true)
        .truncate(false)
        .open(lock)?;
    let is_ours = match lock.try_lock() {
        Ok(()) => true,
        Err(TryLockError::WouldBlock) => false,
        // Where nothing can be locked nothing is written.
        Err(TryLockError::Error(_)) => false,
    };
    if !is_ours {
        let bytes = match File::open(&path) {
            Ok(file) => read(&file)?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
            Err(error) => return Err(error),
        };
        return Ok((parse(&bytes, model, dimensions).0, None));
    }
    let mut options = options();
    let options = options.read(true).write(true).create(true).truncate(false);
    let mut file = options.open(&path)?;
    let (records, whole) = parse(&read(&file)?, model, dimensions);
    file.set_len(whole as u64)?;
    file.seek(SeekFrom::Start(whole as u64))?;
    if whole == 0 {
        file.write_all(&head(model, dimensions))?;
    }
    let number = records.len();
    Ok((
        records,
        Some(VectorFile {
            path,
            file,
            _lock: lock,
            model,
            dimensions,
            records: number,
        }),
    ))
}

fn options() -> OpenOptions {
    let mut options = OpenOptions::new();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

/// Makes a directory that only its owner can enter.
fn make_private(directory: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(directory)
}

fn read(file: &File) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.take(FILE_BYTES).read_to_end(&mut bytes)?;
    Ok(bytes)
}

impl VectorFile {
    /// Adds records at the end, in one write.
    ///
    /// # Errors
    /// What the system says. A part may have been written, which is cut off when the file is opened
    /// again; until then nothing more may be added.
    pub(crate) fn append(&mut self, records: &[Record]) -> io::Result<()> {
        let mut bytes = Vec::new();
        for record in records {
            self.records += usize::from(put(&mut bytes, record, self.dimensions));
        }
        self.file.write_all(&bytes)
    }

    /// Whether more than half of the records are dead where so many are alive.
    pub(crate) fn is_worn(&self, alive: usize) -> bool {
        self.records > FEW && self.records / 2 > alive
    }

    /// Makes the file anew, of these records.
    ///
    /// # Errors
    /// What the system says; the old file is then as it was.
    pub(crate) fn renew<'r>(
        &mut self,
        records: impl Iterator<Item = &'r Record>,
    ) -> io::Result<()> {
        let mut bytes = head(self.model, self.dimensions);
        let mut number = 0;
        for record in records {
            number += usize::from(put(&mut bytes, record, self.dimensions));
        }
        let new = self.path.with_extension("new");
        let mut options = options();
        let mut file = options.write(true).create(true).truncate(true).open(&new)?;
        file.write_all(&bytes)?;
        // Before it has the name: a loss of power must not leave a file of nothing.
        file.sync_all()?;
        fs::rename(&new, &self.path)?;
        (self.file, self.records) = (file, number);
        Ok(())
    }
}

fn head(model: [u8; KEY_BYTES], dimensions: usize) -> Vec<u8> {
    let mut bytes = MAGIC.to_vec();
    bytes.extend((dimensions as u32).to_le_bytes());
    bytes.extend(model);
    let sum = checksum(&bytes);
    bytes.extend(sum.to_le_bytes());
    bytes
}

/// Writes a record behind `bytes`, if it can be written.
fn put(bytes: &mut Vec<u8>, record: &Record, dimensions: usize) -> bool {
    if record.place.len() > PLACE_BYTES || record.vector.len() != dimensions {
        return false;
    }
    let start = bytes.len();
    bytes.extend(record.key);
    bytes.extend((record.place.len() as u32).to_le_bytes());
    bytes.extend(record.place.as_bytes());
    bytes.extend(record.vector.iter().map(|number| number.cast_unsigned()));
    let sum = checksum(&bytes[start..]);
    bytes.extend(sum.to_le_bytes());
    true
}

/// Returns the records of a file up to the first that is torn or damaged, and where that begins; 0
/// where the head is not that of the model.
fn parse(bytes: &[u8], model: [u8; KEY_BYTES], dimensions: usize) -> (Vec<Record>, usize) {
    if !bytes.starts_with(&head(model, dimensions)) {
        return (Vec::new(), 0);
    }
    let mut records = Vec::new();
    let mut rest = &bytes[HEAD_BYTES..];
    while let Some((record, behind)) = record(rest, dimensions) {
        records.push(record);
        rest = behind;
    }
    (records, bytes.len() - rest.len())
}

fn record(bytes: &[u8], dimensions: usize) -> Option<(Record, &[u8])> {
    let (key, rest) = bytes.split_first_chunk::<KEY_BYTES>()?;
    let (length, rest) = rest.split_first_chunk()?;
    let length = u32::from_le_bytes(*length) as usize;
    if length > PLACE_BYTES {
        return None;
    }
    let (place, rest) = rest.split_at_checked(length)?;
    let (vector, rest) = rest.split_at_checked(dimensions)?;
    let written = &bytes[..bytes.len() - rest.len()];
    let (sum, rest) = rest.split_first_chunk()?;
    if checksum(written) != u32::from_le_bytes(*sum) {
        return None;
    }
    let record = Record {
        key: *key,
        place: std::str::from_utf8(place).ok()?.into(),
        vector: vector.iter().map(|byte| byte.cast_signed()).collect(),
    };
    Some((record, rest))
}

/// Returns the CRC-32 of some bytes, as in IEEE 802.3.
fn checksum(bytes: &[u8]) -> u32 {
    const TABLE: [u32; 256] = {
        let mut table = [0; 256];
        let mut index = 0;
        while index < 256 {
            let mut value = index as u32;
            let mut bit = 0;
            while bit < 8 {
                let carry = value & 1;
                value = (value >> 1) ^ (0xEDB8_8320 * carry);
                bit += 1;
            }
            table[index] = value;
            index += 1;
        }
        table
    };
    let step = |sum: u32, byte: &u8| (sum >> 8) ^ TABLE[((sum ^ u32::from(*byte)) & 0xFF) as usize];
    !bytes.iter().fold(!0, step)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MODEL: [u8; KEY_BYTES] = [7; KEY_BYTES];

    /// A directory of its own, which is removed.
    struct Home(PathBuf);

    impl Home {
        fn new(name: &str) -> Self {
            let home = std::env::temp_dir().join(format!("docent-{name}-{}", std::process::id()));
            let _ = fs::remove_dir_all(&home);
            Self(home)
        }

        fn open(&self) -> (Vec<Record>, Option<VectorFile>) {
            open_ambient(&self.0, MODEL, 3).unwrap()
        }

        fn file(&self) -> PathBuf {
            self.0.join(format!("{}.vectors", "07".repeat(KEY_BYTES)))
        }
    }

    impl Drop for Home {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    fn records(number: u8) -> Vec<Record> {
        let record = |number: u8| Record {
            key: [number; KEY_BYTES],
            place: format!("docs\n문서 {number}.md\n0").into(),
            vector: Box::new([number.cast_signed(), -1, 127]),
        };
        (0..number).map(record).collect()
    }

    #[test]
    fn what_is_added_is_there_again() {
        let home = Home::new("added");
        let (before, file) = home.open();
        assert!(before.is_empty());
        let mut file = file.unwrap();
        let all = records(9);
        file.append(&all[..4]).unwrap();
        file.append(&[]).unwrap();
        file.append(&all[4..]).unwrap();
        // Who comes second reads, and adds nothing.
        let (read, second) = home.open();
        assert_eq!(read, all);
        assert!(second.is_none());
        drop(file);
        let (read, file) = home.open();
        assert_eq!(read, all);
        assert!(file.is_some());
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
            assert_eq!((mode(&home.0), mode(&home.file())), (0o700, 0o600));
        }
    }

    #[test]
    fn what_does_not_fit_is_not_written() {
        let home = Home::new("unfit");
        let mut file = home.open().1.unwrap();
        let mut all = records(3);
        all[0].place = "x".repeat(PLACE_BYTES + 1).into();
        all[1].vector = Box::new([1]);
        file.append(&all).unwrap();
        assert_eq!(home.open().0, all[2..]);
    }

    #[test]
    fn damaged_at_every_byte_it_gives_nothing_that_was_not_written() {
        let home = Home::new("damaged");
        let all = records(5);
        home.open().1.unwrap().append(&all).unwrap();
        let whole = fs::read(home.file()).unwrap();
        let record_bytes = (whole.len() - HEAD_BYTES) / all.len();
        for at in 0..whole.len() {
            for bit in 0..8 {
                let mut damaged = whole.clone();
                damaged[at] ^= 1 << bit;
                let (read, end) = parse(&damaged, MODEL, 3);
                let before = at.checked_sub(HEAD_BYTES).map_or(0, |at| at / record_bytes);
                assert_eq!(read, all[..before], "{at} {bit}");
                let expected = if at < HEAD_BYTES {
                    0
                } else {
                    HEAD_BYTES + before * record_bytes
                };
                assert_eq!(end, expected);
            }
        }
    }

    #[test]
    fn torn_anywhere_it_is_cut_and_goes_on() {
        let home = Home::new("torn");
        let all = records(3);
        home.open().1.unwrap().append(&all).unwrap();
        let whole = fs::read(home.file()).unwrap();
        let record_bytes = (whole.len() - HEAD_BYTES) / all.len();
        for end in 0..=whole.len() {
            fs::write(home.file(), &whole[..end]).unwrap();
            let (read, file) = home.open();
            let kept = end.saturating_sub(HEAD_BYTES) / record_bytes;
            assert_eq!(read, all[..kept], "{end}");
            file.unwrap().append(&all[kept..]).unwrap();
            assert_eq!(fs::read(home.file()).unwrap(), whole, "{end}");
        }
    }

    #[test]
    fn another_model_or_length_is_another_file() {
        let home = Home::new("another");
        home.open().1.unwrap().append(&records(3)).unwrap();
        assert!(
            open_ambient(&home.0, [8; KEY_BYTES], 3)
                .unwrap()
                .0
                .is_empty()
        );
        assert_eq!(home.open().0.len(), 3);
        // The same name with another content is begun anew.
        assert!(open_ambient(&home.0, MODEL, 2).unwrap().0.is_empty());
        assert!(home.open().0.is_empty());
    }

    #[test]
    fn a_worn_file_is_made_anew() {
        let home = Home::new("worn");
        let mut file = home.open().1.unwrap();
        let all = records(200);
        for _ in 0..8 {
            file.append(&all).unwrap();
        }
        assert!(file.is_worn(all.len()) && !file.is_worn(1_000));
        let before = fs::metadata(home.file()).unwrap().len();
        file.renew(all.iter()).unwrap();
        assert!(!file.is_worn(0));
        assert!(fs::metadata(home.file()).unwrap().len() < before / 7);
        file.append(&all[..1]).unwrap();
        assert!(home.open().1.is_none());
        drop(file);
        let (read, file) = home.open();
        assert_eq!((read.len(), &read[200]), (201, &all[0]));
        assert!(file.is_some());
    }

    #[test]
    fn a_checksum_is_that_of_the_standard() {
        assert_eq!(checksum(b"123456789"), 0xCBF4_3926);
    }
}
