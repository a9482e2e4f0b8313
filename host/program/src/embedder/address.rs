//! Where an embedder is: an address of this machine.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use thiserror::Error;

/// The port of plain HTTP.
const PORT: u16 = 80;

/// An `http` address of this machine, without what stands behind the path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address {
    /// As it is written, port included where it is.
    authority: String,
    /// What to connect to, in this order.
    sockets: Vec<SocketAddr>,
    /// Without `/` at its end.
    path: String,
}

/// Why an address is not taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum AddressError {
    /// It is not of the form.
    #[error("expected `http://127.0.0.1:PORT/v1`")]
    Malformed,
    /// It leads to another machine.
    #[error("it is not of this machine; expected `localhost`, `127.0.0.1` or `[::1]`")]
    Remote,
}

impl Address {
    /// Understands the base of an endpoint, to which `/embeddings` belongs.
    ///
    /// # Errors
    /// [`AddressError`] for what leads elsewhere, or nowhere.
    pub fn parse(text: &str) -> Result<Self, AddressError> {
        let rest = text.trim().strip_prefix("http://");
        let rest = rest.ok_or(AddressError::Malformed)?;
        let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
        let is_plain = |c: char| c.is_ascii_graphic() && !"?#@\\\"<>".contains(c);
        if authority.is_empty() || !rest.chars().all(is_plain) {
            return Err(AddressError::Malformed);
        }
        let (host, port) = match authority.rsplit_once(':') {
            // `[::1]` has colons of its own.
            Some((host, port)) if !port.ends_with(']') => {
                let port = port.parse().map_err(|_| AddressError::Malformed)?;
                (host, port)
            }
            _ => (authority, PORT),
        };
        // Names are not resolved: what answers may be another machine.
        let hosts: &[IpAddr] = if host.eq_ignore_ascii_case("localhost") {
            &[
                IpAddr::V4(Ipv4Addr::LOCALHOST),
                IpAddr::V6(Ipv6Addr::LOCALHOST),
            ]
        } else {
            let bare = host.trim_start_matches('[').trim_end_matches(']');
            let ip: IpAddr = bare.parse().map_err(|_| AddressError::Remote)?;
            &[ip]
        };
        if !hosts.iter().all(IpAddr::is_loopback) {
            return Err(AddressError::Remote);
        }
        Ok(Self {
            authority: authority.to_owned(),
            sockets: hosts
                .iter()
                .map(|host| SocketAddr::new(*host, port))
                .collect(),
            path: path.trim_end_matches('/').to_owned(),
        })
    }

    /// Returns host and port as requests name them.
    pub fn authority(&self) -> &str {
        &self.authority
    }

    /// Returns what to connect to, in this order.
    pub fn sockets(&self) -> &[SocketAddr] {
        &self.sockets
    }

    /// Returns the path to which texts are sent.
    pub fn target(&self) -> String {
        format!("{}/embeddings", self.path)
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "http://{}{}", self.authority, self.path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_this_machine() {
        for (text, socket, target) in [
            (
                "http://127.0.0.1:11434/v1",
                "127.0.0.1:11434",
                "/v1/embeddings",
            ),
            ("http://127.9.9.9/", "127.9.9.9:80", "/embeddings"),
            (
                "http://localhost:8080/a/b/",
                "127.0.0.1:8080",
                "/a/b/embeddings",
            ),
            ("http://[::1]:1", "[::1]:1", "/embeddings"),
            (" http://[::1] ", "[::1]:80", "/embeddings"),
        ] {
            let address = Address::parse(text).unwrap();
            assert_eq!(address.sockets()[0].to_string(), socket, "{text}");
            assert_eq!(address.target(), target, "{text}");
            assert_eq!(Address::parse(&address.to_string()), Ok(address));
        }
    }

    #[test]
    fn of_no_other() {
        use AddressError::{Malformed, Remote};
        for (text, error) in [
            ("http://example.com/v1", Remote),
            ("http://10.0.0.1:80/v1", Remote),
            ("http://0.0.0.0:80/v1", Remote),
            ("http://localhost.example.com/", Remote),
            ("http://[::ffff:8.8.8.8]/", Remote),
            ("http://user@127.0.0.1/", Malformed),
            ("http://127.0.0.1\\@example.com/", Malformed),
            ("http://127.0.0.1:80:80/", Remote),
            ("http://127.0.0.1:99999/", Malformed),
            ("http://127.0.0.1/v1?x=1", Malformed),
            ("http://127.0.0.1/v 1", Malformed),
            ("http://127.0.0.1/\r\nHost: x", Malformed),
            ("https://127.0.0.1/v1", Malformed),
            ("127.0.0.1:80", Malformed),
            ("http://", Malformed),
            ("", Malformed),
        ] {
            assert_eq!(Address::parse(text), Err(error), "{text}");
        }
    }
}
