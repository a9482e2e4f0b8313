//! Containers on the way of a walk.

use docent_api::types::SkipReason;
use docent_tree::archive::{EnteredContainers, container_name, container_of};
use docent_tree::disk::{Directory, Failure};
use docent_tree::door::Vetted;
use docent_tree::unpack_failure::UnpackFailure;

use super::{Frame, Walk};
use crate::foreign::{self, MemberPresence};
use crate::limits::FOREIGN_PER_CALL;
use crate::store::DocumentId;

impl<T: Directory> Walk<'_, T> {
    /// Returns true if the container of the current directory may be unpacked: it counts as a
    /// binary document does. One beyond the limit is skipped, and one without members is passed.
    pub(super) fn admit_container(&mut self) -> bool {
        if self.is_without_members() {
            return false;
        }
        self.foreign_count += 1;
        let is_admitted = self.foreign_count <= FOREIGN_PER_CALL && !self.store.has_read_enough();
        if !is_admitted && self.is_new_directory() {
            self.skips.add(self.path.as_str(), SkipReason::TooMany);
        }
        is_admitted
    }

    /// Returns true if the current directory is that of a document that this walk has just read
    /// and that has no members. Most mail has no attachments, and is not unpacked to learn that.
    fn is_without_members(&self) -> bool {
        let file = container_of(self.path.as_str(), true);
        file.is_some_and(|file| file == self.without_members)
    }

    /// Returns true if a directory of a container holds no document of this search. Its ignore
    /// files, which decide about its members alone, are not unpacked then.
    pub(super) fn is_without_wanted(&self, directory: &Vetted<T>) -> bool {
        // Listings also show directories, about which the rules decide as well.
        self.options.containers == EnteredContainers::All
            && !directory.may_hold(self.options.is_document)
    }

    /// Returns the time before an access to a file that may unpack its container; `None` elsewhere.
    pub(super) fn unpacking_ms(&self, frame: &Frame<T>) -> Option<u64> {
        let is_in_container = frame.directory.is_in_container();
        is_in_container.then(|| self.store.reading_ms())
    }

    /// Counts the time of such an access as spent on reading binary documents.
    pub(super) fn note_unpacking_since(&mut self, start_ms: Option<u64>) {
        if let Some(start_ms) = start_ms {
            self.store.note_reading_since(start_ms);
        }
    }

    /// Returns true if the current directory is that of a container which this walk has as a
    /// document too, so that its damage is reported once.
    pub(super) fn is_reported_as_document(&self, failure: Failure) -> bool {
        use UnpackFailure::{Damaged, Encrypted, Unsupported};
        matches!(
            failure,
            Failure::Container(Damaged | Encrypted | Unsupported)
        ) && container_name(self.name()).is_some_and(|file| {
            foreign::extension(file).is_some() && (self.options.is_document)(file)
        })
    }

    /// Records what the reader of the current document, cached under `id`, tells about members.
    pub(super) fn note_members(&mut self, id: Option<DocumentId>, members: MemberPresence) {
        if members == MemberPresence::None {
            self.path.as_str().clone_into(&mut self.without_members);
            if let Some(id) = id {
                self.store.note_no_members(id);
            }
        }
    }
}
