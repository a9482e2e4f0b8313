//! The state of a call that its caller and its thread share.

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Instant;

use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;

use crate::guard::{Activity, OpeningLog};

/// The function to call, and its arguments.
pub(crate) struct Call {
    pub(crate) function: String,
    pub(crate) arguments: Map<String, Value>,
}

/// The record of a call while a thread works on it.
pub(crate) struct CallRecord {
    /// Taken exactly once: by the thread that passes the call to a guest, or by the caller that
    /// abandons that thread before this.
    call: Mutex<Option<Call>>,
    pub(crate) cancel: CancellationToken,
    /// Time at which a thread began with the call, before it looked up the roots.
    pub(crate) started: OnceLock<Instant>,
    pub(crate) activity: Arc<Activity>,
    /// True if the thread holds the right to the cache.
    pub(crate) holds_cache: AtomicBool,
    /// Set by whichever comes first: the thread that has ended the call, or the caller that
    /// abandons that thread. Only set under the lock of the queue, whose counts depend on it.
    pub(crate) end: OnceLock<CallEnd>,
}

/// The way in which a thread and its call parted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CallEnd {
    /// The thread has finished the call.
    Returned,
    /// The thread was abandoned; the index of the root that holds it, if one does.
    Abandoned(Option<usize>),
}

impl CallRecord {
    /// Returns the record of a call that no thread has begun; the files that it opens are logged in
    /// `openings`.
    pub(crate) fn new(
        call: Call,
        cancel: CancellationToken,
        openings: Option<Arc<OpeningLog>>,
    ) -> Self {
        Self {
            call: Mutex::new(Some(call)),
            cancel,
            started: OnceLock::new(),
            activity: Arc::new(Activity::new(openings)),
            holds_cache: AtomicBool::new(false),
            end: OnceLock::new(),
        }
    }

    /// Takes the call, if it has not been taken yet.
    pub(crate) fn take_call(&self) -> Option<Call> {
        let mut call = self.call.lock().unwrap_or_else(PoisonError::into_inner);
        call.take()
    }

    /// Returns true if the thread was abandoned.
    pub(crate) fn is_abandoned(&self) -> bool {
        matches!(self.end.get(), Some(CallEnd::Abandoned(_)))
    }
}
