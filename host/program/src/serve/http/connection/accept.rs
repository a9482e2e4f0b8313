//! Connections, which are accepted up to a limit and closed when idle or slow.

use std::convert::Infallible;
use std::io;
use std::net::IpAddr;
use std::pin::pin;
use std::sync::Arc;

use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::net::TcpListener;
#[cfg(unix)]
use tokio::net::UnixListener;
use tokio::time::MissedTickBehavior;
use tokio_util::sync::CancellationToken;

use crate::serve::http::connection::activity::{ConnectionActivity, Stream, Watched};
use crate::serve::http::connection::capacity::{Admission, Capacity};
use crate::serve::http::connection::listen::{Listener, Peer};
use crate::serve::http::limits::{HEAD_BYTES, HEADERS, LOOK, REST};
use crate::serve::http::state::ServerState;
use crate::serve::http::{reply, server};

/// The connections of a server, and the tokens that end them.
#[derive(Clone)]
pub struct Connections {
    state: Arc<ServerState>,
    capacity: Arc<Capacity>,
    /// Cancelled to stop accepting, and to close each connection after its current response.
    closing: CancellationToken,
}

/// A listener for asynchronous tasks.
enum AsyncListener {
    Tcp(TcpListener),
    #[cfg(unix)]
    Unix(UnixListener),
}

impl AsyncListener {
    fn new(listener: Listener) -> io::Result<Self> {
        match listener {
            Listener::Tcp(listener) => {
                listener.set_nonblocking(true)?;
                TcpListener::from_std(listener).map(Self::Tcp)
            }
            #[cfg(unix)]
            Listener::Unix(listener) => {
                listener.set_nonblocking(true)?;
                UnixListener::from_std(listener).map(Self::Unix)
            }
        }
    }

    async fn accept(&self) -> io::Result<(Box<dyn Stream>, Peer)> {
        match self {
            Self::Tcp(listener) => {
                let (stream, address) = listener.accept().await?;
                // A response is written at once. Nagle's algorithm would hold back its last
                // bytes until the client has acknowledged the ones before, and gain nothing.
                stream.set_nodelay(true)?;
                Ok((Box::new(stream), Some(address.ip().to_canonical())))
            }
            #[cfg(unix)]
            Self::Unix(listener) => {
                let (stream, _) = listener.accept().await?;
                Ok((Box::new(stream), None))
            }
        }
    }
}

impl Connections {
    /// Creates an empty set of connections. `closing` stops accepting; each of `proxies` may have
    /// any number.
    pub fn new(state: Arc<ServerState>, proxies: Vec<IpAddr>, closing: CancellationToken) -> Self {
        Self {
            state,
            capacity: Arc::new(Capacity::new(proxies)),
            closing,
        }
    }

    /// Accepts connections until `closing` is cancelled.
    ///
    /// # Errors
    /// Returns an error if the listener cannot be polled.
    pub async fn accept(&self, listener: Listener) -> io::Result<()> {
        let listener = AsyncListener::new(listener)?;
        loop {
            let accepted = tokio::select! {
                accepted = listener.accept() => accepted,
                () = self.closing.cancelled() => return Ok(()),
            };
            match accepted {
                Ok((stream, peer)) => self.take(stream, peer),
                // The process may be out of file descriptors, or the client may have gone while
                // it waited. Neither stops the server. The pause keeps the loop from spinning
                // while the first lasts.
                Err(_) => tokio::time::sleep(REST).await,
            }
        }
    }

    fn take(&self, stream: Box<dyn Stream>, peer: Peer) {
        let activity = ConnectionActivity::new();
        let admission = self.capacity.admit(peer, activity.clone());
        let connections = self.clone();
        tokio::spawn(async move {
            connections.serve(stream, peer, activity, &admission).await;
            drop(admission);
        });
    }

    /// Waits until all connections have ended.
    pub async fn wait_for_connections(&self) {
        self.capacity.wait_until_empty().await;
    }

    async fn serve(
        &self,
        stream: Box<dyn Stream>,
        peer: Peer,
        activity: ConnectionActivity,
        admission: &Admission,
    ) {
        let service = service_fn(|request: http::Request<Incoming>| {
            let busy = activity.busy();
            async move {
                let answer = server::answer(&self.state, request, peer, admission.service).await;
                Ok::<_, Infallible>(reply::hold_until_sent(answer, busy))
            }
        });
        let watched = TokioIo::new(Watched::new(stream, activity.clone()));
        let connection = http1::Builder::new()
            // hyper's timeout also applies to a connection that waits for its next request. The
            // connection's own activity is checked instead, which distinguishes the two.
            .header_read_timeout(None)
            .max_headers(HEADERS)
            .max_buf_size(HEAD_BYTES)
            .serve_connection(watched, service);
        let mut connection = pin!(connection);
        let mut looks = tokio::time::interval(LOOK);
        looks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut is_closing = false;
        loop {
            tokio::select! {
                // An error of the connection concerns its client alone.
                _ = connection.as_mut() => return,
                () = self.closing.cancelled(), if !is_closing => {
                    is_closing = true;
                    connection.as_mut().graceful_shutdown();
                }
                // Dropping the connection closes it.
                () = self.state.over.cancelled() => return,
                () = admission.evicted.cancelled() => return,
                _ = looks.tick() => {
                    if activity.is_overdue() {
                        return;
                    }
                }
            }
        }
    }
}
