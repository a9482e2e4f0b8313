//! Existing files that are to be changed.

use docent_api::types::{Error, ErrorCode};
use docent_corpus::corpus::Corpus;
use docent_corpus::foreign;
use docent_corpus::opened::OpenedDocument;
use docent_corpus::store::Store;
use docent_document::format::{Format, is_notebook_name};
use docent_document::notebook::is_notebook_file;
use docent_edit::source::Source;
use docent_text::content_hash::{ContentHash, HashedContent};
use docent_text::decode::DecodeError;
use docent_transaction::journal::Expected;
use docent_tree::archive::container_name;
use docent_tree::disk::{Disk, WriteDirectory, WriteDisk};
use docent_tree::door::Consent;
use docent_tree::error::refuse;
use docent_tree::limits::DOCUMENT_BYTES;
use docent_tree::locate::{Absence, LocateError, Located, TargetKind};
use docent_tree::path::RelPath;
use docent_tree::refusal::not_found;
use docent_tree::write::Writable;

use crate::limits::HASH_DIGITS;
use crate::writing::refusal::HARD_LINKS_HINT;
use crate::writing::root::WritableRoot;

/// A file as it is.
pub struct Existing {
    /// Its path, as it is on disk.
    pub path: RelPath,
    /// Its file name.
    pub name: String,
    /// Content of the file.
    pub content: HashedContent,
    /// Hash of the content.
    hash: ContentHash,
}

/// Parses the path of a file in a request.
///
/// # Errors
/// `invalid-path` for the path of a directory, and those of [`RelPath::parse`].
pub fn parse(text: &str) -> Result<RelPath, Error> {
    let path = RelPath::parse(text)?;
    let is_directory = text.ends_with(['/', '\\']) || path.as_str().is_empty();
    if is_directory {
        return Err(refuse(
            ErrorCode::InvalidPath,
            format!("`{text}` is the path of a directory; expected that of a file"),
            "Give the path with the name of the file, such as `guide/setup.md`.",
        ));
    }
    Ok(path)
}

/// Parses the path of a file or a directory in a request.
///
/// # Errors
/// `invalid-path` for the root itself, and those of [`RelPath::parse`].
pub fn parse_any(text: &str) -> Result<RelPath, Error> {
    let path = RelPath::parse(text)?;
    if path.as_str().is_empty() {
        return parse(text);
    }
    Ok(path)
}

impl Existing {
    /// Reads the file at `path`.
    ///
    /// # Errors
    /// If it cannot be read, or could not be replaced.
    pub fn read<D: WriteDisk>(
        corpus: &Corpus<D>,
        root: &WritableRoot<D::Directory>,
        path: &RelPath,
    ) -> Result<Self, Error> {
        refuse_in_container(path)?;
        let index = root.chosen.index;
        let file = match corpus.locate(index, path, TargetKind::File) {
            Ok(Located::File(file)) => file,
            Ok(Located::Directory(_)) => return Err(not_found(path)),
            Err(LocateError::NotFound { .. } | LocateError::Ignored { .. }) => {
                return Err(absent(corpus, index, path));
            }
            Err(LocateError::Sensitive(_)) if root.consent == Consent::Given => {
                corpus.locate_sensitive(index, path)?
            }
            Err(error) => return Err(error.into()),
        };
        let OpenedDocument { path, name, bytes } = OpenedDocument::read(file, DOCUMENT_BYTES)?;
        // A replacement is a rename over the name. The other names of the file keep the old
        // content, so a file that was one document under two names silently becomes two.
        // Writing in place instead would expose half-written content to readers and to a crash.
        // A platform that cannot report the number of links is trusted.
        let links = links(&root.directory, &path);
        if let Some(links) = links.filter(|links| *links > 1) {
            return Err(refuse(
                ErrorCode::InvalidRequest,
                format!("`{path}` has {links} hard links; expected 1"),
                HARD_LINKS_HINT,
            ));
        }
        let content = HashedContent::new(bytes);
        Ok(Self {
            path,
            name,
            hash: content.hash(),
            content,
        })
    }

    /// Returns a file that does not exist yet, with empty content.
    pub fn none(path: RelPath) -> Self {
        let name = path.segments().next_back().unwrap_or_default();
        let content = HashedContent::new(Vec::new());
        Self {
            name: name.to_owned(),
            path,
            hash: content.hash(),
            content,
        }
    }

    /// Returns the hash of its content.
    pub fn hash(&self) -> ContentHash {
        self.hash
    }

    /// Drops its content, but not the hash.
    pub fn forget(&mut self) {
        self.content = HashedContent::new(Vec::new());
    }

    /// Returns its expected content at the time of writing, by its hash if the content was dropped.
    pub fn expectation(&self) -> Expected {
        if self.content.hash() == self.hash {
            self.content.clone().into()
        } else {
            self.hash.into()
        }
    }

