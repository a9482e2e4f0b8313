//! Planned change of one file.

use std::borrow::Cow;

use docent_api::types::{Error, ErrorCode};
use docent_api::writing::ChangedFile;
use docent_edit::diff::write::{DiffNames, TextDiff, difference};
use docent_edit::source::{Source, Splice};
use docent_graph::rewrite::Rewrite;
use docent_text::content_hash::{ContentHash, HashedContent};
use docent_transaction::journal::{Change, FileOperation};
use docent_tree::error::refuse;
use docent_tree::path::RelPath;

use crate::writing::file::Existing;
use crate::writing::shown::{describe_difference, lines};

/// Planned change of one file.
pub struct Planned {
    /// The current file.
    pub existing: Existing,
    /// Outcome for the file.
    pub outcome: FileOutcome,
    /// New content, if it changes.
    content: Option<HashedContent>,
    /// The change as shown in the answer.
    pub shown: ChangedFile,
    /// Warnings for the caller.
    pub warnings: Vec<String>,
    /// Treatment of links to it, and in it, if it moves.
    pub file_links: LinkPolicy,
    /// Treatment of links to its sections.
    pub section_links: LinkPolicy,
}

/// Outcome for a file as a whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileOutcome {
    /// It keeps its path.
    Kept,
    /// It moves to this path.
    Moved(RelPath),
    /// It is created.
    Created,
    /// It is deleted.
    Deleted,
}

/// Treatment of links.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkPolicy {
    /// They are rewritten if they would break or resolve to something else.
    Follow,
    /// They are left unchanged.
    Stay,
}

impl Planned {
    /// Returns a file without changes.
    pub fn without_changes(existing: Existing) -> Self {
        Self::new(existing, FileOutcome::Kept, None, TextDiff::default())
    }

    /// Returns the plan of a file with its new content, if it changes, and the difference.
    pub fn new(
        existing: Existing,
        outcome: FileOutcome,
        content: Option<HashedContent>,
        difference: TextDiff,
    ) -> Self {
        let hashes = hashes(&existing, &outcome, content.as_ref());
        let shown = describe_difference(names(&existing, &outcome), hashes, difference);
        Self {
            existing,
            outcome,
            content,
            shown,
            warnings: Vec::new(),
            file_links: LinkPolicy::Stay,
            section_links: LinkPolicy::Stay,
        }
    }

    /// Returns its new path, if it moves.
    pub fn to(&self) -> Option<&RelPath> {
        match &self.outcome {
            FileOutcome::Moved(to) => Some(to),
            FileOutcome::Kept | FileOutcome::Created | FileOutcome::Deleted => None,
        }
    }

    /// Returns its new path, or `None` if it is deleted.
    pub fn path_after(&self) -> Option<&RelPath> {
        match &self.outcome {
            FileOutcome::Moved(to) => Some(to),
            FileOutcome::Kept | FileOutcome::Created => Some(&self.existing.path),
            FileOutcome::Deleted => None,
        }
    }

    /// Returns the hashes of its old and new content, if there are any.
    pub fn hashes(&self) -> (Option<ContentHash>, Option<ContentHash>) {
        hashes(&self.existing, &self.outcome, self.content.as_ref())
    }

    /// Returns true if its content changes.
    pub fn is_edited(&self) -> bool {
        self.content.is_some()
    }

