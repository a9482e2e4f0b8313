//! An open container, of which as much is unpacked as is read.

use std::cell::{OnceCell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

use docent_api::extract::{Beyond, Limits};

use crate::disk::{Failure, Metadata, OpenFile, Stamp};
use crate::extractor::Extractor;
use crate::limits::{BATCH_BYTES, DOCUMENT_BYTES, MEMBERS, MEMBERS_BYTES, MEMBERS_MS};
use crate::unpack_failure::UnpackFailure;

/// The limits of the readers.
const LIMITS: Limits = Limits {
    text_bytes: 0,
    unpacked_bytes: MEMBERS_BYTES,
    beyond: Beyond::Refuse,
    milliseconds: MEMBERS_MS,
};

/// An open container. Its members are listed when their names are needed first: a walk that knows
/// its stamp does not need them.
pub(super) struct OpenContainer {
    file: Box<dyn OpenFile>,
    extension: String,
    /// Status of the file when it was opened.
    metadata: Metadata,
    extractor: Rc<dyn Extractor>,
    /// Content of the file, until all members are unpacked: they are of the version that was
    /// listed.
    content: RefCell<Option<Vec<u8>>>,
    listed: OnceCell<Result<ListedMembers, Failure>>,
    unpacked: RefCell<UnpackedMembers>,
}

/// The members of a container that can be read.
#[derive(Debug, Default)]
pub(super) struct ListedMembers {
    /// Bytes that each claims to have unpacked, if it claims any, by its path.
    pub(super) members: BTreeMap<String, Option<u64>>,
    /// Number of members without a path.
    pub(super) omitted: u32,
    /// True if there are as many members as are read at most.
    pub(super) is_full: bool,
}

/// The contents of members by their paths.
type Contents = BTreeMap<String, Result<Rc<[u8]>, UnpackFailure>>;

/// The members that are unpacked.
#[derive(Debug, Default)]
struct UnpackedMembers {
    contents: Contents,
    /// Number of members that the next unpacking returns.
    next: BatchSize,
    /// Failure of the container.
    failure: Option<Failure>,
}

/// The number of members that are unpacked at once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum BatchSize {
    /// One: a path names one member, and the others of a large archive or mailbox are not needed.
    #[default]
    First,
    /// Several: whoever reads a second member is likely to read the others, and each unpacking
    /// copies the whole container.
    Several,
    /// One, because several are larger than the container claims.
    Single,
}

impl OpenContainer {
    pub(super) fn new(
        file: Box<dyn OpenFile>,
        extension: String,
        metadata: Metadata,
        extractor: Rc<dyn Extractor>,
    ) -> Self {
        Self {
            file,
            extension,
            metadata,
            extractor,
            content: RefCell::default(),
            listed: OnceCell::new(),
            unpacked: RefCell::default(),
        }
    }

    /// Returns the status of the file when it was opened.
    pub(super) fn metadata(&self) -> &Metadata {
        &self.metadata
    }

    /// Returns the stamp of the file.
    pub(super) fn stamp(&self) -> Option<Stamp> {
        self.file.stamp()
    }

    /// Returns the members, which are listed the first time.
    ///
    /// # Errors
    /// That of listing them.
    pub(super) fn list_once(&self) -> Result<&ListedMembers, Failure> {
        let listed = self.listed.get_or_init(|| self.list());
        listed.as_ref().map_err(|failure| *failure)
    }

    /// Returns the bytes that the member at `path` claims to have, or has if it claims none; 0 if
    /// it cannot be unpacked.
    ///
    /// # Errors
    /// That of the container.
    pub(super) fn size(&self, path: &str) -> Result<u64, Failure> {
        if let Some(Some(claimed)) = self.list_once()?.members.get(path) {
            return Ok(*claimed);
        }
        match self.read(path) {
            Ok(content) => Ok(content.len() as u64),
            Err(Failure::Member(_)) => Ok(0),
            Err(failure) => Err(failure),
        }
    }

    /// Returns the content of the member at `path`.
    ///
    /// # Errors
    /// [`Failure::NotFound`] if there is none; [`Failure::Member`] if it alone cannot be unpacked;
    /// that of the container.
    pub(super) fn read(&self, path: &str) -> Result<Rc<[u8]>, Failure> {
        let listed = self.list_once()?;
        let claimed = listed.members.get(path).ok_or(Failure::NotFound)?;
        let mut unpacked = self.unpacked.borrow_mut();
        if let Some(content) = unpacked.contents.get(path) {
            return content.clone().map_err(Failure::Member);
        }
        if let Some(failure) = unpacked.failure {
            return Err(failure);
        }
        if claimed.is_some_and(|bytes| bytes > u64::from(MEMBERS_BYTES)) {
            return Err(Failure::Member(UnpackFailure::TooLarge));
        }
        let read = self.unpack_with(path, listed, &mut unpacked);
        if let Err(failure) = read {
            unpacked.failure = Some(failure);
            return Err(failure);
        }
        match unpacked.contents.get(path) {
            Some(content) => content.clone().map_err(Failure::Member),
            None => Err(Failure::Member(UnpackFailure::Damaged)),
        }
    }

