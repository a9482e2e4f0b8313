//! Files that are written or removed as a whole.

use docent_api::types::{Error, ErrorCode};
use docent_api::writing::{ChangedFile, WriteAnswer};
use docent_corpus::corpus::Corpus;
use docent_edit::diff::write::{DiffNames, difference};
use docent_edit::source::Source;
use docent_text::content_hash::{ContentHash, HashedContent};
use docent_transaction::journal::{Change, FileOperation};
use docent_tree::disk::{WriteDirectory, WriteDisk};
use docent_tree::error::refuse;
use docent_tree::limits::DOCUMENT_BYTES;
use docent_tree::path::RelPath;

use crate::writing::file::{Existing, is_writable};
use crate::writing::path_state::{PathState, exists};
use crate::writing::repaired_links::{RepairedLinks, find_repaired};
use crate::writing::root::WritableRoot;
use crate::writing::shown::{describe_difference, file, lines, warnings};

/// Operation on one file, and its description in the answer.
pub struct Whole {
    operation: FileOperation,
    shown: ChangedFile,
}

/// Treatment of an existing file.
#[derive(Clone, Copy)]
pub enum Taken<'h> {
    /// Refuse, with this hint.
    Refuse(&'static str),
    /// Replace it if it is a text with this hash, or with any.
    Replace(Option<&'h str>),
}

impl Whole {
    /// Plans writing `content` to `path`.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write<D: WriteDisk>(
        corpus: &Corpus<D>,
        root: &WritableRoot<D::Directory>,
        path: &RelPath,
        content: String,
        taken: Taken<'_>,
    ) -> Result<Self, Error> {
        is_writable(path, path.segments().next_back().unwrap_or_default())?;
        check_content(path, &content)?;
        match (PathState::resolve(corpus, root.chosen.index, path)?, taken) {
            (PathState::Free(_), Taken::Replace(Some(hash))) => Err(refuse(
                ErrorCode::Conflict,
                format!("`{path}` does not exist; expected it with hash `{hash}`"),
                "Nothing was written. Leave the hash out to make the file.",
            )),
            (PathState::Free(place), _) => Ok(Self::new(place, content)),
            (PathState::Taken(place), Taken::Refuse(hint)) => Err(exists(&place, hint)),
            (PathState::Taken(place), Taken::Replace(hash)) => {
                let existing = Existing::read(corpus, root, &place)?;
                existing.expect(hash)?;
                Self::replace(&existing, content)
            }
        }
    }

    /// Plans removing a file.
    pub fn remove(existing: Existing) -> Self {
        // A file that is not text has no lines to show. It can be removed all the same: its
        // hash, not its text, is compared at the time of writing.
        let source = Source::from_content(&existing.content).ok();
        let text = source
            .as_ref()
            .map(Source::text_with_mark)
            .unwrap_or_default();
        let names = DiffNames::Deleted(existing.path.as_str());
        let shown = file(names, (Some(existing.hash()), None), (&text, ""));
        let operation = FileOperation::Delete {
            path: existing.path,
            expected: existing.content.into(),
        };
        Self { operation, shown }
    }

    fn new(path: RelPath, content: String) -> Self {
        let names = DiffNames::Created(path.as_str());
        let difference = difference(names, "", &content);
        let content = HashedContent::new(content.into_bytes());
        let shown = describe_difference(names, (None, Some(content.hash())), difference);
        Self {
            operation: FileOperation::New { path, content },
            shown,
        }
    }

    fn replace(existing: &Existing, content: String) -> Result<Self, Error> {
        let source = existing.text()?;
        let names = DiffNames::Same(existing.path.as_str());
        let difference = difference(names, &source.text_with_mark(), &content);
        let content = HashedContent::new(content.into_bytes());
        let hashes = (Some(existing.hash()), Some(content.hash()));
        let shown = describe_difference(names, hashes, difference);
        Ok(Self {
            shown,
            operation: FileOperation::Set {
                path: existing.path.clone(),
                expected: existing.content.clone().into(),
                content,
            },
        })
    }

    /// Returns the id of a plan that is shown first: a digest of the root, the path and both
    /// contents.
    fn plan_id(&self, root: &str) -> String {
        let hash = |hash: &Option<String>| hash.clone().unwrap_or_default();
        let (old, new) = (hash(&self.shown.old_hash), hash(&self.shown.new_hash));
        let text = format!("{root}\0{}\0{old}\0{new}", self.shown.path);
        ContentHash::new(text.as_bytes()).short()
    }

    /// Verifies that it is the plan shown as `sent`, and removes from its answer what was shown
    /// then.
    ///
    /// # Errors
    /// `conflict`.
    pub fn expect_plan(&mut self, root: &str, sent: &str) -> Result<(), Error> {
        if sent != self.plan_id(root) {
            return Err(refuse(
                ErrorCode::Conflict,
                format!(
                    "`planId` is `{sent}`; expected that of the last dry run: the text differs, or \
                     the file has changed since"
                ),
                "Nothing was written. Send it with `dryRun` true, look at the difference, and send \
                 it again with the id that comes with it.",
            ));
        }
        self.shown.diff.clear();
        self.shown.diff_is_cut = false;
        Ok(())
    }

    /// Returns the broken links that it fixes, or `None` if no file is created.
    pub fn repaired_links<D: WriteDisk>(
        &self,
        corpus: &mut Corpus<D>,
        root: usize,
    ) -> Option<RepairedLinks> {
        let FileOperation::New { path, content } = &self.operation else {
            return None;
        };
        let text = String::from_utf8_lossy(content.bytes());
        Some(find_repaired(corpus, root, path.as_str(), &text))
    }

    /// Returns the answer that shows it, without applying it.
    pub fn show<T: WriteDirectory>(self, root: &WritableRoot<T>) -> WriteAnswer {
        let plan_id = self.plan_id(&root.chosen.name);
        WriteAnswer {
            root: root.chosen.shown.clone(),
            warnings: warn_unchanged(&self.shown),
            plan_id: self.shown.changed.then_some(plan_id),
            mended: None,
            file: self.shown,
            undo_id: None,
            rollback_available: root.keeps_history(),
        }
    }

    /// Applies it; an operation without effect is skipped.
    ///
    /// # Errors
    /// For a request that cannot be served; then nothing was written.
    pub fn apply<T: WriteDirectory>(
        self,
        root: &WritableRoot<T>,
        tool: &str,
        note: Option<&str>,
    ) -> Result<WriteAnswer, Error> {
        if !self.shown.changed {
            return Ok(self.show(root));
        }
        let lines = lines(&self.shown);
        let change = Change {
            operation: self.operation,
            lines,
        };
        let committed = root.commit(tool, note, vec![change], Vec::new())?;
        let undo_id = committed.id.map(|id| id.to_string());
        let mut file = self.shown;
        file.applied = committed.conflicts.is_empty();
        Ok(WriteAnswer {
            root: root.chosen.shown.clone(),
            warnings: warnings(&committed),
            file,
            mended: None,
            plan_id: None,
            undo_id,
            rollback_available: root.keeps_history(),
        })
    }
}

fn warn_unchanged(shown: &ChangedFile) -> Vec<String> {
    let is_same = !shown.changed;
    let warning = || format!("`{}` holds that already: nothing changes", shown.path);
    is_same.then(warning).into_iter().collect()
}

/// Refuses a content that could not be read again.
///
/// # Errors
/// `document-too-large`; `invalid-request` for a NUL.
pub fn check_content(path: &RelPath, content: &str) -> Result<(), Error> {
    if content.len() > DOCUMENT_BYTES {
        return Err(refuse(
            ErrorCode::DocumentTooLarge,
            format!(
                "`content` has {} bytes; expected at most {DOCUMENT_BYTES}",
                content.len()
            ),
            "Split it into files.",
        ));
    }
    if content.contains('\0') {
        return Err(refuse(
            ErrorCode::InvalidRequest,
            format!("`content` holds a NUL, which would make `{path}` a binary; expected text"),
            "Leave the NUL out.",
        ));
    }
    Ok(())
}
