//! `docent log drop`: drops old entries.

use std::process::ExitCode;

use chrono::{DateTime, Duration, NaiveDate, SecondsFormat, Utc};
use clap::Args;
use docent_access_log::withhold::drop_ambient;

use crate::app::App;
use crate::args::LogPlace;
use crate::terminal::error::CommandError;
use crate::terminal::notes::note;
use crate::terminal::outcome::NOTHING;

/// The arguments of `docent log drop`.
#[derive(Debug, Args)]
#[command(after_help = "\
Entries are dropped in whole segments of about 8 MiB, each of which has only older entries; the \
last segment stays. No program may write to the log meanwhile.")]
pub struct LogDropArgs {
    /// Cutoff: entries before this date, or older than this time (90d)
    #[arg(long, value_name = "DATE|TIME")]
    before: String,
    #[command(flatten)]
    place: LogPlace,
}

/// Drops old entries.
///
/// # Errors
/// Returns an error if the cutoff is not a valid time, or if the log cannot be changed.
pub fn run(app: &App, args: &LogDropArgs) -> Result<ExitCode, CommandError> {
    let time = time(&args.before, app.now().to_utc())?;
    let dropped = drop_ambient(&args.place.directory(app)?, &time)?;
    note(format_args!("{dropped} entries dropped"));
    Ok(if dropped > 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::from(NOTHING)
    })
}

/// Parses the time before which entries are dropped, and returns it in the format of the log.
///
/// # Errors
/// Returns an error if `text` is not a time.
fn time(text: &str, now: DateTime<Utc>) -> Result<String, CommandError> {
    let wrong = || {
        usage(format!(
            "`{text}` is not a time; expected a date (2026-11-23) or a number of days (90d)"
        ))
    };
    let meant = match text.strip_suffix('d').map(str::parse::<u32>) {
        Some(Ok(days)) => now.checked_sub_signed(Duration::days(days.into())),
        _ => {
            let date = NaiveDate::parse_from_str(text, "%Y-%m-%d").map_err(|_| wrong())?;
            date.and_hms_opt(0, 0, 0).map(|time| time.and_utc())
        }
    };
    let meant = meant.ok_or_else(wrong)?;
    Ok(meant.to_rfc3339_opts(SecondsFormat::Millis, true))
}

fn usage(problem: String) -> CommandError {
    CommandError::Usage(problem)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_a_date_or_days_ago() {
        let now = "2026-11-23T10:00:00Z".parse().unwrap();
        for (text, expected) in [
            ("90d", Some("2026-08-25T10:00:00.000Z")),
            ("2026-11-01", Some("2026-11-01T00:00:00.000Z")),
            ("d", None),
            ("-1d", None),
            ("2026-13-01", None),
            ("yesterday", None),
        ] {
            assert_eq!(time(text, now).ok().as_deref(), expected, "{text}");
        }
    }
}
