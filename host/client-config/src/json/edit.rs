//! Edits of a JSON configuration, which change the entry and no other byte.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::JsonDialect;
use super::parse::{JsonMember, JsonNode, parse};
use super::style::{self, MemberLayout};
use crate::byte_edit::{ByteEdit, apply, line_break};
use crate::{ConfigFileError, Launch, NAME, ServerEntry};

/// A key and value at the start of a new entry.
type EntryExtra = Option<(&'static str, &'static str)>;

/// A valid configuration file, with the key of its table of servers.
#[derive(Debug)]
pub struct JsonConfig<'t> {
    text: &'t str,
    dialect: JsonDialect,
    table: &'static str,
    /// Root value; none if the file contains no value.
    document: Option<JsonNode>,
}

impl<'t> JsonConfig<'t> {
    /// Parses a text.
    ///
    /// # Errors
    /// Returns an error if it is not valid JSON, if an object is missing, or if a key is repeated.
    pub fn parse(
        text: &'t str,
        dialect: JsonDialect,
        table: &'static str,
    ) -> Result<Self, ConfigFileError> {
        let file = Self {
            text,
            dialect,
            table,
            document: parse(text, dialect)?,
        };
        let Some(document) = &file.document else {
            return Ok(file);
        };
        let Some(members) = document.members() else {
            let problem = "not an object; expected `{`";
            return Err(ConfigFileError::at(text, document.span.start, problem));
        };
        if let Some(servers) = file.only(members, table)? {
            let Some(entries) = servers.value.members() else {
                let problem = format!("`{table}` is not an object; expected `{{`");
                return Err(ConfigFileError::at(text, servers.value.span.start, problem));
            };
            file.only(entries, NAME)?;
        }
        Ok(file)
    }

