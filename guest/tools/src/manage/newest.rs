//! `reindex` as hosts call it between other calls: the newest documents first, and at most as many
//! vectors as the budget of a question has left. Other documents not counted yet are counted.
//!
//! Before any document is read, the embedder is asked which ones it knows, by their file metadata.

use docent_api::sections::SmartMode;
use docent_api::types::{Error, ErrorCode};
use docent_api::writing::{ManageAnswer, VectorsMade};
use docent_corpus::corpus::Corpus;
use docent_corpus::extensions::Extensions;
use docent_corpus::foreign;
use docent_corpus::limits::FOREIGN_PER_CALL;
use docent_corpus::walk::{Walk, WalkOptions, WalkStep};
use docent_rank::embedder::{DocumentVersion, Failure, PassageCount};
use docent_text::digest::digest;
use docent_text::saturating::saturating_u32;
use docent_text::sort::sort_by;
use docent_tree::archive::EnteredContainers;
use docent_tree::disk::{Disk, Metadata};
use docent_tree::error::refuse;
use docent_tree::included::Inclusions;
use docent_tree::locate::{ChosenRoot, Located, TargetKind};
use docent_tree::path::RelPath;
use docent_tree::refusal::unavailable;

use crate::limits::{COUNTS_AT_ONCE, NEWEST_END_MS, NEWEST_MS, PASSAGES_AT_ONCE};
use crate::semantic::passage_counts::{NewCounts, Versions};
use crate::semantic::ranker::{EmbeddingTime, SemanticRanker};
use crate::semantic::read_text::{DocumentReader, ReadText};
use crate::settings::ToolSettings;

/// Prefix of such a call's cursor, which no other cursor has. It is followed by the maximum number
/// of vectors to make.
const CURSOR: &str = "newest:";

/// Returns the maximum number of vectors of a cursor's call, or `None` for any other cursor.
pub fn most(cursor: &str) -> Option<usize> {
    cursor.strip_prefix(CURSOR)?.parse().ok()
}

/// A document found but not read yet.
struct FoundDocument {
    path: RelPath,
    file: Metadata,
}

/// State of making vectors and counts.
struct NewestVectors<'a> {
    ranker: &'a SemanticRanker,
    root_name: &'a str,
    versions: Versions,
    counts: NewCounts,
    time: EmbeddingTime,
    /// Number of vectors that may still be made.
    left: usize,
    made: VectorsMade,
}

/// Makes vectors for at most so many passages of a root that have none, of the newest documents
/// first, and counts those of the others, as time allows. Without an embedder it does nothing.
///
/// # Errors
/// `semantic-search-unavailable` for an embedder that fails, and those of [`Corpus::locate`].
pub fn make<D: Disk>(
    corpus: &mut Corpus<D>,
    settings: &ToolSettings,
    root: &ChosenRoot,
    most: usize,
    answer: &mut ManageAnswer,
) -> Result<(), Error> {
    let now = corpus.disk.monotonic_ms();
    let time = EmbeddingTime {
        begin: now + settings.working_ms(NEWEST_MS),
        end: now + settings.working_ms(NEWEST_END_MS),
    };
    let ranker = match SemanticRanker::for_call(corpus, SmartMode::Semantic, time.end) {
        Ok(ranker) => ranker,
        Err(Failure::NoneConfigured) => return Ok(()),
        Err(failure) => return Err(embedding_error(failure)),
    };
    answer.model = Some(ranker.name().to_owned());
    corpus.store.begin_call();
    let documents = find_unknown(corpus, root, &ranker)?;
    let mut vectors = NewestVectors {
        root_name: &root.name,
        versions: ranker.versions(&root.name),
        counts: NewCounts::begin(ranker.embedder()),
        ranker: &ranker,
        time,
        left: most,
        made: VectorsMade {
            documents: 0,
            passages: 0,
            made: 0,
            left_out: 0,
        },
    };
    let mut reader = DocumentReader::begin(corpus, root.index);
    let done = vectors.all(&mut reader, &documents);
    vectors.counts.hand_over(ranker.embedder());
    let is_done = done.map_err(embedding_error)?;
    // A cursor is returned only after progress. An embedder that is slower than the budget of a
    // call completes no document; with a cursor, the host would repeat the same call forever.
    let has_gone_on = vectors.made.documents > 0;
    if !is_done && has_gone_on {
        answer.next_cursor = Some(format!("{CURSOR}{}", vectors.left));
    }
    answer.vectors = Some(vectors.made);
    Ok(())
}

