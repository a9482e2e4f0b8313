//! The one way to change anything: [`Writable`], the third proof beside [`crate::door`]'s two. Nothing
//! else creates, replaces or removes an entry of a disk.

use crate::disk::{
    Durability, Entries, Failure, NewFile, OpenFile as _, Root, Version, WriteDirectory, WriteDisk,
    WriteFailure,
};
use crate::door::{Consent, Denied, Vetted};
use crate::path::RelPath;
use crate::reserved::is_reserved;
use crate::sensitive::{is_sensitive_directory, is_sensitive_file};

/// A directory in a root that was granted for writing, or a state directory. Files in it may be
/// created, replaced and removed, sensitive ones only with the person's consent. Unlike the other
/// two proofs it leads to reserved names, which are made of and by nothing else.
#[derive(Debug)]
pub struct Writable<T> {
    vetted: Vetted<T>,
    consent: Consent,
}

impl<T: WriteDirectory> Writable<T> {
    /// Opens a root.
    ///
    /// # Errors
    /// [`WriteFailure::ReadOnly`] when it was granted for reading; nothing was touched then.
    pub fn root<D: WriteDisk<Directory = T>>(
        disk: &D,
        index: usize,
        consent: Consent,
    ) -> Result<Self, WriteFailure> {
        let is_granted = |root: &Root| root.writable;
        if !disk.roots().get(index).is_some_and(is_granted) {
            return Err(WriteFailure::ReadOnly);
        }
        let vetted = Vetted::of_writable(disk.open_root_for_writing(index)?, consent);
        Ok(Self { vetted, consent })
    }

    /// Opens the state directory of a root; none where none was granted.
    ///
    /// # Errors
    /// What the platform says.
    pub fn state<D: WriteDisk<Directory = T>>(
        disk: &D,
        index: usize,
    ) -> Result<Option<Self>, Failure> {
        // All names in it are docent's, so there is none that consent would be needed for.
        let consent = Consent::Given;
        let opened = disk.open_state(index).transpose()?;
        Ok(opened.map(|directory| Self {
            vetted: Vetted::of_writable(directory, consent),
            consent,
        }))
    }

    /// Whether a file of this path below here may be written, by the names alone.
    #[must_use]
    pub fn admits(&self, path: &RelPath) -> bool {
        let mut names = path.segments();
        let last = names.next_back();
        self.consent == Consent::Given
            || !(names.any(is_sensitive_directory) || last.is_some_and(is_sensitive_file))
    }

    /// Opens a directory in this one.
    ///
    /// # Errors
    /// [`Denied::Sensitive`] by name alone; otherwise what the disk says.
    pub fn directory(&self, name: &str) -> Result<Self, Denied> {
        Ok(Self {
            vetted: self.vetted.directory(name)?,
            consent: self.consent,
        })
    }

    /// Returns the content of a file.
    ///
    /// # Errors
    /// [`Denied::Sensitive`] by name alone; [`Failure::TooLarge`] over `cap` bytes; otherwise what
    /// the disk says.
    pub fn read(&self, name: &str, cap: usize) -> Result<Vec<u8>, Denied> {
        if self.is_sealed(name) {
            return Err(Denied::Sensitive);
        }
        Ok(self.inner().open_file(name)?.read_all(cap)?)
    }

    /// Returns which file stands under a name.
    ///
    /// # Errors
    /// What the disk says.
    pub fn version(&self, name: &str) -> Result<Version, Failure> {
        self.inner().version(name)
    }

    /// Returns when a file may be written to in its place; see [`WriteDirectory::may_write`].
    ///
    /// # Errors
    /// Those of [`WriteDirectory::may_write`], and [`WriteFailure::Permission`] by name alone.
    pub fn may_write(&self, name: &str) -> Result<(), WriteFailure> {
        self.admit(name)?;
        self.inner().may_write(name)
    }

    /// Returns when an entry may be moved away, be replaced or be made; see
    /// [`WriteDirectory::may_move`].
    ///
    /// # Errors
    /// Those of [`WriteDirectory::may_move`], and [`WriteFailure::Permission`] by name alone.
    pub fn may_move(&self, name: &str) -> Result<(), WriteFailure> {
        self.admit(name)?;
        self.inner().may_move(name)
    }

    /// Returns all entries, reserved ones as well.
    ///
    /// # Errors
    /// What the disk says.
    pub fn entries(&self) -> Result<Entries, Failure> {
        self.inner().entries()
    }

    /// Makes a file of these bytes; none of it is durable before [`Created::sync`].
    ///
    /// # Errors
    /// [`WriteFailure::Exists`] when anything of this name is there. Otherwise what the disk says;
    /// a part of the file may be there then.
    pub fn create(&self, name: &str, bytes: &[u8]) -> Result<Created<T::NewFile>, WriteFailure> {
        self.admit(name)?;
        let mut file = self.inner().create_file(name)?;
        file.write(bytes)?;
        Ok(Created(file))
    }

    /// Moves a file to a name that nothing has; see [`WriteDirectory::move_new`].
    ///
    /// # Errors
    /// Those of [`WriteDirectory::move_new`].
    pub fn move_new(&self, name: &str, directory: &Self, to: &str) -> Result<(), WriteFailure> {
        self.admit(name)?;
        directory.admit(to)?;
        self.inner().move_new(name, directory.inner(), to)
    }

    /// Puts a file into the place of another; see [`WriteDirectory::replace`].
    ///
    /// # Errors
    /// Those of [`WriteDirectory::replace`].
    pub fn replace(
        &self,
        name: &str,
        directory: &Self,
        to: &str,
        expected: &Version,
    ) -> Result<(), WriteFailure> {
        self.admit(name)?;
        directory.admit(to)?;
        self.inner().replace(name, directory.inner(), to, expected)
    }

    /// Removes a file.
    ///
    /// # Errors
    /// What the disk says.
    pub fn remove_file(&self, name: &str) -> Result<(), WriteFailure> {
        self.admit(name)?;
        self.inner().remove_file(name)
    }

    /// Makes an empty directory.
    ///
    /// # Errors
    /// What the disk says.
    pub fn make_directory(&self, name: &str) -> Result<(), WriteFailure> {
        self.inner().make_directory(name)
    }

    /// Removes an empty directory.
    ///
    /// # Errors
    /// What the disk says.
    pub fn remove_directory(&self, name: &str) -> Result<(), WriteFailure> {
        self.inner().remove_directory(name)
    }

    /// Makes the names in this directory durable.
    ///
    /// # Errors
    /// What the disk says.
    pub fn sync(&self) -> Result<Durability, WriteFailure> {
        self.inner().sync()
    }

    fn admit(&self, name: &str) -> Result<(), WriteFailure> {
        if self.is_sealed(name) {
            return Err(WriteFailure::Permission);
        }
        Ok(())
    }

    fn is_sealed(&self, name: &str) -> bool {
        self.consent == Consent::Withheld && !is_reserved(name) && is_sensitive_file(name)
    }

    fn inner(&self) -> &T {
        self.vetted.inner()
    }
}

/// A file that was just made.
#[derive(Debug)]
pub struct Created<F>(F);

impl<F: NewFile> Created<F> {
    /// Makes its content durable.
    ///
    /// # Errors
    /// What the disk says; nothing is known of the content then.
    pub fn sync(mut self) -> Result<(), WriteFailure> {
        self.0.sync()
    }
}
