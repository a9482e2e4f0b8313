//! The arguments of the commands that serve the tools, and of `docent token`.

use std::ffi::OsString;
use std::net::IpAddr;
use std::path::PathBuf;

use clap::{Args, Subcommand};
use docent_host::grant::Right;

use super::{Logging, Roots};
use crate::serve::http::{AllowedHost, Listen};
use crate::tokens::{Extra, Life, root_right, token_name};

#[derive(Debug, Args)]
pub struct Mcp {
    /// Directories to grant, as with --root
    // Claude Desktop puts several directories where one argument stands, without options between.
    #[arg(value_name = "[NAME=]PATH[:rw]")]
    pub directories: Vec<OsString>,
    #[command(flatten)]
    pub roots: Roots,
    #[command(flatten)]
    pub offered: Offered,
    #[command(flatten)]
    pub logging: Logging,
}

#[derive(Debug, Args)]
#[command(after_help = "\
MCP is at /mcp, for one root alone at /mcp/ROOT. ADDR is IP:PORT, unix:PATH (a socket that only you \
can reach), or systemd (the socket that it has opened). A request has to name the address that it \
is sent to, as browsers and clients do by themselves; other names, such as that of a proxy, are \
allowed with --allow-host.")]
pub struct Serve {
    #[command(flatten)]
    pub roots: Roots,
    #[command(flatten)]
    pub offered: Offered,
    /// Address to listen on [default: 127.0.0.1:7780]
    #[arg(long, value_name = "ADDR")]
    pub listen: Option<Listen>,
    /// Accept requests for this host, NAME or NAME:PORT; repeatable
    #[arg(long, value_name = "HOST")]
    pub allow_host: Vec<AllowedHost>,
    /// Treat this IP address as a proxy, which may use all connections; repeatable
    #[arg(long, value_name = "IP")]
    pub proxy: Vec<IpAddr>,
    /// On TERM, keep serving for SECONDS while /readyz reports the shutdown, so that load balancers
    /// stop sending requests
    #[arg(long, value_name = "SECONDS", default_value_t = 0, value_parser = clap::value_parser!(u16).range(0..=300))]
    pub drain_delay: u16,
    #[command(flatten)]
    pub tokens: TokensFile,
    #[command(flatten)]
    pub logging: Logging,
    /// Record nothing; otherwise the log is `log` in the state directory
    #[arg(long, conflicts_with_all = ["log", "log_exact", "anchor"])]
    pub no_log: bool,
}

#[derive(Debug, Subcommand)]
pub enum TokenCommand {
    /// Create a token and print it once
    New(NewToken),
    /// List the tokens: name, roots, rights, and expiry
    List(ListTokens),
    /// Revoke a token at once
    Revoke(RevokeToken),
}

#[derive(Debug, Args)]
#[command(after_help = "\
Example: docent token new ann --root docs --root notes:rw --expires 90d

The token goes to stdout, for the client's `Authorization: Bearer TOKEN`. docent keeps its SHA-256 \
alone; a server that runs takes it up at once. Where there is a token file, every request needs a \
token. A root has to be one of a server of yours that runs, or of the configuration file, where any \
of them are known.")]
pub struct NewToken {
    /// Name of the token's holder, shown in logs and metrics
    #[arg(value_parser = token_name)]
    pub name: String,
    /// Root that the token opens, by its name in `docent serve`, for reading or with :rw;
    /// repeatable
    #[arg(long, value_name = "NAME[:rw]", value_parser = root_right)]
    pub root: Vec<(String, Right)>,
    /// Lifetime: 12h, 90d, 4w, or never
    #[arg(long, value_name = "TIME", default_value = "90d")]
    pub expires: Life,
    /// Additional right besides its roots; repeatable
    #[arg(long, value_enum, value_name = "RIGHT")]
    pub right: Vec<Extra>,
    /// Do not check that the roots exist
    #[arg(long)]
    pub unchecked: bool,
    #[command(flatten)]
    pub tokens: TokensFile,
}

#[derive(Debug, Args)]
pub struct ListTokens {
    #[command(flatten)]
    pub tokens: TokensFile,
}

#[derive(Debug, Args)]
pub struct RevokeToken {
    /// Name of the token
    pub name: String,
    #[command(flatten)]
    pub tokens: TokensFile,
}

/// The location of the token file.
#[derive(Debug, Args)]
pub struct TokensFile {
    /// Token file [default: docent/tokens.json in $XDG_CONFIG_HOME]
    #[arg(long, value_name = "FILE")]
    pub tokens: Option<PathBuf>,
}

/// The tools on offer, and the form of their answers.
#[derive(Debug, Args)]
pub struct Offered {
    /// Send answers as structured content instead of Markdown
    #[arg(long)]
    pub structured: bool,
    /// Offer these tools, separated by commas: `pillars`, `documents`, `all`, or names
    #[arg(
        long,
        value_name = "SET|NAME",
        value_delimiter = ',',
        default_value = "pillars"
    )]
    pub tools: Vec<String>,
}
