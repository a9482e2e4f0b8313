//! Contents kept in the state directory, each under its hash.

use docent_tree::disk::{Failure, WriteDirectory, WriteFailure};
use docent_tree::write::Writable;

use crate::directories::{failure, look, remove};
use crate::hash::ContentHash;
use crate::limits::FILE_BYTES;
use crate::step::{Step, is_taken};

/// What is being written, before it has its name. There is one writer, so there is one name.
pub(crate) const INCOMING: &str = "incoming";

/// Opens a directory of the state directory, and makes it where it is not there. That it was made
/// becomes durable with the journal, which stands beside it.
pub(crate) fn part<T: WriteDirectory>(
    state: &Writable<T>,
    name: &str,
) -> Result<Writable<T>, WriteFailure> {
    match state.directory(name).map_err(failure) {
        Err(WriteFailure::NotFound) => {}
        opened => return opened,
    }
    match state.make_directory(name) {
        Ok(()) | Err(WriteFailure::Exists) => {}
        Err(failure) => return Err(failure),
    }
    state.directory(name).map_err(failure)
}

/// Opens where contents are kept.
pub(crate) fn directory<T: WriteDirectory>(
    state: &Writable<T>,
) -> Result<Writable<T>, WriteFailure> {
    part(state, "objects")
}

/// Keeps a content; its name is durable when the directory is synced.
pub(crate) fn keep<T: WriteDirectory>(
    objects: &Writable<T>,
    hash: ContentHash,
    content: &[u8],
) -> Result<(), WriteFailure> {
    let name = hash.to_string();
    let found = look(objects, &name)?;
    if found.is(hash) {
        return Ok(());
    }
    put(objects, &name, content, Step::ObjectContent)
}

/// Puts a file under a name, whatever stood there, so that the name never stands for less than the
/// whole of it.
pub(crate) fn put<T: WriteDirectory>(
    directory: &Writable<T>,
    name: &str,
    content: &[u8],
    step: Step,
) -> Result<(), WriteFailure> {
    remove(directory, INCOMING)?;
    remove(directory, name)?;
    let file = directory.create(INCOMING, content)?;
    if is_taken(step) {
        file.sync()?;
    }
    directory.move_new(INCOMING, directory, name)
}

/// Returns a kept content; none where it is not there, or is not what its name says.
pub(crate) fn read<T: WriteDirectory>(
    objects: &Writable<T>,
    hash: ContentHash,
) -> Result<Option<Vec<u8>>, WriteFailure> {
    let name = hash.to_string();
    match objects.version(&name) {
        Ok(_) => {}
        Err(Failure::NotFound) => return Ok(None),
        Err(failure) => return Err(failure.into()),
    }
    let content = objects.read(&name, FILE_BYTES).map_err(failure)?;
    let is_sound = !is_taken(Step::ObjectHash) || ContentHash::of(&content) == hash;
    Ok(is_sound.then_some(content))
}
