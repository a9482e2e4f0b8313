//! Addresses of embedders: on this machine, or on another one if it is allowed.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use thiserror::Error;

/// The ports of plain HTTP, and of that within TLS.
const PORT: u16 = 80;
const TLS_PORT: u16 = 443;

/// An HTTP address, without query and fragment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EmbedderAddress {
    /// True for `https`.
    is_encrypted: bool,
    /// Host and port as written; the port only if it was given.
    authority: String,
    host: Host,
    port: u16,
    /// Path without a trailing `/`.
    path: String,
}

/// The host to connect to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Host {
    /// This machine, at one of these addresses, in this order.
    Here(Vec<IpAddr>),
    /// Another machine, at this address.
    At(IpAddr),
    /// Another machine, by its name.
    Named(String),
}

/// The machines that an address may name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AddressReach {
    /// This machine.
    Here,
    /// Any machine, with encryption.
    Anywhere,
}

/// A reason for refusing an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum AddressError {
    /// It is malformed.
    #[error("expected `http://127.0.0.1:PORT/v1`")]
    Malformed,
    /// It names another machine, which is not allowed.
    #[error(
        "it is not of this machine; expected `localhost`, `127.0.0.1` or `[::1]`, or \
         `allow-remote = true` in the configuration file"
    )]
    Remote,
    /// It names another machine without encryption.
    #[error("it is not of this machine, and not encrypted; expected `https://…`")]
    Unencrypted,
}

impl EmbedderAddress {
    /// Parses the base URL of an endpoint, to which `/embeddings` is appended.
    ///
    /// # Errors
    /// Returns [`AddressError`] for an address that is malformed or not allowed.
    pub fn parse(text: &str, reach: AddressReach) -> Result<Self, AddressError> {
        let text = text.trim();
        let (rest, is_encrypted) = match text.strip_prefix("https://") {
            Some(rest) => (Some(rest), true),
            None => (text.strip_prefix("http://"), false),
        };
        let rest = rest.ok_or(AddressError::Malformed)?;
        let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
        let is_plain = |c: char| c.is_ascii_graphic() && !"?#@\\\"<>".contains(c);
        if authority.is_empty() || !rest.chars().all(is_plain) {
            return Err(AddressError::Malformed);
        }
        let (host, port) = match authority.rsplit_once(':') {
            // An IPv6 address in brackets contains colons of its own: `[::1]` has no port.
            Some((host, port)) if !port.ends_with(']') => {
                let port = port.parse().map_err(|_| AddressError::Malformed)?;
                (host, port)
            }
            _ => (authority, if is_encrypted { TLS_PORT } else { PORT }),
        };
        let host = Host::parse(host)?;
        match (&host, reach, is_encrypted) {
            (Host::Here(_), ..) | (_, AddressReach::Anywhere, true) => {}
            (_, AddressReach::Here, _) => return Err(AddressError::Remote),
            (_, AddressReach::Anywhere, false) => return Err(AddressError::Unencrypted),
        }
        Ok(Self {
            is_encrypted,
            authority: authority.to_owned(),
            host,
            port,
            path: path.trim_end_matches('/').to_owned(),
        })
    }

    /// Returns true if it names another machine.
    pub fn is_remote(&self) -> bool {
        !matches!(self.host, Host::Here(_))
    }

    /// Returns true if the connection is encrypted.
    pub fn is_encrypted(&self) -> bool {
        self.is_encrypted
    }

    /// Returns host and port for the `Host` header.
    pub fn authority(&self) -> &str {
        &self.authority
    }

    /// Returns the host to connect to.
    pub fn host(&self) -> &Host {
        &self.host
    }

    /// Returns the port to connect to.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Returns the path of embedding requests.
    pub fn target(&self) -> String {
        format!("{}/embeddings", self.path)
    }
}

impl fmt::Display for EmbedderAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scheme = if self.is_encrypted { "https" } else { "http" };
        write!(f, "{scheme}://{}{}", self.authority, self.path)
    }
}

