//! `docent log verify`: verifies the log, or a proof of one of its entries.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use docent_access_log::StoreError;
use docent_access_log::anchor::notes;
use docent_access_log::key::Verifier;
use docent_access_log::proof::Proof;
use docent_access_log::verify::{Report, Verdict, Witnesses, verify_ambient};

use super::own_key_ambient;
use crate::app::App;
use crate::args::LogPlace;
use crate::terminal::error::CommandError;
use crate::terminal::outcome::{NOTHING, TROUBLE};

/// Maximum entries named among those with an unknown outcome.
const MOST_NAMED: usize = 10;

/// The arguments of `docent log verify`.
#[derive(Debug, Args)]
#[command(after_help = "\
Without --against, the result depends on this machine's key alone: anyone with that key and the \
disk could have rewritten the whole log. Give checkpoints that were kept elsewhere, by `--anchor` \
or `docent log anchor`.

Exit status: 0 when nothing was changed, 1 when something was, 2 when this cannot be determined.")]
pub struct LogVerifyArgs {
    #[command(flatten)]
    place: LogPlace,
    /// Public key of the log, or a file with it [default: this machine's]
    #[arg(long, value_name = "KEY|FILE")]
    key: Option<String>,
    /// File of checkpoints that were kept elsewhere; repeatable
    #[arg(long, value_name = "FILE")]
    against: Vec<PathBuf>,
    /// Check a proof from `docent log prove` instead of a log
    #[arg(
        long,
        value_name = "FILE",
        conflicts_with = "against",
        requires = "key"
    )]
    proof: Option<PathBuf>,
}

/// Verifies the log, or a proof.
///
/// # Errors
/// Returns an error if the log, a key, a proof or a checkpoint cannot be read.
pub fn run(app: &App, args: &LogVerifyArgs) -> Result<ExitCode, CommandError> {
    let named = args.key.as_deref().map(parse_key_ambient).transpose()?;
    let (text, checked) = match (&args.proof, &named) {
        (Some(path), Some(key)) => {
            let proof: Proof = serde_json::from_str(&read(app, path)?).map_err(|error| {
                CommandError::Usage(format!("`{}` is not a proof: {error}", path.display()))
            })?;
            check_proof(&proof, key)
        }
        _ => {
            let directory = args.place.directory(app)?;
            let mut witnesses = Witnesses {
                // Without `--key`, the key of the log itself is used. It detects accidental
                // changes at least; whoever replaces the log can replace that key as well.
                key: named.or_else(|| own_key_ambient(&directory).ok()),
                anchored: Vec::new(),
            };
            for path in &args.against {
                let found = notes(&read(app, path)?);
                if found.is_empty() {
                    let problem = format!("`{}` holds no checkpoint", path.display());
                    return Err(CommandError::Usage(problem));
                }
                witnesses.anchored.extend(found);
            }
            report_ambient(&directory, &witnesses)?
        }
    };
    app.print(&text)?;
    Ok(match checked {
        Checked::Intact => ExitCode::SUCCESS,
        Checked::Tampered => ExitCode::from(NOTHING),
        Checked::Unknown => ExitCode::from(TROUBLE),
    })
}

/// Parses a key, given literally or by the name of a file.
fn parse_key_ambient(text: &str) -> Result<Verifier, CommandError> {
    let path = Path::new(text);
    let read = if path.exists() {
        Verifier::read_ambient(path)
    } else {
        Verifier::parse(text)
    };
    read.map_err(|error| CommandError::Usage(format!("`--key`: {error}")))
}

fn read(app: &App, path: &Path) -> Result<String, CommandError> {
    app.read(path).map_err(|error| {
        CommandError::Usage(format!("`{}` cannot be read: {error}", path.display()))
    })
}

/// The result of a verification.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Checked {
    /// The log is unchanged.
    Intact,
    /// The log was changed.
    Tampered,
    /// The result is undecidable.
    Unknown,
}

/// Verifies a log. Returns a report and the result.
///
/// # Errors
/// Returns an error if the log cannot be read. A missing log is an error, not an intact log.
fn report_ambient(
    directory: &Path,
    witnesses: &Witnesses,
) -> Result<(String, Checked), CommandError> {
    match verify_ambient(directory, witnesses) {
        Ok(report) => Ok((summarize(&report), check(&report.verdict))),
        Err(error @ StoreError::Missing(_)) => {
            Ok((format!("cannot tell: {error}\n"), Checked::Unknown))
        }
        Err(error) => Err(error.into()),
    }
}

/// Checks a proof with the key of its log. Returns a report and the result.
fn check_proof(proof: &Proof, key: &Verifier) -> (String, Checked) {
    let seq = proof.seq;
    match proof.verify(key) {
        Ok(()) => {
            let proved = format!("entry {seq} is in the log `{}`\n", key.name());
            (proved, Checked::Intact)
        }
        Err(error) => (
            format!("entry {seq} is not proved: {error}\n"),
            Checked::Tampered,
        ),
    }
}

fn check(verdict: &Verdict) -> Checked {
    match verdict {
        Verdict::Intact => Checked::Intact,
        Verdict::Tampered { .. } => Checked::Tampered,
        Verdict::Unknown(_) => Checked::Unknown,
    }
}

fn summarize(report: &Report) -> String {
    let mut text = String::new();
    let mut line = |name: &str, said: String| {
        let _ = writeln!(text, "{name:<10}{said}");
    };
    let entries = report.entries;
    if let Some(origin) = &report.origin {
        line("log", origin.clone());
    }
    line(
        "entries",
        match entries {
            0 => "none".to_owned(),
            _ => format!("0 to {}", entries - 1),
        },
    );
    if report.dropped > 0 {
        line("dropped", format!("the first {}", report.dropped));
    }
    if report.withheld > 0 {
        line(
            "erased",
            format!("{}, of which only the hash is left", report.withheld),
        );
    }
    let up_to = |size: u64| match size {
        0 => "nothing".to_owned(),
        _ => format!("to entry {}", size - 1),
    };
    let checkpoints = report.checkpoints;
    line(
        "signed",
        format!("{} (checkpoints: {checkpoints})", up_to(report.signed)),
    );
    let anchored = match entries.saturating_sub(report.anchored) {
        0 => up_to(report.anchored),
        rest => format!(
            "{}; the other {rest} rest only on the key of the machine that wrote them",
            up_to(report.anchored)
        ),
    };
    line("anchored", anchored);
    if report.unsigned > 0 {
        let unsigned = match report.unsigned {
            1 => "1 entry".to_owned(),
            number => format!("{number} entries"),
        };
        line(
            "unsigned",
            format!("{unsigned}: nothing shows who wrote them"),
        );
    }
    if !report.unfinished.is_empty() {
        let named = report.unfinished.iter().take(MOST_NAMED);
        let named: Vec<_> = named.map(ToString::to_string).collect();
        let more = match report.unfinished.len() - named.len() {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        line(
            "begun",
            format!(
                "outcome unknown: entries {}{more}; they run, or were cut off",
                named.join(", ")
            ),
        );
    }
    if report.cut_off > 0 {
        line(
            "cut off",
            format!(
                "{} ×: the program ended without a stop entry",
                report.cut_off
            ),
        );
    }
    if report.clock_steps > 0 {
        line("clock", format!("set back {} ×", report.clock_steps));
    }
    let verdict = match &report.verdict {
        Verdict::Intact => "intact".to_owned(),
        Verdict::Tampered { entry, why } => format!("TAMPERED WITH at entry {entry}: {why}"),
        Verdict::Unknown(why) => format!("cannot tell: {why}"),
    };
    line("verdict", verdict);
    text
}
