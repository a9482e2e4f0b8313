//! The table `[serve]` of a configuration file: addresses of `docent serve`, and accepted clients.

use std::net::IpAddr;
use std::path::PathBuf;
use std::str::FromStr;

use toml::{Table, Value};

use super::table::{list, mismatch, refuse_unknown, string};
use crate::serve::http::{AllowedHost, Listen};

/// The keys of `serve`.
const KEYS: [&str; 4] = ["listen", "allow-hosts", "proxies", "tokens"];

/// The settings of `docent serve`. A flag of the same name takes precedence.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct ListenerConfig {
    /// Address to listen on.
    pub listen: Option<Listen>,
    /// Hosts that requests may name besides the server's own.
    pub allow_hosts: Vec<AllowedHost>,
    /// Addresses of proxies.
    pub proxies: Vec<IpAddr>,
    /// Token file.
    pub tokens: Option<PathBuf>,
}

/// Parses the table `serve` of a file.
///
/// # Errors
/// Returns the fault, then the expected form.
pub fn entry(table: &Table) -> Result<ListenerConfig, String> {
    const PREFIX: &str = "serve.";

    let Some(serve) = table.get("serve") else {
        return Ok(ListenerConfig::default());
    };
    let serve = serve
        .as_table()
        .ok_or_else(|| mismatch("serve", serve, "a table"))?;
    refuse_unknown(serve, PREFIX, &KEYS)?;
    let listen = string(serve, PREFIX, "listen")?;
    let hosts = list(serve, "allow-hosts")?.iter();
    let proxies = list(serve, "proxies")?.iter();
    Ok(ListenerConfig {
        listen: listen.map(|it| parse("serve.listen", &it)).transpose()?,
        allow_hosts: hosts.map(host).collect::<Result<_, _>>()?,
        proxies: proxies.map(proxy).collect::<Result<_, _>>()?,
        tokens: string(serve, PREFIX, "tokens")?.map(PathBuf::from),
    })
}

fn host(value: &Value) -> Result<AllowedHost, String> {
    const NAME: &str = "serve.allow-hosts";

    let text = value
        .as_str()
        .ok_or_else(|| mismatch(NAME, value, "a list of strings"))?;
    parse(NAME, text)
}

fn proxy(value: &Value) -> Result<IpAddr, String> {
    const NAME: &str = "serve.proxies";

    let text = value
        .as_str()
        .ok_or_else(|| mismatch(NAME, value, "a list of strings"))?;
    let address = text.parse::<IpAddr>();
    address.map_err(|_| format!("`{NAME}`: `{text}` is not an address; expected an IP address"))
}

fn parse<T: FromStr<Err = String>>(name: &str, text: &str) -> Result<T, String> {
    text.parse()
        .map_err(|problem| format!("`{name}`: {problem}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<ListenerConfig, String> {
        entry(&text.parse().unwrap())
    }

    #[test]
    fn a_table_says_where_and_to_whom() {
        assert_eq!(read(""), Ok(ListenerConfig::default()));
        let text = "[serve]\nlisten = \"0.0.0.0:80\"\nallow-hosts = [\"a\"]\n\
                    proxies = [\"192.0.2.1\"]\ntokens = \"t.json\"";
        let expected = ListenerConfig {
            listen: Some("0.0.0.0:80".parse().unwrap()),
            allow_hosts: vec!["a".parse().unwrap()],
            proxies: vec!["192.0.2.1".parse().unwrap()],
            tokens: Some("t.json".into()),
        };
        assert_eq!(read(text), Ok(expected));
    }

    #[test]
    fn what_is_wrong_is_one_clear_line() {
        for (text, problem) in [
            ("serve = 1", "`serve` is 1; expected a table"),
            (
                "[serve]\nlisten = \"x\"",
                "`serve.listen`: `x` is not an address; expected IP:PORT, unix:PATH or systemd",
            ),
            (
                "[serve]\nlisten = 5",
                "`serve.listen` is 5; expected a string",
            ),
            (
                "[serve]\nallow-host = [\"a\"]",
                "unknown key `serve.allow-host`; expected `allow-hosts`, which is the nearest",
            ),
            (
                "[serve]\nallow-hosts = [\"http://a\"]",
                "`serve.allow-hosts`: `http://a` is not a host name; expected NAME or NAME:PORT",
            ),
            (
                "[serve]\nallow-hosts = [1]",
                "`serve.allow-hosts` is 1; expected a list of strings",
            ),
        ] {
            assert_eq!(read(text), Err(problem.to_owned()), "{text}");
        }
    }
}
