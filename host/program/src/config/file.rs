//! The configuration file. Errors are one line: the fault, then the expected form.

use docent_host::grant::{Right, RootSpec};
use docent_host::tools;
use toml::{Table, Value};

use super::{Limits, Setup, State, embedder, listener};

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
const LIMIT_KEYS: [&str; 4] = ["timeout-ms", "memory-mb", "cache-mb", "threads"];

/// A parsed file: the setup without its state and embedder, and these two.
type Understood = (Setup, Option<State>, Option<embedder::Entry>);

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
            // A cache of 0 MiB turns it off; the other limits must be positive, since nothing
            // could be done with none.
            cache_mb: number(limits, "cache-mb", 0)?,
            threads: number(limits, "threads", 1)?,
        };
    }
    let embedder = match table.get("embedder") {
        None => None,
        Some(Value::Table(entry)) => Some(embedder::Entry::parse(entry)?),
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

fn state_entry(table: &Table) -> Result<Option<State>, String> {
    match table.get("state") {
        None => Ok(None),
        Some(Value::Boolean(false)) => Ok(Some(State::None)),
        Some(Value::String(path)) if !path.is_empty() => Ok(Some(State::Directory(path.into()))),
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

pub fn refuse_unknown(table: &Table, prefix: &str, keys: &[&str]) -> Result<(), String> {
    // An unknown key is refused and not ignored: with a misspelt `exlude`, the files that it
    // should hide would be exposed without a sign.
    let Some(unknown) = table.keys().find(|key| !keys.contains(&key.as_str())) else {
        return Ok(());
    };
    Err(match tools::nearest(unknown, keys.iter().copied()) {
        Some(nearest) => {
            format!("unknown key `{prefix}{unknown}`; expected `{nearest}`, which is the nearest")
        }
        None => format!(
            "unknown key `{prefix}{unknown}`; expected one of `{}`",
            keys.join("`, `")
        ),
    })
}

pub fn list<'a>(table: &'a Table, key: &str) -> Result<&'a [Value], String> {
    match table.get(key) {
        None => Ok(&[]),
        Some(Value::Array(items)) => Ok(items),
        Some(other) => Err(mismatch(key, other, "a list")),
    }
}

pub fn string(table: &Table, prefix: &str, key: &str) -> Result<Option<String>, String> {
    match table.get(key) {
        None => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.clone())),
        Some(other) => Err(mismatch(&format!("{prefix}{key}"), other, "a string")),
    }
}

fn number(table: &Table, key: &str, least: u64) -> Result<Option<u64>, String> {
    let Some(value) = table.get(key) else {
        return Ok(None);
    };
    value
        .as_integer()
        .and_then(|number| u64::try_from(number).ok())
        .filter(|number| *number >= least)
        .map(Some)
        .ok_or_else(|| {
            mismatch(
                &format!("limits.{key}"),
                value,
                &format!("a whole number of {least} or more"),
            )
        })
}

pub fn mismatch(name: &str, value: &Value, expected: &str) -> String {
    let value = match value {
        Value::Table(_) => "a table".to_owned(),
        Value::Array(_) => "a list".to_owned(),
        Value::String(text) => format!("\"{text}\""),
        Value::Integer(number) => number.to_string(),
        Value::Float(number) => number.to_string(),
        Value::Boolean(truth) => truth.to_string(),
        Value::Datetime(time) => time.to_string(),
    };
    format!("`{name}` is {value}; expected {expected}")
}

/// Formats a syntax error as one line with its position.
fn locate_error(text: &str, error: &toml::de::Error) -> String {
    let message = error.message().lines().collect::<Vec<_>>().join("; ");
    let Some(before) = error.span().and_then(|span| text.get(..span.start)) else {
        return message;
    };
    format!("line {}: {message}", before.matches('\n').count() + 1)
}
