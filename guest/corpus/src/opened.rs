//! Opened documents: the common first step of the tools for one document, reading and decoding.

use docent_api::extract::UnknownGlyphs;
use docent_api::types::{Error, ErrorCode, SkipReason};

use crate::corpus::Corpus;
use crate::foreign::FailureDetails;
use crate::limits::{EXTRACTED_BYTES, UNPACKED_BYTES};
use crate::store::Store;
use docent_text::decode::DecodedText;
use docent_tree::archive::archive_directory;
use docent_tree::disk::{Directory, Disk, Failure};
use docent_tree::door::{Content, Denied, Extent, Stamps, Vetted};
use docent_tree::error::refuse;
use docent_tree::included::Inclusions;
use docent_tree::limits::DOCUMENT_BYTES;
use docent_tree::locate::{File, LocateRules, Located, TargetKind};
use docent_tree::open_directories::OpenDirectories;
use docent_tree::path::RelPath;
use docent_tree::refusal::{not_found, sensitive, unavailable};

/// A document that was read.
pub struct OpenedDocument {
    /// Path, as on disk.
    pub path: RelPath,
    /// File name.
    pub name: String,
    /// Full content.
    pub bytes: Vec<u8>,
}

impl<D: Disk> Corpus<D> {
    /// Reads the document at `path` in root `root`.
    ///
    /// # Errors
    /// Those of [`Corpus::locate`], and those of reading.
    pub fn open(&mut self, root: usize, path: &RelPath) -> Result<OpenedDocument, Error> {
        self.open_among(root, path, Inclusions::default())
    }

    /// Does the same as [`Self::open`], and also reads `included` documents that rules exclude.
    ///
    /// # Errors
    /// As there.
    pub fn open_among(
        &mut self,
        root: usize,
        path: &RelPath,
        included: Inclusions,
    ) -> Result<OpenedDocument, Error> {
        let located = self.locate_among(root, path, TargetKind::File, included)?;
        let Located::File(file) = located else {
            return Err(not_found(path));
        };
        OpenedDocument::read(file, DOCUMENT_BYTES)
    }

    /// Reads the document at `path` like [`Self::open_among`], via directories that stay open for
    /// further documents; `included` is the same for all of them.
    ///
    /// # Errors
    /// As there.
    pub fn open_via(
        &mut self,
        directories: &mut OpenDirectories<D::Directory>,
        path: &RelPath,
        included: Inclusions,
    ) -> Result<OpenedDocument, Error> {
        let rules = LocateRules {
            exclude: &self.exclude,
            included,
        };
        match directories.file(&self.disk, rules, path) {
            Ok(file) => OpenedDocument::read_in(file.parent, file.path, file.name, DOCUMENT_BYTES),
            // The path is tried once more on its own after a failure. Only then `\` is tried as a
            // part of a name, and a path through too many directories opened one by one; the error
            // is the one that `open_among` would return.
            Err(_) => self.open_among(directories.root(), path, included),
        }
    }
}

impl OpenedDocument {
    /// Reads a file of at most `most` bytes.
    ///
    /// # Errors
    /// The reason that it cannot be read.
    pub fn read<T: Directory>(file: File<T>, most: usize) -> Result<Self, Error> {
        Self::read_in(&file.parent, file.path, file.name, most)
    }

    fn read_in<T: Directory>(
        parent: &Vetted<T>,
        path: RelPath,
        name: String,
        most: usize,
    ) -> Result<Self, Error> {
        // The content is not cached: the store files a document under the listing of its directory,
        // and a file that is requested by path is in no listing.
        let read = parent.read(&name, Extent::Whole(most), Stamps::Unwanted);
        let Content { bytes, .. } = read.map_err(|denied| match denied {
            Denied::Sensitive => sensitive(&path),
            Denied::Failed(failure) => {
                // The size is only needed for the message, so that it is taken after reading has
                // failed.
                let size = parent.metadata(&name).ok().map(|metadata| metadata.size);
                read_error(&path, failure, size, most)
            }
        })?;
        Ok(Self { path, name, bytes })
    }

    /// Returns the text of the document.
    ///
    /// # Errors
    /// `binary`, or `not-text` if no encoding is certain; for a binary document,
    /// `document-read-failed`, or `document-too-large` if it exceeds a limit.
    pub fn decode(&self, store: &mut Store) -> Result<DecodedText<'_>, Error> {
        let decoded = store.decode(&self.name, &self.bytes);
        decoded.map_err(|reason| {
            let details = match reason {
                SkipReason::NoText | SkipReason::Unsupported => {
                    store.failure_details(&self.name, &self.bytes)
                }
                _ => None,
            };
            match details {
                Some(FailureDetails::UnknownGlyphs(unknown)) => unknown_glyphs(&self.path, unknown),
                Some(FailureDetails::Unsupported(what)) => unsupported(&self.path, &what),
                None => no_text(&self.path, reason),
            }
        })
    }
}