    /// Returns its text.
    ///
    /// # Errors
    /// `unsupported-format` if it is not text according to its name; `binary`; `not-text`.
    pub fn text(&self) -> Result<Source<'_>, Error> {
        is_writable(&self.path, &self.name)?;
        Source::from_content(&self.content).map_err(|error| match error {
            DecodeError::Binary => refuse(
                ErrorCode::Binary,
                format!("`{}` is binary; expected text", self.path),
                "Only text can be edited or replaced.",
            ),
            DecodeError::NotText => refuse(
                ErrorCode::NotText,
                format!(
                    "`{}` has an unknown encoding; expected text, preferably UTF-8",
                    self.path
                ),
                "Ask the person to save it as UTF-8.",
            ),
        })
    }

    /// Returns the Markdown of its cells as it is shown, or `None` if it is not a notebook. The
    /// Markdown is empty if it cannot be made; then only the file's own lines are edited.
    pub fn notebook_markdown(&self, store: &mut Store) -> Option<String> {
        if !is_notebook_name(&self.name) || !is_notebook_file(self.content.bytes()) {
            return None;
        }
        // The documents of the call before may have spent the time of the readers.
        store.begin_call();
        let decoded = store.decode(&self.name, self.content.bytes());
        Some(decoded.map_or_else(|_| String::new(), |decoded| decoded.text.into_owned()))
    }

    /// Refuses a file whose hash differs from the expected one.
    ///
    /// # Errors
    /// `conflict`; `invalid-request` for a malformed hash.
    pub fn expect(&self, written: Option<&str>) -> Result<(), Error> {
        let is_hash = |text: &str| {
            (HASH_DIGITS.0..=HASH_DIGITS.1).contains(&text.len())
                && text.bytes().all(|byte| byte.is_ascii_hexdigit())
        };
        match written {
            Some(written) if !is_hash(written) => Err(refuse(
                ErrorCode::InvalidRequest,
                format!("`hash` is `{written}`; expected 12 to 64 hexadecimal digits"),
                "Send the hash that an answer showed.",
            )),
            Some(written) if !self.hash().matches_prefix(written) => Err(refuse(
                ErrorCode::Conflict,
                format!(
                    "`{}` has the hash `{}`; expected `{written}`: it changed since it was read, \
                     and nothing was written",
                    self.path,
                    self.hash().short()
                ),
                "Read it again, check that the change is still right, and send the new hash.",
            )),
            _ => Ok(()),
        }
    }
}

/// Returns true if a path has a component whose name begins with a dot.
pub fn is_hidden(path: &RelPath) -> bool {
    path.segments().any(|segment| segment.starts_with('.'))
}

/// Returns the refusal for a path that is not an editable file, with the reason.
fn absent<D: Disk>(corpus: &Corpus<D>, root: usize, path: &RelPath) -> Error {
    let (what, hint) = match corpus.absence(root, path) {
        Absence::Ignored => (
            "is left out by ignore rules",
            "Ask the person to edit it, or to change the rule: what is ignored is not edited.",
        ),
        Absence::Link => (
            "is a link, or its path contains one",
            "Give the path of its target, if that is in this root.",
        ),
        Absence::Special => ("is not a regular file", "Only regular files are edited."),
        Absence::Missing => return not_found(path),
    };
    refuse(
        ErrorCode::InvalidPath,
        format!("`{path}` {what}; expected a file that can be edited"),
        hint,
    )
}

/// Refuses a path into a container, such as `x.zip!/a.md`.
///
/// # Errors
/// `unsupported-format`.
pub fn refuse_in_container(path: &RelPath) -> Result<(), Error> {
    let Some(directory) = path
        .segments()
        .find(|segment| container_name(segment).is_some())
    else {
        return Ok(());
    };
    let notebook = container_name(directory).filter(|file| is_notebook_name(file));
    Err(refuse(
        ErrorCode::UnsupportedFormat,
        format!("`{path}` is in `{directory}`, which can be read and not written"),
        match notebook {
            Some(file) => format!("Send the edit, with `oldText` as it is there, for `{file}`."),
            None => "Write a copy beside the file that holds it.".to_owned(),
        },
    ))
}

/// Refuses a file that cannot be written as text, according to its name.
///
/// # Errors
/// `unsupported-format`.
pub fn is_writable(path: &RelPath, name: &str) -> Result<(), Error> {
    // The file of a notebook is text, although it is read as Markdown.
    let Some(format) = foreign::extension(name).filter(|_| !is_notebook_name(name)) else {
        return Ok(());
    };
    Err(refuse(
        ErrorCode::UnsupportedFormat,
        format!("`{path}` is a `{format}` document, which can be read and not written"),
        "Write a text file instead, such as Markdown, or ask the person to edit it.",
    ))
}

/// Refuses the name of a file that is not a document.
///
/// # Errors
/// `unsupported-format`.
pub fn is_document(path: &RelPath) -> Result<(), Error> {
    let name = path.segments().next_back().unwrap_or_default();
    if Format::from_name(name).is_some() {
        return Ok(());
    }
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    Err(refuse(
        ErrorCode::UnsupportedFormat,
        format!("`{path}` is not the name of a document; expected one such as `{stem}.md`"),
        "Documents end in `md`, `txt`, `rst`, `adoc`, `org`, `tex` and the like; for other files \
         there are other tools.",
    ))
}

/// Returns the number of hard links of a file, or `None` if it is unknown.
fn links<T: WriteDirectory>(root: &Writable<T>, path: &RelPath) -> Option<u64> {
    let mut names = path.segments();
    let name = names.next_back()?;
    let mut directory: Option<Writable<T>> = None;
    for segment in names {
        directory = Some(directory.as_ref().unwrap_or(root).directory(segment).ok()?);
    }
    let version = directory.as_ref().unwrap_or(root).version(name).ok()?;
    Some(version.links)
}