    /// Returns the member with this key. A repeated key is refused, because parsers differ in the
    /// choice of its value.
    fn only<'m>(
        &self,
        members: &'m [JsonMember],
        key: &str,
    ) -> Result<Option<&'m JsonMember>, ConfigFileError> {
        let mut found = members.iter().filter(|member| member.key == key);
        let first = found.next();
        match found.next() {
            None => Ok(first),
            Some(second) => {
                let problem = format!("`{key}` occurs twice; expected it once");
                Err(ConfigFileError::at(self.text, second.start, problem))
            }
        }
    }

    fn servers(&self) -> Option<&JsonMember> {
        let members = self.document.as_ref()?.members()?;
        members.iter().find(|member| member.key == self.table)
    }

    fn find_member(&self) -> Option<&JsonMember> {
        let entries = self.servers()?.value.members()?;
        entries.iter().find(|member| member.key == NAME)
    }

    /// Returns the entry.
    ///
    /// # Errors
    /// None; the signature is that of the other format.
    pub fn entry(&self) -> Result<ServerEntry, ConfigFileError> {
        let Some(found) = self.find_member() else {
            return Ok(ServerEntry::Missing);
        };
        Ok(match read_launch(&found.value.value()) {
            Some(launch) if launch.is_docent() => ServerEntry::Docent(launch),
            _ => ServerEntry::Foreign(self.text[found.value.span.clone()].to_owned()),
        })
    }

    /// Returns the text with a new entry.
    ///
    /// # Errors
    /// Returns an error if there is already an entry.
    pub fn insert(&self, launch: &Launch, extra: EntryExtra) -> Result<String, ConfigFileError> {
        if let Some(found) = self.find_member() {
            let problem = format!("`{NAME}` already exists");
            return Err(ConfigFileError::at(self.text, found.start, problem));
        }
        let entry = entry(launch, extra);
        let newline = line_break(self.text);
        let Some(document) = &self.document else {
            let whole = json!({self.table: {NAME: entry}});
            let whole = style::render_lines(&whole, "", "  ", newline);
            let kept = if self.text.trim().is_empty() {
                ""
            } else {
                self.text
            };
            let gap = if kept.is_empty() || kept.ends_with('\n') {
                ""
            } else {
                newline
            };
            return Ok(format!("{kept}{gap}{whole}{newline}"));
        };
        let edits = match self.servers() {
            Some(servers) => self.add_member(&servers.value, NAME, &entry),
            None => self.add_member(document, self.table, &json!({NAME: entry})),
        };
        self.verify(edits, |value| {
            let servers = &mut value[self.table];
            if servers.is_null() {
                *servers = json!({});
            }
            servers[NAME] = entry.clone();
        })
    }

    /// Returns the text with the entry changed.
    ///
    /// # Errors
    /// Returns an error if there is no entry.
    pub fn replace(&self, launch: &Launch, extra: EntryExtra) -> Result<String, ConfigFileError> {
        let found = self.find_member().ok_or_else(|| self.missing())?;
        let is_docent = matches!(self.entry()?, ServerEntry::Docent(_));
        let mut edits = Vec::new();
        if is_docent {
            for member in found.value.members().unwrap_or_default() {
                let new = match member.key.as_str() {
                    "command" => json!(launch.command),
                    "args" => json!(launch.args),
                    _ => continue,
                };
                if member.value.value() != new {
                    let new = style::render_inline(&new, true);
                    edits.push(ByteEdit::replace(member.value.span.clone(), new));
                }
            }
        } else {
            let new = self.render_value(found, &entry(launch, extra));
            edits.push(ByteEdit::replace(found.value.span.clone(), new));
        }
        self.verify(edits, |value| {
            let there = &mut value[self.table][NAME];
            if is_docent {
                there["command"] = json!(launch.command);
                there["args"] = json!(launch.args);
            } else {
                *there = entry(launch, extra);
            }
        })
    }

    /// Returns the text without the entry.
    ///
    /// # Errors
    /// Returns an error if there is no entry.
    pub fn remove(&self) -> Result<String, ConfigFileError> {
        let (Some(document), Some(servers), Some(_)) =
            (&self.document, self.servers(), self.find_member())
        else {
            return Err(self.missing());
        };
        let is_alone = servers.value.members().is_some_and(|all| all.len() == 1);
        // A comment between the braces is the person's own. The table is only removed with the
        // entry if nothing else is in it: `{ // my servers` must not disappear with a server
        // that docent added.
        let holds_comment = is_alone && !is_blank_without(self.text, &servers.value, NAME);
        let goes_whole = is_alone && !holds_comment;
        let edits = if goes_whole {
            self.remove_member(document, self.table)
        } else {
            self.remove_member(&servers.value, NAME)
        };
        self.verify(edits, |value| {
            if goes_whole {
                value
                    .as_object_mut()
                    .map(|all| all.shift_remove(self.table));
            } else {
                let servers = value[self.table].as_object_mut();
                servers.map(|all| all.shift_remove(NAME));
            }
        })
    }

    fn missing(&self) -> ConfigFileError {
        ConfigFileError::at(self.text, 0, format!("no `{NAME}` in `{}`", self.table))
    }

    /// Formats a value in place of a member's.
    fn render_value(&self, member: &JsonMember, value: &Value) -> String {
        let is_first_on_line = self.text[..member.start]
            .trim_end_matches([' ', '\t'])
            .ends_with('\n');
        if !is_first_on_line {
            return style::render_inline(value, true);
        }
        let indent = style::indentation(self.text, member.start);
        style::render_lines(value, indent, &self.unit(), line_break(self.text))
    }

    fn unit(&self) -> String {
        let document = self.document.as_ref();
        document.map_or_else(String::new, |document| style::unit(self.text, document))
    }

    /// Returns the edits that append a member to an object.
    fn add_member(&self, object: &JsonNode, key: &str, value: &Value) -> Vec<ByteEdit> {
        let (text, unit, newline) = (self.text, self.unit(), line_break(self.text));
        let layout = style::layout(text, object, &unit);
        let member = style::render_member(key, value, &layout, &unit, newline);
        let close = object.span.end - 1;
        let Some(last) = object.members().and_then(<[_]>::last) else {
            return vec![add_first_member(text, object, &member, &layout, newline)];
        };
        let mut edits = Vec::new();
        let (from, trailing) = match last.comma {
            // The last member has a comma behind it, which JSON with comments allows. The new
            // member gets one as well, so the file keeps its style.
            Some(comma) => (comma + 1, ","),
            None => {
                edits.push(ByteEdit::insert(last.value.span.end, ","));
                (last.value.span.end, "")
            }
        };
        edits.push(match &layout {
            MemberLayout::Lines(indent) => {
                let at = end_of_remarks(text, from, close);
                ByteEdit::insert(at, format!("{newline}{indent}{member}{trailing}"))
            }
            MemberLayout::Inline { spaced } => {
                let gap = if *spaced { " " } else { "" };
                ByteEdit::insert(from, format!("{gap}{member}{trailing}"))
            }
        });
        edits
    }

    /// Returns the edits that remove a member from an object.
    fn remove_member(&self, object: &JsonNode, key: &str) -> Vec<ByteEdit> {
        let members = object.members().unwrap_or_default();
        let Some(index) = members.iter().position(|member| member.key == key) else {
            return Vec::new();
        };
        let member = &members[index];
        if members.len() == 1 && is_blank_without(self.text, object, key) {
            let inner = object.span.start + 1..object.span.end - 1;
            // The object may have been `{}` before the member was added, or may have had a line
            // break between its braces: adding writes the same in both cases. It is written as
            // `{}`.
            return vec![ByteEdit::remove(inner)];
        }
        let start = gap_start(self.text, member.start);
        match member.comma {
            Some(comma) => vec![ByteEdit::remove(start..comma + 1)],
            None => {
                let mut edits = Vec::new();
                let before = index.checked_sub(1).and_then(|index| members[index].comma);
                if let Some(comma) = before {
                    edits.push(ByteEdit::remove(comma..comma + 1));
                }
                edits.push(ByteEdit::remove(
                    start.max(before.map_or(0, |comma| comma + 1))..member.value.span.end,
                ));
                edits
            }
        }
    }

    /// Applies the edits, and compares the parsed result with the expected value.
    fn verify(
        &self,
        edits: Vec<ByteEdit>,
        change: impl FnOnce(&mut Value),
    ) -> Result<String, ConfigFileError> {
        let new = apply(self.text, edits);
        let document = self.document.as_ref();
        let mut expected = document.map_or(Value::Null, JsonNode::value);
        change(&mut expected);
        let made = parse(&new, self.dialect)?.map(|node| node.value());
        if made != Some(expected) {
            // The edits work on bytes, so their result is parsed and compared with the value
            // that was intended. No text is known to fail here. If one does, its file is left
            // unchanged, which is better than a client that does not start.
            let problem = "the position of the entry is ambiguous; edit the file by hand";
            return Err(ConfigFileError::at(self.text, 0, problem));
        }
        Ok(new)
    }
}

