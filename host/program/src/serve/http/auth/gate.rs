//! The first check of every request: it must name this host, and not come from a page of another.
//! That prevents DNS rebinding, in which a page of another site resolves its own name to this
//! machine.

use http::header::{HOST, HeaderMap, HeaderName, ORIGIN};
use http::request::Parts;

use crate::serve::http::connection::listen::ListenAddress;

const SEC_FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// The accepted hosts and origins.
#[derive(Debug)]
pub struct HostGate {
    hosts: Vec<String>,
    origins: Vec<String>,
}

/// A reason for refusing a request. Displayed for its sender.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum GateError {
    /// It has no `Host` header, or several.
    #[error("expected exactly one `Host`")]
    Hosts,
    /// It names another host.
    #[error("host `{0}` is not allowed; the operator can allow it with `--allow-host {0}`")]
    Host(String),
    /// It comes from a page of another origin.
    #[error(
        "origin `{0}` is not allowed; the operator can allow its host with `--allow-host HOST`"
    )]
    Origin(String),
    /// A page of another site sent it.
    #[error("requests from pages of other sites are not allowed")]
    Site,
}

/// A host of `--allow-host`: a name or address in lower case, with or without a port.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AllowedHost {
    host: String,
    port: Option<u16>,
}

impl std::str::FromStr for AllowedHost {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("`{text}` is not a host name; expected NAME or NAME:PORT");
        let authority = http::uri::Authority::try_from(text).map_err(|_| wrong())?;
        let host = authority.host();
        // `user@host` is a valid authority, whose host is not at the beginning. It is refused,
        // since no `Host` header has user information.
        let rest = text.strip_prefix(host).filter(|_| !host.is_empty());
        let port = match rest.ok_or_else(wrong)? {
            "" => None,
            rest => {
                let port = rest.strip_prefix(':').and_then(|port| port.parse().ok());
                Some(port.ok_or_else(wrong)?)
            }
        };
        Ok(Self {
            host: host.to_ascii_lowercase(),
            port,
        })
    }
}

impl HostGate {
    /// Creates the gate of an address, which also accepts the hosts `allowed`.
    pub fn new(address: &ListenAddress, allowed: &[AllowedHost]) -> Self {
        let mut gate = Self {
            hosts: Vec::new(),
            origins: Vec::new(),
        };
        let port = match address {
            ListenAddress::Tcp(address) => {
                let ip = address.ip();
                let names = ["localhost", "127.0.0.1", "[::1]"].map(str::to_owned);
                let is_near = ip.is_loopback() || ip.is_unspecified();
                for name in names.iter().filter(|_| is_near) {
                    gate.add(name, Some(address.port()), &["http"]);
                }
                if !ip.is_unspecified() {
                    // As in URLs, with brackets around an IPv6 address.
                    let name = address.to_string();
                    let name = name.rsplit_once(':').map_or("", |(name, _)| name);
                    gate.add(name, Some(address.port()), &["http"]);
                }
                Some(address.port())
            }
            // A client that connects to a socket by its path has no host name. `curl
            // --unix-socket` and others send that of the URL, which is `localhost` by
            // convention.
            ListenAddress::Unix(_) | ListenAddress::OwnUnix(_) => {
                gate.add("localhost", None, &["http"]);
                None
            }
        };
        for allowed in allowed {
            gate.add(&allowed.host, allowed.port, &["http", "https"]);
            // A host without a port is reached through a proxy, at the default port of a
            // scheme, or directly, at the port of this server. Both are accepted.
            if allowed.port.is_none() && port.is_some() {
                gate.add(&allowed.host, port, &["http"]);
            }
        }
        gate
    }

    /// Accepts a host, and pages that it served over one of `schemes`. Browsers omit the default
    /// port of a scheme.
    fn add(&mut self, host: &str, port: Option<u16>, schemes: &[&str]) {
        let own = |scheme: &str| if scheme == "https" { 443 } else { 80 };
        if let Some(port) = port {
            self.hosts.push(format!("{host}:{port}"));
        }
        for scheme in schemes {
            match port {
                Some(port) if port != own(scheme) => {
                    self.origins.push(format!("{scheme}://{host}:{port}"));
                }
                _ => {
                    self.hosts.push(host.to_owned());
                    self.origins.push(format!("{scheme}://{host}"));
                }
            }
        }
    }

