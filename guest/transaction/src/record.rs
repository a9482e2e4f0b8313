//! The text format of an operation, in the journal and later in the history. Pure: text in, text
//! out.
//!
//! The first line holds version, length and SHA-256 of the rest; then comes one line for each fact,
//! its fields separated by tabs (shown as spaces here):
//!
//! ```text
//! docent operation 1  <bytes that follow>  <their SHA-256>
//! id        12
//! time      1767323045000
//! tool      edit
//! note      fix the links
//! undo      11
//! made      guide/new
//! removed   old
//! set       <old hash>  <new hash>  3  1  guide/setup.md
//! new       -           <new hash>  9  0  guide/new/first.md
//! delete    <old hash>  -           0  4  notes.md
//! move      <old hash>  <new hash>  0  0  old/api.md  guide/api.md
//! conflict  0  <hash found, or ->  <hash kept>
//! ```
//!
//! `undo` or `redo`, `made`, `removed` and `conflict` may be missing. The numbers after the hashes
//! are the lines added and removed; the number of a conflict is the index of its entry.
//!
//! Length and hash distinguish a whole record from every remainder of one that a crash may leave: a
//! beginning of it, or one whose end was replaced by zeros. Without them, the first 20 entries of a
//! journal of 40 would be a valid journal of 20.

use docent_tree::path::RelPath;

use docent_text::content_hash::ContentHash;

const MAGIC: &str = "docent operation 1";

/// The record of one operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// Number of the operation. Numbers ascend in a state directory, and a number that is in its
    /// history is never used twice.
    pub id: u64,
    /// Start of the operation, in milliseconds since 1970.
    pub time_ms: i64,
    /// Name of the tool that made it.
    pub tool: String,
    /// Note of the caller.
    pub note: String,
    /// Origin of the operation: a request, or the reversal of another operation.
    pub origin: OperationOrigin,
    /// Entries, in the order of the request.
    pub entries: Vec<RecordedChange>,
    /// Directories that the operation creates, outermost first.
    pub made: Vec<RelPath>,
    /// Directories that the operation removes if they are empty afterwards, innermost first.
    pub removed: Vec<RelPath>,
    /// Entries that could not be carried out because a file changed after the commit.
    pub conflicts: Vec<Conflict>,
}

/// The origin of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OperationOrigin {
    /// A request.
    Change,
    /// The undo of the change, or the redo, with this number.
    Undo(u64),
    /// The redo that takes back the undo with this number.
    Redo(u64),
}

/// The change of one file, with its line counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordedChange {
    /// The change itself.
    pub action: Action,
    /// Number of lines added and removed.
    pub lines: LineCounts,
}

/// The lines that a change adds and removes, as counted by the caller.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LineCounts {
    /// Number of lines added.
    pub added: u32,
    /// Number of lines removed.
    pub removed: u32,
}

/// The change of one file, with the hashes of its contents before and after.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// Its content is replaced.
    Set {
        /// Path of the file.
        path: RelPath,
        /// Hash of the old content.
        old: ContentHash,
        /// Hash of the new content.
        new: ContentHash,
    },
    /// It is created.
    New {
        /// Path of the file.
        path: RelPath,
        /// Hash of its content.
        new: ContentHash,
    },
    /// It is deleted.
    Delete {
        /// Path of the file.
        path: RelPath,
        /// Hash of its content.
        old: ContentHash,
    },
    /// It is moved, and its content may be replaced.
    Move {
        /// Old path.
        path: RelPath,
        /// New path.
        to: RelPath,
        /// Hash of the old content.
        old: ContentHash,
        /// Hash of the new content.
        new: ContentHash,
    },
}

/// A file that had neither its old nor its new content when its entry was carried out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conflict {
    /// Index of the entry.
    pub entry: usize,
    /// Hash of the content that was found and left alone; `None` if there was no regular file.
    pub found: Option<ContentHash>,
    /// Hashes of the contents that are kept instead: the new one, and any other that was in the
    /// way.
    pub kept: Vec<ContentHash>,
}

/// The reason for which a text is not a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Malformed {
    /// It ends too early: the write was interrupted.
    Torn,
    /// It is not what was written.
    Damaged,
    /// A later version of docent wrote it.
    Version,
}

impl Action {
    /// Returns the path before the operation, or the path of the new file.
    #[must_use]
    pub fn path(&self) -> &RelPath {
        match self {
            Self::Set { path, .. }
            | Self::New { path, .. }
            | Self::Delete { path, .. }
            | Self::Move { path, .. } => path,
        }
    }

    /// Returns the destination of a move.
    #[must_use]
    pub fn destination(&self) -> Option<&RelPath> {
        match self {
            Self::Move { to, .. } => Some(to),
            _ => None,
        }
    }

    /// Returns the hash of the content before the operation.
    #[must_use]
    pub fn old_hash(&self) -> Option<ContentHash> {
        match self {
            Self::Set { old, .. } | Self::Delete { old, .. } | Self::Move { old, .. } => Some(*old),
            Self::New { .. } => None,
        }
    }

    /// Returns the hash of the content after the operation.
    #[must_use]
    pub fn new_hash(&self) -> Option<ContentHash> {
        match self {
            Self::Set { new, .. } | Self::New { new, .. } | Self::Move { new, .. } => Some(*new),
            Self::Delete { .. } => None,
        }
    }
}

impl Record {
    /// Encodes the record as the bytes of a file.
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
            OperationOrigin::Change => {}
            OperationOrigin::Undo(id) => line(&["undo", &id.to_string()]),
            OperationOrigin::Redo(id) => line(&["redo", &id.to_string()]),
        }
        for path in &self.made {
            line(&["made", path.as_str()]);
        }
        for path in &self.removed {
            line(&["removed", path.as_str()]);
        }
        for RecordedChange { action, lines } in &self.entries {
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

    /// Decodes a record.
    ///
    /// # Errors
    /// [`Malformed::Torn`] for each beginning of a record, and for a record with zeros from some
    /// byte on: a crash may leave a file with its final length, whose last blocks were never
    /// written. [`Malformed::Damaged`] for any other difference, [`Malformed::Version`] for the
    /// record of a later format.
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

    /// Returns the hashes of all contents that the record names as kept.
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

    /// Returns true if entry `index` was not carried out because its file had changed.
    #[must_use]
    pub fn is_in_conflict(&self, index: usize) -> bool {
        self.conflicts
            .iter()
            .any(|conflict| conflict.entry == index)
    }
}

/// Returns true if any segment of a path begins with a dot.
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
        origin: OperationOrigin::Change,
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
            ["undo", id] => record.origin = OperationOrigin::Undo(id.parse().ok()?),
            ["redo", id] => record.origin = OperationOrigin::Redo(id.parse().ok()?),
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
                record.entries.push(RecordedChange {
                    action: action(verb, optional(old)?, optional(new)?, path_of(path)?, to)?,
                    lines: LineCounts {
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

/// Parses a path segment by segment. A name may contain `\`, which the parser of request paths
/// would take for `/`, and the record would then name another file. A path with `..` is refused: a
/// journal in a root may have come with a downloaded tree, and must not lead out of the root.
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
