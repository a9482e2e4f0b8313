//! Members of zip archives, and the pictures in documents that are such archives.

use std::io::{Cursor, ErrorKind, Read as _};

use zip::ZipArchive;
use zip::result::ZipError;

use crate::encoding;
use crate::failure::{EarlyStop, Failure};
use crate::limits::{Limits, MEMBER_BYTES, MEMBERS};
use crate::odf;
use crate::package::Package;
use crate::pictures::{file_name, picture_parts};

use super::MemberGatherer;

/// Returns true if a file begins as a zip archive does; an empty one has a directory alone.
pub fn is_archive(content: &[u8]) -> bool {
    content.starts_with(b"PK\x03\x04") || content.starts_with(b"PK\x05\x06")
}

/// Gathers the files of an archive.
pub fn gather_files(
    content: &[u8],
    _limits: &Limits,
    members: &mut MemberGatherer<'_>,
) -> Result<(), EarlyStop> {
    const MALFORMED: EarlyStop = EarlyStop::Failed(Failure::Malformed);
    let mut archive = ZipArchive::new(Cursor::new(content)).map_err(|_| MALFORMED)?;
    let names = file_names(&mut archive);
    for (index, name) in names.into_iter().enumerate() {
        let Some((name, claimed)) = name else {
            continue;
        };
        // One that is damaged or needs a password does not cost the others.
        let read = |room| read_file(&mut archive, index, room);
        members.add(&name, Some(claimed), read)?;
    }
    Ok(())
}

/// Returns the bytes of a file of an archive, at most `room`.
fn read_file(
    archive: &mut ZipArchive<Cursor<&[u8]>>,
    index: usize,
    room: usize,
) -> Result<Vec<u8>, EarlyStop> {
    let file = archive.by_index(index).map_err(|error| {
        EarlyStop::Failed(match error {
            ZipError::UnsupportedArchive(ZipError::PASSWORD_REQUIRED) => Failure::Encrypted,
            ZipError::UnsupportedArchive(_) => {
                Failure::Unsupported("a file that is packed in another way")
            }
            _ => Failure::Malformed,
        })
    })?;
    let most = (room as u64).min(MEMBER_BYTES);
    let mut bytes = Vec::new();
    let read = file.take(most + 1).read_to_end(&mut bytes);
    if bytes.len() as u64 > most {
        return Err(EarlyStop::Full);
    }
    match read {
        Ok(_) => Ok(bytes),
        // A buffer of `most` bytes doubles before the byte beyond them is read.
        Err(error) if error.kind() == ErrorKind::OutOfMemory => Err(EarlyStop::Full),
        Err(_) => Err(EarlyStop::Failed(Failure::Malformed)),
    }
}

/// Returns the names of the entries and the sizes that the archive claims for them, or `None` for
/// directories. Names that are not said to be in UTF-8 are in the encoding of the machine that
/// wrote them: of all of them together it is guessed.
fn file_names(archive: &mut ZipArchive<Cursor<&[u8]>>) -> Vec<Option<(String, u64)>> {
    let mut raw: Vec<Option<(Vec<u8>, u64)>> = Vec::new();
    for index in 0..archive.len() {
        let entry = archive.by_index_raw(index).ok();
        let file = entry.filter(|entry| entry.is_file() && !entry.is_symlink());
        raw.push(file.map(|file| (file.name_raw().to_vec(), file.size())));
    }
    let known: Vec<&[u8]> = raw
        .iter()
        .flatten()
        .map(|(name, _)| name.as_slice())
        .take(MEMBERS)
        .collect();
    let guessed = encoding::guess_encoding(&known.join(&b'\n'));
    let decode = |(name, size): (Vec<u8>, u64)| {
        let name = match String::from_utf8(name) {
            Ok(name) => name,
            Err(error) => encoding::decode_as(guessed, error.as_bytes()).into_owned(),
        };
        (name, size)
    };
    raw.into_iter().map(|entry| entry.map(decode)).collect()
}

/// Gathers the pictures of a document by their file names: `image3.png` for `ppt/media/image3.png`.
///
/// # Errors
/// [`Failure::Malformed`] if no part of the document is left; [`EarlyStop::Full`] if there is no
/// room for the pictures.
pub fn gather_pictures(
    content: &[u8],
    limits: &Limits,
    members: &mut MemberGatherer<'_>,
) -> Result<(), EarlyStop> {
    let mut package = match Package::open(content, limits) {
        Ok(package) => package,
        Err(_) if odf::flat_format(content).is_some() => return Ok(()),
        // The text of a damaged document names its pictures as well.
        Err(_) => Package::salvage(content, limits),
    };
    if package.names().next().is_none() {
        return Err(EarlyStop::Failed(Failure::Malformed));
    }
    let parts: Vec<String> = picture_parts(&package).collect();
    for name in parts {
        members.add(file_name(&name), None, |_| {
            match package.bytes(&name) {
                Ok(Some(bytes)) => Ok(bytes),
                Ok(None) => Err(EarlyStop::Failed(Failure::Malformed)),
                // Too many bytes of pictures do not cost the pictures before them.
                Err(EarlyStop::Full) => Err(EarlyStop::Failed(Failure::TooLarge)),
                Err(failed) => Err(failed),
            }
        })?;
    }
    Ok(())
}
