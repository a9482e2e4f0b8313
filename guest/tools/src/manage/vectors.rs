//! `reindex` with a configured embedder: it makes the vectors of all passages in advance.
//!
//! A call works for some seconds and ends after a document, from which the next one continues. The
//! embedder stores each vector as it is made, so a call that is cut off loses nothing but its
//! count. The embedder also stores the number of passages of each document, from which questions
//! derive how many are missing.

use docent_api::sections::SmartMode;
use docent_api::types::{Error, ErrorCode};
use docent_api::writing::{ManageAnswer, ManageCommand, ManageOptions, VectorsMade};
use docent_corpus::corpus::Corpus;
use docent_corpus::extensions::Extensions;
use docent_corpus::visit::read_current;
use docent_corpus::walk::{Walk, WalkOptions, WalkStep};
use docent_rank::embedder::{Failure, PassageCount};
use docent_text::digest::digest;
use docent_text::saturating::saturating_u32;
use docent_tree::archive::EnteredContainers;
use docent_tree::disk::{Disk, Metadata};
use docent_tree::error::refuse;
use docent_tree::included::Inclusions;
use docent_tree::locate::{ChosenRoot, Located, TargetKind, WalkStart};
use docent_tree::path::RelPath;
use docent_tree::refusal::unavailable;

use super::newest;
use crate::limits::{PASSAGES_AT_ONCE, REINDEX_MS, SMART_MS};
use crate::manage::newest::embedding_error;
use crate::paging::cursor::{self, Fingerprint};
use crate::semantic::passage_counts::{NewCounts, Versions};
use crate::semantic::ranker::{EmbeddingTime, SemanticRanker};
use crate::semantic::read_text::ReadText;
use crate::settings::ToolSettings;

/// Cursor of a call that did not complete the first document. This name sorts before that of any
/// document, and none has it.
const BEGINNING: &str = "\u{1}";

/// Answer of `rebuild`.
const NEVER_STALE: &str = "A vector depends only on its model and text, so none is out of date: \
                           the missing ones were computed.";

/// State of making the vectors of a root.
struct RootVectors<'a> {
    ranker: SemanticRanker,
    root: &'a ChosenRoot,
    time: EmbeddingTime,
    made: VectorsMade,
    versions: Versions,
    counts: NewCounts,
}

/// Completion of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Completion {
    Whole,
    /// The time was over.
    InPart,
}

/// Makes vectors for the passages that have none, and reports them in `answer`; without an embedder
/// it does nothing.
///
/// # Errors
/// `semantic-search-unavailable` for an embedder that fails, and those of [`Corpus::locate`].
pub fn make<D: Disk>(
    corpus: &mut Corpus<D>,
    settings: &ToolSettings,
    options: &ManageOptions,
    answer: &mut ManageAnswer,
) -> Result<(), Error> {
    let root = corpus.choose_root(options.root.as_deref())?;
    let path = RelPath::parse_or_root(options.target.as_deref())?;
    let fingerprint = Fingerprint::new("manage-reindex")
        .with(&root.name)
        .with(path.as_str());
    let after = options.cursor.as_deref();
    if let Some(most) = after.and_then(newest::most) {
        return newest::make(corpus, settings, &root, most, answer);
    }
    let after = after.map(|after| cursor::decode(fingerprint, after));
    let after = after.transpose()?;
    let now = corpus.disk.monotonic_ms();
    let time = EmbeddingTime {
        begin: now + settings.working_ms(REINDEX_MS),
        // Two deadlines. After `begin` no further vectors are requested, so that a person sees
        // progress and can stop. Requests already started have until `end`: the embedder does
        // not return a part of a batch, so aborting it would lose the work, and a slow machine
        // may need many seconds for one long passage. With a single deadline of ten seconds
        // such a machine would never complete it.
        end: now + settings.working_ms(SMART_MS),
    };
    let ranker = match SemanticRanker::for_call(corpus, SmartMode::Semantic, time.end) {
        Ok(ranker) => ranker,
        Err(Failure::NoneConfigured) => return Ok(()),
        Err(failure) => return Err(embedding_error(failure)),
    };
    answer.model = Some(ranker.name().to_owned());
    let mut vectors = RootVectors {
        versions: ranker.versions(&root.name),
        counts: NewCounts::begin(ranker.embedder()),
        ranker,
        root: &root,
        time,
        made: VectorsMade {
            documents: 0,
            passages: 0,
            made: 0,
            left_out: 0,
        },
    };
    corpus.store.begin_call();
    let next = match corpus.locate(root.index, &path, TargetKind::Any)? {
        Located::Directory(start) => vectors.tree(corpus, start, after),
        Located::File(file) => vectors.file(corpus, &file.path),
    };
    vectors.counts.hand_over(vectors.ranker.embedder());
    let next = next?;
    // The call returns an error instead of a cursor if it completed nothing: continuing without
    // progress would never end.
    if next.is_some() && vectors.made.documents == 0 && vectors.made.made == 0 {
        return Err(embedding_error(Failure::TooSlow));
    }
    answer.next_cursor = next.map(|next| cursor::encode(fingerprint, &next));
    answer.vectors = Some(vectors.made);
    answer.message = (answer.command == ManageCommand::Rebuild).then(|| NEVER_STALE.to_owned());
    Ok(())
}

