//! The arguments of the options that record calls, and of the commands about the log.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use docent_access_log::anchor::Anchor;

/// The options that record calls.
#[derive(Debug, Args)]
pub struct Logging {
    /// Record every call, with the files that it opened, in the log in DIR
    #[arg(long, value_name = "DIR")]
    pub log: Option<PathBuf>,
    /// Serve each call with an instance of its own, so that an answer depends only on files that
    /// its call opened
    #[arg(long)]
    pub log_exact: bool,
    /// Keep checkpoints of the log elsewhere too: file:PATH, exec:PROGRAM, git:DIR or syslog;
    /// repeatable
    #[arg(long, value_name = "ANCHOR")]
    pub anchor: Vec<Anchor>,
}

#[derive(Debug, Subcommand)]
pub enum LogCommand {
    /// Verify that the log is unchanged
    Verify(VerifyLog),
    /// List recorded calls
    Show(ShowLog),
    /// Print a proof of one entry, verifiable without the log
    Prove(ProveLog),
    /// Print the public key of the log
    Key(LogPlace),
    /// Send the last checkpoint to an anchor
    Anchor(AnchorLog),
    /// Erase entries; the rest still verifies
    Erase(EraseLog),
    /// Drop old entries; the rest still verifies
    Drop(DropLog),
}

/// The log that a command reads.
#[derive(Debug, Args)]
pub struct LogPlace {
    /// Log directory [default: docent/log in $XDG_STATE_HOME]
    #[arg(long, value_name = "DIR")]
    pub log: Option<PathBuf>,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Without --against, nothing but this machine's key vouches for the log: whoever has that key and the \
disk could have written all of it anew. Give checkpoints that were kept elsewhere, as `--anchor` and \
`docent log anchor` do.

Exit status: 0 when nothing was changed, 1 when something was, 2 when nobody can tell.")]
pub struct VerifyLog {
    #[command(flatten)]
    pub place: LogPlace,
    /// Public key of the log, or a file with it [default: this machine's]
    #[arg(long, value_name = "KEY|FILE")]
    pub key: Option<String>,
    /// File of checkpoints that were kept elsewhere; repeatable
    #[arg(long, value_name = "FILE")]
    pub against: Vec<PathBuf>,
    /// Check a proof from `docent log prove` instead of a log
    #[arg(
        long,
        value_name = "FILE",
        conflicts_with = "against",
        requires = "key"
    )]
    pub proof: Option<PathBuf>,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Example: docent log show --path notes/plan.md

With --path, a call stands there also when its instance had opened the file for an earlier call, and \
so may have answered from memory: `memory` then stands in the place of what it did with the file. \
Nothing is verified: see `docent log verify`.

Exit status: 0 when there is an entry, 1 when there is none, 2 on an error.")]
pub struct ShowLog {
    #[command(flatten)]
    pub place: LogPlace,
    /// Calls that opened this file, PATH or ROOT/PATH
    #[arg(long, value_name = "PATH")]
    pub path: Option<String>,
    /// Calls of this token, or `local`
    #[arg(long, value_name = "NAME")]
    pub who: Option<String>,
    /// One entry, in full
    #[arg(long, value_name = "N")]
    pub call: Option<u64>,
    /// Print the lines of the log unchanged
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct ProveLog {
    /// Number of the entry
    pub entry: u64,
    #[command(flatten)]
    pub place: LogPlace,
}

#[derive(Debug, Args)]
pub struct AnchorLog {
    /// Anchors: file:PATH, exec:PROGRAM, git:DIR or syslog
    #[arg(required = true)]
    pub anchors: Vec<Anchor>,
    #[command(flatten)]
    pub place: LogPlace,
}

#[derive(Debug, Args)]
#[command(group(clap::ArgGroup::new("which").required(true).multiple(true)), after_help = "\
Of each entry its hash stays, so that the others still verify and everybody can see that one was \
taken out. No program may write to the log meanwhile.")]
pub struct EraseLog {
    #[command(flatten)]
    pub place: LogPlace,
    /// Calls that opened this file, PATH or ROOT/PATH
    #[arg(long, value_name = "PATH", group = "which")]
    pub path: Option<String>,
    /// Calls of this token, or `local`
    #[arg(long, value_name = "NAME", group = "which")]
    pub who: Option<String>,
    /// One entry
    #[arg(long, value_name = "N", group = "which")]
    pub call: Option<u64>,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Whole segments are dropped, of some 8 MiB each, whose entries are all older; the last one stays. No \
program may write to the log meanwhile.")]
pub struct DropLog {
    /// Cutoff: entries before this date, or older than this time (90d)
    #[arg(long, value_name = "DATE|TIME")]
    pub before: String,
    #[command(flatten)]
    pub place: LogPlace,
}
