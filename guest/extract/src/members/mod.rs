//! Members of containers: the files of an archive, the attachments of a message, the messages of a
//! mailbox, the pictures of a document, and the text of a notebook.

mod archive;
mod mail;
mod names;

use std::collections::HashSet;

use crate::Format;
use crate::detect::detect;
use crate::failure::{EarlyStop, Failure};
use crate::ipynb::is_notebook;
use crate::limits::{Limits, MEMBERS};

pub use names::MemberNames;

/// Name of the member of a notebook that is its own text: read under the notebook's name, it would
/// be the cells.
const NOTEBOOK_TEXT: &str = "notebook.json";

/// A file within a container.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// Path within the container, unique in it: components without control characters, none of
    /// them empty, `.` or `..`, separated by `/`.
    pub path: String,
    /// All its bytes, or the reason that it alone cannot be read.
    pub content: Result<Vec<u8>, Failure>,
}

/// A member as its container lists it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedMember {
    /// Path within the container, as that of [`Member`].
    pub path: String,
    /// Its size unpacked, as the container claims it; none if the container does not say.
    pub claimed_bytes: Option<u64>,
}

/// The members that a container lists.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MemberList {
    /// Members that [`unpack`] returns, in its order.
    pub members: Vec<ListedMember>,
    /// Number of further ones: they are too many, or have no usable path.
    pub omitted: usize,
}

/// Lists the members of a container with the file name extension `extension`, in lower case: at
/// most 500. None is unpacked.
///
/// # Errors
/// [`Failure::Unsupported`] if the file is no container; otherwise the reason that it cannot be
/// read.
pub fn list_members(
    extension: &str,
    content: &[u8],
    limits: &Limits,
) -> Result<MemberList, Failure> {
    let gathered = gather(extension, content, limits, Purpose::List)?;
    Ok(MemberList {
        members: gathered.listed,
        omitted: gathered.omitted,
    })
}

/// Reads the members of a container with the file name extension `extension`, in lower case: of
/// those that [`list_members`] lists the ones with one of `paths`, or all if there are no `paths`.
/// They have at most `limits.unpacked_bytes` together. A member that is a container itself is not
/// opened.
///
/// # Errors
/// [`Failure::Unsupported`] if the file is no container; [`Failure::TooLarge`] if the members
/// exceed the limits; otherwise the reason that it cannot be read.
pub fn unpack(
    extension: &str,
    content: &[u8],
    paths: Option<&[String]>,
    limits: &Limits,
) -> Result<Vec<Member>, Failure> {
    let purpose = match paths {
        Some(paths) => Purpose::UnpackSome(paths.iter().map(String::as_str).collect()),
        None => Purpose::UnpackAll,
    };
    Ok(gather(extension, content, limits, purpose)?.unpacked)
}