impl RootVectors<'_> {
    /// Visits the documents after `after`, and returns the one after which the next call continues,
    /// or `None` at the end.
    fn tree<D: Disk>(
        &mut self,
        corpus: &mut Corpus<D>,
        start: WalkStart<D::Directory>,
        after: Option<String>,
    ) -> Result<Option<String>, Error> {
        let Corpus {
            disk,
            store,
            exclude,
            ..
        } = corpus;
        let extensions = Extensions::default();
        let reach = WalkOptions {
            is_document: &|name| extensions.has(name),
            exclude,
            included: Inclusions::default(),
            depth: usize::MAX,
            containers: EnteredContainers::None,
            after: after.as_deref(),
        };
        let shown = start.path.clone();
        let mut last = after.clone().unwrap_or_else(|| BEGINNING.to_owned());
        let mut walk =
            Walk::begin(store, start, reach).map_err(|failure| unavailable(&shown, failure))?;
        while let Some(step) = walk.advance() {
            let is_document = step == WalkStep::Document;
            let mut done = Ok(Completion::Whole);
            if disk.monotonic_ms() >= self.time.begin || is_document && !walk.admit() {
                done = Ok(Completion::InPart);
            } else if is_document {
                // The metadata is taken before the file is read. If the file is saved in
                // between, the text is newer than its metadata, so the next call sees other
                // metadata and looks again. In the other order, the count of an old text would
                // be recorded for the new file, and stay until it changes again.
                let file = walk.metadata().ok();
                let taken = read_current(&mut walk, |walk, _, text, _| {
                    let (path, name) = (walk.path(), walk.name());
                    done = self.document(&*disk, path, name, text, file.as_ref());
                    Ok(())
                });
                if let Err(reason) = taken {
                    walk.skip(reason);
                }
            }
            if done.map_err(embedding_error)? == Completion::InPart {
                walk.end_page();
                return Ok(Some(last));
            }
            last.clear();
            last.push_str(walk.path());
            if !is_document {
                last.push('/');
            }
        }
        Ok(None)
    }

    /// Processes a document that was requested by its path.
    fn file<D: Disk>(
        &mut self,
        corpus: &mut Corpus<D>,
        path: &RelPath,
    ) -> Result<Option<String>, Error> {
        let read = ReadText::open(corpus, self.root.index, path).ok_or_else(|| {
            refuse(
                ErrorCode::InvalidPath,
                format!("`{path}` cannot be read as a document; expected one"),
                "Leave target out to take all documents.",
            )
        })?;
        let path = read.path.as_str();
        let done = self.document(&corpus.disk, path, &read.name, &read.text, None);
        Ok(match done.map_err(embedding_error)? {
            Completion::Whole => None,
            Completion::InPart => Some(BEGINNING.to_owned()),
        })
    }

    fn document(
        &mut self,
        disk: &impl Disk,
        path: &str,
        name: &str,
        text: &str,
        file: Option<&Metadata>,
    ) -> Result<Completion, Failure> {
        let texts = self.ranker.texts(&self.root.name, path, name, text);
        let (mut new, mut left_out, mut unknown) = (0, 0, 0);
        for texts in texts.chunks(PASSAGES_AT_ONCE) {
            let made = self.ranker.make(disk, texts, usize::MAX, self.time)?;
            new += made.new;
            unknown += made.unknown;
            match made.failure {
                None | Some(Failure::Refused | Failure::TooLong) => left_out += made.missing,
                Some(Failure::TooSlow) => {
                    self.made.made += saturating_u32(new);
                    return Ok(Completion::InPart);
                }
                Some(failure) => return Err(failure),
            }
        }
        let by_text = self.versions.by_text(path, digest(text.as_bytes()));
        let by_file = file.map(|file| self.versions.by_file(path, file));
        let count = PassageCount {
            passages: saturating_u32(texts.len()),
            unknown: saturating_u32(unknown),
        };
        let versions = std::iter::once(by_text).chain(by_file);
        self.counts.add(self.ranker.embedder(), versions, count);
        self.made.documents += 1;
        self.made.passages += saturating_u32(texts.len());
        self.made.made += saturating_u32(new);
        self.made.left_out += saturating_u32(left_out);
        Ok(Completion::Whole)
    }
}
