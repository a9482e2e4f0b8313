//! The activity of a connection, with timeouts that close a connection without activity.
//!
//! hyper has a single timeout for waiting for a request and for reading its head; here a head that
//! has begun has a shorter one.

use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::Instant;

use crate::serve::http::limits::{HEAD_TIME, IDLE_TIME, READ_TIME};

/// The activity of a connection.
#[derive(Clone)]
pub struct ConnectionActivity(Arc<Mutex<ConnectionState>>);

struct ConnectionState {
    phase: Phase,
    since: Instant,
    /// Time since which data waits to be read by the client.
    unread: Option<Instant>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// Waiting for a request.
    Idle,
    /// Reading the head of a request.
    Head,
    /// Answering a request.
    Busy,
}

impl ConnectionActivity {
    /// Creates the activity of a connection that was just accepted.
    pub fn new() -> Self {
        Self(Arc::new(Mutex::new(ConnectionState {
            phase: Phase::Idle,
            since: Instant::now(),
            unread: None,
        })))
    }

    /// Marks the connection as busy until the returned value is dropped.
    pub fn busy(&self) -> Busy {
        self.lock().go(Phase::Busy);
        Busy(self.clone())
    }

    /// Returns true if the client has exceeded a timeout.
    pub fn is_overdue(&self) -> bool {
        self.lock().is_overdue(Instant::now())
    }

    /// Returns the idleness of a connection that waits for its client; none if the server is busy
    /// with a request.
    pub fn idleness(&self) -> Option<Idleness> {
        self.lock().idleness()
    }

    fn lock(&self) -> MutexGuard<'_, ConnectionState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The time for which the server has waited for a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Idleness {
    /// Awaited event: the larger, the less likely.
    pub rank: Waiting,
    /// Start of the wait.
    pub since: Instant,
}

/// An event that the server waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Waiting {
    /// An answer is read.
    Reading,
    /// The rest of a request's head arrives.
    Head,
    /// A request arrives.
    Request,
}

impl ConnectionState {
    fn idleness(&self) -> Option<Idleness> {
        let (rank, since) = match (self.phase, self.unread) {
            (Phase::Idle, None) => (Waiting::Request, self.since),
            (Phase::Head, None) => (Waiting::Head, self.since),
            (_, Some(since)) => (Waiting::Reading, since),
            (Phase::Busy, None) => return None,
        };
        Some(Idleness { rank, since })
    }

    fn go(&mut self, phase: Phase) {
        self.phase = phase;
        self.since = Instant::now();
    }

    fn is_overdue(&self, now: Instant) -> bool {
        let allowed = match self.phase {
            Phase::Idle => Some(IDLE_TIME),
            Phase::Head => Some(HEAD_TIME),
            // A request that is being answered has no timeout here, since calls have one of
            // their own.
            Phase::Busy => None,
        };
        let longer = |since: Instant, time| now.saturating_duration_since(since) > time;
        allowed.is_some_and(|time| longer(self.since, time))
            || self.unread.is_some_and(|since| longer(since, READ_TIME))
    }
}

/// A request that is being answered.
pub struct Busy(ConnectionActivity);

impl Drop for Busy {
    fn drop(&mut self) {
        self.0.lock().go(Phase::Idle);
    }
}

/// The two directions of a connection.
pub trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}

impl<T: AsyncRead + AsyncWrite + Send + Unpin> Stream for T {}

/// A connection whose activity is tracked.
pub struct Watched {
    stream: Box<dyn Stream>,
    activity: ConnectionActivity,
}

impl Watched {
    /// Wraps a connection, and tracks its reads and writes in `activity`.
    pub fn new(stream: Box<dyn Stream>, activity: ConnectionActivity) -> Self {
        Self { stream, activity }
    }

    /// Records the state of a write: pending while the client does not read.
    fn record_write<T>(&self, written: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        if written.is_pending() {
            self.activity.lock().unread.get_or_insert_with(Instant::now);
        }
        written
    }
}

impl AsyncRead for Watched {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        ready!(Pin::new(&mut self.stream).poll_read(context, buffer))?;
        let mut state = self.activity.lock();
        if buffer.filled().len() > before && state.phase == Phase::Idle {
            state.go(Phase::Head);
        }
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for Watched {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.record_write(written)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(Pin::new(&mut self.stream).poll_flush(context))?;
        // hyper flushes once it has written all its data, so after a completed flush nothing
        // waits for the client any more.
        self.activity.lock().unread = None;
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(context, bytes);
        self.record_write(written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_head_has_less_time_than_a_pause_and_an_answer_has_its_own() {
        let now = Instant::now();
        let second = Duration::from_secs(1);
        let mut state = ConnectionState {
            phase: Phase::Idle,
            since: now,
            unread: None,
        };
        assert!(!state.is_overdue(now + IDLE_TIME));
        assert!(state.is_overdue(now + IDLE_TIME + second));
        state.phase = Phase::Head;
        assert!(!state.is_overdue(now + HEAD_TIME));
        assert!(state.is_overdue(now + HEAD_TIME + second));
        state.phase = Phase::Busy;
        assert!(!state.is_overdue(now + IDLE_TIME * 10));
        state.unread = Some(now);
        assert!(!state.is_overdue(now + READ_TIME));
        assert!(state.is_overdue(now + READ_TIME + second));
    }

    #[tokio::test]
    async fn a_request_makes_a_connection_busy_until_it_is_answered() {
        use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

        let (mut client, server) = tokio::io::duplex(8);
        client.write_all(b"GET").await.unwrap();
        let activity = ConnectionActivity::new();
        let phase = || activity.lock().phase;
        let mut stream = Watched::new(Box::new(server), activity.clone());
        assert!(phase() == Phase::Idle);
        stream.read_u8().await.unwrap();
        assert!(phase() == Phase::Head);
        let busy = activity.busy();
        assert!(phase() == Phase::Busy);
        drop(busy);
        assert!(phase() == Phase::Idle);
    }
}