impl Host {
    fn parse(host: &str) -> Result<Self, AddressError> {
        // `localhost` is the only name that counts as this machine, and it is not looked up: a
        // resolver or a line in `/etc/hosts` could let another name, or even this one, lead to
        // another machine. Both addresses are tried, since servers listen on either.
        if host.eq_ignore_ascii_case("localhost") {
            return Ok(Self::Here(vec![
                IpAddr::V4(Ipv4Addr::LOCALHOST),
                IpAddr::V6(Ipv6Addr::LOCALHOST),
            ]));
        }
        let bare = host.trim_start_matches('[').trim_end_matches(']');
        match bare.parse::<IpAddr>() {
            Ok(ip) if ip.is_loopback() => Ok(Self::Here(vec![ip])),
            Ok(ip) => Ok(Self::At(ip)),
            Err(_) if is_name(host) => Ok(Self::Named(host.to_ascii_lowercase())),
            Err(_) => Err(AddressError::Malformed),
        }
    }
}

fn is_name(host: &str) -> bool {
    let is_label = |label: &str| {
        !label.is_empty() && label.chars().all(|c| c.is_ascii_alphanumeric() || c == '-')
    };
    host.trim_end_matches('.').split('.').all(is_label)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_of_this_machine_is_taken() {
        for (text, ip, port, target) in [
            (
                "http://127.0.0.1:11434/v1",
                "127.0.0.1",
                11434,
                "/v1/embeddings",
            ),
            ("http://127.9.9.9/", "127.9.9.9", 80, "/embeddings"),
            (
                "http://localhost:8080/a/b/",
                "127.0.0.1",
                8080,
                "/a/b/embeddings",
            ),
            ("http://[::1]:1", "::1", 1, "/embeddings"),
            (" http://[::1] ", "::1", 80, "/embeddings"),
            ("https://localhost/v1", "127.0.0.1", 443, "/v1/embeddings"),
        ] {
            let address = EmbedderAddress::parse(text, AddressReach::Here).unwrap();
            let Host::Here(ips) = address.host() else {
                panic!("{text}");
            };
            assert_eq!(ips[0].to_string(), ip, "{text}");
            assert_eq!(address.port(), port, "{text}");
            assert_eq!(address.target(), target, "{text}");
            assert_eq!(address.is_encrypted(), text.contains("https"), "{text}");
            assert!(!address.is_remote(), "{text}");
            assert_eq!(
                EmbedderAddress::parse(&address.to_string(), AddressReach::Here),
                Ok(address)
            );
        }
    }

    #[test]
    fn an_address_elsewhere_is_refused() {
        use AddressError::{Malformed, Remote};
        for (text, error) in [
            ("http://example.com/v1", Remote),
            ("https://example.com/v1", Remote),
            ("http://10.0.0.1:80/v1", Remote),
            ("http://0.0.0.0:80/v1", Remote),
            ("http://localhost.example.com/", Remote),
            ("http://[::ffff:8.8.8.8]/", Remote),
            ("http://user@127.0.0.1/", Malformed),
            ("http://127.0.0.1\\@example.com/", Malformed),
            ("http://127.0.0.1:80:80/", Malformed),
            ("http://127.0.0.1:99999/", Malformed),
            ("http://127.0.0.1/v1?x=1", Malformed),
            ("http://127.0.0.1/v 1", Malformed),
            ("http://127.0.0.1/\r\nHost: x", Malformed),
            ("http://a..b/", Malformed),
            ("ftp://127.0.0.1/v1", Malformed),
            ("127.0.0.1:80", Malformed),
            ("http://", Malformed),
            ("", Malformed),
        ] {
            assert_eq!(
                EmbedderAddress::parse(text, AddressReach::Here),
                Err(error),
                "{text}"
            );
        }
    }

    #[test]
    fn an_address_elsewhere_is_taken_if_allowed_and_encrypted() {
        let parse = |text| EmbedderAddress::parse(text, AddressReach::Anywhere);
        for (text, host) in [
            (
                "https://API.example.com/v1",
                Host::Named("api.example.com".to_owned()),
            ),
            (
                "https://10.0.0.1:8443",
                Host::At(Ipv4Addr::new(10, 0, 0, 1).into()),
            ),
        ] {
            let address = parse(text).unwrap();
            assert_eq!(address.host(), &host);
            assert!(address.is_remote() && address.is_encrypted());
            assert_eq!(address.to_string(), text);
        }
        assert!(!parse("http://127.0.0.1/v1").unwrap().is_remote());
        assert_eq!(parse("http://10.0.0.1/v1"), Err(AddressError::Unencrypted));
        assert_eq!(
            parse("http://example.com/v1"),
            Err(AddressError::Unencrypted)
        );
    }
}
