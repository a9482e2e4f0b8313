//! Connections to embedders, plain or encrypted, with a deadline.

use std::io::{self, Read, Write};
use std::net::{IpAddr, SocketAddr, TcpStream, ToSocketAddrs as _};
use std::sync::{Arc, OnceLock, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use rustls::pki_types::ServerName;
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};

use super::address::{EmbedderAddress, Host};

/// A reason for a failed connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ConnectionError {
    /// The host refuses connections or cannot be reached.
    Unreachable,
    /// The deadline has passed.
    TooSlow,
    /// The TLS peer could not be verified: the reason.
    Untrusted(String),
}

/// A connection.
pub enum EmbedderConnection {
    Plain(Timed),
    Encrypted(Box<StreamOwned<ClientConnection, Timed>>),
}

/// A socket with a deadline for all its operations, which a peer that sends single bytes cannot
/// extend.
pub struct Timed {
    stream: TcpStream,
    end: Instant,
}

/// Connects to an address.
///
/// # Errors
/// Returns [`ConnectionError`] if there is no connection until `end`.
pub fn open(
    address: &EmbedderAddress,
    end: Instant,
) -> Result<EmbedderConnection, ConnectionError> {
    // The certificates are loaded before connecting. Without any, no peer could be verified,
    // and the connection would only tell the other side that docent is here.
    let tls = match address.is_encrypted() {
        true => Some(client()?),
        false => None,
    };
    let stream = connect(&sockets(address, end)?, end)?;
    let stream = Timed { stream, end };
    let Some(tls) = tls else {
        return Ok(EmbedderConnection::Plain(stream));
    };
    let named = ClientConnection::new(tls, name(address)?);
    let named = named.map_err(|error| ConnectionError::Untrusted(error.to_string()))?;
    let stream = StreamOwned::new(named, stream);
    Ok(EmbedderConnection::Encrypted(Box::new(stream)))
}

/// Returns true if an error is a timeout.
pub fn is_timeout(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::TimedOut | io::ErrorKind::WouldBlock
    )
}

/// Returns the reason for which the TLS peer is not trusted, if an error contains one.
pub fn distrust(error: &io::Error) -> Option<String> {
    let error = error.get_ref()?.downcast_ref::<rustls::Error>()?;
    Some(error.to_string())
}

/// Returns the time until `end`; none if it has passed.
fn time_left(end: Instant) -> Option<Duration> {
    let left = end.saturating_duration_since(Instant::now());
    (!left.is_zero()).then_some(left)
}

fn connect(sockets: &[SocketAddr], end: Instant) -> Result<TcpStream, ConnectionError> {
    for socket in sockets {
        let left = time_left(end).ok_or(ConnectionError::TooSlow)?;
        match TcpStream::connect_timeout(socket, left) {
            Ok(stream) => return Ok(stream),
            Err(error) if is_timeout(&error) => return Err(ConnectionError::TooSlow),
            Err(_) => {}
        }
    }
    Err(ConnectionError::Unreachable)
}

fn sockets(address: &EmbedderAddress, end: Instant) -> Result<Vec<SocketAddr>, ConnectionError> {
    let at = |ip: &IpAddr| SocketAddr::new(*ip, address.port());
    match address.host() {
        Host::Here(ips) => Ok(ips.iter().map(at).collect()),
        Host::At(ip) => Ok(vec![at(ip)]),
        Host::Named(name) => resolve(name.clone(), address.port(), end),
    }
}

/// Resolves a host name.
fn resolve(name: String, port: u16, end: Instant) -> Result<Vec<SocketAddr>, ConnectionError> {
    let (found, finding) = mpsc::sync_channel(1);
    // The resolver of the system has no timeout, and waits for a minute or more if a name
    // server does not answer. It runs in a thread of its own, which is left behind when the
    // deadline passes.
    let looking = thread::Builder::new()
        .name("docent-resolve".to_owned())
        .spawn(move || {
            let sockets = (name.as_str(), port).to_socket_addrs();
            // The receiver may have given up.
            let _ = found.send(sockets.map(Vec::from_iter));
        });
    looking.map_err(|_| ConnectionError::Unreachable)?;
    let left = time_left(end).ok_or(ConnectionError::TooSlow)?;
    let sockets = finding
        .recv_timeout(left)
        .map_err(|_| ConnectionError::TooSlow)?;
    sockets.map_err(|_| ConnectionError::Unreachable)
}

/// Returns the server name that a certificate must match.
fn name(address: &EmbedderAddress) -> Result<ServerName<'static>, ConnectionError> {
    let name = match address.host() {
        Host::At(ip) => return Ok(ServerName::from(*ip)),
        Host::Named(name) => name.trim_end_matches('.').to_owned(),
        Host::Here(ips) => match ips[..] {
            [ip] => return Ok(ServerName::from(ip)),
            _ => "localhost".to_owned(),
        },
    };
    ServerName::try_from(name).map_err(|error| ConnectionError::Untrusted(error.to_string()))
}

/// Returns the TLS configuration with the certificates that this machine trusts (those of
/// `SSL_CERT_FILE` and `SSL_CERT_DIR` if they are set), read once.
fn client() -> Result<Arc<ClientConfig>, ConnectionError> {
    static CLIENT: OnceLock<Result<Arc<ClientConfig>, String>> = OnceLock::new();
    let client = CLIENT.get_or_init(|| {
        let found = rustls_native_certs::load_native_certs();
        let mut roots = RootCertStore::empty();
        let (usable, _) = roots.add_parsable_certificates(found.certs);
        if usable == 0 {
            return Err("this machine has no trusted certificates".to_owned());
        }
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(|error| error.to_string())?;
        let config = config.with_root_certificates(roots).with_no_client_auth();
        Ok(Arc::new(config))
    });
    client.clone().map_err(ConnectionError::Untrusted)
}

impl Read for EmbedderConnection {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Plain(stream) => stream.read(buffer),
            Self::Encrypted(stream) => stream.read(buffer),
        }
    }
}

impl Write for EmbedderConnection {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Plain(stream) => stream.write(bytes),
            Self::Encrypted(stream) => stream.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Plain(stream) => stream.flush(),
            Self::Encrypted(stream) => stream.flush(),
        }
    }
}

impl Timed {
    fn time_left(&self) -> io::Result<Option<Duration>> {
        time_left(self.end)
            .map(Some)
            .ok_or_else(|| io::ErrorKind::TimedOut.into())
    }
}

impl Read for Timed {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        // The timeout of the socket applies to a single read. It is set to the remaining time
        // before each one; a fixed value would begin again with every byte, and a server that
        // sends one byte a second could hold the call forever.
        self.stream.set_read_timeout(self.time_left()?)?;
        self.stream.read(buffer)
    }
}

impl Write for Timed {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.stream.set_write_timeout(self.time_left()?)?;
        self.stream.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.stream.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_looked_up() {
        let end = Instant::now() + Duration::from_secs(20);
        let sockets = resolve("localhost".to_owned(), 7, end).unwrap();
        assert!(
            sockets
                .iter()
                .any(|socket| socket.ip().is_loopback() && socket.port() == 7)
        );
        let none = resolve("nobody.invalid".to_owned(), 7, end);
        assert!(none.is_err(), "{none:?}");
        let over = resolve("localhost".to_owned(), 7, Instant::now());
        assert_eq!(over, Err(ConnectionError::TooSlow));
    }
}