    /// Returns the accepted hosts.
    pub fn hosts(&self) -> &[String] {
        &self.hosts
    }

    /// Returns the accepted origins, each with its port.
    pub fn origins_with_ports(&self) -> Vec<String> {
        let with_port = |origin: &String| {
            let (scheme, host) = origin.split_once("://").unwrap_or(("", origin));
            let end = host.rsplit_once(']').map_or(host, |(_, end)| end);
            match (end.contains(':'), scheme) {
                (true, _) => origin.clone(),
                (false, "https") => format!("{origin}:443"),
                (false, _) => format!("{origin}:80"),
            }
        };
        self.origins.iter().map(with_port).collect()
    }

    /// Checks a request.
    ///
    /// # Errors
    /// Returns the reason for a refusal.
    pub fn check(&self, request: &Parts) -> Result<(), GateError> {
        let host = single(&request.headers, &HOST)
            .map_err(|()| GateError::Hosts)?
            .ok_or(GateError::Hosts)?;
        // The request line may be an absolute URI, `GET http://other/ HTTP/1.1`, whose host
        // takes precedence over the header by RFC 9112, section 3.2.2. Both must be accepted
        // hosts.
        let named = request
            .uri
            .authority()
            .map(|it| it.as_str().to_ascii_lowercase());
        for host in std::iter::once(host).chain(named) {
            if !self.hosts.contains(&host) {
                return Err(GateError::Host(quote(&host)));
            }
        }
        match single(&request.headers, &ORIGIN) {
            Ok(None) => {}
            Ok(Some(origin)) if self.origins.contains(&origin) => {}
            Ok(Some(origin)) => return Err(GateError::Origin(quote(&origin))),
            Err(()) => return Err(GateError::Origin("several".to_owned())),
        }
        self.check_site(request)
    }

    /// Checks the site of the page that sent a request. A page of another site may have a browser
    /// fetch an address without an origin, as an image or a script. Endpoints with data refuse
    /// that; the page itself may be linked to.
    fn check_site(&self, request: &Parts) -> Result<(), GateError> {
        let path = request.uri.path();
        let is_data = path == "/context" || path.starts_with("/api/");
        match single(&request.headers, &SEC_FETCH_SITE) {
            _ if !is_data => Ok(()),
            Ok(None) => Ok(()),
            Ok(Some(site)) if ["same-origin", "none"].contains(&site.as_str()) => Ok(()),
            _ => Err(GateError::Site),
        }
    }
}

/// Returns the single value of a header in lower case; none if the header is absent.
fn single(headers: &HeaderMap, name: &HeaderName) -> Result<Option<String>, ()> {
    let mut values = headers.get_all(name).iter();
    let Some(value) = values.next() else {
        return Ok(None);
    };
    if values.next().is_some() {
        return Err(());
    }
    let text = value.to_str().map_err(|_| ())?;
    Ok(Some(text.to_ascii_lowercase()))
}

/// Quotes text from a client for display.
fn quote(text: &str) -> String {
    docent_host::tools::quote(text)
}

#[cfg(test)]
mod tests {
    use http::Request;

    use super::*;

    fn gate(allowed: &[&str]) -> HostGate {
        let allowed: Vec<_> = allowed.iter().map(|host| host.parse().unwrap()).collect();
        HostGate::new(
            &ListenAddress::Tcp("127.0.0.1:7780".parse().unwrap()),
            &allowed,
        )
    }

    fn checked(gate: &HostGate, path: &str, headers: &[(&str, &str)]) -> Result<(), GateError> {
        let mut request = Request::builder().uri(path);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        gate.check(&request.body(()).unwrap().into_parts().0)
    }

