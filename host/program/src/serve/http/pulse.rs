//! What a connection is doing, and since when, so that none is kept open by doing nothing.
//!
//! hyper has one time for waiting for a request and for reading its head; here a head that has
//! begun has less.

use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::Instant;

use super::limits::{HEAD_TIME, IDLE_TIME, READ_TIME};

/// What a connection is doing.
#[derive(Clone)]
pub struct Pulse(Arc<Mutex<Doing>>);

struct Doing {
    phase: Phase,
    since: Instant,
    /// Since when something waits to be read by the client.
    unread: Option<Instant>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// Waiting for a request.
    Idle,
    /// Reading the head of one.
    Head,
    /// Answering it.
    Busy,
}

impl Pulse {
    /// Returns the pulse of a connection that was just accepted.
    pub fn new() -> Self {
        Self(Arc::new(Mutex::new(Doing {
            phase: Phase::Idle,
            since: Instant::now(),
            unread: None,
        })))
    }

    /// Notes that a request has come, until what this returns is dropped.
    pub fn busy(&self) -> Busy {
        self.lock().go(Phase::Busy);
        Busy(self.clone())
    }

    /// Whether the client has taken longer than it may.
    pub fn is_overdue(&self) -> bool {
        self.lock().is_overdue(Instant::now())
    }

    /// Returns since when the server has waited for the client; none where it has something to do for
    /// it.
    pub fn idleness(&self) -> Option<Idleness> {
        self.lock().idleness()
    }

    fn lock(&self) -> MutexGuard<'_, Doing> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// That the server waits for a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Idleness {
    /// For what: the larger, the sooner it is in vain.
    pub rank: Waiting,
    /// Since when.
    pub since: Instant,
}

/// What the server waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Waiting {
    /// That an answer is read.
    Reading,
    /// The rest of a request's head.
    Head,
    /// A request.
    Request,
}

impl Doing {
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
            // A call has a limit of its own.
            Phase::Busy => None,
        };
        let longer = |since: Instant, time| now.saturating_duration_since(since) > time;
        allowed.is_some_and(|time| longer(self.since, time))
            || self.unread.is_some_and(|since| longer(since, READ_TIME))
    }
}

/// A request that is being answered.
pub struct Busy(Pulse);

impl Drop for Busy {
    fn drop(&mut self) {
        self.0.lock().go(Phase::Idle);
    }
}

/// A connection's two directions.
pub trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}

impl<T: AsyncRead + AsyncWrite + Send + Unpin> Stream for T {}

/// A connection whose pulse is felt.
pub struct Watched {
    stream: Box<dyn Stream>,
    pulse: Pulse,
}

impl Watched {
    /// Returns a connection that notes in `pulse` what comes and goes.
    pub fn new(stream: Box<dyn Stream>, pulse: Pulse) -> Self {
        Self { stream, pulse }
    }

    /// Notes whether the client has room for what is written.
    fn noted<T>(&self, written: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        if written.is_pending() {
            self.pulse.lock().unread.get_or_insert_with(Instant::now);
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
        let mut doing = self.pulse.lock();
        if buffer.filled().len() > before && doing.phase == Phase::Idle {
            doing.go(Phase::Head);
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
        self.noted(written)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(Pin::new(&mut self.stream).poll_flush(context))?;
        // hyper flushes when all that it holds is written.
        self.pulse.lock().unread = None;
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
        self.noted(written)
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
        let mut doing = Doing {
            phase: Phase::Idle,
            since: now,
            unread: None,
        };
        assert!(!doing.is_overdue(now + IDLE_TIME));
        assert!(doing.is_overdue(now + IDLE_TIME + second));
        doing.phase = Phase::Head;
        assert!(!doing.is_overdue(now + HEAD_TIME));
        assert!(doing.is_overdue(now + HEAD_TIME + second));
        doing.phase = Phase::Busy;
        assert!(!doing.is_overdue(now + IDLE_TIME * 10));
        doing.unread = Some(now);
        assert!(!doing.is_overdue(now + READ_TIME));
        assert!(doing.is_overdue(now + READ_TIME + second));
    }

    #[tokio::test]
    async fn a_request_makes_a_connection_busy_until_it_is_answered() {
        use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

        let (mut client, server) = tokio::io::duplex(8);
        client.write_all(b"GET").await.unwrap();
        let pulse = Pulse::new();
        let phase = || pulse.lock().phase;
        let mut stream = Watched::new(Box::new(server), pulse.clone());
        assert!(phase() == Phase::Idle);
        stream.read_u8().await.unwrap();
        assert!(phase() == Phase::Head);
        let busy = pulse.busy();
        assert!(phase() == Phase::Busy);
        drop(busy);
        assert!(phase() == Phase::Idle);
    }
}
