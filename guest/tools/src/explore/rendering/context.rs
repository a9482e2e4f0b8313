//! The context in which the items of a request are rendered.

use crate::explore::rendering::literal::Literal;
use crate::explore::request::ExploreRequest;
use crate::explore::request::call_limits::{CallLimits, Room};
use crate::explore::request::deadline::Deadline;
use crate::explore::request::kinds::{FileKind, FileKinds};
use crate::explore::request::numbers::Numbers;
use crate::explore::request::shape::Shape;
use crate::explore::selection::call_documents::CallDocuments;
use crate::explore::selection::candidate::CandidateKind;
use crate::lexical::word_hits::QueryWords;
use crate::part::AskedPath;
use docent_rank::bm25::Collection;
use docent_rank::passages::Question;
use docent_tree::included::Inclusions;

/// Context that `render` needs in addition to the candidate.
pub struct RenderContext<'a> {
    /// Index of the root.
    pub root: usize,
    /// True if there is at most one path.
    pub is_one_path: bool,
    /// Extent of each item.
    pub shape: &'a Shape,
    /// Limits of the call.
    pub limits: &'a CallLimits,
    /// The search, or `None` if files are read.
    pub search: Option<SearchContext<'a>>,
    /// The room for texts.
    pub room: Room,
    /// Included kinds of files.
    pub kinds: FileKinds,
    /// Entries included although names and rules exclude them.
    pub included: Inclusions,
    /// Display of line numbers.
    pub numbers: Numbers,
    /// Files that come whole if each fits into its share of the room; empty if there are none.
    pub short_files: &'a [AskedPath],
    /// True if binaries are allowed.
    pub allows_binary: bool,
    /// Deadline of the call.
    pub deadline: &'a Deadline,
    /// The documents that the call has read before.
    pub documents: &'a CallDocuments,
}

impl<'a> RenderContext<'a> {
    /// Returns the context for the items of a request.
    pub fn new(
        request: &'a ExploreRequest,
        search: Option<SearchContext<'a>>,
        room: Room,
        deadline: &'a Deadline,
        documents: &'a CallDocuments,
    ) -> Self {
        Self {
            root: request.root,
            is_one_path: request.subject.paths.len() < 2,
            shape: &request.shape,
            limits: &request.limits,
            search,
            room,
            kinds: request.subject.kinds,
            included: request.subject.included,
            numbers: request.numbers,
            short_files: match request.shows_short_files {
                true => &request.subject.paths,
                false => &[],
            },
            allows_binary: request.allows_binary,
            deadline,
            documents,
        }
    }
}

impl RenderContext<'_> {
    /// Returns the numbering of a file's lines.
    pub fn numbers_of(&self, kind: CandidateKind) -> Numbers {
        let is_prose = match kind {
            CandidateKind::File(FileKind::Code(_) | FileKind::Data) => false,
            CandidateKind::File(FileKind::Document | FileKind::Log | FileKind::Other)
            | CandidateKind::Directory => true,
        };
        if is_prose && self.search.is_some() {
            self.numbers.in_prose()
        } else {
            self.numbers
        }
    }
}

/// A query and the documents that are searched for it.
#[derive(Clone, Copy)]
pub struct SearchContext<'a> {
    /// The query as written.
    pub query: &'a str,
    /// Its words in the form used for ranking.
    pub question: &'a Question,
    /// Its words in the form in which answers name them.
    pub words: &'a QueryWords<'a>,
    /// Its literal text.
    pub literal: Option<&'a Literal>,
    /// The documents that were searched.
    pub collection: &'a Collection,
}
