//! The current entry of a walk: its content, its text, and its place in the store.

use docent_api::types::SkipReason;
use docent_text::decode::DecodedText;
use docent_tree::disk::{Directory, Failure, Metadata, Stamp};
use docent_tree::door::{Content, Denied, Extent};

use super::Walk;
use crate::extensions::is_of_known_kind;
use crate::foreign;
use crate::limits::FOREIGN_PER_CALL;
use crate::store::DocumentId;

impl<T: Directory> Walk<'_, T> {
    /// Records that the current entry could not be examined.
    pub fn skip(&mut self, reason: SkipReason) {
        self.skips.add(self.path.as_str(), reason);
    }

    /// Records that the current file could not be examined. A file that is text by its name is
    /// reported. Any other is only counted if it is binary, of an unknown encoding or too large, or
    /// an encrypted or damaged member of an archive: images and archives are in most trees, and a
    /// report for each would hide the ones that matter.
    pub fn leave_out(&mut self, reason: SkipReason) {
        let is_none = matches!(
            reason,
            SkipReason::Binary
                | SkipReason::NotText
                | SkipReason::TooLarge
                | SkipReason::Encrypted
                | SkipReason::Malformed
        );
        if is_none && !is_of_known_kind(self.name()) {
            self.skips.left_out.add(reason);
        } else {
            self.skip(reason);
        }
    }

    /// Returns the metadata of the current entry.
    ///
    /// # Errors
    /// The error of the disk.
    pub fn metadata(&mut self) -> Result<Metadata, Failure> {
        let frame = self.frames.last().ok_or(Failure::NotFound)?;
        let start_ms = self.unpacking_ms(frame);
        let metadata = frame.directory.metadata(self.name());
        self.note_unpacking_since(start_ms);
        metadata
    }

    /// Reads the current document.
    ///
    /// # Errors
    /// The reason that it cannot be read.
    pub fn read(&mut self, extent: Extent) -> Result<Content, Denied> {
        let frame = self
            .frames
            .last()
            .ok_or(Denied::Failed(Failure::NotFound))?;
        let start_ms = self.unpacking_ms(frame);
        let content = frame.directory.read(self.name(), extent, frame.stamps());
        self.note_unpacking_since(start_ms);
        content
    }

    /// Decodes the current document from all of its bytes, cached under `id`. Replaced bytes are
    /// reported among the skipped entries.
    ///
    /// # Errors
    /// The reason that there is no text.
    pub fn decode<'b>(
        &mut self,
        id: Option<DocumentId>,
        bytes: &'b [u8],
    ) -> Result<DecodedText<'b>, SkipReason> {
        let start = self.frames.last().map_or(0, |frame| frame.path_length);
        let name = self.path.as_str()[start..].trim_start_matches('/');
        let (decoded, members) = self.store.decode_with_members(name, bytes)?;
        self.note_members(id, members);
        if !decoded.replaced.is_empty() {
            if let Some(id) = id {
                self.store.note_replaced_bytes(id);
            }
            self.report_replaced();
        }
        Ok(decoded)
    }

    /// Returns true if the current document may be opened: a call opens a limited number of binary
    /// documents, whether cached or not, and neither one nor a member of a container after they
    /// have used up their time.
    pub fn admit(&mut self) -> bool {
        if foreign::extension(self.name()).is_none() {
            let frame = self.frames.last();
            let is_member = frame.is_some_and(|frame| frame.directory.is_in_container());
            return !is_member || !self.store.has_read_enough();
        }
        self.foreign_count += 1;
        self.foreign_count <= FOREIGN_PER_CALL && !self.store.has_read_enough()
    }

    /// Returns the current document if its cached state is still valid. Replaced bytes are reported
    /// among the skipped entries.
    pub fn current_document(&mut self) -> Option<DocumentId> {
        let (id, stamp) = self.stored_document()?;
        if !self.store.is_current(id, stamp) {
            return None;
        }
        if self.store.has_replaced_bytes(id) {
            self.report_replaced();
        }
        if self.store.has_no_members(id) {
            self.path.as_str().clone_into(&mut self.without_members);
        }
        Some(id)
    }

    /// Reports replaced bytes of the current document once, even if it is looked up in the cache
    /// and then read.
    fn report_replaced(&mut self) {
        if !std::mem::replace(&mut self.has_reported_replaced, true) {
            self.skip(SkipReason::ReplacedBytes);
        }
    }

    /// Returns the current document, if cached, and its current stamp.
    pub fn stored_document(&mut self) -> Option<(DocumentId, Stamp)> {
        let frame = self.frames.last_mut()?;
        let id = frame.id?;
        let document = self.store.document_id(id, frame.current()?)?;
        // One call validates the whole directory, at the first look-up in it: if the sum of the
        // stamps that the disk has handed out is unchanged, so is each of them. A call for each
        // file would cost about twice the time in which the kernel answers.
        let store = &self.store;
        let is_unchanged = *frame.is_unchanged.get_or_insert_with(|| {
            let sum = store.sum_of_stamps(id);
            sum.is_some() && sum == frame.directory.sum_of_stamps()
        });
        if is_unchanged && let Some(stamp) = self.store.stamp_of_listing(document) {
            return Some((document, stamp));
        }
        let stamp = self.frames.last()?.directory.stamp_of(self.name())?;
        self.store.note_stamp_handed_out(document);
        Some((document, stamp))
    }

    /// Adds the current document to the store, if possible.
    pub fn remember(&mut self, stamp: Option<Stamp>) -> Option<DocumentId> {
        let frame = self.frames.last()?;
        let (directory, item) = (frame.id?, frame.current()?);
        Some(self.store.insert_document(directory, item, stamp?))
    }
}
