//! What a journal, and later the history, says of one operation: pure, text in and text out.
//!
//! A line with version, length and SHA-256, then one line for each fact, its fields divided by
//! tabs. Whatever is left of such a file after a crash is told from a whole one.

use docent_tree::path::RelPath;

use docent_text::content_hash::ContentHash;

const MAGIC: &str = "docent operation 1";

/// One operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// Its number: ascending in a state directory, never given twice.
    pub id: u64,
    /// When it was begun, in milliseconds since 1970.
    pub time_ms: i64,
    /// The name of the tool that made it.
    pub tool: String,
    /// What the caller said of it.
    pub note: String,
    /// Whether it takes another one back.
    pub origin: Origin,
    /// What it does, in the order of the request.
    pub entries: Vec<Entry>,
    /// The directories that it makes, outermost first.
    pub made: Vec<RelPath>,
    /// The directories that it removes if they are empty afterwards, innermost first.
    pub removed: Vec<RelPath>,
    /// What could not be done because a file changed after the commit.
    pub conflicts: Vec<Conflict>,
}

/// Where an operation comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// From a request.
    Change,
    /// It takes back the change, or the redo, of this number.
    Undo(u64),
    /// It takes back the undo of this number.
    Redo(u64),
}

/// What happens to one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// What.
    pub action: Action,
    /// How many lines come and go.
    pub lines: Lines,
}

/// Lines that a change adds and removes; what the caller counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Lines {
    /// Added.
    pub added: u32,
    /// Removed.
    pub removed: u32,
}

/// What happens to one file, with the hashes of its contents before and after.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// Its content is replaced.
    Set {
        /// The file.
        path: RelPath,
        /// Its content before.
        old: ContentHash,
        /// Its content afterwards.
        new: ContentHash,
    },
    /// It comes to be.
    New {
        /// The file.
        path: RelPath,
        /// Its content.
        new: ContentHash,
    },
    /// It goes.
    Delete {
        /// The file.
        path: RelPath,
        /// Its content.
        old: ContentHash,
    },
    /// It gets another path, and perhaps another content.
    Move {
        /// Its path before.
        path: RelPath,
        /// Its path afterwards.
        to: RelPath,
        /// Its content before.
        old: ContentHash,
        /// Its content afterwards.
        new: ContentHash,
    },
}

/// A file that was neither as before nor as afterwards.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conflict {
    /// The index of its entry.
    pub entry: usize,
    /// What stands there and was left as it is; none where nothing does, or no regular file.
    pub found: Option<ContentHash>,
    /// The contents that are kept in its stead: ours, and what else stood in the way.
    pub kept: Vec<ContentHash>,
}

/// Why a text is no record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Malformed {
    /// It ends too early: writing was cut off.
    Torn,
    /// It is not what was written.
    Damaged,
    /// A later docent wrote it.
    Version,
}

impl Action {
    /// Returns the path before the operation, or of what comes to be.
    #[must_use]
    pub fn path(&self) -> &RelPath {
        match self {
            Self::Set { path, .. }
            | Self::New { path, .. }
            | Self::Delete { path, .. }
            | Self::Move { path, .. } => path,
        }
    }

    /// Returns the path to which the file moves.
    #[must_use]
    pub fn destination(&self) -> Option<&RelPath> {
        match self {
            Self::Move { to, .. } => Some(to),
            _ => None,
        }
    }

    /// Returns the content before.
    #[must_use]
    pub fn old_hash(&self) -> Option<ContentHash> {
        match self {
            Self::Set { old, .. } | Self::Delete { old, .. } | Self::Move { old, .. } => Some(*old),
            Self::New { .. } => None,
        }
    }

    /// Returns the content afterwards.
    #[must_use]
    pub fn new_hash(&self) -> Option<ContentHash> {
        match self {
            Self::Set { new, .. } | Self::New { new, .. } | Self::Move { new, .. } => Some(*new),
            Self::Delete { .. } => None,
        }
    }
}

