//! The only way to change anything: [`Writable`], the third proof beside the two of
//! [`crate::door`]. Nothing else creates, replaces or removes an entry of a disk.

use crate::disk::{
    Durability, Entries, Failure, NewFile, OpenFile as _, Root, Version, WriteDirectory, WriteDisk,
    WriteFailure,
};
use crate::door::{Consent, Denied, check_not_reserved};
use crate::path::RelPath;
use crate::reserved::is_reserved;
use crate::sensitive::{is_sensitive_directory, is_sensitive_file};

/// A directory in a root that was granted for writing, or a state directory. Files in it may be
/// created, replaced and removed, sensitive ones only with the person's consent. Unlike the other
/// two proofs it gives access to reserved names, which nothing else creates.
#[derive(Debug)]
pub struct Writable<T> {
    directory: T,
    consent: Consent,
}

impl<T: WriteDirectory> Writable<T> {
    /// Opens a root.
    ///
    /// # Errors
    /// [`WriteFailure::ReadOnly`] if it was granted for reading; nothing was touched then.
    pub fn root<D: WriteDisk<Directory = T>>(
        disk: &D,
        index: usize,
        consent: Consent,
    ) -> Result<Self, WriteFailure> {
        let is_granted = |root: &Root| root.writable;
        if !disk.roots().get(index).is_some_and(is_granted) {
            return Err(WriteFailure::ReadOnly);
        }
        let directory = disk.open_root_for_writing(index)?;
        Ok(Self { directory, consent })
    }

    /// Opens the state directory of a root, or returns `None` if none was granted.
    ///
    /// # Errors
    /// The error of the platform.
    pub fn state<D: WriteDisk<Directory = T>>(
        disk: &D,
        index: usize,
    ) -> Result<Option<Self>, Failure> {
        // All names in a state directory are chosen by docent, so that none needs consent.
        let consent = Consent::Given;
        let opened = disk.open_state(index).transpose()?;
        Ok(opened.map(|directory| Self { directory, consent }))
    }

    /// Returns true if a file at this path below here may be written, by the names alone.
    #[must_use]
    pub fn admits(&self, path: &RelPath) -> bool {
        let mut names = path.segments();
        let last = names.next_back();
        self.consent == Consent::Given
            || !(names.any(is_sensitive_directory) || last.is_some_and(is_sensitive_file))
    }

    /// Opens a subdirectory.
    ///
    /// # Errors
    /// [`Denied::Sensitive`] by name alone; otherwise the error of the disk.
    pub fn directory(&self, name: &str) -> Result<Self, Denied> {
        check_not_reserved(name)?;
        if self.consent == Consent::Withheld && is_sensitive_directory(name) {
            return Err(Denied::Sensitive);
        }
        Ok(Self {
            directory: self.directory.open_directory(name)?,
            consent: self.consent,
        })
    }

    /// Returns the content of a file.
    ///
    /// # Errors
    /// [`Denied::Sensitive`] by name alone; [`Failure::TooLarge`] over `cap` bytes; otherwise the
    /// error of the disk.
    pub fn read(&self, name: &str, cap: usize) -> Result<Vec<u8>, Denied> {
        if self.is_sealed(name) {
            return Err(Denied::Sensitive);
        }
        Ok(self.inner().open_file(name)?.read_all(cap)?)
    }

    /// Returns the version of a file.
    ///
    /// # Errors
    /// The error of the disk.
    pub fn version(&self, name: &str) -> Result<Version, Failure> {
        self.inner().version(name)
    }

    /// Checks that a file may be written to in place; see [`WriteDirectory::may_write`].
    ///
    /// # Errors
    /// Those of [`WriteDirectory::may_write`], and [`WriteFailure::Permission`] by name alone.
    pub fn may_write(&self, name: &str) -> Result<(), WriteFailure> {
        self.admit(name)?;
        self.inner().may_write(name)
    }

    /// Checks that an entry may be moved away, replaced or created; see
    /// [`WriteDirectory::may_move`].
    ///
    /// # Errors
    /// Those of [`WriteDirectory::may_move`], and [`WriteFailure::Permission`] by name alone.
    pub fn may_move(&self, name: &str) -> Result<(), WriteFailure> {
        self.admit(name)?;
        self.inner().may_move(name)
    }

    /// Returns all entries, including reserved ones.
    ///
    /// # Errors
    /// The error of the disk.
    pub fn entries(&self) -> Result<Entries, Failure> {
        self.inner().entries()
    }

    /// Creates a file with these bytes; none of it is durable before [`Created::sync`].
    ///
    /// # Errors
    /// [`WriteFailure::Exists`] if an entry of this name exists. Otherwise the error of the disk; a
    /// part of the file may exist then.
    pub fn create(&self, name: &str, bytes: &[u8]) -> Result<Created<T::NewFile>, WriteFailure> {
        self.admit(name)?;
        let mut file = self.inner().create_file(name)?;
        file.write(bytes)?;
        Ok(Created(file))
    }

    /// Moves a file to an unused name; see [`WriteDirectory::move_new`].
    ///
    /// # Errors
    /// Those of [`WriteDirectory::move_new`].
    pub fn move_new(&self, name: &str, directory: &Self, to: &str) -> Result<(), WriteFailure> {
        self.admit(name)?;
        directory.admit(to)?;
        self.inner().move_new(name, directory.inner(), to)
    }

    /// Replaces a file by another; see [`WriteDirectory::replace`].
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
    /// The error of the disk.
    pub fn remove_file(&self, name: &str) -> Result<(), WriteFailure> {
        self.admit(name)?;
        self.inner().remove_file(name)
    }

    /// Creates an empty directory.
    ///
    /// # Errors
    /// The error of the disk.
    pub fn make_directory(&self, name: &str) -> Result<(), WriteFailure> {
        self.inner().make_directory(name)
    }

    /// Removes an empty directory.
    ///
    /// # Errors
    /// The error of the disk.
    pub fn remove_directory(&self, name: &str) -> Result<(), WriteFailure> {
        self.inner().remove_directory(name)
    }

    /// Makes the names in this directory durable.
    ///
    /// # Errors
    /// The error of the disk.
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
        &self.directory
    }
}

/// A newly created file.
#[derive(Debug)]
pub struct Created<F>(F);

impl<F: NewFile> Created<F> {
    /// Makes its content durable.
    ///
    /// # Errors
    /// The error of the disk; the state of the content is then unknown.
    pub fn sync(mut self) -> Result<(), WriteFailure> {
        self.0.sync()
    }
}
