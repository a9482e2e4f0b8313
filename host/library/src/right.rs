//! What a granted directory allows, and which directory it is.

/// What a root allows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Right {
    /// Reading and searching.
    #[default]
    ReadOnly,
    /// Creating, changing and deleting as well.
    ReadWrite,
}

/// Which directory a path led to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Identity {
    device: u64,
    inode: u64,
}

impl Identity {
    /// Names a directory by device and inode.
    #[must_use]
    pub fn new(device: u64, inode: u64) -> Self {
        Self { device, inode }
    }
}