impl Record {
    /// Returns the record as it stands in a file.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let mut body = String::new();
        let mut line = |fields: &[&str]| {
            let fields: Vec<String> = fields.iter().map(|field| escape(field)).collect();
            body.push_str(&fields.join("\t"));
            body.push('\n');
        };
        line(&["id", &self.id.to_string()]);
        line(&["time", &self.time_ms.to_string()]);
        line(&["tool", &self.tool]);
        line(&["note", &self.note]);
        match self.origin {
            Origin::Change => {}
            Origin::Undo(id) => line(&["undo", &id.to_string()]),
            Origin::Redo(id) => line(&["redo", &id.to_string()]),
        }
        for path in &self.made {
            line(&["made", path.as_str()]);
        }
        for path in &self.removed {
            line(&["removed", path.as_str()]);
        }
        for Entry { action, lines } in &self.entries {
            let added = lines.added.to_string();
            let removed = lines.removed.to_string();
            let hash = |hash: Option<ContentHash>| hash.map_or("-".to_owned(), |h| h.to_string());
            let (old, new) = (hash(action.old_hash()), hash(action.new_hash()));
            let mut fields = vec![verb(action), &old, &new, &added, &removed];
            fields.push(action.path().as_str());
            fields.extend(action.destination().map(RelPath::as_str));
            line(&fields);
        }
        for conflict in &self.conflicts {
            let found = conflict
                .found
                .map_or("-".to_owned(), |hash| hash.to_string());
            let mut fields = vec!["conflict".to_owned(), conflict.entry.to_string(), found];
            fields.extend(conflict.kept.iter().map(ContentHash::to_string));
            line(&fields.iter().map(String::as_str).collect::<Vec<_>>());
        }
        let hash = ContentHash::new(body.as_bytes());
        format!("{MAGIC}\t{}\t{hash}\n{body}", body.len()).into_bytes()
    }

    /// Returns the record that `bytes` hold.
    ///
    /// # Errors
    /// [`Malformed::Torn`] for each beginning of a record, and for what a crash makes of one:
    /// zeros from some byte on. [`Malformed::Damaged`] for what else differs.
    pub fn decode(bytes: &[u8]) -> Result<Self, Malformed> {
        let whole = bytes.iter().rposition(|byte| *byte != 0);
        let is_cut = |bytes: &[u8]| whole.is_none_or(|last| last + 1 < bytes.len());
        let cut = if is_cut(bytes) {
            Malformed::Torn
        } else {
            Malformed::Damaged
        };
        let Some(end) = bytes.iter().position(|byte| *byte == b'\n') else {
            let is_beginning =
                bytes.starts_with(MAGIC.as_bytes()) || MAGIC.as_bytes().starts_with(bytes);
            return Err(if is_beginning { Malformed::Torn } else { cut });
        };
        let (head, body) = (&bytes[..end], &bytes[end + 1..]);
        let head = std::str::from_utf8(head).map_err(|_| cut)?;
        let fields: Vec<&str> = head.split('\t').collect();
        let [magic, length, hash] = fields[..] else {
            return Err(cut);
        };
        if magic != MAGIC {
            let is_later = magic.starts_with("docent operation ");
            return Err(if is_later { Malformed::Version } else { cut });
        }
        let length: usize = length.parse().map_err(|_| cut)?;
        if body.len() < length {
            return Err(Malformed::Torn);
        }
        if body.len() > length || Some(ContentHash::new(body)) != ContentHash::parse(hash) {
            return Err(cut);
        }
        let body = std::str::from_utf8(body).map_err(|_| Malformed::Damaged)?;
        parse(body).ok_or(Malformed::Damaged)
    }

    /// Returns all paths that the record names.
    pub(crate) fn paths(&self) -> impl Iterator<Item = &RelPath> {
        let actions = || self.entries.iter().map(|entry| &entry.action);
        let files = actions().map(Action::path);
        let destinations = actions().filter_map(Action::destination);
        let directories = self.made.iter().chain(&self.removed);
        files.chain(destinations).chain(directories)
    }

    /// Returns all contents that the record names as kept.
    pub(crate) fn objects(&self) -> impl Iterator<Item = ContentHash> {
        let old = self
            .entries
            .iter()
            .filter_map(|entry| entry.action.old_hash());
        let kept = self
            .conflicts
            .iter()
            .flat_map(|conflict| conflict.kept.iter().copied());
        old.chain(kept)
    }

    /// Whether entry `index` was left undone because its file had changed.
    #[must_use]
    pub fn is_in_conflict(&self, index: usize) -> bool {
        self.conflicts
            .iter()
            .any(|conflict| conflict.entry == index)
    }
}

