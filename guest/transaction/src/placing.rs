//! The steps of one file on its way to what the journal says, from whatever state it is found in.

use docent_tree::disk::{WriteDirectory, WriteFailure};
use docent_tree::write::Writable;

use crate::contents::Contents;
use crate::directories::{Found, look, remove};
use crate::limits::ATTEMPTS;
use crate::step::{Step, is_taken};
use docent_text::content_hash::ContentHash;

/// What became of an entry.
pub(crate) enum Placed {
    Done,
    /// Something else stands there, with this content.
    Conflict(Option<ContentHash>),
}

/// One entry on its way.
pub(crate) struct Placing<'p, T> {
    pub(crate) directory: &'p Writable<T>,
    pub(crate) name: &'p str,
    pub(crate) prepared: &'p str,
    pub(crate) aside: &'p str,
    pub(crate) known: &'p Contents,
}

impl<T: WriteDirectory> Placing<'_, T> {
    fn target(&self) -> Result<Found, WriteFailure> {
        look(self.directory, self.name, self.known)
    }

    fn is_prepared(&self, new: ContentHash) -> Result<bool, WriteFailure> {
        let found = look(self.directory, self.prepared, self.known)?;
        Ok(found.is(new) || (!is_taken(Step::PreparedHash) && found.hash().is_some()))
    }

    pub(crate) fn set(&self, old: ContentHash, new: ContentHash) -> Result<Placed, WriteFailure> {
        for _ in 0..ATTEMPTS {
            let target = self.target()?;
            if target.is(new) {
                return Ok(Placed::Done);
            }
            if !target.is(old) || !self.is_prepared(new)? {
                return Ok(Placed::Conflict(target.hash()));
            }
            if settled(self.over(self.directory, self.prepared, &target))? {
                return Ok(Placed::Done);
            }
        }
        Ok(Placed::Conflict(self.target()?.hash()))
    }

    pub(crate) fn make(&self, new: ContentHash) -> Result<Placed, WriteFailure> {
        for _ in 0..ATTEMPTS {
            let target = self.target()?;
            if target.is(new) {
                return Ok(Placed::Done);
            }
            if !is_free(&target) || !self.is_prepared(new)? {
                return Ok(Placed::Conflict(target.hash()));
            }
            if settled(self.onto(self.directory, self.prepared, &target))? {
                return Ok(Placed::Done);
            }
        }
        Ok(Placed::Conflict(self.target()?.hash()))
    }

    pub(crate) fn delete(&self, old: ContentHash) -> Result<Placed, WriteFailure> {
        for _ in 0..ATTEMPTS {
            match self.waiting()? {
                Found::Absent => {
                    let target = self.target()?;
                    match target {
                        Found::Absent => return Ok(Placed::Done),
                        target if !target.is(old) => {
                            return Ok(Placed::Conflict(target.hash()));
                        }
                        // Aside first: what is there then is what is removed, whatever was written
                        // between the look and this.
                        _ => settled(self.directory.move_new(
                            self.name,
                            self.directory,
                            self.aside,
                        ))?,
                    };
                }
                waiting if waiting.is(old) || !is_taken(Step::DeletedContent) => {
                    remove(self.directory, self.aside)?;
                    return Ok(Placed::Done);
                }
                _ => return self.take_back(),
            }
        }
        Ok(Placed::Conflict(self.target()?.hash()))
    }

    /// Returns what waits aside. An empty file beside one that is still in its place is only what
    /// hosts put first that cannot move without replacing; it goes.
    fn waiting(&self) -> Result<Found, WriteFailure> {
        let waiting = look(self.directory, self.aside, self.known)?;
        if waiting.is_empty() && !matches!(self.target()?, Found::Absent) {
            remove(self.directory, self.aside)?;
            return Ok(Found::Absent);
        }
        Ok(waiting)
    }

    /// Moves back what was moved aside and proved to be something else.
    pub(crate) fn take_back(&self) -> Result<Placed, WriteFailure> {
        if !matches!(self.waiting()?, Found::Absent) {
            let target = self.target()?;
            if is_free(&target) {
                settled(self.onto(self.directory, self.aside, &target))?;
            }
        }
        Ok(Placed::Conflict(self.target()?.hash()))
    }

    /// Puts a file into the place of what was found there.
    fn over(&self, from: &Writable<T>, name: &str, found: &Found) -> Result<(), WriteFailure> {
        let Found::File { version, .. } = found else {
            return Err(WriteFailure::Changed);
        };
        let mut version = *version;
        if !is_taken(Step::ReplacedVersion) {
            version = self.directory.version(self.name)?;
        }
        from.replace(name, self.directory, self.name, &version)
    }

    /// Puts a file where nothing was found, or a file without content.
    fn onto(&self, from: &Writable<T>, name: &str, found: &Found) -> Result<(), WriteFailure> {
        if matches!(found, Found::File { .. }) {
            return self.over(from, name, found);
        }
        match from.move_new(name, self.directory, self.name) {
            Err(WriteFailure::Exists) if !is_taken(Step::NothingReplaced) => {
                let version = self.directory.version(self.name)?;
                from.replace(name, self.directory, self.name, &version)
            }
            moved => moved,
        }
    }
}

