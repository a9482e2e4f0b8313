//! Edits of a TOML configuration, which change the lines of the entry and no other byte.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::ops::Range;

use toml::{Table, Value};

use super::read::{AssignmentPlace, KeyAssignment, TomlSection, sections};
use crate::byte_edit::{ByteEdit, apply, line_break, line_end, line_start};
use crate::{ConfigFileError, Launch, NAME, ServerEntry};

/// A valid configuration file, with the key of its table of servers.
#[derive(Debug)]
pub struct TomlConfig<'t> {
    text: &'t str,
    table: &'static str,
    value: Table,
    sections: Vec<TomlSection>,
}

impl<'t> TomlConfig<'t> {
    /// Parses a text.
    ///
    /// # Errors
    /// Returns an error if it is not valid TOML, or the table of servers has another type.
    pub fn parse(text: &'t str, table: &'static str) -> Result<Self, ConfigFileError> {
        let value = parse_table(text)?;
        let file = Self {
            text,
            table,
            value,
            sections: sections(text),
        };
        if file.value.get(table).is_some_and(|value| !value.is_table()) {
            let at = file.first(&[table]);
            return Err(ConfigFileError::at(
                text,
                at,
                format!("`{table}` is not a table"),
            ));
        }
        Ok(file)
    }

    fn assignments(&self) -> impl Iterator<Item = &KeyAssignment> {
        let sections = self.sections.iter();
        sections.flat_map(|section| &section.assignments)
    }

    /// Returns the offset of the first header or key of a path.
    fn first(&self, path: &[&str]) -> usize {
        let headers = self
            .sections
            .iter()
            .filter_map(|section| section.header.as_ref());
        let headers = headers.map(|header| (&header.path, header.start));
        let keys = self.assignments().map(|one| (&one.path, one.start));
        let starts = headers
            .chain(keys)
            .filter(|(there, _)| starts_with_path(there, path));
        starts.map(|(_, start)| start).min().unwrap_or_default()
    }

    fn find_value(&self) -> Option<&Value> {
        self.value.get(self.table)?.get(NAME)
    }

    /// Returns the entry.
    ///
    /// # Errors
    /// None; the signature is that of the other format.
    pub fn entry(&self) -> Result<ServerEntry, ConfigFileError> {
        let Some(found) = self.find_value() else {
            return Ok(ServerEntry::Missing);
        };
        Ok(match read_launch(found) {
            Some(launch) if launch.is_docent() => ServerEntry::Docent(launch),
            _ => {
                let parts = self.ranges().into_iter();
                let parts = parts.map(|range| self.text[range].trim());
                ServerEntry::Foreign(parts.collect::<Vec<_>>().join("\n"))
            }
        })
    }

    /// Returns the text with a new entry, below all others.
    ///
    /// # Errors
    /// Returns an error if there is already an entry, or the table of servers is an inline table.
    pub fn insert(&self, launch: &Launch) -> Result<String, ConfigFileError> {
        if self.find_value().is_some() {
            let at = self.first(&[self.table, NAME]);
            return Err(ConfigFileError::at(
                self.text,
                at,
                format!("`{NAME}` already exists"),
            ));
        }
        let inline = self.assignments().find(|one| one.path == [self.table]);
        if let Some(inline) = inline {
            let problem = format!(
                "`{0}` is an inline table, to which no table can be added; expected `[{0}.NAME]`",
                self.table
            );
            return Err(ConfigFileError::at(self.text, inline.start, problem));
        }
        let newline = line_break(self.text);
        let mut entry = entry(launch, self.table).replace('\n', newline);
        let before = match self.text.is_empty() {
            true => String::new(),
            // A file whose last line has no line break gets none at its new end either.
            // Removing the entry can then restore the same bytes; it recognizes such a file by
            // its end.
            false if !self.text.ends_with('\n') => {
                entry.truncate(entry.trim_end().len());
                format!("{newline}{newline}")
            }
            false => newline.to_owned(),
        };
        let new = format!("{}{before}{entry}", self.text);
        self.verify(&new, |value| {
            let servers = value.entry(self.table.to_owned());
            let servers = servers.or_insert_with(|| Value::Table(Table::new()));
            if let Some(servers) = servers.as_table_mut() {
                servers.insert(NAME.to_owned(), build_entry(launch));
            }
        })?;
        Ok(new)
    }

