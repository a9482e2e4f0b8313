//! The request: its subject, the extent and limits of its items, and its cursors and pack, all in
//! valid form.
//!
//! *Never:* the content of a file, a candidate, an item.

pub mod call_limits;
pub mod cursor;
pub mod deadline;
pub mod group;
pub mod kinds;
pub mod numbers;
pub mod pack;
pub mod query_syntax;
pub mod scope;
pub mod shape;
pub mod sources;
pub mod subject;
pub mod unit;

use docent_api::pillars::{ExploreCursor, ExploreOptions, Intent, View};
use docent_api::types::Error;

use crate::explore::request::call_limits::{CallLimits, Room};
use crate::explore::request::numbers::Numbers;
use crate::explore::request::pack::Pack;
use crate::explore::request::shape::Shape;
use crate::explore::request::subject::Subject;
use docent_corpus::corpus::Corpus;
use docent_tree::disk::Disk;
use docent_tree::door::Consent;
use docent_tree::error::invalid;

/// A request with its pack, if one is given.
pub struct ExploreRequest {
    /// Index of the root.
    pub root: usize,
    /// Name of the root, if more than one is granted.
    pub shown_root: Option<String>,
    /// Subject of the request.
    pub subject: Subject,
    /// Pack that it continues.
    pub pack: Option<Pack>,
    /// Extent of each item.
    pub shape: Shape,
    /// Limits of the call.
    pub limits: CallLimits,
    /// The room for texts.
    pub room: Room,
    /// Expansion of directories that are named.
    pub directory_items: DirectoryItems,
    /// The caller's consent to open sensitive files that it names; the person's is needed as well.
    pub caller_consent: Consent,
    /// True if binaries are allowed, as base64.
    pub allows_binary: bool,
    /// Display of line numbers.
    pub numbers: Numbers,
    /// True if a file that is named comes whole if it fits.
    pub shows_short_files: bool,
    /// Cursors at which to continue.
    pub cursor: Option<ExploreCursor>,
    /// True if a pack is requested again with neither a larger room nor another view, so that its
    /// items were already shown.
    pub is_repeat: bool,
}

/// Expansion of directories that are named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DirectoryItems {
    /// True if the directory is an item itself.
    pub itself: bool,
    /// Maximum total number of files from directories and globs, or `None` to list none of them.
    pub most_files: Option<usize>,
}

impl ExploreRequest {
    /// Parses a request made in the hour `hour`.
    ///
    /// # Errors
    /// For options that are incompatible, and for subjects that can be neither searched for nor
    /// read.
    pub fn parse<D: Disk>(
        corpus: &Corpus<D>,
        options: ExploreOptions,
        hour: u64,
    ) -> Result<Self, Error> {
        let limits = CallLimits::parse(options.limits)?;
        let pack = options
            .pack_id
            .as_deref()
            .map(|id| Pack::parse(id, hour))
            .transpose()?;
        let root_name = options.root.as_deref();
        if let (Some(pack), Some(root)) = (&pack, root_name)
            && pack.subject.root != root
        {
            return Err(invalid(
                format!(
                    "`packId` belongs to another root than `{root}`; expected one of the same root"
                ),
                "Omit root: the pack knows its own.",
            ));
        }
        let root_name = root_name.or(pack.as_ref().map(|pack| pack.subject.root.as_str()));
        let root = corpus.choose_root(root_name)?;
        let subject = match &pack {
            None => Subject::parse(&options, &root.name)?,
            // Models repeat the arguments of the first call together with its `packId`. They
            // are accepted if they mean the same subject, and refused otherwise: silently
            // preferring either one would answer another question than the caller believes.
            Some(pack) if pack.subject.agrees(&options)? => pack.subject.clone(),
            Some(_) => {
                return Err(invalid(
                    "`packId` belongs to another query than the other arguments; expected the same or none",
                    "Give packId alone, or omit it to begin a new query.",
                ));
            }
        };
        let shape = Shape::parse(&options, &subject)?;
        let is_preview = options.view == Some(View::Preview);
        // Evidence consists of sections and previews, unless a whole file is requested.
        let is_evidence = subject.intent == Intent::Evidence;
        let is_repeat = pack.is_some()
            && options.cursor.is_none()
            && options.section.is_none()
            && matches!(options.view, None | Some(View::Auto))
            && !limits.are_raised();
        Ok(Self {
            root: root.index,
            shown_root: root.shown,
            subject,
            pack,
            directory_items: DirectoryItems {
                itself: matches!(shape, Shape::Preview),
                // For a preview of a directory, its entries are enough.
                most_files: (!is_preview).then_some(limits.files),
            },
            caller_consent: if options.allow_sensitive.unwrap_or(false) {
                Consent::Given
            } else {
                Consent::Withheld
            },
            allows_binary: options.allow_binary.unwrap_or(false),
            shows_short_files: shape == Shape::Preview && !is_preview && !is_evidence,
            numbers: match options.line_numbers {
                Some(false) => Numbers::LeftOut,
                _ => Numbers::Shown,
            },
            cursor: options.cursor,
            room: Room::new(&limits, &shape),
            shape,
            limits,
            is_repeat,
        })
    }
}