/// Returns the edit that adds the only member of an object.
fn add_first_member(
    text: &str,
    object: &JsonNode,
    member: &str,
    layout: &MemberLayout,
    newline: &str,
) -> ByteEdit {
    let close = object.span.end - 1;
    let inner = &text[object.span.start + 1..close];
    let MemberLayout::Lines(indent) = layout else {
        return ByteEdit::insert(close, member);
    };
    let outer = style::indentation(text, object.span.start);
    if inner.trim().is_empty() {
        let whole = format!("{newline}{indent}{member}{newline}{outer}");
        return ByteEdit::replace(object.span.start + 1..close, whole);
    }
    // The object contains nothing but comments. The member is added below them, on a line of
    // its own: behind `// none yet` on the same line it would be a part of the comment.
    let blank = inner.len() - inner.trim_end().len();
    let end = if inner[inner.len() - blank..].contains('\n') {
        String::new()
    } else {
        format!("{newline}{outer}")
    };
    ByteEdit::insert(close - blank, format!("{newline}{indent}{member}{end}"))
}

/// Returns the end of the comments on the same line as `from`, before `close`.
fn end_of_remarks(text: &str, from: usize, close: usize) -> usize {
    let mut end = from;
    let mut at = from;
    loop {
        let rest = &text[at..close];
        let blank = rest.len() - rest.trim_start_matches([' ', '\t']).len();
        at += blank;
        let rest = &text[at..close];
        if rest.starts_with("//") {
            let line = rest.find('\n').unwrap_or(rest.len());
            let line = rest[..line].trim_end_matches('\r').len();
            return at + line;
        }
        let comment = rest.strip_prefix("/*").and_then(|rest| rest.find("*/"));
        match comment {
            Some(length) if !rest[..length + 4].contains('\n') => {
                at += length + 4;
                end = at;
            }
            _ => return end,
        }
    }
}

/// Returns the start of the white space before `at`, across one line break at most.
fn gap_start(text: &str, at: usize) -> usize {
    // One line break at most is crossed. The blank lines above it, and a comment at the end of
    // the line above, belong to the member before and stay.
    let before = text[..at].trim_end_matches([' ', '\t']);
    let before = before.strip_suffix('\n').unwrap_or(before);
    before.strip_suffix('\r').unwrap_or(before).len()
}

/// Returns true if an object contains nothing but the single member with this key.
fn is_blank_without(text: &str, object: &JsonNode, key: &str) -> bool {
    let members = object.members().unwrap_or_default();
    members
        .iter()
        .filter(|member| member.key == key)
        .all(|member| {
            let behind = member
                .comma
                .map_or(member.value.span.end, |comma| comma + 1);
            let before = &text[object.span.start + 1..member.start];
            let between = &text[member.value.span.end..member.comma.unwrap_or(behind)];
            let rest = &text[behind..object.span.end - 1];
            [before, between, rest]
                .iter()
                .all(|part| part.trim().is_empty())
        })
}

/// Returns the value of an entry that starts `launch`.
fn entry(launch: &Launch, extra: EntryExtra) -> Value {
    let mut entry = Map::new();
    if let Some((key, value)) = extra {
        entry.insert(key.to_owned(), json!(value));
    }
    entry.insert("command".to_owned(), json!(launch.command));
    entry.insert("args".to_owned(), json!(launch.args));
    if !launch.env.is_empty() {
        entry.insert("env".to_owned(), json!(launch.env));
    }
    Value::Object(entry)
}

/// Returns the command that an entry starts; none if it starts none.
fn read_launch(entry: &Value) -> Option<Launch> {
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let args = match entry.get("args") {
        Some(args) => args.as_array()?.iter().map(text).collect::<Option<_>>()?,
        None => Vec::new(),
    };
    let variables = entry.get("env").and_then(Value::as_object);
    let variables = variables.into_iter().flatten();
    let env = variables.filter_map(|(name, value)| Some((name.clone(), text(value)?)));
    Some(Launch {
        command: text(entry.get("command")?)?,
        args,
        env: env.collect::<BTreeMap<_, _>>(),
    })
}
