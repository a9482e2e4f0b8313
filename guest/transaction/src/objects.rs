//! Contents kept in the state directory, each under its hash.

use docent_tree::disk::{Failure, WriteDirectory, WriteFailure};
use docent_tree::write::{Created, Writable};

use crate::contents::Contents;
use crate::directories::{failure, look, remove};
use crate::limits::{FILE_BYTES, OPEN_FILES};
use crate::step::{Step, is_taken};
use docent_text::content_hash::{Content, ContentHash};

/// What is being written, before it has its name. There is one writer, so one name will do.
const INCOMING: &str = "incoming";

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

/// Contents on their way to where they are kept. They are synced some at a time: a file system then
/// does much of the work once for all of them.
pub(crate) struct Keeper<'o, T: WriteDirectory> {
    objects: &'o Writable<T>,
    waiting: Vec<(Created<T::NewFile>, String, ContentHash)>,
}

impl<'o, T: WriteDirectory> Keeper<'o, T> {
    pub(crate) fn new(objects: &'o Writable<T>) -> Self {
        let waiting = Vec::new();
        Self { objects, waiting }
    }

    /// Keeps a content, unless it is kept already.
    pub(crate) fn add(&mut self, content: &Content) -> Result<(), WriteFailure> {
        let hash = content.hash();
        let is_waiting = self.waiting.iter().any(|(_, _, waiting)| *waiting == hash);
        let known = Contents {
            old: Some(content.clone()),
            new: None,
        };
        if is_waiting || look(self.objects, &hash.to_string(), &known)?.is(hash) {
            return Ok(());
        }
        let name = format!("{INCOMING}-{}", self.waiting.len());
        remove(self.objects, &name)?;
        let file = self.objects.create(&name, content.bytes())?;
        self.waiting.push((file, name, hash));
        if self.waiting.len() >= OPEN_FILES {
            self.flush()?;
        }
        Ok(())
    }

    /// Gives what was kept its names, once all of it is durable.
    fn flush(&mut self) -> Result<(), WriteFailure> {
        let mut written = Vec::with_capacity(self.waiting.len());
        for (file, name, hash) in self.waiting.drain(..) {
            if is_taken(Step::ObjectContent) {
                file.sync()?;
            }
            written.push((name, hash));
        }
        for (name, hash) in written {
            let kept = hash.to_string();
            // What stands there is damaged, or it would have been found.
            remove(self.objects, &kept)?;
            self.objects.move_new(&name, self.objects, &kept)?;
        }
        Ok(())
    }

    /// Makes all that was kept durable.
    pub(crate) fn finish(mut self, step: Step) -> Result<(), WriteFailure> {
        self.flush()?;
        if is_taken(step) {
            // Also when all were kept before: an operation that failed may have left them unsynced.
            self.objects.sync()?;
        }
        Ok(())
    }
}

/// Puts a record under a name, whatever stood there, so that the name never stands for less than
/// the whole of it.
pub(crate) fn put<T: WriteDirectory>(
    directory: &Writable<T>,
    name: &str,
    content: &[u8],
) -> Result<(), WriteFailure> {
    remove(directory, INCOMING)?;
    remove(directory, name)?;
    let file = directory.create(INCOMING, content)?;
    if is_taken(Step::RecordContent) {
        file.sync()?;
    }
    directory.move_new(INCOMING, directory, name)
}

/// Returns a kept content; none where it is not there, or is not what its name says.
pub(crate) fn read<T: WriteDirectory>(
    objects: &Writable<T>,
    hash: ContentHash,
) -> Result<Option<Content>, WriteFailure> {
    let name = hash.to_string();
    match objects.version(&name) {
        Ok(_) => {}
        Err(Failure::NotFound) => return Ok(None),
        Err(failure) => return Err(failure.into()),
    }
    let content = Content::new(objects.read(&name, FILE_BYTES).map_err(failure)?);
    let is_sound = !is_taken(Step::ObjectHash) || content.hash() == hash;
    Ok(is_sound.then_some(content))
}
