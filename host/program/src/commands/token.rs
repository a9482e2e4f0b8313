//! `docent token`: who may ask over HTTP.

use chrono::{DateTime, Local, Utc};
use docent_host::grant::Right;

use crate::args::NewToken;
use crate::terminal::error::CommandError;
use crate::tokens::{Digest, Life, Secret, Token, TokenFile};

/// Makes a token and keeps its digest. Returns the token.
///
/// # Errors
/// When there is one of that name, or the file cannot be changed.
pub fn new(args: NewToken, file: &TokenFile, now: DateTime<Utc>) -> Result<Secret, CommandError> {
    let secret = Secret::new().map_err(|error| CommandError::Usage(error.to_string()))?;
    let mut rights = args.right;
    rights.sort_unstable();
    rights.dedup();
    if args.root.is_empty() && rights.is_empty() {
        let problem = "a token that opens nothing; name roots with `--root NAME`, as `docent \
                       serve` calls them";
        return Err(CommandError::Usage(problem.to_owned()));
    }
    let token = Token {
        digest: Digest::of(secret.text()),
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

/// Makes a token worthless.
///
/// # Errors
/// When there is none of that name, or the file cannot be changed.
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

/// Returns a line for each token: its name, its roots, what else it allows, and until when.
///
/// # Errors
/// When the file cannot be read.
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
