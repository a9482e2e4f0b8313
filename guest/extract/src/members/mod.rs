//! Members of containers: the files of an archive, the attachments of a message, the messages of a
//! mailbox, and the pictures of a document.

mod archive;
mod mail;
mod names;

use crate::Format;
use crate::detect::detect;
use crate::failure::{EarlyStop, Failure};
use crate::limits::{Limits, MEMBERS};

use names::MemberNames;

/// A file within a container.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// Path within the container, unique in it: components without control characters, none of
    /// them empty, `.` or `..`, separated by `/`.
    pub path: String,
    /// All its bytes.
    pub content: Vec<u8>,
}

/// The members of a container.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Members {
    /// Members that are read, in the order of the container.
    pub members: Vec<Member>,
    /// Number of those that are not: they need a password, are damaged, or are too many.
    pub omitted: usize,
}

/// Reads the members of a container with the file name extension `extension`, in lower case:
/// at most 500, of `limits.unpacked_bytes` together. A member that is a container itself
/// is not opened.
///
/// # Errors
/// [`Failure::Unsupported`] if the file is no container; [`Failure::TooLarge`] if its members
/// exceed the limits; otherwise the reason that it cannot be read.
pub fn unpack(extension: &str, content: &[u8], limits: &Limits) -> Result<Members, Failure> {
    let mut gathered = MemberGatherer::new(limits);
    let read = match detect(extension, content, limits) {
        Ok(Format::Eml) => mail::gather_attachments(content, &mut gathered),
        Ok(Format::Mbox) => mail::gather_messages(content, &mut gathered),
        Ok(Format::Msg) => crate::msg::gather_attachments(content, &mut gathered),
        Ok(Format::Html | Format::Ipynb | Format::Rtf | Format::Pdf | Format::Hwp) => {
            Err(EarlyStop::Failed(Failure::Unsupported("no container")))
        }
        Ok(_) => archive::gather_pictures(content, limits, &mut gathered),
        // An archive of any other kind.
        Err(_) if archive::is_archive(content) => {
            archive::gather_files(content, limits, &mut gathered)
        }
        Err(failure) => Err(EarlyStop::Failed(failure)),
    };
    match read {
        Ok(()) => Ok(gathered.members),
        Err(EarlyStop::Full) => Err(Failure::TooLarge),
        Err(EarlyStop::Failed(failure)) => Err(failure),
    }
}

/// Returns false if a document of a known format is certain to have no members. Only messages are
/// examined: nothing else is opened to look for attachments.
#[must_use]
pub fn may_have_members(format: Format, content: &[u8]) -> bool {
    match format {
        Format::Eml => mail::has_attachments(content),
        Format::Msg => crate::msg::has_attachments(content),
        _ => true,
    }
}

/// Collects members within the limits.
#[derive(Debug)]
pub struct MemberGatherer {
    members: Members,
    names: MemberNames,
    /// Bytes that further members may have.
    remaining_bytes: u64,
}

impl MemberGatherer {
    fn new(limits: &Limits) -> Self {
        Self {
            members: Members::default(),
            names: MemberNames::default(),
            remaining_bytes: limits.unpacked_bytes,
        }
    }

    /// Returns true if no further member is read.
    pub fn is_full(&self) -> bool {
        self.members.members.len() >= MEMBERS
    }

    /// Returns the bytes that the next member may have.
    pub fn room(&self) -> usize {
        usize::try_from(self.remaining_bytes).unwrap_or(usize::MAX)
    }

    /// Adds a member under a path that its container gives it.
    ///
    /// # Errors
    /// [`EarlyStop::Full`] if there is no room for it.
    pub fn push(&mut self, path: &str, content: Vec<u8>) -> Result<(), EarlyStop> {
        let Some(rest) = self.remaining_bytes.checked_sub(content.len() as u64) else {
            return Err(EarlyStop::Full);
        };
        match self.names.unique_path(path).filter(|_| !self.is_full()) {
            Some(path) => {
                self.remaining_bytes = rest;
                self.members.members.push(Member { path, content });
            }
            None => self.omit(),
        }
        Ok(())
    }

    /// Counts a member that is not read.
    pub fn omit(&mut self) {
        self.members.omitted += 1;
    }
}
