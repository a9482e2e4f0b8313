//! What the tools for one document begin with: the document, read and decoded.

use docent_api::extract::UnknownGlyphs;
use docent_api::types::{Error, ErrorCode, SkipReason};

use crate::corpus::Corpus;
use crate::limits::{EXTRACTED_BYTES, UNPACKED_BYTES};
use crate::store::Store;
use docent_text::decode::DecodedText;
use docent_tree::disk::{Directory, Disk, Failure};
use docent_tree::door::{Content, Denied, Extent, Stamps, Vetted};
use docent_tree::error::refuse;
use docent_tree::included::Included;
use docent_tree::limits::DOCUMENT_BYTES;
use docent_tree::locate::{File, LocateRules, Located, TargetKind};
use docent_tree::open_directories::OpenDirectories;
use docent_tree::path::RelPath;
use docent_tree::refusal::{not_found, sensitive};

/// A document, read.
pub struct Opened {
    /// Its path, as it is on disk.
    pub path: RelPath,
    /// Its file name.
    pub name: String,
    /// All its bytes.
    pub bytes: Vec<u8>,
}

impl<D: Disk> Corpus<D> {
    /// Reads the document at `path` in root `root`.
    ///
    /// # Errors
    /// Those of [`Corpus::locate`], and what keeps the document from being read.
    pub fn open(&mut self, root: usize, path: &RelPath) -> Result<Opened, Error> {
        self.open_among(root, path, Included::default())
    }

    /// Does the same as [`Self::open`], and reads what is `included` although rules leave it out.
    ///
    /// # Errors
    /// As there.
    pub fn open_among(
        &mut self,
        root: usize,
        path: &RelPath,
        included: Included,
    ) -> Result<Opened, Error> {
        let located = self.locate_among(root, path, TargetKind::File, included)?;
        let Located::File(file) = located else {
            // Cannot be: `locate` refuses what is not of the kind that was asked for.
            return Err(not_found(path));
        };
        Opened::read(file, DOCUMENT_BYTES)
    }

    /// Reads the document at `path`, as [`Self::open`] does, by way of directories that stay open
    /// for others.
    ///
    /// # Errors
    /// As there.
    pub fn open_by_way_of(
        &mut self,
        directories: &mut OpenDirectories<D::Directory>,
        path: &RelPath,
    ) -> Result<Opened, Error> {
        match directories.file(&self.disk, LocateRules::new(&self.exclude), path) {
            Ok(file) => Opened::read_in(file.parent, file.path, file.name, DOCUMENT_BYTES),
            // Why, and whether it is there under another name, is looked for once only.
            Err(_) => self.open(directories.root(), path),
        }
    }
}

impl Opened {
    /// Reads a file of at most `most` bytes.
    ///
    /// # Errors
    /// What keeps it from being read.
    pub fn read<T: Directory>(file: File<T>, most: usize) -> Result<Self, Error> {
        Self::read_in(&file.parent, file.path, file.name, most)
    }

    fn read_in<T: Directory>(
        parent: &Vetted<T>,
        path: RelPath,
        name: String,
        most: usize,
    ) -> Result<Self, Error> {
        // Not remembered: a file that is named by itself lies in no listing of the store.
        let read = parent.read(&name, Extent::Whole(most), Stamps::Unwanted);
        let Content { bytes, .. } = read.map_err(|denied| match denied {
            Denied::Sensitive => sensitive(&path),
            Denied::Failed(failure) => {
                // Only for the message, and only now: reading has failed already.
                let size = parent.metadata(&name).ok().map(|metadata| metadata.size);
                failed(&path, failure, size, most)
            }
        })?;
        Ok(Self { path, name, bytes })
    }

    /// Returns its text.
    ///
    /// # Errors
    /// `binary`, or `not-text` when no encoding is certain; of what is not text by its name,
    /// `document-read-failed`, or `document-too-large` where it is over a limit.
    pub fn decode(&self, store: &mut Store) -> Result<DecodedText<'_>, Error> {
        let decoded = store.decode(&self.name, &self.bytes);
        decoded.map_err(|reason| {
            let unknown = match reason {
                SkipReason::NoText => store.unknown_glyphs(&self.name, &self.bytes),
                _ => None,
            };
            match unknown {
                Some(unknown) => unknown_glyphs(&self.path, unknown),
                None => no_text(&self.path, reason),
            }
        })
    }
}

/// Returns the error for a document that is there, with so many bytes where that is known, and of
/// which `most` can be read, but was not.
fn failed(path: &RelPath, failure: Failure, size: Option<u64>, most: usize) -> Error {
    match failure {
        // It was there a moment ago, or it is nothing that is served; callers see no difference.
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
                "Documents of this size cannot be opened whole. Of a text, `explore` reads lines (`app.log:-50`); \
                 else ask the person to split it.",
            )
        }
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
            "has no text: it does not tell the characters of the {glyphs} that it shows on {pages}; \
             expected a document with text"
        ),
        "Ask the person for the document that it was made from, or for a version in which text was \
         recognised.",
    )
}

fn no_text(path: &RelPath, reason: SkipReason) -> Error {
    match reason {
        SkipReason::Binary => refuse(
            ErrorCode::Binary,
            format!("`{path}` is binary; expected text"),
            "Only text can be read; list the directory to see what else is there.",
        ),
        SkipReason::TooLarge => refuse(
            ErrorCode::DocumentTooLarge,
            format!(
                "`{path}` holds too much; expected at most {EXTRACTED_BYTES} bytes of text, and \
                 {UNPACKED_BYTES} of what it packs"
            ),
            "Ask the person to split it, or for its text in another format.",
        ),
        SkipReason::Malformed => read_failed(
            path,
            "is damaged, cut off or of another format; expected what its name says",
            "Ask the person to save it anew.",
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
        // `not-text`: the others come from the disk or a walk, before there is anything to decode.
        _ => refuse(
            ErrorCode::NotText,
            format!("`{path}` is in no encoding that is certain; expected text, UTF-8 at best"),
            "Ask the person to save it as UTF-8.",
        ),
    }
}