/// Moves the file of `source` to `target`, so that it keeps mode and attributes; then it gets its
/// new content. The prepared file is a second copy of it until the names are durable: on some file
/// systems a name may go from one directory before it comes to the other.
pub(crate) fn move_to<T: WriteDirectory>(
    source: Option<&Placing<T>>,
    target: &Placing<T>,
    old: ContentHash,
    new: ContentHash,
) -> Result<Placed, WriteFailure> {
    for _ in 0..ATTEMPTS {
        let found = target.target()?;
        let is_placed = if found.is(new) {
            true
        } else if found.is(old) {
            if !target.is_prepared(new)? {
                return Ok(Placed::Conflict(found.hash()));
            }
            settled(target.over(target.directory, target.prepared, &found))?
        } else if is_free(&found) {
            match move_on(source, target, &found, old, new)? {
                Moved::AsItWas => old == new,
                Moved::AsPrepared => true,
                Moved::NotYet => false,
                Moved::Not(placed) => return Ok(placed),
            }
        } else {
            return Ok(Placed::Conflict(found.hash()));
        };
        if is_placed {
            return clear_source(source, old);
        }
    }
    Ok(Placed::Conflict(target.target()?.hash()))
}

/// What came to stand at the destination of a move.
enum Moved {
    /// The file itself, with its old content.
    AsItWas,
    /// The prepared file.
    AsPrepared,
    /// Nothing so far.
    NotYet,
    /// Nothing at all.
    Not(Placed),
}

/// Takes the next step of a move to where nothing is: the file first goes aside, so that what is
/// moved on is what was looked at.
fn move_on<T: WriteDirectory>(
    source: Option<&Placing<T>>,
    target: &Placing<T>,
    found: &Found,
    old: ContentHash,
    new: ContentHash,
) -> Result<Moved, WriteFailure> {
    let as_prepared = |there: Option<ContentHash>| {
        if !target.is_prepared(new)? {
            return Ok(Moved::Not(Placed::Conflict(there)));
        }
        let is_done = settled(target.onto(target.directory, target.prepared, found))?;
        Ok(if is_done {
            Moved::AsPrepared
        } else {
            Moved::NotYet
        })
    };
    let Some(source) = source else {
        return as_prepared(None);
    };
    match source.waiting()? {
        Found::Absent => match source.target()? {
            Found::Absent => as_prepared(None),
            held if held.is(old) => {
                settled(
                    source
                        .directory
                        .move_new(source.name, source.directory, source.aside),
                )?;
                Ok(Moved::NotYet)
            }
            held => Ok(Moved::Not(Placed::Conflict(held.hash()))),
        },
        waiting if waiting.is(old) || !is_taken(Step::MovedContent) => {
            let is_done = settled(target.onto(source.directory, source.aside, found))?;
            Ok(if is_done {
                Moved::AsItWas
            } else {
                Moved::NotYet
            })
        }
        _ => Ok(Moved::Not(source.take_back()?)),
    }
}

/// Removes what half a move left of the source; what else stands there by now is not ours.
fn clear_source<T: WriteDirectory>(
    source: Option<&Placing<T>>,
    old: ContentHash,
) -> Result<Placed, WriteFailure> {
    let Some(source) = source else {
        return Ok(Placed::Done);
    };
    match source.waiting()? {
        Found::Absent if source.target()?.is(old) => source.delete(old),
        Found::Absent => Ok(Placed::Done),
        waiting if waiting.is(old) => source.delete(old),
        _ => source.take_back(),
    }
}

/// Whether a new file may go there. An empty file holds no text to lose, and is what hosts that
/// cannot move without replacing put there first.
fn is_free(found: &Found) -> bool {
    match found {
        Found::Absent => true,
        Found::File { .. } => found.is_empty(),
        Found::Other => false,
    }
}

/// Whether a step was done; if not because something changed under our hands, one looks again.
fn settled(step: Result<(), WriteFailure>) -> Result<bool, WriteFailure> {
    match step {
        Ok(()) => Ok(true),
        Err(WriteFailure::Changed | WriteFailure::Exists | WriteFailure::NotFound) => Ok(false),
        Err(failure) => Err(failure),
    }
}
