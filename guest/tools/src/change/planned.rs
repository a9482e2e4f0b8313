//! What a call makes of one file.

use std::borrow::Cow;

use docent_api::types::{Error, ErrorCode};
use docent_api::writing::ChangedFile;
use docent_edit::diff::write::{Difference, Names, difference};
use docent_edit::source::{Source, Splice};
use docent_graph::rewrite::Rewrite;
use docent_text::content_hash::{Content, ContentHash};
use docent_transaction::journal::{Change, Operation};
use docent_tree::error::refuse;
use docent_tree::path::RelPath;

use crate::writing::file::Existing;
use crate::writing::shown::{differing, lines};

/// What a call makes of one file.
pub struct Planned {
    /// The file as it is.
    pub existing: Existing,
    /// What becomes of it.
    pub fate: Fate,
    /// Its new content, if it gets another one.
    content: Option<Content>,
    /// What is shown of it.
    pub shown: ChangedFile,
    /// What to know before it is written.
    pub warnings: Vec<String>,
    /// What becomes of links to it, and in it, where it moves.
    pub file_links: Links,
    /// What becomes of links to its sections.
    pub section_links: Links,
}

/// What becomes of a file as a whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It stays where it is.
    Stays,
    /// It gets this path.
    Moves(RelPath),
    /// It comes to be.
    Comes,
    /// It goes.
    Goes,
}

/// What becomes of links.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Links {
    /// They are written anew where they would lead nowhere, or elsewhere.
    Follow,
    /// They stay as they are.
    Stay,
}

impl Planned {
    /// Returns a file that nothing happens to.
    pub fn untouched(existing: Existing) -> Self {
        Self::new(existing, Fate::Stays, None, Difference::default())
    }

    /// Returns a file with its new content, if it gets another one, and what differs then.
    pub fn new(
        existing: Existing,
        fate: Fate,
        content: Option<Content>,
        difference: Difference,
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

    /// Returns its path afterwards; none where it goes.
    pub fn path_after(&self) -> Option<&RelPath> {
        match &self.fate {
            Fate::Moves(to) => Some(to),
            Fate::Stays | Fate::Comes => Some(&self.existing.path),
            Fate::Goes => None,
        }
    }

    /// Returns the hash of its content before and of that afterwards, where there is one.
    pub fn hashes(&self) -> (Option<ContentHash>, Option<ContentHash>) {
        hashes(&self.existing, &self.fate, self.content.as_ref())
    }

    /// Whether its content becomes another one.
    pub fn is_edited(&self) -> bool {
        self.content.is_some()
    }

    /// Returns its text as it is, which is empty where it is not there yet; none where it is no
    /// text.
    pub fn text_before(&self) -> Option<Cow<'_, str>> {
        Some(Source::of(&self.existing.content).ok()?.into_text())
    }

    /// Returns its text as it will be; none where it is no text, or goes.
    pub fn text_after(&self) -> Option<Cow<'_, str>> {
        if self.fate == Fate::Goes {
            return None;
        }
        let content = self.content.as_ref().unwrap_or(&self.existing.content);
        Some(Source::of(content).ok()?.into_text())
    }

    /// Writes the destinations of links in its text anew.
    ///
    /// # Errors
    /// Why that cannot be; then it stays as it was.
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
        let source = Source::of(content).map_err(|_| unfit())?;
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
        let content = content.changed_to(source.spliced_bytes(&splices));
        let new = Source::of(&content).map_err(|_| unfit())?;
        let names = names(&self.existing, &self.fate);
        let difference = difference(names, &old.marked(), &new.marked());
        let hashes = hashes(&self.existing, &self.fate, Some(&content));
        let edits = std::mem::take(&mut self.shown.edits);
        self.shown = ChangedFile {
            edits,
            ..differing(names, hashes, difference)
        };
        self.content = Some(content);
        Ok(())
    }

    /// Returns how many bytes are to be written.
    pub fn bytes(&self) -> usize {
        let content = self.content.as_ref();
        content.map_or(0, |content| content.bytes().len())
    }

    /// Returns the change of the transaction; none where nothing changes.
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

fn names<'p>(existing: &'p Existing, fate: &'p Fate) -> Names<'p> {
    let path = existing.path.as_str();
    match fate {
        Fate::Stays => Names::Same(path),
        Fate::Moves(to) => Names::Moved(path, to.as_str()),
        Fate::Comes => Names::Created(path),
        Fate::Goes => Names::Deleted(path),
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
