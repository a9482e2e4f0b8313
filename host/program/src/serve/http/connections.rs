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

use super::limits::{HEAD_BYTES, HEADERS, LOOK, REST};
use super::listen::Listener;
use super::pulse::{Pulse, Stream, Watched};
use super::reply;
use super::room::{Place, Room};
use super::site::Site;

/// The peer of a connection: a network address, or a process on this machine.
pub type Peer = Option<IpAddr>;

/// The connections of a server, and the tokens that end them.
#[derive(Clone)]
pub struct Connections {
    site: Arc<Site>,
    room: Arc<Room>,
    /// Cancelled to stop accepting, and to close each connection after its current response.
    closing: CancellationToken,
}

/// A listener for asynchronous tasks.
enum Door {
    Tcp(TcpListener),
    #[cfg(unix)]
    Unix(UnixListener),
}

impl Door {
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
                // A response is written at once, so delaying its last bytes gains nothing.
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
    pub fn new(site: Arc<Site>, proxies: Vec<IpAddr>, closing: CancellationToken) -> Self {
        Self {
            site,
            room: Arc::new(Room::new(proxies)),
            closing,
        }
    }

    /// Accepts connections until `closing` is cancelled.
    ///
    /// # Errors
    /// Returns an error if the listener cannot be polled.
    pub async fn accept(&self, listener: Listener) -> io::Result<()> {
        let door = Door::new(listener)?;
        loop {
            let accepted = tokio::select! {
                accepted = door.accept() => accepted,
                () = self.closing.cancelled() => return Ok(()),
            };
            match accepted {
                Ok((stream, peer)) => self.take(stream, peer),
                // Out of file descriptors, or the client has gone: neither stops the server.
                Err(_) => tokio::time::sleep(REST).await,
            }
        }
    }

    fn take(&self, stream: Box<dyn Stream>, peer: Peer) {
        let pulse = Pulse::new();
        let place = self.room.enter(peer, pulse.clone());
        let connections = self.clone();
        tokio::spawn(async move {
            connections.serve(stream, peer, pulse, &place).await;
            drop(place);
        });
    }

    /// Waits until all connections have ended.
    pub async fn ended(&self) {
        self.room.emptied().await;
    }

    async fn serve(&self, stream: Box<dyn Stream>, peer: Peer, pulse: Pulse, place: &Place) {
        let service = service_fn(|request: http::Request<Incoming>| {
            let busy = pulse.busy();
            async move {
                let answer = self.site.answer(request, peer, place.service).await;
                Ok::<_, Infallible>(reply::holding(answer, busy))
            }
        });
        let watched = TokioIo::new(Watched::new(stream, pulse.clone()));
        let connection = http1::Builder::new()
            // The connection's activity is checked instead.
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
                () = self.site.over.cancelled() => return,
                () = place.sent_away.cancelled() => return,
                _ = looks.tick() => {
                    if pulse.is_overdue() {
                        return;
                    }
                }
            }
        }
    }
}
