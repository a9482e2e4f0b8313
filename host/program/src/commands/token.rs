//! `docent token`: manages the tokens of HTTP clients.

use std::collections::BTreeSet;

use chrono::{DateTime, Local, Utc};
use docent_host::grant::Right;
use docent_host::tools;

use crate::args::NewToken;
use crate::terminal::error::CommandError;
use crate::terminal::style::visible;
use crate::tokens::{Digest, Life, Secret, Token, TokenFile};

/// The roots that a token can open, as far as they are known without asking a server.
pub struct KnownRoots {
    /// Roots of a running server.
    pub running: Option<Vec<String>>,
    /// Roots of the configuration file.
    pub configured: Vec<String>,
}

impl KnownRoots {
    fn names(&self) -> impl Iterator<Item = &str> {
        let running = self.running.iter().flatten();
        running.chain(&self.configured).map(String::as_str)
    }

    /// Returns true if no root is known.
    pub fn is_empty(&self) -> bool {
        self.names().next().is_none()
    }

    /// Checks that a root of this name exists, if any are known.
    fn check(&self, root: &str) -> Result<(), CommandError> {
        if self.is_empty() || self.names().any(|name| name == root) {
            return Ok(());
        }
        let expected = match tools::nearest(root, self.names()) {
            Some(nearest) => format!("expected `{nearest}`, which is the nearest"),
            None => {
                let names: BTreeSet<&str> = self.names().collect();
                let names: Vec<_> = names.into_iter().collect();
                format!("expected one of `{}`", names.join("`, `"))
            }
        };
        let of_whom = match self.running {
            Some(_) => "the server that runs",
            None => "the configuration file",
        };
        Err(CommandError::Usage(format!(
            "no root `{}` by {of_whom}; {expected}, or `--unchecked` for one that comes later",
            visible(root)
        )))
    }
}

/// Creates a token and stores its digest. Returns the token.
///
/// # Errors
/// Returns an error if the name is taken, if a root does not exist, or if the file cannot be
/// changed.
pub fn new(
    args: NewToken,
    known: &KnownRoots,
    file: &TokenFile,
    now: DateTime<Utc>,
) -> Result<Secret, CommandError> {
    let secret = Secret::new().map_err(|error| CommandError::Usage(error.to_string()))?;
    let mut rights = args.right;
    rights.sort_unstable();
    rights.dedup();
    if args.root.is_empty() && rights.is_empty() {
        let problem = "a token that opens nothing; name roots with `--root NAME`, as `docent \
                       serve` calls them";
        return Err(CommandError::Usage(problem.to_owned()));
    }
    if !args.unchecked {
        for (root, _) in &args.root {
            known.check(root)?;
        }
    }
    let token = Token {
        digest: Digest::from_token(secret.text()),
        roots: args.root.into_iter().collect(),
        rights,
        created: now,
        expires: match args.expires {
            Life::For(time) => Some(now + time),
            Life::Endless => None,
        },
        name: args.name,
    };
    file.change_ambient(|tokens| {
        if tokens.iter().any(|other| other.name == token.name) {
            return Err(CommandError::Usage(format!(
                "there is a token `{0}`; revoke it first: `docent token revoke {0}`",
                token.name
            )));
        }
        tokens.push(token);
        Ok(())
    })?;
    Ok(secret)
}

/// Revokes a token.
///
/// # Errors
/// Returns an error if the name is unknown, or the file cannot be changed.
pub fn revoke(name: &str, file: &TokenFile) -> Result<(), CommandError> {
    file.change_ambient(|tokens| {
        let before = tokens.len();
        tokens.retain(|token| token.name != name);
        if tokens.len() == before {
            let names: Vec<_> = tokens.iter().map(|token| token.name.as_str()).collect();
            return Err(CommandError::Usage(if names.is_empty() {
                "there are no tokens".to_owned()
            } else {
                format!(
                    "no token `{name}`; expected one of `{}`",
                    names.join("`, `")
                )
            }));
        }
        Ok(())
    })
}

/// Returns a line for each token: its name, its roots, its other rights, and its expiry.
///
/// # Errors
/// Returns an error if the file cannot be read.
pub fn list(file: &TokenFile, now: DateTime<Utc>) -> Result<String, CommandError> {
    let tokens = file.read_ambient()?.unwrap_or_default();
    let lines: Vec<_> = tokens.iter().map(|token| line(token, now)).collect();
    Ok(lines.join("\n"))
}

fn line(token: &Token, now: DateTime<Utc>) -> String {
    let roots = token.roots.iter().map(|(name, right)| match right {
        Right::ReadOnly => name.clone(),
        Right::ReadWrite => format!("{name}:rw"),
    });
    let rights = token
        .rights
        .iter()
        .map(|right| format!("+{}", right.name()));
    let allowed: Vec<_> = roots.chain(rights).collect();
    let until = match token.expires {
        None => "never expires".to_owned(),
        Some(expires) => {
            let verb = if token.has_expired(now) {
                "expired"
            } else {
                "expires"
            };
            format!(
                "{verb} {}",
                expires.with_timezone(&Local).format("%Y-%m-%d %H:%M")
            )
        }
    };
    format!("{}  {}  {until}", token.name, allowed.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_root_has_to_be_there_where_any_are_known() {
        let known = |running: Option<&[&str]>, configured: &[&str]| KnownRoots {
            running: running.map(|it| it.iter().map(|&name| name.to_owned()).collect()),
            configured: configured.iter().map(|&name| name.to_owned()).collect(),
        };
        let refused =
            |known: &KnownRoots, root: &str| known.check(root).err().map(|it| it.to_string());
        assert_eq!(refused(&known(None, &[]), "note"), None);
        assert_eq!(refused(&known(Some(&[]), &["wiki"]), "wiki"), None);
        let both = known(Some(&["notes", "a"]), &["notes"]);
        assert_eq!(refused(&both, "notes"), None);
        assert_eq!(
            refused(&both, "note").unwrap(),
            "no root `note` by the server that runs; expected `notes`, which is the nearest, or \
             `--unchecked` for one that comes later"
        );
        assert_eq!(
            refused(&known(None, &["b", "a"]), "zzz").unwrap(),
            "no root `zzz` by the configuration file; expected one of `a`, `b`, or `--unchecked` for \
             one that comes later"
        );
    }
}
