//! The checks that every request passes before its body is read.

use docent_tool_catalog::quote;
use sha2::{Digest as _, Sha256};

use crate::reply::{Reply, RequestHead};

/// The only path that is served.
pub const PATH: &str = "/mcp";

/// Maximum bytes of a request's body, as in docent's own host.
pub const BODY_BYTES: usize = 256 << 10;

/// Names of the local machine.
const LOOPBACK: [&str; 3] = ["localhost", "127.0.0.1", "[::1]"];

/// Hosts that requests may name, separated by commas: `NAME` with any port, or `NAME:PORT`.
pub const HOSTS: &str = "DOCENT_ALLOW_HOSTS";

/// SHA-256 of the accepted tokens, in hexadecimal, separated by commas; or [`NO_TOKENS`].
pub const TOKENS: &str = "DOCENT_TOKENS_SHA256";

/// States that something else authenticates requests.
pub const NO_TOKENS: &str = "none";

/// The allowed hosts and tokens.
#[derive(Debug)]
pub struct Gate {
    hosts: Vec<String>,
    tokens: Vec<[u8; 32]>,
}

impl Gate {
    /// Returns the gate that the environment configures: requests may name the local machine, with
    /// any port, and the hosts in [`HOSTS`]; they need one of the tokens in [`TOKENS`].
    ///
    /// # Errors
    /// The problem with a variable; or that other hosts are configured without tokens.
    pub fn from_lookup(variable: impl Fn(&str) -> Option<String>) -> Result<Self, String> {
        let list = |name: &str| -> Vec<String> {
            let text = variable(name).unwrap_or_default();
            let items = text.split(',').map(str::trim);
            items
                .filter(|item| !item.is_empty())
                .map(str::to_lowercase)
                .collect()
        };
        let hosts = list(HOSTS);
        let mut tokens = list(TOKENS);
        let is_open = tokens == [NO_TOKENS];
        if is_open {
            tokens.clear();
        }
        // Names of the local machine are only reachable from it. As soon as another host is
        // configured, anybody who reaches that name could read the granted documents, so the
        // variable without tokens is refused, and has to be confirmed with the value `none`
        // where a proxy authenticates callers. A forgotten variable is an error and not an open
        // server.
        if tokens.is_empty() && !hosts.is_empty() && !is_open {
            return Err(format!(
                "`{HOSTS}` is set and `{TOKENS}` is not; expected the SHA-256 of a token, or \
                 `{NO_TOKENS}` if something else authenticates callers"
            ));
        }
        let parsed = |text: &String| {
            digest(text).ok_or_else(|| {
                format!("`{TOKENS}` holds a value that is not a SHA-256 in hexadecimal")
            })
        };
        Ok(Self {
            hosts,
            tokens: tokens.iter().map(parsed).collect::<Result<_, _>>()?,
        })
    }

    /// Checks a request; `authority` is its host according to the engine.
    ///
    /// # Errors
    /// The answer that refuses the request.
    pub fn check(&self, head: &RequestHead, authority: Option<&str>) -> Result<(), Reply> {
        // The host is checked before anything else, also before the path: a page of another
        // site that reaches this server by DNS rebinding must not learn from a 404 or a 401
        // that there is one. Methods and content types are checked last, for those who hold a
        // token.
        self.check_host(head, authority)?;
        if head.path() != PATH {
            return Err(Reply::text(404, "not found"));
        }
        self.check_token(head)?;
        if head.method != "POST" {
            return Err(Reply::text(405, "method not allowed").with("allow", "POST"));
        }
        let kind = head.header("content-type").unwrap_or_default();
        let kind = kind.split(';').next().unwrap_or_default().trim();
        if !kind.eq_ignore_ascii_case("application/json") {
            return Err(Reply::text(
                415,
                "expected `Content-Type: application/json`",
            ));
        }
        Ok(())
    }