    /// Returns the text with the entry changed.
    ///
    /// # Errors
    /// Returns an error if there is no entry, or it cannot be removed.
    pub fn replace(&self, launch: &Launch) -> Result<String, ConfigFileError> {
        let ServerEntry::Docent(_) = self.entry()? else {
            let without = self.remove()?;
            return TomlConfig::parse(&without, self.table)?.insert(launch);
        };
        let mut edits = Vec::new();
        let values = [
            ("command", Value::String(launch.command.clone())),
            ("args", string_array(&launch.args)),
        ];
        for (key, value) in &values {
            let path = [self.table, NAME, key];
            let there = self.find_value().and_then(|found| found.get(key));
            let place = self.assignments().find(|one| one.path == path);
            if let Some(place) = place.filter(|_| there != Some(value)) {
                edits.push(ByteEdit::replace(place.value.clone(), render_inline(value)));
            }
        }
        let new = apply(self.text, edits);
        self.verify(&new, |all| {
            let servers = all.get_mut(self.table).and_then(Value::as_table_mut);
            let entry = servers.and_then(|servers| servers.get_mut(NAME)?.as_table_mut());
            if let Some(entry) = entry {
                entry.extend(values.map(|(key, value)| (key.to_owned(), value)));
            }
        })?;
        Ok(new)
    }

    /// Returns the text without the entry.
    ///
    /// # Errors
    /// Returns an error if there is no entry, or it is in an inline table.
    pub fn remove(&self) -> Result<String, ConfigFileError> {
        if self.find_value().is_none() {
            let problem = format!("no `{NAME}` in `{}`", self.table);
            return Err(ConfigFileError::at(self.text, 0, problem));
        }
        let ranges = self.ranges();
        if ranges.is_empty() {
            let at = self.first(&[self.table]);
            let problem = format!(
                "`{NAME}` is in an inline table, which docent does not edit; remove it by hand"
            );
            return Err(ConfigFileError::at(self.text, at, problem));
        }
        let is_last = ranges
            .last()
            .is_some_and(|range| range.end == self.text.len());
        let ends_open = is_last && !self.text.ends_with('\n');
        let edits = ranges.into_iter().map(ByteEdit::remove).collect();
        let mut new = apply(self.text, edits);
        if ends_open {
            let ended = new.strip_suffix('\n').unwrap_or(&new);
            new.truncate(ended.strip_suffix('\r').unwrap_or(ended).len());
        }
        let is_alone = self.value.get(self.table).and_then(Value::as_table);
        let is_alone = is_alone.is_some_and(|servers| servers.len() == 1);
        // `[mcp_servers.docent]` makes the table `mcp_servers` exist, and removing it removes
        // that table as well, unless a header `[mcp_servers]` of its own names it. The expected
        // value follows the text, so that an empty table that a person wrote stays.
        let is_named = parse_table(&new)?.contains_key(self.table);
        self.verify(&new, |all| {
            if is_alone && !is_named {
                all.remove(self.table);
            } else if let Some(servers) = all.get_mut(self.table).and_then(Value::as_table_mut) {
                servers.remove(NAME);
            }
        })?;
        Ok(new)
    }