/// Returns the error for an existing document that was not read; `size` is its size in bytes if
/// known, and `most` the maximum that can be read.
fn read_error(path: &RelPath, failure: Failure, size: Option<u64>, most: usize) -> Error {
    match failure {
        // The file existed a moment ago, or it is never served. All these failures get the error of
        // a missing file, because callers must not distinguish them.
        Failure::NotFound
        | Failure::Symlink
        | Failure::WrongKind
        | Failure::MountPoint
        | Failure::Permission => not_found(path),
        Failure::TooLarge => {
            let size = size.map_or("too many".to_owned(), |size| size.to_string());
            refuse(
                ErrorCode::DocumentTooLarge,
                format!("`{path}` has {size} bytes; expected at most {most}"),
                "Documents of this size cannot be opened whole. If it is text, `explore` reads \
                 lines of it (`app.log:-50`); otherwise ask the person to split it.",
            )
        }
        Failure::Container(_) | Failure::Member(_) => unavailable(path, failure),
        Failure::Io => refuse(
            ErrorCode::DocumentReadFailed,
            format!("`{path}` could not be read to its end"),
            "Try again; if it fails again, tell the person that the file cannot be read.",
        ),
    }
}

fn read_failed(path: &RelPath, what: &str, hint: &str) -> Error {
    refuse(
        ErrorCode::DocumentReadFailed,
        format!("`{path}` {what}"),
        hint,
    )
}

fn unknown_glyphs(path: &RelPath, unknown: UnknownGlyphs) -> Error {
    let UnknownGlyphs { glyphs, pages } = unknown;
    let glyphs = format!("{glyphs} {}", if glyphs == 1 { "glyph" } else { "glyphs" });
    let pages = format!("{pages} {}", if pages == 1 { "page" } else { "pages" });
    read_failed(
        path,
        &format!(
            "has no text: it does not name the characters of the {glyphs} shown on {pages}; \
             expected a document with text"
        ),
        "Ask the person for the document that it was made from, or for a version in which text was \
         recognised.",
    )
}

fn unsupported(path: &RelPath, what: &str) -> Error {
    read_failed(
        path,
        &format!("is {what}, which is not read; expected a format such as docx, odt or hwpx"),
        "Ask the person to save it in a newer format, or as PDF or text.",
    )
}

fn no_text(path: &RelPath, reason: SkipReason) -> Error {
    match reason {
        SkipReason::Binary => refuse(
            ErrorCode::Binary,
            format!("`{path}` is binary; expected text"),
            match archive_directory(path.as_str()) {
                Some(directory) => format!("Its files are in `{directory}`; list it."),
                None => "Only text can be read; list the directory to see what else is there."
                    .to_owned(),
            },
        ),
        SkipReason::TooLarge => refuse(
            ErrorCode::DocumentTooLarge,
            format!(
                "`{path}` is too large; expected at most {EXTRACTED_BYTES} bytes of text, and \
                 {UNPACKED_BYTES} unpacked"
            ),
            "Ask the person to split it, or for its text in another format.",
        ),
        SkipReason::Malformed => read_failed(
            path,
            "is damaged, truncated or in another format; expected the format of its name",
            "Ask the person to save it again.",
        ),
        SkipReason::Encrypted => read_failed(
            path,
            "is encrypted; expected a document that opens without a password",
            "Ask the person to save it without a password.",
        ),
        SkipReason::NoText => read_failed(
            path,
            "shows pictures and no text; expected a document with text",
            "Ask the person for a version whose text can be selected and copied: one that was not scanned, \
             or in which text was recognised.",
        ),
        SkipReason::Unsupported => unsupported(path, "of another format"),
        SkipReason::TooSlow => read_failed(
            path,
            "takes too long to read; expected a document of ordinary complexity",
            "Ask the person to split it, or for its text in another format.",
        ),
        SkipReason::Broken => read_failed(
            path,
            "made its reader stop abnormally; expected a document that it can read",
            "Ask the person for its text in another format.",
        ),
        // `not-text`: the other reasons come from the disk or a walk, before there is anything to
        // decode.
        _ => refuse(
            ErrorCode::NotText,
            format!("`{path}` has an unknown encoding; expected text, preferably UTF-8"),
            "Ask the person to save it as UTF-8.",
        ),
    }
}
