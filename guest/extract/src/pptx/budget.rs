//! Limits of the texts and blocks of one part, which are in memory together until they are written.

use crate::failure::{EarlyStop, Failure};

/// The texts and blocks that may still be gathered.
#[derive(Debug)]
pub struct Budget {
    bytes: usize,
    items: usize,
}

impl Budget {
    /// Creates a budget of `bytes` bytes of text in `items` blocks, cells or points.
    pub fn new(bytes: usize, items: usize) -> Self {
        Self { bytes, items }
    }

    /// Returns the bytes of text that may still be gathered.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Takes `bytes` bytes of text.
    pub fn take_bytes(&mut self, bytes: usize) -> Result<(), EarlyStop> {
        self.bytes = self.bytes.checked_sub(bytes).ok_or(EarlyStop::Full)?;
        Ok(())
    }

    /// Takes a block, a cell or a point.
    pub fn take_item(&mut self) -> Result<(), EarlyStop> {
        self.take_items(1)
    }

    /// Takes `count` items, or one that needs as much memory. They need it even if they have no
    /// text: `<tc/>` in a file of 300 MB would fill it.
    pub fn take_items(&mut self, count: usize) -> Result<(), EarlyStop> {
        let left = self.items.checked_sub(count);
        self.items = left.ok_or(EarlyStop::Failed(Failure::Malformed))?;
        Ok(())
    }
}