    /// Returns the lines of the entry: those of its tables, each with the blank line above it, and
    /// those of its assignments in other tables. None for an entry in an inline table.
    fn ranges(&self) -> Vec<Range<usize>> {
        let path = [self.table, NAME];
        let mut ranges = Vec::new();
        for section in &self.sections {
            let assignments = section.assignments.iter();
            let mut on_lines = assignments.filter(|one| one.place == AssignmentPlace::Lines);
            // A table of the entry may have tables below it, as `[mcp_servers.docent.env]`, and
            // keys of the entry may be in other tables, as `docent.command = "…"` below
            // `[mcp_servers]`. All of them belong to the entry.
            let own = section
                .header
                .as_ref()
                .filter(|header| starts_with_path(&header.path, &path));
            if let Some(header) = own {
                let last = on_lines
                    .next_back()
                    .map_or(header.end, |last| last.value.end);
                let start = blank_line_before(self.text, line_start(self.text, header.start));
                ranges.push(start..line_end(self.text, last));
                continue;
            }
            ranges.extend(
                on_lines
                    .filter(|one| starts_with_path(&one.path, &path))
                    .map(|one| {
                        line_start(self.text, one.start)..line_end(self.text, one.value.end)
                    }),
            );
        }
        ranges
    }

    /// Compares the parsed result with the expected value.
    fn verify(&self, new: &str, change: impl FnOnce(&mut Table)) -> Result<(), ConfigFileError> {
        let mut expected = self.value.clone();
        change(&mut expected);
        if parse_table(new)? == expected {
            return Ok(());
        }
        // The edits work on bytes, so their result is parsed and compared with the value that
        // was intended. No text is known to fail here. If one does, its file is left unchanged.
        let problem = "the position of the entry is ambiguous; edit the file by hand";
        Err(ConfigFileError::at(self.text, 0, problem))
    }
}

fn parse_table(text: &str) -> Result<Table, ConfigFileError> {
    text.parse().map_err(|error: toml::de::Error| {
        let at = error.span().map_or(0, |span| span.start);
        // The message has several lines if the parser lists the tokens that it expected.
        let message = error.message().lines().collect::<Vec<_>>().join("; ");
        ConfigFileError::at(text, at, message)
    })
}

fn starts_with_path(path: &[String], with: &[&str]) -> bool {
    path.len() >= with.len() && path.iter().zip(with).all(|(there, key)| there == key)
}

/// Returns the offset of the blank line before the line that begins at `start`, or `start` if there
/// is none.
fn blank_line_before(text: &str, start: usize) -> usize {
    let before = &text[..start];
    let Some(above) = before.strip_suffix('\n') else {
        return start;
    };
    let above = above.strip_suffix('\r').unwrap_or(above);
    if above.is_empty() || above.ends_with('\n') {
        above.len()
    } else {
        start
    }
}

/// Returns the command that an entry starts; none if it starts none.
fn read_launch(entry: &Value) -> Option<Launch> {
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let args = match entry.get("args") {
        Some(args) => args.as_array()?.iter().map(text).collect::<Option<_>>()?,
        None => Vec::new(),
    };
    let variables = entry.get("env").and_then(Value::as_table);
    let variables = variables.into_iter().flatten();
    let env = variables.filter_map(|(name, value)| Some((name.clone(), text(value)?)));
    Some(Launch {
        command: text(entry.get("command")?)?,
        args,
        env: env.collect::<BTreeMap<_, _>>(),
    })
}

fn string_array(items: &[String]) -> Value {
    Value::Array(
        items
            .iter()
            .map(|item| Value::String(item.clone()))
            .collect(),
    )
}

fn build_entry(launch: &Launch) -> Value {
    let mut entry = Table::new();
    entry.insert("command".to_owned(), Value::String(launch.command.clone()));
    entry.insert("args".to_owned(), string_array(&launch.args));
    Value::Table(entry)
}

/// Formats an entry with its header.
fn entry(launch: &Launch, table: &str) -> String {
    format!(
        "[{table}.{NAME}]\ncommand = {}\nargs = {}\n",
        quote(&launch.command),
        render_inline(&string_array(&launch.args))
    )
}

/// Returns a string or an array of strings as TOML on one line.
fn render_inline(value: &Value) -> String {
    match value {
        Value::Array(items) => {
            let items = items.iter().map(render_inline).collect::<Vec<_>>();
            format!("[{}]", items.join(", "))
        }
        other => quote(other.as_str().unwrap_or_default()),
    }
}

fn quote(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            c if c.is_control() => {
                // Writing to a string cannot fail.
                let _ = write!(quoted, "\\u{:04X}", u32::from(c));
            }
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}