/// Returns the documents of a root that the embedder does not know in their current version, newest
/// first.
fn find_unknown<D: Disk>(
    corpus: &mut Corpus<D>,
    root: &ChosenRoot,
    ranker: &SemanticRanker,
) -> Result<Vec<FoundDocument>, Error> {
    let whole = RelPath::default();
    let Located::Directory(start) = corpus.locate(root.index, &whole, TargetKind::Any)? else {
        return Ok(Vec::new());
    };
    let extensions = Extensions::default();
    let reach = WalkOptions {
        is_document: &|name| extensions.has(name),
        exclude: &corpus.exclude,
        included: Inclusions::default(),
        depth: usize::MAX,
        containers: EnteredContainers::None,
        after: None,
    };
    let mut walk = Walk::begin(&mut corpus.store, start, reach)
        .map_err(|failure| unavailable(&whole, failure))?;
    let mut documents = Vec::new();
    while let Some(step) = walk.advance() {
        if step == WalkStep::Document
            && let Ok(file) = walk.metadata()
        {
            let path = walk.rel_path().to_owned();
            documents.push(FoundDocument { path, file });
        }
    }
    drop(walk);
    // The embedder is asked by metadata alone, before any document is read: most documents are
    // known from earlier calls, and none of these has to be read and cut into passages. Answers
    // come in the order of the questions, which are sent in chunks of some megabytes.
    let versions = ranker.versions(&root.name);
    let version = |one: &FoundDocument| versions.by_file(one.path.as_str(), &one.file);
    let versions: Vec<DocumentVersion> = documents.iter().map(version).collect();
    let mut counts = Vec::new();
    for versions in versions.chunks(COUNTS_AT_ONCE) {
        counts.append(&mut ranker.embedder().passage_counts(None, versions).counts);
    }
    let mut counts = counts.into_iter();
    documents.retain(|_| !is_known(counts.next().flatten()));
    sort_by(&mut documents, |a, b| {
        let modified = b.file.modified.cmp(&a.file.modified);
        modified.then_with(|| a.path.as_str().cmp(b.path.as_str()))
    });
    Ok(documents)
}

fn is_known(count: Option<PassageCount>) -> bool {
    count.is_some_and(|count| count.unknown == 0)
}

impl NewestVectors<'_> {
    /// Visits documents, and returns true if it reached the last one.
    fn all<D: Disk>(
        &mut self,
        reader: &mut DocumentReader<'_, D>,
        documents: &[FoundDocument],
    ) -> Result<bool, Failure> {
        let mut foreign_count = 0;
        for document in documents {
            if reader.disk().monotonic_ms() >= self.time.begin {
                return Ok(false);
            }
            let name = document.path.segments().next_back().unwrap_or_default();
            if foreign::extension(name).is_some() {
                foreign_count += 1;
                if foreign_count > FOREIGN_PER_CALL || reader.has_read_enough() {
                    continue;
                }
            }
            let Some(read) = reader.document(&document.path) else {
                continue;
            };
            if !self.document(reader.disk(), &document.file, &read)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Processes a document, and returns true if there was time for it.
    fn document(
        &mut self,
        disk: &impl Disk,
        file: &Metadata,
        read: &ReadText,
    ) -> Result<bool, Failure> {
        let path = read.path.as_str();
        let by_text = self.versions.by_text(path, digest(read.text.as_bytes()));
        let by_file = self.versions.by_file(path, file);
        let embedder = self.ranker.embedder();
        let before = embedder.passage_counts(None, &[by_text]).counts;
        let before = before.into_iter().next().flatten();
        // If no vectors may be made any more, or none are missing, the count known for this
        // text also applies to the file with its present metadata. Recording it saves reading
        // the file next time.
        if let Some(count) = before.filter(|count| self.left == 0 || count.unknown == 0) {
            self.counts.add(embedder, [by_file], count);
            return Ok(true);
        }
        let texts = self
            .ranker
            .texts(self.root_name, path, &read.name, &read.text);
        let mut unknown = 0;
        for texts in texts.chunks(PASSAGES_AT_ONCE) {
            let made = self.ranker.make(disk, texts, self.left, self.time)?;
            self.left -= made.new.min(self.left);
            self.made.made += saturating_u32(made.new);
            self.made.left_out += saturating_u32(made.missing - made.unknown);
            unknown += made.unknown;
            match made.failure {
                None => {}
                Some(Failure::TooSlow) => return Ok(false),
                Some(failure) => return Err(failure),
            }
        }
        let count = PassageCount {
            passages: saturating_u32(texts.len()),
            unknown: saturating_u32(unknown),
        };
        self.counts.add(embedder, [by_text, by_file], count);
        self.made.documents += 1;
        self.made.passages += count.passages;
        Ok(true)
    }
}

pub(super) fn embedding_error(failure: Failure) -> Error {
    refuse(
        ErrorCode::SemanticSearchUnavailable,
        format!("no vectors can be computed: {failure}; expected an embedder that answers"),
        "Vectors computed before are kept; call again when the embedder answers.",
    )
}
