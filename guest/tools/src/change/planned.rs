//! Planned change of one file.

use std::borrow::Cow;

use docent_api::types::{Error, ErrorCode};
use docent_api::writing::ChangedFile;
use docent_edit::diff::write::{DiffNames, TextDiff, difference};
use docent_edit::source::{Source, Splice};
use docent_graph::rewrite::Rewrite;
use docent_text::content_hash::{Content, ContentHash};
use docent_transaction::journal::{Change, Operation};
use docent_tree::error::refuse;
use docent_tree::path::RelPath;

use crate::writing::file::Existing;
use crate::writing::shown::{differing, lines};

/// Planned change of one file.
pub struct Planned {
    /// The current file.
    pub existing: Existing,
    /// Fate of the file.
    pub fate: Fate,
    /// New content, if it changes.
    content: Option<Content>,
    /// The change as shown in the answer.
    pub shown: ChangedFile,
    /// Warnings for the caller.
    pub warnings: Vec<String>,
    /// Treatment of links to it, and in it, if it moves.
    pub file_links: Links,
    /// Treatment of links to its sections.
    pub section_links: Links,
}

/// Fate of a file as a whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It keeps its path.
    Stays,
    /// It moves to this path.
    Moves(RelPath),
    /// It is created.
    Comes,
    /// It is deleted.
    Goes,
}

/// Treatment of links.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Links {
    /// They are rewritten if they would break or resolve to something else.
    Follow,
    /// They are left unchanged.
    Stay,
}

impl Planned {
    /// Returns a file without changes.
    pub fn untouched(existing: Existing) -> Self {
        Self::new(existing, Fate::Stays, None, TextDiff::default())
    }

    /// Returns the plan of a file with its new content, if it changes, and the difference.
    pub fn new(
        existing: Existing,
        fate: Fate,
        content: Option<Content>,
        difference: TextDiff,
    ) -> Self {
        let hashes = hashes(&existing, &fate, content.as_ref());
        let shown = differing(names(&existing, &fate), hashes, difference);
        Self {
            existing,
            fate,
            content,
            shown,
            warnings: Vec::new(),
            file_links: Links::Stay,
            section_links: Links::Stay,
        }
    }

    /// Returns its new path, if it moves.
    pub fn to(&self) -> Option<&RelPath> {
        match &self.fate {
            Fate::Moves(to) => Some(to),
            Fate::Stays | Fate::Comes | Fate::Goes => None,
        }
    }

    /// Returns its new path, or `None` if it is deleted.
    pub fn path_after(&self) -> Option<&RelPath> {
        match &self.fate {
            Fate::Moves(to) => Some(to),
            Fate::Stays | Fate::Comes => Some(&self.existing.path),
            Fate::Goes => None,
        }
    }

    /// Returns the hashes of its old and new content, if there are any.
    pub fn hashes(&self) -> (Option<ContentHash>, Option<ContentHash>) {
        hashes(&self.existing, &self.fate, self.content.as_ref())
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
        if self.fate == Fate::Goes {
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
        let content = self.content.as_ref().unwrap_or(&self.existing.content);
        let source = Source::from_content(content).map_err(|_| unfit())?;
        let mut splices = Vec::with_capacity(rewrites.len());
        for rewrite in rewrites {
            let range = rewrite.range.clone();
            if source.damage_in(range.clone()).is_some() {
                return Err(unfit());
            }
            let fitting = source.fit(&rewrite.destination).map_err(|_| unfit())?;
            splices.push(Splice {
                range,
                text: fitting.into_owned(),
            });
        }
        let content = content.update(source.spliced_bytes(&splices));
        let new = Source::from_content(&content).map_err(|_| unfit())?;
        let names = names(&self.existing, &self.fate);
        let difference = difference(names, &old.text_with_mark(), &new.text_with_mark());
        let hashes = hashes(&self.existing, &self.fate, Some(&content));
        let edits = std::mem::take(&mut self.shown.edits);
        self.shown = ChangedFile {
            edits,
            ..differing(names, hashes, difference)
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
        let (path, expected) = (self.existing.path.clone(), self.existing.expected());
        let operation = match (self.fate.clone(), self.content.take()) {
            (Fate::Stays, None) => return None,
            (Fate::Stays, Some(content)) => Operation::Set {
                path,
                expected,
                content,
            },
            (Fate::Moves(to), content) => Operation::Move {
                path,
                to,
                expected,
                content,
            },
            (Fate::Comes, content) => Operation::New {
                path,
                content: content.unwrap_or_else(|| self.existing.content.clone()),
            },
            (Fate::Goes, _) => Operation::Delete { path, expected },
        };
        let lines = lines(&self.shown);
        Some(Change { operation, lines })
    }
}

fn names<'p>(existing: &'p Existing, fate: &'p Fate) -> DiffNames<'p> {
    let path = existing.path.as_str();
    match fate {
        Fate::Stays => DiffNames::Same(path),
        Fate::Moves(to) => DiffNames::Moved(path, to.as_str()),
        Fate::Comes => DiffNames::Created(path),
        Fate::Goes => DiffNames::Deleted(path),
    }
}

fn hashes(
    existing: &Existing,
    fate: &Fate,
    content: Option<&Content>,
) -> (Option<ContentHash>, Option<ContentHash>) {
    let (old, new) = (existing.hash(), content.map(Content::hash));
    match fate {
        Fate::Stays | Fate::Moves(_) => (Some(old), Some(new.unwrap_or(old))),
        Fate::Comes => (None, Some(new.unwrap_or(old))),
        Fate::Goes => (Some(old), None),
    }
}