    /// Checks that a request is for this host and not from a page of another site, which prevents
    /// DNS rebinding.
    fn check_host(&self, head: &RequestHead, authority: Option<&str>) -> Result<(), Reply> {
        // Engines pass the host of HTTP/1.1 as the authority, as a header, or as both. All of
        // them have to agree: with `Host: localhost` and the authority `evil.example`, checking
        // only one would let a request pass that a proxy in front has routed by the other.
        let named: Vec<String> = authority
            .into_iter()
            .chain(head.all("host"))
            .map(str::to_lowercase)
            .collect();
        let Some(host) = named.first() else {
            return Err(Reply::text(403, "expected exactly one `Host`"));
        };
        if named.iter().any(|other| other != host) {
            return Err(Reply::text(403, "expected exactly one `Host`"));
        }
        if !self.allows(host) {
            let host = quote(host);
            let problem =
                format!("host `{host}` is not allowed; the operator can allow it in `{HOSTS}`");
            return Err(Reply::text(403, &problem));
        }
        let origins: Vec<&str> = head.all("origin").collect();
        let is_own = |origin: &str| {
            let origin = origin.to_lowercase();
            let site = origin.split_once("://").filter(|(scheme, _)| {
                // A page with another scheme, such as an extension or a file, was not served by
                // this host.
                ["http", "https"].contains(scheme)
            });
            site.is_some_and(|(_, site)| site == host || self.hosts.iter().any(|own| own == site))
        };
        match origins.as_slice() {
            [] => Ok(()),
            [origin] if is_own(origin) => Ok(()),
            _ => Err(Reply::text(
                403,
                "requests from pages of other sites are not allowed",
            )),
        }
    }

    fn allows(&self, host: &str) -> bool {
        let name = match host.rsplit_once(':') {
            // In `[::1]:8080` the last colon precedes the port, and in `[::1]` it is a part of
            // the address, followed by a bracket instead of a number.
            Some((name, port)) if port.bytes().all(|c| c.is_ascii_digit()) => name,
            _ => host,
        };
        LOOPBACK.contains(&name) || self.hosts.iter().any(|own| own == host || own == name)
    }

    fn check_token(&self, head: &RequestHead) -> Result<(), Reply> {
        if self.tokens.is_empty() {
            return Ok(());
        }
        let given: Vec<&str> = head.all("authorization").collect();
        let token = match given.as_slice() {
            [one] => one
                .split_once(' ')
                .filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer")),
            _ => None,
        };
        // Digests are compared, not tokens. The comparison ends at the first byte that differs,
        // but a caller cannot choose the digest of a guess byte by byte, so the time that it
        // takes reveals nothing about a token. The environment also holds digests only, and
        // shows no token to whoever reads it.
        let is_known = token.is_some_and(|(_, token)| {
            let digest: [u8; 32] = Sha256::digest(token.trim()).into();
            self.tokens.contains(&digest)
        });
        if is_known {
            return Ok(());
        }
        let problem = "expected `Authorization: Bearer TOKEN` with a known token";
        Err(Reply::text(401, problem).with("www-authenticate", "Bearer realm=\"docent\""))
    }
}