fn gather<'p>(
    extension: &str,
    content: &[u8],
    limits: &Limits,
    purpose: Purpose<'p>,
) -> Result<MemberGatherer<'p>, Failure> {
    let mut gathered = MemberGatherer::new(limits, purpose);
    let read = match detect(extension, content, limits) {
        Ok(Format::Eml) => mail::gather_attachments(content, &mut gathered),
        Ok(Format::Mbox) => mail::gather_messages(content, &mut gathered),
        Ok(Format::Msg) => crate::msg::gather_attachments(content, &mut gathered),
        Ok(Format::Hwp) => crate::hwp::gather_pictures(content, limits, &mut gathered),
        Ok(Format::Xls) => crate::xls::gather_pictures(content, &mut gathered),
        Ok(Format::Doc) => crate::doc::gather_pictures(content, &mut gathered),
        Ok(Format::Ppt) => crate::ppt::gather_pictures(content, &mut gathered),
        Ok(Format::Rtf) => crate::rtf::gather_pictures(content, &mut gathered),
        Ok(Format::Ipynb) if is_notebook(content) => {
            gathered.add(NOTEBOOK_TEXT, Some(content.len() as u64), |most| {
                match content.len() <= most {
                    true => Ok(content.to_vec()),
                    false => Err(EarlyStop::Full),
                }
            })
        }
        Ok(Format::Html | Format::Ipynb | Format::Pdf) => {
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
        Ok(()) => Ok(gathered),
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

/// Returns a copy of the bytes of a member; `None` if they are damaged.
///
/// # Errors
/// [`Failure::Malformed`] if there are none; [`Failure::TooLarge`] if there are more than `room`.
pub fn copy_within(bytes: Option<&[u8]>, room: usize) -> Result<Vec<u8>, EarlyStop> {
    match bytes {
        None => Err(EarlyStop::Failed(Failure::Malformed)),
        Some(bytes) if bytes.len() > room => Err(EarlyStop::Failed(Failure::TooLarge)),
        Some(bytes) => Ok(bytes.to_vec()),
    }
}

/// The purpose for which members are gathered.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Purpose<'p> {
    /// Their paths.
    List,
    /// The contents of those with one of these paths.
    UnpackSome(HashSet<&'p str>),
    /// The contents of all.
    UnpackAll,
}

impl Purpose<'_> {
    /// Returns true if the content of the member at `path` is needed.
    fn needs_content(&self, path: &str) -> bool {
        match self {
            Self::List => false,
            Self::UnpackSome(paths) => paths.contains(path),
            Self::UnpackAll => true,
        }
    }
}

/// Collects members within the limits.
#[derive(Debug)]
pub struct MemberGatherer<'p> {
    purpose: Purpose<'p>,
    listed: Vec<ListedMember>,
    unpacked: Vec<Member>,
    omitted: usize,
    names: MemberNames,
    /// Bytes that further members may have.
    remaining_bytes: u64,
}

impl<'p> MemberGatherer<'p> {
    fn new(limits: &Limits, purpose: Purpose<'p>) -> Self {
        Self {
            purpose,
            listed: Vec::new(),
            unpacked: Vec::new(),
            omitted: 0,
            names: MemberNames::default(),
            remaining_bytes: limits.unpacked_bytes,
        }
    }

    /// Returns true if no further member is added.
    pub fn is_full(&self) -> bool {
        self.listed.len() >= MEMBERS
    }

    /// Adds a member under a path that its container gives it, unless it is one too many. `read`
    /// returns its bytes, at most as many as its argument; it is not called for a member whose
    /// content is not needed. The path does not depend on the bytes, so that a list names what is
    /// unpacked.
    ///
    /// # Errors
    /// [`EarlyStop::Full`] if there is no room for it.
    pub fn add(
        &mut self,
        path: &str,
        claimed_bytes: Option<u64>,
        read: impl FnOnce(usize) -> Result<Vec<u8>, EarlyStop>,
    ) -> Result<(), EarlyStop> {
        let is_full = self.is_full();
        let path = (!is_full).then(|| self.names.unique_path(path)).flatten();
        let Some(path) = path else {
            self.omit();
            return Ok(());
        };
        if self.purpose.needs_content(&path) {
            let content = match read(self.room()) {
                Ok(bytes) => Ok(bytes),
                Err(EarlyStop::Failed(failure)) => Err(failure),
                Err(EarlyStop::Full) => return Err(EarlyStop::Full),
            };
            let length = content.as_ref().map_or(0, Vec::len) as u64;
            self.remaining_bytes = self
                .remaining_bytes
                .checked_sub(length)
                .ok_or(EarlyStop::Full)?;
            let path = path.clone();
            self.unpacked.push(Member { path, content });
        }
        self.listed.push(ListedMember {
            path,
            claimed_bytes,
        });
        Ok(())
    }

    /// Counts a member that is not added.
    pub fn omit(&mut self) {
        self.omitted += 1;
    }

    fn room(&self) -> usize {
        usize::try_from(self.remaining_bytes).unwrap_or(usize::MAX)
    }
}
