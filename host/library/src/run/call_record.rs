//! What the caller's side and the thread's side of a call know of each other.

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Instant;

use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;

use crate::guard::{Activity, OpeningLog};

/// What is to be done.
pub(crate) struct Call {
    pub(crate) function: String,
    pub(crate) arguments: Map<String, Value>,
}

/// A call on its way through a thread.
pub(crate) struct CallRecord {
    /// Taken by the thread that hands it to a guest, or by the caller who gives that thread up
    /// before: by one of them.
    call: Mutex<Option<Call>>,
    pub(crate) cancel: CancellationToken,
    /// When a thread began with it, before the roots were looked at.
    pub(crate) started: OnceLock<Instant>,
    pub(crate) activity: Arc<Activity>,
    /// Whether the thread has the right to the cache.
    pub(crate) holds_cache: AtomicBool,
    /// Set by whichever comes first: the thread that has ended the call, or the caller who gives
    /// that thread up. Only under the lock of the queue, whose counts go by it.
    pub(crate) end: OnceLock<CallEnd>,
}

/// How a thread and its call parted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CallEnd {
    /// The thread has done it.
    Returned,
    /// The thread was given up; the index of the root that keeps it, if one does.
    Abandoned(Option<usize>),
}

impl CallRecord {
    /// Returns the record of a call that no thread has begun with; the files that it opens are noted
    /// in `openings`.
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

    /// Takes the call, if it was not taken yet.
    pub(crate) fn take_call(&self) -> Option<Call> {
        let mut call = self.call.lock().unwrap_or_else(PoisonError::into_inner);
        call.take()
    }

    /// Whether the thread was given up.
    pub(crate) fn is_abandoned(&self) -> bool {
        matches!(self.end.get(), Some(CallEnd::Abandoned(_)))
    }
}