fn digest(text: &str) -> Option<[u8; 32]> {
    let mut digest = [0; 32];
    if text.len() != 2 * digest.len() || !text.is_ascii() {
        return None;
    }
    for (byte, at) in digest.iter_mut().zip((0..).step_by(2)) {
        *byte = u8::from_str_radix(&text[at..at + 2], 16).ok()?;
    }
    Some(digest)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Digest of the token `secret`.
    const SECRET: &str = "2bb80d537b1da3e38bd30361aa855686bde0eacd7162fef6a25fe97bf527a25b";

    fn gate(hosts: &str, tokens: &str) -> Result<Gate, String> {
        Gate::from_lookup(|name| match name {
            HOSTS => Some(hosts.to_owned()),
            TOKENS => Some(tokens.to_owned()),
            _ => None,
        })
    }

    fn head(headers: &[(&str, &str)]) -> RequestHead {
        let json = ("content-type", "application/json; charset=utf-8");
        RequestHead {
            method: "POST".to_owned(),
            target: "/mcp?x=1".to_owned(),
            headers: [json]
                .iter()
                .chain(headers)
                .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
                .collect(),
        }
    }

    #[track_caller]
    fn check(gate: &Gate, head: &RequestHead, authority: Option<&str>, expected: u16) {
        let status = gate
            .check(head, authority)
            .map_or_else(|reply| reply.status, |()| 200);
        assert_eq!(status, expected, "{head:?}");
    }

    #[test]
    fn only_this_machine_and_hosts_that_are_allowed_are_asked() {
        let gate = gate("docs.example.org, other.example:8443", NO_TOKENS).unwrap();
        for (host, expected) in [
            (Some("localhost:1"), 200),
            (Some("[::1]:8080"), 200),
            (Some("[::1]"), 200),
            (Some("Docs.Example.org"), 200),
            (Some("docs.example.org:80"), 200),
            (Some("other.example:8443"), 200),
            (Some("other.example"), 403),
            (Some("evil.example"), 403),
            (Some("localhost.evil.example"), 403),
            (None, 403),
        ] {
            check(&gate, &head(&[]), host, expected);
        }
        check(&gate, &head(&[("host", "localhost")]), None, 200);
        check(
            &gate,
            &head(&[("host", "evil.example")]),
            Some("localhost"),
            403,
        );
    }

    #[test]
    fn only_pages_of_the_same_host_ask() {
        let gate = gate("docs.example.org", NO_TOKENS).unwrap();
        for (origin, expected) in [
            ("http://localhost:80", 200),
            ("http://localhost:81", 403),
            ("https://docs.example.org", 200),
            ("null", 403),
            ("ftp://localhost:80", 403),
            ("http://evil.example", 403),
        ] {
            check(
                &gate,
                &head(&[("origin", origin)]),
                Some("localhost:80"),
                expected,
            );
        }
        let twice = [
            ("origin", "http://localhost"),
            ("origin", "http://localhost"),
        ];
        check(&gate, &head(&twice), Some("localhost"), 403);
    }

    #[test]
    fn a_token_is_known_by_its_digest() {
        let gate = gate("", SECRET).unwrap();
        for (given, expected) in [
            ("Bearer secret", 200),
            ("bearer secret", 200),
            ("Bearer Secret", 401),
            ("secret", 401),
            ("", 401),
        ] {
            check(
                &gate,
                &head(&[("authorization", given)]),
                Some("localhost"),
                expected,
            );
        }
        check(&gate, &head(&[]), Some("localhost"), 401);
        let twice = [
            ("authorization", "Bearer secret"),
            ("authorization", "Bearer secret"),
        ];
        check(&gate, &head(&twice), Some("localhost"), 401);
    }

    #[test]
    fn other_hosts_need_tokens() {
        assert!(gate("docs.example.org", "").is_err());
        assert!(gate("docs.example.org", NO_TOKENS).is_ok());
        assert!(gate("docs.example.org", SECRET).is_ok());
        assert!(gate("", "").is_ok());
        assert!(gate("", "secret").is_err());
        assert!(gate("", "none,none").is_err());
    }

    #[test]
    fn one_path_one_method_one_kind_of_body() {
        let gate = gate("", "").unwrap();
        let mut other = head(&[]);
        other.target = "/.well-known/oauth-protected-resource".to_owned();
        check(&gate, &other, Some("localhost"), 404);
        for method in ["GET", "DELETE"] {
            let mut other = head(&[]);
            other.method = method.to_owned();
            check(&gate, &other, Some("localhost"), 405);
        }
        let mut other = head(&[]);
        other.headers.clear();
        check(&gate, &other, Some("localhost"), 415);
    }
}