    /// Returns its current text, which is empty if it does not exist yet, or `None` if it is not
    /// text.
    pub fn text_before(&self) -> Option<Cow<'_, str>> {
        Some(
            Source::from_content(&self.existing.content)
                .ok()?
                .into_text(),
        )
    }

    /// Returns its new text, or `None` if it is not text or is deleted.
    pub fn text_after(&self) -> Option<Cow<'_, str>> {
        if self.outcome == FileOutcome::Deleted {
            return None;
        }
        let content = self.content.as_ref().unwrap_or(&self.existing.content);
        Some(Source::from_content(content).ok()?.into_text())
    }

    /// Rewrites the destinations of links in its text.
    ///
    /// # Errors
    /// If a link cannot be rewritten; then the text is unchanged.
    pub fn rewrite(&mut self, rewrites: &[Rewrite]) -> Result<(), Error> {
        if rewrites.is_empty() {
            return Ok(());
        }
        let old = self.existing.text()?;
        let unfit = || {
            refuse(
                ErrorCode::NotText,
                "their new destinations cannot be written in its encoding",
                "Ask the person to save it as UTF-8.",
            )
        };
        // Links are rewritten in the text that the edits of the call produced, if there is one,
        // and in the current text otherwise. The difference is always computed from the text on
        // disk, so the answer shows one difference for both changes.
        let content = self.content.as_ref().unwrap_or(&self.existing.content);
        let source = Source::from_content(content).map_err(|_| unfit())?;
        let mut splices = Vec::with_capacity(rewrites.len());
        for rewrite in rewrites {
            let range = rewrite.range.clone();
            // The document may be in an encoding other than UTF-8, or have damaged bytes.
            // Damaged bytes are never replaced, since their text is unknown, and a new
            // destination may have characters that the encoding lacks, such as `ł` in
            // Windows-1252. Then no link of the document is rewritten and the caller is warned:
            // a partly rewritten document is worse than an old one.
            if source.damage_in(range.clone()).is_some() {
                return Err(unfit());
            }
            let fitting = source.fit(&rewrite.destination).map_err(|_| unfit())?;
            splices.push(Splice {
                range,
                text: fitting.into_owned(),
            });
        }
        let content = content.update(source.splice_bytes(&splices));
        let new = Source::from_content(&content).map_err(|_| unfit())?;
        let names = names(&self.existing, &self.outcome);
        let difference = difference(names, &old.text_with_mark(), &new.text_with_mark());
        let hashes = hashes(&self.existing, &self.outcome, Some(&content));
        let edits = std::mem::take(&mut self.shown.edits);
        self.shown = ChangedFile {
            edits,
            ..describe_difference(names, hashes, difference)
        };
        self.content = Some(content);
        Ok(())
    }

    /// Returns the number of bytes to be written.
    pub fn bytes(&self) -> usize {
        let content = self.content.as_ref();
        content.map_or(0, |content| content.bytes().len())
    }

    /// Returns the change for the transaction, or `None` if nothing changes.
    pub fn change(&mut self) -> Option<Change> {
        let (path, expected) = (self.existing.path.clone(), self.existing.expectation());
        let operation = match (self.outcome.clone(), self.content.take()) {
            (FileOutcome::Kept, None) => return None,
            (FileOutcome::Kept, Some(content)) => FileOperation::Set {
                path,
                expected,
                content,
            },
            (FileOutcome::Moved(to), content) => FileOperation::Move {
                path,
                to,
                expected,
                content,
            },
            (FileOutcome::Created, content) => FileOperation::New {
                path,
                content: content.unwrap_or_else(|| self.existing.content.clone()),
            },
            (FileOutcome::Deleted, _) => FileOperation::Delete { path, expected },
        };
        let lines = lines(&self.shown);
        Some(Change { operation, lines })
    }
}

fn names<'p>(existing: &'p Existing, outcome: &'p FileOutcome) -> DiffNames<'p> {
    let path = existing.path.as_str();
    match outcome {
        FileOutcome::Kept => DiffNames::Same(path),
        FileOutcome::Moved(to) => DiffNames::Moved(path, to.as_str()),
        FileOutcome::Created => DiffNames::Created(path),
        FileOutcome::Deleted => DiffNames::Deleted(path),
    }
}

fn hashes(
    existing: &Existing,
    outcome: &FileOutcome,
    content: Option<&HashedContent>,
) -> (Option<ContentHash>, Option<ContentHash>) {
    let (old, new) = (existing.hash(), content.map(HashedContent::hash));
    match outcome {
        FileOutcome::Kept | FileOutcome::Moved(_) => (Some(old), Some(new.unwrap_or(old))),
        FileOutcome::Created => (None, Some(new.unwrap_or(old))),
        FileOutcome::Deleted => (Some(old), None),
    }
}
