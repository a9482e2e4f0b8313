//! The write budget of one call, which holds for any guest.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use wasmtime_wasi::p2::{DynOutputStream, OutputStream, Pollable, StreamError, StreamResult};
use wasmtime_wasi_io::async_trait;
use wasmtime_wasi_io::bytes::Bytes;

use crate::limits::{WRITTEN_BYTES, WRITTEN_ENTRIES};

/// The remaining budget.
pub(super) struct WriteBudget {
    bytes: AtomicU64,
    entries: AtomicU64,
}

impl Default for WriteBudget {
    fn default() -> Self {
        Self {
            bytes: AtomicU64::new(WRITTEN_BYTES),
            entries: AtomicU64::new(WRITTEN_ENTRIES),
        }
    }
}

impl WriteBudget {
    /// Resets the budget for the next call.
    pub(super) fn renew(&self) {
        self.bytes.store(WRITTEN_BYTES, Ordering::Relaxed);
        self.entries.store(WRITTEN_ENTRIES, Ordering::Relaxed);
    }

    /// Spends bytes of the budget; returns false, and spends none, if fewer are left.
    pub(super) fn spend_bytes(&self, bytes: u64) -> bool {
        spend(&self.bytes, bytes)
    }

    /// Spends the cost of one file, directory or rename.
    pub(super) fn spend_entry(&self) -> bool {
        spend(&self.entries, 1)
    }
}

fn spend(left: &AtomicU64, cost: u64) -> bool {
    // The subtraction and its check are one atomic step: streams of one call may be written
    // while another operation spends. A plain `fetch_sub` would wrap below zero and leave a
    // guest with an almost unlimited budget.
    left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| {
        left.checked_sub(cost)
    })
    .is_ok()
}

/// A stream into a file that spends the budget of the call.
pub(super) struct CountedStream {
    pub(super) stream: DynOutputStream,
    pub(super) budget: Arc<WriteBudget>,
}

#[async_trait]
impl Pollable for CountedStream {
    async fn ready(&mut self) {
        self.stream.ready().await;
    }
}

#[async_trait]
impl OutputStream for CountedStream {
    fn write(&mut self, bytes: Bytes) -> StreamResult<()> {
        if !self.budget.spend_bytes(bytes.len() as u64) {
            let spent = wasmtime::Error::msg("the call exceeds its write limit");
            return Err(StreamError::LastOperationFailed(spent));
        }
        self.stream.write(bytes)
    }

    fn flush(&mut self) -> StreamResult<()> {
        self.stream.flush()
    }

    fn check_write(&mut self) -> StreamResult<usize> {
        self.stream.check_write()
    }

    async fn cancel(&mut self) {
        self.stream.cancel().await;
    }
}

#[cfg(test)]
mod tests {
    use super::WriteBudget;
    use crate::limits::{WRITTEN_BYTES, WRITTEN_ENTRIES};

    #[test]
    fn a_call_writes_so_much_and_the_next_as_much_again() {
        let budget = WriteBudget::default();
        for _ in 0..2 {
            assert!(!budget.spend_bytes(WRITTEN_BYTES + 1), "nothing is taken");
            assert!(budget.spend_bytes(WRITTEN_BYTES));
            assert!(!budget.spend_bytes(1));
            assert!(budget.spend_bytes(0));
            for _ in 0..WRITTEN_ENTRIES {
                assert!(budget.spend_entry());
            }
            assert!(!budget.spend_entry());
            budget.renew();
        }
    }
}
