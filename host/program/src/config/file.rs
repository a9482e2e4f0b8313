//! The configuration file. Errors are one line: the fault, then the expected form.

use docent_host::grant::{Right, RootSpec};
use toml::{Table, Value};

use super::table::{list, mismatch, number, refuse_unknown, string};
use super::{Limits, Setup, StatePlace, embedder, listener};

/// The keys of a configuration file.
const KEYS: [&str; 7] = [
    "roots",
    "default-root",
    "state",
    "exclude",
    "limits",
    "embedder",
    "serve",
];

/// The keys of an entry of `roots`.
const ROOT_KEYS: [&str; 4] = ["name", "path", "right", "sensitive"];

/// The keys of `limits`.
const LIMIT_KEYS: [&str; 5] = [
    "timeout-ms",
    "memory-mb",
    "cache-mb",
    "watched-files",
    "threads",
];

/// A parsed file: the setup without its state and embedder, and these two.
type Understood = (Setup, Option<StatePlace>, Option<embedder::EmbedderEntry>);

pub fn parse(text: &str) -> Result<Understood, String> {
    let table: Table = text
        .parse()
        .map_err(|error: toml::de::Error| locate_error(text, &error))?;
    refuse_unknown(&table, "", &KEYS)?;
    let mut setup = Setup::default();
    for (index, root) in list(&table, "roots")?.iter().enumerate() {
        let prefix = format!("roots[{index}].");
        let root = root
            .as_table()
            .ok_or_else(|| mismatch(&format!("roots[{index}]"), root, "a table with `path`"))?;
        setup.roots.push(root_entry(root, &prefix)?);
    }
    setup.default_root = string(&table, "", "default-root")?;
    for (index, pattern) in list(&table, "exclude")?.iter().enumerate() {
        let prefix = format!("exclude[{index}]");
        let pattern = pattern
            .as_str()
            .ok_or_else(|| mismatch(&prefix, pattern, "a string"))?;
        setup.exclude.push(pattern.to_owned());
    }
    if let Some(limits) = table.get("limits") {
        let limits = limits
            .as_table()
            .ok_or_else(|| mismatch("limits", limits, "a table"))?;
        refuse_unknown(limits, "limits.", &LIMIT_KEYS)?;
        setup.limits = Limits {
            timeout_ms: number(limits, "timeout-ms", 1)?,
            memory_mb: number(limits, "memory-mb", 1)?,
            // 0 turns the cache or the watches off; the other limits must be positive, since
            // nothing could be done with none.
            cache_mb: number(limits, "cache-mb", 0)?,
            watched_files: number(limits, "watched-files", 0)?,
            threads: number(limits, "threads", 1)?,
        };
    }
    let embedder = match table.get("embedder") {
        None => None,
        Some(Value::Table(entry)) => Some(embedder::EmbedderEntry::parse(entry)?),
        Some(other) => {
            return Err(mismatch(
                "embedder",
                other,
                "a table with `url` and `model`, or `directory`",
            ));
        }
    };
    setup.listener = listener::entry(&table)?;
    Ok((setup, state_entry(&table)?, embedder))
}

fn state_entry(table: &Table) -> Result<Option<StatePlace>, String> {
    match table.get("state") {
        None => Ok(None),
        Some(Value::Boolean(false)) => Ok(Some(StatePlace::None)),
        Some(Value::String(path)) if !path.is_empty() => {
            Ok(Some(StatePlace::Directory(path.into())))
        }
        Some(other) => Err(mismatch("state", other, "a directory, or `false`")),
    }
}

fn root_entry(root: &Table, prefix: &str) -> Result<RootSpec, String> {
    refuse_unknown(root, prefix, &ROOT_KEYS)?;
    let path = string(root, prefix, "path")?
        .filter(|path| !path.is_empty())
        .ok_or_else(|| format!("`{prefix}path` is missing; expected a directory"))?;
    let right = match string(root, prefix, "right")?.as_deref() {
        None | Some("read-only") => Right::ReadOnly,
        Some("read-write") => Right::ReadWrite,
        Some(other) => {
            return Err(format!(
                "`{prefix}right` is \"{other}\"; expected `read-only` or `read-write`"
            ));
        }
    };
    let sensitive = match root.get("sensitive") {
        None => false,
        Some(Value::Boolean(sensitive)) => *sensitive,
        Some(other) => {
            let key = format!("{prefix}sensitive");
            return Err(mismatch(&key, other, "`true` or `false`"));
        }
    };
    Ok(RootSpec {
        name: string(root, prefix, "name")?,
        path: path.into(),
        right,
        sensitive,
    })
}

/// Formats a syntax error as one line with its position.
fn locate_error(text: &str, error: &toml::de::Error) -> String {
    let message = error.message().lines().collect::<Vec<_>>().join("; ");
    let Some(before) = error.span().and_then(|span| text.get(..span.start)) else {
        return message;
    };
    format!("line {}: {message}", before.matches('\n').count() + 1)
}
