//! The right to a granted directory, and the identity of a directory.

/// The right to a root.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Right {
    /// Reading and searching.
    #[default]
    ReadOnly,
    /// Creating, changing and deleting as well.
    ReadWrite,
}

/// The identity of the directory to which a path led.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Identity {
    device: u64,
    inode: u64,
}

impl Identity {
    /// Returns the identity of a directory with this device and inode.
    #[must_use]
    pub fn new(device: u64, inode: u64) -> Self {
        Self { device, inode }
    }
}
