//! Listening sockets, which are opened here alone.

use std::fmt;
use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener};
use std::path::PathBuf;
use std::str::FromStr;

/// Default port.
const PORT: u16 = 7780;

/// The address to listen on, as requested.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Listen {
    /// A TCP address.
    Tcp(SocketAddr),
    /// The path of a Unix socket, which only its owner can access.
    Unix(PathBuf),
    /// The socket that systemd has opened.
    Systemd,
}

impl Default for Listen {
    fn default() -> Self {
        Self::Tcp((Ipv4Addr::LOCALHOST, PORT).into())
    }
}

impl FromStr for Listen {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "systemd" {
            return Ok(Self::Systemd);
        }
        if let Some(path) = text.strip_prefix("unix:").filter(|path| !path.is_empty()) {
            return Ok(Self::Unix(path.into()));
        }
        // `localhost` is the only name that is accepted. Any other would require a lookup,
        // which may use the network, and may yield several addresses.
        let number = match text.strip_prefix("localhost:") {
            Some(port) => format!("{}:{port}", Ipv4Addr::LOCALHOST),
            None => text.to_owned(),
        };
        number.parse().map(Self::Tcp).map_err(|_| {
            format!("`{text}` is not an address; expected IP:PORT, unix:PATH or systemd")
        })
    }
}

impl fmt::Display for Listen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tcp(address) => write!(f, "{address}"),
            Self::Unix(path) => write!(f, "unix:{}", path.display()),
            Self::Systemd => f.write_str("systemd"),
        }
    }
}

/// The peer of a connection: a network address, or a process on this machine.
pub type Peer = Option<IpAddr>;

/// An open socket.
pub enum Listener {
    /// TCP socket.
    Tcp(TcpListener),
    /// Unix socket.
    #[cfg(unix)]
    Unix(std::os::unix::net::UnixListener),
}

/// A listening endpoint.
pub struct Endpoint {
    /// Socket.
    pub listener: Listener,
    /// Address.
    pub address: ListenAddress,
    /// Clients that can reach it.
    pub reach: EndpointReach,
}

/// The address of an endpoint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ListenAddress {
    /// Address and port.
    Tcp(SocketAddr),
    /// Path of a socket that systemd has created, if it is known.
    Unix(Option<PathBuf>),
    /// Path of a socket that was created here.
    OwnUnix(PathBuf),
}

impl ListenAddress {
    /// Removes the socket file that was created here.
    pub fn remove_ambient(&self) {
        if let Self::OwnUnix(path) = self {
            // The file may be removed already, or removing it may not be permitted; the next
            // start reports what is in its way.
            let _ = std::fs::remove_file(path);
        }
    }
}

/// The clients that can reach an endpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EndpointReach {
    /// Programs on this machine only.
    ThisMachine,
    /// Other machines, or unknown clients.
    Others,
}

impl fmt::Display for ListenAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tcp(address) => write!(f, "http://{address}"),
            Self::OwnUnix(path) | Self::Unix(Some(path)) => write!(f, "unix:{}", path.display()),
            Self::Unix(None) => f.write_str("a socket of systemd"),
        }
    }
}

impl Endpoint {
    /// Opens an endpoint. Must be called before other threads start.
    ///
    /// # Errors
    /// Returns the error of the system, or an error if another file has the path.
    pub fn open_ambient(listen: &Listen) -> io::Result<Self> {
        match listen {
            Listen::Tcp(address) => Self::tcp(TcpListener::bind(address)?),
            #[cfg(unix)]
            Listen::Unix(path) => unix::open_ambient(path),
            #[cfg(unix)]
            Listen::Systemd => unix::inherit_ambient(),
            #[cfg(not(unix))]
            Listen::Unix(_) | Listen::Systemd => Err(io::Error::new(
                io::ErrorKind::Unsupported,
                "this system has no such sockets",
            )),
        }
    }

    fn tcp(listener: TcpListener) -> io::Result<Self> {
        let address = listener.local_addr()?;
        let reach = if address.ip().to_canonical().is_loopback() {
            EndpointReach::ThisMachine
        } else {
            EndpointReach::Others
        };
        Ok(Self {
            listener: Listener::Tcp(listener),
            address: ListenAddress::Tcp(address),
            reach,
        })
    }
}