    #[test]
    fn only_its_own_names_and_those_that_are_allowed_pass() {
        let gate = gate(&["Docs.example.org", "other.example:8443"]);
        let host = |host: &str| checked(&gate, "/mcp", &[("host", host)]);
        for good in [
            "localhost:7780",
            "LOCALHOST:7780",
            "127.0.0.1:7780",
            "[::1]:7780",
            "docs.example.org",
            "docs.example.org:7780",
            "other.example:8443",
        ] {
            assert_eq!(host(good), Ok(()), "{good}");
        }
        for bad in [
            "localhost",
            "localhost:80",
            "127.0.0.2:7780",
            "evil.example:7780",
            "localhost:7780.evil.example",
            "localhost:7780@evil.example",
            "docs.example.org:80",
            "docs.example.org.",
            "other.example",
            "",
        ] {
            assert_eq!(host(bad), Err(GateError::Host(quote(bad))), "{bad}");
        }
        assert_eq!(checked(&gate, "/mcp", &[]), Err(GateError::Hosts));
        let twice = [("host", "localhost:7780"), ("host", "localhost:7780")];
        assert_eq!(checked(&gate, "/mcp", &twice), Err(GateError::Hosts));
        let good = [("host", "localhost:7780")];
        assert_eq!(checked(&gate, "http://localhost:7780/mcp", &good), Ok(()));
        let evil = checked(&gate, "http://evil.example/mcp", &good);
        assert_eq!(evil, Err(GateError::Host("evil.example".to_owned())));
    }

    #[test]
    fn pages_of_others_do_not_pass() {
        let gate = gate(&["docs.example.org"]);
        let origin = |origin: &str| {
            checked(
                &gate,
                "/mcp",
                &[("host", "localhost:7780"), ("origin", origin)],
            )
        };
        for good in [
            "http://localhost:7780",
            "http://127.0.0.1:7780",
            "http://[::1]:7780",
            "https://docs.example.org",
            "http://docs.example.org:7780",
        ] {
            assert_eq!(origin(good), Ok(()), "{good}");
        }
        for bad in [
            "null",
            "http://localhost",
            "https://localhost:7780",
            "http://localhost:7781",
            "http://evil.example",
            "https://docs.example.org:444",
            "https://docs.example.org.evil.example",
        ] {
            assert_eq!(origin(bad), Err(GateError::Origin(bad.to_owned())), "{bad}");
        }
        let several = [
            ("host", "localhost:7780"),
            ("origin", "http://localhost:7780"),
            ("origin", "http://localhost:7780"),
        ];
        assert!(checked(&gate, "/mcp", &several).is_err());
        let locked = gate.origins_with_ports();
        assert!(
            locked.contains(&"https://docs.example.org:443".to_owned()),
            "{locked:?}"
        );
        assert!(
            locked.contains(&"http://[::1]:7780".to_owned()),
            "{locked:?}"
        );
    }

    #[test]
    fn data_is_for_no_page_of_another_site() {
        let gate = gate(&[]);
        let site = |path: &str, site: &str| {
            checked(
                &gate,
                path,
                &[("host", "localhost:7780"), ("sec-fetch-site", site)],
            )
        };
        for path in ["/context", "/context?action=list", "/api/calls"] {
            assert_eq!(site(path, "same-origin"), Ok(()));
            assert_eq!(site(path, "none"), Ok(()));
            assert_eq!(site(path, "same-site"), Err(GateError::Site));
            assert_eq!(site(path, "cross-site"), Err(GateError::Site));
        }
        assert_eq!(site("/", "cross-site"), Ok(()));
    }

    #[test]
    fn a_host_is_a_name_with_a_port_or_without() {
        for wrong in ["", "http://a", "a/b", "a:b", "a:", "u@a", "a:99999", "a b"] {
            assert!(wrong.parse::<AllowedHost>().is_err(), "{wrong}");
        }
        let path = ListenAddress::Unix(None);
        let gate = HostGate::new(&path, &["a".parse().unwrap()]);
        assert_eq!(checked(&gate, "/mcp", &[("host", "localhost")]), Ok(()));
        assert_eq!(checked(&gate, "/mcp", &[("host", "a")]), Ok(()));
    }
}
