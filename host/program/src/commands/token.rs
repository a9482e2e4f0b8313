//! `docent token`: manages the tokens of HTTP clients.

use std::collections::BTreeSet;
use std::process::ExitCode;

use chrono::{DateTime, Local, Utc};
use clap::{Args, Subcommand};
use docent_host::grant::{Grants, Right};
use docent_host::tools;

use crate::app::App;
use crate::args::{TokensFile, running_roots_ambient};
use crate::config::Flags;
use crate::terminal::error::CommandError;
use crate::terminal::notes::note;
use crate::terminal::style::visible;
use crate::tokens::{Digest, Extra, Life, Secret, TokenFile, TokenRecord, root_right, token_name};

#[derive(Debug, Subcommand)]
pub enum TokenCommand {
    /// Create a token and print it once
    New(TokenNewArgs),
    /// List the tokens: name, roots, rights, and expiry
    List(TokenListArgs),
    /// Revoke a token at once
    Revoke(TokenRevokeArgs),
}

#[derive(Debug, Args)]
#[command(after_help = "\
Example: docent token new ann --root docs --root notes:rw --expires 90d

The token goes to stdout, for the client's `Authorization: Bearer TOKEN`. docent stores only its \
SHA-256; a running server accepts the token at once. If a token file exists, every request needs a \
token. A root must be one of a running server of yours or of the configuration file, if any of \
them are known.")]
pub struct TokenNewArgs {
    /// Name of the token's holder, shown in logs and metrics
    #[arg(value_parser = token_name)]
    name: String,
    /// Root that the token opens, by its name in `docent serve`, for reading or with :rw;
    /// repeatable
    #[arg(long, value_name = "NAME[:rw]", value_parser = root_right)]
    root: Vec<(String, Right)>,
    /// Lifetime: 12h, 90d, 4w, or never
    #[arg(long, value_name = "TIME", default_value = "90d")]
    expires: Life,
    /// Additional right besides its roots; repeatable
    #[arg(long, value_enum, value_name = "RIGHT")]
    right: Vec<Extra>,
    /// Do not check that the roots exist
    #[arg(long)]
    unchecked: bool,
    #[command(flatten)]
    tokens: TokensFile,
}

#[derive(Debug, Args)]
pub struct TokenListArgs {
    #[command(flatten)]
    tokens: TokensFile,
}

#[derive(Debug, Args)]
pub struct TokenRevokeArgs {
    /// Name of the token
    name: String,
    #[command(flatten)]
    tokens: TokensFile,
}

/// Creates, lists or revokes tokens.
///
/// # Errors
/// Returns an error if the token file cannot be read or changed, or if a name or a root is wrong.
pub fn run(app: &App, command: TokenCommand) -> Result<ExitCode, CommandError> {
    let now = app.now().to_utc();
    match command {
        TokenCommand::New(args) => {
            let file = token_file(app, &args.tokens)?;
            let known = known_roots(app);
            let is_looked_for = args.unchecked || args.root.is_empty() || !known.is_empty();
            let secret = new_ambient(args, &known, &file, now)?;
            if !is_looked_for {
                note(
                    "the roots could not be checked: no running server of yours keeps a log, and \
                     the configuration file names no roots",
                );
            }
            note("keep it; it is shown only once");
            app.print(secret.text())
        }
        TokenCommand::List(args) => {
            let lines = list_ambient(&token_file(app, &args.tokens)?, now)?;
            if lines.is_empty() {
                note("there are no tokens");
                return Ok(ExitCode::SUCCESS);
            }
            app.print(&lines)
        }
        TokenCommand::Revoke(args) => {
            revoke_ambient(&args.name, &token_file(app, &args.tokens)?)?;
            Ok(ExitCode::SUCCESS)
        }
    }
}

/// Returns the roots that a server of this person is known to have.
fn known_roots(app: &App) -> KnownRoots {
    // An invalid configuration yields no roots here. The command continues, since the server
    // itself reports the error.
    let setup = app.load_setup(&Flags::default()).ok();
    let state = setup.as_ref().map(|it| &it.state);
    let standard = app.surroundings().standard_state();
    KnownRoots {
        running: running_roots_ambient(state.unwrap_or(&standard)),
        configured: setup.map_or_else(Vec::new, |setup| {
            let granted = Grants::resolve_ambient(&setup.roots, None);
            let names =
                |grants: Grants| grants.all().iter().map(|it| it.name().to_owned()).collect();
            granted.map_or_else(|_| Vec::new(), names)
        }),
    }
}

/// Returns the token file, which may not exist.
fn token_file(app: &App, args: &TokensFile) -> Result<TokenFile, CommandError> {
    let path = args
        .tokens
        .clone()
        .or_else(|| app.surroundings().standard_tokens());
    path.map(TokenFile::new).ok_or_else(|| {
        let problem = "no place for tokens; name one with `--tokens FILE`";
        CommandError::Usage(problem.to_owned())
    })
}

/// The roots that a token can open, as far as they are known without asking a server.
struct KnownRoots {
    /// Roots of a running server.
    running: Option<Vec<String>>,
    /// Roots of the configuration file.
    configured: Vec<String>,
}

impl KnownRoots {
    fn names(&self) -> impl Iterator<Item = &str> {
        let running = self.running.iter().flatten();
        running.chain(&self.configured).map(String::as_str)
    }

    /// Returns true if no root is known.
    fn is_empty(&self) -> bool {
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
            "no root `{}` by {of_whom}; {expected}, or `--unchecked` for a root that is added \
             later",
            visible(root)
        )))
    }
}

/// Creates a token and stores its digest. Returns the token.
///
/// # Errors
/// Returns an error if the name is taken, if a root does not exist, or if the file cannot be
/// changed.
fn new_ambient(
    args: TokenNewArgs,
    known: &KnownRoots,
    file: &TokenFile,
    now: DateTime<Utc>,
) -> Result<Secret, CommandError> {
    let secret = Secret::new().map_err(|error| CommandError::Usage(error.to_string()))?;
    let mut rights = args.right;
    rights.sort_unstable();
    rights.dedup();
    if args.root.is_empty() && rights.is_empty() {
        let problem = "the token would open no root; name roots with `--root NAME`, as `docent \
                       serve` calls them";
        return Err(CommandError::Usage(problem.to_owned()));
    }
    if !args.unchecked {
        for (root, _) in &args.root {
            known.check(root)?;
        }
    }
    let token = TokenRecord {
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
fn revoke_ambient(name: &str, file: &TokenFile) -> Result<(), CommandError> {
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
fn list_ambient(file: &TokenFile, now: DateTime<Utc>) -> Result<String, CommandError> {
    let tokens = file.read_ambient()?.unwrap_or_default();
    let lines: Vec<_> = tokens.iter().map(|token| line(token, now)).collect();
    Ok(lines.join("\n"))
}

fn line(token: &TokenRecord, now: DateTime<Utc>) -> String {
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
             `--unchecked` for a root that is added later"
        );
        assert_eq!(
            refused(&known(None, &["b", "a"]), "zzz").unwrap(),
            "no root `zzz` by the configuration file; expected one of `a`, `b`, or `--unchecked` \
             for a root that is added later"
        );
    }
}