#[cfg(unix)]
mod unix {
    use std::io;
    use std::os::unix::fs::FileTypeExt as _;
    use std::os::unix::net::{UnixListener, UnixStream};
    use std::path::Path;

    use listenfd::ListenFd;
    use rustix::fs::Mode;
    use rustix::process::umask;

    use super::{Endpoint, EndpointReach, ListenAddress, Listener};

    pub(super) fn open_ambient(path: &Path) -> io::Result<Endpoint> {
        remove_stale(path)?;
        // The socket is created with its final mode by means of the umask. With a later
        // `chmod`, other users could connect in between. The umask belongs to the whole
        // process, which is why this must run before other threads start.
        let before = umask(Mode::RWXG | Mode::RWXO);
        let bound = UnixListener::bind(path);
        umask(before);
        Ok(Endpoint {
            listener: Listener::Unix(bound?),
            address: ListenAddress::OwnUnix(path.to_owned()),
            reach: EndpointReach::ThisMachine,
        })
    }

    /// Removes the socket of a server that was killed.
    fn remove_stale(path: &Path) -> io::Result<()> {
        let is_socket = path
            .symlink_metadata()
            .is_ok_and(|found| found.file_type().is_socket());
        if !is_socket {
            return Ok(());
        }
        match UnixStream::connect(path) {
            Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => {
                std::fs::remove_file(path)
            }
            // Another process listens there, or the attempt failed for a reason that does not
            // exclude it. The file stays, and binding reports that the address is in use.
            _ => Ok(()),
        }
    }

    pub(super) fn inherit_ambient() -> io::Result<Endpoint> {
        let mut given = ListenFd::from_env();
        if given.len() != 1 {
            let problem = format!("systemd gave {} sockets; expected one", given.len());
            return Err(io::Error::new(io::ErrorKind::InvalidInput, problem));
        }
        if let Ok(Some(listener)) = given.take_tcp_listener(0) {
            return Endpoint::tcp(listener);
        }
        let listener = given.take_unix_listener(0)?.ok_or_else(|| {
            io::Error::new(
                io::ErrorKind::InvalidInput,
                "systemd's socket is not listening",
            )
        })?;
        let path = listener.local_addr()?.as_pathname().map(Path::to_owned);
        Ok(Endpoint {
            listener: Listener::Unix(listener),
            address: ListenAddress::Unix(path),
            // The systemd unit decides who can reach the socket, by its path and mode or by its
            // address. docent cannot tell, so it assumes the least favourable case.
            reach: EndpointReach::Others,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_of_the_network_of_a_path_or_of_systemd() {
        let parsed = |text: &str| text.parse::<Listen>();
        let tcp = |text: &str| Ok(Listen::Tcp(text.parse().unwrap()));
        assert_eq!(parsed("127.0.0.1:1"), tcp("127.0.0.1:1"));
        assert_eq!(parsed("[::1]:1"), tcp("[::1]:1"));
        assert_eq!(parsed("localhost:1"), tcp("127.0.0.1:1"));
        assert_eq!(parsed("unix:/run/x"), Ok(Listen::Unix("/run/x".into())));
        assert_eq!(parsed("systemd"), Ok(Listen::Systemd));
        for wrong in [
            "",
            "7780",
            "unix:",
            "example.org:80",
            "127.0.0.1",
            "http://127.0.0.1:1",
        ] {
            assert_eq!(
                parsed(wrong),
                Err(format!(
                    "`{wrong}` is not an address; expected IP:PORT, unix:PATH or systemd"
                ))
            );
        }
    }

    #[test]
    fn only_loopback_is_this_machine() {
        for (address, reach) in [
            ("127.0.0.1:0", EndpointReach::ThisMachine),
            ("0.0.0.0:0", EndpointReach::Others),
        ] {
            let place = Endpoint::open_ambient(&address.parse().unwrap()).unwrap();
            assert_eq!(place.reach, reach, "{address}");
        }
    }
}