    /// Unpacks the member at `path`, and others if this is not the first that is unpacked.
    fn unpack_with(
        &self,
        path: &str,
        listed: &ListedMembers,
        unpacked: &mut UnpackedMembers,
    ) -> Result<(), Failure> {
        let mut batch = vec![path.to_owned()];
        if unpacked.next == BatchSize::Several {
            batch = listed.batch(path, &unpacked.contents);
        }
        let mut found = self.unpack(&batch)?;
        if found.is_none() && batch.len() > 1 {
            unpacked.next = BatchSize::Single;
            batch.truncate(0);
            batch.push(path.to_owned());
            found = self.unpack(&batch)?;
        }
        if unpacked.next == BatchSize::First {
            unpacked.next = BatchSize::Several;
        }
        // Of members that are too large together, a walk no longer needs those before these.
        if unpacked.next == BatchSize::Single || !listed.fits() {
            unpacked.contents.clear();
        }
        match found {
            Some(found) => unpacked.contents.extend(found),
            None => {
                let failure = Err(UnpackFailure::TooLarge);
                unpacked.contents.insert(path.to_owned(), failure);
            }
        }
        if unpacked.contents.len() >= listed.members.len() {
            self.content.replace(None);
        }
        Ok(())
    }

    /// Returns the contents of the members with these `paths`; none if they are too large together.
    fn unpack(&self, paths: &[String]) -> Result<Option<Contents>, Failure> {
        let content = self.content()?;
        let found = self
            .extractor
            .unpack(&self.extension, &content, Some(paths), LIMITS);
        self.content.replace(Some(content));
        let found = match found {
            Ok(found) => found,
            Err(docent_api::extract::Failure::TooLarge) => return Ok(None),
            Err(failure) => return Err(Failure::Container((&failure).into())),
        };
        // A reader is not trusted with returning these alone.
        let found = found.into_iter().take(MEMBERS);
        let found = found.filter(|member| paths.contains(&member.path));
        let members = found.map(|member| {
            let content = member.content.map(Into::into);
            (member.path, content.map_err(|failure| (&failure).into()))
        });
        let mut members: Contents = members.collect();
        // One that is missing would be asked for at each look.
        for path in paths {
            let damaged = || Err(UnpackFailure::Damaged);
            members.entry(path.clone()).or_insert_with(damaged);
        }
        Ok(Some(members))
    }

    fn list(&self) -> Result<ListedMembers, Failure> {
        let content = self.content()?;
        let listed = self
            .extractor
            .list_members(&self.extension, &content, LIMITS);
        let listed = listed.map_err(|failure| Failure::Container((&failure).into()))?;
        self.content.replace(Some(content));
        let given = listed.members.len();
        // Paths and their number come from a reader, which is not trusted with them.
        let members = listed.members.into_iter().take(MEMBERS);
        let members = members.filter(|member| is_path(&member.path));
        let members = members.map(|member| (member.path, member.claimed_bytes));
        let members: BTreeMap<String, Option<u64>> = members.collect();
        let dropped = u32::try_from(given - members.len()).unwrap_or(u32::MAX);
        Ok(ListedMembers {
            members,
            omitted: listed.omitted.saturating_add(dropped),
            is_full: given >= MEMBERS,
        })
    }

    /// Takes the content of the file, which is read the first time.
    fn content(&self) -> Result<Vec<u8>, Failure> {
        if let Some(content) = self.content.take() {
            return Ok(content);
        }
        let content = self.file.read_all(DOCUMENT_BYTES);
        content.map_err(|failure| match failure {
            Failure::TooLarge => Failure::Container(UnpackFailure::TooLarge),
            Failure::Io => Failure::Container(UnpackFailure::Unreadable),
            failure => failure,
        })
    }
}

impl ListedMembers {
    /// Returns true if all members together claim no more bytes than are unpacked at once.
    fn fits(&self) -> bool {
        let claimed = self.members.values().flatten();
        let claimed = claimed.fold(0u64, |sum, bytes| sum.saturating_add(*bytes));
        claimed <= u64::from(MEMBERS_BYTES)
    }

    /// Returns the paths of the members to unpack with the one at `path`: all that are not among
    /// the `known`, or, if all members are too large together, as many of those behind it as fit.
    fn batch<V>(&self, path: &str, known: &BTreeMap<String, V>) -> Vec<String> {
        let is_new = |(path, _): &(&String, _)| !known.contains_key(*path);
        if self.fits() {
            let new = self.members.iter().filter(is_new);
            return new.map(|(path, _)| path.clone()).collect();
        }
        let mut room = u64::from(BATCH_BYTES);
        let from_here = self.members.range(path.to_owned()..);
        let batch = from_here.filter(|(name, claimed)| {
            let left = room.checked_sub(claimed.unwrap_or(0));
            room = left.unwrap_or(room);
            left.is_some() || *name == path
        });
        batch.map(|(path, _)| path.clone()).collect()
    }
}

/// Returns true if a path has nothing but names in it.
fn is_path(path: &str) -> bool {
    path.split('/').all(|name| {
        !matches!(name, "" | "." | "..")
            && !name.contains('\\')
            && !name.chars().any(char::is_control)
    })
}