/// Whether a path leads into, or to, something whose name begins with a dot.
pub(crate) fn is_hidden(path: &RelPath) -> bool {
    path.segments().any(|name| name.starts_with('.'))
}

fn verb(action: &Action) -> &'static str {
    match action {
        Action::Set { .. } => "set",
        Action::New { .. } => "new",
        Action::Delete { .. } => "delete",
        Action::Move { .. } => "move",
    }
}

fn parse(body: &str) -> Option<Record> {
    let mut record = Record {
        id: 0,
        time_ms: 0,
        tool: String::new(),
        note: String::new(),
        origin: Origin::Change,
        entries: Vec::new(),
        made: Vec::new(),
        removed: Vec::new(),
        conflicts: Vec::new(),
    };
    for line in body.lines() {
        let fields: Vec<String> = line.split('\t').map(unescape).collect::<Option<_>>()?;
        let fields: Vec<&str> = fields.iter().map(String::as_str).collect();
        match fields[..] {
            ["id", id] => record.id = id.parse().ok()?,
            ["time", time] => record.time_ms = time.parse().ok()?,
            ["tool", tool] => record.tool = tool.to_owned(),
            ["note", note] => record.note = note.to_owned(),
            ["undo", id] => record.origin = Origin::Undo(id.parse().ok()?),
            ["redo", id] => record.origin = Origin::Redo(id.parse().ok()?),
            ["made", path] => record.made.push(path_of(path)?),
            ["removed", path] => record.removed.push(path_of(path)?),
            ["conflict", entry, found, ref kept @ ..] => {
                let parsed = kept.iter().map(|hash| ContentHash::parse(hash));
                record.conflicts.push(Conflict {
                    entry: entry.parse().ok()?,
                    found: optional(found)?,
                    kept: parsed.collect::<Option<_>>()?,
                });
            }
            [verb, old, new, added, removed, path, ref to @ ..] => {
                record.entries.push(Entry {
                    action: action(verb, optional(old)?, optional(new)?, path_of(path)?, to)?,
                    lines: Lines {
                        added: added.parse().ok()?,
                        removed: removed.parse().ok()?,
                    },
                });
            }
            _ => return None,
        }
    }
    let is_sound = |conflict: &Conflict| conflict.entry < record.entries.len();
    record.conflicts.iter().all(is_sound).then_some(record)
}

fn action(
    verb: &str,
    old: Option<ContentHash>,
    new: Option<ContentHash>,
    path: RelPath,
    to: &[&str],
) -> Option<Action> {
    Some(match (verb, old, new, to) {
        ("set", Some(old), Some(new), []) => Action::Set { path, old, new },
        ("new", None, Some(new), []) => Action::New { path, new },
        ("delete", Some(old), None, []) => Action::Delete { path, old },
        ("move", Some(old), Some(new), [to]) => Action::Move {
            path,
            to: path_of(to)?,
            old,
            new,
        },
        _ => return None,
    })
}

fn optional(hash: &str) -> Option<Option<ContentHash>> {
    if hash == "-" {
        return Some(None);
    }
    ContentHash::parse(hash).map(Some)
}

/// A path name by name: `\` may be part of one, which a request's path would take for `/`.
fn path_of(text: &str) -> Option<RelPath> {
    let mut path = RelPath::default();
    for name in text.split('/') {
        if matches!(name, "" | "." | "..") || name.contains('\0') {
            return None;
        }
        path.push(name);
    }
    Some(path)
}

fn escape(field: &str) -> String {
    field
        .replace('\\', "\\\\")
        .replace('\t', "\\t")
        .replace('\n', "\\n")
        .replace('\r', "\\r")
}

fn unescape(field: &str) -> Option<String> {
    let mut text = String::with_capacity(field.len());
    let mut letters = field.chars();
    while let Some(letter) = letters.next() {
        text.push(match letter {
            '\\' => match letters.next()? {
                '\\' => '\\',
                't' => '\t',
                'n' => '\n',
                'r' => '\r',
                _ => return None,
            },
            plain => plain,
        });
    }
    Some(text)
}
